"""Convolution in compiled loops, without copied windows where it can be."""
