"""Operators of quantization-aware training: fake quantization and batch normalization folding."""
