"""The fast call path of an operator, generated as straight-line source.

It handles the ordinary case: all array inputs are Tensors of one array type (and one dtype, if the
operator promotes), and no input has low precision. Numbers among them first become Tensors. All
other calls go to `Op.general`.
"""

from ..._backend.arrays import DIRECT, HOST, LARGE
from ..._backend.catalogue import FUNCTIONS
from ..._backend.thresholds import Least
from ..autograd.tape import FLOAT32, Node, Packed, depth, next_number, record_many
from ..autograd.traced import Traced, traced_space
from ..memory_errors import name_operator
from ..source import compiled
from ..tensor.precision import casting
from ..tensor.precision import state as precision
from ..tensor.tensor import Tensor
from .values import ODD_NUMBERS, each_of, result_array, untraced, weak_scalar_tensor

# After a `try` around the body: the error names the operator, however it was called.
_MEMORY_LINES = (
    "    except MemoryError as error_:",
    "        raise name_operator_(operator_, error_) from None",
)


def write_run(op):
    """Writes the source of the straight-line call path: conversion, body, wrapping, one Node."""
    names = op.inputs
    first = names[0]
    absent = {n: f"None if {n} is None else " if n in op.optional else "" for n in names}
    line = [f"def run({', '.join(_parameter_list(op))}):"]
    if op.diverted:
        line += ["    if casting_.active:", f"        return general_({', '.join(op.parameters)})"]
    scalar = len(names) == 2 and len(op.promote) == 2 and not op.optional
    later = [f"type({n}) in numbers_" for n in names[1:] if n in op.numbers and not scalar]
    if later:  # the ordinary order, which costs no exception
        line += [f"    if {' or '.join(later)}:", *_number_lines(op)]
    line += ["    try:"]
    line += _second_scalar_lines(op) if scalar else []
    line += [f"        a_{n} = {absent[n]}{n}._array" for n in names]
    line += [f"        kind_ = type(a_{first})", "        xp_ = space_of_kind_[kind_]"]
    call_general = f"        return general_({', '.join(op.parameters)})"
    line += ["    except AttributeError:"]
    line += _first_scalar_lines(op) if scalar else _number_lines(op)
    line += [call_general, "    except KeyError:", call_general, f"    dt_ = a_{first}.dtype"]
    # Inputs that already have the dtype to which the Cell casts are not cast.
    others = "" if set(names) - {first, *op.promote} else " and dt_ is not precision_.dtype"
    line += [f"    if casting_.floats{others}:", call_general]
    line += _one_kernel_lines(op)
    odd = _uncommon(op)
    line += [f"    if {odd}:", call_general] if odd else []
    line += [f"    n_{n} = {absent[n]}{n}._node" for n in names]
    live = " or ".join(f"n_{n} is not None" for n in names)
    large = f"a_{first}.nbytes >= {Least.SPACE} and xp_ is host_"
    if op.rule is None:
        line += _traced_lines(op, live, large)
    values = ", ".join(f"a_{n}" if n in names else n for n in op.parameters)
    metas = "".join(
        f"(None, None) if a_{n} is None else (a_{n}.shape, a_{n}.dtype), "
        if n in op.optional
        else f"(a_{n}.shape, a_{n}.dtype), "
        for n in names
    )
    line += [
        f"    if {large}:",
        "        xp_ = large_",
        "    try:",
        f"        out_ = {_body_source(op)}{values})",
        *_MEMORY_LINES,
        "    if type(out_) is not kind_:",
        "        if type(out_) is tuple or type(out_) is list:",
    ]
    nodes = "".join(f"n_{n}, " for n in names)
    saved = "" if op.rule is None else "".join(_saved_source(op, k) + ", " for k in op.rule.saves)
    line += [
        "            out_ = [o if type(o) is kind_ else result_array_(xp_, o) for o in out_]",
        "            outs_ = tuple([wrap_(o) for o in out_])",
    ]
    if op.rule is not None:
        line += [
            f"            if ({live}) and not depth_.paused:",
            "                out_ = tuple(out_)",
            f"                picks_ = record_many_(rule_, ({nodes}), ({saved}), ({metas}), out_)",
            "                for part_, pick_ in zip(outs_, picks_):",
            "                    part_._node = pick_",
        ]
    line += ["            return outs_"]
    line += [
        "        out_ = result_array_(xp_, out_)",
        "    made_ = new_(Tensor_)",
        "    made_._array = out_",
    ]
    if op.rule is not None:
        line += [
            f"    if ({live}) and not depth_.paused:",
            "        node_ = new_(Node_)",
            "        node_.rule = rule_",
            f"        node_.parents = ({nodes})",
            f"        node_.saved = ({saved})",
            f"        node_.metas = ({metas})",
            "        if depth_.packing is not None:",
            "            node_.saved = Packed_(node_.saved, depth_.packing)",
            "        node_.outs = None",
            "        node_.number = next_number_()",
            "        made_._node = node_",
        ]
    line += ["    return made_"]
    return _compiled(op, line)


