"""Loops that Numba compiles (the extra `fast`): the compiler and the generated source text."""
