"""NVIDIA's libraries, called without CuPy between: products of matrices by cuBLAS, convolutions
by cuDNN."""
