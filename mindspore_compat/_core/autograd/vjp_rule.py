"""The gradient rule of one operation, and the functions that are generated from it.

`VjpRule("multiply", ["x", "y"], {"x": lambda xp, g, y: g * y, "y": lambda xp, g, x: g * x})` saves
`x` and `y`. Its `pull` returns the gradients of both inputs:

    def pull(xp, g, saved, needs_grad):
        y, x, = saved
        return (vjp_x(xp, g, y) if needs_grad[0] else None, ...)

Its `flow` also fits them to the inputs and adds them to what the inputs have received, as
straight-line code for plain arrays. The backward pass that calls them is in tape.py.
"""

import functools
import inspect
from heapq import heappush

import numpy

from ..._backend.arrays import LARGE
from ..source import compiled
from .overwritten import Overwritten
from .row_sparse import RowSparse
from .slice_sum import COLLECTING, SliceSum


class VjpRule:
    """The gradient rule of one operation.

    A vjp is a function `(xp, g, *names)`. The tape saves the values that its parameters name: an
    input, an attribute, `out` (the result, or the tuple of results), or `<input>_shape`. A joint
    vjp may also name `needs_grad`, a list of bools: which inputs need a gradient.

    Args:
        name (str): the operation, for error messages.
        inputs (Sequence[str]): the array inputs, in order. One may be a list of arrays (`many`).
        vjps (dict): input name -> vjp. An input without one carries no gradient.
        joint (callable): instead of `vjps`, one function that returns the gradients of all
            inputs.
        upcast (Union[str, bool]): the name of an attribute of the array namespace. It lists the
            dtypes whose gradients are computed in float32. False: no dtype.
        many (bool): the last input name stands for any number of arrays.

    Attributes:
        several_kernels (set): values of `needs_grad` for which a GPU needs more than one kernel
            to compute the float32 gradients.
        collects_slices (bool): whether gradients may be SliceSums instead of arrays.
        fills (bool): whether outputs that no gradient reached get zeros instead of None, if there
            are several outputs; a joint vjp sets an attribute of this name to accept None.
        overwrites (bool): whether the gradient may be an Overwritten; set by an attribute of this
            name of the joint vjp.
    """

    fills = True

    def __init__(self, name, inputs, vjps=None, joint=None, upcast="low_precision", many=False):
        self.name = name
        self.inputs = tuple(inputs)
        self.upcast = upcast
        self.many = many
        self.collects_slices = vjps is not None and not COLLECTING.isdisjoint(vjps.values())
        self.fills = getattr(joint, "fills", True)
        self.overwrites = getattr(joint, "overwrites", False)
        functions = [joint] if joint else list(vjps.values())
        self.saves = tuple(
            dict.fromkeys(
                name
                for function in functions
                for name in list(inspect.signature(function).parameters)[2:]
                if name != "needs_grad"
            )
        )
        self.source = self.inputs, self.saves, vjps, joint
        self.several_kernels = set()
        self.pull = _compile_pull(self, vjps, joint)

    @functools.cached_property
    def flow(self):
        """The function of `_compile_flow`, generated at its first use; None if the rule has a
        variadic input or is that of one call."""
        if self.many or type(self) is not VjpRule:
            return None
        return _compile_flow(self.name, *self.source)

    def renamed(self, inputs, name, upcast):
        """Returns this rule for an operation with another name and other names of inputs."""
        names = dict(zip(self.inputs, inputs))
        rule = object.__new__(VjpRule)
        rule.name = name
        rule.inputs = tuple(inputs)
        rule.upcast = upcast
        rule.many = self.many
        rule.collects_slices = self.collects_slices
        rule.fills = self.fills
        rule.overwrites = self.overwrites
        rule.source = self.source
        rule.several_kernels = self.several_kernels
        rule.pull = self.pull
        rule.saves = tuple(_rename(saved, names) for saved in self.saves)
        return rule


def _rename(saved, names):
    """Returns the new name of a saved value: an input or `<input>_shape` follows the dict `names`,
    other names stay."""
    if saved in names:
        return names[saved]
    source = saved.removesuffix("_shape")
    return names[source] + "_shape" if source in names else saved


