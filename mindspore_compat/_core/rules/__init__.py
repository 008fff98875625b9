"""Parameter rules: checks declared in signatures, and their error messages."""
