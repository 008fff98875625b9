"""`sync_wait` and `sync_update`: rows that wait for the loop that reads them."""

import numpy as np
import pytest

import mindspore_compat.dataset as ds


def numbers(count=12):
    return ds.NumpySlicesDataset(np.arange(count), "x", shuffle=False)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_map_computes_with_what_the_reader_has_learned(workers):
    """The rows of a batch are read only after the `sync_update` that follows the previous batch."""
    learned = [0]
    data = numbers().sync_wait("learned", callback=lambda value: learned.append(value))
    data = data.map(lambda x: x + 100 * learned[-1], "x", num_parallel_workers=workers).batch(4)
    for epoch in range(2):
        learned[:] = [0]
        rows = []
        for number, (batch,) in enumerate(
            data.create_tuple_iterator(num_epochs=1, output_numpy=True), 1
        ):
            rows.append(batch.tolist())
            data.sync_update("learned", data=number)
        assert rows == [[0, 1, 2, 3], [104, 105, 106, 107], [208, 209, 210, 211]], epoch


def test_an_update_may_release_several_batches():
    seen = []
    data = numbers(5).sync_wait("go", num_batch=2, callback=seen.append)
    rows = iter(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert [int(next(rows)[0]) for _ in range(2)] == [0, 1]
    data.sync_update("go", 3, "three")
    assert [int(row[0]) for row in rows] == [2, 3, 4]
    assert seen == ["three"]


def test_rows_that_are_not_released_are_an_error_not_a_hang():
    data = numbers(3).sync_wait("go")
    old = ds.config.get_callback_timeout()
    ds.config.set_callback_timeout(1)
    try:
        with pytest.raises(RuntimeError, match="'go' waited 1 seconds"):
            list(data.create_tuple_iterator(num_epochs=1))
    finally:
        ds.config.set_callback_timeout(old)


def test_refused_conditions():
    data = numbers().sync_wait("go").batch(2)
    with pytest.raises(RuntimeError, match="'go' already"):
        data.sync_wait("go")
    for wrong in (lambda: data.sync_update("other"), lambda: data.sync_update("go", 0)):
        with pytest.raises(RuntimeError, match="sync_update"):
            wrong()
    with pytest.raises(TypeError, match="'condition_name'"):
        data.sync_update(3)
    with pytest.raises(ValueError, match="'num_batch'"):
        data.sync_wait("other", 0)


def test_outputs_of_a_batch_replace_all_columns():
    def swap(xs, ys, info):
        return ys, xs

    data = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
    batch = data.batch(2, per_batch_map=swap, output_columns=["x", "y"])
    assert batch.get_col_names() == ["x", "y"]
    (row,) = batch.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert row["x"].tolist() == [3, 4] and row["y"].tolist() == [1, 2]
    one = data.batch(2, per_batch_map=lambda xs, ys, info: xs, output_columns="z")
    assert one.get_col_names() == ["z"]


def test_a_sampler_may_have_indices_by_position_only():
    class Reversed:
        def __getitem__(self, index):
            return range(3, -1, -1)[index]

        def __len__(self):
            return 4

    data = ds.GeneratorDataset(np.arange(4), "x", sampler=Reversed(), python_multiprocessing=None)
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(row[0]) for row in rows] == [3, 2, 1, 0]
