"""Compares first- and second-order gradients of the target with finite differences of its own
forward pass.

The function is projected: a fixed random combination of its outputs, along a random direction of
its inputs. If two step sizes disagree, the function is not smooth at that point, and the check
reports this instead of a failure.
"""

import numpy as np

LIMIT = 20000  # elements; a check of more would take too long
# dtype: (step, relative tolerance)
STEPS = {"float64": (1e-5, 1e-3), "float32": (1e-2, 5e-2), "float16": (1e-1, 2e-1)}


class NotSmooth(Exception):
    """The function has no derivative at the point that differences could show."""


def check(ms, function, inputs, order):
    """Returns None if gradient and differences agree, else the two derivatives."""
    arrays = [np.asarray(t.asnumpy(), dtype=np.float64) for t in inputs]
    if sum(a.size for a in arrays) > LIMIT:
        raise NotSmooth("too large for differences")
    for dtype in ("float64", "float32"):
        try:
            return _compare(ms, _scalar(ms, function, arrays, dtype), arrays, dtype, order)
        except NotSmooth:
            raise
        except Exception:  # an op without float64 kernel
            if dtype == "float32":
                raise
    return None


def _tensors(ms, arrays, dtype):
    return [ms.Tensor(a.astype(dtype), getattr(ms, dtype)) for a in arrays]


def _scalar(ms, function, arrays, dtype):
    """Returns the function followed by a fixed combination of its float outputs."""
    first = _floats(function(*_tensors(ms, arrays, dtype)))
    second = _floats(function(*_tensors(ms, arrays, dtype)))
    if not first:
        raise NotSmooth("no float output")
    if any(
        not np.array_equal(a.asnumpy(), b.asnumpy(), equal_nan=True)
        for a, b in zip(first, second, strict=False)
    ):
        raise NotSmooth("two calls give two results")
    if dtype == "float64" and any(str(o.dtype).lower() != "float64" for o in first):
        raise TypeError("computes in float32")
    if not all(np.isfinite(o.asnumpy()).all() for o in first):
        raise NotSmooth("not finite here")
    rng = np.random.default_rng(0)
    weights = [rng.uniform(0.5, 1.5, o.shape) * rng.choice([-1, 1], o.shape) for o in first]

    def scalar(*tensors):
        total = None
        for out, weight in zip(_floats(function(*tensors)), weights, strict=False):
            part = (out * ms.Tensor(np.asarray(weight).astype(dtype), getattr(ms, dtype))).sum()
            total = part if total is None else total + part
        return total

    return scalar


def _floats(out):
    """Returns the float Tensors of a result."""
    if isinstance(out, (tuple, list)):
        return [o for part in out for o in _floats(part)]
    return (
        [out]
        if hasattr(out, "asnumpy") and str(getattr(out, "dtype", "")).lower().startswith("float")
        else []
    )


def _compare(ms, scalar, arrays, dtype, order):
    positions = tuple(range(len(arrays)))
    gradient = ms.grad(scalar, grad_position=positions)

    def derivative(values):
        gradients = gradient(*_tensors(ms, values, dtype))
        gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
        return [np.asarray(g.asnumpy(), dtype=np.float64) for g in gradients]

    rng = np.random.default_rng(1)
    along = [rng.normal(size=a.shape) for a in arrays]
    step, tolerance = STEPS[dtype]
    size = max(1.0, max((np.abs(a).max() for a in arrays if a.size), default=1.0))
    step *= min(size, 10.0)
    if order == 1:
        claimed = _dot(derivative(arrays), along)
        measure = _line(
            lambda values: float(scalar(*_tensors(ms, values, dtype)).asnumpy()), arrays, along
        )
    else:
        across = [rng.normal(size=a.shape) for a in arrays]
        fixed = [ms.Tensor(u.astype(dtype), getattr(ms, dtype)) for u in across]

        def projected(*tensors):
            gradients = gradient(*tensors)
            gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
            total = None
            for g, u in zip(gradients, fixed, strict=False):
                total = (g * u).sum() if total is None else total + (g * u).sum()
            return total

        second = ms.grad(projected, grad_position=positions)(*_tensors(ms, arrays, dtype))
        second = second if isinstance(second, (tuple, list)) else (second,)
        claimed = _dot([np.asarray(g.asnumpy(), dtype=np.float64) for g in second], along)
        measure = _line(lambda values: _dot(derivative(values), across), arrays, along)
    (coarse, bend), (fine, small_bend) = measure(step), measure(step / 2)
    scale = max(abs(coarse), abs(fine), 1e-2)
    if abs(coarse - fine) > 0.5 * tolerance * scale:
        raise NotSmooth(f"differences disagree: {coarse:.6g} and {fine:.6g}")
    if small_bend > 0.5 * tolerance * scale and small_bend > 0.75 * bend:
        raise NotSmooth("a kink: the one-sided derivatives differ")
    if abs(claimed - fine) > tolerance * scale:
        return claimed, fine
    return None


def _dot(left, right):
    return float(sum((a * b).sum() for a, b in zip(left, right, strict=False)))


def _line(function, arrays, along):
    """Returns a function that takes a step size and returns the central difference, and the
    difference between the two one-sided differences."""
    middle = function(arrays)

    def measure(step):
        up = function([a + step * d for a, d in zip(arrays, along, strict=False)])
        down = function([a - step * d for a, d in zip(arrays, along, strict=False)])
        return (up - down) / (2 * step), abs(up - 2 * middle + down) / step

    return measure
