"""Scores as metrics of torchmetrics, beside the real library."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
import torchmetrics

import whichf1 as wf
from tests.helpers import ranks
from whichf1.errors import DefinitionError, InputError, LabelError, MergeError, ShapeError
from whichf1.integrations import torchmetrics as doors
from whichf1.metrics import COUNTED, EVERY, find

C = 4
CHANCE = torch.Generator().manual_seed(3)
TARGET = torch.randint(0, C, (90,), generator=CHANCE)
LOGITS = torch.randn(90, C, generator=CHANCE)
LOGITS[torch.arange(90), TARGET] += 0.7
PADDED = TARGET.clone()
PADDED[::8] = -100
KEPT = PADDED != -100
WHAT = {"average": "macro"}


def in_batches(preds: Any, target: Any, size: int) -> list[Any]:
    return [*zip(preds.split(size), target.split(size), strict=True)]


def fed(metric: Any, preds: Any = LOGITS, target: Any = PADDED, size: int = 37) -> Any:
    for batch in in_batches(preds, target, size):
        metric.update(*batch)
    return metric


def scores_one_class(name: str) -> bool:
    """Whether it is a ranking of one class alone, without a mean over several."""
    metric = wf.Definition.parse(name).declaration
    several = "multi_class" in metric.parameters or metric.confidence
    return metric.kind == "ranking" and not several


def options_of(name: str) -> dict[str, Any]:
    """What a metric of four classes needs."""
    definition = wf.Definition.parse(name)
    metric = definition.declaration
    if definition.average is None and (metric.kind == "rate" or metric.over_classes):
        return {"average": "macro"}
    return {"positive": 1} if scores_one_class(name) else {}


@pytest.mark.parametrize("name", sorted({*doors.__all__} - {"ScoreMetric"}))
def test_every_class_gives_the_score_of_all_batches(name: str) -> None:
    metric = doors._NAMES[name]
    options = options_of(metric)
    made = fed(getattr(doors, name)(num_classes=C, ignore_index=-100, logits=True, **options))
    kind = made.definition.declaration.kind
    scores = LOGITS[KEPT].double()
    data: Any = scores.argmax(1) if kind in COUNTED else scores.softmax(1)
    expected = wf.score(TARGET[KEPT].numpy(), data.numpy(), metric, labels=range(C), **options)
    assert made.score().value == pytest.approx(expected.value, rel=1e-12)
    assert made.compute() == pytest.approx(expected.value, rel=1e-6)
    definition = made.definition.settled(interval=None)
    assert made.score().n == expected.n and definition.metric == expected.definition.metric
    assert made.higher_is_better is {"higher": True, "lower": False}.get(
        find(definition.metric).better
    )


@pytest.mark.parametrize("name", sorted(x for x in doors._NAMES.values() if scores_one_class(x)))
def test_a_ranking_of_one_class_takes_two_classes_or_a_named_one(name: str) -> None:
    target, chance = TARGET == 1, LOGITS[:, 1].double().sigmoid()
    made = fed(doors.ScoreMetric(name, num_classes=2), chance, target.long())
    expected = wf.score(target.long().numpy(), chance.numpy(), name)
    assert made.score().value == pytest.approx(expected.value, rel=1e-12)
    with pytest.raises(DefinitionError, match="of 4 classes: pass positive=CLASS"):
        doors.ScoreMetric(name, num_classes=C)
    rows = LOGITS.double().softmax(1).numpy()
    for more in ({}, {"weights": np.arange(90) + 1.0}, {"cluster": np.arange(90) // 3}):
        with pytest.raises(DefinitionError, match="of 4 classes: pass positive=CLASS"):
            wf.score(TARGET.numpy(), rows, name, **more)


def test_the_classes_are_those_of_the_registry() -> None:
    assert {*doors._NAMES.values()} >= {x for x in EVERY if find(x).kind in (*COUNTED, "loss")}
    assert "AveragedF1" in dir(doors) and "scores" not in dir(doors)
    with pytest.raises(AttributeError, match="AveragedF1"):
        doors.AveragdF1  # noqa: B018
    ours = {*inspect.signature(doors.ScoreMetric.__init__).parameters, *doors._THEIRS}
    shared = {(x.name, name) for x in EVERY.values() for name in x.parameters if name in ours}
    assert shared == {("net_benefit", "threshold")}


def test_the_threshold_of_a_metric_is_its_own() -> None:
    target, chance = TARGET == 1, LOGITS[:, 1].double().sigmoid()
    made = fed(doors.NetBenefit(num_classes=2, threshold=0.2), chance, target.long())
    expected = wf.score(target.long().numpy(), chance.numpy(), "net_benefit", threshold=0.2)
    assert made.score().signature == expected.signature
    assert made.score().value == pytest.approx(expected.value, rel=1e-12)
    assert fed(doors.NetBenefit(num_classes=2), chance, target.long()).compute() != made.compute()
    with pytest.raises(DefinitionError, match="threshold must be"):
        doors.NetBenefit(num_classes=2, threshold=1)


@pytest.mark.parametrize(
    ("theirs", "ours", "options"),
    [
        (torchmetrics.classification.MulticlassF1Score, "f1", WHAT),
        (torchmetrics.classification.MulticlassF1Score, "f1", {"average": "none"}),
        (torchmetrics.classification.MulticlassRecall, "recall", {"average": "weighted"}),
        (torchmetrics.classification.MulticlassAccuracy, "accuracy", {"average": "micro"}),
        (torchmetrics.classification.MulticlassMatthewsCorrCoef, "mcc", {}),
        (torchmetrics.classification.MulticlassCohenKappa, "cohen_kappa", {}),
        (torchmetrics.classification.MulticlassAUROC, "roc_auc", WHAT),
        (torchmetrics.classification.MulticlassAveragePrecision, "average_precision", WHAT),
    ],
)
def test_torchmetrics_agrees(theirs: Any, ours: str, options: dict[str, Any]) -> None:
    shared: dict[str, Any] = {"num_classes": C, "ignore_index": -100}
    peer = theirs(**shared, **options)
    if ours == "accuracy":
        options = {}
    metric = doors.ScoreMetric(ours, **shared, **options, logits=True)
    assert torch.allclose(fed(metric).compute(), fed(peer).compute(), atol=1e-6)
    images = LOGITS.reshape(10, 9, C).movedim(2, 1), PADDED.reshape(10, 9)
    for each in (metric, peer):
        each.reset()
        each.update(*images)
    assert torch.allclose(metric.compute(), peer.compute(), atol=1e-6)


def test_two_classes_have_one_score_for_each_target() -> None:
    target = (TARGET == 1).long()
    logit = LOGITS[:, 1]
    peer = fed(torchmetrics.classification.BinaryF1Score(), logit.sigmoid(), target)
    metric = doors.F1(num_classes=2, positive=1)
    assert fed(metric, logit.sigmoid(), target).compute() == pytest.approx(peer.compute().item())
    metric = doors.F1(num_classes=2, positive=1, threshold=0.0)
    assert fed(metric, logit, target.bool()).compute() == pytest.approx(peer.compute().item())
    area = fed(torchmetrics.classification.BinaryAUROC(), logit, target).compute().item()
    both = torch.stack([-logit, logit], 1)
    assert fed(doors.RocAuc(num_classes=2), logit, target).compute() == pytest.approx(area)
    assert fed(doors.RocAuc(num_classes=2), both, target).compute() == pytest.approx(area)
    assert fed(doors.RocAuc(num_classes=2, positive=0), both, target).compute() == pytest.approx(
        area
    )
    loss = fed(doors.LogLoss(num_classes=2, logits=True), logit, target).compute().item()
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logit, target.float())
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    with pytest.raises(InputError, match="second class"):
        doors.RocAuc(num_classes=2, positive=0).update(logit, target)


def test_names_of_classes_and_parts_of_a_score() -> None:
    names = ["cat", "dog", "bird", "fish"]
    metric = fed(doors.ScoreMetric("f1", labels=names, ignore_index=-100, average="none"))
    rates = metric.per_class()
    assert [*rates.labels] == names and rates.intervals[0].method == "auto"
    assert metric.compute().tolist() == pytest.approx(np.asarray(rates).tolist(), rel=1e-6)
    with pytest.raises(DefinitionError, match="per_class"):
        metric.score()
    counts = metric.counts()
    assert counts == wf.count(
        np.array(names)[TARGET[KEPT]], np.array(names)[LOGITS.argmax(1)[KEPT]], labels=names
    )
    named = fed(doors.RocAuc(labels=names, positive="dog", ignore_index=-100))
    assert named.score().definition.positive == "dog"
    same = wf.Definition.parse(
        fed(doors.ScoreMetric("f1", labels=names, average="macro", ignore_index=-100))
        .score()
        .signature
    )
    assert same(counts).interval is not None
    assert doors.ScoreMetric("f1|avg:none|undef:0|v:1", num_classes=2)._by_class
    bins = {"labels": names, "ignore_index": -100, "thresholds": 50, "logits": True}
    one = fed(doors.RocAuc(**bins, positive="dog")).score()
    assert "50 bins on [0,1]" in one.signature and one.interval is not None
    exact = wf.rank_histogram(TARGET[KEPT] == 1, LOGITS[KEPT].double().softmax(1)[:, 1], bins=50)
    assert one.value == wf.roc_auc(exact).value
    assert fed(doors.RocAuc(**bins, average="macro")).score().interval is None


def test_a_collection_shares_what_is_counted_alike_and_nothing_else() -> None:
    """A class that is absent from the first batch is ignored by one metric, not by the others."""
    metrics = torchmetrics.MetricCollection(
        {
            "a": doors.Accuracy(num_classes=3),
            "b": doors.Accuracy(num_classes=3, ignore_index=2),
            "c": doors.AveragedF1(num_classes=3),
            "d": doors.Accuracy(labels=["x", "y", "z"]),
        }
    )
    for batch in ([0, 1], [2, 2]):
        metrics.update(torch.tensor([0, 0]), torch.tensor(batch))
    assert sorted(map(len, metrics.compute_groups.values())) == [1, 1, 2]
    found = {name: value.item() for name, value in metrics.compute().items()}
    assert found == pytest.approx({"a": 0.25, "b": 0.5, "c": (0.4) / 3, "d": 0.25})
    metrics.reset()
    assert metrics(torch.tensor([1]), torch.tensor([1]))["a"] == 1


def test_a_collection_adds_a_batch_once_however_it_is_called() -> None:
    """Metrics that share a table after ``update`` each add what ``forward`` gives them."""
    names = ("accuracy", "averaged_f1", "roc_auc|avg:macro", "roc_auc|avg:weighted")

    def made(name: str) -> Any:
        return doors.ScoreMetric(name, num_classes=C, ignore_index=-100)

    metrics = torchmetrics.MetricCollection({name: made(name) for name in names})
    for at, batch in enumerate(in_batches(LOGITS.softmax(1), PADDED, 15)):
        if at in (0, 2, 5):
            metrics.update(*batch)
        else:
            metrics(*batch)
    assert sorted(map(len, metrics.compute_groups.values())) == [2, 2]
    for name in names:
        metric: Any = metrics[name]
        expected = fed(made(name), LOGITS.softmax(1))
        assert metric.score().n == int(KEPT.sum())
        assert metric.compute() == pytest.approx(expected.compute().item(), abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "averaged_f1",
        "f1_of_averages",
        "f1|avg:weighted",
        "f1|avg:micro",
        "f1|avg:macro|classes:observed",
        "f1|avg:macro|exclude:[0]",
        "f1|avg:none",
        "recall|positive:2",
        "mcc",
        "cohen_kappa(weighting=quadratic)",
        "mutual_information",
    ],
)
def test_a_value_is_that_of_the_score(text: str) -> None:
    """``compute`` and ``forward`` look at margins alone, where these are enough."""
    metric = doors.ScoreMetric(text, num_classes=C)
    batches = in_batches(LOGITS, TARGET, 45)
    values = [metric(*batch) for batch in batches]
    whole = metric.per_class() if metric._by_class else metric.score()
    assert torch.allclose(metric.compute().double(), torch.tensor(np.asarray(whole, float)))
    for value, batch in zip(values, batches, strict=True):
        expected = fed(doors.ScoreMetric(text, num_classes=C), *batch)
        of = expected.per_class() if expected._by_class else expected.score()
        assert torch.allclose(value.double(), torch.tensor(np.asarray(of, float)))


@pytest.mark.parametrize(
    "options",
    [
        {"class_shares": {0: 0.5, 1: 0.3, 2: 0.1, 3: 0.1}},
        {"ignore": [1]},
        {"exclude": [2]},
        {"classes": "true", "undefined": None},
        {"epsilon": 0.01},
    ],
)
def test_every_option_of_a_score_is_one_of_the_metric(options: dict[str, Any]) -> None:
    metric = doors.ScoreMetric("f1", average="macro", num_classes=C, **options)
    assert torch.isnan(metric(LOGITS[:1], TARGET[:1])) == ("class_shares" in options)
    fed(metric, LOGITS[1:], TARGET[1:])
    expected = wf.f1(TARGET, LOGITS.argmax(1), average="macro", labels=range(C), **options)
    assert metric.score().value == expected.value
    assert metric.compute() == pytest.approx(expected.value, rel=1e-6)


def test_a_refused_batch_is_no_batch() -> None:
    metric = doors.Accuracy(num_classes=3)
    for call in (metric.update, metric):
        with pytest.raises(LabelError, match="class 9"):
            call(torch.tensor([0]), torch.tensor([9]))
        assert not metric.update_called
    with pytest.raises(InputError, match="call update"):
        metric.compute()


def test_logits_have_their_own_threshold() -> None:
    target, logit = (TARGET == 1).long(), LOGITS[:, 1].clamp(0.01, 0.99)  # as if probabilities
    metric = fed(doors.Accuracy(num_classes=2, logits=True), logit, target)
    assert metric.compute() == pytest.approx((target == 1).double().mean().item())
    both = torch.stack([1 - logit, logit], 1)
    with pytest.raises(InputError, match=r"one score per target, but preds have 2.*drop"):
        doors.Accuracy(num_classes=2, threshold=0.3).update(both, target)
    for options in ({"threshold": 0.99}, {"threshold": 0.99, "logits": True}):
        metric = fed(doors.Accuracy(num_classes=2, **options), logit, target)
        assert metric.compute() == pytest.approx((target == 0).double().mean().item())


def test_a_tracker_knows_which_epoch_was_best() -> None:
    both = {"f": doors.AveragedF1(num_classes=2), "e": doors.ErrorRate(num_classes=2)}
    tracker = torchmetrics.MetricTracker(torchmetrics.MetricCollection(both))
    for preds in ([0, 0], [0, 1], [1, 0]):
        tracker.increment()
        tracker.update(torch.tensor(preds), torch.tensor([0, 1]))
    best: Any = tracker.best_metric(return_step=True)
    assert best == ({"f": 1.0, "e": 0.0}, {"f": 1, "e": 1})
    with pytest.raises(AttributeError, match="higher_is_better"):
        torchmetrics.MetricTracker(doors.Prevalence(num_classes=2, positive=1))


@pytest.mark.parametrize("kind", ["counts", "items", "bins", "sums"])
def test_forward_reset_copies_and_state_dicts(kind: str) -> None:
    metric, whole = ranks.metrics()[kind], ranks.metrics()[kind]
    logits, target = ranks.data()
    whole.update(logits, target)
    value = whole.compute()
    parts = [metric(logits[at], target[at]).item() for at in (slice(0, 50), slice(50, None))]
    assert torch.equal(metric.compute(), value) and parts[0] != parts[1]
    assert torch.equal(pickle.loads(pickle.dumps(metric)).compute(), value)
    other = copy.deepcopy(metric)
    other.reset()
    assert not other.update_called and torch.equal(metric.compute(), value)
    assert metric.state_dict() == {}
    metric.persistent(True)
    other.persistent(True)
    other.load_state_dict(metric.state_dict())
    assert other.score().value == metric.score().value
    other.merge_state(whole)
    assert other.score().n == 2 * whole.score().n
    with pytest.raises(RuntimeError, match="Unexpected key"):
        changed = ranks.metrics()["counts" if kind != "counts" else "sums"]
        changed.persistent(True)
        changed.load_state_dict(metric.state_dict())


@pytest.mark.parametrize("kind", ["counts", "items", "bins", "sums"])
def test_half_precision_does_not_reach_the_counts(kind: str) -> None:
    logits, target = ranks.data()
    whole = ranks.metrics()[kind]
    whole.update(logits.half(), target)
    metric = ranks.metrics()[kind]
    model = torch.nn.ModuleDict({"metric": metric})
    for change in (model.half, lambda: model.to(torch.bfloat16), model.double, model.float):
        metric.reset()
        change()
        metric.update(logits.half(), target)
        assert metric.score().value == whole.score().value
        assert metric.compute().dtype is torch.float32
    whole.set_dtype(torch.float16)
    assert whole.compute().dtype is torch.float16
    many = doors.Accuracy(num_classes=2).set_dtype(torch.float16)
    many.update(torch.zeros(70_000, dtype=torch.long), torch.zeros(70_000, dtype=torch.uint8))
    assert many.counts().n == 70_000
    assert ranks.metrics()[kind].to("meta").metric_state["rule"].device.type == "meta"


def test_a_batch_on_a_device_is_counted_like_one_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no other device: the kernel is told that it cannot take the batch."""
    expected = fed(doors.Accuracy(num_classes=C, ignore_index=-100)).counts()
    monkeypatch.setattr("whichf1.integrations.torchmetrics.kernel.add_pairs", lambda *_: False)
    assert fed(doors.Accuracy(num_classes=C, ignore_index=-100)).counts() == expected
    far = doors.Accuracy(num_classes=C, ignore_index=[-100, 2**40])
    monkeypatch.undo()
    assert fed(far).counts() == expected


