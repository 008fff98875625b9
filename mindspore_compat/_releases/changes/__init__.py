"""What changed in which release: the table that behaviour, documentation and tests are made from.

The sources are MindSpore's release notes and the pages of its documentation of each release.
"""

from . import datasets, layers, operators, training

CHANGES = [*training.ROWS, *layers.ROWS, *operators.ROWS, *datasets.ROWS]
