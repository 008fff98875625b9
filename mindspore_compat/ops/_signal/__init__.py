"""Fourier and cosine transforms, window functions, STFT."""
