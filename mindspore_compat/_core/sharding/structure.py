"""The structure of a network: its Cells, with their classes and parameters. The ranks of a divided
network compare it, since different networks may exchange nothing that would reveal the difference.
"""

import weakref

from .strategies import LongText


class Structure:
    """The structure of a network, as it was when the network first ran divided.

    Args:
        network (Cell): the network.

    Attributes:
        parts (tuple): for each Cell a pair of its name and a text.
        digest (str): stands for all of them, in few characters.
    """

    _of_networks = weakref.WeakKeyDictionary()

    def __init__(self, network):
        cells = network.cells_and_names()
        self.parts = tuple((name or "the network", _text(cell)) for name, cell in cells)
        self.digest = LongText(self.parts).digest

    @classmethod
    def of(cls, network):
        """Returns the Structure of a Cell, or None for a function, whose structure is unknown."""
        if not hasattr(network, "cells_and_names"):
            return None
        structure = cls._of_networks.get(network)
        if structure is None:
            structure = cls._of_networks[network] = cls(network)
        return structure


def _text(cell):
    parameters = [
        f"{key} {tuple(parameter._array.shape)} {parameter._array.dtype.name}"
        for key, parameter in cell.__dict__["_params"].items()
        if parameter is not None
    ]
    return f"{type(cell).__name__}({', '.join(parameters)})"
