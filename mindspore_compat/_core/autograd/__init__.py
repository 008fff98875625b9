"""Reverse and forward differentiation: the tape, the vjp rules of `xp`, and the public
transforms."""
