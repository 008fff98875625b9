"""Op: a declared operator, which computes, records and batches. The table of all operators.

A declaration has public lines, a body, and a gradient rule if the composed one is inadequate:

    @op("ops.tanh(input)", "ops.Tanh()(input)", "Tensor.tanh()")
    def tanh(xp, input: TensorOf(real)):
        return xp.tanh(input)

    tanh.vjp(input=lambda xp, g, out: g * (1 - out * out))

`tanh.run(t)` is the trusted call: Tensors in, Tensors out, no checks. The ordinary case (all array
inputs are Tensors of one array type, no low precision) runs straight-line code generated for the op
(call_path.py); all other cases go through `Op.general`. The checked public functions are generated
in public_api.py.

An op without a rule is differentiated through its body, which then runs on Traced values.
"""

import functools
import inspect

from numpy import generic, iscomplexobj

from ..._backend import arrays
from ..._backend.arrays import SPACES
from ..._backend.steps import recorded_array
from ..autograd import (  # noqa: F401 - rules
    vjp_rules_conv,
    vjp_rules_indexing,
    vjp_rules_linalg,
    vjp_rules_products,
    vjp_rules_reduce,
    vjp_rules_special,
)
from ..autograd.devices import recorded_move
from ..autograd.steps import rule_of
from ..autograd.tape import FLOAT32, depth, record, record_many
from ..autograd.traced import traced_space
from ..autograd.vjp_rule import VjpRule
from ..memory_errors import name_operator
from ..rules.stored_arguments import is_generated
from ..rules.vocabulary import rules_of
from ..tensor import promotion
from ..tensor.precision import state as precision
from ..tensor.tensor import Tensor, as_array, number_array
from ..vmap.batch import broadcast_nodes
from .call_path import write_run, write_run_of_list
from .failed_call import failed_call, no_tensor
from .inputs import (
    Promote,
    Quirks,
    SameDtype,
    accepts_list,
    accepts_tensor,
    takes_none,
    takes_numbers,
)
from .interception import intercepted
from .interception import state as interception
from .values import ODD_NUMBERS, each_of, result_array, space_for, untraced, upcast, weak_scalar

NO_PROMOTION = Promote("")
NO_QUIRKS = Quirks()
UPCAST = {  # how an op computes -> the attribute of a space, as of a Rule
    "float32": "low_precision",
    "native": False,
    "body": False,
    "products": "low_precision_products",
    "kernels": "low_precision_kernels",
}
_NUMBERS = frozenset({bool, int, float})
DECLARED = {}  # area ("ops", "nn", "Tensor", "mint.nn.functional") -> public name -> (op, line)
PUBLIC = {}  # area -> name -> a hand-written object


def op(*lines, types=(), compute="float32", quirks=None, inline=False):
    """Declares an operator.

    Args:
        *lines (str): its public signatures (public_api.py).
        types (Promote, SameDtype, tuple): the inputs that are promoted to, or must have, one dtype.
        compute (str): "float32" to compute low-precision floats in float32 and round the result;
            "native" for ops that only move values; "body" for elementwise bodies that cast low
            precision themselves, because they choose the dtype of the result; "products" for ops
            that multiply matrices, and "kernels" for ops that hand their arrays to one kernel,
            which a GPU does in low precision directly.
        quirks (Quirks): differences between public paths and the body.
        inline (bool): whether a recorded step on the host calls the functions of `xp` that the body
            calls, and not the body: for bodies that check their arguments and then call a few
            functions.
    """

    def declare(body):
        return Op(body, lines, types, compute, quirks, inline)

    return declare


