"""What an engine is asked."""
