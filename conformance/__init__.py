"""Tests, name by name, whether an implementation of the MindSpore API does what the documentation
says.

`python -m conformance read | run | compare | generate | report`, or `pytest --conformance`. Facts
read from the documentation are in `spec/`, recorded answers of real MindSpore in `answers/`. This
package never imports what it tests: worker processes do (`worker.py`).
"""
