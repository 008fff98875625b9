"""Readers of single files: TFRecord, MindRecord, checkpoints, graphs, JSON."""

import contextlib
import gzip
import json
import os
import pickle
import shutil
import types
import zlib

import numpy as np
from readers_data import idx_files, line_files
from registry import READERS, Reader, reader

from conformance.arguments import sources as source_files

# TFRecord -----------------------------------------------------------------------------------------

_COMPRESS = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


def _unframed(content):
    """The records of a file without checksums: a length of 4 bytes and the data of each."""
    out, at = b"", 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 8], "little")
        out += length.to_bytes(4, "little") + content[at + 12 : at + 12 + length]
        at += 16 + length
    return out


def _framed(content):
    from mindspore_compat._io.tfrecord import frame

    out, at = b"", 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        out += frame(content[at + 4 : at + 4 + length])
        at += 4 + length
    return out


def _tfrecords(folder):
    from mindspore_compat._io.tfrecord import example, frame

    content = b"".join(
        frame(example({"ids": np.arange(3) * -(number + 1), "x": np.ones(2, "f"), "t": [b"ab"]}))
        for number in range(3)
    )
    for kind, compress in _COMPRESS.items():
        (folder / f"plain{kind}.tfrecord").write_bytes(compress(content))
    schema = {
        "numRows": 3,
        "columns": {
            "ids": {"type": "int64", "rank": 1, "shape": [3]},
            "x": {"type": "float32"},
            "t": {"type": "uint8", "rank": 1, "shape": [2]},
        },
    }
    (folder / "schema.json").write_text(json.dumps(schema), "utf-8")


def _tfrecord(kind, schema):
    def read(folder):
        import mindspore_compat.dataset as ds

        data = ds.TFRecordDataset(
            str(folder / f"plain{kind}.tfrecord"),
            str(folder / "schema.json") if schema else None,
            shuffle=False,
            compression_type=kind,
        )
        data.get_dataset_size()
        list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))

    return read


_OPEN = {"": bytes, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}
for _kind in _COMPRESS:
    READERS[f"tfrecord {_kind or 'plain'}"] = Reader(_tfrecords, _tfrecord(_kind, False))
    READERS[f"tfrecord {_kind or 'plain'} inside"] = Reader(
        _tfrecords,
        _tfrecord(_kind, False),
        wraps=lambda path, kind=_kind: (
            (_OPEN[kind], _COMPRESS[kind]) if kind else (_unframed, _framed)
        ),
    )
READERS["tfrecord schema"] = Reader(_tfrecords, _tfrecord("", True))


@reader(_tfrecords, (RuntimeError, ValueError, TypeError))
def _schema(folder):
    import mindspore_compat.dataset as ds

    ds.Schema(str(folder / "schema.json"))


@reader(_tfrecords, (ValueError, OSError))
def _tfrecord_to_mindrecord(folder):
    from mindspore_compat.mindrecord import TFRecordToMR

    kinds = {
        name: types.SimpleNamespace(shape=shape, dtype=dtype)
        for name, shape, dtype in (
            ("ids", [3], "int64"),
            ("x", [2], "float32"),
            ("t", [], "string"),
        )
    }
    _transformed(folder, lambda out: TFRecordToMR(str(folder / "plain.tfrecord"), out, kinds))


# MindRecord ---------------------------------------------------------------------------------------


def _mindrecord(folder):
    from mindspore_compat.mindrecord import FileWriter

    writer = FileWriter(str(folder / "rows.mindrecord"), 1)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(
        {
            "data": {"type": "bytes"},
            "ids": {"type": "int32", "shape": [-1]},
            "label": {"type": "int32"},
            "name": {"type": "string"},
        },
        "rows",
    )
    writer.add_index(["label"])
    writer.write_raw_data(
        [
            {
                "data": b"xy",
                "ids": np.arange(number + 1, dtype=np.int32) * 300,
                "label": number % 2,
                "name": f"row {number}",
            }
            for number in range(4)
        ]
    )
    writer.commit()


_MINDRECORD = ("rows.mindrecord", "rows.mindrecord.db")


@reader(_mindrecord, targets=_MINDRECORD)
def _mind_dataset(folder):
    import mindspore_compat.dataset as ds

    data = ds.MindDataset(
        str(folder / "rows.mindrecord"), sampler=ds.PKSampler(1, class_column="label")
    )
    list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    data = ds.MindDataset(str(folder / "rows.mindrecord"), shuffle=False)
    list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@reader(_mindrecord, targets=_MINDRECORD)
def _file_reader(folder):
    from mindspore_compat.mindrecord import FileReader

    rows = FileReader(str(folder / "rows.mindrecord"))
    list(rows.get_next())
    rows.close()


