"""One step of an optimizer over all its parameters: it checks the gradients, then updates in place.

A Plan stores which parameters share their scalars (a *setting*: learning rate and decay) and which
of those are small enough to be updated together. All errors are raised before the first array is
written.
"""

import operator
from functools import partial

from ..._backend import arrays
from ..._backend.updates.complete import Reserve, Unit
from ..._backend.updates.flat_buffers import Pack, Scratch, groups_of_small
from ..._core.autograd.row_sparse import MarkedRows
from ..._core.autograd.tape import note_in_place_write
from ..._core.sharding.array import Sharded, ShardedSpace
from ..._core.sharding.staged import Staged, own_array
from ..._core.sharding.updates import divided_like, on_blocks, staged_like, updated
from ..._core.tensor.tensor import Tensor
from ...ops._optimizer.formulas import unscaled


class Rows:
    """A row-sparse gradient: the values of some rows; all other rows are zeros. No index occurs
    twice."""

    __slots__ = ("index", "values", "shape")

    def __init__(self, index, values, shape):
        self.index = index
        self.values = values
        self.shape = shape

    def whole(self):
        """Returns the gradient as a dense array of the parameter's shape."""
        xp = arrays.space_of(self.values)
        out = xp.zeros(self.shape, self.values.dtype)
        out[self.index] = self.values
        return out


def gradient_arrays(api, gradients, parameters, rows_only=False):
    """Returns the arrays of gradients, on the device of their parameters (which a step is about to
    write) and in their shapes; None for a parameter of another pipeline stage.

    With `rows_only`, row-sparse gradients on a GPU become Rows, and the host waits for them;
    otherwise they are arrays. Those on the host are always Rows.

    Raises:
        TypeError: if a gradient is not a Tensor, or is complex where its parameter is not.
        ValueError: if there are more or fewer gradients than parameters, or a shape differs.
    """
    if isinstance(gradients, Tensor) or not hasattr(gradients, "__getitem__"):
        raise TypeError(
            f"For '{api}', 'gradients' must be a tuple of Tensors, but got "
            f"{type(gradients).__name__}."
        )
    if len(gradients) != len(parameters):
        raise ValueError(
            f"For '{api}', 'gradients' must have one gradient for each of the "
            f"{len(parameters)} parameters, but got {len(gradients)}."
        )
    results = []
    for gradient, parameter in zip(gradients, parameters, strict=True):
        target = parameter._array
        kind = type(target)
        if type(gradient) is Tensor and kind is not Sharded and kind is not Staged:
            array = gradient._array
            if type(array) is kind and array.dtype is target.dtype and array.shape == target.shape:
                results.append(array)
                continue
        results.append(_gradient_array(api, gradient, parameter, rows_only))
    note_in_place_write(parameters, undone=False)
    return results


def _gradient_array(api, gradient, parameter, rows_only):
    """Returns an element of the result of `gradient_arrays`."""
    target = parameter._array
    rows = vars(gradient).get("_rows")  # of a gradient that is still row-sparse
    if rows is not None and (rows_only or type(rows) is not MarkedRows):
        xp = arrays.space_of(target)
        rows = rows.chosen() if type(rows) is MarkedRows else rows
        index, values = (arrays.to_space(xp, x) for x in (rows.index, rows.values))
        array = Rows(index, values, rows.shape)
    elif isinstance(gradient, Tensor):
        array = gradient._array if type(target) is Staged else own_array(gradient)
    elif hasattr(gradient, "indices") and hasattr(gradient, "values"):
        array = _rows(gradient, target)
    else:
        raise TypeError(
            f"For '{api}', each gradient must be a Tensor, but got "
            f"{type(gradient).__name__} for '{parameter.name}'."
        )
    if array.shape != target.shape:
        raise ValueError(
            f"For '{api}', the gradient of '{parameter.name}' must have its shape "
            f"{target.shape}, but got {array.shape}."
        )
    dtype = array.values.dtype if type(array) is Rows else array.dtype
    if dtype.kind == "c" and target.dtype.kind != "c":
        raise TypeError(
            f"For '{api}', the gradient of '{parameter.name}' must be real, as the "
            f"parameter is, but got {dtype.name}."
        )
    if type(target) is Staged:
        return None
    if type(target) is Sharded:
        whole = array.whole() if type(array) is Rows else array
        return target.space.place(whole, target.dims)
    if type(array) is not type(target) and type(array) is not Rows:
        array = arrays.to_space(arrays.space_of(target), array)
    return array


def _rows(gradient, target):
    """Returns a row-sparse gradient as Rows, with the values of equal indices summed."""
    xp = arrays.space_of(target)
    index = arrays.to_space(xp, gradient.indices._array).reshape(-1)
    values = arrays.to_space(xp, gradient.values._array)
    values = values.reshape((index.size, *values.shape[gradient.indices._array.ndim :]))
    unique, inverse = xp.unique(index, return_inverse=True)
    summed = xp.zeros((unique.size, *values.shape[1:]), values.dtype)
    xp.add.at(summed, inverse.reshape(-1), values)
    return Rows(unique, summed, (target.shape[0], *values.shape[1:]))


