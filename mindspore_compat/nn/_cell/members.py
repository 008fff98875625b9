"""The members of a Cell: its named parameters, sub-cells and buffers.

Layers in a plain list or dict are not members; `warn_of_hidden_layers` warns of them.

`Members` is the ordered dict behind `Cell._params`, `Cell._cells` and `Cell._buffers`. Each member
is also stored in the Cell's `__dict__`, so reading `self.weight` is a plain attribute access, and
code that changes a network through `cell._cells[name] = other` keeps working.
"""

import re
import weakref
from collections import OrderedDict

from ... import log
from ..._core.rules.vocabulary import Str

_searched = weakref.WeakSet()  # the Cells whose hidden layers need no further warning
_PREFIX = re.compile(r"^\w*[0-9a-zA-Z_.\-]*$", re.ASCII)


class Members(OrderedDict):
    """Ordered dict of the members of one kind, mirrored in the attributes of their owner.

    The reference to the owner is weak: the owner holds this dict, and a network must be freed
    without waiting for the garbage collector.
    """

    def __init__(self, owner, members=()):
        self.owner = weakref.ref(owner)
        super().__init__()
        for name, member in dict(members).items():
            self[name] = member

    def __setitem__(self, name, member):
        super().__setitem__(name, member)
        owner = self.owner()
        if owner is not None:
            owner.__dict__[name] = member

    def __delitem__(self, name):
        super().__delitem__(name)
        owner = self.owner()
        if owner is not None:
            owner.__dict__.pop(name, None)

    def pop(self, name, *default):
        """Removes a member and returns it."""
        if name not in self:
            return OrderedDict.pop(self, name, *default)
        member = self[name]
        del self[name]
        return member

    def popitem(self, last=True):
        """Removes the last (or first) member and returns its name and the member."""
        name = next(reversed(self) if last else iter(self))
        return name, self.pop(name)

    def clear(self):
        """Removes all members."""
        for name in list(self):
            del self[name]

    def __reduce__(self):
        return OrderedDict, (list(self.items()),)

    def __repr__(self):
        return f"OrderedDict({list(self.items())!r})" if self else "OrderedDict()"


def hidden_layers(cell, kind):
    """Yields (layers, warning) for each attribute that holds layers in a plain list or dict. These
    layers are not members of the Cell, so their parameters are hidden.

    Args:
        cell: the Cell.
        kind: the class Cell.
    """
    # a Cell whose construction failed may have no members yet
    members = {id(member) for member in vars(cell).get("_cells", {}).values()}
    for name, value in vars(cell).items():
        if not isinstance(value, (list, tuple, dict)) or name.startswith("_"):
            continue
        found = value.values() if isinstance(value, dict) else value
        layers = [each for each in found if isinstance(each, kind) and id(each) not in members]
        if layers:
            container = "CellDict" if isinstance(value, dict) else "CellList"
            yield (
                layers,
                f"'{type(cell).__name__}' keeps layers in a {type(value).__name__}, '{name}', "
                f"which hides their parameters: use mindspore.nn.{container}",
            )


def warn_of_hidden_layers(root, kind):
    """Warns, once for a Cell, of parameters that an optimizer does not get, because a plain list or
    dict keeps their layers."""
    if root in _searched:
        return
    _searched.add(root)
    known = {id(parameter) for parameter in root.get_parameters()}
    for _, cell in root.cells_and_names():
        for layers, sentence in hidden_layers(cell, kind):
            parameters = [each for layer in layers for each in layer.get_parameters()]
            if any(each.requires_grad and id(each) not in known for each in parameters):
                log.warning(f"{sentence}.")


def check_prefix(prefix):
    """Raises an error unless a prefix consists of characters that parameter names may have."""
    Str.refuse("update_parameters_name", "prefix", prefix)
    if not _PREFIX.match(prefix):
        raise ValueError(
            "For 'update_parameters_name', 'prefix' must consist of letters, digits, "
            f"'_', '.' and '-', but got {prefix!r}."
        )


def indented(text):
    """Returns `text` with every line but the first moved two spaces to the right."""
    return text.replace("\n", "\n  ")


def layout(name, extra, members):
    """Returns the printed text of a Cell: its name, the text its class adds, and a line per
    sub-cell."""
    lines = extra.split("\n") if extra else []
    if len(lines) == 1 and not members:
        return f"{name}({lines[0]})"
    lines += [f"({key}): {indented(repr(member))}" for key, member in members.items()]
    if not lines:
        return f"{name}()"
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)"
