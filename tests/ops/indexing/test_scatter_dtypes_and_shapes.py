"""Arguments of operators that write: numbers, narrower and wider values, indices and shapes."""

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, grad, ops

pytestmark = pytest.mark.quick


def parameter(values, dtype=np.float32):
    return Parameter(Tensor(np.array(values, dtype)), name="p")


def floats(values):
    return Tensor(np.array(values, np.float32))


def ints(values):
    return Tensor(np.array(values, np.int32))


IN_PLACE = [ops.scatter_update, ops.scatter_add, ops.ScatterMax(), ops.ScatterNdAdd()]


def indices(function):
    return ints([[1]]) if "Nd" in type(function).__name__ else ints([1])


@pytest.mark.parametrize("function", IN_PLACE, ids=["update", "add", "max", "rows"])
@pytest.mark.parametrize("wide", [Tensor(np.ones(1)), Tensor(np.ones(1, np.complex64))])
def test_what_is_wider_than_its_target_is_refused(function, wide):
    target = parameter([1.0, 2.0])
    with pytest.raises(TypeError, match="must not be wider"):
        function(target, indices(function), wide)
    np.testing.assert_array_equal(target.asnumpy(), np.float32([1.0, 2.0]))


@pytest.mark.parametrize("dtype", ["int32", "bool", "float16"])
def test_what_is_narrower_is_converted(dtype):
    target = parameter([1.0, 2.0])
    ops.scatter_add(target, ints([1]), floats([1.0]).astype(dtype))
    np.testing.assert_array_equal(target.asnumpy(), np.float32([1.0, 3.0]))


