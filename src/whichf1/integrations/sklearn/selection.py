"""Any score, for model selection with scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.metrics import make_scorer

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError, LabelError
from whichf1.integrations.sklearn.drop_in import Items
from whichf1.metrics import COUNTED
from whichf1.scoring.evaluate import run
from whichf1.scoring.functions import with_options

_CONTINUOUS = ("decision_function", "predict_proba")
"""The methods of an estimator for metrics that rank items; the first that it has is used."""


class SelectionMetric:
    """A definition as scikit-learn calls a metric; it can be pickled."""

    def __init__(self, definition: Definition, labels: Any) -> None:
        self.definition, self.labels = definition, labels
        self.__name__ = definition.signature

    def __call__(
        self, y_true: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Any = None
    ) -> float:
        """The value as a plain float; scikit-learn turns an error into NaN unless told to raise."""
        definition = self.definition
        scored = definition.declaration.kind in ("ranking", "loss")
        if scored and getattr(y_pred, "ndim", 2) == 1:
            first, second = self._classes(y_true)
            if definition.positive == first:  # scikit-learn gives the scores of the second class
                y_pred = 1 - y_pred if definition.declaration.probabilities else -y_pred
            elif definition.positive is None:
                definition = definition.settled(positive=second)
        return float(run(definition, y_true, y_pred, self.labels, sample_weight))

    def _classes(self, y_true: Any) -> list[Any]:
        """The two classes of an estimator, in its order."""
        labels = Items.of(y_true).labels if self.labels is None else sorted(self.labels)
        if self.labels is None and {*labels} <= {0, 1}:
            return [False, True] if isinstance(labels[0], bool) else [0, 1]
        if len(labels) != 2:
            raise LabelError(
                f"scores of one class are for two classes, but these items have {labels[:20]!r}: "
                "pass labels= with both"
            )
        return labels


def scorer(
    metric: Any,
    *,
    pos_label: Any = None,
    labels: Any = None,
    response_method: Any = None,
    **options: Any,
) -> Any:
    """Make a scorer from any score, for ``cross_validate``, ``GridSearchCV`` and similar.

    Parameters
    ----------
    metric : str or metric
        A name, a signature, a Definition or a metric function.
    pos_label : int, float, bool or str
        The class of a rate, or the class that scores refer to. By default, scores refer to the
        second class, as everywhere in scikit-learn.
    labels : list
        All classes, in order. Needed if a fold may lack one of them.
    response_method : str or tuple of str
        The method of the estimator to use. By default, ``"predict"`` for metrics of predictions,
        ``"predict_proba"`` for metrics of probabilities, and the first of ``"decision_function"``
        and ``"predict_proba"`` that it has for rankings; for means over several classes,
        ``"predict_proba"`` comes first.
    **options
        The options of the metric, such as ``average="macro"``.

    Returns
    -------
    callable
        A scorer as from ``sklearn.metrics.make_scorer``. Lower-is-better metrics are negated.
        For weights, call its ``set_score_request(sample_weight=True)``.

    Raises
    ------
    DefinitionError
        If the metric or an option is unknown, if the class of a rate is missing, or if neither
        higher nor lower values are better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from whichf1.integrations.sklearn import scorer
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> cross_val_score(tree, *load_iris(return_X_y=True), scoring=scorer("averaged_f1")).round(3)
    array([0.967, 0.967, 0.9  , 0.967, 1.   ])
    """
    positive = {} if pos_label is None else {"positive": pos_label}
    definition = with_options(metric, {**options, **positive}).settled(data=())
    declared = definition.declaration
    one = definition.positive
    if declared.kind == "rate" and definition.average is None and one is None:
        raise DefinitionError(
            f"{declared.name} of which class? Pass pos_label=CLASS, or average='macro', 'weighted' "
            "or 'micro'."
        )
    if declared.better == "neither":
        raise DefinitionError(
            f"a scorer selects the best, but neither high nor low values of {declared.name} are "
            f"better"
        )
    scored = declared.kind not in (*COUNTED, "items")
    if response_method is None:
        # decision functions of several classes are not on one scale
        ranked = _CONTINUOUS if definition.average is None else _CONTINUOUS[::-1]
        scores = "predict_proba" if declared.probabilities else ranked
        response_method = scores if scored else "predict"
    # one of several scorers would get the scores of another's pos_label, which are cached
    given = {} if one is None or scored else {"pos_label": one}
    return make_scorer(
        SelectionMetric(definition, labels),
        response_method=response_method,
        greater_is_better=declared.better == "higher",
        **given,
    )
