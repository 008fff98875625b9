"""Inputs that a reader once treated wrongly: (reader, file, content)."""

INPUTS = [("vocab", "lines.txt", b"one\ntwo\none\n")]
