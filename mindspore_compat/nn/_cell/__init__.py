"""The parts of `Cell`: members, naming, state, hooks, settings."""
