"""Cases of items with one class each: every rate and agreement, averaged in every way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import whichf1 as wf
from tests.goldens.data import Items, classes
from tests.goldens.plain import Case, plain

RATES = (
    *("precision", "recall", "specificity", "negative_predictive_value", "f_beta", "f1"),
    *("jaccard", "false_positive_rate", "false_negative_rate", "false_discovery_rate"),
    *("false_omission_rate", "prevalence", "informedness", "markedness"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "one_vs_rest_accuracy"),
)
AGREEMENTS = ("accuracy", "error_rate", "cohen_kappa", "mcc")
FURTHER_RATES = (
    *("g_mean", "fowlkes_mallows", "one_vs_rest_mcc", "diagnostic_odds_ratio", "yule_q"),
    *("optimized_precision", "index_of_balanced_accuracy", "selection_rate"),
)
FURTHER = (
    *("scott_pi", "brennan_prediger", "gwet_ac1", "adjusted_balanced_accuracy"),
    *("no_information_rate", "no_information_p_value", "mutual_information"),
    *("normalized_mutual_information", "cramer_v", "goodman_kruskal_lambda"),
    *("adjusted_rand_index", "confusion_entropy", "expected_cost"),
    *("normalized_expected_cost", "macro_mae", "fleiss_kappa", "krippendorff_alpha"),
    *("hierarchical_precision", "hierarchical_recall", "hierarchical_f1"),
)
PARENTS: dict[int, Any] = {0: 8, 1: 8, 2: 9, 3: 9, 8: None, 9: None}
"""Metrics with one case each: they are computed as the others are."""
HARMONIC = ("f1", "f_beta")
SHORTHANDS = (
    *("averaged_f1", "f1_of_averages", "averaged_f_beta", "f_beta_of_averages", "micro_f1"),
    *("weighted_f1", "macro_precision", "macro_recall", "balanced_accuracy"),
)
PROPORTIONS = ("wilson", "clopper-pearson", "jeffreys", "agresti-coull")
WEIGHTINGS = ("none", "linear", "quadratic")


def resampled(kind: str) -> Any:
    """A bootstrap of few replicates."""
    own: Any = kind
    return wf.Bootstrap(replicates=199, kind=own)


def metric(name: str) -> Any:
    """The metric as a function."""
    return getattr(wf, name)


def ways(name: str) -> list[dict[str, Any]]:
    """How a rate is averaged: both formulas where there are two."""
    found: list[dict[str, Any]] = [{"average": x} for x in ("macro", "weighted", "micro")]
    if name in HARMONIC:
        found += [{"average": x, "formula": "of-averages"} for x in ("macro", "weighted")]
    return found


def own_options(name: str) -> dict[str, Any]:
    """F-beta with another beta than 1."""
    return {"beta": 2} if name == "f_beta" else {}


def rate(name: str, items: Items, **more: Any) -> Any:
    """The rate of one class, of every class, and averaged in every way."""
    given = {**items.options, **own_options(name), **more}
    counted = {k: given.pop(k) for k in ("labels", "weights", "cluster") if k in given}
    counts = wf.count(items.true, items.said, **counted)
    return {
        "positive": tried(metric(name), counts, positive=items.positive, **given),
        "per_class": tried(metric(name).per_class, counts, **given),
        **{
            "/".join(way.values()): tried(metric(name), counts, **way, **given)
            for way in ways(name)
        },
    }


def tried(function: Any, *given: Any, **options: Any) -> Any:
    """The plain result, or the kind of error."""
    try:
        return plain(function(*given, **options))
    except wf.errors.WhichF1Error as error:
        return {"error": type(error).__name__}


def rates() -> Iterator[Case]:
    """Every rate on all data with delta intervals."""
    for name in RATES:
        for kind, items in classes().items():
            yield f"rates/delta/{name}/{kind}", partial(rate, name, items, interval="delta")


def bootstraps() -> Iterator[Case]:
    """Every rate and agreement with both bootstraps; data by turns, to keep the file small."""
    kinds = ("four", "weights", "clusters", "both", "two", "unseen")
    for at, name in enumerate((*RATES, *AGREEMENTS)):
        own = [kinds[at % 4], *(kinds if name in ("f1", "accuracy", "mcc") else ())]
        for kind in dict.fromkeys(own):
            for word in ("bca", "percentile"):
                run = partial(both, name, classes()[kind], interval=resampled(word))
                yield f"rates/{word}/{name}/{kind}", run


def both(name: str, items: Items, **more: Any) -> Any:
    """A rate in every way, or an agreement."""
    if name in RATES:
        return rate(name, items, **more)
    return tried(metric(name), items.true, items.said, **items.options, **more)


def shares() -> Iterator[Case]:
    """Shares of items with intervals of a proportion."""
    for name in ("precision", "recall", "specificity", "prevalence", "f1", "accuracy"):
        for kind in ("two", "perfect", "weights", "clusters"):
            yield f"rates/proportion/{name}/{kind}", partial(proportion, name, classes()[kind])
    for name in (*RATES, "error_rate", "mcc"):
        yield f"rates/proportion/{name}/four", partial(proportion, name, classes()["four"])


def proportion(name: str, items: Items) -> Any:
    """Every method for a proportion, on one class and on all together."""
    own: list[dict[str, Any]] = [{"positive": items.positive}, {"average": "micro"}]
    ways_of = own if name in RATES else [{}]
    return {
        word: [
            tried(metric(name), items.true, items.said, interval=word, **way, **items.options)
            for way in ways_of
        ]
        for word in PROPORTIONS
    }


def arrays() -> Iterator[Case]:
    """Without an interval, straight from arrays, lists and text."""
    for kind in ("two", "four", "text", "bool"):
        items = classes()[kind]
        for name in RATES:
            yield f"arrays/{kind}/{name}", partial(from_arrays, name, items)
        for name in (*AGREEMENTS, *SHORTHANDS):
            yield f"arrays/{kind}/{name}", partial(metric(name), items.true, items.said)


def from_arrays(name: str, items: Items) -> Any:
    """A rate in every way, straight from arrays."""
    return [tried(metric(name), items.true, items.said, **way) for way in ways(name)]


def agreements() -> Iterator[Case]:
    """Agreements and shorthands with intervals, on all data."""
    for kind, items in classes().items():
        for name in (*AGREEMENTS, *SHORTHANDS):
            run = partial(metric(name), items.true, items.said, interval="delta", **items.options)
            yield f"agreement/delta/{name}/{kind}", run
        for word in WEIGHTINGS:
            options = {"weighting": word, "interval": "delta", **items.options}
            run = partial(tried, wf.cohen_kappa, items.true, items.said, **options)
            yield f"agreement/delta/cohen_kappa {word}/{kind}", run


def further() -> Iterator[Case]:
    """Values and intervals of the metrics with one case each."""
    items = classes()["four"]
    for name in (*FURTHER_RATES, *FURTHER):
        own: dict[str, Any] = {"average": "macro"} if name in FURTHER_RATES else {}
        own |= {"parents": PARENTS} if name.startswith("hierarchical") else {}
        smooth = metric(name).metric.smooth
        method = {"interval": "delta"} if smooth else {}
        yield f"further/{name}", partial(metric(name), items.true, items.said, **own, **method)


def options() -> Iterator[Case]:
    """What else changes a score: 0/0, class sets, left-out classes, epsilons, batches."""
    unseen, four, two = classes()["unseen"], classes()["four"], classes()["two"]
    more: dict[str, Any]
    for undefined in (0, 1, "skip", "nan"):
        for scope in ("empty", "one-sided", "no-hits") if undefined else ("empty",):
            more = {"undefined": undefined, "scope": scope}
            for name in ("f1", "f_beta"):
                run = partial(rate, name, unseen, **more, interval="delta")
                yield f"options/undefined/{undefined} {scope}/{name}", run
        for name in ("precision", "jaccard", "informedness", "positive_likelihood_ratio"):
            run = partial(rate, name, unseen, undefined=undefined)
            yield f"options/undefined/{undefined}/{name}", run
        for name in ("cohen_kappa", "mcc"):
            run = partial(tried, metric(name), [1, 1], [1, 1], undefined=undefined)
            yield f"options/undefined/{undefined}/{name} of one class", run
    for undefined in (1, "skip"):
        more = {"undefined": undefined, "interval": resampled("bca")}
        yield f"options/undefined/{undefined}/bootstrap", partial(rate, "f1", unseen, **more)
    for which in ("declared", "observed", "true", "range", [0, 2], [5, 1]):
        for kind in ("unseen", "four", "both"):
            more = {"classes": which, "interval": "delta"}
            run = partial(rate, "f1", classes()[kind], **more)
            yield f"options/classes/{which}/{kind}", run
    for name, left_out in (("exclude", [0]), ("exclude", [1, 2]), ("ignore", [0]), ("ignore", [3])):
        for kind in ("four", "both", "unseen"):
            run = partial(rate, "f1", classes()[kind], **{name: left_out}, interval="delta")
            yield f"options/{name}/{left_out}/{kind}", run
    for name in ("accuracy", "mcc", "balanced_accuracy"):
        given = {"ignore": [0], "interval": "delta"}
        yield f"options/ignore/{name}", partial(tried, metric(name), four.true, four.said, **given)
    for which in ("both", "first", "last"):
        for kind in ("two", "four"):
            yield (
                f"options/two_classes/{which}/{kind}",
                partial(rate, "f1", classes()[kind], two_classes=which, interval="delta"),
            )
    for where in ("all", "harmonic"):
        for size in (1e-7, 0.5):
            more = {"epsilon": size, "epsilon_in": where, "interval": "delta"}
            yield f"options/epsilon/{where} {size}", partial(rate, "f1", unseen, **more)
    yield "options/epsilon/precision", partial(rate, "precision", unseen, epsilon=0.1)
    for size in (1, 7, 32, 1000):
        for name in ("averaged_f1", "accuracy", "f1_of_averages", "macro_precision"):
            run = partial(metric(name), two.true, two.said, batch=size)
            yield f"options/batch/{size}/{name}", run
    for which in ("observed", "declared", "true"):
        more = {"batch": 16, "classes": which, "undefined": "skip"}
        run = partial(tried, wf.averaged_f1, unseen.true, unseen.said, labels=range(7), **more)
        yield f"options/batch/{which}", run


def levels() -> Iterator[Case]:
    """Other levels, seeds and numbers of replicates."""
    items = classes()["four"]
    methods: list[Any] = [
        *(wf.Delta(0.9), wf.Delta(level=0.99), wf.Wilson(0.9), wf.ClopperPearson(0.99)),
        *(wf.Jeffreys(0.8), wf.AgrestiCoull(0.5), wf.Bootstrap(0.9, 99, 1, "percentile")),
        *(wf.Bootstrap(0.99, 399, 2), wf.Bootstrap(replicates=999)),
        *("delta", "Clopper_Pearson"),
    ]
    for at, method in enumerate(methods):
        for name in ("accuracy", "averaged_f1", "weighted_f1"):
            run = partial(tried, metric(name), items.true, items.said, interval=method)
            yield f"levels/{at:02} {type(method).__name__}/{name}", run


DEFINED = (
    *("f1", "f1|avg:macro", "averaged_f1", "f_beta(beta=2)|avg:weighted", "Miss-rate"),
    *("f1|avg:micro|classes:true|undef:skip", "sensitivity|positive:1", 'recall|positive:"a"'),
    *("f1|avg:macro|interval:bootstrap|replicates:199|seed:1|level:0.9|kind:percentile",),
    *("f1|avg:macro|eps:1e-07|eps-in:harmonic", "cohen_kappa(weighting=quadratic)|undef:nan"),
    *("roc_auc(max_fpr=0.2)", "roc_auc(multi_class=ovo)|avg:weighted", "gain(top=0.3)", "ece"),
    *("log_loss(floor=0.01)", "brier(scale=half)", "top_k_accuracy(k=3,ties=worst)", "auc"),
    *("f1|avg:samples", "hamming_loss", "f1|avg:macro|batch:32|two:last", "lrap"),
    *('f1|avg:macro|classes:["a","b"]|exclude:["c"]|ignore:["d"]|scope:one-sided|undef:1',),
    *("balanced_accuracy|interval:delta", "precision|avg:macro|interval:wilson|level:0.9"),
)


def definitions() -> Iterator[Case]:
    """Definitions from names and signatures, their signatures, and their fields."""
    for text in DEFINED:
        yield f"definitions/{text}", partial(defined, text)
    for name in (*RATES, *AGREEMENTS, *SHORTHANDS):
        yield f"definitions/plain/{name}", partial(lambda name: metric(name).definition(), name)
    four = classes()["four"]
    run_again = 'f1|avg:macro|formula:averaged|classes:declared|undef:0|v:1|n:200|k:9|labels:"x"'
    yield "definitions/of other data", partial(wf.score, four.true, four.said, run_again)
    for text in ("f_beta(beta=2)", "accuracy", "Recall", "kappa"):
        more: dict[str, Any] = {"average": "macro"} if "eca" in text or "beta" in text else {}
        run = partial(wf.score, four.true, four.said, text, **more)
        yield f"definitions/score/{text}", run


def defined(text: str) -> Any:
    """A parsed definition: its signature, and whether that is parsed to the same."""
    found = wf.Definition.parse(text)
    again = wf.Definition.parse(found.signature)
    fields = {key: str(value) for key, value in found.fields.items()}
    return {"signature": found.signature, "again": found == again, "fields": fields}
