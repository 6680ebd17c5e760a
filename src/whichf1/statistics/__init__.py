"""A score as a function of counts: its value, slope, replicates and interval."""
