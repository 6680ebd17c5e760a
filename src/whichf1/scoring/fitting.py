"""Which definitions can be computed from which counts."""

from __future__ import annotations

from whichf1.definitions.definition import Definition
from whichf1.errors import DefinitionError
from whichf1.metrics import COUNTED
from whichf1.tables.counts import Counts
from whichf1.tables.label_sets import MultiLabelCounts


def refuse_other_data(definition: Definition, counts: Counts) -> None:
    """Raise where a definition is not computed from such counts."""
    metric, sets = definition.declaration, isinstance(counts, MultiLabelCounts)
    if metric.kind not in (*COUNTED, "items"):
        raise DefinitionError(
            f"{metric.name} is computed from scores, not from predicted classes: call "
            f"{metric.name}(y_true, scores), or give the scores' column with --score or --probs"
        )
    if not sets and (metric.kind == "items" or definition.average == "samples"):
        raise DefinitionError(
            f"{definition.signature} is for sets of labels, and these items have one class each. "
            "Count sets with count_multilabel, or --labels-sep."
        )
