"""Parameter: a Tensor that a Cell owns and an optimizer updates; ParameterTuple: several of them.

A Parameter stores its name and its flags in a ParamInfo (`_param_info.py`). This file defines how
its value is set (`set_data`, `assign_value`), and how the Cell to which it is assigned names it.
`ops/_optimizer/formulas.py` describes in-place updates by optimizers.
"""

import itertools
import re

import numpy as np

from .._backend.arrays import SPACES
from .._backend.steps.journal import journal
from .._backend.updates.complete import Unit, complete
from .._core.autograd.tape import depth
from .._core.context.config import GRAPH_MODE, config
from .._core.gradients.leaves import WEIGHTS
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, Int, Str, register_type
from .._core.tensor.dtype import float32, from_numpy, int32, to_numpy
from .._core.tensor.tensor import Tensor, as_array
from .._core.without_effect import without_effect
from ._deferred import is_deferring, no_init_parameters
from ._param_info import (
    PARAMETER_NAME_DEFAULT,  # noqa: F401 - imported from here
    PARAMETER_NAME_PREFIX_MAX_LEN,
    ParamInfo,
    _generate_parameter_name,
    _is_parameter_generated,  # noqa: F401 - imported from here
)

_ATensor = InstanceOf(Tensor)
_Name = AsValue(Str | None)
_TensorOrNumber = InstanceOf(Tensor, int, float)
_Values = InstanceOf(Tensor, int, float, np.ndarray, list).called(
    "a Tensor, an int, a float, a numpy.ndarray or a list"
)

__all__ = ["Parameter", "ParameterTuple", "no_init_parameters"]

_unique_keys = itertools.count()


def _get_unique_parameter_key():
    """Returns an int that no other call returns, for Parameters that several processes share."""
    return next(_unique_keys)


def _need_bool(name, value):
    if not isinstance(value, bool):
        Bool.refuse("Parameter", name, value)
    return value


