"""Details of MindSpore that are easy to get wrong: dtypes, signs, return values, errors."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, ops


def ints(*values, dtype=np.int32):
    return Tensor(np.array(values, dtype))


def floats(*values):
    return Tensor(np.array(values, np.float32))


def test_the_index_of_the_smallest_is_int32_and_of_the_largest_int64():
    x = floats(1, 0)
    assert ops.argmin(x).dtype == x.argmin().dtype == ms.int32
    assert ops.argmax(x).dtype == mint.argmin(x).dtype == ms.int64


@pytest.mark.parametrize("name", ["Argmax", "Argmin"])
def test_primitives_of_indices_give_the_dtype_asked_for(name):
    x, make = Tensor([[1.0, 3.0, 2.0]]), getattr(ops, name)
    assert make()(x).dtype == make(0)(x).dtype == ms.int32
    assert make(-1, ms.int64)(x).dtype == make(output_type=ms.int64)(x).dtype == ms.int64
    assert getattr(ops, f"{name[:3]}{name[3:].title()}WithValue")(1)(x)[0].dtype == ms.int64
    for wrong in (None, "int32", ms.float32):
        with pytest.raises(TypeError, match="'output_type'"):
            make(output_type=wrong)(x)


@pytest.mark.parametrize("choose", [ops.where, ops.select, mint.where, ops.Select()])
def test_a_number_that_is_chosen_keeps_the_dtype_beside_it(choose):
    first = Tensor([True, False])
    for dtype in (ms.int8, ms.int32, ms.float16, ms.bfloat16, ms.float64):
        x = Tensor([1, 2], dtype)
        assert choose(first, x, 3).dtype == choose(first, 3, x).dtype == dtype
    for dtype in (ms.float16, ms.bfloat16):
        assert choose(first, Tensor([1, 2], dtype), 1.5).dtype == dtype
    assert choose(first, ints(1, 2), 1.5).dtype == ms.float32
    assert choose(first, first, 3).dtype == choose(first, 1, 2).dtype == ms.int64


MIXED = [ops.mse_loss, ops.l1_loss, ops.hypot, ops.logaddexp, ops.add, ops.outer, ops.dist]


@pytest.mark.parametrize("mix", MIXED, ids=lambda mix: mix.__name__)
def test_a_gradient_has_the_dtype_of_what_it_is_the_gradient_of(mix):
    half, single = Tensor([0.5, 1.5], ms.float16), floats(0.25, 2)
    gradients = ms.grad(lambda x, y: mix(x, y).sum(), (0, 1))(half, single)
    assert mix(half, single).dtype == ms.float32
    assert [gradient.dtype for gradient in gradients] == [ms.float16, ms.float32]


def test_losses_of_half_logits_have_the_dtype_of_wider_weights_and_probabilities():
    logits, classes, weight = floats([0.5, 1], [2, 0]).half(), ints(0, 1), floats(1, 2)
    shares = floats([0.5, 0.5], [0.25, 0.75])
    for loss in (
        lambda x: ops.cross_entropy(x, classes, weight),
        lambda x: ops.cross_entropy(x, shares),
        lambda x: ops.nll_loss(x, classes, weight),
    ):
        assert loss(logits).dtype == ms.float32
        assert ms.grad(loss)(logits).dtype == ms.float16
    assert ops.cross_entropy(logits, classes, weight.half()).dtype == ms.float16


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32])
def test_running_sums_keep_the_dtype_and_mint_widens(dtype):
    x = ints(1, 2, dtype=dtype)
    assert ops.cumsum(x, 0).dtype == x.dtype
    assert x.cumsum(0).dtype == (ms.int32 if dtype == np.int8 else x.dtype)
    assert mint.cumsum(x, 0).dtype == (ms.float32 if dtype == np.float32 else ms.int64)


@pytest.mark.host  # a GPU adds in parallel, so the rounding differs
@pytest.mark.parametrize(
    "add", [ops.CumSum(), ops.CumSum(reverse=True), ops.cumsum, Tensor.cumsum, ms.numpy.cumsum]
)
def test_running_sums_of_float16_stay_where_the_next_element_is_too_small(add):
    sums = add(Tensor(np.full(3000, 0.1, np.float16)), 0)
    assert sums.dtype == ms.float16 and float(sums.max()) == 256.0


@pytest.mark.host  # a GPU multiplies in parallel
def test_running_products_of_float16_are_rounded_at_each_step():
    factors = np.full(300, 1.003, np.float16)
    expected = np.multiply.accumulate(factors)
    for multiply in (ops.CumProd(), ops.cumprod, Tensor.cumprod):
        np.testing.assert_array_equal(multiply(Tensor(factors), 0).asnumpy(), expected)
    out = ops.CumProd(exclusive=True)(Tensor(factors), 0).asnumpy()
    np.testing.assert_array_equal(out, np.append(np.float16(1), expected[:-1]))


def test_tanhshrink_of_float16_rounds_the_tangent_first():
    x = np.linspace(-4, 4, 17).astype(np.float16)
    expected = x - np.tanh(x)
    np.testing.assert_array_equal(ops.tanhshrink(Tensor(x)).asnumpy(), expected)
    assert expected[2] == np.float16(-2.004)  # it is -2.006 if only the difference is rounded
    assert ops.tanhshrink(Tensor(x).astype(ms.bfloat16)).dtype == ms.bfloat16


def test_running_sums_of_bfloat16_are_those_of_float32():
    terms = Tensor(np.full(3000, 0.1, np.float32)).astype(ms.bfloat16)
    assert float(ops.cumsum(terms, 0)[-1]) == 300.0


@pytest.mark.parametrize(
    "axes",
    [((1, 2), (0, 1)), ([1, 2], [0, 1]), [[1, 2], [0, 1]], [(2, 1), (1, 0)], ([-1, 1], (1, 0)), 2],
)
def test_the_axes_of_tensor_dot_are_tuples_or_lists(axes):
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(60.0).reshape(3, 4, 5)
    found = ops.tensor_dot(Tensor(x), Tensor(y), axes)
    np.testing.assert_array_equal(found.asnumpy(), np.tensordot(x, y, 2))
    for single in ([1, 0], (1, [0]), ((1,), 0)):
        found = ops.tensor_dot(Tensor(x), Tensor(y), single)
        np.testing.assert_array_equal(found.asnumpy(), np.tensordot(x, y, (1, 0)))
    with pytest.raises(TypeError):
        ops.tensor_dot(Tensor(x), Tensor(y), ([1.0], [0]))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_statements_that_assign_make_a_new_tensor(name):
    x, y = floats(5, 7), floats(2, 4)
    found = getattr(x, f"__i{name}__")(y)
    np.testing.assert_array_equal(found.asnumpy(), getattr(x, f"__{name}__")(y).asnumpy())
    assert found is not x
    np.testing.assert_array_equal(x.asnumpy(), [5, 7])


@pytest.mark.parametrize(
    "primitive, axis",
    [
        (ops.Softmax(1), (1,)),
        (ops.Softmax((0, 1)), (0, 1)),
        (ops.Squeeze(-1), (-1,)),
        (ops.Squeeze([0, 1]), (0, 1)),
        (ops.Squeeze(), ()),
        (ops.ReverseV2([0, 1]), (0, 1)),
        (ops.L2Normalize(1), [1]),
        (ops.LpNorm(-1), [-1]),
        (ops.LpNorm((0, 1)), (0, 1)),
        (ops.LogSoftmax(1), 1),
    ],
)
def test_the_axis_of_a_primitive_has_the_form_of_the_original(primitive, axis):
    assert primitive.axis == axis and type(primitive.axis) is type(axis)


def test_an_array_that_is_not_copied_is_the_tensor():
    x = floats(1, 2)
    assert ms.numpy.array(x, dtype=ms.float32, copy=False) is x
    assert ms.numpy.array(x, dtype=ms.float32) is not x
    assert ms.numpy.array(x, dtype=ms.float16, copy=False).dtype == ms.float16


def test_mod_has_the_sign_of_the_dividend_and_the_operator_that_of_the_divisor():
    x, y = floats(-4, 5), floats(3, 2)
    np.testing.assert_array_equal(ops.Mod()(x, y).asnumpy(), [-1, 1])
    np.testing.assert_array_equal((x % y).asnumpy(), [2, 1])


def test_the_smallest_and_largest_leave_nan_out():
    low, high = ops.aminmax(floats(1, np.nan, 3))
    assert (low.item(), high.item()) == (1, 3)


def test_a_mask_says_which_elements_the_largest_is_taken_of():
    x, where = ints([9, 3, 4], [1, 7, 2]), Tensor([[False, True, True], [False, False, False]])
    np.testing.assert_array_equal(ops.amax(x, 1, initial=0, where=where).asnumpy(), [4, 0])
    with pytest.raises(ValueError, match="initial"):
        ops.amin(x, 1, where=where)


def test_ops_that_write_into_a_parameter_return_a_tensor_on_its_memory():
    p = Parameter(floats([1, 2], [3, 4]), name="p")
    one = floats([1, 1])
    for out in (
        ops.ScatterAdd()(p, ints(0), one),
        ops.assign(p, floats([0, 0], [0, 0])),
        ops.scatter_nd_add(p, ints([1]), one),
        p.add_(1),
    ):
        assert type(out) is Tensor and out._array is p._array


def test_subtract_takes_a_factor():
    np.testing.assert_array_equal(ops.subtract(floats(1), floats(1), alpha=2).asnumpy(), [-1])


def test_names_with_ext_are_those_of_mint():
    assert ops.var_mean_ext is mint.var_mean
    assert ops.function.math_func.topk_ext(floats(1, 2), 1)[1].dtype == ms.int64
    with pytest.raises(AttributeError):
        ops.no_such_thing_ext  # noqa: B018


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ops.ReduceMax()(floats([1, 2]), 1000), ValueError),
        (lambda: ops.add(floats(1, 2), floats(1, 2, 3)), ValueError),
        (lambda: ops.sort(floats(1, 2), 5), ValueError),
        (lambda: ops.narrow(floats(1, 2), 3, 0, 1), ValueError),
        (lambda: ops.add(floats(1, 2), [1, 2]), TypeError),
        (lambda: ops.Xlogy()(floats(1), 2.0), TypeError),
        (lambda: ops.fft(ints(1, 2, dtype=np.uint8)), TypeError),
        (lambda: ops.fftn(floats([1, 2]), dim=(0, 0)), ValueError),
    ],
)
def test_errors_of_the_array_library_name_the_op_and_have_the_documented_type(call, error):
    with pytest.raises(error, match="^For '") as caught:
        call()
    assert type(caught.value) is error


def test_operators_take_lists():
    np.testing.assert_array_equal((floats(1, 2) + [1, 2]).asnumpy(), [2, 4])


def test_medians_are_along_the_last_axis_and_those_of_mint_of_all_elements():
    x = floats([1, 5, 2], [3, 4, 0])
    values, indices = x.median()
    np.testing.assert_array_equal(values.asnumpy(), [2, 3])
    np.testing.assert_array_equal(indices.asnumpy(), [2, 0])
    assert mint.median(x) == 2 and mint.median(x, 0)[1].dtype == ms.int64


@pytest.mark.parametrize("value, number", [(1.7, 1), (-1.7, -1), (True, 1)])
def test_full_is_whole_unless_a_dtype_is_given(value, number):
    made = ops.full((2,), value)
    assert made.dtype == ms.int64 and made.asnumpy().tolist() == [number, number]
    assert ops.full((2,), 1.5, dtype=ms.float32).asnumpy().tolist() == [1.5, 1.5]


PRODUCTS = {
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "ops.mul": ops.mul,
    "ops.div": ops.div,
    "ops.Div": ops.Div(),
    "mint.mul": mint.mul,
    "Tensor.true_divide": lambda x, y: x.true_divide(y),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_tensor_without_axes_does_not_widen_a_product_or_quotient(name):
    half, scale = Tensor([1, 2], ms.float16), Tensor(2.5, ms.float32)
    for x, y in ((half, scale), (scale, half)):
        assert PRODUCTS[name](x, y).dtype == ms.float16
        gradients = ms.grad(lambda x, y: PRODUCTS[name](x, y).sum(), (0, 1))(x, y)
        assert [gradient.dtype for gradient in gradients] == [x.dtype, y.dtype]
    assert PRODUCTS[name](half, scale.reshape(1)).dtype == ms.float32
    assert PRODUCTS[name](half.sum(), scale).dtype == ms.float32
    assert PRODUCTS[name](ints(1, 2), scale).dtype == ms.float32


def test_a_tensor_without_axes_is_as_exact_as_it_was_given():
    tiny = Tensor([1], ms.float16) / Tensor(1e6, ms.float32)
    assert tiny.asnumpy()[0] == np.float16(1e-6)
    wrapped = Tensor([100, 120], ms.int8) * Tensor(300, ms.int64)
    assert wrapped.dtype == ms.int8 and wrapped.asnumpy().tolist() == [48, -96]


def test_a_tensor_without_axes_widens_elsewhere():
    half, scale = Tensor([1, 2], ms.float16), Tensor(2.5, ms.float32)
    for widened in (
        half + scale,
        ops.RealDiv()(half, scale),
        ops.tensor_div(half, scale),
        ops.maximum(half, scale),
        half % scale,
        ms.numpy.multiply(half, scale),
        ms.numpy.divide(half, scale),
        ms.vmap(lambda x, y: x * y, (0, None))(half, scale),
    ):
        assert widened.dtype == ms.float32 and widened.shape == (2,)


@pytest.mark.parametrize("divide", [ops.xdivy, ops.Xdivy(), lambda x, y: x.xdivy(y)])
def test_xdivy_needs_a_float_on_one_side(divide):
    whole = ints(0, 3)
    assert divide(whole, floats(0, 2)).asnumpy().tolist() == [0, 1.5]
    assert divide(whole, 2.0).dtype == ms.float32
    for x, y in ((whole, whole), (whole, 2), (whole > 0, whole > 0)):
        with pytest.raises(TypeError, match="floats"):
            divide(x, y)


@pytest.mark.parametrize("clamp", [ops.clamp, ops.clip, mint.clamp, lambda *x: x[0].clip(*x[1:])])
def test_clamp_meets_its_bounds_in_one_dtype(clamp):
    for low, high, wanted in (
        (1.5, 2.5, ms.float32),
        (2, None, ms.int32),
        (Tensor(1.5, ms.float64), None, ms.float64),
        (Tensor(2, ms.int64), Tensor(3), ms.int64),
    ):
        found = clamp(ints(1, 2, 3), low, high)
        assert found.dtype == wanted and found[0] == (low if low != 2 else 2)
    assert clamp(Tensor([1, 9], ms.float16), 1.5, 2.5).dtype == ms.float16
    assert np.isnan(clamp(floats(1, 2), float("nan"), None).asnumpy()).all()
    with pytest.raises((TypeError, ValueError), match="'min'"):
        clamp(floats(1, 2), True, None)


def test_clip_by_value_keeps_the_dtype():
    assert ops.clip_by_value(ints(1, 2, 3), 1.5, 2.5).asnumpy().tolist() == [1, 2, 2]
    assert ops.clip_by_value(ints(1, 2), Tensor(1.5), 5).dtype == ms.int32


def test_a_nan_outdoes_all_that_comes_after_it():
    x = floats(1, np.nan, 3, np.nan, 5)
    for run in (ops.cummax, ops.cummin):
        values, indices = run(x, 0)
        assert np.isnan(values.asnumpy()[1:]).all() and indices.asnumpy().tolist() == [
            0,
            1,
            1,
            3,
            3,
        ]


@pytest.mark.parametrize("reduce", [ops.max, ops.min])
def test_type_of_where_is_checked_before_its_use(reduce):
    with pytest.raises(TypeError, match="'where' must be a Tensor, a bool or None, but got 'a'"):
        reduce(Tensor([1.0, 2.0]), 0, where="a")


@pytest.mark.parametrize("dtype", [ms.int32, ms.float16, ms.float64])
def test_weighted_counts_are_float32(dtype):
    counts = ops.bincount(ints(0, 1, 1), Tensor([1, 2, 3], dtype))
    assert counts.dtype == ms.float32
    assert counts.asnumpy().tolist() == [1, 5]


def test_placing_a_primitive_returns_nothing():
    assert ops.MatMul().place("MS_WORKER", 0) is None


def test_a_mask_of_one_number_is_an_array():
    transforms = ms.dataset.transforms
    mask = transforms.Mask(transforms.Relational.EQ, 2)(2)
    assert type(mask) is np.ndarray and mask.shape == () and mask
