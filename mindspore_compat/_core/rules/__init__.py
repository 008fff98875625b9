"""Parameter rules: checks in signatures, their refusals, and their words."""
