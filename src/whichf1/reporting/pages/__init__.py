"""Pages: one HTML file each, which needs no network and opens from disk."""
