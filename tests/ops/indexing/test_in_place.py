"""In-place methods, numbered slices, random filling: values, gradients, rejected calls."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, grad, ops
from mindspore_compat._backend.arrays import to_host


def two():
    return Tensor(np.array([[1, 2], [3, 4]], np.float32))


def ints(*values):
    return Tensor(np.array(values, np.int32))


# (method, arguments, keywords, result): results of the functions that do not write, or of
# MindSpore
WRITES = [
    ("add_", (2,), {"alpha": 3}, [[7, 8], [9, 10]]),
    ("sub_", (2,), {"alpha": 3}, [[-5, -4], [-3, -2]]),
    ("mul_", (2,), {}, [[2, 4], [6, 8]]),
    ("div_", (2,), {"rounding_mode": "floor"}, [[0, 1], [1, 2]]),
    ("floor_divide_", (2,), {}, [[0, 1], [1, 2]]),
    ("remainder_", (2,), {}, [[1, 0], [1, 0]]),
    ("clamp_", (2, 3), {}, [[2, 2], [3, 3]]),
    ("exp_", (), {}, np.exp([[1, 2], [3, 4]])),
    ("log_", (), {}, np.log([[1, 2], [3, 4]])),
    ("tanh_", (), {}, np.tanh([[1, 2], [3, 4]])),
    ("sign_", (), {}, [[1, 1], [1, 1]]),
    ("fill_diagonal_", (9.0,), {}, [[9, 2], [3, 9]]),
    ("masked_fill_", (Tensor([[True, False], [False, True]]), 7), {}, [[7, 2], [3, 7]]),
    ("index_add_", (0, ints(1), Tensor([[1.0, 1.0]])), {"alpha": 2}, [[1, 2], [5, 6]]),
    ("index_copy_", (1, ints(0), Tensor([[8.0], [9.0]])), {}, [[8, 2], [9, 4]]),
    ("index_fill_", (0, ints(1), 5.0), {}, [[1, 2], [5, 5]]),
    ("index_put_", ((ints(1), ints(1)), Tensor([1.0])), {"accumulate": True}, [[1, 2], [3, 5]]),
    ("scatter_", (0, ints([1, 0]), Tensor([[1.0, 5.0]])), {}, [[1, 5], [1, 4]]),
    ("scatter_", (0, ints([1, 0])), {"value": 9}, [[1, 9], [9, 4]]),
    ("scatter_", (0, ints([1, 0]), 9), {"reduce": "add"}, [[1, 11], [12, 4]]),
    ("scatter_add_", (0, ints([1, 0]), Tensor([[1.0, 5.0]])), {}, [[1, 7], [4, 4]]),
    ("put_", (ints(1, 3), Tensor([1.0, 5.0])), {}, [[1, 1], [3, 5]]),
    ("put_", (ints(1, 1), Tensor([1.0, 5.0]), True), {}, [[1, 8], [3, 4]]),
    ("addmm_", (two(), two()), {"beta": 2, "alpha": 3}, [[23, 34], [51, 74]]),
]


@pytest.mark.parametrize("case", WRITES, ids=lambda case: case[0])
def test_the_tensor_itself_holds_the_result_in_its_memory(case):
    name, args, kwargs, expected = case
    tensor = two()
    memory = tensor._array
    assert getattr(tensor, name)(*args, **kwargs) is tensor
    assert tensor._array is memory
    close(to_host(memory), expected, atol=0)


def of_an_item(x):
    y = x * 2.0
    y[0][1] = x[1][0] * 3.0
    return y


def of_a_view(x):
    y = x * 2.0
    row = y[1]
    row[0] = 7.0
    return y + row


def of_a_slice(x):
    y = x * 2.0
    y[0:1][0] = x[1]
    return y


def of_zeros(x):
    y = ops.zeros_like(x)
    for i in range(2):
        y[i][i] = x[i].sum()
    return y


def of_a_column(x):
    y = x * 2.0
    y[:, 1][0] += x[1][1]
    return y


def of_dots(x):
    y = x * 2.0
    column = y[..., 1]
    column[0] = x[1][0] * 3.0
    return y


def of_a_new_axis(x):
    y = x * 2.0
    row = y[None, 0]
    row[0] = x[1]
    return y


def of_chosen_rows(x):
    y = x * 2.0
    rows = y[ints(1, 0)]
    rows[0] = x[0] * 3.0
    return y


def of_a_row_in_place(x):
    y = x * 2.0
    y[1].mul_(x[0])
    return y


def of_a_slice_of_a_row_in_place(x):
    y = x * 2.0
    y[0][1:].add_(x[1, :1])
    return y


def of_chosen_constants(x):
    y = ops.zeros_like(x)
    y[ints(1)][0] = x[0] * 3.0
    return y


@pytest.mark.parametrize(
    "function, expected, gradient",
    [
        (of_an_item, [[2, 9], [6, 8]], [[2, 0], [5, 2]]),
        (of_a_view, [[9, 12], [14, 16]], [[2, 2], [0, 6]]),
        (of_a_slice, [[3, 4], [6, 8]], [[0, 0], [3, 3]]),
        (of_zeros, [[3, 0], [0, 7]], [[1, 1], [1, 1]]),
        (of_a_column, [[2, 8], [6, 8]], [[2, 2], [2, 3]]),
        (of_a_row_in_place, [[2, 4], [6, 16]], [[8, 10], [2, 4]]),
        (of_a_slice_of_a_row_in_place, [[2, 7], [6, 8]], [[2, 2], [3, 2]]),
        (of_dots, [[2, 9], [6, 8]], [[2, 0], [5, 2]]),
        (of_a_new_axis, [[3, 4], [6, 8]], [[0, 0], [3, 3]]),
        (of_chosen_rows, [[2, 4], [3, 6]], [[5, 5], [0, 0]]),
        (of_chosen_constants, [[0, 0], [3, 6]], [[3, 3], [0, 0]]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_write_into_a_part_reaches_the_whole_under_a_gradient(function, expected, gradient):
    found = []
    grads = grad(lambda x: found.append(function(x)) or found[0].sum())(two())
    assert found[0].asnumpy().tolist() == expected
    assert function(two()).asnumpy().tolist() == expected
    assert grads.asnumpy().tolist() == gradient


# Within vmap a statement writes to the variable that it names, and not to the base of a view.
MAPPED = [
    (of_an_item, [[2, 9], [6, 8]], [[2, 0], [5, 2]]),
    (of_a_column, [[2, 8], [6, 8]], [[2, 2], [2, 3]]),
    (of_chosen_constants, [[0, 0], [3, 6]], [[3, 3], [0, 0]]),
    (of_a_slice, [[2, 4], [6, 8]], [[2, 2], [2, 2]]),
    (of_a_view, [[9, 12], [13, 16]], [[2, 2], [2, 6]]),
]


@pytest.mark.parametrize(
    "function, expected, gradient", MAPPED, ids=lambda x: getattr(x, "__name__", "")
)
def test_an_item_of_an_item_is_written_to_within_vmap(function, expected, gradient):
    x = Tensor(np.stack([two().asnumpy()] * 2))
    assert ops.vmap(function)(x).asnumpy().tolist() == [expected] * 2
    assert grad(lambda x: ops.vmap(function)(x).sum())(x).asnumpy().tolist() == [gradient] * 2


def test_gradients_pass_through_writes():
    def function(x):
        y = x * 1.0
        y.mul_(y)
        y.exp_()
        return y.index_add_(0, ints(0), x[:1]).sum()

    gradient = grad(function)(Tensor([1.0, 0.5])).asnumpy()
    close(gradient, [2 * np.e + 1, np.exp(0.25)], atol=0)


def test_a_result_of_another_dtype_is_cast_and_of_another_shape_refused():
    whole = ints(1, 2)
    np.testing.assert_array_equal(whole.add_(1.5).asnumpy(), [2, 3])
    with pytest.raises(ValueError, match="'add_'"):
        whole.add_(ints([1, 2], [3, 4]))
    np.testing.assert_array_equal(whole.asnumpy(), [2, 3])


@pytest.mark.parametrize(
    "how, expected",
    [("add", [[1, 2], [10, 11]]), ("sub", [[1, 2], [-4, -3]]), ("update", [[1, 2], [7, 7]])],
)
def test_slices_by_number_change_a_copy(how, expected):
    x, v = two(), Tensor(np.full((1, 2), 7, np.float32))
    for out in (
        getattr(ops, f"inplace_{how}")(x, v, 1),
        getattr(ops, f"Inplace{how.capitalize()}")((1,))(x, v),
    ):
        np.testing.assert_array_equal(out.asnumpy(), expected)
    np.testing.assert_array_equal(x.asnumpy(), [[1, 2], [3, 4]])


def test_slices_by_number_have_gradients():
    v = Tensor(np.ones((1, 2), np.float32))
    gradients = grad(lambda a, b: (ops.inplace_sub(a, b, 0) * two()).sum(), (0, 1))(two(), v)
    np.testing.assert_array_equal(gradients[0].asnumpy(), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(gradients[1].asnumpy(), [[-1, -2]])


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda x: x.scatter_(0, ints([1, 0])), TypeError, "src"),
        (lambda x: x.scatter_(2, ints([1, 0]), 9), RuntimeError, "dim"),
        (lambda x: x.scatter_(0, ints([1, 5]), 9), IndexError, "indices"),
        (lambda x: x.index_add_(0, ints(0, 1), Tensor([[1.0, 1.0]])), ValueError, "index_add_"),
        (lambda x: x.put_(ints(9), Tensor([1.0])), IndexError, "put_"),
        (lambda x: x.normal_(0, -1), ValueError, "std"),
        (lambda x: x.random_(5, 5), RuntimeError, "from_"),
        (lambda x: x.uniform_(1, 0), RuntimeError, "from_"),
        (lambda x: x.exponential_(0), ValueError, "lambd"),
        (lambda x: ops.inplace_add(x, ints([1, 1]), 0), TypeError, "dtypes"),
        (lambda x: ops.inplace_add(x, x, 0), ValueError, "'v'"),
        (lambda x: ops.InplaceUpdate("0"), TypeError, "indices"),
    ],
)
def test_a_refused_write_changes_nothing(call, error, part):
    x = two()
    with pytest.raises(error, match=part):
        call(x)
    np.testing.assert_array_equal(x.asnumpy(), [[1, 2], [3, 4]])


def test_random_filling_has_the_law_asked_for():
    ms.set_seed(3)
    big = ops.zeros((20000,), ms.float32)
    assert abs(big.normal_(2, 3).asnumpy().std() - 3) < 0.1
    assert abs(big.uniform_(2, 4).asnumpy().mean() - 3) < 0.05
    assert abs(big.exponential_(4).asnumpy().mean() - 0.25) < 0.02
    assert abs(big.bernoulli_(0.3).asnumpy().mean() - 0.3) < 0.02
    assert set(big.random_(2, 5).asnumpy().tolist()) == {2, 3, 4}
    assert abs(np.log(big.log_normal(1.0, 2.0).asnumpy()).std() - 2) < 0.1
    assert abs(np.median(big.cauchy(5.0, 1.0).asnumpy()) - 5) < 0.1
