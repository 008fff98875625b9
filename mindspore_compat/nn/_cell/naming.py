"""Walking over the members of a Cell, and the names of its parameters.

A parameter is named after the attributes that lead to it ("backbone.conv1.weight"). Its Cell names
it when it is assigned, and each Cell that this Cell is assigned to adds a prefix.
"""

from collections import OrderedDict

from ..._core.without_effect import without_effect
from .members import check_prefix, warn_of_hidden_layers

# Layers of mint.nn whose public name differs from the name of the class -> the class
_CLASSES_OF_MINT = {
    "AvgPool1d": "AvgPool1dExt",
    "AvgPool2d": "AvgPool2dExt",
    "AvgPool3d": "AvgPool3dExt",
    "Hardshrink": "HShrink",
    "Hardsigmoid": "HSigmoid",
    "Hardswish": "HSwish",
    "LogSoftmax": "LogSoftmaxExt",
    "Softmax": "SoftmaxExt",
    "Softshrink": "SoftShrink",
    "Unfold": "UnfoldExt",
    "Upsample": "UpsampleExt",
}


def shown_name(kind):
    """Returns the name under which Cells of a class are printed."""
    name = kind.__name__
    is_of_mint = name in _CLASSES_OF_MINT and kind.__module__.endswith(".mint.nn")
    return _CLASSES_OF_MINT[name] if is_of_mint else name


class Naming:
    """The part of Cell that lists and names its parameters and sub-cells."""

    _scope = None
    _param_prefix = ""

    # Walking over members -------------------------------------------------------------------------

    def name_cells(self):
        """Returns an OrderedDict of the immediate sub-cells by name. A shared sub-cell occurs
        once."""
        first = {}
        for name, cell in self._cells.items():
            first.setdefault(cell, name)
        return OrderedDict((name, cell) for cell, name in first.items() if cell is not None)

    def cells(self):
        """Returns the immediate sub-cells."""
        return self.name_cells().values()

    def cells_and_names(self, cells=None, name_prefix=""):
        """Yields (name, cell) for this Cell and all Cells below it, each Cell once.

        Args:
            cells (set): Cells that are not to be yielded again.
            name_prefix (str): the name of this Cell.
        """
        visited = cells if cells else set()
        if self in visited:
            return
        visited.add(self)
        yield name_prefix, self
        start = f"{name_prefix}." if name_prefix else ""
        for name, cell in self._cells.items():
            if cell:
                yield from cell.cells_and_names(visited, start + name)

    def get_sub_cell(self, target):
        """Returns the sub-cell with a name such as "net_b.net_c"; for '' returns this Cell.

        Raises:
            AttributeError: if there is no such Cell.
        """
        cell = self
        for name in target.split(".") if target else ():
            if not hasattr(cell, name):
                raise AttributeError(f"{type(cell).__name__} has no attribute `{name}`")
            cell = getattr(cell, name)
            if not isinstance(cell, Naming):
                raise AttributeError(f"`{name}` is not an nn.Cell")
        return cell

    def parameters_and_names(self, name_prefix="", expand=True):
        """Yields (name, parameter), each parameter once.

        Args:
            name_prefix (str): the name of this Cell.
            expand (bool): whether to go into sub-cells.
        """
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        identities = set()
        for where, cell in cells:
            for name, param in cell._params.items():
                if param is not None and id(param) not in identities:
                    identities.add(id(param))
                    yield (f"{where}.{name}" if where else name), param

    def get_parameters(self, expand=True):
        """Yields the parameters. If `expand`, also yields the parameters of sub-cells."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def parameters_dict(self, recurse=True):
        """Returns an OrderedDict of the parameters by their own names."""
        return OrderedDict((param.name, param) for param in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse=True):
        """Returns `parameters_dict` without the parameters that are not broadcast; None if there
        are none."""
        parameters = OrderedDict(
            (name, param)
            for name, param in self.parameters_dict(recurse).items()
            if not param.layerwise_parallel
        )
        return parameters or None

    def trainable_params(self, recurse=True):
        """Returns the list of parameters that require gradients. The layers of a plain list or dict
        are not sub-cells; a warning says so, once for a Cell."""
        warn_of_hidden_layers(self, Naming)
        return [param for param in self.get_parameters(expand=recurse) if param.requires_grad]

    def untrainable_params(self, recurse=True):
        """Returns the list of parameters that do not require gradients."""
        return [param for param in self.get_parameters(expand=recurse) if not param.requires_grad]

    def apply(self, fn):
        """Calls `fn(cell)` for all sub-cells, then for this Cell, and returns this Cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    @without_effect(
        "nn.Cell.init_parameters_data(auto_parallel_mode)", "whole values are drawn, then divided"
    )
    def init_parameters_data(self, auto_parallel_mode=False):
        """Initializes the parameters that have no values yet.

        Args:
            auto_parallel_mode (bool): whether values are drawn slice by slice.

        Returns:
            dict from each parameter to its replacement, which is the parameter itself.
        """
        return {param: param.init_data() for param in self.get_parameters()}

    # Names ----------------------------------------------------------------------------------------

    @property
    def cls_name(self):
        """The name of the class; for some layers of `mint.nn`, the name of the class that
        implements them.
        """
        return shown_name(type(self))

    @property
    def create_time(self):
        """The time when the Cell was created, in nanoseconds."""
        return self._create_time

    @property
    def param_prefix(self):
        """The prefix of the names of the Cell's own parameters, after `update_cell_prefix`."""
        return self._param_prefix

    def update_parameters_name(self, prefix="", recurse=True):
        """Names every parameter after its position below this Cell, with `prefix` in front.

        Args:
            prefix (str): letters, digits, '_', '.' and '-'; '' changes nothing.
            recurse (bool): whether to go into sub-cells.

        Raises:
            TypeError: if `prefix` is not a str.
            ValueError: if it has other characters.
        """
        check_prefix(prefix)
        for name, param in self.parameters_and_names(expand=recurse):
            if prefix:
                param.is_init = False
                param.name = prefix + name

    def update_cell_prefix(self):
        """Stores in every Cell below this one its name, which `param_prefix` then returns."""
        for name, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = name

    def check_names(self):
        """Raises a ValueError if two parameters have the same name."""
        twice = self._cell_name_twice()
        if twice:
            raise ValueError(
                f"The name '{twice}' belongs to two parameters of "
                f"'{type(self).__name__}'; a parameter needs a unique name."
            )

    def check_names_and_refresh_name(self):
        """Renames all parameters after their positions if two parameters have the same name."""
        if self._cell_name_twice():
            for name, param in self.parameters_and_names():
                param.name = name
            self.check_names()

    def _cell_name_twice(self):
        names = set()
        for param in self.get_parameters():
            if param.name in names:
                return param.name
            names.add(param.name)
        return None

    def generate_scope(self):
        """Sets the scope of every sub-cell: the path of classes and names that leads to it."""
        for scope, cell in self._cell_scopes("Default"):
            cell.__dict__["_scope"] = scope

    def _cell_scopes(self, above):
        for name, cell in self.name_cells().items():
            scope = f"{above}/{name}-{type(cell).__name__}"
            yield scope, cell
            yield from cell._cell_scopes(scope)

    def get_scope(self):
        """Returns the scope that `generate_scope` of an enclosing Cell has set, or None."""
        return self._scope
