"""Tests whether an implementation of the MindSpore API behaves as documented, one public name at a
time.

Run `python -m conformance read | run | compare | generate | report`, or `pytest --conformance`.
`spec/` has facts read from the documentation, `answers/` recorded answers of real MindSpore. Only
worker processes (`worker/`) import the implementation under test.

The packages are layers, from the lowest to the highest; each imports only from lower ones.
`docs/test_your_implementation.rst` describes them:

sentences, reading, arguments, calls, kinds, running, then mutation, varied and reports, then worker
"""
