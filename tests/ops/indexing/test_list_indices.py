"""Lists as indices: a list of numbers is one index, any other list is a tuple (MindSpore 2.10)."""

import numpy as np
import pytest

from mindspore_compat import Tensor, int32


@pytest.mark.parametrize(
    "index",
    [
        [[0, 1], [1, 2]],
        [[0, 1]],
        [[0], [1]],
        [(0, 1), (1, 2)],
        [slice(0, 1), 0],
        [None, 0],
        [..., 0],
        [[True, False, True]],
    ],
)
def test_a_list_of_indices_stands_for_a_tuple(index):
    values = np.arange(12, dtype=np.int32).reshape(3, 4)
    tensor = Tensor(values)
    np.testing.assert_array_equal(tensor[index].asnumpy(), values[tuple(index)])
    tensor[index] = 99
    values[tuple(index)] = 99
    np.testing.assert_array_equal(tensor.asnumpy(), values)


def test_tensors_in_a_list_index_one_axis_each():
    tensor = Tensor(np.arange(12).reshape(3, 4), int32)
    assert int(tensor[[Tensor(0), Tensor(1)]]) == 1


@pytest.mark.parametrize("index", [[0, 1], [True, False, True]])
def test_a_list_of_numbers_is_one_index(index):
    values = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(Tensor(values)[index].asnumpy(), values[index])


def test_an_empty_list_names_nothing():
    tensor = Tensor([1, 2])
    tensor[[]] = 99
    assert tensor.asnumpy().tolist() == [1, 2]
    assert tensor[[]].shape == (0,)


@pytest.mark.parametrize(
    "index", [(slice(None), [True, False]), (..., [True, False, True]), (None, [True])]
)
def test_a_list_of_bools_in_a_tuple_has_the_length_of_its_axis(index):
    x = Tensor(np.arange(24.0).reshape(2, 3, 4))
    with pytest.raises(IndexError, match="length of the axis"):
        x[index]
    with pytest.raises(IndexError, match="length of the axis"):
        x[index] = 1.0
    assert x[..., [True, False, True, False]].shape == (2, 3, 2)
