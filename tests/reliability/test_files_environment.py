"""Files with unusual names, full disks, and files that other processes replace meanwhile."""

import contextlib
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor
from mindspore_compat._io import files, safetensors
from mindspore_compat.dataset import vision
from mindspore_compat.mindrecord import FileWriter, MRMCommitError, set_enc_key
from mindspore_compat.mindrecord.common.exceptions import ParamValueError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs names and locks of POSIX")


def writer(path, count):
    """Returns an uncommitted MindRecord writer with `count` rows of the value `count`."""
    made = FileWriter(str(path), overwrite=True)
    made.add_schema({"a": {"type": "int32"}}, "rows")
    made.write_raw_data([{"a": count}] * count)
    return made


def rows(path):
    return [int(row["a"]) for row in ds.MindDataset(str(path)).create_dict_iterator(num_epochs=1)]


@contextlib.contextmanager
def longest_file(length):
    """Lets this process write files of `length` bytes only, as a full disk would."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_refused_encryption_keeps_the_old_file_and_leaves_no_plain_one(tmp_path, monkeypatch):
    set_enc_key("0123456789abcdef")
    try:
        writer(tmp_path / "rows", 3).commit()
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        second = writer(tmp_path / "rows", 5)
        with pytest.raises(MRMCommitError, match=r"rows' cannot be encrypted.*File too large"):
            with longest_file(os.path.getsize(tmp_path / "rows") - 1):
                second.commit()
        del second
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert rows(tmp_path / "rows") == [3, 3, 3]
    finally:
        set_enc_key(None)


def test_a_refused_image_keeps_the_old_one(tmp_path):
    path = str(tmp_path / "image.bin")
    vision.write_file(path, np.ones(100, np.uint8))
    os.symlink(path, tmp_path / "link")
    for name in (path, str(tmp_path / "link")):
        with pytest.raises(RuntimeError, match="cannot be written.*File too large"):
            with longest_file(10):
                vision.write_file(name, np.zeros(100, np.uint8))
    assert vision.read_file(path).tolist() == [1] * 100
    assert sorted(os.listdir(tmp_path)) == ["image.bin", "link"]
    vision.write_file(str(tmp_path / "link"), np.zeros(3, np.uint8))
    assert vision.read_file(path).tolist() == [0, 0, 0]


def test_a_pipe_is_written_to_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()))
    reader.start()
    ds.serialize(ds.NumpySlicesDataset([1, 2]).batch(2), str(tmp_path / "pipe"))
    reader.join(10)
    assert json.loads(received[0])["batch_size"] == 2
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_may_have_any_name(tmp_path):
    folder = tmp_path / "a\n'#?%\udcff"
    folder.mkdir()
    writer(folder / "rows", 3).commit()
    assert rows(folder / "rows") == [3, 3, 3]


IMPOSSIBLE = {
    "save": lambda path: ms.save_checkpoint([], path),
    "serialize": lambda path: ds.serialize(ds.NumpySlicesDataset([1]), path),
    "deserialize": lambda path: ds.deserialize(json_filepath=path),
    "directory": lambda path: ms.train.ModelCheckpoint(directory=path),
    "records": ds.MindDataset,
    "writer": lambda path: writer(path, 1),
    "read_file": vision.read_file,
    "write_file": lambda path: vision.write_file(path, np.zeros(1, np.uint8)),
}


@pytest.mark.parametrize("name", ["nu\0l", "surro\ud800gate"])
@pytest.mark.parametrize("call", IMPOSSIBLE)
def test_errors_name_a_file_that_cannot_exist(call, name, tmp_path):
    with pytest.raises((ValueError, RuntimeError, ParamValueError), match="nu|surro") as caught:
        IMPOSSIBLE[call](str(tmp_path / name))
    assert type(caught.value) is not UnicodeEncodeError and repr(name)[1:-1] in str(caught.value)
    assert not [*tmp_path.iterdir()]


def test_a_mindrecord_file_needs_a_name_that_its_index_can_hold(tmp_path):
    path = str(tmp_path / "rows\udcff")
    with pytest.raises(ParamValueError, match="'file_name' must be the name of a file in UTF-8"):
        FileWriter(path)
    with pytest.raises(RuntimeError, match="For 'save', '.*rows.*' cannot be written"):
        ds.NumpySlicesDataset([1, 2]).save(path)
    assert not os.listdir(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_errors_of_summaries_name_the_file(tmp_path):
    record = ms.SummaryRecord(str(tmp_path))
    record.add_value("scalar", "loss", Tensor(1.0))
    record.record(1)
    record._summary._file.close()
    record._summary._file = os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb")
    record.add_value("scalar", "loss", Tensor(2.0))
    record.record(2)
    for finish in (record.flush, record.close):
        with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/events"):
            finish()
    (name,) = os.listdir(tmp_path)
    assert os.stat(tmp_path / name).st_mode & 0o777 == files.READ_ONLY
    record.close()


def test_a_file_and_its_index_come_from_one_writer(tmp_path, monkeypatch):
    path, second = tmp_path / "rows", None
    one, other = writer(path, 3), writer(path, 5)
    replace = files.AtomicFile.replace

    def interleaved(file):
        nonlocal second
        replace(file)
        if second is None:
            second = threading.Thread(target=other.commit)
            second.start()
            second.join(0.3)
            assert second.is_alive()  # it waits for the first writer's index

    monkeypatch.setattr(files.AtomicFile, "replace", interleaved)
    one.commit()
    second.join()
    assert rows(path) == [5] * 5


def test_a_writer_does_not_wait_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_REPLACEMENT", 0.1)
    with files.replacing(tmp_path):
        writer(tmp_path / "rows", 2).commit()
    assert rows(tmp_path / "rows") == [2, 2]


def test_a_checkpoint_that_is_replaced_while_it_is_read_is_read_as_it_was(tmp_path, monkeypatch):
    library = pytest.importorskip("safetensors")
    old, new = (str(tmp_path / f"{name}.safetensors") for name in ("old", "new"))
    for path, count in ((old, 3), (new, 5)):
        values = [("w", np.full(count, count, np.float32))]
        safetensors.write(path, values, crc=True, metadata={"count": str(count)})

    def opened_and_replaced(*arguments, **options):
        opened = safe_open(*arguments, **options)
        os.replace(new, old)
        return opened

    safe_open = library.safe_open
    monkeypatch.setattr(library, "safe_open", opened_and_replaced)
    ((_, array, _),), about = safetensors.read(old, crc=True)
    assert array.tolist() == [3, 3, 3] and about["count"] == "3"
    monkeypatch.undo()
    assert len(safetensors.read(old, crc=True)[0][0][1]) == 5


SHOWN_TEXTS = """
import mindspore_compat as ms
from mindspore_compat import dataset, log, nn, ops, train
from mindspore_compat.rewrite import SymbolTree

