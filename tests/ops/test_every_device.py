"""Every operator on every array type gives the CPU's results and gradients, within the tolerance of
the dtype. The array types are the stand-in for CuPy and, if a GPU is present, CuPy.
"""

import census
import ml_dtypes
import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays

CASES = census.cases()
TOLERANCES = {"float64": 1e-9, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
REFUSES_BFLOAT16 = {"dist"}  # a restriction that its rules do not state
SIGN_FREE = "svd"  # singular vectors have either sign, depending on the library


def asked(check):
    return [
        label
        for label, case in CASES.items()
        if case.positions() and not census.exempt_from(label.split(",")[0], check)
    ]


def dtypes_of(case):
    """Returns the float dtypes that all float operands accept."""
    names = {position[0] for position in case.positions() if case.at(position).dtype.kind == "f"}
    return [
        dtype
        for dtype in TOLERANCES
        if all(census.documented.takes(case.op.rules[name], dtype) for name in names)
        and (dtype != "bfloat16" or case.op.name not in REFUSES_BFLOAT16)
    ]


def flat(out):
    if isinstance(out, (tuple, list)):
        return [t for one in out for t in flat(one)]
    return [out]


def tensors(case, dtype):
    operands = [(p, case.at(p)) for p in case.positions()]
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    return {p: Tensor(a.astype(kind) if a.dtype.kind == "f" else a) for p, a in operands}


def on_host(function):
    """Returns the results of `function` on the host as NumPy arrays."""
    target = arrays._target
    arrays.set_target("CPU")
    try:
        return [t.asnumpy() for t in flat(function())]
    finally:
        arrays.set_target(target)


def compare(function, tolerance, space, signs=True):
    wanted = on_host(function)
    got = flat(function())
    assert len(got) == len(wanted)
    for out, right in zip(got, wanted):
        assert type(out._array) is type(space.zeros(1)), "left its device"
        out = out.asnumpy()
        assert out.shape == right.shape and out.dtype == right.dtype
        if out.dtype.kind in "fcV":
            bound = max(tolerance, TOLERANCES.get(out.real.dtype.name, 0))  # of float64 some are
            out, right = (np.asarray(x, "complex128") for x in (out, right))  # float32 results
            out, right = (out, right) if signs else (abs(out), abs(right))
            size = np.max(np.abs(right[np.isfinite(right)]), initial=1)
            np.testing.assert_allclose(out, right, rtol=bound, atol=bound * size)
        else:
            np.testing.assert_array_equal(out, right)


on_devices = pytest.mark.parametrize(
    "space", ["fakecupy", *["cupy"] * arrays.gpu_available()], indirect=True
)


@on_devices
@pytest.mark.parametrize("label", asked("device"))
def test_results(label, space):
    case = CASES[label]
    with np.errstate(all="ignore"):
        for dtype in dtypes_of(case):
            compare(
                lambda dtype=dtype: case.call(tensors(case, dtype)),
                TOLERANCES[dtype],
                space,
                SIGN_FREE not in label,
            )


@on_devices
@pytest.mark.parametrize("label", [label for label in asked("gradient") if CASES[label].floats()])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradients(dtype, label, space):
    case = CASES[label]
    if dtype not in dtypes_of(case):
        pytest.skip(f"refuses {dtype}")

    def total(*given):
        operands = {**tensors(case, dtype), **dict(zip(case.floats(), given))}
        parts = [t for t in flat(case.call(operands)) if t._array.dtype.kind in "fc"]
        return sum(
            ((ops.real(p) if p._array.dtype.kind == "c" else p).square().sum() for p in parts),
            Tensor(0.0, getattr(ms, dtype)),
        )

    def gradients():
        given = tensors(case, dtype)
        return ms.grad(total, tuple(range(len(case.floats()))))(*[given[p] for p in case.floats()])

    with np.errstate(all="ignore"):
        compare(gradients, {"float64": 1e-7, "float32": 1e-4}[dtype], space)
