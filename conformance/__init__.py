"""Tests, name by name, whether an implementation of the MindSpore API does what its documentation
says.

Run `python -m conformance read | run | compare | generate | report`, or `pytest --conformance`.
`spec/` has facts read from the documentation, `answers/` recorded answers of real MindSpore. This
package never imports what it tests; worker processes do (`worker.py`).
"""
