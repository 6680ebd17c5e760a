"""What leaves the data, and adds up: counts, label sets, rankings, moments and slices."""