LABELS, FLOATS = torch.tensor([0, 1, 2]), torch.full((3, 3), 0.25)
NAN = torch.tensor([[0.1, 0.2, 0.7], [0.3, float("nan"), 0.1], [0.1, 0.1, 0.8]])
BAD: list[tuple[str, dict[str, Any], Any, Any, type[Exception], str]] = [
    ("accuracy", {}, LABELS, torch.tensor([0, 1, 3]), LabelError, r"target\[2\] is class 3"),
    ("accuracy", {}, torch.tensor([0, 5, 1]), LABELS, LabelError, r"preds\[1\] is class 5"),
    ("accuracy", {}, LABELS, torch.tensor([0, -100, 1]), LabelError, "ignore_index"),
    ("accuracy", {}, FLOATS[:, :2], LABELS, ShapeError, r"pass scores of shape \(3, 3\)"),
    ("accuracy", {}, torch.zeros(3, 4), LABELS, ShapeError, r"have shape \(3, 4\)"),
    ("accuracy", {}, LABELS[:2], LABELS, ShapeError, "a class for each target"),
    ("accuracy", {}, NAN, LABELS, InputError, "item 1 is NaN"),
    ("accuracy", {}, LABELS, LABELS.float(), LabelError, "true classes as integers"),
    ("accuracy", {}, LABELS.float(), LABELS, ShapeError, "a score for each class"),
    ("accuracy", {}, [0, 1, 2], LABELS, InputError, "preds must be a tensor"),
    ("accuracy", {}, LABELS, [0, 1, 2], InputError, "target must be a tensor"),
    ("accuracy", {}, LABELS.to("meta"), LABELS, InputError, "preds are on meta, target on cpu"),
    ("roc_auc", WHAT, LABELS, LABELS, InputError, "computed from scores"),
    ("roc_auc", WHAT, NAN, LABELS, InputError, "scores must be finite"),
    ("roc_auc", WHAT, NAN.nan_to_num(float("inf")) / 0, LABELS, InputError, "must be finite"),
    ("roc_auc", {**WHAT, "thresholds": 5}, FLOATS * 5, LABELS, InputError, "Widen low= and high="),
    ("log_loss", {}, FLOATS, LABELS, InputError, "adds up to 0.75.*logits=True"),
    ("log_loss", {}, FLOATS, torch.tensor([0, 1, 7]), LabelError, "class 7"),
    ("log_loss_skill", {}, FLOATS, LABELS, InputError, "adds up to 0.75.*logits=True"),
    ("expected_calibration_error", {}, FLOATS * 5, LABELS, InputError, "a probability must be in"),
]


