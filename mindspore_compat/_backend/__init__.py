"""Arrays and devices: the one room that names NumPy's and CuPy's differences; it knows no
Tensor."""
