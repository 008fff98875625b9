"""Starts the stand-in for a checkout that is used without installing it.

`python -m mindspore_compat` adds this folder to the PYTHONPATH of its children if no installed
`_mindspore_compat_startup` is found. A `sitecustomize` later on the path still runs.
"""

import importlib.machinery
import importlib.util
import os
import sys

import _mindspore_compat_startup

_mindspore_compat_startup.start()

here = os.path.dirname(os.path.abspath(__file__))
if importlib.machinery.PathFinder.find_spec("mindspore_compat") is None:
    sys.path.append(os.path.dirname(os.path.dirname(here)))
others = [folder for folder in sys.path if os.path.abspath(folder) != here]
spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
if spec is not None:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
