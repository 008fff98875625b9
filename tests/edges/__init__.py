"""Calls every operator and layer with operands at the edges of their dtypes and shapes, and
compares the results of two ways to compute them: `python -m tests.edges --help`.

The calls are those of the conformance specs (calls.py). variants.py replaces the numbers, shapes
and dtypes of their Tensors. worker.py makes the calls in one way (PyNative or graph mode, with or
without compiled loops, in float64, on views, in real MindSpore), and compare.py compares two ways.
"""
