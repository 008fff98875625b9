"""What the layers of convolution share, and the transposed ones."""
