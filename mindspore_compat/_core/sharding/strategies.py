"""Converts strategies to mesh axes. A strategy tells into how many parts each axis of an operator's
inputs is divided.

    dims = divisions("MatMul", mesh, [(4, 8), (8, 6)], [(2, 1), (1, 4)], letters)

An entry of a strategy is a tuple with a number of parts for each axis, or a Layout. Axes with the
same letter are divided in the same way. The numbers take mesh axes from the first one on, letter by
letter; along the remaining mesh axes, ranks hold copies. In the example on 8 ranks, rank r has row
block r // 4 of the first matrix, and column block r % 4 of the second one.
"""

import functools
import hashlib
import math
import weakref

from ..rules.vocabulary import InstanceOf


class LongText(str):
    """A text that ranks compare in every step; `digest` stands for it, in 16 characters that are
    the same in all processes, and is computed once."""

    @functools.cached_property
    def digest(self):
        return hashlib.blake2b(self.encode(), digest_size=8).hexdigest()


class Declared:
    """The strategies that primitives and Cells of a network have before it runs.

    Args:
        network (Cell): the network; None for a function, about which nothing is known.

    Attributes:
        strategies (tuple): pairs of a name and the text of strategies.
        text (LongText): the text of all of them.
    """

    changes = 0  # counts assignments of strategies; earlier collections are invalid
    _of_networks = weakref.WeakKeyDictionary()

    def __init__(self, network):
        self.version, self._owners, strategies = Declared.changes, {}, []
        for name, cell in () if network is None else network.cells_and_names():
            if cell._cell_strategies is not None:
                self._owners[id(cell)] = cell
                strategies.append((name or type(cell).__name__, text_of(cell._cell_strategies)))
            for key, value in vars(cell).items():
                if getattr(type(value), "_follows_strategy", False):
                    self._owners[id(value)] = value
                    pair = value.attrs["in_strategy"], value.attrs["out_strategy"]
                    strategies.append((f"{name}.{key}".strip("."), text_of(pair)))
        self.strategies, self.text = tuple(strategies), LongText(strategies)

    @classmethod
    def outdate(cls):
        """Discards the collected strategies after one was set. The next call of `of` collects them
        again."""
        cls.changes += 1

    @classmethod
    def of(cls, network):
        """Returns the Declared of a Cell or a function. It is kept until a strategy is set."""
        if not hasattr(network, "cells_and_names"):
            return _NOTHING_DECLARED
        declared = cls._of_networks.get(network)
        if declared is None or declared.version != cls.changes:
            declared = cls._of_networks[network] = cls(network)
        return declared

    def has(self, owner):
        """Returns whether the strategy of a primitive or Cell is among them."""
        return id(owner) in self._owners


_NOTHING_DECLARED = Declared(None)


def text_of(strategy):
    """Returns a strategy, or a sequence or dict of strategies, as text."""
    if hasattr(strategy, "to_dict"):
        fields = strategy.to_dict()
        return f"Layout({fields['device_matrix']}, {fields['tensor_map']})"
    if isinstance(strategy, dict):
        return text_of(list(strategy.items()))
    if isinstance(strategy, (tuple, list)):
        return f"({', '.join(map(text_of, strategy))})"
    return str(strategy)


_RULES = {
    "in_strategy": InstanceOf(tuple),
    "out_strategy": InstanceOf(tuple) | None,
    "parameter_plan": InstanceOf(dict) | None,
}


def are_strategies(*values):
    """Returns whether the arguments of `shard` after the function have the types that it needs."""
    return all(rule.accepts(value) for rule, value in zip(_RULES.values(), values, strict=True))


def refuse_strategies(*values):
    """Raises a TypeError unless `are_strategies`."""
    for (name, rule), value in zip(_RULES.items(), values, strict=True):
        rule.refuse("shard", name, value)


def letters_of(name, ranks, transposed=(), layout=None):
    """Returns the letters of the axes of an operator's inputs. A letter with "?" stands for an axis
    that may also stay whole.

    Args:
        name (str): the primitive.
        ranks (Sequence[int]): the number of axes of each input.
        transposed (Sequence[bool]): for a product, whether each input is transposed.
        layout (str): for attention, the order of the axes of queries, keys and values.
    """
    if name == "FlashAttentionScore":
        query = ["N" if letter == "H" else letter for letter in layout]
        key = ["?S" if letter == "S" else letter for letter in query]
        masks = [["B", "N", "S", "keys"][-rank:] for rank in ranks[3:]]
        return [query, key, key, *masks][: len(ranks)]
    if name in ("MatMul", "BatchMatMul"):
        return [
            [*range(-rank + 2, 0), *(pair[::-1] if is_transposed else pair)]
            for rank, pair, is_transposed in zip(ranks, ("mk", "kn"), (*transposed, False, False))
        ]
    if name in ("Conv2D", "Conv3D"):
        spatial = [[f"{kind}{i}" for i in range(ranks[0] - 2)] for kind in ("x", "w")]
        return [["n", "c", *spatial[0]], ["o", "c", *spatial[1]]]
    if name in ("BiasAdd", "BatchNorm"):
        return [["n", "c", *range(ranks[0] - 2)], *(["c"] for _ in ranks[1:])]
    if name in ("Gather", "GatherV2"):
        return [[f"{number} {axis}" for axis in range(rank)] for number, rank in enumerate(ranks)]
    if name in ("SparseSoftmaxCrossEntropyWithLogits",):
        return [list(range(rank)) for rank in ranks]
    return [list(range(-rank, 0)) for rank in ranks]  # they broadcast


