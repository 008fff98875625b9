"""Lengths of inputs that are not fixed in an ONNX file.

A trace holds the lengths that its inputs had. So the network is traced with several lengths of each
dynamic axis, and what differs between the traces is computed in the file from the lengths at run
time: shapes, ends of slices, divisors of means. Worked example, of `x.reshape(n, 6) / n` traced
with n = 2, 4 and 6:

    constants   [2, 6], [4, 6], [6, 6]    1/2, 1/4, 1/6
    become      [-1, 6]                   1 / Cast(Shape(x)[0])

A constant is a product of sums a * n + b over the dynamic lengths n, or one over that; what is
not, or an attribute that differs, is refused.
"""

import math
from fractions import Fraction

import numpy as np

from .onnx_writing import TYPE_NUMBERS, whole

LARGEST_DIVISOR = 1 << 12
STEPS = (1, 2, 3)  # multiples of the first length at which the network is traced


def lengths_to_trace(lengths):
    """Dynamic lengths at which a network is traced: the first, each two and three times as large
    alone, then all of them twice as large.

    Args:
        lengths (dict[str, int]): those of the given inputs. A length of 1 is traced as 2, because
            an axis of one element is broadcast.
    """
    first = {label: max(n, 2) for label, n in lengths.items()}
    found = [first]
    for label, n in first.items():
        found += [{**first, label: step * n} for step in STEPS[1:]]
    return [*found, {label: 2 * n for label, n in first.items()}]