@reader(_mindrecord, targets=_MINDRECORD)
def _mind_page(folder):
    from mindspore_compat.mindrecord import MindPage

    pages = MindPage(str(folder / "rows.mindrecord"))
    pages.category_field = pages.candidate_fields[0] if pages.candidate_fields else "label"
    pages.read_category_info()
    with contextlib.suppress(AttributeError):
        pages.read_at_page_by_id(0, 0, 3)


@reader(_mindrecord, targets=_MINDRECORD)
def _mindrecord_appending(folder):
    from mindspore_compat.mindrecord import FileWriter

    writer = FileWriter.open_for_append(str(folder / "rows.mindrecord"))
    writer.write_raw_data(
        [{"data": b"z", "ids": np.arange(2, dtype=np.int32), "label": 1, "name": "more"}]
    )
    writer.commit()


def _graph(folder):
    from mindspore_compat.mindrecord import FileWriter

    writer = FileWriter(str(folder / "graph.mindrecord"), 1)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(
        {
            name: {"type": kind}
            for name, kind in (
                ("first_id", "int64"),
                ("second_id", "int64"),
                ("third_id", "int64"),
                ("type", "int32"),
                ("attribute", "string"),
                ("weight", "float32"),
                ("node_feature_index", "int32"),
                ("edge_feature_index", "int32"),
            )
        },
        "graph",
    )
    rows = [(number, 0, 0, 1, "n") for number in range(3)] + [(0, 0, 1, 2, "e"), (1, 1, 2, 2, "e")]
    writer.write_raw_data(
        [
            {
                "first_id": a,
                "second_id": b,
                "third_id": c,
                "type": kind,
                "attribute": what,
                "weight": 1.0,
                "node_feature_index": 0,
                "edge_feature_index": 0,
            }
            for a, b, c, kind, what in rows
        ]
    )
    writer.commit()


@reader(_graph, targets=("graph.mindrecord", "graph.mindrecord.db"))
def _graph_data(folder):
    import mindspore_compat.dataset as ds

    graph = ds.GraphData(str(folder / "graph.mindrecord"))
    graph.graph_info()


def _transformed(folder, converter):
    """Writes a MindRecord file beside the folder, and removes it."""
    out = folder.parent / f"{folder.name}_converted"
    out.mkdir()
    try:
        converter(str(out / "made.mindrecord")).transform()
    finally:
        shutil.rmtree(out)


@reader(idx_files)
def _mnist_to_mindrecord(folder):
    from mindspore_compat.mindrecord import MnistToMR

    _transformed(folder, lambda out: MnistToMR(str(folder / "gz"), out))


def _gzip_wrap(path):
    return (gzip.decompress, gzip.compress) if path.endswith(".gz") else None


READERS["mnist_to_mindrecord inside"] = Reader(idx_files, _mnist_to_mindrecord, wraps=_gzip_wrap)


def _pickles(*names, **labels):
    pixels = np.arange(2 * 3072).reshape(2, 3072).astype(np.uint8)
    record = {b"data": pixels, **{name.encode(): each for name, each in labels.items()}}

    def make(folder):
        for name in names:
            (folder / name).write_bytes(pickle.dumps(record))

    return make


@reader(_pickles("data_batch_1", "test_batch", labels=[1, 2]))
def _cifar10_to_mindrecord(folder):
    from mindspore_compat.mindrecord import Cifar10ToMR

    _transformed(folder, lambda out: Cifar10ToMR(str(folder), out))


@reader(_pickles("train", "test", fine_labels=[1, 2], coarse_labels=[0, 1]))
def _cifar100_to_mindrecord(folder):
    from mindspore_compat.mindrecord import Cifar100ToMR

    _transformed(folder, lambda out: Cifar100ToMR(str(folder), out))


@reader(line_files, (RuntimeError, ValueError, OSError))
def _csv_to_mindrecord(folder):
    from mindspore_compat.mindrecord import CsvToMR

    _transformed(folder, lambda out: CsvToMR(str(folder / "table.csv"), out))


def _imagenet(folder):
    (folder / "n01").mkdir()
    (folder / "n01" / "1.JPEG").write_bytes(source_files.picture("1"))
    (folder / "map.txt").write_text("n01 0\n", "utf-8")


@reader(_imagenet, (RuntimeError, ValueError, OSError))
def _imagenet_to_mindrecord(folder):
    from mindspore_compat.mindrecord import ImageNetToMR

    _transformed(folder, lambda out: ImageNetToMR(str(folder / "map.txt"), str(folder), out))


# Checkpoints and graphs ---------------------------------------------------------------------------


def _values():
    from mindspore_compat import Parameter, Tensor

    return [
        Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="w"),
        Parameter(Tensor(np.arange(3)), name="ids"),
        Parameter(1.5, name="scale"),
    ]


