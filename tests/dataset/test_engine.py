"""Behaviour of pipelines that recorded calls cannot express: epochs, ownership, workers, errors."""

import threading

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat._core.context.config import set_seed
from mindspore_compat._core.tensor.tensor import Tensor
from mindspore_compat.dataset import transforms, vision


@pytest.fixture(autouse=True)
def seeded():
    """Every test begins with seed 1 and the settings' defaults."""
    ds.config.set_seed(1)
    yield
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    ds.config.set_debug_mode(False)


def numbers(count, **options):
    return ds.NumpySlicesDataset(np.arange(count), ["a"], **{"shuffle": False, **options})


def values(dataset, epochs=1):
    iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[row[0].tolist() for row in iterator] for _ in range(epochs)]
    return found[0] if epochs == 1 else found


# Iterating ----------------------------------------------------------------------------------------


def test_an_iterator_ends_after_its_epochs():
    iterator = numbers(2).create_dict_iterator(num_epochs=2, output_numpy=True)
    assert len(list(iterator)) == len(list(iterator)) == 2
    with pytest.raises(RuntimeError, match="no epoch left"):
        next(iterator)


def test_a_loop_left_early_is_continued_by_the_next():
    iterator = numbers(3).create_tuple_iterator(output_numpy=True)
    next(iterator)
    assert [int(row[0]) for row in iterator] == [1, 2]
    assert [int(row[0]) for row in iterator] == [0, 1, 2]


def test_two_iterators_of_one_dataset_do_not_disturb_each_other():
    data = numbers(6, shuffle=True)
    whole = values(data)
    one, other = (data.create_tuple_iterator(num_epochs=1, output_numpy=True) for _ in range(2))
    pairs = [(int(a[0]), int(b[0])) for a, b in zip(one, other, strict=True)]
    assert [a for a, _ in pairs] == [b for _, b in pairs] == whole


def test_numbers_become_tensors_and_text_stays_an_array():
    data = ds.GeneratorDataset([(1.5, "x"), (2.5, "yy")], ["n", "t"], shuffle=False)
    row = next(data.create_dict_iterator(num_epochs=1))
    assert isinstance(row["n"], Tensor) and row["n"].asnumpy() == 1.5
    assert isinstance(row["t"], np.ndarray) and row["t"].item() == "x"


def test_init_step_leaves_out_rows_of_the_first_epochs_only():
    data = numbers(3)
    data.set_init_step(4)
    iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [[int(row[0]) for row in iterator] for _ in range(2)] == [[1, 2], [0, 1, 2]]


def test_iterating_a_dataset_itself_goes_over_one_epoch_of_tensors():
    assert [int(row[0].asnumpy()) for row in numbers(3)] == [0, 1, 2]


@pytest.mark.parametrize(
    "options, error",
    [
        ({"num_epochs": 0}, RuntimeError),
        ({"num_epochs": -2}, ValueError),
        ({"num_epochs": "1"}, TypeError),
        ({"output_numpy": 1}, TypeError),
    ],
)
def test_an_iterator_refuses_wrong_arguments(options, error):
    with pytest.raises(error):
        numbers(2).create_tuple_iterator(**options)


# Seeds and workers --------------------------------------------------------------------------------


def test_mindspores_seed_seeds_the_pipelines():
    set_seed(7)
    first = values(numbers(50, shuffle=True))
    set_seed(8)
    assert values(numbers(50, shuffle=True)) != first
    set_seed(7)
    assert ds.config.get_seed() == 7
    assert values(numbers(50, shuffle=True)) == first


def test_without_a_seed_orders_differ():
    ds.config.set_seed(5489)  # the default, which stands for none
    assert values(numbers(50, shuffle=True)) != values(numbers(50, shuffle=True))


@pytest.mark.parametrize("processes", [False, True])
def test_workers_keep_the_order(processes):
    data = numbers(40).map(
        _square, num_parallel_workers=_several(), python_multiprocessing=processes
    )
    assert values(data) == [n * n for n in range(40)]


def _several():
    return min(2, ds.engine.config.max_workers())


def _square(x):
    return x * x


def test_random_transforms_do_not_depend_on_how_many_workers_there_are():
    if _several() < 2:
        pytest.skip("one processor")
    images = np.arange(8 * 9 * 9 * 3, dtype=np.uint8).reshape(8, 9, 9, 3)

    def run():
        data = ds.NumpySlicesDataset(images, ["i"], shuffle=False)
        data = data.map(
            [vision.RandomCrop(4), vision.RandomHorizontalFlip()], num_parallel_workers=2
        )
        return values(data)

    assert run() == run()