def _compile_pull(rule, vjps, joint):
    """Compiles the function `pull(xp, g, saved, needs_grad)` for the gradients of all inputs."""
    lines = ["def pull(xp, g, saved, needs_grad):"]
    if rule.saves:
        lines.append(f"    {', '.join(rule.saves)}, = saved")
    scope = {}

    def call(function, label):
        scope[label] = function
        parameters = list(inspect.signature(function).parameters)[2:]
        return f"{label}({', '.join(['xp', 'g', *parameters])})"

    if joint:
        lines.append(f"    return {call(joint, 'joint')}")
    else:
        parts = []
        for i, name in enumerate(rule.inputs):
            if name in vjps:
                parts.append(f"{call(vjps[name], f'vjp_{name}')} if needs_grad[{i}] else None")
            else:
                parts.append("None")
        lines.append(f"    return ({', '.join(parts)},)")
    exec(compile("\n".join(lines), f"<gradient of {rule.name}>", "exec"), scope)
    if rule.name.isidentifier():
        scope["pull"].__name__ = f"{rule.name}_vjp"
    return scope["pull"]


def _compile_flow(name, inputs, saves, vjps, joint):
    """Compiles `flow(xp, g, node_, gathered_, waiting_, ends_, floor_)`, which does what `_pull`
    does for plain arrays as straight-line code: it computes the gradients of the parents of a node,
    fits them, and adds them to `gathered_`.

    The own names of the code end in an underscore, because the rule's names are also in it.
    """
    indices = range(len(inputs))
    lines = [
        "def flow(xp, g, node_, gathered_, waiting_, ends_, floor_):",
        f"    {', '.join(f'p{i}_' for i in indices)}, = node_.parents",
        f"    {', '.join(f'm{i}_' for i in indices)}, = node_.metas",
        *(f"    n{i}_ = p{i}_ is not None and p{i}_.number >= floor_" for i in indices),
    ]
    if saves:
        lines.append(f"    {', '.join(saves)}, = node_.saved")
    scope = {"fit_": fit, "LARGE_": LARGE, "heappush_": heappush, "array_": numpy.ndarray}

    def call(function, label):
        scope[label] = function
        parameters = list(inspect.signature(function).parameters)[2:]
        return f"{label}({', '.join(['xp', 'g', *parameters])})"

    if joint:
        lines += [
            f"    needs_grad = [{', '.join(f'n{i}_' for i in indices)}]",
            "    if True not in needs_grad:",
            "        return",
            f"    {', '.join(f'g{i}_' for i in indices)}, = {call(joint, 'joint_')}",
        ]
    for i, input_name in enumerate(inputs):
        if joint or input_name in vjps:
            value = f"g{i}_" if joint else call(vjps[input_name], f"vjp_{input_name}_")
            lines += [
                f"    if n{i}_:",
                f"        x_ = {value}",
                "        if x_ is not None:",
                f"            shape_, dtype_ = m{i}_",
                "            if shape_ is not None and (x_.shape != shape_ or "
                "x_.dtype is not dtype_):",
                "                x_ = fit_(xp, x_, shape_, dtype_)",
                f"            old_ = gathered_.get(p{i}_)",
                "            if old_ is None:",
                f"                gathered_[p{i}_] = x_",
                f"                if p{i}_ not in ends_:",
                f"                    heappush_(waiting_, (-p{i}_.number, p{i}_))",
                "            elif xp is LARGE_ and type(old_) is type(x_) is array_:",
                f"                gathered_[p{i}_] = xp.add(old_, x_)",
                "            else:",
                f"                gathered_[p{i}_] = old_ + x_",
            ]
    scope = compiled(lines, scope, f"gradient of {name}")
    if name.isidentifier():
        scope["flow"].__name__ = f"{name}_vjp"
    return scope["flow"]


def fit(xp, g, shape, dtype):
    """Sums or repeats `g` to `shape` and casts it to `dtype` (the real part for a real input)."""
    if type(g) is RowSparse:
        return g.with_values(g.space.cast(g.values, dtype))
    if type(g) is SliceSum:
        return g.changed(lambda part: fit(xp, part, part.shape, dtype))
    if type(g) is Overwritten:
        g = g.array
    if g.shape != shape:
        extra = g.ndim - len(shape)
        if extra > 0:
            g = xp.sum(g, tuple(range(extra)))
        axes = tuple(
            i for i, n in enumerate(g.shape) if n != 1 and shape[i + len(shape) - g.ndim] == 1
        )
        if axes:
            g = xp.sum(g, axes, keepdims=True)
        if g.shape != shape:
            g = xp.broadcast_to(g, shape)
    if g.dtype != dtype:
        if g.dtype.kind == "c" and dtype.kind != "c":
            g = xp.real(g)
        g = xp.cast(g, dtype)
    return g
