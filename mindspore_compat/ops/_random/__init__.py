"""Random numbers, permutations, samples, and dropout."""
