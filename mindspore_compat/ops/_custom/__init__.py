"""Operators written by users: `ops.Custom`, `ops.kernel` and their registration."""
