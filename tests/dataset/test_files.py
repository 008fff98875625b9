"""Sources that read files: their rows, and the files that they reject."""

import gzip
import importlib.util
import os
import pathlib
import struct
import xml.etree.ElementTree

import numpy as np
import pytest

import mindspore_compat.dataset as ds

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "examples"


def rows(dataset, epochs=1):
    iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    found = [[[column.tolist() for column in row] for row in iterator] for _ in range(epochs)]
    return found[0] if epochs == 1 else found


def idx(array, magic=None):
    """The content of an IDX file."""
    array = np.asarray(array, np.uint8)
    magic = 2048 + array.ndim if magic is None else magic
    return struct.pack(f">{1 + array.ndim}I", magic, *array.shape) + array.tobytes()


@pytest.fixture
def mnist(tmp_path):
    """A folder of seven training and three test digits."""
    for part, count, first in (("train", 7, 0), ("t10k", 3, 20)):
        images = np.arange(count * 784).reshape(count, 28, 28) % 251
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(idx(images))
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(idx(np.arange(count) + first))
    return tmp_path


def labels(dataset):
    iterator = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [row[1].tolist() for row in iterator]


# MNIST --------------------------------------------------------------------------------------------


def test_mnist_gives_images_and_labels(mnist):
    data = ds.MnistDataset(str(mnist), "train", shuffle=False)
    row = next(data.create_dict_iterator(output_numpy=True))
    assert (row["image"].shape, row["image"].dtype) == ((28, 28, 1), np.uint8)
    assert (row["label"].shape, row["label"].dtype) == ((), np.uint32)
    assert row["image"].ravel().tolist() == (np.arange(784) % 251).tolist()
    assert data.get_dataset_size() == 7


