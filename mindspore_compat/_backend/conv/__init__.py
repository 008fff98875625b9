"""Convolution and pooling, on the host and on a GPU."""
