"""Calls of every name with one argument varied at a time, and their outcomes.

`bases.py` finds a call to begin with, `changes.py` proposes variations, `record.py` asks real
MindSpore about them and keeps the informative ones. `stored.py` stores them; `uses.py` makes the
calls in the worker.
"""