def divisions(api, mesh, shapes, strategies, letters):
    """Returns the mesh axes that divide each input.

    Args:
        api (str): the public name, for errors.
        mesh (Mesh): the ranks.
        shapes (Sequence[tuple]): the shapes of the inputs.
        strategies (Sequence): for each input a tuple of ints or a Layout; None leaves an input as
            it is.
        letters (Sequence): the letters of the axes of each input.

    Raises:
        RuntimeError: if a strategy has the wrong number of axes, does not divide the number of
            ranks or a length, or divides axes differently that belong together.
    """
    layouts, axes_by_name, parts_of = [], {}, {}
    for number, (shape, strategy) in enumerate(zip(shapes, strategies, strict=False)):
        if strategy is None:
            layouts.append(None)
            continue
        if hasattr(strategy, "to_dict"):
            dims = layout_dims(api, mesh, strategy)
        else:
            _check(api, shape, strategy)
            dims = []
            for letter, length, parts in zip(letters[number], shape, strategy):
                is_optional = isinstance(letter, str) and letter.startswith("?")
                if parts == 1 and (length == 1 or is_optional):
                    dims.append(())
                    continue
                letter = letter[1:] if is_optional else letter
                if parts_of.setdefault(letter, parts) != parts:
                    raise RuntimeError(
                        f"For '{api}', a strategy must divide axes alike that belong together, "
                        f"but got {tuple(strategies)}."
                    )
                if letter not in axes_by_name:
                    used = {axis for axes in axes_by_name.values() for axis in axes}
                    axes_by_name[letter] = mesh.axes_for(parts, used)
                if axes_by_name[letter] is None:
                    raise _too_many(api, mesh, strategies)
                dims.append(axes_by_name[letter])
        need_divisible(api, mesh, shape, dims)
        layouts.append(tuple(dims))
    return layouts


def result_dims(api, mesh, shape, dims, strategy):
    """Returns the mesh axes that divide each axis of a result under a strategy; `dims` are those
    that divide it so far."""
    if hasattr(strategy, "to_dict"):
        axes_of_layout = layout_dims(api, mesh, strategy)
    else:
        _check(api, shape, strategy)
        divided_dims = [axes if mesh.count(axes) == n else None for axes, n in zip(dims, strategy)]
        axes_of_layout = []
        for axes, parts in zip(divided_dims, strategy):
            used = {a for dim_axes in (*divided_dims, *axes_of_layout) for a in dim_axes or ()}
            axes = mesh.axes_for(parts, used) if axes is None else axes
            if axes is None:
                raise _too_many(api, mesh, strategy)
            axes_of_layout.append(axes)
    need_divisible(api, mesh, shape, axes_of_layout)
    return tuple(axes_of_layout)


def data_dims(api, mesh, shape, strategy):
    """Returns the mesh axes that divide each axis of an input under a strategy; `shape` is the
    shape of a rank's own part.
    """
    if hasattr(strategy, "to_dict"):
        return layout_dims(api, mesh, strategy)
    _check(api, shape, strategy)
    axes_of_data = []
    for parts in strategy:
        axes = mesh.axes_for(parts, {axis for axes in axes_of_data for axis in axes})
        if axes is None:
            raise _too_many(api, mesh, strategy)
        axes_of_data.append(axes)
    return tuple(axes_of_data)


def layout_dims(api, mesh, layout):
    """Returns the mesh axes that a Layout gives each axis of a Tensor."""
    fields = layout.to_dict()
    matrix = fields["device_matrix"]
    if math.prod(matrix) != mesh.size:
        raise RuntimeError(
            f"For '{api}', the device matrix of a Layout must have one entry for each of the "
            f"{mesh.size} ranks, but got {matrix}."
        )
    axes, used = [], set()
    for length in matrix:
        axes.append(mesh.axes_for(length, used))
        used.update(axes[-1])
    dims = []
    for numbers in fields["tensor_map"]:
        numbers = numbers if isinstance(numbers, tuple) else (numbers,)
        dims.append(tuple(a for n in numbers if n != -1 for a in axes[len(matrix) - 1 - n]))
    return tuple(dims)


def _check(api, shape, strategy):
    if len(strategy) != len(shape):
        raise RuntimeError(
            f"For '{api}', a strategy must have one number for each of the {len(shape)} axes of "
            f"the shape {tuple(shape)}, but got {tuple(strategy)}."
        )
    for parts in strategy:
        if isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
            raise RuntimeError(
                f"For '{api}', a strategy must hold ints that are at least 1, but got "
                f"{tuple(strategy)}."
            )


def _too_many(api, mesh, strategies):
    return RuntimeError(
        f"For '{api}', the numbers of a strategy must together divide the {mesh.size} ranks, but "
        f"got {tuple(strategies)}."
    )


def need_divisible(api, mesh, shape, dims):
    """Raises a RuntimeError unless `dims` names the mesh axes for each axis of a shape, and they
    cut each axis into equal parts."""
    if len(dims) != len(shape):
        raise RuntimeError(
            f"For '{api}', a Layout must have one entry for each of the {len(shape)} axes of the "
            f"shape {tuple(shape)}, but got {len(dims)}."
        )
    for axis, (length, axes) in enumerate(zip(shape, dims)):
        if length % mesh.count(axes):
            raise RuntimeError(
                f"For '{api}', the length of axis {axis} must be a multiple of "
                f"{mesh.count(axes)}, into which the strategy divides it, but got the shape "
                f"{tuple(shape)}."
            )
