"""What a GPU is asked, in one command: `python -m tests.gpu` (docs/gpu.rst)."""
