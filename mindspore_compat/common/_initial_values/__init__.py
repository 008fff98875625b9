"""What initializers compute with: fan-in, fan-out and streams of random values."""
