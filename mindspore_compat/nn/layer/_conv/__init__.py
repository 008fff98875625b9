"""Base classes of the convolution layers, and the transposed convolution layers."""
