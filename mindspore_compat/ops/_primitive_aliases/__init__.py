"""Primitives that MindSpore exposes under internal paths, such as `ops.auto_generate.AcosExt`.

A Primitive that duplicates a public function is a line of the table in names.py, from which
alias.py makes a class. Primitives with arithmetic of their own are with their subject in the
packages of `ops`: `internal.py` has those composed of public functions, loaded with an internal
path, and `gradients.py` the operators that take intermediate results of another operator (masks,
statistics).
"""
