# The public names, once: `__init__.py` reads them here, type checkers and editors read them here.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, Unpack

from whichf1 import errors as errors
from whichf1.comparison.compare import Comparison as Comparison
from whichf1.comparison.compare import compare as compare
from whichf1.comparison.disparity import Disparity as Disparity
from whichf1.comparison.disparity import Groups as Groups
from whichf1.comparison.disparity import groups as groups
from whichf1.comparison.rank_flips import SystemRanks as SystemRanks
from whichf1.comparison.rank_flips import rank_systems as rank_systems
from whichf1.comparison.significance import Pair as Pair
from whichf1.comparison.study import Study as Study
from whichf1.comparison.study import study as study
from whichf1.comparison.study import trials as trials
from whichf1.definitions.definition import Definition as Definition
from whichf1.definitions.methods import AgrestiCoull as AgrestiCoull
from whichf1.definitions.methods import Auto as Auto
from whichf1.definitions.methods import Bootstrap as Bootstrap
from whichf1.definitions.methods import ClopperPearson as ClopperPearson
from whichf1.definitions.methods import DeLong as DeLong
from whichf1.definitions.methods import Delta as Delta
from whichf1.definitions.methods import IntervalName, Method
from whichf1.definitions.methods import Jeffreys as Jeffreys
from whichf1.definitions.methods import Posterior as Posterior
from whichf1.definitions.methods import Wilson as Wilson
from whichf1.definitions.options import Classes, Matrix
from whichf1.metrics import Metric
from whichf1.published.audit import audit as audit
from whichf1.published.dialects import dialects as dialects
from whichf1.published.explain import explain as explain
from whichf1.reporting.leaderboard import ResultsTable as ResultsTable
from whichf1.reporting.leaderboard import results_table as results_table
from whichf1.reporting.pictures.kinds import picture as picture
from whichf1.reporting.pictures.marks import Picture as Picture
from whichf1.reporting.published import AuditTable as AuditTable
from whichf1.reporting.published import audit_table as audit_table
from whichf1.reporting.score import Report as Report
from whichf1.reporting.score import report as report
from whichf1.scoring.accumulator import Accumulator as Accumulator
from whichf1.scoring.choose import Choice as Choice
from whichf1.scoring.choose import choose as choose
from whichf1.scoring.curves import BestThreshold as BestThreshold
from whichf1.scoring.curves import Curve as Curve
from whichf1.scoring.curves import DecisionCurve as DecisionCurve
from whichf1.scoring.curves import PrevalenceCurve as PrevalenceCurve
from whichf1.scoring.curves import best_threshold as best_threshold
from whichf1.scoring.curves import calibration_curve as calibration_curve
from whichf1.scoring.curves import cost_curve as cost_curve
from whichf1.scoring.curves import decision_curve as decision_curve
from whichf1.scoring.curves import det_curve as det_curve
from whichf1.scoring.curves import gain_curve as gain_curve
from whichf1.scoring.curves import lift_curve as lift_curve
from whichf1.scoring.curves import pr_curve as pr_curve
from whichf1.scoring.curves import pr_gain_curve as pr_gain_curve
from whichf1.scoring.curves import prevalence_curve as prevalence_curve
from whichf1.scoring.curves import risk_coverage_curve as risk_coverage_curve
from whichf1.scoring.curves import roc_curve as roc_curve
from whichf1.scoring.curves import threshold_curve as threshold_curve
from whichf1.scoring.decisions import at_argmax as at_argmax
from whichf1.scoring.decisions import at_threshold as at_threshold
from whichf1.scoring.decisions import at_top_k as at_top_k
from whichf1.scoring.functions import score as score
from whichf1.scoring.lines import moments as moments
from whichf1.scoring.macro import MacroF1 as MacroF1
from whichf1.scoring.macro import bounds as bounds
from whichf1.scoring.macro import extremal as extremal
from whichf1.scoring.macro import macro_f1 as macro_f1
from whichf1.scoring.macro import precision_recall_f1 as precision_recall_f1
from whichf1.scoring.macro import supremum as supremum
from whichf1.scoring.properties import Property as Property
from whichf1.scoring.properties import properties as properties
from whichf1.scoring.score import PerClass as PerClass
from whichf1.scoring.score import Score as Score
from whichf1.sources.annotations import ratings as ratings
from whichf1.sources.annotations import ratings_by as ratings_by
from whichf1.sources.counts import Reading
from whichf1.sources.counts import count as count
from whichf1.sources.counts import count_by as count_by
from whichf1.sources.counts import count_each as count_each
from whichf1.sources.counts import rank as rank
from whichf1.sources.counts import rank_by as rank_by
from whichf1.sources.counts import rank_histogram as rank_histogram
from whichf1.sources.label_sets import count_multilabel as count_multilabel
from whichf1.sources.spans import spans as spans
from whichf1.sources.spans import spans_by as spans_by
from whichf1.statistics.bands import Band as Band
from whichf1.statistics.scales import Interval as Interval
from whichf1.tables.annotations import Ratings as Ratings
from whichf1.tables.counts import Counts as Counts
from whichf1.tables.label_sets import MultiLabelCounts as MultiLabelCounts
from whichf1.tables.moments import Moments as Moments
from whichf1.tables.ranking import Ranking as Ranking
from whichf1.tables.slices import Slices as Slices
from whichf1.tables.spans import SpanCounts as SpanCounts
from whichf1.tables.trials import Trials as Trials

