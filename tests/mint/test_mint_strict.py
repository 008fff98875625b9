"""Calls that mint rejects or accepts unlike ops."""

import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor, mint

X = Tensor(np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3))
PLACES = Tensor(np.array([[2, 0]]))


def values(tensor):
    return tensor.asnumpy().tolist()


def test_new_tensors():
    for device in (None, "CPU", "cpu", "Ascend", "npu", "meta"):
        assert mint.empty(2, 3, device=device).shape == (2, 3)
        assert mint.empty_like(X, dtype=ms.int32, device=device).dtype == ms.int32
        assert X.new_empty(3, device=device).shape == (3,)
    assert mint.empty((2,), device="CPU", pin_memory=True).dtype == ms.float32
    assert values(mint.arange(3)) == [0, 1, 2]
    assert values(mint.arange(7, 1, -2)) == [7, 5, 3]
    assert mint.arange(0, 1, 0.25).dtype == ms.float32
    assert values(mint.full([2], 3)) == [3, 3]


def test_arithmetic():
    assert values(mint.bitwise_not(Tensor([True, False]))) == [False, True]
    assert values(mint.bitwise_not(Tensor(np.array([0, 5], np.int8)))) == [-1, -6]
    close(mint.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])), [[0.5, 0], [0, 0.25]], rtol=1e-7, atol=0)
    assert values(mint.lerp(X, X + 2, 0.5)) == values(X + 1)
    assert values(mint.lerp(X, X + 2, (X * 0 + 0.5).astype(ms.float16))) == values(X + 1)
    assert values(mint.add(X, X, alpha=2)) == values(X * 3)
    assert values(mint.clamp(X, 2, Tensor(4.0))) == [[2, 2, 3], [4, 4, 4]]
    assert values(mint.arcsin(x=Tensor([1.0]))) == pytest.approx([np.pi / 2])
    q, r = mint.linalg.qr(A=X)
    close(q @ r, X)
    none, alone = mint.linalg.qr(X, "r")
    assert none.shape == (0,) and values(alone) == values(r)


def test_shapes_and_indices():
    assert mint.t(Tensor(np.ones((1, 2, 3)))).shape == (2, 1, 3)
    assert mint.t(X).shape == (3, 2) and mint.t(Tensor([1.0, 2.0])).shape == (2,)
    assert mint.permute(Tensor(np.ones((1, 2, 3))), (-1, 0, 1)).shape == (3, 1, 2)
    assert values(mint.index_select(X, 1, Tensor(np.array([2, 0], np.int32)))) == [[3, 1], [6, 4]]
    assert mint.squeeze(Tensor(np.ones((1, 2, 1))), (0, 2)).shape == (2,)
    assert mint.flatten(input=X, start_dim=0, end_dim=1).shape == (6,)
    assert values(mint.scatter(X, 1, PLACES, Tensor(np.array([[8.0, 9.0]], np.float32)))) == [
        [9, 2, 8],
        [4, 5, 6],
    ]
    assert values(mint.scatter(X, 1, PLACES, 7.0)) == [[7, 2, 7], [4, 5, 6]]


@pytest.mark.parametrize("repeats, dim, size", [(2, 1, 6), ([1, 2], 0, 3), (2, None, 12)])
def test_the_size_of_what_is_repeated_is_checked(repeats, dim, size):
    expected = np.repeat(X.asnumpy(), repeats, dim)
    found = mint.repeat_interleave(X, repeats, dim, output_size=size)
    np.testing.assert_array_equal(found.asnumpy(), expected)
    with pytest.raises(ValueError, match="'output_size'"):
        mint.repeat_interleave(X, repeats, dim, output_size=size + 1)


def test_addr_writes_into_its_first_input():
    target = Tensor(np.ones((2, 3), np.float32))
    found = mint.addr_(target, Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]), beta=0.5, alpha=2)
    assert found is target
    assert values(target) == [[2.5, 4.5, 6.5], [4.5, 8.5, 12.5]]


