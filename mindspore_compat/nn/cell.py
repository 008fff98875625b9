"""Cell: the base class of all networks and layers.

Defined here: the call, how parameters and sub-cells are assigned, and the modes (training,
gradient, float type). `_cell/naming` walks over members and names them; hooks are in `_cell/hooks`,
buffers and state in `_cell/state`, settings for compilers and parallel planners in
`_cell/settings`.

**The call.** `cell(x)` is `construct(x)` and nothing else as long as the Cell is *plain*: it was
called before and has no hooks, float type, recomputation or custom gradient. `_cell_choose_path`
maintains this flag.

**Private names.** Networks are subclasses, and their authors choose names freely: `_run`, `_stage`,
`_check_inputs`. The private names of a Cell therefore begin with `_cell_`, except those that
scripts know from MindSpore.
"""

import enum
import functools
import threading
import time
from collections import OrderedDict

from .. import ops
from .._backend.steps import current
from .._core.autograd.tape import depth
from .._core.context.config import GRAPH_MODE, config
from .._core.gradients.custom import custom_gradient, recompute
from .._core.gradients.transforms import map_tensors
from .._core.hints import no_attribute
from .._core.memory_errors import name_operator
from .._core.rules.vocabulary import CellOf, InstanceOf, Str, register_type
from .._core.sharding.stage_cells import call as call_on_stage
from .._core.sharding.staged import flow
from .._core.tensor import dtype as dtypes
from .._core.tensor.precision import precision
from .._core.tensor.tensor import Tensor
from ..common._graph_mode import steps
from ..common._graph_mode.call import graphs
from ..common.parameter import (
    PARAMETER_NAME_DEFAULT,
    Parameter,
    ParameterTuple,
    _is_parameter_generated,
    as_float,
)
from ..ops._transforms.functional import GradOperation
from ..ops.primitive import Primitive
from ._cell.hooks import Hooks
from ._cell.internals import Internals
from ._cell.members import Members, layout
from ._cell.naming import Naming, shown_name
from ._cell.offered import offer
from ._cell.once import within_once
from ._cell.settings import Settings
from ._cell.state import State

_MaybeParameter = InstanceOf(Parameter) | None
_MaybeCell = CellOf | None

__all__ = ["Cell"]

_PACKAGE = __name__.partition(".")[0]


