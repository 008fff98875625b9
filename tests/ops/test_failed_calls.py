"""Error messages of calls with arguments of wrong types, and `random_ops.Uniform`."""

import re

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops.operations import random_ops

X = Tensor(np.ones((2, 3), np.float32))


@pytest.mark.parametrize(
    "call, given, taken",
    [
        (
            lambda: X + "ok",
            "input=Tensor, other=string",
            "input=<Number, Tensor>, other=<Number, Tensor>",
        ),
        (
            lambda: ops.Add()(X, None),
            "input=Tensor, other=None",
            "input=<Number, Tensor>, other=<Number, Tensor>",
        ),
    ],
)
def test_both_sides_of_an_addition(call, given, taken):
    text = (
        f'Failed calling Add with "Add()({given})". The valid calling should be: "Add()({taken})".'
    )
    with pytest.raises(TypeError, match="^For 'add', 'other' must be .*" + re.escape(text)):
        call()


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: ops.acos("a"), 'Failed calling ACos with "ACos()(input=string)"'),
        (
            lambda: ops.diagonal(1.0, 1, 1, -3),
            'Failed calling Diagonal with "Diagonal()(input=float)"',
        ),
        (
            lambda: ops.acos([[1, "a"], (2.5,)]),
            'Failed calling ACos with "ACos()(input=List<List<int, string>, Tuple<float>>)"',
        ),
    ],
)
def test_one_input(call, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        call()


WHERE = " " * len("    match failed because invalid types: (")
FORMS = [
    "Tensor.max()",
    "Tensor.max(dim=<int>, keepdim=<bool>)",
    "Tensor.max(axis=<int,Tuple,None,List>, keepdims=<bool>, *, initial=<number,None>, "
    "where=<bool,Tensor>, return_indices=<bool>)",
]


@pytest.mark.parametrize(
    "call, texts",
    [
        (
            lambda: X.max(a=1, b=2),
            ['with "max(a=int, b=int)"', "match failed because incorrect keyword name: a, b"],
        ),
        (
            lambda: X.max(1, [1]),
            [
                "\n    match failed because invalid types: (int, list<int>)\n",
                "\n" + WHERE + "     ~~~~~~~~~~~\n",
            ],
        ),
        (
            lambda: X.max([1, "2", (3,)]),
            ['with "max(list<int, string, tuple<int>>)"', "invalid types: (list<int, string"],
        ),
        (
            lambda: X.max(0, 1, initial=None),
            ["max(): argument 'keepdims' (position 2) must be bool, not int."],
        ),
        (
            lambda: X.max(0, True, initial=[1]),
            ["max(): argument 'initial' must be Number but got list of Any"],
        ),
    ],
)
def test_methods_of_several_signatures(call, texts):
    with pytest.raises(TypeError, match="^For 'Tensor.max', ") as caught:
        call()
    message = str(caught.value)
    assert [line.strip('"') for line in message.splitlines() if line.startswith('"')] == FORMS
    for text in texts:
        assert text in message


def test_other_texts():
    with pytest.raises(TypeError, match="Failed calling sub with"):
        X - None
    with pytest.raises(TypeError, match=r"'shape' \(position 2\) must be tuple of int, not float"):
        X.reshape(1, 1.5)
    with pytest.raises(TypeError, match="sum\\(dim=<int,Tensor,Tuple,None,List>"):
        X.sum("a")
    with pytest.raises(TypeError, match="'self' must be a Tensor"):
        Tensor.add([1], [2])


def test_uniform():
    ms.set_seed(3)
    found = random_ops.Uniform(minval=1.0, maxval=2.0)(Tensor(np.zeros((50, 40))))
    assert found.shape == (50, 40) and found.dtype == ms.float64
    found = found.asnumpy()
    assert found.min() >= 1 and found.max() < 2 and abs(found.mean() - 1.5) < 0.05
    again = [random_ops.Uniform(seed=7)(X).asnumpy() for _ in range(2)]
    assert again[0].dtype == np.float32
    assert random_ops.Gamma is ops.Gamma


@pytest.mark.parametrize(
    "error, settings",
    [
        (TypeError, {"minval": 1}),
        (ValueError, {"minval": -1.0}),
        (ValueError, {"minval": 2.0}),
        (TypeError, {"seed": 0.5}),
    ],
)
def test_uniform_refuses(error, settings):
    with pytest.raises(error, match="For 'Uniform'"):
        random_ops.Uniform(**settings)