__all__: list[str]
__version__: str

class _Metric(Protocol):
    __name__: str
    @property
    def metric(self) -> Metric: ...

# The rest is written by `python -m tests.helpers.stub`.
class _Predictions(Reading, total=False):
    labels: Any
    weights: Any
    frequencies: Any
    cluster: Any
    true: str | Sequence[str] | None
    pred: str | Sequence[str] | None
    sep: str | None

class _Scores(Reading, total=False):
    labels: Any
    weights: Any
    frequencies: Any
    cluster: Any
    true: str | Sequence[str] | None
    score: Any
    sep: str | None

class _AccuracyOptions(_Predictions, total=False):
    ignore: Classes
    class_shares: Literal["uniform"] | Mapping[Any, float] | None
    batch: int | None
    interval: IntervalName | Method | None

class _Accuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AccuracyOptions]) -> Definition: ...

class _CohenKappaOptions(_AccuracyOptions, total=False):
    weighting: Literal["none", "linear", "quadratic"] | Matrix
    undefined: float | Literal["skip", "nan"]

class _CohenKappa(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_CohenKappaOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_CohenKappaOptions]) -> Definition: ...

class _KrippendorffAlphaOptions(_Predictions, total=False):
    level: Literal["nominal", "ordinal", "interval", "ratio"]
    ignore: Classes
    undefined: float | Literal["skip", "nan"]
    batch: int | None
    interval: IntervalName | Method | None

class _KrippendorffAlpha(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_KrippendorffAlphaOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_KrippendorffAlphaOptions]) -> Definition: ...

class _AdjustedBalancedAccuracyOptions(_AccuracyOptions, total=False):
    undefined: float | Literal["skip", "nan"]

class _AdjustedBalancedAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AdjustedBalancedAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AdjustedBalancedAccuracyOptions]) -> Definition: ...

class _NoInformationRateOptions(_Predictions, total=False):
    ignore: Classes
    class_shares: Literal["uniform"] | Mapping[Any, float] | None
    batch: int | None
    interval: Literal["bootstrap", "bca", "percentile", "posterior"] | Bootstrap | Posterior | None

class _NoInformationRate(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NoInformationRateOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_NoInformationRateOptions]) -> Definition: ...

class _NoInformationPValueOptions(_Predictions, total=False):
    ignore: Classes
    batch: int | None
    interval: Literal["bootstrap", "bca", "percentile", "posterior"] | Bootstrap | Posterior | None

class _NoInformationPValue(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NoInformationPValueOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_NoInformationPValueOptions]) -> Definition: ...

class _NormalizedMutualInformationOptions(_NoInformationRateOptions, total=False):
    mean: Literal["arithmetic", "geometric", "min", "max"]
    undefined: float | Literal["skip", "nan"]

