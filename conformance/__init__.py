"""Does an implementation of the MindSpore API keep what the documentation promises? Name by name,
with cases to show it.

`python -m conformance read | run | compare | generate | report`, or `pytest --conformance`. Facts
read from the documentation stand in `spec/`, answers of real MindSpore in `answers/`. The package
never imports what it tests: workers of their own do (`worker.py`).
"""
