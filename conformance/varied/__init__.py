"""Calls of every name with one argument varied after another, and what they give.

`bases.py` finds a call to begin with, `changes.py` proposes variations, `record.py` asks real
MindSpore about them and keeps those that tell something. `stored.py` holds what is kept; `uses.py`
makes the calls in the worker.
"""