def test_gradients():
    x, other = np.random.default_rng(0).normal(size=(2, 3, 3))
    indices = Tensor(np.array([[0, 2], [1, 0]]))
    check_gradients(lambda a, b: mint.scatter(a, 1, indices, b), x, other[:2, :2])
    check_gradients(lambda a: mint.index_select(a, 0, Tensor(np.array([2, 2, 0]))), x)
    check_gradients(mint.lerp, x, other, x * other)
    check_gradients(mint.inverse, x + 5 * np.eye(3))
    check_gradients(lambda a: mint.permute(mint.t(a), (1, 0)), x)
    check_gradients(lambda a: mint.repeat_interleave(a, 2, 1, output_size=6), x)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: mint.empty(2, device="GPU"), ValueError),
        (lambda: mint.empty(2, pin_memory=True), RuntimeError),
        (lambda: mint.empty_like(X, device="x"), ValueError),
        (lambda: mint.empty_like(X, device="npu", pin_memory=True), RuntimeError),
        (lambda: mint.empty_like(X, pin_memory=1), TypeError),
        (lambda: mint.empty_like(X, device=1), TypeError),
        (lambda: mint.arange(6, 6), ValueError),
        (lambda: mint.arange(0), ValueError),
        (lambda: mint.arange(0, 6, -1), ValueError),
        (lambda: mint.arange("a"), TypeError),
        (lambda: mint.full(1, 2), TypeError),
        (lambda: mint.full((-1,), 2), ValueError),
        (lambda: mint.bitwise_not(X), RuntimeError),
        (lambda: mint.bitwise_not(1), TypeError),
        (lambda: mint.inverse(Tensor(np.ones((1,) * 7))), ValueError),
        (lambda: mint.linalg.inv(Tensor(np.ones((1,) * 7))), ValueError),
        (lambda: mint.lerp(X, X.astype(ms.float16), 0.5), TypeError),
        (lambda: mint.lerp(X, X, True), TypeError),
        (lambda: mint.lerp(X, X, Tensor(np.ones(2, np.float32))), ValueError),
        (lambda: mint.add(X, X, alpha=[1, 2]), TypeError),
        (lambda: mint.sub(X, X, alpha=True), TypeError),
        (lambda: mint.clamp(X, True, 2), TypeError),
        (lambda: mint.clip(X, 1, Tensor(True)), TypeError),
        (lambda: mint.pow(True, True), TypeError),
        (lambda: mint.pow(Tensor([True]), True), TypeError),
        (lambda: mint.permute(X, None), ValueError),
        (lambda: mint.permute(X, 1), TypeError),
        (lambda: mint.permute(X, (0, 0)), ValueError),
        (lambda: mint.permute(X, (0,)), ValueError),
        (lambda: mint.index_select(X, 0, PLACES), ValueError),
        (lambda: mint.index_select(X, 0, Tensor(0)), ValueError),
        (lambda: mint.index_select(X, 2, Tensor([0])), ValueError),
        (lambda: mint.index_select(X, 0, Tensor([0.0])), TypeError),
        (lambda: mint.scatter(X, 1, PLACES, Tensor(8.0)), ValueError),
        (lambda: mint.scatter(X, 1, PLACES, X.reshape(1, 2, 3)), ValueError),
        (lambda: mint.scatter(X, 1, PLACES, X.astype(ms.float16)), TypeError),
        (lambda: mint.scatter(X, 1, PLACES, X[:1, :1]), RuntimeError),
        (lambda: mint.scatter(X, 2, PLACES, X), ValueError),
        (lambda: mint.scatter(X, 1, PLACES, "a"), TypeError),
        (lambda: mint.squeeze(X), TypeError),
        (lambda: mint.squeeze(X, None), TypeError),
        (lambda: mint.arcsin(input=X), TypeError),
        (lambda: mint.nn.functional.adaptive_avg_pool1d(X, "a"), ValueError),
        (lambda: mint.nn.functional.adaptive_avg_pool1d(X, (3, 1)), ValueError),
        (lambda: mint.nn.functional.avg_pool1d(X, 2, padding=True), ValueError),
        (lambda: mint.repeat_interleave(X, 2, 1, output_size="a"), TypeError),
        (lambda: mint.repeat_interleave(X, -1), ValueError),
    ],
)
def test_wrong_arguments_are_refused(make, error):
    with pytest.raises(error, match="For '|argument"):
        make()


def test_the_overloads_are_those_of_mint():
    import mindspore_compat.ops.functional_overload as overloads
    from mindspore_compat import ops

    assert overloads.any is mint.any
    assert overloads.conv1d is mint.nn.functional.conv1d
    assert values(overloads.any(Tensor([[True, False], [False, False]]), dim=1)) == [True, False]
    assert ops.functional_overload is overloads and {"lerp", "where"} <= set(dir(overloads))
    with pytest.raises(AttributeError, match="functional_overload"):
        overloads.softmax  # noqa: B018
    assert values(ops.function.nn_func.softmax_ext(Tensor([0.0, 0.0]))) == [0.5, 0.5]


