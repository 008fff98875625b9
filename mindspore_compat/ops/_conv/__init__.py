"""Convolution, transposed convolution, and sliding windows (im2col), which pooling uses, too."""
