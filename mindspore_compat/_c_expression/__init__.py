"""The original's compiled module, of which pickles and a few scripts name the types only."""