class Größe(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, größe):
        return self.dense(größe)

if __name__ == "__main__":
    ops.print_("print: größe")
    try:
        ops.Assert()(False, ["größe"])
    except RuntimeError:
        log.vlog_print(1, "module", "file", 1, "vlog: größe")
    dataset.debug.PrintDataHook().compute("hook: größe")
    SymbolTree.create(Größe()).print_node_tabulate()
    network = Größe()
    optimizer = nn.SGD(network.trainable_params())
    model = train.Model(network, nn.MSELoss(), optimizer, {"größe": train.MSE()})
    rows = dataset.NumpySlicesDataset(([[1.0] * 3], [[1.0] * 2])).batch(1)
    rows = rows.map(lambda x: x.astype("float32"), "column_0")
    rows = rows.map(lambda x: x.astype("float32"), "column_1")
    model.fit(1, rows, rows, callbacks=[train.LossMonitor()], dataset_sink_mode=False)
"""


@pytest.mark.parametrize(
    "command, texts",
    [
        (["script.py"], 6),
        (["-m", "mindspore_compat", "--check", "--html", "page.html", "script.py", "größe"], 1),
        (["-m", "mindspore_compat.summary", "script.py", "Größe", "1,3"], 1),
        (["-m", "mindspore_compat.msrun", "--worker_num=1", "--local_worker_num=1", "--join=True",
          "--log_dir=größe", "rank.py"], 2),
    ],
    ids=["script", "check", "summary", "msrun"],
)  # fmt: skip
def test_text_that_the_output_cannot_encode_is_escaped(command, texts, tmp_path):
    (tmp_path / "script.py").write_text(SHOWN_TEXTS, "utf-8")
    (tmp_path / "rank.py").write_text("import os\nos.write(1, 'größe'.encode())", "utf-8")
    (tmp_path / "größe").mkdir()
    (tmp_path / "größe" / "name\udcff.py").write_text("from mindspore import größe\n", "utf-8")
    settings = {"PYTHONIOENCODING": "ascii", "VLOG_v": "1", "PYTHONUTF8": "1"}
    environment = {**os.environ, **settings}
    ended = subprocess.run(
        [sys.executable, *command], capture_output=True, cwd=tmp_path, env=environment
    )
    assert b"UnicodeEncodeError" not in ended.stderr, ended.stderr
    assert ended.stdout.isascii()
    assert ended.stdout.lower().count(rb"gr\xf6\xdfe") >= texts, (ended.stdout, ended.stderr)
