"""Arrays and devices: the one package that names NumPy's and CuPy's differences; it knows no
Tensor."""