class _NormalizedMutualInformation(_Metric, Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_NormalizedMutualInformationOptions],
    ) -> Score: ...
    def definition(self, **options: Unpack[_NormalizedMutualInformationOptions]) -> Definition: ...

class _CramerVOptions(_NoInformationRateOptions, total=False):
    undefined: float | Literal["skip", "nan"]

class _CramerV(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_CramerVOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_CramerVOptions]) -> Definition: ...

class _GoodmanKruskalLambdaOptions(_CramerVOptions, total=False):
    of: Literal["true", "predicted", "both"]

class _GoodmanKruskalLambda(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_GoodmanKruskalLambdaOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_GoodmanKruskalLambdaOptions]) -> Definition: ...

class _AdjustedRandIndexOptions(_NoInformationPValueOptions, total=False):
    undefined: float | Literal["skip", "nan"]

class _AdjustedRandIndex(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AdjustedRandIndexOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AdjustedRandIndexOptions]) -> Definition: ...

class _ExpectedCalibrationErrorPerClassOptions(_Scores, total=False):
    bins: int
    binning: Literal["equal-width", "equal-mass"]
    interval: Literal["bootstrap", "bca", "percentile", "posterior"] | Bootstrap | Posterior | None

class _ExpectedCalibrationErrorOptions(_ExpectedCalibrationErrorPerClassOptions, total=False):
    multi_class: Literal["top-label"] | None
    average: Literal["macro", "weighted", "micro"] | None
    positive: Any
    undefined: float | Literal["skip", "nan"]

class _ExpectedCalibrationError(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_ExpectedCalibrationErrorOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_ExpectedCalibrationErrorOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_ExpectedCalibrationErrorPerClassOptions],
    ) -> PerClass: ...

class _DebiasedCalibrationErrorPerClassOptions(_Scores, total=False):
    bins: int
    binning: Literal["equal-width", "equal-mass"]
    interval: (
        Literal["auto"]
        | Auto
        | Literal["bootstrap", "bca", "percentile", "posterior"]
        | Bootstrap
        | Posterior
        | None
    )

class _DebiasedCalibrationErrorOptions(_DebiasedCalibrationErrorPerClassOptions, total=False):
    multi_class: Literal["top-label"] | None
    average: Literal["macro", "weighted", "micro"] | None
    positive: Any
    undefined: float | Literal["skip", "nan"]

class _DebiasedCalibrationError(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_DebiasedCalibrationErrorOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_DebiasedCalibrationErrorOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_DebiasedCalibrationErrorPerClassOptions],
    ) -> PerClass: ...

class _SmoothCalibrationErrorPerClassOptions(_Scores, total=False):
    interval: Literal["bootstrap", "bca", "percentile", "posterior"] | Bootstrap | Posterior | None

class _SmoothCalibrationErrorOptions(_SmoothCalibrationErrorPerClassOptions, total=False):
    multi_class: Literal["top-label"] | None
    average: Literal["macro", "weighted", "micro"] | None
    positive: Any
    undefined: float | Literal["skip", "nan"]

class _SmoothCalibrationError(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_SmoothCalibrationErrorOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_SmoothCalibrationErrorOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_SmoothCalibrationErrorPerClassOptions],
    ) -> PerClass: ...

class _MiscalibrationPerClassOptions(_SmoothCalibrationErrorPerClassOptions, total=False):
    loss: Literal["brier", "log_loss"]

class _MiscalibrationOptions(_MiscalibrationPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro"] | None
    positive: Any
    undefined: float | Literal["skip", "nan"]

class _Miscalibration(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_MiscalibrationOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_MiscalibrationOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_MiscalibrationPerClassOptions]
    ) -> PerClass: ...

class _ExpectedCostOptions(_AccuracyOptions, total=False):
    costs: Matrix | None

class _ExpectedCost(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_ExpectedCostOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_ExpectedCostOptions]) -> Definition: ...

class _NormalizedExpectedCostOptions(_AdjustedBalancedAccuracyOptions, total=False):
    costs: Matrix | None

class _NormalizedExpectedCost(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NormalizedExpectedCostOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_NormalizedExpectedCostOptions]) -> Definition: ...

