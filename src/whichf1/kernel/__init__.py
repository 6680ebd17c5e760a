"""The counting loops: all counting, ranking and summing of items goes through these functions.

They run in C if the extension was built and in NumPy otherwise, with the same results. Set
``WHICHF1_NATIVE=0`` in the environment to use NumPy, and ``WHICHF1_THREADS`` to limit the threads.
"""

from __future__ import annotations

import os

from whichf1.kernel import reference

NATIVE = os.environ.get("WHICHF1_NATIVE") != "0"
"""Whether the loops run in C."""
try:
    from whichf1.kernel import native
except ImportError:  # the extension was not built
    NATIVE = False

THREADS = native.THREADS if NATIVE else 1
TOLERANCE = reference.TOLERANCE
CountedTable = reference.CountedTable
Formula = reference.Formula
LossSums = reference.LossSums
TableSums = reference.TableSums
Pairs = reference.Pairs
RankAreas = reference.RankAreas
Ranks = reference.Ranks
SpreadSums = reference.SpreadSums
add_pairs = native.add_pairs if NATIVE else reference.add_pairs
beta_logit = native.beta_logit if NATIVE else reference.beta_logit
bin_sums = native.bin_sums if NATIVE else reference.bin_sums
bin_value = native.bin_value if NATIVE else reference.bin_value
brier_sums = native.brier_sums if NATIVE else reference.brier_sums
bucket_counts = native.bucket_counts if NATIVE else reference.bucket_counts
class_spread = native.class_spread if NATIVE else reference.class_spread
contingency = native.contingency if NATIVE else reference.contingency
count_class = native.count_class if NATIVE else reference.count_class
count_pairs = native.count_pairs if NATIVE else reference.count_pairs
count_table = native.count_table if NATIVE else reference.count_table
curve = native.curve if NATIVE else reference.curve
differentiate = native.differentiate if NATIVE else reference.differentiate
encode = native.encode if NATIVE else reference.encode
first_bad_row = native.first_bad_row if NATIVE else reference.first_bad_row
flips = native.flips if NATIVE else reference.flips
group_labels = native.group_labels if NATIVE else reference.group_labels
hinge_sums = native.hinge_sums if NATIVE else reference.hinge_sums
information = native.information if NATIVE else reference.information
information_of_each = native.information_of_each if NATIVE else reference.information_of_each
item_labels = native.item_labels if NATIVE else reference.item_labels
label_flags = native.label_flags if NATIVE else reference.label_flags
label_scores = native.label_scores if NATIVE else reference.label_scores
loss_sums = native.loss_sums if NATIVE else reference.loss_sums
margins = native.margins if NATIVE else reference.margins
multinomial = native.multinomial if NATIVE else reference.multinomial
order = native.order if NATIVE else reference.order
place_precisions = native.place_precisions if NATIVE else reference.place_precisions
placements = native.placements if NATIVE else reference.placements
rank_areas = native.rank_areas if NATIVE else reference.rank_areas
rank_buckets = native.rank_buckets if NATIVE else reference.rank_buckets
rank_labels = native.rank_labels if NATIVE else reference.rank_labels
rank_table = native.rank_table if NATIVE else reference.rank_table
rank_value = native.rank_value if NATIVE else reference.rank_value
running = native.running if NATIVE else reference.running
sum_rows = native.sum_rows if NATIVE else reference.sum_rows
table_spread = native.table_spread if NATIVE else reference.table_spread
table_value = native.table_value if NATIVE else reference.table_value
top_sums = native.top_sums if NATIVE else reference.top_sums
trapezoid = native.trapezoid if NATIVE else reference.trapezoid
