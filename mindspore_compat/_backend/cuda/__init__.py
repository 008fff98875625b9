"""Direct calls of NVIDIA's libraries, bypassing CuPy: matrix products by cuBLAS, convolutions by
cuDNN."""
