"""Cells that contain other Cells: as a sequence that is computed, as a list, as a dict.

Members of SequentialCell and CellList are numbered, and the numbers are part of the names of their
parameters ("layers.3.weight"). If a member is added or removed later, the names of the existing
members show where a name has its number.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import CellOf, InstanceOf, Str, checked
from ..cell import Cell

_AnyInt = InstanceOf(int)

__all__ = ["SequentialCell", "CellList", "CellDict"]


def _need_cell(api, cell):
    if not isinstance(cell, Cell):
        CellOf.refuse_part(api, "each member", cell)


def _index(api, index, size, also=0):
    """Returns `index` counted from the front; it may equal the size if `also` is 1."""
    if not isinstance(index, int):
        _AnyInt.refuse(api, "index", index)
    if not -size <= index < size + also:
        raise IndexError(
            f"For '{api}', 'index' must be in [{-size}, {size + also}), but got {index}."
        )
    return index % size if index < size and size else index


def _prefix_and_position(cells):
    """Finds the position of the keys of `cells` in their parameters' names; returns (the prefix,
    the number of name parts before the key).

    The first member with parameters has its key at one or more positions of its first name. The
    right position is the one at which the next such member has its own key too; if there is none,
    the last position.
    """
    names = [
        (key, param.name.split("."))
        for key, cell in cells.items()
        if cell is not None
        for param in [next(cell.get_parameters(), None)]
        if param is not None
    ]
    if not names:
        return "", 0
    key, parts = names[0]
    fits = [i for i, part in enumerate(parts) if part == key] or [0]
    at = next(
        (i for i in fits if len(names) > 1 and names[1][0] in names[1][1][i : i + 1]), fits[-1]
    )
    return "".join(f"{part}." for part in parts[:at]), at


_get_prefix_and_index = _prefix_and_position  # names that libraries import


def _valid_index(cell_num, index, op_name=None):
    """Returns `index` counted from the front of `cell_num` Cells."""
    return _index(op_name or "Container", index, cell_num)


def _valid_cell(cell, op_name=None):
    """Returns True; raises a TypeError if `cell` is not a Cell."""
    _need_cell(op_name or "Container", cell)
    return True


def _renumber(cell, at, number):
    """Replaces part `at` of the names of the parameters of `cell` by a number."""
    for param in cell.get_parameters():
        parts = param.name.split(".")
        if at < len(parts):
            parts[at] = number
            param.name = ".".join(parts)


class _Container(Cell):
    """Base class of all containers."""

    def set_grad(self, requires_grad=True):
        """Marks this Cell and its members as Cells to be differentiated; returns this Cell."""
        self.requires_grad = requires_grad
        for cell in self._cells.values():
            cell.set_grad(requires_grad)
        return self


class _Numbered(_Container):
    """Base class of SequentialCell and CellList, whose members are numbered."""

    def __len__(self):
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells.values())

    def _key(self, index):
        return list(self._cells)[_index(type(self).__name__, index, len(self))]

    def __setitem__(self, index, cell):
        _index(type(self).__name__, index, len(self))
        _need_cell(type(self).__name__, cell)
        self._add(cell, _prefix_and_position(self._cells)[0], self._key(index))

    def __delitem__(self, index):
        InstanceOf(int, slice).refuse(type(self).__name__, "index", index)
        keys = list(self._cells)[index] if isinstance(index, slice) else [self._key(index)]
        _, at = _prefix_and_position(self._cells)
        remaining = [(key, cell) for key, cell in self._cells.items() if key not in keys]
        self._cells.clear()
        for number, (key, cell) in enumerate(remaining):
            self._take(key, cell, str(number), at)

    def _take(self, key, cell, number, at):
        """Stores a member under its new number. A member with a name of its own keeps it."""
        if not key.isdigit():
            self._cells[key] = cell
            return
        if self._auto_prefix and key != number:
            _renumber(cell, at, number)
        self._cells[number] = cell

    def append(self, cell):
        """Appends a Cell.

        Raises:
            TypeError: if `cell` is not a Cell.
        """
        _need_cell(type(self).__name__, cell)
        self._add(cell, _prefix_and_position(self._cells)[0], str(len(self)))

    def _add(self, cell, prefix, key):
        """Stores a member under `key`, and puts `prefix` and `key` in front of the names of its
        parameters.
        """
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{key}.")
        self._cells[key] = cell


@public("nn.SequentialCell")
class SequentialCell(_Numbered):
    """Sequential container: runs its Cells in order, each on the output of the previous one.

    Args:
        *args (Union[Cell, list[Cell], OrderedDict]): Cells, or one list of Cells, or one
            OrderedDict of names and Cells.

    Inputs:
        - **input_data** (Tensor): the input of the first Cell.

    Outputs:
        What the last Cell returns.

    Raises:
        TypeError: if `args` is something else.

    Examples:
        >>> from mindspore_compat import nn
        >>> nn.SequentialCell(nn.Flatten(), nn.Dense(4, 2))
        SequentialCell(
          (0): Flatten()
          (1): Dense(input_channels=4, output_channels=2, has_bias=True)
        )
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and not isinstance(args[0], Cell):
            members = args[0]
            if isinstance(members, OrderedDict):
                members = list(members.items())
            elif isinstance(members, list):
                members = [(str(number), cell) for number, cell in enumerate(members)]
            else:
                raise TypeError(
                    f"For 'SequentialCell', 'args' must be Cells, a list or an "
                    f"OrderedDict, but got {members!r} of type "
                    f"{type(members).__name__}."
                )
        else:
            members = [(str(number), cell) for number, cell in enumerate(args)]
        for _, cell in members:
            _need_cell("SequentialCell", cell)
        for name, cell in members:
            self.insert_child_to_cell(name, cell)
            cell.update_parameters_name(name + ".")

    @property
    def cell_list(self):
        """The members, as a list."""
        return list(self._cells.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self._cells[self._key(index)]

    def construct(self, input_data):
        """Runs all members in order, and returns the output of the last."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


@public("nn.CellList")
class CellList(_Numbered):
    """List of Cells that are members of the network; the owner of the list calls them.

    Args:
        *args (list[Cell]): one list of Cells, or nothing.
        auto_prefix (bool): whether the numbers become part of the parameters' names.

    Raises:
        TypeError: if `args` is not a list, or holds something else than Cells, or a CellDict.

    Examples:
        >>> from mindspore_compat import nn
        >>> layers = nn.CellList([nn.ReLU()])
        >>> layers.append(nn.Dense(2, 2))
        >>> len(layers)
        2
    """

    def __init__(self, *args, auto_prefix=True, **kwargs):
        super().__init__(bool(auto_prefix))
        if len(args) == 1:
            self.extend(args[0])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._cells.values())[index], auto_prefix=self._auto_prefix)
        InstanceOf(int).called("an int or a slice").refuse("CellList", "index", index)
        return self._cells[self._key(index)]

    def __iadd__(self, cells):
        return self.extend(cells)

    def insert(self, index, cell):
        """Inserts a Cell before position `index`.

        Raises:
            TypeError: if `index` is not an int or `cell` not a Cell.
            IndexError: if there is no such position.
        """
        index = _index("CellList", index, len(self), also=1)
        _need_cell("CellList", cell)
        prefix, at = _prefix_and_position(self._cells)
        members = list(self._cells.values())
        members.insert(index, cell)
        for number in range(len(members) - 1, -1, -1):
            if self._auto_prefix and number > index:
                _renumber(members[number], at, str(number))
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{index}.")
        self._cells.clear()
        for number, member in enumerate(members):
            self._cells[str(number)] = member

    @checked
    def extend(self, cells: InstanceOf(list)):
        """Appends the Cells of a list, and returns this CellList.

        Raises:
            TypeError: if `cells` is not a list, or holds something else than Cells.
        """
        for cell in cells:
            _need_cell("CellList", cell)
            if isinstance(cell, CellDict):
                raise TypeError("For 'CellList', 'cells' must not hold a CellDict.")
        prefix, _ = _prefix_and_position(self._cells)
        for number, cell in enumerate(cells, len(self)):
            self._add(cell, prefix, str(number))
        return self

    def construct(self, *inputs):
        """Raises an error: a list computes nothing."""
        raise NotImplementedError("A CellList has no 'construct': its owner calls the members.")


@public("nn.CellDict")
class CellDict(_Container):
    """Dict of Cells that are members of the network; the owner of the dict calls them.

    Args:
        *args: one mapping of names to Cells, or an iterable of such pairs.

    Raises:
        TypeError: if `args` is something else, a name is not a str, or a member not a Cell, or
            itself a CellDict, CellList or SequentialCell.
        KeyError: if a name is empty, contains '.', or is an attribute of Cell.
        ValueError: if an element of the iterable is not a pair.

    Examples:
        >>> from mindspore_compat import nn
        >>> heads = nn.CellDict({"box": nn.Dense(4, 4), "label": nn.Dense(4, 2)})
        >>> list(heads)
        ['box', 'label']
    """

    def __init__(self, *args, **kwargs):
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def __getitem__(self, key):
        return self._cells[key]

    def __setitem__(self, key, cell):
        self._need_member(key, cell)
        if self._auto_prefix:
            prefix, _ = _prefix_and_position(self._cells)
            cell.update_parameters_name(f"{prefix}{key}.")
        self._cells[key] = cell

    def __delitem__(self, key):
        del self._cells[key]

    def __len__(self):
        return len(self._cells)

    def __bool__(self):
        """Returns True even without members. (An empty CellList is false, and `cells_and_names`
        skips it.)"""
        return True

    def __iter__(self):
        return iter(self._cells)

    def __contains__(self, key):
        return key in self._cells

    @staticmethod
    def _need_member(key, cell):
        Str.refuse_part("CellDict", "the key", key)
        if not key or "." in key:
            raise KeyError(
                f"For 'CellDict', the key must not be empty or contain '.', but got {key!r}."
            )
        if hasattr(CellDict, key):
            raise KeyError(
                f"For 'CellDict', the key must not be an attribute of Cell, but got {key!r}."
            )
        _need_cell("CellDict", cell)
        if isinstance(cell, (CellDict, _Numbered)):
            raise TypeError(
                f"For 'CellDict', a member must not be a CellDict, CellList or "
                f"SequentialCell, but got {type(cell).__name__}."
            )

    def clear(self):
        """Removes all members."""
        self._cells.clear()

    def pop(self, key):
        """Removes a member and returns it."""
        return self._cells.pop(key)

    def keys(self):
        """Returns the names of the members."""
        return OrderedDict(self._cells).keys()

    def values(self):
        """Returns the member Cells."""
        return OrderedDict(self._cells).values()

    def items(self):
        """Returns the (name, Cell) pairs of the members."""
        return OrderedDict(self._cells).items()

    @checked
    def update(self, cells: InstanceOf(Iterable).called("an iterable of pairs")):
        """Adds the members of a mapping or of an iterable of pairs; an existing name gets the new
        Cell."""
        if isinstance(cells, (Mapping, CellDict)):
            pairs = list(cells.items())
        else:
            pairs = [self._pair(number, pair) for number, pair in enumerate(cells)]
        for key, cell in pairs:
            self._need_member(key, cell)
        for key, cell in pairs:
            self[key] = cell

    @staticmethod
    def _pair(number, pair):
        InstanceOf(Iterable).called("a pair").refuse_part("CellDict", f"element {number}", pair)
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(
                f"For 'CellDict', element {number} must be a pair, but got {len(pair)} parts."
            )
        return pair

    def construct(self, *inputs):
        """Raises an error: a dict computes nothing."""
        raise NotImplementedError("A CellDict has no 'construct': its owner calls the members.")
