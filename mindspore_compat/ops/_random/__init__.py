"""Random numbers, permutations, sampling, and dropout."""
