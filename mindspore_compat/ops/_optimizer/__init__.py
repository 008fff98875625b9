"""The optimizers' formulas, and the Primitives that apply them in place."""
