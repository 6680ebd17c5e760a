"""Pictures of results: what is drawn, apart from who draws it."""