class _HierarchicalPrecisionOptions(_AdjustedBalancedAccuracyOptions, total=False):
    parents: Mapping[Any, Any] | None

class _HierarchicalPrecision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_HierarchicalPrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_HierarchicalPrecisionOptions]) -> Definition: ...

class _SubsetAccuracyOptions(_Predictions, total=False):
    classes: Literal["declared", "observed", "true", "range"] | Classes
    exclude: Classes
    interval: IntervalName | Method | None

class _SubsetAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_SubsetAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_SubsetAccuracyOptions]) -> Definition: ...

class _LabelRankingAveragePrecisionOptions(_Scores, total=False):
    interval: IntervalName | Method | None

class _LabelRankingAveragePrecision(_Metric, Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_LabelRankingAveragePrecisionOptions],
    ) -> Score: ...
    def definition(self, **options: Unpack[_LabelRankingAveragePrecisionOptions]) -> Definition: ...

class _DcgOptions(_LabelRankingAveragePrecisionOptions, total=False):
    k: int | None

class _Dcg(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_DcgOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_DcgOptions]) -> Definition: ...

class _MeanValueOptions(Reading, total=False):
    of: str | None
    bounds: Literal["unit", "none"] | None
    interval: IntervalName | Method | None
    weights: Any
    frequencies: Any
    cluster: Any
    score: Any
    sep: str | None

class _MeanValue(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_MeanValueOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_MeanValueOptions]) -> Definition: ...

class _LogLossPerClassOptions(_LabelRankingAveragePrecisionOptions, total=False):
    floor: float

class _LogLossOptions(_LogLossPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any

class _LogLoss(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_LogLossOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_LogLossOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_LogLossPerClassOptions]
    ) -> PerClass: ...

class _BrierPerClassOptions(_LabelRankingAveragePrecisionOptions, total=False):
    scale: Literal["half", "sum"] | None

class _BrierOptions(_BrierPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any

class _Brier(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_BrierOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_BrierOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_BrierPerClassOptions]
    ) -> PerClass: ...

class _TopKAccuracyOptions(_LabelRankingAveragePrecisionOptions, total=False):
    k: int
    ties: Literal["first", "last", "best", "worst"]
    positive: Any

class _TopKAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_TopKAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_TopKAccuracyOptions]) -> Definition: ...

class _HingeLossOptions(_LabelRankingAveragePrecisionOptions, total=False):
    positive: Any

class _HingeLoss(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_HingeLossOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_HingeLossOptions]) -> Definition: ...

class _RankedProbabilityScoreOptions(_HingeLossOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None

class _RankedProbabilityScore(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_RankedProbabilityScoreOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_RankedProbabilityScoreOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_LabelRankingAveragePrecisionOptions],
    ) -> PerClass: ...

class _LogLossSkillOptions(_LogLossPerClassOptions, total=False):
    positive: Any

class _LogLossSkill(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_LogLossSkillOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_LogLossSkillOptions]) -> Definition: ...

class _BayesCostPerClassOptions(_LabelRankingAveragePrecisionOptions, total=False):
    costs: Matrix | None

class _BayesCostOptions(_RankedProbabilityScoreOptions, total=False):
    costs: Matrix | None

class _BayesCost(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_BayesCostOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_BayesCostOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_BayesCostPerClassOptions]
    ) -> PerClass: ...

class _NormalizedBayesCostOptions(_HingeLossOptions, total=False):
    costs: Matrix | None

class _NormalizedBayesCost(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NormalizedBayesCostOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_NormalizedBayesCostOptions]) -> Definition: ...

class _RocAucPerClassOptions(_LabelRankingAveragePrecisionOptions, total=False):
    max_fpr: float | None
    undefined: float | Literal["skip", "nan"]

class _RocAucOptions(_RankedProbabilityScoreOptions, total=False):
    max_fpr: float | None
    multi_class: Literal["ovr", "ovo"] | None
    undefined: float | Literal["skip", "nan"]

class _RocAuc(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_RocAucOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_RocAucOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_RocAucPerClassOptions]
    ) -> PerClass: ...