class _Part:
    """Parameters of one setting that are updated together."""

    def __init__(self, setting, indexes, parameters, states, pack=None):
        self.setting = setting
        self.indexes = indexes
        self.parameters = [parameters[index] for index in indexes]
        self.states = [[kind[index] for index in indexes] for kind in states]
        self.pack = pack

    def settle(self, api, follow):
        """Prepares the states for a step.

        Replaced states of a packed part are copied into the pack. With `follow`, other states move
        to the device of their parameters.
        """
        for kind, tensors in enumerate(self.states):
            views = self.pack.views[kind] if self.pack else [None] * len(tensors)
            for tensor, view, parameter in zip(tensors, views, self.parameters, strict=True):
                array = tensor._array
                if array is view:
                    continue
                if array.shape != parameter._array.shape:
                    raise ValueError(
                        f"For '{api}', the state '{tensor.name}' must have the shape "
                        f"{parameter.shape} of its parameter, but got {tensor.shape}."
                    )
                if view is not None:
                    view[...] = arrays.to_host(array)
                    tensor._array = view
                elif follow and type(array) is not type(parameter._array):
                    space = arrays.space_of(parameter._array)
                    tensor._array = arrays.to_space(space, array)


class Plan:
    """How an optimizer traverses its parameters.

    Args:
        parameters: the Parameters, in order.
        states: for each kind of state, one Parameter per parameter.
        settings: a hashable per parameter; parameters with equal ones share their scalars.
        rows_only: whether a row-sparse gradient leaves all other rows and their states unchanged.

    An optimizer may set `offload`, an Offload that updates parameters on a GPU; `whole`, a Whole
    that updates parameters by norms of whole tensors, in place of a fused pass; and `singles`,
    kinds of state with one element per parameter, which a fused pass reads on a GPU; and `owned`,
    whether other ranks update the parameters whose states are Staged.
    """

    def __init__(self, parameters, states, settings, rows_only=False):
        self.parameters = parameters
        self.states = states
        self.settings = settings
        self.firsts = {}  # setting -> the index of the first parameter that has it
        for index, setting in enumerate(settings):
            self.firsts.setdefault(setting, index)
        self.rows_only = rows_only
        self.offload = None
        self.whole = None
        self.singles = []
        self.owned = False
        self._parts = None
        self._homes = None
        self._held = self._shapes = None

    def __getstate__(self):
        """Leaves the parts out: a copy divides its own parameters, or the views of a pack would be
        copied."""
        return {**self.__dict__, "_parts": None, "_homes": None, "_held": None}

    def replace(self, kind, states):
        """Replaces the Parameters of one kind of state, one per parameter."""
        self.states[kind] = states
        self._homes = self._held = None

    def _of_stage(self):
        """Returns the Plan of the parameters that this rank updates, and their indices. It updates
        parameters whose values and states its pipeline stage holds."""
        indices = [
            index
            for index, row in enumerate(zip(self.parameters, *self.states, strict=True))
            if Staged not in [type(tensor._array) for tensor in row]
        ]
        if self._held is None or self._held[1] != indices:
            pick = partial(_picked_items, indices)
            plan = Plan(
                pick(self.parameters),
                list(map(pick, self.states)),
                pick(self.settings),
                self.rows_only,
            )
            plan.offload, plan.whole = self.offload, self.whole
            plan.singles = list(map(pick, self.singles))
            self._held = plan, indices
        return self._held

    def _divide(self, arrays_of_params):
        kinds = [
            (setting, array.dtype, tuple(kind[index]._array.dtype for kind in self.states))
            for index, (setting, array) in enumerate(
                zip(self.settings, arrays_of_params, strict=True)
            )
        ]
        packs, rest = groups_of_small(arrays_of_params, kinds)
        if self.whole:
            packs, rest = [], list(range(len(arrays_of_params)))
        parts = []
        sizes = [sum(arrays_of_params[index].size for index in indexes) for indexes in packs]
        scratch = Scratch(max(sizes, default=0))
        for indexes in packs:
            _, dtype, state_dtypes = kinds[indexes[0]]
            shapes = [arrays_of_params[index].shape for index in indexes]
            pack = Pack(shapes, (dtype, dtype, *state_dtypes), scratch)
            parts.append(self._part(indexes, pack))
        for setting in dict.fromkeys(self.settings[index] for index in rest):
            parts.append(self._part([index for index in rest if self.settings[index] == setting]))
        self._parts = parts
        self._homes = list(map(type, arrays_of_params))

    def _part(self, indexes, pack=None):
        setting = self.settings[indexes[0]]
        return _Part(setting, indexes, self.parameters, self.states, pack)

    def units(self, api, fused, gradients, scalars, skip=None):
        """Returns the units that update all parameters and states in place
        (_backend/updates/complete.py).

        Args:
            api: the name of the optimizer, for errors.
            fused: the update; it takes p, g and the states in this order.
            gradients: one array (or Rows) per parameter, as `gradient_arrays` returns them.
            scalars: the scalars of each setting.
            skip: a 0-d bool array on the GPU of the parameters; if true, nothing changes.
        """
        targets = [parameter._array for parameter in self.parameters]
        if ShardedSpace.in_use:
            staged_like(self.states, self.parameters)
        if self.owned or Staged in map(type, targets):
            plan, indices = self._of_stage()
            return plan.units(api, fused, _picked_items(indices, gradients), scalars, skip)
        if Sharded in map(type, targets):
            for kind in self.states:
                divided_like(kind, self.parameters)
            shapes = [getattr(target, "block", target).shape for target in targets]
            if shapes != self._shapes:  # parameters have been divided further
                self._shapes, self._homes = shapes, None
            if not self.whole:
                with on_blocks((self.parameters, *self.states)):
                    blocks = [getattr(gradient, "block", gradient) for gradient in gradients]
                    return self.units(api, fused, blocks, scalars, skip)
        if self._homes != list(map(type, targets)):
            self._divide(targets)
        for part in self._parts:
            part.settle(api, self.offload is None)
        with_rows = Rows in map(type, gradients)
        packed, units = {}, []
        for part in self._parts:
            grads = [gradients[index] for index in part.indexes]
            if self.whole:
                units += self._units_of_wholes(part, grads, scalars[part.setting], skip)
                continue
            if self.offload and self.offload.takes(part.parameters[0]._array):
                units.append(self._offload_unit(part, grads, dict(scalars[part.setting])))
                continue
            if with_rows and Rows in map(type, grads):
                units += self._units_with_rows(fused, part, grads, scalars[part.setting])
                continue
            arrays_of_params = [targets[index] for index in part.indexes]
            if part.pack:
                gathered = (part.pack, arrays_of_params, grads)
                packed.setdefault(part.setting, []).append(gathered)
            else:
                states = [[tensor._array for tensor in kind] for kind in part.states]
                states += [[kind[index]._array for index in part.indexes] for kind in self.singles]
                # `settle` has checked their shapes
                rows = zip(arrays_of_params, grads, *states, strict=True)
                units += fused.units(rows, skip, **scalars[part.setting])
        if self.whole:
            units.sort(key=lambda unit: type(unit) is not Reserve)  # before any write
        for setting, packs in packed.items():
            rows = fused.units_of_flat([pack.row() for pack, *_ in packs], **scalars[setting])
            for (pack, *gathered), unit in zip(packs, rows, strict=True):
                units.append(pack.around(unit, *gathered))
        return units

    def _units_of_wholes(self, part, gradients, scalars, skip):
        """Returns the units of an update that uses norms of whole tensors."""
        rows = []
        for parameter, gradient, *states in zip(
            part.parameters, gradients, *part.states, strict=True
        ):
            whole = gradient.whole() if type(gradient) is Rows else gradient
            rows.append((parameter._array, whole, *[state._array for state in states]))
        divided = [row for row in rows if type(row[0]) is Sharded]
        if not divided:
            return self.whole.units(rows, skip, **scalars)
        units = [Unit(partial(updated, self.whole, row, scalars)) for row in divided]
        undivided = [row for row in rows if type(row[0]) is not Sharded]
        return units + self.whole.units(undivided, skip, **scalars)

    def _offload_unit(self, part, gradients, scalars):
        link = {name: scalars.pop(name) for name in ("unscale", "decay")}
        rows = []
        for number, gradient in enumerate(gradients):
            array = part.parameters[number]._array
            whole = gradient.whole() if type(gradient) is Rows else gradient
            whole = unscaled(arrays.space_of(array), array, whole, **link)
            rows.append((array, whole, *[kind[number]._array for kind in part.states]))
        return self.offload.unit(rows, **scalars)

    def _units_with_rows(self, fused, part, gradients, scalars):
        units = []
        for number, gradient in enumerate(gradients):
            parameter = part.parameters[number]
            row = [parameter._array, gradient, *[kind[number]._array for kind in part.states]]
            if type(gradient) is not Rows:
                units += fused.units([row], **scalars)
            elif not self.rows_only:
                units += fused.units([(row[0], gradient.whole(), *row[2:])], **scalars)
            else:
                units.append(Unit(partial(_update_rows, fused, row, scalars)))
        return units


def _picked_items(indices, sequence):
    return [sequence[index] for index in indices]


def _update_rows(fused, row, scalars):
    """Returns the assignments of new values to some rows of a parameter and of its states."""
    gradient, targets = row[1], [row[0], *row[2:]]
    rows = [array[gradient.index] for array in targets]
    fused(rows[0], gradient.values, *rows[1:], **scalars)
    return operator.setitem, targets, [gradient.index] * len(targets), rows
