"""The text of Tensors and Parameters, compared with texts recorded from MindSpore 2.10.

A case in tests/data/prints.txt is `#### <expression of the array>`, the `repr`, a line of dashes,
and the `str`.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat._core.tensor.printing import tensor_repr, tensor_str
from mindspore_compat.common.initializer import initializer

RECORDED = Path(__file__).parent.parent / "data" / "prints.txt"


def bf(values):
    """An array of bfloat16."""
    return np.array(values, np.float32).astype(ml_dtypes.bfloat16)


def recorded():
    """The cases: (expression, repr, str)."""
    for case in RECORDED.read_text().split("#### ")[1:]:
        expression, texts = case.split("\n", 1)
        yield expression, *texts.removesuffix("\n").split("\n----\n")


CASES = list(recorded())


def made(expression):
    """The array an expression means."""
    return np.asarray(eval(expression, {"np": np, "bf": bf, "nan": np.nan, "inf": np.inf}))


@pytest.mark.parametrize("expression, text, _", CASES, ids=[case[0] for case in CASES])
def test_repr(expression, text, _):
    assert tensor_repr(made(expression)) == text


@pytest.mark.parametrize("expression, _, text", CASES, ids=[case[0] for case in CASES])
def test_str(expression, _, text):
    assert tensor_str(made(expression)) == text


def test_there_are_many_cases():
    assert len(CASES) > 60


def test_str_obeys_numpys_options_and_repr_does_not():
    array = np.float32([1.23456789, 2])
    whole = tensor_repr(array)
    with np.printoptions(precision=3):
        assert tensor_str(array) == "[1.235 2.   ]"
        assert tensor_repr(array) == whole


def test_repr_without_commas():
    assert tensor_repr(np.array([1.0, 2.0], np.float32), commas=False) == (
        "Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00])"
    )
    assert tensor_repr(np.array([[0, 1], [1, 2]]), commas=False) == (
        "Tensor(shape=[2, 2], dtype=Int64, value=\n[[0 1]\n [1 2]])"
    )


def test_parameter():
    weight = ms.Parameter(ms.Tensor(np.ones((2, 3), np.float32)), name="weight")
    assert str(weight) == repr(weight)
    assert str(weight) == (
        "Parameter (name=weight, shape=(2, 3), dtype=Float32, requires_grad=True)"
    )


def test_printing_a_tensor_draws_nothing_before_its_initializer_did():
    tensor = initializer("normal", [2, 1], ms.float32)
    state = np.random.get_state()[1].tolist()
    head = "Tensor(shape=[2, 1], dtype=Float32, value="
    assert str(tensor) == f"{tensor}" == f"{head}\n<uninitialized>)"
    assert repr(tensor) == f"{head}\n[[ 0.00000000e+00],\n [ 0.00000000e+00]])"
    assert str(initializer("one", [3])).endswith("value=<uninitialized>)")
    assert tensor.has_init
    assert np.random.get_state()[1].tolist() == state
    assert "uninitialized" not in str(tensor.init_data())