class Dynamic:
    """Makes the constants of a file follow the lengths of its inputs.

    Args:
        writers (list[Writer]): those of the traces.
        lengths (list[dict[str, int]]): the dynamic lengths of each trace.
        sources (dict[str, tuple[str, int]]): the input and the axis that has each of the lengths.
    """

    def __init__(self, writers, lengths, sources):
        self.writers, self.lengths, self.sources = writers, lengths, sources
        self.writer, self.shapes = writers[0], {}

    def settle(self):
        """The Writer of the first trace, whose lengths are no longer fixed."""
        w = self.writer
        self._need_same_operators()
        rest, w.operators = w.operators, []
        renamed = {}
        for name in list(w.constants):
            seen = [writer.constants[name] for writer in self.writers]
            if not all(_same(one, seen[0]) for one in seen[1:]):
                renamed[name] = self._follow(name, seen, rest)
        for one in rest:
            one.operands = [renamed.get(name, name) for name in one.operands]
        w.operators += rest
        used = {name for one in w.operators for name in one.operands}
        w.constants = {name: array for name, array in w.constants.items() if name in used}
        w.outputs = [self._labelled(*each) for each in zip(*(one.outputs for one in self.writers))]
        return w

    def _need_same_operators(self):
        for other in self.writers[1:]:
            first = self.writer.operators
            if [(o.op, o.operands) for o in first] != [(o.op, o.operands) for o in other.operators]:
                raise _refusal("it computes something else with other lengths")
            for one, two in zip(first, other.operators):
                if one.attributes != two.attributes:
                    raise _refusal(f"the attributes of its '{one.op}' depend on them")

    def _labelled(self, *outputs):
        """An output whose dynamic lengths have their names, or are not known."""
        name, first, dtype = outputs[0]
        if any(len(shape) != len(first) for _, shape, _ in outputs):
            raise _refusal("an output has another rank with other lengths")
        return name, tuple(self._label(ns) for ns in zip(*(s for _, s, _ in outputs))), dtype

    def _label(self, ns):
        if len(set(ns)) == 1:
            return ns[0]
        same = (label for label in self.sources if [one[label] for one in self.lengths] == [*ns])
        return next(same, None)

    def _follow(self, name, seen, operators):
        """The name of what takes the place of a constant that differs."""
        if any(one.shape != seen[0].shape for one in seen):
            return self._array(seen)
        changing = np.flatnonzero(np.any([one != seen[0] for one in seen], 0))
        if len(changing) == 1 and _shapes_a_reshape(name, operators):
            shape = seen[0].copy()
            shape[changing[0]] = -1
            return self.writer.named(shape)
        return self._numbers(seen)

    def _numbers(self, seen):
        """A constant of one shape whose numbers differ."""
        w, entries = self.writer, zip(*(one.ravel().tolist() for one in seen))
        parts = [self._entry(values, seen[0].dtype) for values in entries]
        joined = parts[0] if len(parts) == 1 else w("Concat", *parts, axis=0)
        return w("Reshape", joined, whole(*seen[0].shape))

    def _entry(self, values, dtype):
        """A number of a constant, as an array of one element."""
        w = self.writer
        if len(set(values)) == 1:
            return np.array([values[0]], dtype)
        found = self._fit(values)
        if found is not None:
            return self._value(found, dtype)
        if dtype.kind == "f" and all(values):
            found = self._fit([1 / value for value in values])
        if found is None:
            raise _refusal(f"a constant follows them by no simple rule: {_listed(values)}")
        return w("Reciprocal", self._value(found, dtype))

    def _fit(self, values):
        """(factors, divisor) with values == product of factors / divisor, or None.

        A factor is ({label: a}, b), for the sum of a * length and b. In each length alone the
        values must be a line; together they are a sum or a product of those.
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
        joint, added = _rational(values[-1]), sum(slopes[label] * first[label] for label in slopes)
        if joint == base + added:
            return _integral([(slopes, base - added)], Fraction(1))
        scale = base ** (len(lines) - 1)
        grown = math.prod(
            a * 2 * first[label] + b for line, b in lines for label, a in line.items()
        )
        return _integral(lines, scale) if scale and grown == joint * scale else None

    def _value(self, found, dtype):
        """What `_fit` found, as an array of one element that the file computes."""
        w, (factors, divisor), product = self.writer, found, None
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
        """A dynamic length, as an array of one element."""
        if label not in self.shapes:
            name, axis = self.sources[label]
            self.shapes[label] = self.writer("Shape", name, start=axis, end=axis + 1)
        return self.shapes[label]

    def _array(self, seen):
        """A constant whose shape differs: it is repeated along axes, or counts along one."""
        w, first = self.writer, seen[0]
        if any(one.ndim != first.ndim for one in seen):
            raise _refusal("a constant has another rank with other lengths")
        sizes = list(zip(*(one.shape for one in seen)))
        axes = [axis for axis, ns in enumerate(sizes) if len(set(ns)) > 1]
        parts = [self._entry(ns, np.dtype(np.int64)) for ns in sizes]
        shape = parts[0] if len(parts) == 1 else w("Concat", *parts, axis=0)
        cut = tuple(slice(1) if a in axes else slice(None) for a in range(first.ndim))
        heads = [one[cut] for one in seen]
        if all((one == head).all() for one, head in zip(seen, heads)):
            same = all(_same(head, heads[0]) for head in heads)
            return w("Expand", heads[0] if same else self._numbers(heads), shape)
        start, step = (first.ravel()[i] for i in (0, 1))
        step = step - start
        for one in seen:
            if len(axes) > 1 or one.size != one.shape[axes[0]] or one.dtype.kind not in "iuf":
                break
            if not np.array_equal(one.ravel(), start + step * np.arange(one.size)):
                break
        else:
            count = w("Cast", w("Squeeze", parts[axes[0]]), to=TYPE_NUMBERS[first.dtype])
            stop = w("Add", w("Mul", count, step), start)
            return w("Reshape", w("Range", start, stop, step), shape)
        raise _refusal(f"it holds a constant array of shape {first.shape} that depends on them")


def _same(one, other):
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _shapes_a_reshape(name, operators):
    uses = [one for one in operators if name in one.operands]
    return all(one.op == "Reshape" and one.operands[1] == name for one in uses)


def _rational(value):
    """A number as a fraction; the rounding of a float32 is undone."""
    found = Fraction(value)
    near = found.limit_denominator(LARGEST_DIVISOR)
    return near if abs(near - found) <= abs(found) * Fraction(1, 10**6) else found


def _integral(factors, scale):
    """Factors with whole numbers, and what their product is divided by."""
    found, divisor = [], scale
    for slopes, rest in factors:
        common = math.lcm(rest.denominator, *(a.denominator for a in slopes.values()))
        found.append(({s: int(a * common) for s, a in slopes.items()}, int(rest * common)))
        divisor *= common
    if divisor.denominator != 1:
        slopes, rest = found[0]
        by = divisor.denominator
        found[0] = {s: a * by for s, a in slopes.items()}, rest * by
    return found, divisor.numerator


def _listed(values):
    return ", ".join(f"{value:g}" for value in values)


def _refusal(why):
    return RuntimeError(
        f"For 'export', the network cannot have the lengths of 'dynamic_axes' dynamic: {why}."
    )