class Parameter(Tensor):
    """Parameter: a Tensor that belongs to the state of a Cell and is usually trained.

    When it is assigned to an attribute of a Cell, it becomes a parameter of the Cell and, if it has
    no name, takes the attribute's. The values of a Tensor or an array are copied.

    Args:
        default_input (Union[Tensor, int, float, numpy.ndarray, list]): the values. The deferred
            values of a Tensor created by `initializer` are drawn now. An int becomes int32, a float
            float32.
        name (str): the name; None or '' for a generated one.
        requires_grad (bool): whether `Cell.trainable_params` returns it.
        layerwise_parallel (bool): whether to exclude it from data parallelism: it is not broadcast,
            and its gradient is not reduced.
        parallel_optimizer (bool): whether the parallel optimizer may split it.
        storage_format (str): a device's memory layout; stored, but without effect on a CPU or GPU.
        device (str): None, 'CPU' or 'Remote'; stored, but without effect on a CPU or GPU.

    Raises:
        TypeError: if `default_input` is of the wrong type, or a flag is not a bool.
        ValueError: if `default_input` is a bool, `name` is not a str or longer than 1024
            characters, or `device` is unknown.

    Examples:
        >>> from mindspore_compat import Parameter, Tensor
        >>> Parameter(Tensor([1.0, 2.0]), name="w")
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    def __new__(cls, *args, **kwargs):
        """Returns an empty Parameter, added to the registry of live ones."""
        parameter = super().__new__(cls)
        WEIGHTS[id(parameter)] = parameter
        return parameter

    def __init__(
        self,
        default_input,
        name=None,
        requires_grad=True,
        layerwise_parallel=False,
        parallel_optimizer=True,
        storage_format="",
        device=None,
    ):
        _take_values(self, default_input)
        self._set_up()
        self.name = name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self._param_info.parallel_optimizer = _need_bool("parallel_optimizer", parallel_optimizer)
        Str.refuse("Parameter", "storage_format", storage_format)
        self._param_info.storage_format = storage_format
        if device not in (None, "CPU", "Remote"):
            raise ValueError(
                f"For 'Parameter', 'device' must be None, 'CPU' or 'Remote', but got {device!r}."
            )

    def _set_up(self):
        """Sets the initial state, which does not depend on values and name."""
        self._param_info = ParamInfo(self)
        self._sliced = False
        self._unique = False
        self._inited_param = None
        self.is_init = False

    def __getattr__(self, name):
        if name == "_array" and "_promise" in self.__dict__:
            promise = self.__dict__["_promise"]
            self._array = (promise.init_data() if promise.has_init else promise)._array.copy()
            self.__dict__.pop("_promise", None)
            return self._array
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    # Names and flags ------------------------------------------------------------------------------

    @property
    def param_info(self):
        """The name and the flags as one object."""
        return self._param_info

    @param_info.setter
    def param_info(self, info):
        info.obj = self
        self._param_info = info

    @property
    def name(self):
        """The name of the parameter."""
        return self._param_info.name

    @name.setter
    def name(self, name):
        if name is not None and not isinstance(name, str):
            _Name.refuse("Parameter", "name", name)
        if name and len(name) > PARAMETER_NAME_PREFIX_MAX_LEN:
            raise ValueError(
                "For 'Parameter', 'name' must have at most "
                f"{PARAMETER_NAME_PREFIX_MAX_LEN} characters, but got {len(name)}."
            )
        self._param_info.name = name or _generate_parameter_name()

    @property
    def requires_grad(self):
        """Whether the parameter is trained."""
        return self._param_info.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self._param_info.requires_grad = _need_bool("requires_grad", value)

    @property
    def layerwise_parallel(self):
        """Whether the parameter is excluded from data parallelism."""
        return self._param_info.layerwise_parallel

    @layerwise_parallel.setter
    def layerwise_parallel(self, value):
        self._param_info.layerwise_parallel = _need_bool("layerwise_parallel", value)

    @property
    def parallel_optimizer(self):
        """Whether the parallel optimizer may split the parameter."""
        return self._param_info.parallel_optimizer

    @parallel_optimizer.setter
    def parallel_optimizer(self, value):
        self._param_info.parallel_optimizer = _need_bool("parallel_optimizer", value)

    @property
    def parallel_optimizer_comm_recompute(self):
        """Whether gathering a split parameter is repeated in the backward pass."""
        return self._param_info.parallel_optimizer_comm_recompute

    @without_effect(
        "Parameter.parallel_optimizer_comm_recompute",
        "the level of the parallel optimizer decides which weights are gathered again",
    )
    @parallel_optimizer_comm_recompute.setter
    def parallel_optimizer_comm_recompute(self, value):
        flag = _need_bool("parallel_optimizer_comm_recompute", value)
        self._param_info.parallel_optimizer_comm_recompute = flag

    @property
    def comm_fusion(self):
        """The group of parameters whose communication is fused; 0 for none, 1 by default."""
        return self._param_info.comm_fusion

    @without_effect("Parameter.comm_fusion", "messages are cut by size alone")
    @comm_fusion.setter
    def comm_fusion(self, value):
        Int(ge=0).refuse("Parameter", "comm_fusion", value)
        self._param_info.comm_fusion = value

    @property
    def cache_enable(self):
        """Whether an embedding table is cached on the device."""
        return self._param_info.cache_enable

    @without_effect("Parameter.cache_enable", "embedding tables lie in no cache")
    @cache_enable.setter
    def cache_enable(self, value):
        self._param_info.cache_enable = _need_bool("cache_enable", value)

    @property
    def cache_shape(self):
        """The shape of the cache."""
        return self._param_info.cache_shape

    @without_effect("Parameter.cache_shape", "embedding tables lie in no cache")
    @cache_shape.setter
    def cache_shape(self, value):
        InstanceOf(tuple, list).refuse("Parameter", "cache_shape", value)
        self._param_info.cache_shape = list(value)

    @property
    def key(self):
        """The number of the parameter; -1 if it has none."""
        return self._param_info.key

    @key.setter
    def key(self, value):
        Int.refuse("Parameter", "key", value)
        self._param_info.key = value

    @property
    def requires_aggr(self):
        """Whether a parameter server would aggregate the parameter."""
        return self._param_info.requires_aggr

    @without_effect("Parameter.requires_aggr", "there is no parameter server")
    @requires_aggr.setter
    def requires_aggr(self, value):
        self._param_info.requires_aggr = value

    @property
    def sliced(self):
        """Whether the values are one slice of the parameter."""
        return self._sliced

    @sliced.setter
    def sliced(self, value):
        self._sliced = value

    @property
    def unique(self):
        """Whether the parameter is known to be unique."""
        return self._unique

    @without_effect("Parameter.unique")
    @unique.setter
    def unique(self, value):
        self._unique = value

    @property
    def inited_param(self):
        """None, because `init_data` fills this parameter instead of creating another one."""
        return self._inited_param

    @without_effect("Parameter.add_pipeline_stage", "the stages of its Cells count")
    def add_pipeline_stage(self, stage):
        """Stores a pipeline stage that uses the parameter (an int >= 0)."""
        self._note_stage(stage)

    def _note_stage(self, stage):
        if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
            raise TypeError(f"For 'Parameter', 'stage' must be an int >= 0, but got {stage!r}.")
        self.__dict__.setdefault("_pipeline_stage_list", []).append(stage)

    # Values ---------------------------------------------------------------------------------------

    @property
    def data(self):
        """A Tensor over the same memory."""
        return Tensor._wrap(self._array)

    @data.setter
    def data(self, data):
        if not isinstance(data, Tensor):
            _ATensor.refuse("Parameter", "data", data)
        self._put(data._array)

    def _put(self, array):
        """Makes `array` the values, whether drawn or deferred. Undone if the running step fails."""
        if "_array" in self.__dict__:
            journal.note_replaced((self,))
        self._array = array
        self.__dict__.pop("_promise", None)

    @property
    def has_init(self):
        """True while the values are deferred."""
        return "_promise" in self.__dict__ and "_array" not in self.__dict__

    @property
    def init(self):
        """The initializer of deferred values, or None."""
        return self.__dict__["_promise"].init if self.has_init else None

    @property
    def shape(self):
        """The lengths of the axes, a tuple of ints."""
        return self.__dict__["_promise"].shape if self.has_init else self._array.shape

    @property
    def dtype(self):
        """The MindSpore dtype of the elements."""
        return self.__dict__["_promise"].dtype if self.has_init else from_numpy(self._array.dtype)

    def set_dtype(self, dtype):
        """Casts the values to `dtype` in place, and returns `dtype`.

        Raises:
            TypeError: if `dtype` is not a MindSpore dtype.
        """
        self._put(self._array.astype(to_numpy(dtype)))
        return dtype

    def value(self):
        """Returns a Tensor with a copy of the values, through which gradients reach the
        parameter."""
        result = Tensor._wrap(self._array.copy())
        if not depth.paused:
            result._node = self._node
        return result

    @without_effect("Parameter.set_data(slice_shape)")
    def set_data(self, data, slice_shape=False):
        """Sets new values of any shape, cast to the parameter's dtype.

        A Tensor of the same dtype is not copied: writing to it then changes both.

        Args:
            data (Union[Tensor, int, float]): the values.
            slice_shape (bool): whether the shape may differ because the values are a slice; it
                always may.

        Returns:
            Parameter, itself.

        Raises:
            TypeError: if `data` is of the wrong type, or a float for a parameter of ints.
        """
        if not isinstance(data, (Tensor, int, float)):
            _TensorOrNumber.refuse("set_data", "data", data)
        own_dtype = to_numpy(self.dtype)
        if isinstance(data, Tensor):
            array = data.init_data()._array if data.has_init else data._array
            if array.dtype != own_dtype:
                array = array.astype(own_dtype)
            elif type(array) in SPACES and not array.flags.c_contiguous:
                array = array.copy()
        else:
            if isinstance(data, float) and own_dtype.kind in "iub":
                raise TypeError(
                    f"For 'set_data', a float cannot become {self.dtype} without a "
                    "conversion; use 'set_dtype' first."
                )
            array = as_array(data, own_dtype)
        self._put(array)
        return self

    def _update_tensor_data(self, data):
        """Sets the values of a Tensor of any dtype."""
        self._put(data._array)
        return self

    def assign_value(self, value):
        """Sets the values and the dtype of the Tensor `value`, and returns this Parameter."""
        if not isinstance(value, Tensor):
            _ATensor.refuse("assign_value", "value", value)
        return self._update_tensor_data(value)

    def init_data(self, layout=None, set_sliced=False):
        """Draws the values if they are deferred, and returns this Parameter.

        Args:
            layout (Union[None, tuple]): how the parameter is split over devices; at least 6
                members.
            set_sliced (bool): whether to mark the values as a slice.

        Raises:
            TypeError: if the values are still to be drawn and `layout` is not a tuple.
            ValueError: if the values are still to be drawn and `layout` has fewer than 6 members.
        """
        if self.has_init:
            if layout is not None:
                InstanceOf(tuple).refuse("init_data", "layout", layout)
                if len(layout) < 6:
                    raise ValueError(
                        "For 'init_data', 'layout' must have at least 6 parts, but got "
                        f"{len(layout)}."
                    )
            self._array  # noqa: B018 - reading it draws it
            self._sliced = self._sliced or bool(set_sliced)
        return self

    def clone(self, init="same"):
        """Returns another parameter with the same name, shape, dtype and flags.

        Args:
            init (Union[Tensor, str, numbers.Number]): 'same' for a copy of the values, otherwise an
                argument of `initializer`.

        Returns:
            Parameter.
        """
        from .initializer import initializer  # late, since it imports Tensor and this file

        if isinstance(init, str) and init == "same":
            clone = _new_parameter(self._array.copy())
        else:
            source = initializer(init, self.shape, self.dtype)
            source = source.init_data() if source.has_init else source
            clone = _new_parameter(source._array.astype(to_numpy(self.dtype)))
        info = self._param_info.clone()
        info.key = -1
        clone.param_info = info
        return clone

    def copy(self):
        """Returns a copy of the parameter with its values and name. In graph mode the copy is a
        Tensor, and gradients flow through it."""
        if self._node is not None and config.mode == GRAPH_MODE:
            return super().copy()
        return self.clone()

    # Python ---------------------------------------------------------------------------------------

    def __repr__(self):
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __parameter__(self):
        """Marks the class as MindSpore's Parameter."""

    def __copy__(self):
        return self.__deepcopy__({})

    def __deepcopy__(self, memo):
        copy = _new_parameter(self._array.copy())
        memo[id(self)] = copy
        copy.name = self.name
        copy.requires_grad = self.requires_grad
        copy.layerwise_parallel = self.layerwise_parallel
        copy._param_info.parallel_optimizer = self.parallel_optimizer
        return copy

    def __reduce_ex__(self, protocol):
        return _unpickled, (
            Tensor._wrap(self._array),
            self.name,
            self.requires_grad,
            self.layerwise_parallel,
            self.parallel_optimizer,
        )