def test_a_number_is_written_to_an_index_without_axes():
    target = parameter([1.0, 2.0, 3.0])
    ops.scatter_update(target, ints(1), 5)
    np.testing.assert_array_equal(target.asnumpy(), np.float32([1.0, 5.0, 3.0]))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda t: ops.scatter_add(t, ints([0]), 0.5), ValueError),
        (lambda t: ops.scatter_add(0.5, ints([0]), floats([1.0])), ValueError),
        (lambda t: ops.scatter_nd_add(t, ints([[0]]), True), ValueError),
        (lambda t: ops.scatter_nd_add(t, ints([[0]]), floats([1.0]), use_locking=1), TypeError),
        (lambda t: ops.scatter_nd_add(floats([]), ints([[0]]), floats([1.0])), ValueError),
        (lambda t: ops.scatter_add(t, ints([0]), None), TypeError),
        (lambda t: ops.scatter_add(t, floats([0]), floats([1.0])), TypeError),
        (
            lambda t: ops.scatter_add(parameter([1, 2], np.int32), ints([0]), floats([1.0])),
            TypeError,
        ),
        (lambda t: ops.scatter_update(parameter(3, np.int32), ints([0]), 0.5), TypeError),
        (lambda t: ops.tensor_scatter_add(t, ints([[0]]), 0.5), TypeError),
        (
            lambda t: ops.tensor_scatter_add(t, ints([[0]]), floats([1.0]).astype("float16")),
            TypeError,
        ),
        (lambda t: ops.TensorScatterMax()(t, ints([[0]]), ints([1])), TypeError),
        (lambda t: ops.tensor_scatter_elements(t, ints([0]), ints([1])), TypeError),
        (lambda t: ops.tensor_scatter_elements(t, ints([0]), floats([[1.0]])), ValueError),
        (lambda t: ops.scatter(t, 0, ints([0]), ints([1])), TypeError),
        (lambda t: ops.scatter(t, 0, ints([0]), floats([[1.0]])), ValueError),
        (lambda t: ops.index_add(t, ints([0]), 0.5, 0), ValueError),
        (lambda t: ops.index_add(0.5, ints([0]), t, 0), ValueError),
        (lambda t: ops.IndexAdd(0)(t, ints([0]), 0.5), TypeError),
        (lambda t: ops.index_add(t, ints([0]), Tensor(np.ones(1)), 0), TypeError),
        (lambda t: ops.index_fill(t, 0, ints([[0]]), 1.0), ValueError),
        (lambda t: ops.index_fill(t, 0, ints([0]), floats([1.0])), ValueError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    target = parameter([1.0, 2.0])
    with pytest.raises(error, match="For '"):
        call(target)
    np.testing.assert_array_equal(target.asnumpy(), np.float32([1.0, 2.0]))


@pytest.mark.parametrize(
    "reduction, wanted",
    [
        ("none", [[5.0, 1.0, 2.0], [3.0, 4.0, 7.0]]),
        ("add", [[5.0, 1.0, 2.0], [3.0, 4.0, 12.0]]),
        ("mul", [[0.0, 1.0, 2.0], [3.0, 4.0, 35.0]]),
    ],
)
def test_updates_past_the_end_are_left_out_along_an_axis(reduction, wanted):
    x = floats(np.arange(6).reshape(2, 3))
    at, updates = ints([[0, 3], [-1, 9]]), floats([[5, 6], [7, 8]])
    out = ops.tensor_scatter_elements(x, at, updates, 1, reduction)
    np.testing.assert_array_equal(out.asnumpy(), np.float32(wanted))


def test_updates_past_the_end_have_no_gradient():
    x, at, updates = floats([[1, 2, 3]]), ints([[0, 5]]), floats([[4, 5]])
    gradients = grad(lambda x, u: ops.tensor_scatter_elements(x, at, u, 1), (0, 1))(x, updates)
    assert [each.asnumpy().tolist() for each in gradients] == [[[0, 1, 1]], [[1, 0]]]


@pytest.mark.parametrize("name", ["max", "min", "prod"])
@pytest.mark.parametrize("x, ids", [(np.ones((1, 2)), [0, 0]), (np.ones(3), [0, 1])])
def test_segment_numbers_have_the_first_axes_of_the_input(name, x, ids):
    with pytest.raises(ValueError, match="first axes"):
        getattr(ops, f"unsorted_segment_{name}")(Tensor(x), ints(ids), 2)


@pytest.mark.parametrize("name, dtype", [("max", "bool"), ("max", "complex64"), ("prod", "bool")])
def test_segments_of_what_has_no_order_or_product_are_refused(name, dtype):
    x = floats([1.0, 2.0]).astype(dtype)
    with pytest.raises(TypeError, match="'x' must be a Tensor of"):
        getattr(ops, f"unsorted_segment_{name}")(x, ints([0, 1]), 2)


ASSIGNS = [ops.assign, ops.assign_add, ops.assign_sub]


@pytest.mark.parametrize("function", ASSIGNS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "value, error",
    [
        (Tensor(np.ones(2)), TypeError),
        (None, TypeError),
        ("one", TypeError),
        (floats([[1.0, 1.0]]), ValueError),
        (floats([1.0]), ValueError),
        (0.5, ValueError),
    ],
)
def test_assignments_refuse_wider_values_and_other_shapes(function, value, error):
    target = parameter([1.0, 2.0])
    with pytest.raises(error, match=f"For '{function.__name__}'"):
        function(target, value)
    np.testing.assert_array_equal(target.asnumpy(), np.float32([1.0, 2.0]))
    with pytest.raises(TypeError, match="variable"):
        function(0.5, value)


def test_a_number_assigned_to_ints_must_be_an_int():
    target = parameter(3, np.int64)
    with pytest.raises(TypeError, match="wider"):
        ops.assign_add(target, 0.5)
    assert int(ops.assign_add(target, 2)) == 5


@pytest.mark.parametrize("shape, value", [((1,), 0.5), ((), floats([0.5])), ((1,), floats(0.5))])
def test_one_element_is_added_whatever_its_axis_but_not_assigned(shape, value):
    target = parameter(np.ones(shape))
    assert ops.assign_sub(target, value).asnumpy().reshape(-1).tolist() == [0.5]
    with pytest.raises(ValueError, match="shape"):
        ops.assign(target, value)


def test_batch_axes_below_zero_count_from_the_last_of_the_indices():
    x, at = floats(np.arange(12).reshape(3, 4)), ints([[0, 1], [1, 0], [1, 1]])
    wanted = [[0.0, 1.0], [5.0, 4.0], [9.0, 9.0]]
    for axes in (-1, 1):
        assert ops.gather(x, at, 1, axes).asnumpy().tolist() == wanted
    np.testing.assert_array_equal(ops.gather(x, at, 0, -2).shape, ops.gather(x, at, 0).shape)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda x: ops.gather(x, 1, 0), TypeError),
        (lambda x: ops.gather(x, x > 1, 0), TypeError),
        (lambda x: ops.gather(None, ints([0]), 0), TypeError),
        (lambda x: ops.gather(x, ints([0]), 0, 2), ValueError),
        (lambda x: ops.index_select(x, 0, ints([[0]])), ValueError),
        (lambda x: ops.index_select(x, 0, True), TypeError),
        (lambda x: ops.argwhere(None), TypeError),
        (lambda x: ops.select(x > 1, None, x), TypeError),
        (lambda x: ops.masked_fill(x, x > 1, floats([1.0])), ValueError),
        (lambda x: ops.scatter_nd(ints([0]), x, (2, 2)), ValueError),
        (lambda x: ops.scatter_nd(ints([[0]]), x, (2, 2)), ValueError),
        (lambda x: ops.scatter_nd(ints([[0]]), floats([[1, 2]]), [2, 2]), TypeError),
        (lambda x: ops.unsorted_segment_sum(x > 1, ints([0, 1]), 2), TypeError),
        (lambda x: ops.unsorted_segment_sum(x, ints([0]), 2), ValueError),
        (lambda x: ops.inplace_index_add(x, ints([0]), 0.5, 0), ValueError),
        (lambda x: ops.inplace_index_add(x, ints([0]), Tensor(np.ones(1)), 0), TypeError),
    ],
)
def test_indices_that_do_not_fit_are_refused(call, error):
    with pytest.raises(error, match="For '"):
        call(floats([1.0, 2.0]))


