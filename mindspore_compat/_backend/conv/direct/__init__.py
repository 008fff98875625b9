"""Direct convolution: compiled loops that avoid copying windows where possible."""
