"""Dynamic lengths of inputs in an ONNX file.

A trace contains the lengths of its inputs. The network is therefore traced with several lengths of
each dynamic axis, and values that differ between the traces are computed in the file from the
lengths at run time: shapes, ends of slices, divisors of means. Worked example: `x.reshape(n, 6) /
n` traced with n = 2, 4 and 6:

    constants   [2, 6], [4, 6], [6, 6]    1/2, 1/4, 1/6
    become      [-1, 6]                   1 / Cast(Shape(x)[0])

A constant must be a product of sums a * n + b over the dynamic lengths n, or the reciprocal of such
a product. Any other constant, or an attribute that differs, raises an error.
"""

import math
from fractions import Fraction

import numpy as np

from ..._core.tensor.tensor import Tensor
from .onnx_writing import TYPE_NUMBERS, Writer, whole
from .tracing import trace

LARGEST_DIVISOR = 1 << 12
STEPS = (1, 2, 3)  # multiples of the first length with which the network is traced


def writer_of(net, inputs, graph, axes, names):
    """Returns the Writer of a network, some of whose lengths may be dynamic.

    Args:
        net (Union[Cell, function]): the network.
        inputs (list): its inputs.
        graph (Graph): the trace of the network with these inputs.
        axes (list[dict]): for each input of the graph {axis: name of its length}.
        names (tuple[list]): the names of inputs and outputs.
    """
    if not any(axes):
        return Writer(graph, *names)
    lengths, sources = {}, {}
    for name, labels, (_, shape, _) in zip(names[0], axes, graph.inputs):
        for axis, label in labels.items():
            if lengths.setdefault(label, shape[axis]) != shape[axis]:
                raise ValueError(
                    f"For 'export', axes of 'dynamic_axes' named '{label}' must have one length, "
                    f"but got {lengths[label]} and {shape[axis]}."
                )
            sources.setdefault(label, (name, axis))
    variants = lengths_to_trace(lengths)
    traced = [trace(net, _resize(inputs, iter(axes), variant)) for variant in variants]
    writer = Dynamic(
        [Writer(variant_graph, *names) for variant_graph in traced], variants, sources
    ).settle()
    writer.inputs = [
        (name, tuple(labels.get(axis, n) for axis, n in enumerate(shape)), dtype)
        for (name, shape, dtype), labels in zip(writer.inputs, axes)
    ]
    return writer


def _resize(value, axes, lengths):
    """Resizes the inputs by repeating their elements from the first."""
    if isinstance(value, (tuple, list)):
        return type(value)(_resize(item, axes, lengths) for item in value)
    if isinstance(value, Tensor):
        array = value._array
        for axis, label in next(axes).items():
            array = array.take(np.arange(lengths[label]) % array.shape[axis], axis)
        return Tensor._wrap(array)
    return value


def lengths_to_trace(lengths):
    """Returns the sets of lengths with which the network is traced: the given lengths; then each
    length alone multiplied by the further STEPS; then all lengths doubled.

    Args:
        lengths (dict[str, int]): the lengths of the given inputs. A length of 1 is traced as 2,
            because an axis of one element is broadcast.
    """
    first = {label: max(n, 2) for label, n in lengths.items()}
    result = [first]
    for label, n in first.items():
        result += [{**first, label: step * n} for step in STEPS[1:]]
    return [*result, {label: 2 * n for label, n in first.items()}]


