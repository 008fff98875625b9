"""Helpers of initializers: fan-in, fan-out and streams of random values."""
