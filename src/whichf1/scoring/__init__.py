"""From data and a definition to a score."""
