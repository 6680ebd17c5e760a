"""Other libraries, each in one module that speaks their words."""