class _AveragePrecisionPerClassOptions(_LabelRankingAveragePrecisionOptions, total=False):
    undefined: float | Literal["skip", "nan"]

class _AveragePrecisionOptions(_RankedProbabilityScoreOptions, total=False):
    multi_class: Literal["ovr"] | None
    undefined: float | Literal["skip", "nan"]

class _AveragePrecision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AveragePrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AveragePrecisionOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AveragePrecisionPerClassOptions]
    ) -> PerClass: ...

class _KsPerClassOptions(_SmoothCalibrationErrorPerClassOptions, total=False):
    undefined: float | Literal["skip", "nan"]

class _KsOptions(_KsPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any

class _Ks(_Metric, Protocol):
    def __call__(self, y_true: Any, y_pred: Any = None, **options: Unpack[_KsOptions]) -> Score: ...
    def definition(self, **options: Unpack[_KsOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_KsPerClassOptions]
    ) -> PerClass: ...

class _RecallAtPrecisionPerClassOptions(_KsPerClassOptions, total=False):
    at: float

class _RecallAtPrecisionOptions(_KsOptions, total=False):
    at: float

class _RecallAtPrecision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_RecallAtPrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_RecallAtPrecisionOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_RecallAtPrecisionPerClassOptions]
    ) -> PerClass: ...

class _FMaxPerClassOptions(_KsPerClassOptions, total=False):
    beta: float

class _FMaxOptions(_KsOptions, total=False):
    beta: float

class _FMax(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FMaxOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_FMaxOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FMaxPerClassOptions]
    ) -> PerClass: ...

class _PartialAveragePrecisionPerClassOptions(_KsPerClassOptions, total=False):
    min_recall: float

class _PartialAveragePrecisionOptions(_KsOptions, total=False):
    min_recall: float

class _PartialAveragePrecision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PartialAveragePrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_PartialAveragePrecisionOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_PartialAveragePrecisionPerClassOptions],
    ) -> PerClass: ...

class _LogAucPerClassOptions(_KsPerClassOptions, total=False):
    min_fpr: float
    max_fpr: float | None

class _LogAucOptions(_KsOptions, total=False):
    min_fpr: float
    max_fpr: float | None

class _LogAuc(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_LogAucOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_LogAucOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_LogAucPerClassOptions]
    ) -> PerClass: ...

class _SelectiveAccuracyOptions(_SmoothCalibrationErrorPerClassOptions, total=False):
    coverage: float
    positive: Any

class _SelectiveAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_SelectiveAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_SelectiveAccuracyOptions]) -> Definition: ...

class _NetBenefitPerClassOptions(_SmoothCalibrationErrorPerClassOptions, total=False):
    threshold: float

class _NetBenefitOptions(_KsPerClassOptions, total=False):
    threshold: float
    average: Literal["macro", "weighted", "micro"] | None
    positive: Any

class _NetBenefit(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NetBenefitOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_NetBenefitOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_NetBenefitPerClassOptions]
    ) -> PerClass: ...

class _GainPerClassOptions(_Scores, total=False):
    top: float
    undefined: float | Literal["skip", "nan"]
    interval: (
        Literal["auto"]
        | Auto
        | Literal["bootstrap", "bca", "percentile", "posterior"]
        | Bootstrap
        | Posterior
        | None
    )

class _GainOptions(_GainPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any

class _Gain(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_GainOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_GainOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_GainPerClassOptions]
    ) -> PerClass: ...

class _PrecisionPerClassOptions(_SubsetAccuracyOptions, total=False):
    ignore: Classes
    class_shares: Literal["uniform"] | Mapping[Any, float] | None
    undefined: float | Literal["skip", "nan"]
    epsilon: float

class _PrecisionOptions(_PrecisionPerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any
    two_classes: Literal["both", "first", "last"]
    batch: int | None

class _Precision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_PrecisionOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrecisionPerClassOptions]
    ) -> PerClass: ...

class _FBetaPerClassOptions(_PrecisionPerClassOptions, total=False):
    beta: float
    scope: Literal["empty", "one-sided", "no-hits"]
    epsilon_in: Literal["all", "harmonic"]

