"""Inputs that no operator takes: the wrong number of them, complex numbers, NumPy scalars in place
of Tensors. The exceptions are those of MindSpore 2.10."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops

X = Tensor([1.0, 2.0])
IMAGE = Tensor(np.ones((1, 2, 4, 4), np.float32))


@pytest.mark.parametrize(
    ("primitive", "inputs"),
    [
        (ops.AdaptiveAvgPool2D(2), ()),
        (ops.AdaptiveAvgPool2D(2), (IMAGE, IMAGE)),
        (ops.Conv2D(1, 1), (IMAGE,)),
        (ops.ScatterAdd(), (X, Tensor([0]))),
        (ops.Adam(), (X, X)),
        (ops.Xdivy(), (X,)),
        (ops.Xdivy(), (X, X, X)),
        (ops.Size(), ()),
        (ops.TopK(), (X,)),
        (ops.Softplus(), (X, X)),
    ],
    ids=lambda value: getattr(value, "name", None) and f"{value.name}",
)
def test_a_primitive_that_counts_its_inputs_raises_a_value_error(primitive, inputs):
    for _ in range(2):  # checks are written at the first call
        with pytest.raises(ValueError, match=f"For '{primitive.name}', the number of inputs"):
            primitive(*inputs)


@pytest.mark.parametrize(
    ("primitive", "inputs"),
    [(ops.ReLU(), ()), (ops.ReLU(), (X, X)), (ops.Add(), (X,)), (ops.Conv2D(1, 1), [IMAGE] * 3)],
    ids=["none", "two", "one of two", "excess of Conv2D"],
)
def test_other_primitives_raise_a_type_error_for_a_wrong_number(primitive, inputs):
    with pytest.raises(TypeError):
        primitive(*inputs)


def test_the_right_number_of_inputs_is_taken_by_name_too():
    assert ops.Xdivy()(X, X).shape == (2,)
    assert ops.AdaptiveAvgPool2D(2)(IMAGE).shape == (1, 2, 2, 2)
    assert ops.TopK(sorted=True)(X, k=1)[1].asnumpy().tolist() == [1]


@pytest.mark.parametrize(
    "call",
    [
        lambda number: ops.add(X, number),
        lambda number: ops.mul(number, X),
        lambda number: mint.sub(X, number),
        lambda number: ops.Sub()(X, number),
        lambda number: ops.not_equal(X, number),
        lambda number: ops.select(X > 1, X, number),
        lambda number: X + number,
        lambda number: X / number,
        lambda number: X.pow(number),
        lambda number: Tensor(np.complex64([1j])) + number,
    ],
)
@pytest.mark.parametrize("number", [1j, np.complex64(1j)], ids=["python", "numpy"])
def test_a_complex_number_is_no_operand(call, number):
    with pytest.raises(TypeError):
        call(number)


def test_a_complex_number_equals_no_tensor():
    assert (X == 1j) is False and (X != 1j) is True
    assert (Tensor(1j) + X).dtype == ms.complex128


@pytest.mark.parametrize(
    "function",
    [ops.isinf, ops.log, ops.tanh, ops.zeros_like, ops.sum, mint.isinf, ops.IsInf(), ops.Log1p()],
)
@pytest.mark.parametrize("scalar", [np.float32(1), np.float64(1), np.array(1.0)], ids=repr)
def test_a_numpy_scalar_is_no_tensor(function, scalar):
    with pytest.raises(TypeError, match="must be a Tensor"):
        function(scalar)


def test_a_numpy_scalar_is_a_number():
    assert ops.add(X, np.float32(1)).asnumpy().tolist() == [2, 3]
    assert ops.where(X > 1, X, np.float32(0)).asnumpy().tolist() == [0, 2]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: ops.Conv2D(3, 3, dilation=np.int64(1)), TypeError),
        (lambda: ops.LRN(beta=np.float32(1)), TypeError),
        (lambda: ops.RandomPoisson(seed=np.int64(1)), TypeError),
        (lambda: ops.SparseApplyFtrl(np.float32(0.1), 0.1, 0.1, -0.5), TypeError),
        (lambda: ops.ChannelShuffle(np.int64(1)), ValueError),
    ],
)
def test_a_constructor_made_by_hand_takes_no_numpy_scalar(make, error):
    with pytest.raises(error):
        make()


def test_a_generated_constructor_takes_numpy_scalars():
    assert ops.GLU(np.int64(0)).axis == 0
    assert ops.LayerNorm(np.int64(1)).begin_norm_axis == 1
    assert ops.BatchNorm(epsilon=np.float32(0.5)).epsilon == 0.5


@pytest.mark.parametrize(
    "construct",
    [
        lambda n: ops.Stack(n),
        lambda n: ops.LpNorm([n]),
        lambda n: ops.Conv2D(2, (n, 3)),
        lambda n: ops.MatrixPower(n),
    ],
    ids=["Stack", "LpNorm", "Conv2D", "MatrixPower"],
)
@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_an_attribute_beyond_64_bits_is_a_runtime_error(construct, number):
    with pytest.raises(RuntimeError, match="must fit in int64"):
        construct(number)


def test_a_generated_primitive_takes_an_attribute_beyond_64_bits():
    assert ops.Argmax(2**63).axis == 2**63


@pytest.mark.parametrize("value", [object(), 3, [1.0, 2.0], "text", None])
@pytest.mark.parametrize(
    "call",
    [
        ms.dataset.serialize,
        ms.numpy.trace,
        ops.adjoint,
        ops.cond,
        ops.exp2,
        ops.is_floating_point,
        ops.norm,
        ops.t,
        ops.unique,
        ops.zeros_like,
    ],
)
def test_an_attribute_that_is_read_before_any_check_is_an_attribute_error(call, value):
    with pytest.raises(AttributeError, match="must be a"):
        call(value)


@pytest.mark.host  # a GPU does not check them, so that no operator waits for it
def test_positions_out_of_range():
    where = [(ops.scatter_nd, ms.Tensor([[7]])), (ops.scatter_nd, ms.Tensor([[-1]]))]
    for function, indices in where:
        with pytest.raises(RuntimeError, match=r"must be within \[0, 3\)"):
            function(indices, Tensor([1.0]), (3,))
    assert ops.scatter(X, 0, Tensor([7]), Tensor([5.0])).asnumpy().tolist() == [1.0, 2.0]
    losses = ops.SparseSoftmaxCrossEntropyWithLogits()
    with pytest.raises(RuntimeError, match="must not be negative"):
        losses(Tensor([[1.0, 2.0]]), Tensor([-1], ms.int32))


def test_the_error_is_that_of_a_number_of_numpy_and_not_of_its_python_number():
    with pytest.raises(TypeError):
        ops.unique(np.float32(0.5))


@pytest.mark.parametrize("dtype", ["float64", np.float64, float, np.dtype("float64"), ms.float64])
def test_a_dtype_may_be_given_by_its_name(dtype):
    x = Tensor([1.0, 2.0])
    results = ops.cumsum(x, 0, dtype=dtype), ops.nansum(x, dtype=dtype), x.nanmean(dtype=dtype)
    assert [result.dtype for result in results] == [ms.float64] * 3
    with pytest.raises(TypeError):
        ops.cumsum(x, 0, dtype="number")


@pytest.mark.parametrize("value", [object(), 3, [1.0, 2.0], "text", None])
@pytest.mark.parametrize("layer", [nn.Tril, nn.Triu, nn.ReflectionPad1d, nn.ReplicationPad1d])
def test_layers_that_read_a_shape_before_any_check(layer, value):
    made = layer(1) if layer.__name__.endswith("Pad1d") else layer()
    with pytest.raises(AttributeError, match="must be a"):
        made(value)


@pytest.mark.parametrize("number", [np.int64(2), np.float32(2), np.array(2), Tensor(2)])
def test_ranges_take_numbers_of_numpy(number):
    assert nn.Range(1, 9, number)().asnumpy().tolist() == [1, 3, 5, 7]
    assert ops.linspace(0, number, 3).asnumpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("index", [(0, 1000), 6])
def test_itemset_beyond_an_axis_is_an_index_error(index):
    with pytest.raises(IndexError, match="For 'Tensor.itemset'"):
        Tensor(np.zeros((2, 3))).itemset(index, 1.0)


def test_a_hyper_map_of_what_cannot_be_called_is_a_runtime_error():
    with pytest.raises(RuntimeError, match="must be a callable"):
        ops.HyperMap(3)