class MixedPrecisionType(enum.Enum):
    """The float type that a Cell is set to compute in."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


_PRECISIONS = {  # name of the dtype -> (mixed precision type, flag)
    "float16": (MixedPrecisionType.FP16, "fp16"),
    "float32": (MixedPrecisionType.FP32, "fp32"),
    "bfloat16": (MixedPrecisionType.BF16, "bf16"),
}
_DTYPE_OF = {kind: getattr(dtypes, name) for name, (kind, _) in _PRECISIONS.items()}


class _First(threading.local):
    """Per-thread flag: True while a Cell runs for the first time. Only the outermost Cell checks
    the names."""

    running = False


_first = _First()


class Cell(Naming, Hooks, State, Settings, Internals):
    """Base class of all networks and layers. A Cell has parameters, sub-cells, and a computation,
    `construct`.

    A Parameter or a Cell assigned to an attribute becomes part of the Cell. Parameters are named
    after the attributes that lead to them ("backbone.conv1.weight").

    Args:
        auto_prefix (bool): whether the names of parameters in sub-cells start with the sub-cell's.
        flags (dict): attributes to set, see `add_flags`.

    Examples:
        >>> from mindspore_compat import nn
        >>> class Twice(nn.Cell):
        ...     def __init__(self, size):
        ...         super().__init__()
        ...         self.layer = nn.Dense(size, size)
        ...
        ...     def construct(self, x):
        ...         return self.layer(self.layer(x))
        >>> [p.name for p in Twice(3).trainable_params()]
        ['layer.weight', 'layer.bias']

    Source: mindspore.nn.Cell of MindSpore 2.10.
    """

    training = False
    requires_grad = False
    _cell_mixed_precision = MixedPrecisionType.NOTSET
    _cell_started = False
    _cell_unnamed = 0  # number of unnamed Parameters in the tuples assigned so far
    _cell_around = None  # set by a training step around its network (_cell/once.py)
    _cell_updates = False  # True for optimizers
    _cell_captures_itself = False  # True for training steps, replayed wherever called
    _cell_staged = False  # whether it may be a part of a network of several pipeline stages
    _cell_pipelines = False  # True for Cells that run a network on micro-batches
    _cell_is_step = False  # True for Cells that hold a GradOperation, see _cell/once.py

    def __init__(self, auto_prefix=True, flags=None):
        self.__dict__.update(
            _auto_prefix=auto_prefix,
            _cell_plain=False,
            _cell_func_graph_flags={},
            _create_time=time.time_ns(),
        )
        self.__dict__["_params"] = Members(self)
        self.__dict__["_cells"] = Members(self)
        self.__dict__["_buffers"] = Members(self)
        if flags:
            self.add_flags(**flags)

    def construct(self, *args, **kwargs):
        """Computes the outputs of the network from its inputs; every subclass defines it."""
        hint = " Rename 'forward' to 'construct'." if hasattr(type(self), "forward") else ""
        raise AttributeError(
            f"For '{type(self).__name__}', the method 'construct' is not defined.{hint}"
        )

    # The call -------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        try:
            if config.mode == GRAPH_MODE and not graphs.running:
                return steps.run_graph(self, args, kwargs)
            if self._cell_plain:
                return self.construct(*args, **kwargs)
            return self._cell_call(args, kwargs)
        except MemoryError as error:
            named = name_operator(type(self).__name__, error)
            if named is error:
                raise
            raise named from None

    def _cell_choose_path(self):
        """Decides whether a call may go directly to `construct`."""
        self.__dict__["_cell_plain"] = (
            self._cell_started
            and not self._cell_has_hooks()
            and not self._recompute
            and not hasattr(self, "bprop")
            and self._cell_around is None
            and self._cell_inputs_set is None
            and self._cell_parameter_hooks is None
            and self._cell_saved_hooks is None
            and self._cell_strategies is None
            and not self._cell_staged
            and not self._cell_is_step
            and self._cell_mixed_precision is MixedPrecisionType.NOTSET
        )

    def _cell_call(self, args, kwargs):
        """Runs a call that is not plain: checks its inputs, and applies the wrapper of a training
        step."""
        if self._cell_inputs_set is not None:
            self._cell_check_inputs(args, kwargs)
        if self._cell_around is not None:
            return self._cell_around(args, kwargs)
        if self._cell_staged and flow.stages is not None and not flow.inside:
            return call_on_stage(self, self._cell_divided, args, kwargs)
        return self._cell_divided(args, kwargs)

    def _cell_inside(self, args, kwargs):
        """Runs the call without the wrapper of a training step."""
        if not self._cell_started:
            return self._cell_call_first(args, kwargs)
        if not self._cell_is_step or depth.open:
            return self._cell_proceed(args, kwargs)
        return within_once(self, self._cell_proceed, args, kwargs)

    def _cell_proceed(self, args, kwargs):
        """Runs the call with hooks, float type and the other settings."""
        if self._cell_has_hooks() or self._recompute:
            return self._run_construct(*args, **kwargs)
        return self._cell_run(*args, **kwargs)

    def _cell_call_first(self, args, kwargs):
        """Runs the first call, before which the outermost Cell resolves names that occur twice."""
        inner = _first.running
        if not inner:
            self.check_names_and_refresh_name()
        self.__dict__["_cell_started"] = True
        self._cell_choose_path()
        if inner:
            return self._cell_inside(args, kwargs)
        _first.running = True
        try:
            return self._cell_inside(args, kwargs)
        finally:
            _first.running = False

    def _cell_run(self, *args, **kwargs):
        """Runs `construct` in the set float type, with a custom gradient or recomputation if
        requested."""
        if self._cell_mixed_precision is MixedPrecisionType.NOTSET:
            return self._cell_run_here(*args, **kwargs)
        dtype = _DTYPE_OF[self._cell_mixed_precision]
        args, kwargs = map_tensors(lambda t: as_float(t, dtype), (args, kwargs))
        with precision(dtypes.to_numpy(dtype)):
            return self._cell_run_here(*args, **kwargs)

    def _cell_run_here(self, *args, **kwargs):
        has_hooks = self._cell_parameter_hooks is not None or self._cell_saved_hooks is not None
        construct = self._cell_hooked_construct if has_hooks else self.construct
        if hasattr(self, "bprop"):
            return custom_gradient(
                lambda *x: construct(*x, **kwargs), self._cell_pull, args, self.requires_grad
            )
        if not self._recompute:
            return construct(*args, **kwargs)
        if self._recompute is True:
            return recompute(construct, *args, **kwargs)
        contexts = iter(self._recompute())

        def within(*args, **kwargs):
            with next(contexts):
                return construct(*args, **kwargs)

        return recompute(within, *args, **kwargs)

    def _cell_pull(self, inputs, output, sens):
        """Returns the gradients that the Cell's own `bprop` gives, one for each input."""
        grads = self.bprop(*inputs, output, sens)
        if graphs.running and not isinstance(grads, tuple):
            raise TypeError(f"For bprop function, output should be a tuple, but got {grads!r}.")
        grads = tuple(grads) if isinstance(grads, (tuple, list)) else (grads,)
        if len(grads) < len(inputs):
            raise RuntimeError(
                f"For '{type(self).__name__}', 'bprop' must return {len(inputs)} "
                f"gradients, but got {len(grads)}."
            )
        return grads[: len(inputs)]

    def run_construct(self, cast_inputs, kwargs):
        """Calls `construct` with a tuple of inputs and a dict of keyword arguments."""
        return self.construct(*cast_inputs, **kwargs)

    # Assigning members ----------------------------------------------------------------------------

    def __getattr__(self, name):
        if name in self.__dict__:  # a slot that a subclass declares hides it
            return self.__dict__[name]
        make = offer(self, name)
        if make is not None:
            return self.__dict__.setdefault(name, make(self))
        raise AttributeError(no_attribute(type(self).__name__, name, "_params" in self.__dict__))

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._cell_assign_parameter(name, value)
        elif isinstance(value, Cell):
            self._set_attr_for_cell(name, value)
        elif isinstance(value, ParameterTuple):
            self._cell_assign_parameter_tuple(name, value)
        elif "_params" not in self.__dict__:  # a plain attribute before super().__init__()
            object.__setattr__(self, name, value)
        elif name in self._params:
            self._cell_replace(self._params, "a parameter", name, value)
        elif name in self._cells:
            self._cell_replace(self._cells, "a cell", name, value)
        elif name in self._buffers:
            self._cell_replace(self._buffers, "a buffer", name, value)
        elif name in ("_params", "_cells", "_buffers"):
            self.__dict__[name] = Members(self, value)
        else:
            if current.running() is not None:
                self._cell_refuse_captured(name)
            if isinstance(value, (list, tuple)):
                self._cell_note_listed(value)
            elif isinstance(value, GradOperation) and value.get_by_list and not value.get_all:
                self.__dict__["_cell_is_step"] = True
                self._cell_choose_path()
            object.__setattr__(self, name, value)

    def _cell_refuse_captured(self, name):
        """Refuses the capture of a step that assigns an attribute of a user-defined Cell, because a
        replay would not repeat the assignment."""
        kind = type(self)
        if not kind.__module__.startswith(f"{_PACKAGE}."):
            current.running().refuse(f"the attribute '{name}' of '{kind.__name__}', assigned in it")

    def __delattr__(self, name):
        for members in (self._params, self._cells, self._buffers):
            if name in members:
                del members[name]
                return
        object.__delattr__(self, name)

    def _cell_assign_parameter(self, name, param):
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"For '{type(self).__name__}', 'super().__init__()' must be "
                f"called before the parameter '{name}' is assigned."
            )
        self._cell_remove_name(name, self._params)
        self.insert_param_to_cell(name, param)

    def _cell_assign_parameter_tuple(self, name, params):
        for param in params:
            if _is_parameter_generated(param.name):
                self.__dict__["_cell_unnamed"] = self._cell_unnamed + 1
                param.name = f"{PARAMETER_NAME_DEFAULT}${self._cell_unnamed}"
            self.insert_param_to_cell(param.name, param, check_name_contain_dot=False)
        self._cell_remove_name(name, ())
        object.__setattr__(self, name, params)

    def _cell_assign_cell(self, name, cell):
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"For '{type(self).__name__}', 'super().__init__()' must be "
                f"called before the cell '{name}' is assigned."
            )
        auto_prefix = self._auto_prefix
        self._cell_remove_name(name, self._cells)
        self._cell_check_new_name("insert_child_to_cell", name, self._cells)
        if auto_prefix:
            cell.update_parameters_name(name + ".")
        self.__dict__.pop("_cell_networks", None)
        self._cells[name] = cell

    def _cell_remove_name(self, name, members):
        """Removes a plain attribute that a member is about to replace."""
        is_taken = name in self._params or name in self._cells or name in self._buffers
        if not is_taken and name not in members:
            self.__dict__.pop(name, None)

    def _cell_replace(self, members, noun, name, value):
        """Replaces a member by a value of another kind: None, a Tensor's values for a parameter, or
        an operation for a sub-cell."""
        old = members[name]
        if value is None:
            members[name] = None
        elif members is self._cells and (isinstance(value, Primitive) or value is ops.identity):
            del members[name]
            object.__setattr__(self, name, value)
        elif members is self._params and isinstance(value, Tensor) and isinstance(old, Parameter):
            old.set_data(value)
        else:
            raise TypeError(
                f"For '{type(self).__name__}', the attribute '{name}' is {noun}, and "
                f"{value!r} of type {type(value).__name__} cannot be assigned to it."
            )

    def _cell_note_listed(self, values):
        """Rejects a list of parameters if one of their names occurs in another list."""
        if not values or not all(isinstance(value, Parameter) for value in values):
            return
        names, objects = self.exist_names, self.exist_objs
        new_children = {}
        for value in values:
            if id(value) in objects or new_children.get(value.name) is value:
                continue
            if value.name in names or value.name in new_children:
                raise ValueError(
                    f"The name '{value.name}' of {value} already exists in "
                    f"'{type(self).__name__}'; a parameter needs a unique name."
                )
            new_children[value.name] = value
        names.update(new_children)
        objects.update(map(id, new_children.values()))

    @property
    def exist_names(self):
        """The names of the parameters that were assigned in lists."""
        return self.__dict__.setdefault("_exist_names", set())

    @property
    def exist_objs(self):
        """The identities of parameters that were assigned in lists."""
        return self.__dict__.setdefault("_exist_objs", set())

    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Adds a parameter under a name. If the parameter has no name yet, it takes this one.

        Args:
            param_name (str): the attribute.
            param (Parameter): the parameter; None for an absent one.
            check_name_contain_dot (bool): whether to refuse a name with a dot.

        Raises:
            KeyError: if the name is empty, has a dot, or is another attribute.
            TypeError: if the name is not a str or `param` not a Parameter.
        """
        self._cell_check_name("insert_param_to_cell", param_name, check_name_contain_dot)
        self._cell_check_new_name("insert_param_to_cell", param_name, self._params)
        _MaybeParameter.refuse("insert_param_to_cell", "param", param)
        if param is not None and _is_parameter_generated(param.name):
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name, child_cell):
        """Adds a sub-cell under a name; its parameters keep their names.

        Args:
            child_name (str): the attribute.
            child_cell (Cell): the sub-cell; None for an absent one.

        Raises:
            KeyError: if the name is empty, has a dot, or is another attribute.
            TypeError: if the name is not a str or `child_cell` not a Cell.
        """
        self._cell_check_name("insert_child_to_cell", child_name, True)
        self._cell_check_new_name("insert_child_to_cell", child_name, self._cells)
        _MaybeCell.refuse("insert_child_to_cell", "child_cell", child_cell)
        self._cells[child_name] = child_cell

    @staticmethod
    def _cell_check_name(api, name, refuse_dot):
        if not isinstance(name, str):
            Str.refuse_part(api, "the name", name)
        if not name or (refuse_dot and "." in name):
            raise KeyError(
                f"For '{api}', the name must not be empty or contain '.', but got {name!r}."
            )

    def _cell_check_new_name(self, api, name, members):
        if name not in members and not self._cell_offers(name) and hasattr(self, name):
            raise KeyError(
                f"For '{api}', '{name}' is an attribute of '{type(self).__name__}' already."
            )

    def _cell_offers(self, name):
        """Returns True if the layer would create the attribute on request (`matmul` of Dense) but
        has not yet. A subclass may assign its own value instead."""
        if name in self.__dict__:
            return False
        is_property = isinstance(getattr(type(self), name, None), functools.cached_property)
        return is_property or offer(self, name) is not None

    # Modes and flags ------------------------------------------------------------------------------

    def add_flags(self, **flags):
        """Sets attributes, which `get_flags` returns.

        The flags fp16, fp32 and bf16 also set the float type in which this Cell computes, as
        `to_float` does.

        Returns:
            Cell, itself.
        """
        self._cell_func_graph_flags.update(flags)
        for name, value in flags.items():
            self.__setattr__(name, value)
        for kind, flag in _PRECISIONS.values():
            if flags.get(flag):
                self.set_mixed_precision_type(kind, recursive=False)
            elif flag in flags and self._cell_mixed_precision is kind:
                self.set_mixed_precision_type(MixedPrecisionType.NOTSET, recursive=False)
        return self

    def add_flags_recursive(self, **flags):
        """Sets attributes here and in all sub-cells.

        Returns:
            Cell, itself.
        """
        self.add_flags(**flags)
        for cell in self.cells():
            cell.add_flags_recursive(**flags)
        return self

    def get_flags(self):
        """Returns the attributes set by `add_flags`."""
        return self._cell_func_graph_flags

    def set_train(self, mode=True):
        """Sets this Cell and all Cells below it to training mode, or to inference with
        `mode=False`.

        Args:
            mode (bool): whether to train.

        Returns:
            Cell, itself.
        """
        self.phase = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def set_grad(self, requires_grad=True):
        """Marks the Cell as one to be differentiated.

        Returns:
            Cell, itself.
        """
        self.requires_grad = requires_grad
        return self

    def set_broadcast_flag(self, mode=True):
        """Sets whether parameters are broadcast at the start of data parallel training.

        Returns:
            Cell, itself.
        """
        return self.add_flags_recursive(broadcast_flag=mode)

    # Float type -----------------------------------------------------------------------------------

    def to_float(self, dst_type):
        """Makes this Cell and all Cells below it compute in a float type; parameters keep their
        dtype.

        Args:
            dst_type (mindspore.dtype): float16, bfloat16 or float32.

        Returns:
            Cell, itself.

        Raises:
            ValueError: if `dst_type` is not one of them.
        """
        name = getattr(dst_type, "_name", None)
        if not isinstance(dst_type, dtypes.Type) or name not in _PRECISIONS:
            raise ValueError(
                f"For 'to_float', 'dst_type' must be mindspore.float16, "
                f"mindspore.bfloat16 or mindspore.float32, but got {dst_type!r}."
            )
        flag_name = _PRECISIONS[name][1]
        return self.add_flags_recursive(
            **{flag: flag == flag_name for _, flag in _PRECISIONS.values()}
        )

    def set_mixed_precision_type(self, mixed_type, recursive=True):
        """Sets the float type as a MixedPrecisionType."""
        InstanceOf(MixedPrecisionType).refuse("set_mixed_precision_type", "mixed_type", mixed_type)
        self.__dict__["_cell_mixed_precision"] = mixed_type
        self._cell_choose_path()
        for cell in self.cells() if recursive else ():
            cell.set_mixed_precision_type(mixed_type)

    def get_mixed_precision_type(self):
        """Returns the float type as a MixedPrecisionType."""
        return self._cell_mixed_precision

    def cast_inputs(self, inputs, dst_type):
        """Returns a tuple of `inputs` with the floats among them cast to `dst_type`."""
        return tuple(map_tensors(lambda t: as_float(t, dst_type), value) for value in inputs)

    # Printing and copying -------------------------------------------------------------------------

    def extend_repr(self):
        """Returns the text that a subclass adds to its printed form; '' by default."""
        return ""

    def __repr__(self):
        return layout(shown_name(type(self)), self.extend_repr(), self._cells)

    def __getstate__(self):
        state = dict(self.__dict__)
        for kind in ("_params", "_cells", "_buffers"):
            members = state[kind]
            for name in members:
                state.pop(name, None)
            state[kind] = OrderedDict(members)
        return state

    def __setstate__(self, state):
        for kind in ("_params", "_cells", "_buffers"):
            self.__dict__[kind] = Members(self)
        self.__dict__.update(
            {n: v for n, v in state.items() if n not in ("_params", "_cells", "_buffers")}
        )
        for kind in ("_params", "_cells", "_buffers"):
            for name, member in state[kind].items():
                self.__dict__[kind][name] = member


register_type("Cell", Cell)
