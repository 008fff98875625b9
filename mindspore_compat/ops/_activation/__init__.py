"""Activation functions: elementwise, in-place, and softmax with its variants."""
