"""ops.GetNext: batches by the name of a queue."""

import gc

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import ops


def made(rows=5, batch=2):
    data = {"x": np.arange(rows, dtype=np.float32), "y": np.arange(rows, dtype=np.int32)}
    return ds.NumpySlicesDataset(data, shuffle=False).batch(batch)


def get_next(helper, **changes):
    types, shapes = helper.types_shapes()
    settings = {
        "types": types,
        "shapes": shapes,
        "output_num": len(types),
        "shared_name": helper.iter.dataset.__transfer_dataset__.queue_name,
        **changes,
    }
    return ops.GetNext(**settings)


def test_batches_come_one_after_the_other_and_again():
    get = get_next(ms.DatasetHelper(made(4)))
    seen = [get()[0].asnumpy().tolist() for _ in range(3)]
    assert seen == [[0, 1], [2, 3], [0, 1]]
    x, y = get()
    assert (x.dtype, y.dtype) == (ms.float32, ms.int32)


def test_two_queues_have_two_names():
    first, second = ms.DatasetHelper(made(4)), ms.DatasetHelper(made(4))
    one, other = get_next(first), get_next(second)
    one()
    assert other()[0].asnumpy().tolist() == [0, 1]


def test_a_batch_must_be_as_declared():
    helper = ms.DatasetHelper(made(3))
    get = get_next(helper)
    get()
    with pytest.raises(RuntimeError, match="as declared"):  # one row is left for the second batch
        get()
    loose = get_next(helper, shapes=[(-1,), (-1,)])
    assert loose()[0].shape == (2,) and loose()[0].shape == (1,)
    with pytest.raises(RuntimeError, match="as declared"):
        get_next(helper, types=[ms.float32, ms.int64], shapes=[(-1,), (-1,)])()


def test_without_sinking_there_is_no_queue():
    data = made()
    assert ms.DatasetHelper(data, dataset_sink_mode=False).iter.dataset is data
    assert not hasattr(data, "__transfer_dataset__")


def test_a_queue_goes_with_its_dataset():
    helper = ms.DatasetHelper(made(4))
    get = get_next(helper)
    del helper
    gc.collect()
    with pytest.raises(RuntimeError, match="no queue"):
        get()


@pytest.mark.parametrize(
    "arguments",
    [
        (1, [(2,)], 1, "q"),
        ([ms.float32], 1, 1, "q"),
        ([ms.float32], [(2,)], 1.0, "q"),
        ([ms.float32], [(2,)], True, "q"),
    ],
)
def test_refusals(arguments):
    with pytest.raises(TypeError):
        ops.GetNext(*arguments)


def test_what_is_declared_is_looked_at_when_it_is_called():
    helper = ms.DatasetHelper(made(4))
    get = get_next(helper, output_num=3)
    with pytest.raises(RuntimeError, match="as declared"):
        get()
    with pytest.raises(RuntimeError, match="no queue"):
        ops.GetNext([1], [2], 1, 3)()
