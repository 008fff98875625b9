"""Reverse-mode differentiation of operations: the tape, and the vjp rules of `xp`."""