def test_an_axis_may_be_given_by_a_bool():
    x = floats(np.arange(6).reshape(2, 3))
    assert ops.index_select(x, True, ints([2])).asnumpy().tolist() == [[2.0], [5.0]]


@pytest.mark.parametrize(
    "x2, indices",
    [
        (None, [ints([0])]),
        (0.5, [ints([0])]),
        (ints([1]), [ints([0])]),
        (floats([1]), (1, 2)),
        (floats([1]), "wrong"),
        (floats([1]), [floats([0])]),
    ],
)
def test_index_put_refuses_what_is_no_tensor_or_of_another_dtype(x2, indices):
    with pytest.raises(TypeError, match="For 'IndexPut'"):
        ops.IndexPut()(floats([1.0, 2.0]), x2, indices)


@pytest.mark.parametrize(
    "indices, values, error",
    [
        ([ints([0])], floats([1]).astype("float64"), TypeError),
        ([ints([0]), ints([0]).astype("int64")], floats([1]), TypeError),
        ([floats([0])], floats([1]), TypeError),
        ([ints([0])], floats([[1]]), ValueError),
        ([ints([0])], floats(1), ValueError),
        ([ints([[0]])], floats([1]), ValueError),
        ([ints([0])] * 3, floats([1]), ValueError),
        ([ints([0, 1, 2])], floats([1]), ValueError),
        ([ints([0, 1])], floats([1, 2]), ValueError),
    ],
)
def test_the_method_index_put_refuses_what_does_not_fit(indices, values, error):
    with pytest.raises(error, match="For 'index_put'"):
        floats([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).index_put(indices, values)


def test_index_put_in_place_takes_masks_too():
    x = floats([1.0, 2.0, 3.0])
    x.index_put_((x > 1,), floats([7.0, 8.0]))
    assert x.asnumpy().tolist() == [1.0, 7.0, 8.0]


@pytest.mark.parametrize("name", ["scatter_sub", "scatter_div", "scatter_max"])
def test_scatters_are_methods_with_the_same_rules(name):
    method = getattr(floats([1.0, 2.0]), name)
    np.testing.assert_array_equal(method(ints([[1]]), floats([2.0])).shape, (2,))
    with pytest.raises(TypeError, match="one dtype"):
        method(ints([[1]]), ints([2]))
    with pytest.raises(TypeError, match="indices"):
        method(floats([[1]]), floats([2.0]))


def test_a_refusal_of_what_is_wider_names_both_dtypes():
    parameter = Parameter(Tensor(np.ones((2, 3), np.int8)), name="p")
    text = (
        r"argument\[x\]'s data type of primitive\[ScatterDiv\] is Int8, which cannot be converted"
    )
    with pytest.raises(TypeError, match=text + " to data type Float32 automatically"):
        ops.ScatterDiv()(parameter, Tensor([0]), Tensor(np.ones((1, 3), np.float32)))


def test_indices_of_slices_have_an_axis_of_their_own():
    with pytest.raises(ValueError, match="dimension of 'indices' must be greater than or equal to"):
        ops.ScatterNdUpdate()(Tensor([1.0, 2.0]), Tensor([0]), Tensor([3.0]))
