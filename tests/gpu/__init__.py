"""GPU checks in one command: `python -m tests.gpu` (docs/gpu.rst)."""
