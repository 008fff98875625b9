"""The checks of the simulated CUDA are collected where it is, and nowhere else."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("simulated_cuda") else ["checks/*"]
