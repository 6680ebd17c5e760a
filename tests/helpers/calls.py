"""Right and wrong calls, for type checkers: nothing here is run.

In ``make lint``, mypy refuses a comment that ignores no error: each wrong call is an error.
"""

from __future__ import annotations

import whichf1 as wf


def right() -> tuple[object, ...]:
    return (
        wf.precision([0, 1], [0, 1], average="macro", undefined="skip").value,
        wf.precision.per_class([0, 1], [0, 1], classes=[0], interval=wf.Wilson(level=0.9)),
        wf.sensitivity("preds.csv", positive=1, true="gold", pred="model", on_error="skip"),
        wf.averaged_f1([0, 1], [0, 1], scope="no-hits", interval="bootstrap", weights=[1, 2]),
        wf.f_beta.definition(beta=2, formula="of-averages").signature,
        wf.cohen_kappa([0, 1], [0, 1], weighting="quadratic"),
        wf.gwet_ac1([0, 1], [0, 1], weighting=[[0, 1], [2, 0]], undefined=0.5),
        wf.expected_cost([0, 1], [0, 1], costs=[[0, 1], [2, 0]]),
        wf.roc_auc([0, 1], [0.1, 0.9], multi_class="ovr", max_fpr=0.5, score="p"),
        wf.top_k_accuracy([0, 1], [[0.1, 0.9]], k=3, ties="worst"),
        wf.brier([0, 1], [0.1, 0.9], scale="sum"),
        wf.expected_calibration_error([0, 1], [0.1, 0.9], binning="equal-mass", bins=5),
        wf.macro_f1(wf.count([0, 1], [0, 1]), undefined=1).gap,
        wf.score([0, 1], [0, 1], "f_beta", average="macro", beta=2).interval,
        wf.errors.WhichF1Error,
    )


def wrong() -> tuple[object, ...]:
    return (
        wf.avreaged_f1,  # type: ignore
        wf.averaged_f1([0, 1], [0, 1], average="makro"),  # type: ignore
        wf.averaged_f1([0, 1], [0, 1], average="macro"),  # type: ignore
        wf.accuracy([0, 1], [0, 1], k=3),  # type: ignore
        wf.accuracy([0, 1], [0, 1], average="macro"),  # type: ignore
        wf.accuracy.per_class([0, 1], [0, 1]),  # type: ignore
        wf.precision([0, 1], [0, 1], average="makro"),  # type: ignore
        wf.precision([0, 1], [0, 1], formula="averaged"),  # type: ignore
        wf.precision.per_class([0, 1], [0, 1], average="macro"),  # type: ignore
        wf.precision([0, 1], [0, 1], classes="tru"),  # type: ignore
        wf.precision([0, 1], [0, 1], undefined="two"),  # type: ignore
        wf.f1([0, 1], [0, 1], scope="none"),  # type: ignore
        wf.f1([0, 1], [0, 1], beta=2),  # type: ignore
        wf.f1([0, 1], [0, 1], interval="wilsen"),  # type: ignore
        wf.ks([0, 1], [0.1, 0.9], interval="delta"),  # type: ignore
        wf.ks([0, 1], [0.1, 0.9], pred="x"),  # type: ignore
        wf.roc_auc([0, 1], [0.1, 0.9], multi_class="top-label"),  # type: ignore
        wf.roc_auc([0, 1], [0.1, 0.9], average="makro"),  # type: ignore
        wf.net_benefit([0, 1], [0.1, 0.9], average="samples"),  # type: ignore
        wf.top_k_accuracy([0, 1], [[0.1, 0.9]], ties="any"),  # type: ignore
        wf.log_loss([0, 1], [0.1, 0.9], undefined=0),  # type: ignore
        wf.balanced_accuracy([0, 1], [0, 1], classes="true"),  # type: ignore
        wf.coverage_error([[0, 1]], [[0.1, 0.9]], pred="x"),  # type: ignore
        wf.score([0, 1], [0, 1], "f1", average="makro"),  # type: ignore
    )
