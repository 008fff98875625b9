"""The table of changes by release, which determines behaviour, documentation and tests.

The sources are MindSpore's release notes and the pages of its documentation of each release.
"""

from . import datasets, layers, operators, training

CHANGES = [*training.ROWS, *layers.ROWS, *operators.ROWS, *datasets.ROWS]