def test_workers_are_gone_when_an_epoch_is():
    before = threading.active_count()
    values(numbers(9).map(_square, num_parallel_workers=_several()))
    assert threading.active_count() == before


def test_a_generator_with_workers_keeps_the_order():
    data = ds.GeneratorDataset(
        list(range(30)),
        "a",
        shuffle=False,
        num_parallel_workers=_several(),
        python_multiprocessing=False,
    )
    assert values(data) == list(range(30))


# Ownership ----------------------------------------------------------------------------------------


def test_neither_rows_nor_functions_can_change_the_source():
    source = np.arange(4.0).reshape(2, 2)

    def spoil(x):
        x[:] = -1
        return x

    data = ds.NumpySlicesDataset(source, ["a"], shuffle=False)
    for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        row[0][:] = -1
    assert values(data.map(spoil)) == [[-1, -1], [-1, -1]]
    assert source.tolist() == [[0, 1], [2, 3]]
    assert values(data) == [[0, 1], [2, 3]]


def test_a_generator_may_use_one_buffer_for_all_rows():
    def rows():
        buffer = np.zeros(1, np.int64)
        for n in range(4):
            buffer[0] = n
            yield buffer

    assert values(ds.GeneratorDataset(rows, "a").batch(4)) == [[[0], [1], [2], [3]]]


def test_no_two_rows_of_a_map_share_memory_that_can_be_written():
    once = np.zeros(3)

    def same(_):
        return once

    def view(_):
        return once[:2]

    def twice(_):
        made = np.zeros(3)
        return made, made

    for function, columns in ((same, 1), (view, 1), (twice, 2), (np.copy, 1), (lambda x: x, 1)):
        data = ds.NumpySlicesDataset(np.zeros((3, 3)), ["x"], shuffle=False)
        data = data.map(function, output_columns=list("ab")[:columns])
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
            for column in row:
                assert not column.any()
                column += 1
    assert not once.any()


def test_a_row_that_replaces_another_shares_no_memory_with_it():
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.REPLACE)
    data = ds.NumpySlicesDataset([[1.0], [np.nan]], ["x"], shuffle=False)
    data = data.map(lambda x: np.full(2, 7) if x[0] == 1 else None)
    for (row,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        assert row.tolist() == [7, 7]
        row += 1


def test_batches_of_blocks_can_be_written_without_touching_each_other():
    batches = list(numbers(6).batch(2).create_tuple_iterator(num_epochs=1, output_numpy=True))
    batches[0][0][:] = 9
    assert [batch[0].tolist() for batch in batches] == [[9, 9], [2, 3], [4, 5]]
    assert values(numbers(6).batch(4)) == [[0, 1, 2, 3], [4, 5]]


# Blocks are an optimization -----------------------------------------------------------------------

BLOCKWISE = [
    vision.Resize((7, 5)),
    vision.Resize((14, 14)),
    vision.Resize(9, vision.Inter.NEAREST),
    vision.Rescale(1 / 255, -0.5),
    vision.HWC2CHW(),
    vision.ToTensor(),
    vision.Invert(),
    vision.Normalize([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]),
    vision.CenterCrop(30),
    vision.CenterCrop(9),
    vision.NormalizePad([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]),
    vision.HorizontalFlip(),
    vision.VerticalFlip(),
    vision.Pad((1, 2), 7),
    vision.Crop((1, 2), 4),
    vision.Posterize(3),
    vision.ResizedCrop(1, 2, 9, 8, (4, 4)),
    vision.AdjustBrightness(1.4),
    vision.Solarize((9, 99)),
    vision.AdjustGamma(0.7),
    transforms.TypeCast(np.float16),
    transforms.Fill(3),
    transforms.Mask(transforms.Relational.GT, 100),
    vision.PadToSize(40),
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY),
    transforms.Compose([vision.Rescale(0.5, 1.0), vision.HWC2CHW()]),
]


@pytest.mark.parametrize("transform", BLOCKWISE, ids=lambda t: type(t).__name__)
def test_a_block_of_rows_gives_what_each_row_gives(transform):
    images = np.random.default_rng(0).integers(0, 256, (5, 28, 28, 3), dtype=np.uint8)
    data = ds.NumpySlicesDataset(images, ["i"], shuffle=False).map(transform)
    assert data._open().blocks is not None
    found = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    for image, (row,) in zip(images, found, strict=True):
        wanted = transform(image)
        assert row.dtype == wanted.dtype
        np.testing.assert_array_equal(row, wanted)


