"""Private members of MindSpore's Cell that subclasses and libraries call or override."""

import inspect
import weakref
from collections import OrderedDict
from typing import TypeVar

from ..._core.gradients.saved_tensors import saved_tensors_hooks
from ..._core.html import cell_view
from ..._core.rules.vocabulary import InstanceOf
from ...common.parameter import Parameter
from ...ops.primitive import Primitive
from .offered import offered_names

_AParameter = InstanceOf(Parameter)


class Internals:
    """The part of Cell that libraries reach into under MindSpore's names."""

    _repr_html_ = cell_view

    IGNORE_LIST = ["_scope", "_auto_prefix", "_cells", "_params", "_create_time", "_buffers"]
    _amp_level = ""
    _cell_parameter_hooks = None  # name of an own Parameter, or None for all -> hook
    _cell_saved_hooks = None
    is_top_cell = grad_ops_label = False
    arguments_key = ""
    # Nothing is compiled, so nothing is in these collections.
    compile_cache = _compile_cache = property(lambda self: set())
    phase_cache = _phase_cache = property(lambda self: {})
    global_cells = property(lambda self: weakref.WeakKeyDictionary())
    _compiled = property(lambda self: self.compiled)
    _compile_phase = property(lambda self: self.compile_phase)
    _cell_tag = property(lambda self: f"{type(self).__module__}.{type(self).__qualname__}")
    _construct_sig = property(lambda self: inspect.signature(self.construct))
    T_destination = TypeVar("T_destination", bound=dict)
    _non_persistent_buffers_set = property(lambda self: set(self._cell_non_persistent))
    parallel_parameter_name_list = property(lambda self: ())
    parallel_parameter_merge_net_dict = property(lambda self: {})
    _func_graph_flags = property(lambda self: self._cell_func_graph_flags)
    has_bprop = property(lambda self: hasattr(self, "bprop"))

    @property
    def mixed_precision_type(self):
        """The float type that the Cell is set to compute in, None if it is not set."""
        kind = self._cell_mixed_precision
        return kind if kind.value else None

    @property
    def _primitives(self):
        """The Primitives of this Cell by attribute name, an OrderedDict."""
        direct = {name: value for name, value in vars(self).items() if isinstance(value, Primitive)}
        primitives = (
            (name, getattr(self, name)) for name in offered_names(self) if name not in direct
        )
        direct.update((name, value) for name, value in primitives if isinstance(value, Primitive))
        return OrderedDict(direct)

    def _get_prims_recursively(self):
        """Returns the Primitives of this Cell and of all Cells in it, a list."""
        return [
            primitive
            for _, cell in self.cells_and_names()
            for primitive in cell._primitives.values()
        ]

    def _get_name(self):
        """Returns the name of the class."""
        return type(self).__name__

    def _add_init_args(self, **args):
        """Appends arguments to the text `cell_init_args`, if `cell_attr_register` created it."""
        text = getattr(self, "cell_init_args", None)
        if text is not None:
            self.cell_init_args = text + str({name: str(value) for name, value in args.items()})

    def _get_attr_from_cell(self, network):
        """Takes over the options of `set_jit_config` from a network that this Cell wraps."""
        options = getattr(network, "_jit_config_dict", None)
        if options:
            self.__dict__["_jit_config_dict"] = dict(options)

    def _update_local_parameters_name(self, prefix="", recurse=True):
        """Puts `prefix` in front of the names of the Parameters; if `recurse`, also of Parameters
        in sub-cells.

        It is `update_parameters_name` without its check of the prefix.
        """
        for _, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + parameter.name

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """Yields (name, member) of this Cell, and of its sub-cells if `recurse`.

        Args:
            get_members_fn (Callable): returns pairs of name and member for a Cell; members that are
                None are left out.
            prefix (str): put in front of each name.
            recurse (bool): whether to go into sub-cells.
            remove_duplicate (bool): whether to yield a member with several names once.
        """
        identities = set()
        cells = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for where, cell in cells:
            for name, member in get_members_fn(cell):
                if member is None or remove_duplicate and id(member) in identities:
                    continue
                identities.add(id(member))
                yield (f"{where}.{name}" if where else name), member

    def _apply(self, fn, recurse=True):
        """Replaces each Parameter and buffer by the result of `fn`. If `recurse`, also replaces
        those of sub-cells.

        Returns:
            Cell, itself.
        """
        if recurse:
            for cell in self.cells():
                cell._apply(fn)
        for parameter in self._params.values():
            if parameter is not None:
                parameter.set_data(fn(parameter))
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _check_construct_args(self, *args):
        """Checks the number of positional arguments for `construct`.

        Raises:
            TypeError: if there are too few or too many.
        """
        try:
            self._construct_sig.bind(*args)
        except TypeError as error:
            raise TypeError(f"For '{type(self).__name__}', 'construct': {error}.") from None

    def _set_attr_for_cell(self, name, value):
        """Makes a Cell a sub-cell of this name, as an assignment does."""
        self._cell_assign_cell(name, value)

    def _set_attr_for_object(self, name, value):
        """Sets an attribute."""
        setattr(self, name, value)

    def _set_scope(self, name):
        """Sets the scope of the Cell, unless it already has one."""
        if self._scope is None:
            self.__dict__["_scope"] = name

    def _children_scope_recursive(self, parent_prefix="Default"):
        """Yields (scope, Cell) for all Cells in this one, such as "Default/conv-Conv2d"."""
        for name, cell in self.name_cells().items():
            scope = f"{parent_prefix}/{name}-{type(cell).__name__}"
            yield scope, cell
            yield from cell._children_scope_recursive(scope)

    # Hooks on what a Cell reads and saves ---------------------------------------------------------

    def register_parameter_forward_hook(self, hook):
        """Lets `construct` compute with `hook(parameter)` in place of a Parameter.

        Args:
            hook (Union[Callable, list[dict]]): a function for all Parameters of the network; or
                dicts with the keys "params", a list of Parameters, and "hook", their function.

        Raises:
            ValueError: if a dict lacks one of the keys.
            TypeError: if `hook` is neither, an entry of "params" is not a Parameter, or "hook" not
                a function.

        Example:
            >>> import mindspore_compat as ms
            >>> net = ms.nn.Dense(1, 1, weight_init=1.0, bias_init=0.0)
            >>> net.register_parameter_forward_hook([{"params": [net.weight],
            ...                                       "hook": lambda weight: 10 * weight}])
            >>> print(net(ms.Tensor([[2.0]])))
            [[20.]]

        Source: mindspore.nn.Cell.register_parameter_forward_hook of MindSpore 2.10.
        """
        hooks = {}
        for parameters, function in _checked_hooks(hook):
            for weight in self.get_parameters() if parameters is None else parameters:
                hooks[id(weight)] = function
        for _, cell in self.cells_and_names():
            cell_hooks = {
                name: hooks[id(parameter)]
                for name, parameter in cell._params.items()
                if id(parameter) in hooks
            }
            if cell_hooks:
                all_hooks = {**(cell._cell_parameter_hooks or {}), **cell_hooks}
                cell.__dict__["_cell_parameter_hooks"] = all_hooks
                cell._cell_choose_path()

    def register_saved_tensors_hooks(self, pack_hook, unpack_hook):
        """Packs what `construct` saves for its gradient, as `mindspore.saved_tensors_hooks` does.

        Args:
            pack_hook (Callable): takes a Tensor that is saved, and returns what is stored.
            unpack_hook (Callable): takes what is stored, and returns the Tensor.

        Raises:
            TypeError: if a hook is not callable.

        Example:
            >>> import mindspore_compat as ms
            >>> net = ms.nn.Dense(1, 1, weight_init=3.0)
            >>> net.register_saved_tensors_hooks(lambda saved: saved.asnumpy(), ms.Tensor)
            >>> print(ms.grad(net)(ms.Tensor([[2.0]])))
            [[3.]]

        Source: mindspore.nn.Cell.register_saved_tensors_hooks of MindSpore 2.10.
        """
        with saved_tensors_hooks(pack_hook, unpack_hook):  # which refuses what is not callable
            self.__dict__["_cell_saved_hooks"] = pack_hook, unpack_hook
        self._cell_choose_path()

    def _cell_hooked_construct(self, *args, **kwargs):
        """Runs `construct` with the hooks on Parameters and saved Tensors, and returns the
        result."""
        inputs = {
            name: (vars(self)[name], hook(self._params[name]))
            for name, hook in (self._cell_parameter_hooks or {}).items()
        }
        vars(self).update({name: tensor for name, (_, tensor) in inputs.items()})
        try:
            if self._cell_saved_hooks is None:
                return self.construct(*args, **kwargs)
            with saved_tensors_hooks(*self._cell_saved_hooks):
                return self.construct(*args, **kwargs)
        finally:
            vars(self).update({name: parameter for name, (parameter, _) in inputs.items()})


def _checked_hooks(hook):
    """Checks a hook argument, and returns pairs of Parameters (None for all) and a hook."""
    api = "register_parameter_forward_hook"
    if callable(hook):
        return [(None, hook)]
    InstanceOf(list).called("a function or a list of dicts").refuse(api, "hook", hook)
    for entry in hook:
        InstanceOf(dict).refuse_part(api, "hook", entry)
        if not {"params", "hook"} <= entry.keys():
            raise ValueError(
                f"For '{api}', each dict in 'hook' must have the keys 'params' and 'hook', but got "
                f"{', '.join(map(repr, entry))}."
            )
        for parameter in entry["params"]:
            _AParameter.refuse(api, "params", parameter)
        if not callable(entry["hook"]):
            raise TypeError(f"For '{api}', 'hook' must be callable, but got {entry['hook']!r}.")
    return [(entry["params"], entry["hook"]) for entry in hook]
