"""Valid and rejected indices of a Tensor, and where a write goes (MindSpore 2.10)."""

import gc
import weakref

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

pytestmark = pytest.mark.quick


def grid():
    return Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))


REFUSED = [
    (
        IndexError,
        [
            False,
            (False,),
            1.0,
            "a",
            1j,
            np.int64(0),
            np.array(1),
            np.array([0, 1]),
            range(2),
            {0},
            (np.int64(0),),
            ("a",),
            (range(2),),
            5,
            (0, 5),
            (0, 0, 0),
            (..., ...),
            Tensor([1.0]),
            (Tensor(1.0),),
            Tensor([0], ms.uint8),
            ["a"],
            [True, False],
            (0, 0, [0]),
        ],
    ),
    (TypeError, [(1.0,), [0.5], [1.5, 0], (np.array([0]),), slice(Tensor([0]), None)]),
    (ValueError, [Tensor([True, True]), slice(None, None, 0), ([0, 1], [0, 1, 2])]),
    (RuntimeError, [slice(0.5, None), slice("a", None), (slice(0.5, 2),)]),
]


@pytest.mark.parametrize("error, index", [(e, i) for e, rows in REFUSED for i in rows], ids=repr)
def test_an_index_is_refused_with_the_api_named(error, index):
    with pytest.raises(error, match="For 'Tensor.__getitem__'"):
        grid()[index]


def test_positions_in_a_tensor_are_checked_on_the_host():
    tensor = grid()
    if tensor.device != "CPU":
        pytest.skip("a GPU does not look at the values of an index")
    with pytest.raises(IndexError, match="For 'Tensor.__getitem__'.*out of bounds"):
        tensor[Tensor([0, 5])]
    with pytest.raises(IndexError, match="For 'Tensor.__setitem__'.*out of bounds"):
        tensor[Tensor([0, 5])] = 1


@pytest.mark.parametrize(
    "error, index",
    [(TypeError, 0), (ValueError, slice(None)), (ValueError, Tensor([0])), (IndexError, (0,))],
)
def test_a_tensor_without_axes_takes_no_position(error, index):
    with pytest.raises(error, match="For 'Tensor.__getitem__'"):
        Tensor(1.0)[index]


@pytest.mark.parametrize(
    "index, shape",
    [
        (True, (1, 3, 4)),
        ((True, True), (1, 3, 4)),
        ((0, True), (1, 4)),
        (([0.5],), (1, 4)),
        ((Tensor(True),), (1, 4)),
        ((Tensor(False),), (0, 4)),
        ((Tensor([True, True]),), (2, 4)),
        (slice(Tensor(0), Tensor(2)), (2, 4)),
        ((), (3, 4)),
        (slice(None, None, -2), (2, 4)),
    ],
)
def test_kinds_of_parts(index, shape):
    assert grid()[index].shape == shape


@pytest.mark.parametrize(
    "error, value",
    [
        (TypeError, None),
        (TypeError, np.array(7.0)),
        (IndexError, "a"),
        (IndexError, 1j),
        (IndexError, np.float32(7)),
        (IndexError, {7}),
        (ValueError, [[7, 8], [9]]),
        (ValueError, [[[7]]]),
        (ValueError, Tensor(np.ones((1, 1, 4)))),
        (ValueError, [7, 8]),
    ],
)
def test_a_value_is_refused_and_nothing_is_written(error, value):
    tensor = grid()
    with pytest.raises(error, match="For 'Tensor.__setitem__'"):
        tensor[0] = value
    np.testing.assert_array_equal(tensor.asnumpy(), grid().asnumpy())


@pytest.mark.parametrize("mask", [[[True] * 4] * 3, [[False, True, False, False]] * 3])
def test_a_mask_refuses_values_of_more_axes(mask):
    with pytest.raises(ValueError, match="must broadcast"):
        grid().__setitem__(Tensor(mask), Tensor(np.ones((3, 1), np.float32)))


@pytest.mark.parametrize("value", [[7, 8], [], Tensor(np.ones((2, 1, 4), np.float32))])
def test_anything_goes_into_an_index_without_elements(value):
    tensor = grid()
    tensor[1:1] = value
    np.testing.assert_array_equal(tensor.asnumpy(), grid().asnumpy())


