"""Methods of Tensor with several signatures: which one a call selects, and calls that match none
(2.10).
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor

X = np.array([[1.0, 2, -3, 0.5], [0.25, 4, -1, 2], [3, -2, 0.75, 1]], np.float32)


def x():
    return Tensor(X.copy())


def positions(*rows):
    return Tensor(np.array(rows, np.int64))


MASK = X > 0
SAME = [  # two spellings of one call
    ("sum(1, True)", "sum(axis=1, keepdims=True)"),
    ("sum(dim=1, keepdim=True)", "sum(axis=1, keepdims=True)"),
    ("sum(Tensor(1))", "sum(1)"),
    ("sum(Tensor([0, 1]))", "sum((0, 1))"),
    ("mean(dim=1, keepdim=True)", "mean(axis=1, keep_dims=True)"),
    ("prod(dim=1, keepdim=True)", "prod(axis=1, keep_dims=True)"),
    ("all(dim=1)", "all(axis=1)"),
    ("any(dim=1, keepdim=True)", "any(axis=1, keep_dims=True)"),
    ("std(dim=1, correction=1)", "std(axis=1, ddof=1)"),
    ("var(dim=1, correction=0, keepdim=True)", "var(1, 0, True)"),
    ("max(axis=1)", "max(1)[0]"),
    ("max(dim=1, keepdim=True)[0]", "max(axis=1, keepdims=True)"),
    ("min(axis=1, return_indices=True)[1]", "min(1)[1]"),
    ("argmax(dim=1, keepdim=True)", "argmax(axis=1, keepdims=True)"),
    ("argmin(dim=1)", "argmin(axis=1)"),
    ("median(dim=1, keepdim=True)[0]", "median(axis=1, keepdims=True)[0]"),
    ("count_nonzero(axis=1, dtype=ms.int64)", "count_nonzero(dim=1)"),
    ("cumsum(dim=1, dtype=ms.float64)", "cumsum(axis=1, dtype=ms.float64)"),
    ("sort(dim=0, descending=True, stable=True)[0]", "sort(0, True)[0]"),
    ("argsort(dim=0, descending=True)", "argsort(axis=0, descending=True)"),
    ("transpose(dim0=0, dim1=1)", "transpose(0, 1)"),
    ("transpose(0, 1)", "transpose((1, 0))"),
    ("transpose(1, 1)", "transpose(axes=(0, 1))"),
    ("permute(dims=(1, 0))", "permute(axis=(1, 0))"),
    ("permute(None)", "permute(1, 0)"),
    ("reshape(shape=(4, 3))", "view((4, 3))"),
    ("tile(reps=(2, 1))", "tile(dims=(2, 1))"),
    ("broadcast_to(shape=(2, 3, 4))", "expand(size=(2, 3, 4))"),
    ("chunk(2, axis=1)[0]", "chunk(2, dim=1)[0]"),
    ("split(split_size=2, dim=1)[1]", "split(split_size_or_sections=2, axis=1)[1]"),
    ("narrow(dim=0, start=1, length=2)", "narrow(axis=0, start=1, length=2)"),
    ("unsqueeze(axis=0)", "unsqueeze(dim=0)"),
    ("flatten('F')", "transpose((1, 0)).reshape(-1)"),
    ("expand_as(x=x())", "expand_as(other=x())"),
    ("diagonal(offset=1, axis1=0, axis2=1)", "diagonal(1)"),
    ("index_select(dim=0, index=positions(0, 2))", "index_select(axis=0, index=positions(0, 2))"),
    ("take(index=positions(0, 5))", "take(indices=positions(0, 5))"),
    ("gather(input_indices=positions(0), axis=1)", "gather(1, positions([0], [0], [0]))"),
    ("where(Tensor(MASK), other=2.0)", "where(condition=Tensor(MASK), y=2.0)"),
    ("select(Tensor(MASK), 2.0)", "where(Tensor(MASK), 2.0)"),
    (
        "scatter(axis=0, index=positions([0, 1]), src=5.0)",
        "scatter(dim=0, index=positions([0, 1]), src=5.0)",
    ),
    ("index_add(0, positions(1), x()[:1])", "index_add(positions(1), x()[:1], 0)"),
    ("sub(y=2)", "sub(other=2)"),
    ("remainder(other=2)", "remainder(divisor=2)"),
    ("isclose(x2=x())", "isclose(other=x())"),
    ("matmul(other=x().T)", "matmul(tensor2=x().T)"),
    ("logical_and(y=x())", "logical_and(other=x())"),
    ("to('CPU', ms.float16)", "to(dtype=ms.float16)"),
    ("to(Tensor([1]))", "to(ms.int64)"),
]


@pytest.mark.parametrize("one, other", SAME)
def test_two_spellings_of_a_call(one, other):
    scope = {"x": x, "Tensor": Tensor, "positions": positions, "MASK": MASK, "ms": ms}
    first, second = (eval(f"x().{text}", scope) for text in (one, other))
    assert first.dtype == second.dtype and first.shape == second.shape
    np.testing.assert_array_equal(first.asnumpy(), second.asnumpy())


def test_the_kind_of_the_second_argument_chooses_the_form():
    assert x().sum(1, True).shape == (3, 1)
    assert x().sum(1, ms.float64).dtype == ms.float64
    assert isinstance(x().max(1), tuple) and isinstance(x().max((0, 1)), Tensor)


@pytest.mark.parametrize("where, expected", [(MASK, [2, 4, 3]), (X > 9, [0.5, 0.5, 0.5])])
def test_extremes_of_what_a_mask_leaves(where, expected):
    for name in ("max", "amax"):
        found = getattr(x(), name)(axis=1, initial=0.5, where=Tensor(where))
        assert found.asnumpy().tolist() == expected
    assert Tensor([1, 2]).max(initial=0.5).dtype == ms.int64


@pytest.mark.parametrize(
    "dtype, total, running",
    [
        (ms.bool_, ms.int64, ms.int32),
        (ms.int8, ms.int64, ms.int32),
        (ms.uint8, ms.int64, ms.int32),
        (ms.int32, ms.int64, ms.int32),
        (ms.uint16, ms.uint16, ms.uint16),
        (ms.uint64, ms.uint64, ms.uint64),
        (ms.float16, ms.float16, ms.float16),
    ],
)
def test_dtypes_of_sums(dtype, total, running):
    values = Tensor([1, 0, 1], dtype)
    assert values.sum().dtype == values.prod().dtype == total
    assert values.cumsum(0).dtype == running
    assert values.nansum().dtype == (ms.int64 if dtype == ms.bool_ else dtype)


REFUSED = [
    (ValueError, "sum(5)", r"For 'Tensor.sum', 'dim' must be in \[-2, 2\), but got 5."),
    (RuntimeError, "sum((0, 0))", "'dim' must name an axis once"),
    (TypeError, "sum(0.5)", "For 'Tensor.sum', 'dim' must be an int or a tuple of ints"),
    (TypeError, "sum(True)", "'dim' must be an int"),
    (TypeError, "sum(axis=1, keepdim=True)", "the arguments must be those of sum"),
    (TypeError, "max(1, 2, 3)", "the arguments must be those of max"),
    (ValueError, "max(where=Tensor(MASK))", "'initial' must be given"),
    (TypeError, "mean(wrong=1)", r"but got \(wrong=1 of type int\)"),
    (ValueError, "transpose(0, 2)", "'dim1' must be in"),
    (ValueError, "transpose((0,))", "each of the 2 axes once"),
    (TypeError, "transpose(axis=0)", "'axes'"),
    (TypeError, "flip(0)", "'dims' must be a tuple"),
    (ValueError, "narrow(0, 1, 5)", "'length' must be in"),
    (ValueError, "chunk(0)", "'chunks' must be an int >= 1"),
    (ValueError, "repeat_interleave(2, 0, output_size=7)", "'output_size' must be 6"),
    (ValueError, "index_select(5, positions(0))", "'axis' must be in"),
    (IndexError, "index_add(0, positions(9), x()[:1])", "index_add"),
    (ValueError, "take(positions(99), mode='raise')", "'indices' must be in"),
    (ValueError, "to('x')", "'device' must be one of"),
    (TypeError, "nansum().to(5)", "For 'Tensor.to'"),
    (ValueError, "argmax_with_value(5)", "For 'Tensor.argmax_with_value', 'axis' must be in"),
    (ValueError, "unique_consecutive(dim=5)", "For 'unique_consecutive', an axis must be in"),
    (TypeError, "unique(True, 1)", "'return_inverse' must be a bool"),
]


@pytest.mark.parametrize("error, text, message", REFUSED)
def test_a_refusal_names_the_method_and_the_argument(error, text, message):
    scope = {"x": x, "Tensor": Tensor, "positions": positions, "MASK": MASK, "ms": ms}
    with pytest.raises(error, match=message):
        eval(f"x().{text}", scope)


def test_a_method_tells_its_forms():
    assert "sum(dim=None, keepdim=False, *, dtype=None)" in Tensor.sum.__doc__
    assert "initial" in Tensor.sum.__doc__ and Tensor.sum.__name__ == "sum"


def test_gradients_pass_through_forms():
    gradient = ms.grad(
        lambda t: (
            (t.max(axis=1) * t.mean(dim=0).sum()).sum()
            + t.transpose(0, 1).sum(dim=0, keepdim=True).sum()
        )
    )(x())
    assert np.isfinite(gradient.asnumpy()).all() and gradient.shape == (3, 4)
    assert (gradient.asnumpy() != 0).all()


# One dtype as another -----------------------------------------------------------------------------


def test_a_view_of_another_dtype_shares_memory():
    tensor = Tensor(np.array([[1, 2], [3, 4]], np.int64))
    view = tensor.view(ms.int32)
    assert view.asnumpy().tolist() == [[1, 0, 2, 0], [3, 0, 4, 0]]
    view[0, 0] = 9
    assert tensor.asnumpy()[0, 0] == 9


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor(1.0).view(ms.int16),
        lambda: x().T.view(ms.int16),
        lambda: x()[:, :3].view(ms.float64),
    ],
)
def test_a_view_refuses_bytes_that_do_not_fit(make):
    with pytest.raises(ValueError, match="For 'Tensor.view', 'dtype'"):
        make()


@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int32])
def test_the_trace_of_integers_is_int64(dtype):
    found = Tensor([[1, 2], [3, 4]], dtype).trace()
    assert found.dtype == ms.int64 and int(found) == 5
    assert Tensor([[1, 2], [3, 4]], dtype).trace(dtype=ms.float64).dtype == ms.float64


def test_new_tensors_take_a_dtype_by_position():
    assert x().new_ones((2, 3), ms.int32).dtype == ms.int32
    assert x().new_zeros(2).shape == (2,)
    with pytest.raises(TypeError, match="'size'"):
        x().new_full(2, 1)


@pytest.mark.parametrize("name, value", [("argmax_with_value", 4.0), ("argmin_with_value", -3.0)])
def test_the_extreme_of_all_has_the_index_0(name, value):
    found, index = getattr(x(), name)(axis=None)
    assert float(found) == value and int(index) == 0 and index.dtype == ms.int64


@pytest.mark.parametrize(
    "dtype, y, found",
    [
        (ms.int32, 1, ms.int32),
        (ms.float32, 1.0, ms.float32),
        (ms.float32, 1, None),
        (ms.int64, 1, None),
        (ms.int32, 1.5, None),
        (ms.float32, True, None),
    ],
)
def test_a_number_is_selected_beside_its_own_dtype(dtype, y, found):
    tensor = x().astype(dtype)
    if found is None:
        with pytest.raises(TypeError, match="For 'Tensor.select', 'y'"):
            tensor.select(Tensor(MASK), y)
    else:
        assert tensor.select(Tensor(MASK), y).dtype == found


@pytest.mark.parametrize(
    "error, text, message",
    [
        (TypeError, "logical_and(1)", "'other' must be"),
        (TypeError, "logical_xor(1)", "'other'"),
        (TypeError, "qr(1)", "'some' must be a bool"),
        (ValueError, "topk(0)", r"'k' must be in \[1, 4"),
        (TypeError, "tile(reps=2)", "must be a tuple"),
        (TypeError, "fill_diagonal(1)", "'fill_value'"),
        (TypeError, "count_nonzero(axis=None)", "'axis'"),
        (TypeError, "astype(ms.int32).choose('wrong')", "'choices' must be"),
    ],
)
def test_more_refusals(error, text, message):
    with pytest.raises(error, match=message):
        eval(f"x().{text}", {"x": x, "ms": ms})


@pytest.mark.parametrize(
    "text",
    [
        "isclose(half)",
        "matmul(half.T)",
        "scatter(0, positions([0, 1]), half)",
        "scatter_add(0, positions([0, 1]), half)",
    ],
)
def test_two_dtypes_are_not_promoted(text):
    with pytest.raises(TypeError, match="must have the dtype Float32, but got Float16"):
        eval(f"x().{text}", {"x": x, "half": x().astype(ms.float16), "positions": positions})


@pytest.mark.parametrize("name, shape", [("H", (3,)), ("H", (1, 2, 3)), ("mH", (3,)), ("mT", ())])
def test_transposes_of_what_is_no_matrix(name, shape):
    with pytest.raises(ValueError, match=f"For 'Tensor.{name}', the Tensor must have"):
        getattr(Tensor(np.ones(shape, np.float32)), name)
    assert getattr(x(), name).shape == (4, 3)


@pytest.mark.parametrize(
    "dtype, error",
    [(ms.int32, None), (ms.float64, None), (ms.int8, TypeError), (ms.bool_, TypeError)],
)
def test_the_median_of_what_is_not_nan_takes_wide_integers(dtype, error):
    tensor = Tensor([3, 1, 2], dtype)
    if error is None:
        value, index = tensor.nanmedian()
        assert value.dtype == dtype and int(value) == 2 and int(index) == 2
    else:
        with pytest.raises(error, match="'nanmedian'"):
            tensor.nanmedian()


def test_repeat_along_an_axis_repeats_elements_as_earlier_releases_do():
    rows = Tensor([[1, 2], [3, 4]])
    assert rows.repeat(2, axis=0).tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
    assert rows.repeat([1, 2], axis=1).tolist() == [[1, 2, 2], [3, 4, 4]]
    assert rows.repeat(repeats=2, axis=None).tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert rows.repeat(1, 2).tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    with pytest.raises(ValueError, match="'axis'"):
        rows.repeat(2, axis=2)
    with pytest.raises(TypeError, match="'repeats'"):
        rows.repeat(2, 1, axis=0)


def test_a_note_about_gradients_on_a_plain_tensor_is_kept_and_changes_none():
    rows = Tensor([3.0, 4.0])
    assert not hasattr(rows, "requires_grad") and rows._requires_grad is False
    rows.requires_grad = True
    assert rows.requires_grad is True
    rows.requires_grad = False
    assert ms.grad(lambda x: (x * x).sum())(rows).tolist() == [6.0, 8.0]


@pytest.mark.parametrize("name", ["max", "min"])
def test_an_axis_by_position_gives_values_alone_in_a_graph(name):
    x = Tensor([[1.0, 5.0], [3.0, 2.0]])
    extreme = getattr(np, name)(x.asnumpy(), 0).tolist()

    def values(x):
        return getattr(x, name)(0)

    def by_name(x):
        return getattr(x, name)(dim=0), getattr(x, name)(0, keepdim=True)

    assert ms.jit(values)(x).asnumpy().tolist() == extreme
    assert values(x)[0].asnumpy().tolist() == extreme
    for pair in (*by_name(x), *ms.jit(by_name)(x)):
        assert isinstance(pair, tuple) and len(pair) == 2
