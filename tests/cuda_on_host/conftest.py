"""The checks of the simulated CUDA are collected only where it is in use."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("simulated_cuda") else ["checks/*"]
