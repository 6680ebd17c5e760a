"""Other people's numbers: dialects, explanations and audits."""