@pytest.mark.parametrize(("name", "options", "preds", "target", "error", "message"), BAD)
def test_nothing_of_a_bad_batch_is_added(
    name: str, options: Any, preds: Any, target: Any, error: Any, message: str
) -> None:
    metric = doors.ScoreMetric(name, num_classes=3, **options)
    good = torch.eye(3)[[0, 1, 2, 1]] * 0.4 + 0.2
    metric.update(good, torch.tensor([0, 1, 2, 2]))
    value, before = metric.compute(), copy.deepcopy(metric.metric_state)
    for call in (metric.update, metric):
        with pytest.raises(error, match=message):
            call(preds, target)
        assert repr(metric.metric_state) == repr(before)
        assert torch.equal(metric.compute(), value)
    metric.update(good, torch.tensor([0, 1, 2, 2]))
    assert torch.equal(metric.compute(), value)


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("averged_f1", {"num_classes": 3}, DefinitionError, "averaged_f1"),
        ("macro_f1", {"num_classes": 3}, DefinitionError, "Choose one"),
        ("f1", {"num_classes": 3}, DefinitionError, "which class"),
        ("accuracy", {}, InputError, "num_classes="),
        ("accuracy", {"num_classes": 1}, InputError, "at least 2"),
        ("accuracy", {"num_classes": 2, "labels": [1, 2, 3]}, ShapeError, "3 names"),
        ("accuracy", {"labels": ["a"]}, InputError, "at least 2"),
        ("accuracy", {"num_classes": 2, "ignore_index": "x"}, InputError, "whole numbers"),
        ("accuracy", {"num_classes": 2, "threshold": "x"}, InputError, "threshold"),
        ("accuracy", {"num_classes": 2, "averge": 1}, DefinitionError, "average"),
        ("accuracy", {"num_classes": 2, "average": "none"}, DefinitionError, "for each class"),
        ("accuracy", {"num_classes": 2, "thresholds": 5}, DefinitionError, "rankings"),
        ("roc_auc", {"num_classes": 2, "threshold": 0.3}, DefinitionError, "drop threshold="),
        ("log_loss", {"num_classes": 2, "threshold": 0.3}, DefinitionError, "drop threshold="),
        ("roc_auc", {"num_classes": 2, "high": 5.0}, DefinitionError, "pass thresholds="),
        ("accuracy", {"num_classes": 2, "batch": 5}, DefinitionError, "mean over batches"),
        ("accuracy", {"num_classes": 10**6}, wf.errors.TooLargeError, "8,000.0 GB"),
        ("recall", {"num_classes": 2, "positive": 2}, LabelError, "2"),
        ("roc_auc", {"num_classes": 3}, DefinitionError, "average='macro'"),
        ("roc_auc", {"num_classes": 2, "thresholds": 0}, InputError, "at least 1"),
        (
            "roc_auc",
            {"num_classes": 3, "thresholds": 9, "multi_class": "ovo", "average": "macro"},
            DefinitionError,
            "against the rest",
        ),
        ("subset_accuracy", {"num_classes": 2}, DefinitionError, "sets of labels"),
        ("ks", {"num_classes": 2, "interval": "delta"}, DefinitionError, "does not apply"),
    ],
)
def test_a_metric_that_cannot_be(name: str, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        doors.ScoreMetric(name, **options)


def test_an_epoch_without_items() -> None:
    metric = doors.Accuracy(num_classes=2, ignore_index=-100)
    with pytest.raises(InputError, match="call update"):
        metric.compute()
    assert torch.isnan(metric(torch.tensor([0, 1]), torch.tensor([-100, -100])))
    with pytest.raises(InputError, match="every target was ignored"):
        metric.compute()
    metric.update(torch.zeros(0, 2), torch.zeros(0, dtype=torch.long))
    metric.update(torch.tensor([0]), torch.tensor([0]))
    assert metric.compute() == 1
    area = doors.RocAuc(num_classes=2)
    assert torch.isnan(area(torch.tensor([0.2]), torch.tensor([1])))  # one class alone
    area.update(torch.tensor([0.1]), torch.tensor([0]))
    assert area.compute() == 1
    with pytest.raises(DefinitionError, match="not counts"):
        area.counts()
    with pytest.raises(DefinitionError, match="each class"):
        area.per_class()
    with pytest.raises(MergeError, match="count differently"):
        metric.merge_state(doors.Accuracy(num_classes=3))


def test_a_plot() -> None:
    import matplotlib.pyplot as plt

    figure, ax = fed(doors.AveragedF1(num_classes=C, ignore_index=-100)).plot()
    assert ax.get_ylim()[0] < 0.01 and ax.get_ylim()[1] > 0.99
    plt.close(figure)


@pytest.mark.slow
@pytest.mark.long
def test_two_processes_pool_what_they_counted() -> None:
    command = [sys.executable, "-m", "tests.helpers.ranks"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    parts = json.loads(done.stdout)
    assert parts[0] == parts[1]
    logits, target = ranks.data()
    for name, metric in ranks.metrics().items():
        metric.update(logits, target)
        assert parts[0][name] == pytest.approx([metric.compute().item(), metric.score().value])
    assert parts[0]["alone"] == parts[0]["items"] and parts[0]["step"] == parts[0]["counts"]
    for name, message in (
        ("other classes", "same metric"),
        ("other names", "same metric"),
        ("no batch", "call update first"),
    ):
        said, state = parts[0][name]
        assert re.search(message, said) and state == "unchanged"