@pytest.mark.parametrize(
    "index",
    [
        0,
        (0, 1),
        slice(1, None),
        None,
        True,
        (slice(None), None),
        [0, 1],
        Tensor([0, 1]),
        ...,
        (),
        (slice(None), [0, 2]),
        ([0, 1], [1, 2]),
    ],
    ids=repr,
)
def test_a_write_into_a_part_reaches_the_whole(index):
    tensor = grid()
    part = tensor[index]
    part[()] = 99
    expected = grid()
    expected[index] = 99
    np.testing.assert_array_equal(tensor.asnumpy(), expected.asnumpy())


def test_a_write_through_several_parts_reaches_the_whole():
    tensor = grid()
    tensor[1:][[0, 1]][0] = 99
    tensor[0][1][()] = 98
    expected = grid().asnumpy().copy()
    expected[1], expected[0, 1] = 99, 98
    np.testing.assert_array_equal(tensor.asnumpy(), expected)


def test_chosen_elements_do_not_keep_their_source_alive():
    tensor = grid()
    part, seen = tensor[[0, 1]], weakref.ref(tensor)
    del tensor
    gc.collect()
    assert seen() is None
    part[0] = 5  # nobody to tell
    assert part.asnumpy()[0].tolist() == [5] * 4


def test_a_diagonal_is_written_through():
    tensor = grid()
    tensor.diagonal()[0] = 9
    tensor.diagonal(1)[1:] = 8
    ops.diagonal(tensor)[2] = 7
    assert tensor.asnumpy().tolist() == [[9, 1, 2, 3], [4, 5, 8, 7], [8, 9, 7, 8]]


@pytest.mark.parametrize("name", ["T", "reshape", "expand_dims", "narrow", "squeeze"])
def test_later_writes_show_in_views(name):
    tensor = grid()
    view = {
        "T": lambda t: t.T,
        "reshape": lambda t: t.reshape(-1),
        "narrow": lambda t: t.narrow(0, 0, 2),
        "expand_dims": lambda t: t.expand_dims(0),
        "squeeze": lambda t: t.squeeze(),
    }[name]
    view = view(tensor)
    tensor[0] = 99
    assert (view.asnumpy() == 99).sum() == 4


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64], ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_take_clips_indices_at_both_ends(axis, dtype):
    at = [-100, -13, -4, -3, -1, 0, 2, 3, 11, 12, 100]
    length = 12 if axis is None else grid().shape[axis]
    clipped = [min(max(index, -length), length - 1) for index in at]
    values = grid().asnumpy()
    taken = grid().take(Tensor(at, dtype), axis)
    assert np.array_equal(taken.asnumpy(), values.take(clipped, axis))
    gradient = ms.grad(lambda x: (x.take(Tensor(at, dtype), axis) * taken).sum())(grid())
    uses = np.zeros_like(values)
    index = clipped if axis is None else (slice(None),) * axis + (clipped,)
    np.add.at(uses.reshape(-1) if axis is None else uses, index, taken.asnumpy())
    assert np.array_equal(gradient.asnumpy(), uses)


@pytest.mark.parametrize(
    "index",
    [
        np.int64(1),
        np.uint8(2),
        np.bool_(True),
        slice(np.int64(1), None, np.int64(2)),
        (np.int64(0), slice(None)),
        (Ellipsis, np.int64(-1)),
        (np.int64(1), None),
        [np.int64(0), np.int64(2)],
    ],
    ids=str,
)
def test_numpy_numbers_are_constants_of_a_graph(index):
    plain = ms.jit(lambda x: x[index])(grid())
    assert np.array_equal(plain.asnumpy(), grid().asnumpy()[index])

    @ms.jit
    def written(x):
        x[index] = np.float32(2.5)
        return x

    expected = grid().asnumpy()
    expected[index] = 2.5
    assert np.array_equal(written(grid()).asnumpy(), expected)
    if not isinstance(index, (slice, tuple)):
        with pytest.raises(IndexError, match="an index must be made of ints"):
            grid()[index]


def test_a_numpy_number_is_written_in_a_graph_only():
    x = grid()
    with pytest.raises(IndexError, match="'value' must be a number"):
        x[0] = np.float32(2.5)
    assert np.array_equal(x.asnumpy(), grid().asnumpy())
