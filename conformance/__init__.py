"""Tests, name by name, whether an implementation of the MindSpore API does what its documentation
says.

Run `python -m conformance read | run | compare | generate | report`, or `pytest --conformance`.
`spec/` has facts read from the documentation, `answers/` recorded answers of real MindSpore. Only
worker processes import what is tested (`worker/`).

Packages, each of which imports only from those above it; `docs/test_your_implementation.rst`
describes them:

sentences, reading, arguments, calls, kinds, running, then mutation, varied and reports, then worker
"""
