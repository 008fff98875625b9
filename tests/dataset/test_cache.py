"""DatasetCache: what is stored and shared, the order of rows, and rejected pipelines.

Orders and rejections are those of 2.10 with its cache server, one worker and seed 5.
"""

import copy
import gc
import os

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision

_sessions = iter(range(1, 10_000))


@pytest.fixture(autouse=True)
def seeded():
    ds.config.set_seed(5)
    yield
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    ds.config.set_debug_mode(False)


@pytest.fixture
def folder(tmp_path):
    """A folder of one class with four files, whose first bytes are 0 to 3."""
    (tmp_path / "images" / "a").mkdir(parents=True)
    for number in range(4):
        (tmp_path / "images" / "a" / f"{number}.png").write_bytes(bytes([number]) * 12)
    return tmp_path / "images"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(f"l{number}" for number in range(6)))
    return str(path)


def new_cache(**options):
    return ds.DatasetCache(next(_sessions), **options)


def images(folder, **options):
    return ds.ImageFolderDataset(str(folder), **options)


def values(dataset, epochs=1):
    """The first value of each row, epoch by epoch."""
    iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[row[0].reshape(-1)[0].item() for row in iterator] for _ in range(epochs)]
    return found[0] if epochs == 1 else found


def lines(dataset, epochs=1):
    iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[int(str(row[0])[1]) for row in iterator] for _ in range(epochs)]
    return found[0] if epochs == 1 else found


# What is kept -------------------------------------------------------------------------------------


def test_an_operation_that_counts_its_calls_is_the_same_in_each_epoch(folder):
    calls = []

    def counted(image):
        calls.append(image)
        if len(calls) == 3:
            raise ValueError("once")
        return image

    data = images(folder, shuffle=False).map(counted, "image", cache=new_cache())
    with pytest.raises(RuntimeError, match="once"):
        values(data)
    assert values(data) == values(data) == [0, 1, 2, 3]
    assert len(calls) == 5


def test_a_source_reads_each_file_once(folder):
    reads = []

    def read(path):
        reads.append(path)
        with open(path, "rb") as file:
            return file.read()

    cache = new_cache()
    data = images(folder, shuffle=False, cache=cache, decrypt=read)
    assert values(data, 3) == [[0, 1, 2, 3]] * 3
    assert len(reads) == 4
    stat = cache.get_stat()
    assert (stat.avg_cache_sz, stat.num_mem_cached, stat.num_disk_cached) == (12 + 4, 4, 0)


def test_a_map_makes_each_row_once(folder):
    made = []

    def plus(x):
        made.append(x)
        return x + 1

    data = images(folder, shuffle=True).map(plus, "image", cache=new_cache())
    assert sorted(sum(values(data, 3), [])) == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert len(made) == 4


def test_only_rows_asked_for_are_kept(folder):
    cache = new_cache()
    assert values(images(folder, num_shards=2, shard_id=1, shuffle=False, cache=cache)) == [1, 3]
    assert cache.get_stat().num_mem_cached == 2
    assert values(images(folder, num_shards=2, shard_id=0, shuffle=False, cache=cache)) == [0, 2]
    assert cache.get_stat().num_mem_cached == 4


def test_a_session_is_shared_by_pipelines_that_read_the_same(folder):
    session = next(_sessions)
    first = ds.DatasetCache(session)
    assert values(images(folder, shuffle=False, cache=first)) == [0, 1, 2, 3]
    for path in (folder / "a").iterdir():
        path.write_bytes(bytes([9]) * 12)
    second = ds.DatasetCache(session)
    assert values(images(folder, shuffle=False, cache=second)) == [0, 1, 2, 3]
    assert values(images(folder, shuffle=False, cache=new_cache())) == [9] * 4
    assert (
        values(images(folder, extensions=[".png"], shuffle=False, cache=ds.DatasetCache(session)))
        == [9] * 4
    )


def test_a_session_ends_with_its_last_cache(folder):
    session = next(_sessions)
    cache = ds.DatasetCache(session)
    values(images(folder, shuffle=False, cache=cache))
    del cache
    gc.collect()
    for path in (folder / "a").iterdir():
        path.write_bytes(bytes([9]) * 12)
    assert values(images(folder, shuffle=False, cache=ds.DatasetCache(session))) == [9] * 4


def test_a_cache_is_of_one_pipeline(folder, tmp_path):
    (tmp_path / "others" / "a").mkdir(parents=True)
    (tmp_path / "others" / "a" / "1.png").write_bytes(b"\x07" * 12)
    cache = new_cache()
    data = images(folder, shuffle=False, cache=cache)
    values(data)
    with pytest.raises(RuntimeError, match="in use by a different one"):
        values(images(tmp_path / "others", cache=cache))
    assert values(data) == [0, 1, 2, 3]


def test_functions_are_the_same_where_they_say_the_same(folder):
    def data(cache, step):
        return images(folder, shuffle=False).map(lambda x: x + step, "image", cache=cache)

    cache = new_cache()
    assert values(data(cache, 1)) == values(data(cache, 1)) == [1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="in use by a different one"):
        values(data(cache, 2))


