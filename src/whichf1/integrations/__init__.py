"""Other libraries, each in one module that follows its conventions."""