class Op:
    """One operator: its body, its vjp rule, and its call path."""

    diverted = False
    _unfit = ()  # by_slices.py sets it
    _with_gradient = None  # stacking.py sets it

    def __init__(self, body, lines=(), types=(), compute="float32", quirks=None, inline=False):
        self.name = body.__name__
        self.body = body
        self.lines = lines
        types = types if isinstance(types, tuple) else (types,)
        self.types = next(
            (promotion for promotion in types if isinstance(promotion, Promote)), NO_PROMOTION
        )
        self.promote = self.types.names
        self.same_dtype = [
            name
            for promotion in types
            if isinstance(promotion, SameDtype)
            for name in promotion.names
        ]
        self.upcast = UPCAST[compute]
        self.casts_itself = compute == "body"
        self.quirks = quirks or NO_QUIRKS
        self.inline = inline
        self.shared_rule = None
        self.own_rule = None
        self._several_kernels = set()  # dtypes and attributes of calls that are not one kernel
        self.__doc__ = body.__doc__
        for line in lines:
            path = line.split("(", 1)[0]
            area, _, name = path.rpartition(".")
            DECLARED.setdefault(area, {})[name] = (self, line)

    def vjp(self, **rules):
        """Declares the vjp rule: input name -> gradient `(xp, g, *required values)`."""
        self.own_rule = (rules, None)
        return self

    def vjp_of(self, name):
        """Declares that the op shares the vjp rule of a function of `xp`, input for input."""
        self.shared_rule = name
        return self

    def vjp_joint(self, function):
        """Declares one function that returns the gradients of all inputs, as a tuple."""
        self.own_rule = ({}, function)
        return function

    def divert(self, general):
        """Sends all calls to `general` while `casting` is active (../tensor/precision.py)."""
        self.general = general
        self.diverted = True
        if "run" in self.__dict__ and self._write:  # callers hold it already
            self.run.__globals__["general_"] = general
            self.run.__code__ = self._write(self).__code__

    def __getattr__(self, name):
        if name in ("parameters", "rules", "inputs", "many", "rule", "run"):
            self._prepare()
            return self.__dict__[name]
        raise AttributeError(f"Op has no attribute '{name}'")

    def is_shapes_first(self, path):
        """Returns True if shapes are checked before dtypes in calls of a public path: if both are
        wrong, the call raises the error about the shapes."""
        first = self.quirks.shapes_first
        if isinstance(first, tuple):
            return path in first
        return self.is_generated if first is None else first

    @functools.cached_property
    def is_generated(self):
        """Whether one of its public names is a Primitive that MindSpore generates."""
        return any(is_generated(line.split("(", 1)[0]) for line in self.lines)

    def _prepare(self):
        """Reads the signature of the body and generates the call path, at the first use."""
        arrays.prepare_host()
        parameters = list(inspect.signature(self.body).parameters.values())[1:]
        self.parameters = [p.name for p in parameters]
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.rules = rules_of(self.body)
        self.inputs = [n for n in self.parameters if accepts_tensor(self.rules.get(n))]
        self.many = next((n for n in self.parameters if accepts_list(self.rules.get(n))), None)
        self.numbers = {n for n in self.inputs if self.types.lists or takes_numbers(self.rules[n])}
        self.optional = {n for n in self.inputs if self.defaults.get(n, 0) is None}
        self.floats = [
            n
            for n in self.parameters
            if n not in (*self.inputs, self.many)
            and n in self.rules
            and self.rules[n].verdict(0.5) is not TypeError
        ]
        self.absent = self.optional | {n for n in self.inputs if takes_none(self.rules[n])}
        self.rule = self._make_rule()
        self._write = self._writer()
        self.run = self._write(self) if self._write else self._run_general

    def _writer(self):
        """Returns the function that writes a straight-line call path for this operator, or None."""
        if not self.many:
            straight = self.inputs and self.inputs[0] not in self.optional
            return write_run if straight else None
        plain = not (self.inputs or self.types.lists or self.types.weak_0d)
        return write_run_of_list if plain else None

    def _run_general(self, *args, **kwargs):
        """The call path of an operator without a straight one; `divert` may change `general`."""
        return self.general(*args, **kwargs)

    def _make_rule(self):
        inputs = self.inputs + ([self.many] if self.many else [])
        if self.shared_rule:
            from ..autograd.vjp_rules import TABLE

            shared = TABLE[self.shared_rule].rule
            is_alike = len(shared.inputs) == len(inputs) and shared.many == bool(self.many)
            if list(shared.inputs) == inputs or is_alike:
                return shared.renamed(inputs, self.name, self.upcast)
        if self.own_rule is None:
            return None
        rules, joint = self.own_rule
        return VjpRule(self.name, inputs, rules, joint, upcast=self.upcast, many=bool(self.many))

    # The general path -----------------------------------------------------------------------------

    def general(self, *args, **kwargs):
        """Returns the call path for every case: scalars, lists, mixed dtypes and devices,
        float16."""
        if arrays.intercepting and interception.modes:
            return intercepted(self, DECLARED["ops"], args, kwargs)
        values = dict(self.defaults)
        values.update(zip(self.parameters, args))
        values.update(kwargs)
        for n in self.floats:
            if type(values[n]) in ODD_NUMBERS:
                values[n] = ODD_NUMBERS[type(values[n])](values[n])
        sources = [values[n] for n in self.inputs]
        extra = list(values[self.many]) if self.many else []
        operands, nodes = self._arrays(sources + extra)
        metas = tuple([(None, None) if a is None else (a.shape, a.dtype) for a in operands])
        if arrays.find_recorder is not None:
            operands = recorded_array.operands(operands)
        xp = self._space(operands)
        if getattr(xp, "by_operator", False):
            return xp.run_apart(self, values)
        try:
            if not xp.level:
                if arrays.blocking:
                    return self._wait_for_result(xp, values, operands, nodes, metas)
                return self._compute(xp, values, operands, nodes, metas)
            if getattr(xp, "choose", None) is not None and xp.choose(self.name, values):
                operands, nodes = self._arrays(sources + extra)  # with a weight divided now
            return self._compute(xp, dict(values), operands, nodes, metas)
        except MemoryError as error:
            raise name_operator(self.name, error) from None
        except self._unfit:  # the body reads a value: each slice has its own
            if not xp.level or xp.run_apart is None:
                raise
            return xp.run_apart(self, values)

    def _wait_for_result(self, *arguments):
        """Returns the result after the device has computed it, so that device errors appear
        here."""
        result = self._compute(*arguments)
        arrays.synchronize()
        return result

    def _compute(self, xp, values, operands, nodes, metas):
        """Returns the result for these arrays and nodes, recorded if a node is live."""
        count = len(self.inputs)
        operands, nodes = list(operands), list(nodes)
        for index, a in enumerate(operands):
            if a is not None and SPACES.get(type(a)) is not xp and space_for(a) is not xp:
                operands[index], nodes[index] = recorded_move(xp, a, nodes[index])
        if xp.level:
            nodes = broadcast_nodes(xp, operands, nodes)
        live = any([node is not None for node in nodes]) and not depth.paused
        may_be_one_kernel = self.upcast or self.casts_itself
        if may_be_one_kernel and getattr(xp, "upcast_kernels", None) is not None:
            result = self._by_one_kernel(xp, values, operands, nodes, metas, live)
            if result is not None:
                return result
        if live and self.rule is None:
            return self._through_body(xp, values, operands, nodes)
        body_operands = self._with_axes(xp, operands)
        operands = self._promote(xp, self._in_precision(xp, operands))
        result_dtype = self._result_dtype(operands, values, self._low_precision(xp))
        if result_dtype is not None:
            operands = [upcast(xp, a) for a in operands]
        values.update(zip(self.inputs, operands))
        if self.many:
            values[self.many] = operands[count:]
        arguments = [values[n] for n in self.parameters]
        if xp is recorded_array.RECORDED and not self.inline:
            out = recorded_array.call_body(self.body, arguments)
        else:
            out = self.body(arrays.for_size(xp, operands), *arguments)
        is_sequence = type(out) is tuple or type(out) is list
        outs = tuple(result_array(xp, o) for o in out) if is_sequence else (result_array(xp, out),)
        if result_dtype is not None:
            outs = tuple(xp.cast(o, result_dtype) if o.dtype is FLOAT32 else o for o in outs)
        if body_operands is not None:
            outs = tuple(
                xp.cast(o, promotion.promote_weak_0d_np(body_operands, o.dtype)) for o in outs
            )
        if not live:
            return tuple(map(Tensor._wrap, outs)) if is_sequence else Tensor._wrap(outs[0])
        return self._finish(outs if is_sequence else outs[0], tuple(nodes), values, metas, xp)

    def by_one_kernel(self, xp, dtype, operands, nodes, given):
        """Computes an elementwise body by one kernel, if all arrays have the `dtype`, float32 or
        lower; else returns None.

        Args:
            xp: the space of a GPU.
            dtype: the dtype of the first array.
            operands, nodes: the arrays, and their nodes; None for absent ones.
            given: all arguments of the body.
        """
        kind = type(operands[0])
        for a in operands:
            if a is not None and (type(a) is not kind or a.dtype != dtype):
                return None
        rule = self.rule or self._rule_by_steps
        live = not depth.paused and any([node is not None for node in nodes])
        if precision.dtype is not None or depth.open > 1 or live and rule is None:
            return None
        attributes = dtype, *[value for value in given if type(value) is not kind]
        try:
            if attributes in self._several_kernels:
                return None
        except TypeError:  # an attribute that cannot be hashed
            return None
        out = xp.upcast_kernels.run(self.body, given, dtype)
        if out is None and 0 not in [a.size for a in operands if a is not None]:
            if len(self._several_kernels) == 99:  # attributes that change from call to call
                self._several_kernels.clear()
            self._several_kernels.add(attributes)
        if out is None or not live:
            return out if out is None else each_of(out, Tensor._wrap)
        metas = tuple([(None, None) if a is None else (a.shape, a.dtype) for a in operands])
        values = dict(zip(self.parameters, given))
        return self._finish(out, nodes, values, metas, xp, rule)

    def _by_one_kernel(self, xp, values, operands, nodes, metas, live):
        """Computes an elementwise body in low precision by one kernel, and returns the result.
        Returns None if no kernel can compute the body, or the result is to be differentiated more
        than once."""
        low_precision = xp.upcast_kernels.dtypes
        if self.many or not any(a is not None and a.dtype in low_precision for a in operands):
            return None
        rule = self.rule or self._rule_by_steps
        if live and rule is None or depth.open > 1:
            return None
        input_axes = self._with_axes(xp, operands)
        operands = self._promote(xp, self._in_precision(xp, operands))
        dtype = self._result_dtype(operands, values, low_precision)
        is_derived = live and self.rule is None  # a derived rule serves low precision only
        if (
            dtype is None
            or (self.casts_itself or is_derived)
            and dtype == FLOAT32  # of arrays that differ; the body chooses among their dtypes
            or input_axes is not None
            and promotion.promote_weak_0d_np(input_axes, dtype) != dtype
        ):
            return None
        values = {**values, **dict(zip(self.inputs, operands))}
        arguments = tuple([values[n] for n in self.parameters])
        out = xp.upcast_kernels.run(self.body, arguments, dtype)
        if out is None or not live:
            return out if out is None else each_of(out, Tensor._wrap)
        return self._finish(out, tuple(nodes), values, metas, xp, rule)

    @functools.cached_property
    def _rule_by_steps(self):
        """The VjpRule that autograd/steps.py derives for an elementwise body without a rule; None
        if a parameter of the body is named `xp`, `g` or `out`, which a rule means otherwise."""
        if {"xp", "g", "out"}.intersection(self.parameters):
            return None
        return rule_of(self.name, self.body, self.parameters, self.inputs)

    def _finish(self, out, parents, values, metas, xp, rule=None):
        """Wraps the result of a recorded call; several outputs share one node."""
        rule = rule or self.rule
        is_sequence = type(out) is tuple or type(out) is list
        out = tuple([result_array(xp, o) for o in out]) if is_sequence else result_array(xp, out)
        if depth.paused or all([parent is None for parent in parents]):
            return tuple(map(Tensor._wrap, out)) if is_sequence else Tensor._wrap(out)
        saved = tuple([out if k == "out" else self._saved_value(values, k) for k in rule.saves])
        if not is_sequence:
            results = Tensor._wrap(out)
            results._node = record(rule, parents, saved, metas)
            return results
        results = tuple(map(Tensor._wrap, out))
        for part, node in zip(results, record_many(rule, parents, saved, metas, out)):
            part._node = node
        return results

    def _saved_value(self, values, name):
        if name in values:
            return values[name]
        source = values[name.removesuffix("_shape")]
        if isinstance(source, list):
            return [a.shape for a in source]
        return None if source is None else source.shape

    def _through_body(self, xp, values, operands, nodes):
        """Runs the body on Traced values, so that its parts are recorded."""
        space = traced_space(arrays.for_size(xp, operands))
        traced = [None if a is None else space.wrap(a, n) for a, n in zip(operands, nodes)]
        body_operands = self._with_axes(xp, traced)
        traced = self._promote(space, self._in_precision(space, traced))
        result_dtype = self._result_dtype(traced, values, self._low_precision(xp))
        if result_dtype is not None:
            traced = [
                w if w is None or w.dtype not in xp.low_precision else space.cast(w, FLOAT32)
                for w in traced
            ]
        values.update(zip(self.inputs, traced))
        if self.many:
            values[self.many] = traced[len(self.inputs) :]
        out = self.body(space, *[values[n] for n in self.parameters])
        if result_dtype is not None:
            out = each_of(out, lambda o: space.cast(o, result_dtype) if o.dtype == FLOAT32 else o)
        if body_operands is not None:
            out = each_of(
                out, lambda o: space.cast(o, promotion.promote_weak_0d_np(body_operands, o.dtype))
            )
        return each_of(out, lambda o: untraced(o, xp))

    # Conversion of the arguments ------------------------------------------------------------------

    def _arrays(self, sources):
        """Returns the arrays and nodes behind Tensors, numbers and (for operators) lists."""
        names = self.inputs + [self.many] * (len(sources) - len(self.inputs))
        tensors = [s for n, s in zip(names, sources) if n in self.promote and isinstance(s, Tensor)]
        if self.types.need_tensor and not any(isinstance(s, Tensor) for s in sources):
            raise TypeError(
                f"For '{self.name}', one argument must be a Tensor, but got "
                f"{', '.join(map(repr, sources))}."
            )
        operands, nodes = [], []
        for name, source in zip(names, sources):
            if self.types.lists and type(source) in (tuple, list):
                if self.types.lists is not True and not self.types.lists():
                    raise TypeError(f"{no_tensor(self, name, source)} {failed_call(self, sources)}")
                source = source if depth.paused else self._with_gradient(source)
            if isinstance(source, Tensor):
                operands.append(source._array)
                nodes.append(source._node)
            else:
                absent = source is None and name in self.absent
                try:
                    operands.append(None if absent else self._constant(name, source, tensors))
                except TypeError as error:
                    raise TypeError(f"{error} {failed_call(self, sources)}") from None
                nodes.append(None)
        return operands, nodes

    def numbers_as_tensors(self, sources):
        """Returns the inputs with Tensors in the place of Python's numbers. Returns None if an
        input needs more than that, or has an array without a straight-line call path."""
        promote, promoted, tensors = self.promote, [], 0
        for name, source in zip(self.inputs, sources):
            if type(source) is Tensor or isinstance(source, Tensor):
                space = arrays.DIRECT.get(type(source._array))
                if space is None:
                    return None
                tensors += 1
                if name in promote:
                    promoted.append(source)
        if not 0 < tensors < len(sources):
            return None
        lead, filled, changed = _lead(promoted), [], False
        for name, source in zip(self.inputs, sources):
            if type(source) is Tensor or isinstance(source, Tensor):
                pass
            elif type(source) in _NUMBERS and name in self.numbers:
                if lead is not None and name in promote:
                    array = weak_scalar(lead._array, source, self.types.exact)
                elif promoted or name not in promote:
                    array = number_array(source)
                    if space is not arrays.HOST:  # a kept array, which costs no launch
                        array = space.number(source, array.dtype)
                else:
                    return None
                source, changed = Tensor._wrap(array), True
            elif source is not None or name not in self.optional:
                return None
            filled.append(source)
        return filled if changed else None

    def _constant(self, name, value, tensors):
        """Returns a number (or list) as an array; the Tensors of the call determine its dtype."""
        is_number = isinstance(value, (bool, int, float, generic)) and not iscomplexobj(value)
        if is_number and name in self.numbers:
            other = _lead(tensors)
            if other is None or name not in self.promote:
                return as_array(value)
            return weak_scalar(other._array, promotion.as_number(value), self.types.exact)
        if self.types.lists and isinstance(value, (list, tuple)):
            return self._list(name, value, tensors)
        if self.many == name and not isinstance(value, Tensor):
            raise TypeError(
                f"For '{self.name}', each element of '{name}' must be a Tensor, but got "
                f"{type(value).__name__}."
            )
        raise no_tensor(self, name, value)

    def _list(self, name, value, tensors):
        """Converts a list to an array. Beside a Tensor, it is promoted like a Python number of its
        kind (bool, int, float or complex)."""
        array = as_array(value)
        if not tensors or name not in self.promote or not array.size:
            return array
        kind = {"b": bool, "i": int, "u": int, "c": complex}.get(array.dtype.kind, float)
        return array.astype(promotion.scalar_np(tensors[0]._array.dtype, kind))

    def _space(self, operands):
        """Returns the common array namespace of all arrays: a batched one if there is one, else
        the GPU's, else the host's."""
        best = None
        for a in operands:
            if a is None:
                continue
            space = SPACES.get(type(a)) or a.space
            if space is best:
                continue
            if (
                best is None
                or space.level > best.level
                or (best is arrays.HOST and space is not best)
            ):
                best = space
        return best or arrays.current_space()

    def _promote(self, xp, operands):
        """Returns the arrays, which belong to the array namespace `xp`, cast to their promoted
        dtype if the op promotes."""
        if not self.promote:
            return operands
        operands = list(operands)  # the caller may need them as they were given
        names = self.inputs + [self.many] * (len(operands) - len(self.inputs))
        at = [i for i, n in enumerate(names) if n in self.promote and operands[i] is not None]
        target = operands[at[0]].dtype
        for i in at[1:]:
            target = self.types.promote(target, operands[i].dtype)
        for i in at:
            operands[i] = xp.cast(operands[i], target)
        return operands

    def _with_axes(self, xp, operands):
        """Returns the dtype of the only input that has axes, to which the result is then cast back.
        Returns None if 0-d inputs take part in promotion (`weak_0d` is not set), if no or several
        inputs have axes, if the running Cell sets a precision, and within a vmap."""
        if not self.types.weak_0d or precision.dtype is not None or xp.hides_axis:
            return None
        dtypes = [a.dtype for a in operands if a.ndim]
        return dtypes[0] if len(dtypes) == 1 else None

    def _in_precision(self, xp, operands):
        """Returns the arrays, cast to the float type that the running Cell sets, if any: see
        tensor/precision.py."""
        dtype = precision.dtype
        if dtype is None or not self.upcast:
            return operands
        return [
            xp.cast(a, dtype) if a is not None and a.dtype.kind in "fV" else a for a in operands
        ]

    def _low_precision(self, xp):
        """Returns the dtypes whose arrays the op casts to float32 before its body runs."""
        return getattr(xp, self.upcast) if self.upcast else frozenset()

    def _result_dtype(self, operands, values, low_precision):
        """Returns the dtype that stores a result computed in float32 from inputs of dtypes in
        `low_precision`: float16 or bfloat16 if all inputs have it, else float32. None if an input
        has another dtype."""
        floats = [a.dtype for a in operands if a is not None and a.dtype.kind in "fV"]
        if not floats or any([d not in low_precision for d in floats]):
            return None
        differ = any([d != floats[0] for d in floats])
        return FLOAT32 if differ or values.get("dtype") == FLOAT32 else floats[0]

    def __repr__(self):
        return f"Op({self.name})"


def _lead(tensors):
    """Returns the Tensor whose dtype a number next to these Tensors takes: the first one with axes
    if there are several. Returns None if there is no such Tensor."""
    if len(tensors) > 1 and not tensors[0]._array.ndim:
        return next((t for t in tensors if t._array.ndim), None)
    return tensors[0] if tensors else None