def _checkpoints(folder):
    import mindspore_compat as ms

    ms.save_checkpoint(_values(), str(folder / "plain.ckpt"))
    ms.save_checkpoint(_values(), str(folder / "summed.ckpt"), crc_check=True)
    ms.save_checkpoint(_values(), str(folder / "locked.ckpt"), enc_key=b"0" * 16)
    ms.save_checkpoint(_values(), str(folder / "plain.safetensors"), format="safetensors")
    os.chmod(folder / "plain.ckpt", 0o600)


def _checkpoint(name, **more):
    def read(folder):
        import mindspore_compat as ms

        ms.load_checkpoint(str(folder / name), **more)

    return read


for _name, _more in (
    ("plain.ckpt", {}),
    ("summed.ckpt", {"crc_check": True}),
    ("locked.ckpt", {"dec_key": b"0" * 16}),
    ("plain.safetensors", {"format": "safetensors"}),
):
    READERS[f"checkpoint {_name}"] = Reader(
        _checkpoints, _checkpoint(_name, **_more), targets=(_name,)
    )


def _mindir(folder):
    import mindspore_compat as ms
    from mindspore_compat import Tensor, nn

    x = Tensor(np.ones((1, 3), np.float32))
    net = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())
    ms.export(net, x, file_name=str(folder / "net"), file_format="MINDIR")


@reader(_mindir)
def _mindir_graph(folder):
    import mindspore_compat as ms
    from mindspore_compat import Tensor, nn

    net = nn.GraphCell(ms.load(str(folder / "net.mindir")))
    with contextlib.suppress(Exception):  # errors in the arithmetic of a damaged graph are accepted
        net(Tensor(np.ones((1, 3), np.float32)))


# Settings and tables in JSON ----------------------------------------------------------------------


def _settings(folder):
    (folder / "config.json").write_text(
        json.dumps({"numParallelWorkers": 2, "seed": 5, "workerConnectorSize": 4}), "utf-8"
    )
    (folder / "speed.json").write_text(json.dumps({"enable_task_opt": True}), "utf-8")
    (folder / "bind.json").write_text(
        json.dumps({"bind_cpu": {"device0": {"main": "0", "runtime": "0-1"}}}), "utf-8"
    )


@reader(_settings)
def _dataset_config(folder):
    import mindspore_compat.dataset as ds

    before = dict(vars(ds.config._values))
    try:
        ds.config.load(str(folder / "config.json"))
    finally:
        vars(ds.config._values).update(before)


@reader(_settings)
def _speed_up(folder):
    from mindspore_compat.parallel import auto_parallel

    auto_parallel._check_speed_up(str(folder / "speed.json"))


@reader(_settings)
def _bound_cores(folder):
    from mindspore_compat import _launching

    _launching._from_file("set_cpu_affinity", str(folder / "bind.json"))


@reader(_settings)
def _context_config(folder):
    from mindspore_compat._core.context.config import _readable_json

    _readable_json(str(folder / "config.json"))


# The conformance tool -----------------------------------------------------------------------------


def _conformance(folder):
    from conformance.reading import packed

    packed.write(folder / "answers.json.gz", json.dumps({"mint.abs: call 1": ["0a", "value", [1]]}))
    spec = {"mint.abs": {"kind": "function", "raises": []}}
    (folder / "spec.yaml").write_text(json.dumps(spec), "utf-8")
    (folder / "results.json").write_text(
        json.dumps({"about": {"target": "x"}, "records": [{"id": "a", "status": "pass"}]}), "utf-8"
    )
    (folder / "store.jsonl").write_text(
        "".join(json.dumps({"id": f"a{number}", "status": "pass"}) + "\n" for number in range(3))
    )
    (folder / "page.rst").write_text(
        "mindspore.ops.abs\n=================\n\n.. py:function:: mindspore.ops.abs(input)\n\n"
        "    Returns the absolute value.\n",
        "utf-8",
    )


def _conforming(text):
    def read(folder):
        from conformance.reading import docs, specs
        from conformance.reports import report
        from conformance.running import answers, runner

        eval(
            text,
            {
                "answers": answers,
                "docs": docs,
                "report": report,
                "runner": runner,
                "specs": specs,
                "folder": folder,
            },
        )

    return read


for _name, _text in (
    ("conformance specs", "specs.load_file(folder / 'spec.yaml')"),
    ("conformance results", "report.load(folder / 'results.json')"),
    ("conformance store", "runner.load(folder / 'store.jsonl')"),
    ("conformance answers", "answers.load(folder)"),
    ("conformance page", "list(docs.read_text(folder / 'page.rst'))"),
):
    READERS[_name] = Reader(_conformance, _conforming(_text))
READERS["text of conformance answers"] = Reader(
    _conformance,
    READERS["conformance answers"].read,
    wraps=lambda path: (gzip.decompress, lambda text: gzip.compress(text, mtime=0)),
)