class Dynamic:
    """Replaces constants of a file by values computed from the lengths of its inputs.

    Args:
        writers (list[Writer]): the Writers of the traces.
        lengths (list[dict[str, int]]): the dynamic lengths of each trace.
        sources (dict[str, tuple[str, int]]): for each length, the input and the axis that has it.
    """

    def __init__(self, writers, lengths, sources):
        self.writers, self.lengths, self.sources = writers, lengths, sources
        self.writer, self.shapes = writers[0], {}

    def settle(self):
        """Returns the Writer of the first trace, with the dynamic lengths no longer fixed."""
        w = self.writer
        self._need_same_operators()
        rest, w.operators = w.operators, []
        renamed = {}
        for name in list(w.constants):
            values = [writer.constants[name] for writer in self.writers]
            if not all(_same(value, values[0]) for value in values[1:]):
                renamed[name] = self._follow(name, values, rest)
        for operator in rest:
            operator.operands = [renamed.get(name, name) for name in operator.operands]
        w.operators += rest
        used_names = {name for operator in w.operators for name in operator.operands}
        w.constants = {name: array for name, array in w.constants.items() if name in used_names}
        w.outputs = [
            self._label_output(*entries)
            for entries in zip(*(writer.outputs for writer in self.writers))
        ]
        return w

    def _need_same_operators(self):
        for other in self.writers[1:]:
            first = self.writer.operators
            if [(o.op, o.operands) for o in first] != [(o.op, o.operands) for o in other.operators]:
                raise _refusal("it computes something else with other lengths")
            for operator, two in zip(first, other.operators):
                if operator.attributes != two.attributes:
                    raise _refusal(f"the attributes of its '{operator.op}' depend on them")

    def _label_output(self, *outputs):
        """Returns an output whose dynamic lengths are named, or unknown."""
        name, first, dtype = outputs[0]
        if any(len(shape) != len(first) for _, shape, _ in outputs):
            raise _refusal("an output has another rank with other lengths")
        return name, tuple(self._label(ns) for ns in zip(*(s for _, s, _ in outputs))), dtype

    def _label(self, ns):
        if len(set(ns)) == 1:
            return ns[0]
        same_axes = (
            label for label in self.sources if [lengths[label] for lengths in self.lengths] == [*ns]
        )
        return next(same_axes, None)

    def _follow(self, name, values, operators):
        """Returns the name of the result that replaces a constant that differs."""
        if any(value.shape != values[0].shape for value in values):
            return self._array(values)
        changing = np.flatnonzero(np.any([value != values[0] for value in values], 0))
        if len(changing) == 1 and _shapes_a_reshape(name, operators):
            shape = values[0].copy()
            shape[changing[0]] = -1
            return self.writer.named(shape)
        return self._numbers(values)

    def _numbers(self, arrays):
        """Computes a constant of one shape whose numbers differ."""
        w, entries = self.writer, zip(*(array.ravel().tolist() for array in arrays))
        parts = [self._entry(values, arrays[0].dtype) for values in entries]
        flat = parts[0] if len(parts) == 1 else w("Concat", *parts, axis=0)
        return w("Reshape", flat, whole(*arrays[0].shape))

    def _entry(self, values, dtype):
        """Returns a number of a constant, as an array of one element."""
        w = self.writer
        if len(set(values)) == 1:
            return np.array([values[0]], dtype)
        fit = self._fit(values)
        if fit is not None:
            return self._value(fit, dtype)
        if dtype.kind == "f" and all(values):
            fit = self._fit([1 / value for value in values])
        if fit is None:
            raise _refusal(f"a constant follows them by no simple rule: {_format_values(values)}")
        return w("Reciprocal", self._value(fit, dtype))

    def _fit(self, values):
        """Finds (factors, divisor) with values == product of factors / divisor; None if there are
        none.

        A factor is ({label: a}, b) and stands for the sum of a * length and b. The values must be
        linear in each single length; together they must be a sum or a product of these.
        """
        if not all(math.isfinite(value) for value in values):
            return None
        base, first = _rational(values[0]), self.lengths[0]
        slopes, lines = {}, []
        for at, (label, n) in enumerate(first.items()):
            twice, thrice = (_rational(value) for value in values[2 * at + 1 : 2 * at + 3])
            if thrice - twice != twice - base:
                return None
            if twice != base:
                slopes[label] = (twice - base) / n
                lines.append(({label: slopes[label]}, 2 * base - twice))
        joint, rest = _rational(values[-1]), sum(slopes[label] * first[label] for label in slopes)
        if joint == base + rest:
            return _integral([(slopes, base - rest)], Fraction(1))
        scale = base ** (len(lines) - 1)
        product = math.prod(
            a * 2 * first[label] + b for line, b in lines for label, a in line.items()
        )
        return _integral(lines, scale) if scale and product == joint * scale else None

    def _value(self, fit, dtype):
        """Computes the value that `_fit` found, as an array of one element."""
        w, (factors, divisor), product = self.writer, fit, None
        for slopes, rest in factors:
            total = None
            for label, a in slopes.items():
                term = self._length(label) if a == 1 else w("Mul", self._length(label), whole(a))
                total = term if total is None else w("Add", total, term)
            total = w("Add", total, whole(rest)) if rest else total
            product = total if product is None else w("Mul", product, total)
        if dtype != np.int64:
            product = w("Cast", product, to=TYPE_NUMBERS[dtype])
        return product if divisor == 1 else w("Div", product, np.array([divisor], dtype))

    def _length(self, label):
        """Returns a dynamic length, as an array of one element."""
        if label not in self.shapes:
            name, axis = self.sources[label]
            self.shapes[label] = self.writer("Shape", name, start=axis, end=axis + 1)
        return self.shapes[label]

    def _array(self, arrays):
        """Computes a constant whose shape differs: repeated along axes, or counting along one."""
        w, first = self.writer, arrays[0]
        if any(array.ndim != first.ndim for array in arrays):
            raise _refusal("a constant has another rank with other lengths")
        sizes = list(zip(*(array.shape for array in arrays)))
        axes = [axis for axis, ns in enumerate(sizes) if len(set(ns)) > 1]
        parts = [self._entry(ns, np.dtype(np.int64)) for ns in sizes]
        shape = parts[0] if len(parts) == 1 else w("Concat", *parts, axis=0)
        cut = tuple(slice(1) if a in axes else slice(None) for a in range(first.ndim))
        heads = [array[cut] for array in arrays]
        if all((array == head).all() for array, head in zip(arrays, heads)):
            all_same = all(_same(head, heads[0]) for head in heads)
            return w("Expand", heads[0] if all_same else self._numbers(heads), shape)
        start, step = (first.ravel()[i] for i in (0, 1))
        step = step - start
        for array in arrays:
            if len(axes) > 1 or array.size != array.shape[axes[0]] or array.dtype.kind not in "iuf":
                break
            if not np.array_equal(array.ravel(), start + step * np.arange(array.size)):
                break
        else:
            count = w("Cast", w("Squeeze", parts[axes[0]]), to=TYPE_NUMBERS[first.dtype])
            stop = w("Add", w("Mul", count, step), start)
            return w("Reshape", w("Range", start, stop, step), shape)
        raise _refusal(f"it holds a constant array of shape {first.shape} that depends on them")