def write_run_of_list(op):
    """Writes the same for an operator whose only input is a list of Tensors. Calls to be recorded
    without a rule take the general path."""
    call_general = f"        return general_({', '.join(op.parameters)})"
    line = [f"def run({', '.join(_parameter_list(op))}):"]
    if op.diverted:
        line += ["    if casting_.active:", call_general]
    odd = ["any([kind_ is not type(a) or a.dtype is not dt_ for a in list_])"]
    odd += ["casting_.floats and dt_ is not precision_.dtype"]
    if op.upcast:
        odd += [f"dt_ is not F32_ and dt_ in xp_.{op.upcast}"]
    odd += [f"type({n}) in odd_numbers_" for n in op.floats]
    line += [
        "    try:",
        f"        list_ = [t._array for t in {op.many}]",
        "        kind_, dt_ = type(list_[0]), list_[0].dtype",
        "        xp_ = space_of_kind_[kind_]",
        "    except (AttributeError, IndexError, KeyError, TypeError):",
        call_general,
        f"    if {' or '.join(odd)}:",
        call_general,
        f"    nodes_ = [t._node for t in {op.many}]",
        "    live_ = not depth_.paused and any([n is not None for n in nodes_])",
    ]
    line += ["    if live_:", call_general] if op.rule is None else []
    values = ["list_" if n == op.many else n for n in op.parameters]
    pairs = ", ".join(f"{n}={v}" for n, v in zip(op.parameters, values))
    line += [
        f"    if xp_ is host_ and any([a.nbytes >= {Least.SPACE} for a in list_]):",
        "        xp_ = large_",
        "    try:",
        f"        out_ = body_(xp_, {', '.join(values)})",
        *_MEMORY_LINES,
        "    if type(out_) is tuple or type(out_) is list or live_:",
        f"        values_ = dict({pairs})",
        "        metas_ = tuple([(a.shape, a.dtype) for a in list_])",
        "        return finish_(out_, tuple(nodes_), values_, metas_, xp_)",
        "    return wrap_(result_array_(xp_, out_))",
    ]
    return _compiled(op, line)


def _compiled(op, line):
    """Returns the call path of an operator, given its source."""
    scope = {
        "body_": op.body,
        "operator_": op.name,
        "name_operator_": name_operator,
        "space_of_kind_": DIRECT,
        "host_": HOST,
        "large_": LARGE,
        "new_": object.__new__,
        "Tensor_": Tensor,
        "F32_": FLOAT32,
        "precision_": precision,
        "odd_numbers_": ODD_NUMBERS,
        "Node_": Node,
        "record_many_": record_many,
        "rule_": op.rule,
        "next_number_": next_number,
        "depth_": depth,
        "Packed_": Packed,
        "general_": op.general,
        "by_one_kernel_": op.by_one_kernel,
        "casting_": casting,
        "finish_": op._finish,
        "result_array_": result_array,
        "wrap_": Tensor._wrap,
        "traced_space_": traced_space,
        "Traced_": Traced,
        "each_": each_of,
        "untraced_": untraced,
        "weak_scalar_": weak_scalar_tensor,
        "numbers_as_tensors_": op.numbers_as_tensors,
        "numbers_": frozenset({float, int, bool}),
    }
    scope.update({f"default_{k}": v for k, v in op.defaults.items()})
    return compiled(line, scope, f"call path of {op.name}")["run"]


def _body_source(op):
    """Returns the start of the call of the body, as source. If the body only passes its arguments
    to a function of `xp`, the source calls that function directly."""
    name = _function_of_body(op)
    return "body_(xp_, " if name is None else f"xp_.{name}("


def _function_of_body(op):
    """Returns the name of the function of `xp` to which a body only passes its arguments, or
    None."""
    code = op.body.__code__
    xp, *names = code.co_varnames[: code.co_argcount]
    if len(code.co_names) == 1:
        call = f"lambda {', '.join([xp, *names])}: {xp}.{code.co_names[0]}({', '.join(names)})"
        if eval(call).__code__.co_code == code.co_code:
            return code.co_names[0]
    return None