@pytest.mark.parametrize(
    "usage, wanted",
    [
        ("train", [0, 1, 2, 3, 4, 5, 6]),
        ("test", [20, 21, 22]),
        ("all", [20, 21, 22, 0, 1, 2, 3, 4, 5, 6]),
        (None, [20, 21, 22, 0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_usage_chooses_the_files(mnist, usage, wanted):
    assert labels(ds.MnistDataset(str(mnist), usage, shuffle=False)) == wanted


def test_the_relatives_of_mnist_read_the_same_files(mnist):
    for kind in (ds.FashionMnistDataset, ds.KMnistDataset):
        assert labels(kind(str(mnist), "test", shuffle=False)) == [20, 21, 22]


def test_one_pair_of_files_is_enough(mnist):
    for kind in ("images-idx3", "labels-idx1"):
        (mnist / f"train-{kind}-ubyte").unlink()
    assert labels(ds.MnistDataset(str(mnist), shuffle=False)) == [20, 21, 22]


SPOILED = {
    "truncated": ("images", lambda old: old[:-1], "truncated.*5504 bytes, but it has 5503"),
    "header": ("images", lambda old: old[:6], "truncated.*begins with 16 bytes"),
    "long": ("images", lambda old: old + b"x", "too long"),
    "foreign": ("images", lambda old: b"\x89PNG" + old[4:], "not an IDX file"),
    "compressed": ("images", gzip.compress, "not an IDX file"),
    "swapped": ("images", lambda old: idx(np.arange(70)), "not an IDX file"),
    "size": ("images", lambda old: idx(np.zeros((7, 20, 20))), "20 x 20"),
    "labels": ("labels", lambda old: idx(np.arange(6)), "7 images.*6 labels"),
    "huge": ("images", lambda old: struct.pack(">4I", 2051, 2**31, 2**31, 2**31), "truncated"),
    "empty": ("labels", lambda old: b"", "truncated"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_file_is_refused_by_name(mnist, how):
    kind, spoil, words = SPOILED[how]
    path = next(mnist.glob(f"train-{kind}*"))
    path.write_bytes(spoil(path.read_bytes()))
    data = ds.MnistDataset(str(mnist), "train")
    with pytest.raises(ValueError, match=words) as refused:
        rows(data)
    assert f"train-{kind}" in str(refused.value)


def test_missing_files_are_refused(mnist, tmp_path):
    (mnist / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(RuntimeError, match="1 files of images and 0 of labels"):
        rows(ds.MnistDataset(str(mnist), "train"))
    (tmp_path / "none").mkdir()
    with pytest.raises(RuntimeError, match="no files"):
        rows(ds.MnistDataset(str(tmp_path / "none")))


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"usage": "val"}, ValueError),
        ({"usage": 1}, TypeError),
        ({"shuffle": 1}, TypeError),
        ({"num_shards": 2}, RuntimeError),
        ({"num_shards": 2, "shard_id": 2}, ValueError),
        ({"sampler": ds.SequentialSampler(), "shuffle": True}, RuntimeError),
        ({"cache": 3}, TypeError),
        ({"num_samples": -1}, ValueError),
        ({"sampler": 3.5}, TypeError),
    ],
)
def test_mnist_refuses_wrong_arguments(mnist, arguments, error):
    with pytest.raises(error):
        ds.MnistDataset(str(mnist), **arguments)
    with pytest.raises(ValueError):
        ds.MnistDataset(str(mnist / "nowhere"))


def test_an_index_is_a_sampler_of_files_only(mnist):
    assert len(rows(ds.MnistDataset(str(mnist), sampler=1))) == 1
    for source in (ds.NumpySlicesDataset, ds.GeneratorDataset):
        with pytest.raises(TypeError, match="'sampler' must be .* but got 1 of type int"):
            source([1, 2, 3], ["a"], sampler=1)


def test_pk_sampler_takes_rows_of_each_class(mnist):
    (mnist / "train-labels-idx1-ubyte").write_bytes(idx([2, 0, 1, 0, 2, 1, 1]))
    data = ds.MnistDataset(str(mnist), "train", sampler=ds.PKSampler(2))
    assert labels(data) == [0, 0, 1, 1, 2, 2]
    assert data.get_dataset_size() == 6


# CIFAR --------------------------------------------------------------------------------------------


def records(labels_of_rows):
    """Records of CIFAR: labels, then the red, green and blue planes."""
    planes = np.arange(3 * 1024).reshape(3, 32, 32) % 251
    return b"".join(
        bytes(labels_of_row) + planes.astype(np.uint8).tobytes() for labels_of_row in labels_of_rows
    )


def test_cifar10_and_cifar100(tmp_path):
    (tmp_path / "data_batch_1.bin").write_bytes(records([[3], [4]]))
    (tmp_path / "test_batch.bin").write_bytes(records([[5]]))
    (tmp_path / "train.bin").write_bytes(records([[1, 50]]))
    assert labels(ds.Cifar10Dataset(str(tmp_path), "train", shuffle=False)) == [3, 4]
    assert labels(ds.Cifar10Dataset(str(tmp_path), shuffle=False)) == [3, 4, 5]
    data = ds.Cifar100Dataset(str(tmp_path), "train")
    row = next(data.create_dict_iterator(output_numpy=True))
    assert row["image"][1, 2].tolist() == [(plane * 1024 + 34) % 251 for plane in range(3)]
    assert (int(row["coarse_label"]), int(row["fine_label"])) == (1, 50)
    (tmp_path / "train.bin").write_bytes(b"short")
    with pytest.raises(ValueError, match="records of 3074 bytes"):
        rows(ds.Cifar100Dataset(str(tmp_path), "train"))


# Folders, CSV, text -------------------------------------------------------------------------------


def test_folders_are_classes(tmp_path):
    for path, content in {"dog/1.jpg": b"d", "cat/b.png": b"bb", "cat/a.jpg": b"a"}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    data = ds.ImageFolderDataset(str(tmp_path), shuffle=False)
    assert rows(data) == [[[97], 0], [[98, 98], 0], [[100], 1]]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1} and data.num_classes() == 2
    chosen = ds.ImageFolderDataset(
        str(tmp_path), shuffle=False, extensions=[".jpg"], class_indexing={"dog": 7}
    )
    assert rows(chosen) == [[[100], 7]]
    with pytest.raises(RuntimeError, match="no files"):
        rows(ds.ImageFolderDataset(str(tmp_path), class_indexing={"bird": 0}))


def test_folders_decode_images(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("cv2")
    pixels = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    (tmp_path / "a").mkdir()
    image.fromarray(pixels).save(tmp_path / "a" / "1.png")
    data = ds.ImageFolderDataset(str(tmp_path), decode=True)
    np.testing.assert_array_equal(next(iter(data))[0].asnumpy(), pixels)
    (tmp_path / "a" / "1.png").write_bytes(b"no picture")
    with pytest.raises(RuntimeError, match="image file"):
        rows(ds.ImageFolderDataset(str(tmp_path), decode=True))


def write(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def test_csv_columns_have_the_types_of_their_defaults(tmp_path):
    path = write(tmp_path / "a.csv", 'a,b,c\n1,2.5,"x, ""y"""\n\n-3,1e3,\n')
    data = ds.CSVDataset(path, column_defaults=[0, 0.0, ""], shuffle=False)
    assert data.get_col_names() == ["a", "b", "c"] and data.get_dataset_size() == 2
    assert rows(data) == [[1, 2.5, 'x, "y"'], [-3, 1000.0, ""]]
    assert [each.dtype for each in next(data.create_tuple_iterator(output_numpy=True))][:2] == [
        np.int32,
        np.float32,
    ]
    assert rows(ds.CSVDataset(path, column_names=list("pqr"), shuffle=False))[0] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "text, words",
    [("1,2\n3\n", "line 2.*2 fields.*there are 1"), ("x,2\n", "line 1.*a number.*'x'")],
)
def test_csv_refuses_lines_that_do_not_fit(tmp_path, text, words):
    data = ds.CSVDataset(
        write(tmp_path / "a.csv", text),
        column_names=["p", "q"],
        column_defaults=[0, 0],
        shuffle=False,
    )
    with pytest.raises(RuntimeError, match=words):
        rows(data)


def test_files_are_shuffled_and_shared_as_the_original_does(tmp_path):
    ds.config.set_seed(1)
    for name, first in (("a", 0), ("b", 10), ("c", 20)):
        write(tmp_path / f"{name}.csv", "n\n" + "".join(f"{first + n}\n" for n in range(2)))
    write(tmp_path / "d.txt", "\n".join("abcdefg"))

    def found(epochs=1, **options):
        data = ds.CSVDataset(str(tmp_path / "*.csv"), column_defaults=[0], **options)
        return (
            [[row[0] for row in epoch] for epoch in rows(data, epochs)]
            if epochs > 1
            else [row[0] for row in rows(data)]
        )

    assert found(shuffle=False) == [0, 1, 10, 11, 20, 21]
    assert found(2, shuffle=ds.Shuffle.FILES) == [[10, 11, 0, 1, 20, 21], [0, 1, 10, 11, 20, 21]]
    assert [found(shuffle=False, num_shards=4, shard_id=n) for n in range(4)] == [
        [0, 1],
        [10, 11],
        [20, 21],
        [0, 1],
    ]
    assert found(shuffle=False, num_samples=3) == [0, 1, 10]
    text = ds.TextFileDataset(str(tmp_path / "d.txt"))
    assert [[row[0] for row in epoch] for epoch in rows(text, 2)] == [
        ["c", "a", "f", "g", "e", "b", "d"],
        ["e", "c", "g", "a", "f", "b", "d"],
    ]


def test_text_lines(tmp_path):
    path = write(tmp_path / "a.txt", "häß\n\n  two \r\nlast")
    assert rows(ds.TextFileDataset(path, shuffle=False)) == [["häß"], ["  two \r"], ["last"]]
    with pytest.raises(RuntimeError, match="no lines"):
        rows(ds.TextFileDataset(write(tmp_path / "b.txt", "\n")))
    with pytest.raises(ValueError, match="names none"):
        ds.TextFileDataset(str(tmp_path / "nowhere.txt"))


# The example's data -------------------------------------------------------------------------------


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_examples_digits_are_written_as_mnist(tmp_path):
    digits = example("mnist_digits")
    folder = digits.write_mnist(tmp_path / "mnist")
    sizes = [ds.MnistDataset(folder, usage).get_dataset_size() for usage in ("train", "test")]
    assert sizes == [4000, 1000]
    counts = np.bincount(labels(ds.MnistDataset(folder, shuffle=False)))
    assert counts.tolist() == [500] * 10
    written = {path.name: path.stat().st_mtime_ns for path in pathlib.Path(folder).iterdir()}
    digits.write_mnist(folder)
    assert written == {
        path.name: path.stat().st_mtime_ns for path in pathlib.Path(folder).iterdir()
    }


def test_the_examples_curves_are_svg(tmp_path):
    path = tmp_path / "curves.svg"
    example("loss_curves").draw_loss_curves(
        path, "a < b", {"one": [2.3, 1.0, 0.2], "two": [2.0, float("nan")], "three": [0.0, 9.0]}
    )
    root = xml.etree.ElementTree.parse(path).getroot()
    lines = [each for each in root if each.tag.endswith("polyline")]
    assert len(lines) == 6
    assert len(lines[0].get("points").split()) == 3
    assert os.path.getsize(path) < 10_000
