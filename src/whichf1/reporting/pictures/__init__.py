"""Pictures of results: what is drawn, independently of the renderer."""