def _uncommon(op):
    """Returns the condition for the general path, as source."""
    first, *others = op.inputs
    guards = {n: f"{n} is not None and " if n in op.optional else "" for n in op.inputs}
    odd = [f"{guards[n]}type(a_{n}) is not kind_" for n in others]
    lead = next((n for n in op.inputs if n in op.promote), None)
    if lead is not None:
        odd += [f"{lead} is None"] if lead in op.optional else []
        dtype = "dt_" if lead == first else f"a_{lead}.dtype"
        odd += [f"{guards[n]}a_{n}.dtype is not {dtype}" for n in op.promote if n != lead]
    if op.upcast:
        odd += [f"dt_ is not F32_ and dt_ in xp_.{op.upcast}"]
    odd += [f"type({n}) in odd_numbers_" for n in op.floats]
    return " or ".join(odd)


def _one_kernel_lines(op):
    """Returns the source for inputs of one dtype, float32 or lower, on a device that computes a
    body in one kernel. Other cases of low precision take the general path."""
    by_kernel = op.upcast == "low_precision" or op.casts_itself
    if not by_kernel or "dtype" in op.parameters:
        return []
    native = _function_of_body(op)
    is_library_call = native is not None and FUNCTIONS[native].home == "numpy"
    # One call of the library computes float16 in one kernel as well, at less cost to the host.
    dtypes = "xp_.low_precision" if is_library_call else "xp_.upcast_kernels.dtypes"
    arrays, nodes = ("".join(f"{start}{n}, " for n in op.inputs) for start in ("a_", "n_"))
    values = "".join(f"{'a_' * (n in op.inputs)}{n}, " for n in op.parameters)
    condition = f"dt_ is not F32_ and xp_.upcast_kernels is not None and dt_ in {dtypes}"
    if native is None:  # in float32, too, unless it is one call of `xp`, and so one kernel anyway
        condition = (
            "xp_ is not host_ and xp_.upcast_kernels is not None and "
            f"(dt_ is F32_ or dt_ in {dtypes})"
        )
    lines = [f"    if {condition}:"]
    for n in op.inputs:
        absent = f"None if {n} is None else " if n in op.optional else ""
        lines += [f"        n_{n} = {absent}{n}._node"]
    return [
        *lines,
        f"        made_ = by_one_kernel_(xp_, dt_, ({arrays}), ({nodes}), ({values}))",
        "        if made_ is not None:",
        "            return made_",
    ]


def _second_scalar_lines(op):
    """Returns the source that turns a Python number after a Tensor into a weak scalar, a 0-d array.
    If the first input is not a Tensor, it raises an AttributeError."""
    tensor, number = op.inputs
    if number not in op.numbers:
        return []
    return [
        f"        if type({number}) in numbers_:",
        f"            {number} = weak_scalar_({tensor}, {number}, {op.types.exact})",
    ]


def _first_scalar_lines(op):
    """Returns the source that turns a Python number before a Tensor into a weak scalar. It runs
    after an AttributeError, because this order is less frequent."""
    number, tensor = op.inputs
    if number not in op.numbers:
        return []
    values = ", ".join(
        f"weak_scalar_({tensor}, {n}, {op.types.exact})" if n == number else n
        for n in op.parameters
    )
    return [
        f"        if type({number}) in numbers_ and isinstance({tensor}, Tensor_):",
        f"            return run({values})",
    ]


def _number_lines(op):
    """Returns the source that turns the numbers among several inputs into Tensors."""
    if not op.numbers:
        return []
    inputs = ", ".join(op.inputs)
    return [
        f"        filled_ = numbers_as_tensors_(({inputs},))",
        "        if filled_ is not None:",
        f"            {inputs}, = filled_",
        f"            return run({', '.join(op.parameters)})",
    ]


def _traced_lines(op, live, large):
    """Returns the source for a live input of an op without a rule: the body runs on Traced
    values. `large` is the condition for the space of large arrays."""
    absent = {n: f"None if a_{n} is None else " if n in op.optional else "" for n in op.inputs}
    wrapped = ", ".join(
        f"{absent[n]}space_.wrap(a_{n}, n_{n})" if n in absent else n for n in op.parameters
    )
    return [
        f"    if ({live}) and not depth_.paused:",
        f"        space_ = traced_space_(large_ if {large} else xp_)",
        "        try:",
        f"            out_ = body_(space_, {wrapped})",
        *("    " + line for line in _MEMORY_LINES),
        "        if type(out_) is Traced_:",
        "            made_ = new_(Tensor_)",
        "            made_._array = out_.array",
        "            made_._node = out_.node",
        "            return made_",
        "        return each_(out_, lambda o: untraced_(o, xp_))",
    ]


def _parameter_list(op):
    return [f"{n}=default_{n}" if n in op.defaults else n for n in op.parameters]


def _saved_source(op, name):
    if name in op.inputs:
        return f"a_{name}"
    if name == "out":
        return "out_"
    source = name.removesuffix("_shape")
    if name in op.parameters or source not in op.inputs:
        return name
    absent = f"None if a_{source} is None else " if source in op.optional else ""
    return f"{absent}a_{source}.shape"
