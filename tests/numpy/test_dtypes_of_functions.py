"""Input and result dtypes of functions of one and two inputs, against stored answers of 2.10.

`data/numpy_dtypes.json` has, per function, the dtype of the result for every dtype of the input
("-": rejected with a TypeError; "k": no CPU kernel, so unknown).
"""

import json
from pathlib import Path

import numpy
import pytest

import mindspore_compat as ms
import mindspore_compat.numpy as mnp

FACTS = json.loads((Path(__file__).parents[1] / "data" / "numpy_dtypes.json").read_text())
DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
WIDE = {"uint16", "uint32", "uint64"}  # of which 2.10 mixes some by chance
# of complex numbers 2.10 loses the imaginary part here
CHANCE = {"divide", "true_divide", "fmod", "mod", "remainder", "gcd"}


def tensor(dtype, values):
    return ms.Tensor(numpy.array(values).astype(dtype))


def outcome(function, *inputs):
    """Returns the dtype of the result in NumPy's letters, or "-" for an error."""
    try:
        found = function(*inputs)
    except TypeError:
        return "-"
    found = found[0] if isinstance(found, tuple) else found
    kind = found.asnumpy().dtype
    return "?" if kind.kind == "b" else f"{kind.kind}{kind.itemsize}"


@pytest.mark.parametrize("name", FACTS["one"])
def test_one_input(name):
    function = getattr(mnp, name)
    seen = [outcome(function, tensor(dtype, [0, 1])) for dtype in DTYPES]
    assert seen == FACTS["one"][name].split()


@pytest.mark.parametrize("name", FACTS["two"])
def test_two_inputs(name):
    function = getattr(mnp, name)
    for dtype, row in FACTS["two"][name].items():
        for other, wanted in zip(DTYPES, row.split()):
            if wanted == "k" or WIDE & {dtype, other}:
                continue
            if name in CHANCE and "complex" in dtype + other:
                continue
            seen = outcome(function, tensor(dtype, [3, 1]), tensor(other, [2, 1]))
            assert (dtype, other, seen) == (dtype, other, wanted)