def test_one_hot_of_a_block():
    data = ds.NumpySlicesDataset(np.array([[1], [3]]), ["l"], shuffle=False)
    assert values(data.map(transforms.OneHot(4))) == [[0, 1, 0, 0], [0, 0, 0, 1]]


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: numbers(3).map(lambda x: 1 // 0), "ZeroDivisionError"),
        (lambda: numbers(3).map(lambda x: None), "returned None"),
        (lambda: numbers(3).map(lambda x: x, "b"), "no column 'b'"),
        (lambda: numbers(3).map(lambda x: (x, x)), "as many columns"),
        (lambda: numbers(3).project("b"), "no column 'b'"),
        (lambda: numbers(3).zip(numbers(3)), "different columns"),
        (lambda: numbers(3).concat(numbers(3).rename("a", "b")), "same columns"),
        (lambda: numbers(3).filter(lambda x: 1 // 0), "ZeroDivisionError"),
        (lambda: ds.NumpySlicesDataset([[1], [1, 2]], shuffle=False).batch(2), "equal shapes"),
        (lambda: ds.NumpySlicesDataset([1, 2.5], shuffle=False).batch(2), "equal dtypes"),
        (lambda: ds.GeneratorDataset([(1, 2)], "a", shuffle=False), "as many values"),
        (lambda: ds.GeneratorDataset([None], "a", shuffle=False), "numbers, bools or text"),
        (lambda: ds.NumpySlicesDataset([1, 2], sampler=[2]), r"\[0, 2\)"),
        (
            lambda: numbers(3).batch(2, per_batch_map=lambda c, info: (c[:1],), input_columns="a"),
            "2 rows",
        ),
    ],
)
def test_an_error_comes_when_rows_are_asked_for_and_says_why(make, words):
    data = make()
    with pytest.raises(RuntimeError, match=words):
        values(data)


def test_rows_before_a_bad_one_are_given():
    def source():
        yield 1
        raise KeyError("spoiled")

    iterator = ds.GeneratorDataset(source, "a").create_tuple_iterator(num_epochs=1)
    next(iterator)
    with pytest.raises(RuntimeError, match="KeyError.*spoiled"):
        next(iterator)


@pytest.mark.parametrize("mode, wanted", [("SKIP", [0, 1, 3, 4]), ("REPLACE", [0, 1, 3, 4, 0])])
def test_bad_rows_are_skipped_or_replaced_if_asked(mode, wanted):
    def refuse_two(x):
        if x == 2:
            raise ValueError("two")
        return x

    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    assert values(numbers(5).map(refuse_two)) == wanted


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: numbers(3).map(None), RuntimeError),
        (lambda: numbers(3).map(3), ValueError),
        (lambda: numbers(3).map(vision.HWC2CHW), ValueError),
        (lambda: numbers(3).map(len, ["a", "a"]), ValueError),
        (lambda: numbers(3).batch(0), ValueError),
        (lambda: numbers(3).batch(2.0), TypeError),
        (lambda: numbers(3).batch(2, pad_info={}), TypeError),
        (lambda: numbers(3).shuffle(1), ValueError),
        (lambda: numbers(3).repeat(0), ValueError),
        (lambda: numbers(3).take(0), ValueError),
        (lambda: numbers(3).skip(-1), ValueError),
        (lambda: ds.zip([numbers(3), numbers(3)]), TypeError),
        (lambda: ds.zip((numbers(3),)), ValueError),
        (lambda: numbers(3).concat(3), TypeError),
        (lambda: numbers(3).rename(["a"], ["x", "y"]), ValueError),
        (lambda: numbers(3).project([]), ValueError),
        (lambda: numbers(3).filter(3), TypeError),
        (lambda: numbers(3).apply(3), TypeError),
        (lambda: numbers(3).apply(lambda d: 3), TypeError),
        (lambda: numbers(3).split([2, 2]), RuntimeError),
        (lambda: numbers(3).split([0.5, 0.2]), ValueError),
        (lambda: numbers(3).split("a"), TypeError),
        (lambda: numbers(30).split([0.99, 0.01]), RuntimeError),
        (lambda: numbers(4, num_shards=2, shard_id=0).split([1, 1]), RuntimeError),
        (lambda: numbers(4, num_shards=2), ValueError),
        (lambda: numbers(4, num_shards=2, shard_id=2), ValueError),
        (lambda: numbers(4, sampler=ds.SequentialSampler()), ValueError),
        (lambda: numbers(4, num_parallel_workers=10**6), ValueError),
        (lambda: ds.NumpySlicesDataset(5), TypeError),
        (lambda: ds.NumpySlicesDataset([]), ValueError),
        (lambda: ds.NumpySlicesDataset(([1], [1, 2])), ValueError),
        (lambda: ds.GeneratorDataset([1]), ValueError),
        (lambda: ds.GeneratorDataset(3, "a"), TypeError),
        (lambda: ds.GeneratorDataset(iter, "a", sampler=[0]), ValueError),
        (lambda: ds.GeneratorDataset([1], "a", collate_fn=len), ValueError),
        (lambda: ds.GeneratorDataset([1], "a", batch_sampler=3), TypeError),
        (lambda: ds.GeneratorDataset([1], "a", batch_sampler=[[0]], shuffle=False), ValueError),
    ],
)
def test_wrong_arguments_are_refused_at_once(make, error):
    with pytest.raises(error):
        make()