EMPTY = Tensor(np.zeros(0, np.float32))


def test_empty_tensors():
    assert mint.softmax(EMPTY, 0).shape == mint.nn.functional.softmax(EMPTY).shape == (0,)
    assert [each.shape for each in mint.cummax(EMPTY, 0)] == [(0,), (0,)]
    assert [each.shape for each in mint.unique_consecutive(EMPTY, True, True)] == [(0,)] * 3


def test_parts_of_an_axis():
    assert values(mint.narrow(X, 0, -1, 1)) == [[4, 5, 6]]
    assert mint.narrow(X, 1, 3, 0).shape == (2, 0)
    assert values(mint.index_add(X, 1, Tensor([2, 2]), X[:, :2], alpha=2)) == [
        [1, 2, 9],
        [4, 5, 24],
    ]
    check_gradients(
        lambda a, b: mint.index_add(a, 0, Tensor([2, 0]), b, alpha=1.5),
        np.ones((3, 2)),
        np.ones((2, 2)),
    )
    check_gradients(lambda a: mint.narrow(a, 1, -2, 2), np.ones((2, 3)))


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: mint.add(Tensor([1]), 1, alpha=0.5), TypeError),
        (lambda: mint.sub(Tensor([True]), True, alpha=0.5), TypeError),
        (lambda: mint.amax(X, None), TypeError),
        (lambda: mint.kthvalue(X, 4), RuntimeError),
        (lambda: mint.kthvalue(X, 0), RuntimeError),
        (lambda: mint.kthvalue(X, 1, 2), ValueError),
        (lambda: mint.kthvalue(EMPTY, 1), ValueError),
        (lambda: mint.bitwise_and(True, Tensor([1])), TypeError),
        (lambda: mint.allclose(X, X.astype(ms.float64)), TypeError),
        (lambda: mint.cdist(X, X.astype(ms.float64)), TypeError),
        (lambda: mint.amin(Tensor([True]), 0), TypeError),
        (lambda: mint.eq(True, X), TypeError),
        (lambda: mint.ge(X, X.astype(ms.complex64)), TypeError),
        (lambda: mint.xlogy(2.0, X), TypeError),
        (lambda: mint.cummax(X > 0, 0), TypeError),
        (lambda: mint.prod(X, (0, 1)), TypeError),
        (lambda: mint.prod(X, keepdim=True), ValueError),
        (lambda: mint.narrow(X, 0, -1, 2), ValueError),
        (lambda: mint.narrow(X, 0, 0, -1), ValueError),
        (lambda: mint.narrow(X, 2, 0, 1), ValueError),
        (lambda: mint.index_add(X, 0, Tensor([0.5]), X[:1]), TypeError),
        (lambda: mint.index_add(X, 0, Tensor([0]), X.astype(ms.float64)[:1]), TypeError),
        (lambda: mint.index_add(X, 0, Tensor([0]), X), ValueError),
        (lambda: mint.index_add(X, True, Tensor([0]), X[:1]), TypeError),
        (lambda: mint.index_add(X, 0, Tensor([0]), X[:1], alpha=(1, 2)), TypeError),
        (lambda: mint.nn.Tanh()(X > 0), TypeError),
        (lambda: mint.nn.BCELoss(reduction=1), ValueError),
        (lambda: mint.nn.functional.interpolate(X, 2, mode=1), ValueError),
        (lambda: mint.nn.ConvTranspose2d(1, 1, "a"), ValueError),
        (lambda: mint.nn.ConvTranspose2d(1, 1, (1, 2, 3)), ValueError),
        (lambda: mint.nn.ConvTranspose2d(1, 1, True), TypeError),
        (lambda: mint.nn.ConvTranspose2d(1, 1, 1, 0), ValueError),
    ],
)
def test_odd_arguments_are_refused(make, error):
    with pytest.raises(error, match="For '"):
        make()


def test_where_of_a_condition_alone_gives_positions():
    for found in (
        mint.where(Tensor([[0.0, 1], [2, 3]])),
        mint.where(condition=Tensor([[0, 1]] * 2)),
    ):
        assert isinstance(found, tuple) and {one.dtype for one in found} == {ms.int64}
    rows, columns = mint.where(Tensor([[0.0, 1], [2, 3]]))
    assert (values(rows), values(columns)) == ([0, 1, 1], [1, 0, 1])
    with pytest.raises(TypeError, match="other"):
        mint.where(Tensor([True]), Tensor([1.0]))
    with pytest.raises(TypeError, match="'input' must be a Tensor"):
        mint.where(3)
