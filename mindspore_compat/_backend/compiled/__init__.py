"""Loops that Numba compiles (the extra `fast`): the compiler, and the text that it is given."""