# Sizes and descriptions ---------------------------------------------------------------------------


def test_sizes_are_known_without_reading():
    def refuse(x):
        raise AssertionError("a row was read")

    data = numbers(10).map(refuse)
    assert data.batch(4).get_dataset_size() == 3
    assert data.batch(4, True).repeat(2).get_dataset_size() == 4
    assert len(data.take(7).skip(2)) == 5
    assert data.batch(4).get_batch_size() == 4
    assert data.repeat(3).batch(2).get_repeat_count() == 3
    assert data.repeat().take(25).get_dataset_size() == 10  # as in MindSpore


def test_shapes_and_types_of_columns():
    data = ds.GeneratorDataset(
        [(np.zeros((2, 3), np.float32), "x"), (np.zeros((4, 3)), "y")], ["a", "b"], shuffle=False
    )
    assert data.output_shapes() == [[2, 3], []]
    assert data.output_shapes(estimate=True) == [[None, 3], []]
    assert data.output_types() == [np.dtype(np.float32), np.dtype("U")]


def test_columns_after_map():
    data = ds.NumpySlicesDataset({"a": [1], "b": [2]}, shuffle=False)
    twice = data.map(lambda x: (x, x), ["b"], ["p", "q"])
    assert twice.get_col_names() == ["p", "q", "a"]
    assert data.map(lambda x: x, ["b"], ["c"]).get_col_names() == ["a", "c"]


# Callbacks and hooks ------------------------------------------------------------------------------


def test_callbacks_are_called_around_rows():
    calls = []

    class Told(ds.DSCallback):
        def __getattribute__(self, name):
            if name.startswith("ds_"):
                return lambda context: calls.append(
                    (name, context.cur_epoch_num, context.cur_step_num)
                )
            return super().__getattribute__(name)

    values(numbers(3).map(lambda x: x, callbacks=Told(2)), epochs=2)
    assert calls == [
        ("ds_begin", 0, 0),
        ("ds_epoch_begin", 1, 0),
        ("ds_step_begin", 1, 1),
        ("ds_step_end", 1, 1),
        ("ds_step_begin", 1, 3),
        ("ds_step_end", 1, 3),
        ("ds_epoch_end", 1, 3),
        ("ds_epoch_begin", 2, 3),
        ("ds_step_begin", 2, 4),
        ("ds_step_end", 2, 4),
        ("ds_step_begin", 2, 6),
        ("ds_step_end", 2, 6),
        ("ds_epoch_end", 2, 6),
    ]


def test_a_repeat_begins_no_epoch_for_those_who_count():
    events = []

    def size(info):
        events.append((info.get_epoch_num(), info.get_batch_num()))
        return 2

    class Told(ds.DSCallback):
        def ds_epoch_begin(self, ds_run_context):
            events.append(("begin", ds_run_context.cur_epoch_num))

        def ds_epoch_end(self, ds_run_context):
            events.append(("end", ds_run_context.cur_step_num_in_epoch))

    values(numbers(4).batch(size).repeat(2), epochs=2)
    assert events == [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1)]
    events.clear()
    values(numbers(3).map(lambda x: x, callbacks=Told()).repeat(2).repeat(2), epochs=2)
    assert events == [("begin", 1), ("end", 12), ("begin", 2), ("end", 12)]
    events.clear()
    values(numbers(4).batch(size).repeat(3).take(3), epochs=2)
    assert events == [(0, 0), (0, 1), (0, 0), (1, 0), (1, 1), (1, 0)]


