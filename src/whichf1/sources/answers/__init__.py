"""From an engine's answer to tables."""
