"""What MindSpore 2.10 takes although its pages do not name it, and what comes of it there.

Observed in MindSpore 2.10; the tables are read row by row.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

X = Tensor(np.arange(1, 7, dtype=np.float32).reshape(2, 3))
VECTOR = Tensor(np.array([1, 2, 3], np.float32))
WHOLE = Tensor(np.array([1, 3, 5], np.int32))
ONE = Tensor(np.array([1.0], np.float32))
EMPTY = Tensor(np.zeros(0, np.float32))
FILLED = {
    f"a shape of {shape!r}": (lambda shape=shape: ops.fill(ms.float32, shape, 2), 2.0)
    for shape in (True, "wrong", -1, 3, 0.5)
}

TAKEN = {
    # new Tensors
    **FILLED,
    "FillV2 by text": (lambda: ops.FillV2()("wrong", ONE), 1.0),
    "the first value of several": (
        lambda: ops.one_hot(WHOLE[:2], 4, (7, 2), [5, 6]),
        [[5, 7, 5, 5], [5, 5, 5, 7]],
    ),
    "the first value of a Tensor": (
        lambda: ops.OneHot()(WHOLE[:1], 2, VECTOR, Tensor([4.0, 5.0])),
        [[4, 1]],
    ),
    "powers of 0": (lambda: ops.logspace(0.0, 2.0, 3, 0), [1, 0, 0]),
    # lookup and counts
    "a table without rows": (
        lambda: ops.EmbeddingLookup()(EMPTY.reshape(0, 2), WHOLE[:1], 0),
        [[0, 0]],
    ),
    "the first of several offsets": (lambda: ops.SubAndFilter()(WHOLE, (4, 9), [1, 2])[0], [0, 2]),
    "counts of a matrix": (
        lambda: ops.Bincount()(
            Tensor(np.array([[1, 2, 2]], np.int32)), Tensor(3, ms.int32), VECTOR
        ),
        [0, 1, 5],
    ),
    # random numbers
    "no samples": (lambda: ops.Multinomial()(X, 0).shape, (2, 0)),
    "an offset of text": (lambda: ops.Bernoulli(1, "wrong")(VECTOR, 1.0), [1, 1, 1]),
    "no rows of Laplace": (lambda: ops.StandardLaplace()((0, 3)).shape, (0, 3)),
    "no rows of bounded numbers": (
        lambda: (
            ops.ParameterizedTruncatedNormal()(
                Tensor(np.array([0, 3], np.int32)), 0 * ONE, ONE, -ONE, ONE
            ).shape
        ),
        (0, 3),
    ),
    # several Tensors
    "a Tensor in the place of several": (
        lambda: ops.clip_by_global_norm(Tensor([3.0, 4.0]), 2.5),
        [1.5, 2],
    ),
    "text in the place of a tuple": (lambda: ops.tuple_to_array("wrong"), None),
    "a list in the place of a tuple": (lambda: ops.tuple_to_array([1, 2]), None),
}


@pytest.mark.parametrize("case", TAKEN)
def test_takes(case):
    call, expected = TAKEN[case]
    found = call()
    if isinstance(found, Tensor):
        found = found.asnumpy()
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    else:
        assert found == expected


def test_numbers_of_adam_weight_decay_have_no_bounds():
    held = [ms.Parameter(Tensor(np.ones(2, np.float32)), name=each) for each in ("p", "m", "v")]
    ops.AdamWeightDecay()(*held, 0.5, 0.0, 1.0, 0.0, -1.0, Tensor([3.0, 3.0]))
    assert held[0].asnumpy().tolist() == [0, 0]  # 1 - 0.5 * (3 / sqrt(1) - 1 * 1)


def test_a_number_of_pieces_counts_when_they_are_cut():
    split = ops.SplitV([1, -1], 1, 1)
    with pytest.raises(ValueError, match="num_split"):
        split(X)