def test_debug_hooks_see_the_columns_before_each_operation():
    seen = []

    class Hook(ds.config.DebugHook):
        def compute(self, *args):
            seen.append([int(each) for each in args])

    ds.config.set_debug_mode(True, [Hook()])
    values(numbers(2).map([lambda x: x + 5, lambda x: x * 2]))
    assert seen == [[0], [5], [1], [6]]


def test_nested_dicts_are_batched_and_converted():
    rows = [{"x": n, "y": {"z": [n, n + 1]}} for n in range(2)]
    data = ds.GeneratorDataset(rows, "d", shuffle=False).batch(2)
    row = next(data.create_tuple_iterator(num_epochs=1, output_numpy=True))[0]
    assert row["x"].tolist() == [0, 1]
    assert [each.tolist() for each in row["y"]["z"]] == [[0, 1], [1, 2]]
    row = next(data.create_tuple_iterator(num_epochs=1))[0]
    assert isinstance(row["x"], Tensor) and isinstance(row["y"]["z"][0], Tensor)


@pytest.mark.parametrize(
    "sampler, words",
    [
        (lambda: ds.DistributedSampler(0, 0), "'num_shards' must be > 0, but got 0"),
        (lambda: ds.DistributedSampler(2, 2), "'shard_id' must be in"),
        (lambda: ds.DistributedSampler(2, 0, offset=3), "'offset' must be at most"),
        (lambda: ds.SequentialSampler(-1), "'start_index' must be >= 0"),
    ],
)
def test_numbers_of_a_sampler_out_of_range_are_refused_when_rows_are_read(sampler, words):
    rows = ds.NumpySlicesDataset(list(range(10)), ["a"], sampler=sampler())
    with pytest.raises(RuntimeError, match=words):
        next(rows.create_tuple_iterator())
    with pytest.raises(RuntimeError, match=words):
        rows.get_dataset_size()


def test_true_counts_as_1_for_samplers():
    def taken(sampler):
        rows = ds.NumpySlicesDataset(list(range(10)), ["a"], sampler=sampler)
        return [int(row) for (row,) in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    assert taken(ds.DistributedSampler(2, True, shuffle=False)) == [1, 3, 5, 7, 9]
    assert taken(ds.SequentialSampler(True, num_samples=True)) == [1]
    assert taken(ds.SubsetSampler([4, 2], num_samples=True)) == [4]


@pytest.mark.parametrize(
    "sampler, mode",
    [
        (ds.SequentialSampler(), "FALSE"),
        (ds.PKSampler(2), "FALSE"),
        (ds.PKSampler(2, shuffle=True), "FALSE"),
        (ds.SubsetSampler([1]), "FALSE"),
        (ds.SubsetRandomSampler([1]), "GLOBAL"),
        (ds.WeightedRandomSampler([1.0]), "GLOBAL"),
        (ds.RandomSampler(), "GLOBAL"),
        (ds.DistributedSampler(2, 0), "GLOBAL"),
        (ds.DistributedSampler(2, 0, False), "FALSE"),
        (ds.IterSampler([1]), "FALSE"),
    ],
)
def test_samplers_tell_how_they_shuffle(sampler, mode):
    assert sampler.get_shuffle_mode() is ds.Shuffle[mode]


def test_looking_at_a_dataset_calls_no_callbacks():
    calls = []

    class Counting(ds.DSCallback):
        def ds_begin(self, ds_run_context):
            calls.append("begin")

        def ds_step_begin(self, ds_run_context):
            calls.append("step")

    data = numbers(2).map(lambda x: x, callbacks=Counting())
    assert data.output_shapes() == data.output_shapes(estimate=True)
    assert data.output_types() and data.filter(lambda x: True).get_dataset_size() == 2
    assert calls == []
    values(data)
    assert calls == ["begin", "step", "step"]


def test_padded_batch_takes_none_for_a_column():
    rows = ds.GeneratorDataset([(np.arange(1), 1), (np.arange(3), 2)], ["x", "y"], shuffle=False)
    (row,) = rows.padded_batch(2, pad_info={"x": None, "y": None}).create_dict_iterator(
        num_epochs=1, output_numpy=True
    )
    assert row["x"].tolist() == [[0, 0, 0], [0, 1, 2]] and row["y"].tolist() == [1, 2]


@pytest.mark.parametrize("others", [(1,), ("text", None), 1])
def test_only_datasets_can_be_zipped(others):
    with pytest.raises(TypeError):
        ds.ZipDataset(others)
