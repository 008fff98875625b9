"""Tensor's methods reject what their pages exclude, with the documented exception (2.10)."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor


def x(dtype=np.float32):
    return Tensor(np.ones((3, 4), dtype))


def positions(*rows):
    return Tensor(np.array(rows, np.int64))


REFUSED = [
    ("TypeError", lambda: x(np.complex64).kthvalue(1)),
    ("TypeError", lambda: x(np.complex64).max()),
    ("TypeError", lambda: x(np.complex64).max(axis=1)),
    ("TypeError", lambda: x(np.complex64).min(1)),
    ("TypeError", lambda: x(np.complex64).sort()),
    ("TypeError", lambda: x(np.complex64).argsort()),
    ("TypeError", lambda: x(np.complex64).topk(1)),
    ("TypeError", lambda: x(np.complex64).median()),
    ("TypeError", lambda: x(np.complex64).nansum()),
    ("TypeError", lambda: x().nansum(dtype=ms.complex64)),
    ("RuntimeError", lambda: x().index_fill_(5, positions(0), 1.0)),
    ("RuntimeError", lambda: x().index_fill_(0, positions([0]), 1.0)),
    ("RuntimeError", lambda: x().index_fill_(0, positions(0), Tensor([1.0]))),
    ("TypeError", lambda: x().index_fill_(0, Tensor([0], ms.int8), 1.0)),
    ("RuntimeError", lambda: x().scatter_(5, positions([0, 1]), x())),
    ("RuntimeError", lambda: x().scatter_(0, positions([0, 1]), x(np.float16))),
    ("RuntimeError", lambda: x().scatter_(0, positions(0, 1), x())),
    ("RuntimeError", lambda: x().scatter_(0, positions([0, 1, 0, 1, 0]), x())),
    ("RuntimeError", lambda: x().scatter_(0, positions([0, 1, 0]), x()[:1, :2])),
    ("ValueError", lambda: x().scatter_(0, positions([0, 1]), 2.0, reduce="x")),
    ("TypeError", lambda: x().put_(positions(0), Tensor([1], ms.int32))),
    ("TypeError", lambda: x().index_put_((positions(0),), Tensor([1], ms.int32))),
    ("ValueError", lambda: x().itemset((0,), 1.0)),
    ("RuntimeError", lambda: x().random_(5, 1)),
    ("RuntimeError", lambda: x().uniform_(2, 1)),
    ("ValueError", lambda: x().uniform_(Tensor([0.0, 1.0]), 2)),
    ("TypeError", lambda: x().sub(x(), alpha=True)),
    ("TypeError", lambda: x(np.int32).sub(x(np.int32), alpha=1.5)),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_a_documented_refusal_is_made_and_names_the_method(number):
    kind, call = REFUSED[number]
    with pytest.raises(Exception) as caught:
        call()
    assert type(caught.value).__name__ == kind
    assert str(caught.value).startswith("For '")


def test_what_lies_beside_the_refusals_is_done():
    made = x().index_fill_(0, positions(1), 5.0)
    assert made.asnumpy()[:, 0].tolist() == [1, 5, 1]
    assert x().scatter_(0, positions([0, 2]), x() * 7).asnumpy().tolist() == [
        [7, 1, 1, 1],
        [1, 1, 1, 1],
        [1, 7, 1, 1],
    ]
    drawn = x().uniform_(Tensor([2.0]), 3.0).asnumpy()
    assert drawn.min() >= 2 and drawn.max() <= 3
    assert x().itemset((1, 2), 4.0).asnumpy()[1, 2] == 4