class _FBetaOptions(_PrecisionOptions, total=False):
    beta: float
    formula: Literal["averaged", "of-averages"] | None
    scope: Literal["empty", "one-sided", "no-hits"]
    epsilon_in: Literal["all", "harmonic"]

class _FBeta(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FBetaOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_FBetaOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FBetaPerClassOptions]
    ) -> PerClass: ...

class _F1PerClassOptions(_PrecisionPerClassOptions, total=False):
    scope: Literal["empty", "one-sided", "no-hits"]
    epsilon_in: Literal["all", "harmonic"]

class _F1Options(_PrecisionOptions, total=False):
    formula: Literal["averaged", "of-averages"] | None
    scope: Literal["empty", "one-sided", "no-hits"]
    epsilon_in: Literal["all", "harmonic"]

class _F1(_Metric, Protocol):
    def __call__(self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1Options]) -> Score: ...
    def definition(self, **options: Unpack[_F1Options]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1PerClassOptions]
    ) -> PerClass: ...

class _PrevalencePerClassOptions(_SubsetAccuracyOptions, total=False):
    ignore: Classes
    class_shares: Literal["uniform"] | Mapping[Any, float] | None
    epsilon: float

class _PrevalenceOptions(_PrevalencePerClassOptions, total=False):
    average: Literal["macro", "weighted", "micro", "samples"] | None
    positive: Any
    two_classes: Literal["both", "first", "last"]
    batch: int | None

class _Prevalence(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrevalenceOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_PrevalenceOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrevalencePerClassOptions]
    ) -> PerClass: ...

class _IndexOfBalancedAccuracyPerClassOptions(_PrecisionPerClassOptions, total=False):
    alpha: float

class _IndexOfBalancedAccuracyOptions(_PrecisionOptions, total=False):
    alpha: float

class _IndexOfBalancedAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_IndexOfBalancedAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_IndexOfBalancedAccuracyOptions]) -> Definition: ...
    def per_class(
        self,
        y_true: Any,
        y_pred: Any = None,
        **options: Unpack[_IndexOfBalancedAccuracyPerClassOptions],
    ) -> PerClass: ...

class _AveragedF1Options(_F1PerClassOptions, total=False):
    two_classes: Literal["both", "first", "last"]
    batch: int | None

class _AveragedF1(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AveragedF1Options]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AveragedF1Options]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1PerClassOptions]
    ) -> PerClass: ...

class _F1OfAveragesOptions(_PrecisionPerClassOptions, total=False):
    two_classes: Literal["both", "first", "last"]
    epsilon_in: Literal["all", "harmonic"]
    batch: int | None

class _F1OfAverages(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1OfAveragesOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_F1OfAveragesOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1PerClassOptions]
    ) -> PerClass: ...

class _AveragedFBetaOptions(_AveragedF1Options, total=False):
    beta: float

class _AveragedFBeta(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_AveragedFBetaOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_AveragedFBetaOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FBetaPerClassOptions]
    ) -> PerClass: ...

class _FBetaOfAveragesOptions(_F1OfAveragesOptions, total=False):
    beta: float

class _FBetaOfAverages(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FBetaOfAveragesOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_FBetaOfAveragesOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_FBetaPerClassOptions]
    ) -> PerClass: ...

class _MicroF1Options(_F1PerClassOptions, total=False):
    batch: int | None

class _MicroF1(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_MicroF1Options]
    ) -> Score: ...
    def definition(self, **options: Unpack[_MicroF1Options]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_F1PerClassOptions]
    ) -> PerClass: ...

class _MacroPrecisionOptions(_PrecisionPerClassOptions, total=False):
    two_classes: Literal["both", "first", "last"]
    batch: int | None

class _MacroPrecision(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_MacroPrecisionOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_MacroPrecisionOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrecisionPerClassOptions]
    ) -> PerClass: ...

class _BalancedAccuracyOptions(_AdjustedBalancedAccuracyOptions, total=False):
    exclude: Classes
    two_classes: Literal["both", "first", "last"]
    epsilon: float

