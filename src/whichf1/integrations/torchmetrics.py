"""torchmetrics: every score as a ``torchmetrics.Metric``.

``AveragedF1(num_classes=3)``, ``RocAuc(num_classes=2)`` and so on are created from the names of
metrics; ``ScoreMetric`` takes a name or a signature. Batches are added to a table on the device of
the metric; only this table is exchanged between processes and leaves the device.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, NamedTuple

import numpy as np

from whichf1 import kernel
from whichf1.definitions.definition import Definition, Frozen
from whichf1.definitions.names import SHORTHANDS
from whichf1.errors import DefinitionError, InputError, MergeError, WhichF1Error, did_you_mean
from whichf1.integrations.batches import Reader
from whichf1.integrations.tracking import with_interval
from whichf1.metrics import COUNTED, EVERY, find
from whichf1.scoring.evaluate import evaluate, evaluate_per_class, run
from whichf1.scoring.functions import with_options
from whichf1.scoring.lines import (
    moments,
    over_each_class,
    score_moments,
    score_ranking,
    score_rankings,
)
from whichf1.scoring.score import PerClass, Score
from whichf1.sources.counts import binned_ranking, check_bins
from whichf1.sources.lines import check_probabilities, check_rows
from whichf1.tables.cells import Margins, every_class
from whichf1.tables.counts import Counts
from whichf1.tables.labels import Labels

try:
    import torch
    import torchmetrics
    from torch import Tensor
except ImportError:  # pragma: no cover
    raise ImportError(
        "whichf1.integrations.torchmetrics needs torchmetrics: pip install 'whichf1[torch]'"
    ) from None

_THEIRS = (
    "compute_on_cpu",
    "dist_sync_on_step",
    "process_group",
    "dist_sync_fn",
    "distributed_available_fn",
    "sync_on_compute",
    "compute_with_cache",
)
"""The options of ``torchmetrics.Metric`` itself."""
_LOGITS = " For logits pass logits=True."


class ScoreMetric(torchmetrics.Metric):
    """Any score of classes, scores or probabilities as a torchmetrics metric.

    ``update(preds, target)`` takes classes as integers, or scores of all classes as floats of shape
    (N, C, ...); with two classes also one score for each target. If a batch is refused, no part of
    it is added. ``compute`` returns a tensor, :meth:`score` the Score with its interval and
    signature.

    metric: A name, a name with parameters such as ``"f_beta(beta=2)"``, a signature, a Definition
        or a metric function.
    num_classes: The number of classes.
    labels: The names of the classes in their order. Default: 0, 1, 2, …
    ignore_index: One or several targets whose items are dropped, such as -100 for padding.
    threshold: With two classes and one score for each target, the second class is predicted above
        it. Default: 0.5 for probabilities, 0.0 for logits. A metric with a parameter of this name,
        such as net_benefit, uses it instead; other metrics of scores have no threshold.
    logits (bool): Whether scores are logits. Metrics of scores and probabilities apply a softmax
        (or a sigmoid) first.
    thresholds (int): For rankings, the number of equal bins that scores are rounded into, so that
        the state has a fixed size. By default all scores are kept, and the score is exact.
    low, high: The range of the binned scores.
    interval: The interval of :meth:`score`; None for none.
    **options: Further options of the metric, such as ``average="macro"`` or ``positive=1``, and of
        ``torchmetrics.Metric``, such as ``dist_sync_on_step``. ``average="none"`` returns a value
        for each class.
    DefinitionError: If the metric or an option is unknown or does not apply.

    >>> import torch
    >>> metric = ScoreMetric("averaged_f1", num_classes=3, ignore_index=-100)
    >>> metric.update(torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2, 1, -100]))
    >>> metric.update(torch.tensor([[0.1, 0.7, 0.2]]), torch.tensor([2]))
    >>> metric.compute()
    tensor(0.7778)
    >>> metric.score().signature.partition("|interval")[0]
    'f1|avg:macro|formula:averaged|classes:declared|undef:0'
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        metric: Any,
        *,
        num_classes: int | None = None,
        labels: Sequence[Any] | None = None,
        ignore_index: int | Sequence[int] | None = None,
        threshold: float | None = None,
        logits: bool = False,
        thresholds: int | None = None,
        low: float = 0.0,
        high: float = 1.0,
        interval: Any = "auto",
        **options: Any,
    ) -> None:
        super().__init__(**{name: options.pop(name) for name in _THEIRS if name in options})
        self._by_class = _is_by_class(metric, options)
        if threshold is not None and "threshold" in with_options(metric, {}).declaration.parameters:
            options["threshold"], threshold = threshold, None
        self.definition, self._with_interval = _definitions(
            metric, options, interval, self._by_class
        )
        self._asked = self.definition
        if self._by_class:
            self._asked = self.definition.settled(average=None, formula=None)
        if threshold is not None and self.definition.declaration.kind not in COUNTED:
            raise DefinitionError(
                f"{self.definition.metric} is computed from scores at every threshold: drop "
                "threshold="
            )
        self._reader = Reader.of(num_classes, labels, ignore_index, threshold, logits=logits)
        bins = _bins(thresholds, low, high)
        self._state = _state_of(self.definition, self._reader, bool(logits), bins)
        self._of_batch = False
        self._alone: Any = None  # the state, if no other metric of a collection shares it
        rule = repr((type(self._state).__name__, self._reader, self._state))
        digest = hashlib.blake2s(rule.encode(), digest_size=4)
        self._name = f"{self._state.word}_{digest.hexdigest()}"
        # states with the same name are counted alike, so that only those form a compute group;
        # and what processes sum must have been counted alike
        self.add_state("rule", torch.tensor(int(digest.hexdigest(), 16)), _the_same)
        self.add_state(self._name, self._state.empty(), self._state.reduction)

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        """Whether higher values are better; None if neither is."""
        return {"higher": True, "lower": False}.get(self.definition.declaration.better)

    @property
    def plot_lower_bound(self) -> float | None:  # type: ignore[override]
        """The lowest possible value."""
        low = self.definition.bounds[0]
        return low if np.isfinite(low) else None

    @property
    def plot_upper_bound(self) -> float | None:  # type: ignore[override]
        """The highest possible value."""
        high = self.definition.bounds[1]
        return high if np.isfinite(high) else None

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Add a batch of predictions and targets."""
        state = getattr(self, self._name)
        added = self._state.added(state, *_tensors(preds, target))
        if added is not state:
            setattr(self, self._name, added)
        if self._alone is not None:
            self._alone = None

    def _wrap_update(self, update: Callable[..., None]) -> Callable[..., None]:
        """As torchmetrics does, but a batch that is refused is not counted."""

        @wraps(update)
        def wrapped(*args: Any, **kwargs: Any) -> None:
            update(*args, **kwargs)  # without gradients, because tensors are detached
            facts = vars(self)  # a module takes as long to set two attributes as to count a batch
            facts["_computed"] = None
            facts["_update_count"] += 1
            if self.compute_on_cpu:
                self._move_list_states_to_cpu()

        return wrapped

    def compute(self) -> Tensor:
        """The score of all batches so far, in all processes."""
        return self._value(lambda: self._state.value(self._asked, self._filled()))

    def _wrap_compute(self, compute: Callable[[], Tensor]) -> Callable[[], Tensor]:
        """As torchmetrics does, for a tensor that nothing else refers to."""

        @wraps(compute)
        def wrapped() -> Tensor:
            if self._computed is not None:
                return self._computed
            with self.sync_context(
                dist_sync_fn=self.dist_sync_fn,
                should_sync=self._to_sync,
                should_unsync=self._should_unsync,
            ):
                value = compute()
            if self.compute_with_cache:
                vars(self)["_computed"] = value
            return value

        return wrapped

    def _value(self, value: Callable[[], Any]) -> Tensor:
        try:
            number = value()
        except WhichF1Error:
            if not self._of_batch:
                raise
            number = np.nan  # a single batch may lack what the score needs
        if np.ndim(number):
            return torch.as_tensor(np.asarray(number, np.float64)).to(self.device, self.dtype)
        return torch.scalar_tensor(float(number), dtype=self.dtype, device=self.device)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return its own score: NaN if it is undefined for so few items."""
        if self._is_synced or self.dist_sync_on_step:
            return self._forward_pooled(*args, **kwargs)
        return self._forward(*args, **kwargs)

    def _forward(self, preds: Tensor, target: Tensor) -> Tensor:
        """The batch is read once, for its own score and for the state."""
        facts = vars(self)
        state = facts[self._name]
        if isinstance(state, list):
            state = [*state]
        elif state is not self._alone:
            state = state.clone()
        state, part = self._state.with_part(state, *_tensors(preds, target))
        facts.update(
            {self._name: state, "_alone": state, "_computed": None, "_of_batch": True},
            _update_count=self._update_count + 1,
        )
        try:
            value = self._value(lambda: self._state.value_of_batch(self._asked, part))
        finally:
            facts["_of_batch"] = False
        facts["_forward_cache"] = value
        if self.compute_on_cpu:
            self._move_list_states_to_cpu()
        return value

    def _forward_pooled(self, *args: Any, **kwargs: Any) -> Any:
        """As torchmetrics does, with the batches of all processes."""
        before, states = {**self.__dict__}, self._copy_state_dict()
        self._of_batch = True
        try:
            return super().forward(*args, **kwargs)
        except BaseException:
            self.__dict__.update(before, **states)
            raise
        finally:
            self._of_batch = False

    def score(self) -> Score:
        """The score of all batches so far in all processes, with its interval and signature."""
        if self._by_class:
            raise DefinitionError("average='none' has a value for each class: call per_class()")
        with self._pooled():
            score: Score = self._state.score(self._with_interval, self._filled())
            return score

    def per_class(self) -> PerClass:
        """The rate of each class, with intervals."""
        if self.definition.declaration.kind != "rate":
            raise DefinitionError(f"{self.definition.metric} has no value for each class")
        interval = self._with_interval.interval
        rate = self.definition.settled(average=None, formula=None, interval=interval)
        with self._pooled():
            return evaluate_per_class(rate, self._counts())

    def counts(self) -> Counts:
        """The confusion matrix of all batches so far, in all processes."""
        with self._pooled():
            return self._counts()

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw values of the metric, as every metric of torchmetrics does."""
        return self._plot(val, ax)

    def set_dtype(self, dst_type: str | torch.dtype) -> ScoreMetric:
        """Change the dtype of the result of ``compute``; counts stay whole numbers."""
        self._dtype = torch.zeros(0).type(dst_type).dtype
        self._computed = None
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], *_: Any) -> Any:
        return super()._apply(lambda state: state.to(fn(state).device))

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """Gather the states of all processes, some of which may have had no batch."""
        state = getattr(self, self._name)
        if isinstance(state, list) and not state:
            setattr(self, self._name, [self._state.no_items(self.device)])
        super().sync(*args, **kwargs)

    @contextmanager
    def sync_context(self, *args: Any, should_unsync: bool = True, **kwargs: Any) -> Iterator[None]:
        """Gather the states temporarily; those of this process are restored whatever happens."""
        self.sync(*args, **kwargs)
        try:
            yield
        finally:
            self.unsync(should_unsync=self._is_synced and should_unsync)

    @contextmanager
    def _pooled(self) -> Iterator[None]:
        gather = self.sync_on_compute and not self._is_synced
        with self.sync_context(dist_sync_fn=self.dist_sync_fn, should_sync=gather):
            yield

    def _counts(self) -> Counts:
        if not isinstance(self._state, PairState):
            raise DefinitionError(f"{self.definition.metric} is computed from scores, not counts")
        return self._state.table(self._filled()).counts()

    def _filled(self) -> Any:
        """The state, unless nothing was added to it."""
        state = getattr(self, self._name)
        if not self._state.has_items(state):
            said = (
                "every target was ignored, or there were none"
                if self.update_called
                else "call update first"
            )
            raise InputError(f"{type(self).__name__} has no items to score: {said}")
        return state

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.definition.signature!r})"


def _is_by_class(metric: Any, options: dict[str, Any]) -> bool:
    """Whether a value for each class is requested; the option for it is removed."""
    asked = options.get("average") == "none"
    if asked:
        del options["average"]
    return asked or (isinstance(metric, str) and "|avg:none|" in f"{metric}|")


def _definitions(
    metric: Any, options: dict[str, Any], interval: Any, by_class: bool
) -> tuple[Definition, Definition]:
    """The definition without an interval, and with one if it has any."""
    definition = with_options(metric, options).settled(data=())
    declared = definition.declaration
    if definition.batch is not None:
        raise DefinitionError(f"{definition.signature} is a mean over batches: drop batch=")
    if declared.kind not in (*COUNTED, "ranking", "loss") or definition.average == "samples":
        raise DefinitionError(
            f"{definition.signature} is for sets of labels: use whichf1.count_multilabel"
        )
    whole = definition.average is None and definition.positive is None
    if declared.kind == "rate" and whole and not by_class:
        raise DefinitionError(
            f"{declared.name} of which class? Pass positive=CLASS, average='macro', 'weighted' or "
            "'micro', or 'none' for each class."
        )
    if by_class and declared.kind != "rate":
        raise DefinitionError(f"{declared.name} has no value for each class")
    return definition.settled(interval=None), with_interval(definition, interval)


def _bins(thresholds: Any, low: float, high: float) -> tuple[int, float, float] | None:
    if thresholds is not None:
        return thresholds, low, high
    if (low, high) != (0, 1):
        raise DefinitionError("low= and high= are the range of bins: pass thresholds= as well")
    return None


def _tensors(preds: Any, target: Any) -> tuple[Tensor, Tensor]:
    """A batch without its gradients, and with integers as targets."""
    if not (isinstance(preds, Tensor) and isinstance(target, Tensor)):
        name, side = ("target", target) if isinstance(preds, Tensor) else ("preds", preds)
        raise InputError(f"{name} must be a tensor; got {type(side).__name__}")
    if preds.device != target.device:
        raise InputError(
            f"preds are on {preds.device}, target on {target.device}: move one of them"
        )
    if target.dtype is not torch.int64 and not target.is_floating_point():
        target = target.long()
    return preds.detach() if preds.requires_grad else preds, target


def _the_same(rules: Tensor) -> Tensor:
    if bool((rules != rules[0]).any()):
        raise MergeError(
            "metrics that count differently cannot be added: use the same metric, labels or "
            "num_classes, ignore_index and threshold in every process"
        )
    return rules[0]


class PairTable(NamedTuple):
    """How often each class was predicted for each target."""

    labels: Labels
    margins: Any
    """The diagonal, and the cells off it by prediction and by target: (3, classes)."""
    cells: Callable[[], tuple[Any, Any]]
    """The non-empty cells (target · classes + prediction, in order), and their counts."""

    def counts(self) -> Counts:
        """All cells; most scores need only the margins."""
        filled, count = self.cells()
        true, predicted = np.divmod(filled, len(self.labels))
        return Counts(self.labels, true, predicted, count, declared=True, in_order=True)

    def value(self, definition: Definition) -> Any:
        """The value of a score alone, or that of each class."""
        named = definition.average is not None or definition.positive is not None
        each = definition.declaration.kind == "rate" and not named
        if not _over_all_classes(definition):
            return (evaluate_per_class if each else evaluate)(definition, self.counts())
        classes = every_class(len(self.labels))
        if definition.positive is not None:
            classes = self.labels.codes([definition.positive])
        tp, fp, fn = self.margins.astype(np.float64)
        margins = Margins(
            tp,
            fp,
            fn,
            distances=lambda: self.counts().table.distances,
            cells=lambda: self.counts().table.cells,
        )
        nothing: Any = None  # the margins replace the table
        values = definition.values(Frozen(nothing, classes, self.labels), margins).reshape(-1)
        return values if each else values[0]


def _over_all_classes(definition: Definition) -> bool:
    """Whether a score is over the declared classes, whatever the items are."""
    declared = definition.classes in (None, "declared") and definition.two_classes == "both"
    return declared and not (definition.exclude or definition.ignore or definition.class_shares)


@dataclass(frozen=True)
class PairState:
    """How often each class was predicted for each target: whole numbers.

    A flat table, (classes²,), followed by its margins, (3 · classes,), so that most scores need
    not read the table.
    """

    word = "counts"
    reduction = "sum"
    reader: Reader

    @cached_property
    def classes(self) -> int:
        """How many classes there are."""
        return self.reader.classes

    @cached_property
    def _cells(self) -> int:
        return self.classes**2

    def empty(self) -> Tensor:
        """The state before the first batch."""
        return torch.zeros(self._cells + 3 * self.classes, dtype=torch.int64)

    def has_items(self, state: Tensor) -> bool:
        """Whether anything was added."""
        return bool(self._margins(state).any())

    def _margins(self, state: Tensor) -> Any:
        """What leaves a device for most scores."""
        if state.is_cpu:
            return state.numpy()[self._cells :]
        return state[self._cells :].cpu().numpy()

    @cached_property
    def _codes(self) -> tuple[Any, int]:
        """The class of each number from the lowest on, as the kernel takes it."""
        ignored = self.reader.ignore
        low, high = min(0, *ignored, 0), max(self.reader.classes - 1, *ignored, 0)
        if high - low > 1 << 24:
            return None, 0
        codes = np.full(high - low + 1, -1, np.int32)
        codes[-low : self.reader.classes - low] = np.arange(self.reader.classes)
        codes[[x - low for x in ignored]] = -2
        return codes, low

    def added(self, state: Tensor, preds: Tensor, target: Tensor) -> Tensor:
        """The state with a further batch: updated in memory, a new one on a device."""
        true, predicted = self._decided(preds, target)
        if state.is_cpu and self._add(state, true, predicted):
            return state
        return self._joined(state, *self._checked(true, predicted))

    def with_part(self, state: Tensor, preds: Tensor, target: Tensor) -> tuple[Tensor, Any]:
        """The state with a further batch, and the pairs and margins of the batch alone."""
        true, predicted = self._decided(preds, target)
        if state.is_cpu:
            before = self._margins(state).copy()
            if self._add(state, true, predicted):
                return state, (true, predicted, self._margins(state) - before)
        true, predicted = self._checked(true, predicted)
        joined = self._joined(state, true, predicted)
        margins = joined[self._cells :] - state[self._cells :]
        return joined, (true, predicted, margins.cpu().numpy())

    def _decided(self, preds: Tensor, target: Tensor) -> tuple[Any, Any]:
        """Targets and predicted classes, as arrays if they are in memory."""
        true, guess = _in_memory(preds, target)
        if true.dtype == guess.dtype and true.ndim == 1 and true.shape == guess.shape:
            return true, guess  # the common cases, and faster
        scores = isinstance(guess, np.ndarray) and guess.dtype.kind == "f" and true.ndim == 1
        if scores and guess.shape == (len(true), self.classes) and true.dtype.kind == "i":
            best = guess.argmax(1)
            top = guess[np.arange(len(best)), best]  # which is NaN, if any score is
            squares = top.dot(top)  # NaN only if one of them is
            if self.reader.threshold is None and squares == squares:
                return true, best
        return self.reader.decided(guess, true)

    def _checked(self, true: Any, predicted: Any) -> tuple[Any, Any]:
        kept = self.reader.kept(true)
        if not bool(kept.all()):
            true, predicted = true[kept], predicted[kept]
        self.reader.check(true, "target")
        self.reader.check(predicted, "preds")
        return true, predicted

    def _add(self, state: Tensor, true: Any, predicted: Any) -> bool:
        """Add a batch in memory to the state itself; False if it must be checked first."""
        codes, low = self._codes
        if codes is None or isinstance(true, Tensor):
            return False
        if not len(true):
            return True
        table, cells = state.numpy(), self._cells
        return kernel.add_pairs(true, predicted, codes, low, table[:cells], table[cells:])

    def _joined(self, state: Tensor, *pairs: Any) -> Tensor:
        """A state with pairs that were checked, counted on its device."""
        classes = self.classes
        true, predicted = (torch.as_tensor(side, device=state.device) for side in pairs)
        right = true == predicted
        cells = torch.bincount(true * classes + predicted, minlength=self._cells)
        sides = (true[right], predicted[~right], true[~right])
        margins = (torch.bincount(side, minlength=classes) for side in sides)
        return state + torch.cat([cells, *margins])

    def table(self, state: Tensor) -> PairTable:
        """The table of the state."""

        def filled() -> tuple[Any, Any]:
            count = state[: self._cells].cpu().numpy()
            at = np.flatnonzero(count)
            return at, count[at]

        return PairTable(self.reader.labels, self._margins(state).reshape(3, -1), filled)

    def value(self, definition: Definition, state: Tensor) -> Any:
        """The value of the state."""
        return self.table(state).value(definition)

    def value_of_batch(self, definition: Definition, part: tuple[Any, Any, Any]) -> Any:
        """The value of a batch that was read."""
        *pairs, margins = part
        if not margins.any():
            raise InputError("the batch has no items to score")

        def filled() -> tuple[Any, Any]:
            true, predicted = (np.asarray(torch.as_tensor(side).cpu()) for side in pairs)
            kept = self.reader.kept(true)
            cells = true[kept] * self.classes + predicted[kept]
            return np.unique(cells, return_counts=True)

        return PairTable(self.reader.labels, margins.reshape(3, -1), filled).value(definition)

    def score(self, definition: Definition, state: Tensor) -> Score:
        """The score of the state."""
        return evaluate(definition, self.table(state).counts())


@dataclass(frozen=True)
class ItemState:
    """The target and the scores of every item: rows of a list, concatenated when needed."""

    word = "items"
    reduction = "cat"
    reader: Reader
    metric: str
    positive: int
    """The class whose scores are kept, if there are two."""
    logits: bool

    def empty(self) -> list[Tensor]:
        """The state before the first batch."""
        return []

    def no_items(self, device: torch.device) -> Tensor:
        """What a process without a batch contributes."""
        return torch.zeros(0, self._width + 1, dtype=_widest(device), device=device)

    @property
    def _width(self) -> int:
        return 1 if self.reader.classes == 2 else self.reader.classes

    def has_items(self, state: Any) -> bool:
        """Whether anything was added."""
        return any(map(len, state if isinstance(state, list) else [state]))

    def added(self, state: Any, preds: Tensor, target: Tensor) -> Any:
        """The state with a further batch."""
        return self.joined(state, self.read(preds, target))

    def read(self, preds: Tensor, target: Tensor) -> Tensor:
        """What a batch adds."""
        true, scores = self.scores(preds, target)
        return torch.cat([true.to(scores.dtype)[:, None], scores], 1)

    def with_part(self, state: Any, preds: Tensor, target: Tensor) -> tuple[Any, Tensor]:
        """The state with a further batch, and the batch alone."""
        part = self.read(preds, target)
        return self.joined(state, part), part

    def joined(self, state: Any, part: Tensor) -> Any:
        """The state with a batch that was read."""
        if len(part):
            state.append(part)
        return state

    def value(self, definition: Definition, state: Any) -> float:
        """The value of the state."""
        return self.score(definition, state).value

    def value_of_batch(self, definition: Definition, part: Tensor) -> float:
        """The value of a batch that was read."""
        if not self.has_items(part):
            raise InputError("the batch has no items to score")
        return self.value(definition, part)

    def scores(self, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """The targets of a batch, and a row of scores for each."""
        true, scores = self.reader.scored(preds, target, self.metric)
        scores = _activated(scores.to(_widest(scores.device)), self.logits)
        if find(self.metric).probabilities:
            self._refuse_others(scores)
        if scores.ndim == 1 and self.positive != 1:
            raise InputError(
                f"single scores refer to the second class, {self.reader.labels[1]!r}: pass "
                f"the scores of both classes, since positive={self.reader.labels[0]!r}"
            )
        if self.reader.classes == 2:
            scores = scores[:, None] if scores.ndim == 1 else scores[:, [self.positive]]
        return true, scores

    def _refuse_others(self, scores: Tensor) -> None:
        """Raise if scores are not probabilities."""
        rows = find(self.metric).kind == "loss" and scores.ndim == 2
        try:
            (check_rows if rows else check_probabilities)(scores.cpu().numpy())
        except InputError as error:
            raise InputError(f"{error}{'' if self.logits else _LOGITS}") from None

    def score(self, definition: Definition, state: Any) -> Score:
        """The score of the state."""
        rows = torch.cat(state) if isinstance(state, list) else state
        table, labels = rows.cpu().numpy(), self.reader.labels
        codes = table[:, 0].astype(np.intp)
        true = codes if labels == Labels(range(len(labels))) else np.array(labels)[codes]
        if len(labels) == 2:
            definition = definition.settled(positive=labels[self.positive])
            return run(definition, true, table[:, 1], labels)
        return run(definition, true, table[:, 1:], labels)


@dataclass(frozen=True)
class BinState(ItemState):
    """How many items of each class and of others have a score in each bin: whole numbers."""

    word = "bins"
    reduction = "sum"
    bins: int
    low: float
    high: float

    def empty(self) -> Any:
        """The state before the first batch."""
        return torch.zeros(self._width, 2, self.bins, dtype=torch.int64)

    def has_items(self, state: Tensor) -> bool:
        """Whether anything was added."""
        return bool(state.any())

    def read(self, preds: Tensor, target: Tensor) -> Tensor:
        """What a batch adds."""
        true, scores = self.scores(preds, target)
        outside = (scores < self.low) | (scores > self.high)
        if bool(outside.any()):
            raise InputError(
                f"a score is {scores[outside][0].item()}, outside [{self.low:g}, {self.high:g}]. "
                "Widen low= and high=, or pass logits=True."
            )
        step = (self.high - self.low) / self.bins
        place = ((scores - self.low) / step).floor().clamp(max=self.bins - 1).long()
        classes = torch.arange(self._width, device=scores.device)
        other = (true[:, None] != (self.positive if self._width == 1 else classes)).long()
        cell = (classes * 2 + other) * self.bins + place
        size = self._width, 2, self.bins
        return torch.bincount(cell.reshape(-1), minlength=math.prod(size)).reshape(size)

    def joined(self, state: Any, part: Tensor) -> Any:
        """The state with a batch that was read."""
        return state + part

    def score(self, definition: Definition, state: Any) -> Score:
        """The score of the state."""
        labels, tables = self.reader.labels, state.cpu().numpy()
        named = [labels[self.positive]] if len(labels) == 2 else [*labels]
        rankings = [
            binned_ranking(table, others, self.low, self.high, labels=labels, positive=label)
            for label, (table, others) in zip(named, tables, strict=True)
        ]
        if len(labels) == 2 or definition.positive is not None:
            return score_ranking(definition, rankings[self.positive if len(labels) > 2 else 0])
        definition = over_each_class(definition.settled(interval=None), labels)
        return score_rankings(definition, rankings, labels)


@dataclass(frozen=True)
class SumState:
    """The number of items, and the sums of a loss and of its square."""

    word = "sums"
    reduction = "sum"
    reader: Reader
    metric: str
    parameters: tuple[tuple[str, Any], ...]
    logits: bool

    def empty(self) -> Tensor:
        """The state before the first batch."""
        return torch.zeros(3, dtype=torch.float64)

    def has_items(self, state: Tensor) -> bool:
        """Whether anything was added."""
        return bool(state[0] > 0)

    def _moments(self, true: Any, rows: Any, labels: Sequence[Any]) -> Any:
        return moments(true, rows, self.metric, labels=labels, **dict(self.parameters))

    def added(self, state: Tensor, preds: Tensor, target: Tensor) -> Tensor:
        """The state with a further batch."""
        return self.joined(state, self.read(preds, target))

    def read(self, preds: Tensor, target: Tensor) -> Tensor:
        """What a batch adds; its losses are computed in memory."""
        true, scores = self.reader.scored(preds, target, self.metric)
        if not len(true):
            return self.empty()
        rows = _activated(scores.to(_widest(scores.device)), self.logits)
        if rows.ndim == 1:
            rows = torch.stack([1 - rows, rows], 1)
        sides = true.cpu().numpy(), rows.cpu().numpy()
        try:
            part = self._moments(*sides, range(self.reader.classes))
        except InputError as error:
            raise InputError(f"{error}{'' if self.logits else _LOGITS}") from None
        return torch.tensor([part.n, part.total, part.squares], dtype=torch.float64)

    def with_part(self, state: Tensor, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """The state with a further batch, and the batch alone."""
        part = self.read(preds, target)
        return self.joined(state, part), part

    def joined(self, state: Tensor, part: Tensor) -> Tensor:
        """The state with a batch that was read."""
        return state + part.to(state.device, state.dtype)

    def value(self, definition: Definition, state: Tensor) -> float:
        """The value of the state."""
        return self.score(definition, state).value

    def value_of_batch(self, definition: Definition, part: Tensor) -> float:
        """The value of a batch that was read."""
        if not self.has_items(part):
            raise InputError("the batch has no items to score")
        return self.value(definition, part)

    def score(self, definition: Definition, state: Tensor) -> Score:
        """The score of the state."""
        labels = self.reader.labels
        one = np.eye(1, len(labels))
        table = self._moments([labels[0]], one, labels)
        n, total, squares = state.tolist()
        return score_moments(definition, replace(table, n=int(n), total=total, squares=squares))


def _state_of(
    definition: Definition, reader: Reader, logits: bool, limits: tuple[int, float, float] | None
) -> Any:
    """The state that a definition needs."""
    kind, labels = definition.declaration.kind, reader.labels
    if kind != "ranking" and limits is not None:
        raise DefinitionError(f"thresholds= is for rankings, and {definition.metric} is not one")
    if definition.positive is not None:
        labels.code(definition.positive)  # an error if there is no such class
    if kind in COUNTED:
        return PairState(reader)
    if kind == "loss" and definition.declaration.relative is not None:
        return ItemState(reader, definition.metric, 1, logits)
    if kind == "loss":
        return SumState(reader, definition.metric, definition.parameters, logits)
    positive = labels[1] if definition.positive is None else definition.positive
    several = len(labels) > 2 and definition.positive is None
    if several and kind == "ranking" and not definition.declaration.of_top_label:
        definition = over_each_class(definition, labels)  # an error if no mean is requested
    facts = (reader, definition.metric, labels.code(positive), logits)
    if limits is None:
        return ItemState(*facts)
    check_bins(*limits)
    if several and definition.arguments.get("multi_class") != "ovr":
        raise DefinitionError(
            f"bins hold each class against the rest, which {definition.signature} is not: drop "
            "thresholds="
        )
    return BinState(*facts, *limits)


def _activated(scores: Tensor, logits: bool) -> Tensor:
    if not logits:
        return scores
    return scores.sigmoid() if scores.ndim == 1 else scores.softmax(1)


def _in_memory(preds: Tensor, target: Tensor) -> tuple[Any, Any]:
    """Targets and predictions as arrays, if both are in memory and NumPy has their type."""
    if target.is_cpu and preds.is_cpu and preds.dtype is not torch.bfloat16:
        return target.numpy(), preds.numpy()
    return target, preds


def _widest(device: torch.device) -> torch.dtype:
    """The widest floats that a device has."""
    return torch.float32 if device.type == "mps" else torch.float64


def __getattr__(name: str) -> Any:
    """The class of a metric or shorthand, such as AveragedF1 for averaged_f1."""
    if name not in _NAMES:
        raise AttributeError(f"there is no metric {name}. {did_you_mean(name, _NAMES)}")
    metric = _NAMES[name]

    def __init__(self: ScoreMetric, **options: Any) -> None:
        ScoreMetric.__init__(self, metric, **options)

    summary = SHORTHANDS[metric].summary if metric in SHORTHANDS else find(metric).summary
    facts = {"__init__": __init__, "__module__": __name__, "__doc__": summary}
    globals()[name] = type(name, (ScoreMetric,), facts)
    return globals()[name]


def _class_names() -> dict[str, str]:
    fitting = [name for name, x in EVERY.items() if x.kind in (*COUNTED, "ranking", "loss")]
    return {"".join(map(str.capitalize, x.split("_"))): x for x in (*SHORTHANDS, *fitting)}


_NAMES = _class_names()
__all__ = ["ScoreMetric", *_NAMES]


def __dir__() -> list[str]:
    return [*__all__]
