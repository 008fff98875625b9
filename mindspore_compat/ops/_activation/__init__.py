"""Activation functions: element by element, in place, and softmax with its kin."""