@pytest.mark.parametrize("spilling, on_disk", [(False, 0), (True, 4)])
def test_what_is_above_the_size_spills_or_is_made_again(tmp_path, spilling, on_disk):
    (tmp_path / "a").mkdir()
    for number in range(6):
        (tmp_path / "a" / f"{number}.png").write_bytes(bytes([number]) * 500_000)
    cache = new_cache(size=1, spilling=spilling)
    data = images(tmp_path, sampler=ds.SubsetSampler([0, 1, 2, 3, 4, 5, 5, 0]), cache=cache)
    assert values(data, 2) == [[0, 1, 2, 3, 4, 5, 5, 0]] * 2
    stat = cache.get_stat()
    assert (stat.num_mem_cached, stat.num_disk_cached) == (2, on_disk)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_row_that_does_not_fit_on_the_disk_is_not_stored(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    for number in range(4):
        (tmp_path / "a" / f"{number}.png").write_bytes(bytes([number]) * 500_000)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: open("/dev/full", "w+b", 0))
    cache = new_cache(size=1, spilling=True)
    data = images(tmp_path, shuffle=False, cache=cache)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="'DatasetCache', a row cannot be .*No space left"):
            values(data)
        assert cache.get_stat()[1:] == (2, 0)


def test_a_source_kept_whole_must_fit(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("\n".join("l" + str(number) * 200_000 for number in range(4)))
    with pytest.raises(RuntimeError, match="no room.*'size' is 1 MB"):
        lines(ds.TextFileDataset(str(path), shuffle=False, cache=new_cache(size=1)))
    cache = new_cache(size=1, spilling=True)
    assert lines(ds.TextFileDataset(str(path), shuffle=False, cache=cache)) == [0, 1, 2, 3]
    assert cache.get_stat().num_disk_cached == 3


def test_kept_rows_cannot_be_changed(folder):
    data = images(folder, shuffle=False, cache=new_cache())

    def spoil(x):
        x[:] = 99
        return x

    assert values(data.map(spoil, "image"), 2) == [[99] * 4] * 2
    assert values(data) == [0, 1, 2, 3]


def test_debug_mode_keeps_nothing(folder):
    ds.config.set_debug_mode(True)
    cache = new_cache()
    assert values(images(folder, shuffle=False, cache=cache)) == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="in use"):
        cache.get_stat()


# In which order rows come -------------------------------------------------------------------------


def test_a_cache_leaves_the_order_of_a_source_that_is_read_by_number(folder):
    wanted = [[3, 0, 1, 2], [3, 0, 1, 2], [1, 3, 2, 0]]
    assert values(images(folder), 3) == wanted
    assert values(images(folder, cache=new_cache()), 3) == wanted
    mapped = images(folder).map(lambda x: x, "image", cache=new_cache())
    assert values(mapped, 3) == wanted


def test_a_shuffle_below_a_cache_has_no_effect_on_rows_read_by_number(folder):
    data = images(folder, shuffle=False).shuffle(4).rename("image", "x").project(["x"])
    assert values(data.map(lambda x: x + 1, cache=new_cache()), 2) == [[1, 2, 3, 4]] * 2


def test_a_source_kept_whole_is_shuffled_with_replacement(text):
    wanted = [[1, 0, 5, 4, 1, 2], [5, 5, 1, 1, 4, 0], [0, 1, 4, 1, 2, 5]]
    for shuffle in (True, ds.Shuffle.FILES):
        data = ds.TextFileDataset(text, shuffle=shuffle, cache=new_cache())
        assert lines(data, 3) == wanted
    mapped = ds.TextFileDataset(text).map(lambda x: x, cache=new_cache())
    assert lines(mapped, 3) == wanted
    few = ds.TextFileDataset(text, num_samples=3, cache=new_cache())
    assert lines(few, 3) == [each[:3] for each in wanted]
    assert few.get_dataset_size() == 3


def test_a_source_kept_whole_is_shared_row_by_row(text):
    data = ds.TextFileDataset(text, shuffle=False, num_shards=4, shard_id=3, cache=new_cache())
    assert lines(data, 2) == [[3, 1]] * 2
    data = ds.TextFileDataset(text, num_shards=2, shard_id=1, cache=new_cache())
    assert lines(data, 3) == [[0, 5, 4], [1, 0, 3], [1, 3, 2]]
    assert data.get_dataset_size() == 3


def test_what_is_between_a_whole_source_and_its_cache_is_kept(text):
    repeated = ds.TextFileDataset(text, shuffle=False).repeat(2)
    assert lines(repeated.map(lambda x: x, cache=new_cache())) == [0, 1, 2, 3, 4, 5] * 2
    shuffled = ds.TextFileDataset(text, shuffle=False).shuffle(6)
    assert lines(shuffled.map(lambda x: x, cache=new_cache()), 2) == [[4, 3, 0, 1, 5, 2]] * 2


