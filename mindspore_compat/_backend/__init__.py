"""Arrays and devices: the only package that deals with differences between NumPy and CuPy.

It does not use Tensors.
"""