def _same(first, other):
    return np.array_equal(first, other, equal_nan=first.dtype.kind in "fc")


def _shapes_a_reshape(name, operators):
    uses = [operator for operator in operators if name in operator.operands]
    return all(operator.op == "Reshape" and operator.operands[1] == name for operator in uses)


def _rational(value):
    """Converts a number to a fraction, and undoes the rounding of a float32."""
    fraction = Fraction(value)
    near = fraction.limit_denominator(LARGEST_DIVISOR)
    return near if abs(near - fraction) <= abs(fraction) * Fraction(1, 10**6) else fraction


def _integral(factors, scale):
    """Returns the factors with integer coefficients, and the divisor of their product."""
    integral, divisor = [], scale
    for slopes, rest in factors:
        common = math.lcm(rest.denominator, *(a.denominator for a in slopes.values()))
        integral.append(({s: int(a * common) for s, a in slopes.items()}, int(rest * common)))
        divisor *= common
    if divisor.denominator != 1:
        slopes, rest = integral[0]
        by = divisor.denominator
        integral[0] = {s: a * by for s, a in slopes.items()}, rest * by
    return integral, divisor.numerator


def _format_values(values):
    return ", ".join(f"{value:g}" for value in values)


def _refusal(why):
    return RuntimeError(
        f"For 'export', the network cannot have the lengths of 'dynamic_axes' dynamic: {why}."
    )