def test_operations_above_a_cache_are_as_ever(folder):
    data = images(folder, shuffle=False, cache=new_cache())
    assert values(data.take(2)) == [0, 1]
    assert values(data.repeat(2)) == [0, 1, 2, 3] * 2
    assert [values(part) for part in data.split([0.5, 0.5], randomize=False)] == [[0, 1], [2, 3]]


def test_other_sources_take_a_cache(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n1,2\n3,4\n")
    cache = new_cache()
    data = ds.CSVDataset(str(path), column_defaults=[0, 0], shuffle=False, cache=cache)
    assert values(data, 2) == [[1, 3]] * 2
    assert cache.get_stat() == (8, 2, 0)


# Rows that fail -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode, wanted", [("SKIP", [0, 1, 3]), ("REPLACE", [0, 1, 3, 0])])
def test_rows_that_fail_below_a_cache(folder, mode, wanted):
    def failing(x):
        if x[0] == 2:
            raise ValueError("no")
        return x

    ds.config.set_error_samples_mode(getattr(ds.config.ErrorSamplesMode, mode))
    data = images(folder, shuffle=False).map(failing, "image", cache=new_cache())
    assert values(data, 2) == [wanted] * 2


# Refusals -----------------------------------------------------------------------------------------

REFUSED = {
    "random": lambda data, cache: data.map(vision.RandomCrop(2), "image", cache=cache),
    "composed": lambda data, cache: data.map(
        transforms.Compose([vision.RandomHorizontalFlip()]), "image", cache=cache
    ),
    "policy": lambda data, cache: data.map(vision.AutoAugment(), "image", cache=cache),
    "batch": lambda data, cache: data.batch(2).map(lambda x: x, "image", cache=cache),
    "take": lambda data, cache: data.take(2).map(lambda x: x, "image", cache=cache),
    "skip": lambda data, cache: data.skip(2).map(lambda x: x, "image", cache=cache),
    "repeat": lambda data, cache: data.repeat(2).map(lambda x: x, "image", cache=cache),
    "filter": lambda data, cache: data.filter(lambda x: True, "image").map(
        lambda x: x, "image", cache=cache
    ),
    "concat": lambda data, cache: (data + data).map(lambda x: x, "image", cache=cache),
    "zip": lambda data, cache: ds.zip((data, data.rename(["image", "label"], ["a", "b"]))).map(
        lambda x: x, "image", cache=cache
    ),
    "two caches": lambda data, cache: data.map(lambda x: x, "image", cache=new_cache()).map(
        lambda x: x, "image", cache=cache
    ),
    "rows from Python": lambda data, cache: ds.NumpySlicesDataset([1, 2], "image").map(
        lambda x: x, "image", cache=cache
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_pipelines_that_a_cache_cannot_stand_on(folder, name):
    data = REFUSED[name](images(folder), new_cache())
    with pytest.raises(RuntimeError, match="cache"):
        values(data)
    with pytest.raises(RuntimeError, match="cache"):
        data.get_dataset_size()


@pytest.mark.parametrize(
    "given, error",
    [
        ({"session_id": "a"}, TypeError),
        ({"session_id": True}, TypeError),
        ({"session_id": 1.0}, TypeError),
        ({"session_id": 0}, ValueError),
        ({"session_id": 2**32}, ValueError),
        ({"size": "a"}, TypeError),
        ({"size": -1}, ValueError),
        ({"size": 2**64}, ValueError),
        ({"spilling": 1}, TypeError),
        ({"hostname": 1}, TypeError),
        ({"hostname": "localhost"}, RuntimeError),
        ({"port": "a"}, TypeError),
        ({"port": 1024}, ValueError),
        ({"port": 65536}, ValueError),
        ({"num_connections": 0}, ValueError),
        ({"num_connections": True}, TypeError),
        ({"prefetch_size": 2**31}, ValueError),
        ({"prefetch_size": 5.0}, TypeError),
    ],
)
def test_wrong_settings(given, error):
    with pytest.raises(error, match=next(iter(given))):
        ds.DatasetCache(**{"session_id": 1, **given})


def test_the_settings_are_reported():
    cache = ds.DatasetCache(7, 3, True, "127.0.0.1", 1025, 4, 5)
    for each in (cache, copy.deepcopy(cache)):
        assert (
            each.session_id,
            each.size,
            each.spilling,
            each.hostname,
            each.port,
            each.num_connections,
            each.prefetch_size,
        ) == (7, 3, True, "127.0.0.1", 1025, 4, 5)


@pytest.mark.parametrize("cache", [3, "a", object()])
def test_a_cache_must_be_one(folder, cache):
    for make in (
        lambda: images(folder, cache=cache),
        lambda: images(folder).map(lambda x: x, "image", cache=cache),
    ):
        with pytest.raises(TypeError, match="'cache' must be a DatasetCache"):
            make()


def test_there_is_no_stat_before_use():
    with pytest.raises(RuntimeError, match="in use"):
        new_cache().get_stat()


def test_rows_made_by_workers_are_kept(folder):
    data = images(folder, shuffle=False).map(
        lambda x: x + np.uint8(1), "image", num_parallel_workers=2, cache=new_cache()
    )
    assert values(data, 2) == [[1, 2, 3, 4]] * 2
