"""Convolution, transposed convolution, and the sliding windows (im2col) that pooling shares."""