register_type("Parameter", Parameter)


def _take_values(param, source):
    """Sets the values of a new Parameter: a copy, or none yet if their drawing is deferred."""
    if isinstance(source, bool):
        raise ValueError("For 'Parameter', 'default_input' must not be a bool.")
    _Values.refuse("Parameter", "default_input", source)
    if isinstance(source, Tensor) and source.has_init:
        if is_deferring():
            param.__dict__["_promise"] = source
            return
        source.init_data()
    if isinstance(source, Tensor):
        param._array = source._array.copy()
    elif isinstance(source, (int, float)):
        param._array = as_array(source, to_numpy(int32 if isinstance(source, int) else float32))
    else:
        param._array = as_array(source)


def _unpickled(data, name, requires_grad, layerwise_parallel, parallel_optimizer):
    parameter = _new_parameter(data._array)
    parameter.name = name
    parameter.requires_grad = requires_grad
    parameter.layerwise_parallel = layerwise_parallel
    parameter._param_info.parallel_optimizer = parallel_optimizer
    return parameter


def _new_parameter(array):
    """Returns an unnamed Parameter over `array` itself."""
    parameter = Parameter.__new__(Parameter)
    parameter._array = array
    parameter._set_up()
    return parameter


class ParameterTuple(tuple):
    """Tuple of Parameters with different names.

    Args:
        iterable: the Parameters.

    Raises:
        TypeError: if `iterable` is not iterable, or holds something else.
        ValueError: if two of them have the same name.

    Examples:
        >>> from mindspore_compat import Parameter, ParameterTuple
        >>> pair = ParameterTuple([Parameter(1.0, name="x"), Parameter(2.0, name="y")])
        >>> [p.name for p in pair.clone("old", init="zeros")]
        ['old.x', 'old.y']

    Source: mindspore.ParameterTuple of MindSpore 2.10.
    """

    __slots__ = ()

    def __new__(cls, iterable):
        """Creates the tuple after checking its elements."""
        parameters = tuple(iterable)
        by_name = {}
        for parameter in parameters:
            if not isinstance(parameter, Parameter):
                InstanceOf(Parameter).refuse_part("ParameterTuple", "every element", parameter)
            if by_name.setdefault(parameter.name, parameter) is not parameter:
                raise ValueError(
                    f"For 'ParameterTuple', the names must differ, but '{parameter.name}' "
                    "occurs twice."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix, init="same"):
        """Clones every Parameter; the new names start with `prefix` and a dot.

        Args:
            prefix (str): letters, digits, '_' and '.', not starting with '.'.
            init (Union[Tensor, str, numbers.Number]): the values, see `Parameter.clone`.

        Returns:
            ParameterTuple.
        """
        Str.refuse("ParameterTuple.clone", "prefix", prefix)
        if not _CLONE_PREFIX.match(prefix):
            raise ValueError(
                "For 'ParameterTuple.clone', 'prefix' must consist of letters, "
                "digits, '_' and "
                f"'.', but got {prefix!r}."
            )
        clones = []
        for parameter in self:
            copy = parameter.clone(init)
            copy.name = f"{prefix}.{parameter.name}"
            clones.append(copy)
        return ParameterTuple(clones)

    def __parameter_tuple__(self):
        """Marks the class as MindSpore's ParameterTuple."""


_CLONE_PREFIX = re.compile(r"^\w+[0-9a-zA-Z_.]*$", re.ASCII)


def put_all(pairs):
    """Assigns new arrays to all Parameters or, if an exception interrupts this, to none.

    Args:
        pairs: (Parameter, its array of the same dtype).
    """
    if pairs:
        parameters, values = map(list, zip(*pairs, strict=True))
        names = ["_array"] * len(parameters)
        complete([Unit(lambda: (setattr, parameters, names, values))])
        for parameter in parameters:
            parameter.__dict__.pop("_promise", None)


def as_float(tensor, dtype):
    """Casts `tensor` to `dtype` if it holds real floats; Parameters are cast where they are
    used."""
    if tensor._array.dtype.kind not in "fV" or isinstance(tensor, Parameter):
        return tensor
    return tensor if tensor.dtype == dtype else tensor.astype(dtype)