class _BalancedAccuracy(_Metric, Protocol):
    def __call__(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_BalancedAccuracyOptions]
    ) -> Score: ...
    def definition(self, **options: Unpack[_BalancedAccuracyOptions]) -> Definition: ...
    def per_class(
        self, y_true: Any, y_pred: Any = None, **options: Unpack[_PrecisionPerClassOptions]
    ) -> PerClass: ...

accuracy: _Accuracy
error_rate: _Accuracy
macro_mae: _Accuracy
cohen_kappa: _CohenKappa
scott_pi: _CohenKappa
fleiss_kappa: _CohenKappa
brennan_prediger: _CohenKappa
gwet_ac1: _CohenKappa
krippendorff_alpha: _KrippendorffAlpha
adjusted_balanced_accuracy: _AdjustedBalancedAccuracy
mcc: _AdjustedBalancedAccuracy
no_information_rate: _NoInformationRate
mutual_information: _NoInformationRate
no_information_p_value: _NoInformationPValue
normalized_mutual_information: _NormalizedMutualInformation
cramer_v: _CramerV
confusion_entropy: _CramerV
goodman_kruskal_lambda: _GoodmanKruskalLambda
adjusted_rand_index: _AdjustedRandIndex
expected_calibration_error: _ExpectedCalibrationError
max_calibration_error: _ExpectedCalibrationError
rms_calibration_error: _ExpectedCalibrationError
debiased_calibration_error: _DebiasedCalibrationError
smooth_calibration_error: _SmoothCalibrationError
miscalibration: _Miscalibration
discrimination: _Miscalibration
uncertainty: _Miscalibration
expected_cost: _ExpectedCost
normalized_expected_cost: _NormalizedExpectedCost
hierarchical_precision: _HierarchicalPrecision
hierarchical_recall: _HierarchicalPrecision
hierarchical_f1: _HierarchicalPrecision
subset_accuracy: _SubsetAccuracy
hamming_loss: _SubsetAccuracy
label_ranking_average_precision: _LabelRankingAveragePrecision
coverage_error: _LabelRankingAveragePrecision
label_ranking_loss: _LabelRankingAveragePrecision
one_error: _LabelRankingAveragePrecision
dcg: _Dcg
ndcg: _Dcg
mean_value: _MeanValue
log_loss: _LogLoss
brier: _Brier
top_k_accuracy: _TopKAccuracy
hinge_loss: _HingeLoss
brier_skill: _HingeLoss
aurc: _HingeLoss
excess_aurc: _HingeLoss
ranked_probability_score: _RankedProbabilityScore
spherical_score: _RankedProbabilityScore
log_loss_skill: _LogLossSkill
bayes_cost: _BayesCost
normalized_bayes_cost: _NormalizedBayesCost
roc_auc: _RocAuc
average_precision: _AveragePrecision
ks: _Ks
equal_error_rate: _Ks
pr_gain_auc: _Ks
cost_curve_area: _Ks
recall_at_precision: _RecallAtPrecision
precision_at_recall: _RecallAtPrecision
sensitivity_at_specificity: _RecallAtPrecision
specificity_at_sensitivity: _RecallAtPrecision
tpr_at_fpr: _RecallAtPrecision
f_max: _FMax
partial_average_precision: _PartialAveragePrecision
log_auc: _LogAuc
selective_accuracy: _SelectiveAccuracy
net_benefit: _NetBenefit
gain: _Gain
lift: _Gain
precision: _Precision
recall: _Precision
specificity: _Precision
negative_predictive_value: _Precision
jaccard: _Precision
false_positive_rate: _Precision
false_negative_rate: _Precision
false_discovery_rate: _Precision
false_omission_rate: _Precision
informedness: _Precision
markedness: _Precision
positive_likelihood_ratio: _Precision
negative_likelihood_ratio: _Precision
g_mean: _Precision
fowlkes_mallows: _Precision
one_vs_rest_mcc: _Precision
diagnostic_odds_ratio: _Precision
yule_q: _Precision
optimized_precision: _Precision
f_beta: _FBeta
f1: _F1
prevalence: _Prevalence
selection_rate: _Prevalence
one_vs_rest_accuracy: _Prevalence
index_of_balanced_accuracy: _IndexOfBalancedAccuracy
averaged_f1: _AveragedF1
weighted_f1: _AveragedF1
f1_of_averages: _F1OfAverages
averaged_f_beta: _AveragedFBeta
f_beta_of_averages: _FBetaOfAverages
micro_f1: _MicroF1
macro_precision: _MacroPrecision
macro_recall: _MacroPrecision
balanced_accuracy: _BalancedAccuracy
observed_agreement = accuracy
zero_one_loss = error_rate
misclassification_rate = error_rate
kappa = cohen_kappa
bennett_s = brennan_prediger
gwet_ac2 = gwet_ac1
nir = no_information_rate
matthews_correlation_coefficient = mcc
phi_coefficient = mcc
r_k = mcc
nmi = normalized_mutual_information
cramers_v = cramer_v
ari = adjusted_rand_index
adjusted_rand = adjusted_rand_index
cen = confusion_entropy
ece = expected_calibration_error
mce = max_calibration_error
maximum_calibration_error = max_calibration_error
rmsce = rms_calibration_error
root_mean_squared_calibration_error = rms_calibration_error
smece = smooth_calibration_error
smooth_ece = smooth_calibration_error
macro_averaged_mae = macro_mae
h_precision = hierarchical_precision
h_recall = hierarchical_recall
h_f1 = hierarchical_f1
exact_match = subset_accuracy
exact_match_ratio = subset_accuracy
lrap = label_ranking_average_precision
ranking_loss = label_ranking_loss
discounted_cumulative_gain = dcg
normalized_discounted_cumulative_gain = ndcg
cross_entropy = log_loss
negative_log_likelihood = log_loss
logloss = log_loss
brier_score = brier
brier_score_loss = brier
top_k = top_k_accuracy
hinge = hinge_loss
rps = ranked_probability_score
d2_log_loss_score = log_loss_skill
d2_log_loss = log_loss_skill
brier_skill_score = brier_skill
d2_brier_score = brier_skill
auroc = roc_auc
auc = roc_auc
auc_roc = roc_auc
roc_auc_score = roc_auc
ap = average_precision
average_precision_score = average_precision
kolmogorov_smirnov = ks
ks_statistic = ks
recall_at_fixed_precision = recall_at_precision
precision_at_fixed_recall = precision_at_recall
recall_at_specificity = sensitivity_at_specificity
specificity_at_recall = specificity_at_sensitivity
recall_at_fpr = tpr_at_fpr
max_f = f_max
eer = equal_error_rate
partial_pr_area = partial_average_precision
logauc = log_auc
auprg = pr_gain_auc
precision_recall_gain_auc = pr_gain_auc
area_under_risk_coverage = aurc
e_aurc = excess_aurc
cumulative_gain = gain
ppv = precision
positive_predictive_value = precision
sensitivity = recall
tpr = recall
true_positive_rate = recall
hit_rate = recall
tnr = specificity
true_negative_rate = specificity
selectivity = specificity
npv = negative_predictive_value
fbeta = f_beta
f_score = f1
f_measure = f1
dice = f1
iou = jaccard
intersection_over_union = jaccard
critical_success_index = jaccard
threat_score = jaccard
fpr = false_positive_rate
fall_out = false_positive_rate
false_alarm_rate = false_positive_rate
type_1_error = false_positive_rate
fnr = false_negative_rate
miss_rate = false_negative_rate
type_2_error = false_negative_rate
fdr = false_discovery_rate
false_omission = false_omission_rate
fomr = false_omission_rate
predicted_prevalence = selection_rate
detection_prevalence = selection_rate
youden_j = informedness
bookmaker_informedness = informedness
delta_p = markedness
lr_plus = positive_likelihood_ratio
plr = positive_likelihood_ratio
lr_minus = negative_likelihood_ratio
nlr = negative_likelihood_ratio
binary_accuracy = one_vs_rest_accuracy
ochiai = fowlkes_mallows
binary_mcc = one_vs_rest_mcc
dor = diagnostic_odds_ratio
yules_q = yule_q
iba = index_of_balanced_accuracy
