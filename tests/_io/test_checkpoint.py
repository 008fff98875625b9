"""Checkpoint files: MindSpore's format is read and written byte for byte; damaged files are
rejected."""

import base64
import hashlib
import os
import stat
import sys
import zlib

import ml_dtypes
import numpy
import pytest

from mindspore_compat._io import checkpoint, encryption, files

pytestmark = pytest.mark.quick

GRID = numpy.arange(6).reshape(2, 3)
WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
VALUES = [(f"w.{name}", GRID.astype(name)) for name in WHOLE + FLOATS] + [
    ("w.bool", GRID % 2 == 0),
    ("w.bf16", GRID.astype(ml_dtypes.bfloat16)),
    ("w.scalar", numpy.array(2.5, "f")),
    ("w.one", numpy.ones((1, 1), "f")),
]
APPENDED = VALUES[:2] + [
    ("epoch", numpy.array(3, "q")),
    ("lr", numpy.array(0.5, "f")),
    ("flag", numpy.array(True)),
    ("note", "h\u00e9llo"),
    ("none", ""),
    ("t", numpy.array([1, 2])),
    ("p", numpy.array([1.5], "f")),
]
# SHA-256 of the files that MindSpore 2.10.0 wrote of these values.
WRITTEN_BY_THE_ORIGINAL = [
    (VALUES, False, "9e830dc9df0f8efe171ccc260ad480af98d14d5d7abc41f12c2741a9ae6aa92e"),
    (VALUES, True, "a780f793d409f679126e2e0aac7dab4e7c7faa915c7870ae2d83f571ca8e38d5"),
    (APPENDED, False, "0de7bd5c3af780ccfed47e5c4332887ebcc2feefac2c13713b261cf4e768289c"),
    (VALUES[:3], False, "28ac3d26c94011e83562258f284e210691a064a4e11e5cf053d11b2c1ab8a6e5"),
    (
        [("c", numpy.ones(2, "F"))],
        False,
        "46e0e00e0add6e281aea62528166d0a33387a7f332d6c2598a132025cc065dc3",
    ),
]
KEY = b"0123456789abcdef"
# The first three of VALUES, encrypted with KEY by MindSpore 2.10.0.
ENCRYPTED_BY_THE_ORIGINAL = {
    "AES-GCM": (
        "2F46fxioOvMMMO6mUz8oKQMhkbJ8AAAAEAAAAHvNmht0P2onuWDvN8oDtcNkAAAAd9Nup7jzKJQ7P0ZF24BV"
        "nvgU2TTu54LMsLeuDq6DYh6/MPD9wSrJ7SuCV7c/jaJmfmKh7IBozE6Y3ZxV8qhhZXwdHC1Yeync6ewGn2st"
        "9Y0GVoB3+OMIenpZDAbTUTuOIUEbSg=="
    ),
    "AES-CBC": (
        "2V46f4gAAAAQAAAA7HKF5hwVucmeZGQD5zQEGHAAAADP1s6Cp5AZPcfNL8KnIoqKe0uAfE5ObElzZ8JhWcoe"
        "jk9ljQAHNlw3548JBKrtKj+pz03whq78PTqrLtqRymzDrcAJTR1Jv3le3nJ8MFbao30/6o8Z24UovpdchL0L"
        "BKeSlzMC0+qEIBQqemxmagNc"
    ),
    "SM4-CBC": (
        "2l46f4gAAAAQAAAAXvnYQjxRcKcJ8fIAMi+yJHAAAACPgAewVzvFoYzbuRRzCYhn4Z/UmdTuTB3OmEYYv6PY"
        "wSW5fb5zi8+PJ2shIOl2h/7rxrZliwC5nG+Nm2pRR8DAKTUC6aWVrXftinNAO4SBr2b9nXKI2OI9WE8XVffk"
        "0kpePHs8D3EiYMaN9g+Nvhab"
    ),
}


def same(found, values):
    """True if the values read are those written, types included."""
    return [t for t, _, _ in found] == [t for t, _ in values] and all(
        f == v
        if isinstance(v, str)
        else f.dtype == v.dtype and f.shape == v.shape and f.tobytes() == v.tobytes()
        for (_, f, _), (_, v) in zip(found, values, strict=True)
    )


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "net.ckpt")


@pytest.mark.parametrize("values, crc, digest", WRITTEN_BY_THE_ORIGINAL)
def test_the_bytes_are_those_of_the_original(path, values, crc, digest):
    checkpoint.write(path, values, crc=crc)
    with open(path, "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == digest
    assert same(checkpoint.read(path, crc=True), values)
    assert checkpoint.has_checksum(path) == crc


@pytest.mark.parametrize("mode", ENCRYPTED_BY_THE_ORIGINAL)
def test_encrypted_files_of_the_original_are_read(path, mode):
    pytest.importorskip("cryptography")
    with open(path, "wb") as file:
        file.write(base64.b64decode(ENCRYPTED_BY_THE_ORIGINAL[mode]))
    assert same(checkpoint.read(path, key=KEY, mode=mode), VALUES[:3])


@pytest.mark.parametrize(
    "mode, length", [("AES-GCM", 16), ("AES-GCM", 24), ("AES-CBC", 32), ("SM4-CBC", 16)]
)
def test_encrypted_files_come_back(path, monkeypatch, mode, length):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(encryption, "BLOCK", 100)  # several blocks, the last one shorter
    key = bytes(range(length))
    checkpoint.write(path, VALUES, key=key, mode=mode, crc=True)
    assert same(checkpoint.read(path, key=key, mode=mode, crc=True), VALUES)
    for other in {"key": key[::-1], "mode": {"AES-GCM": "AES-CBC"}.get(mode, "AES-GCM")}.items():
        with pytest.raises(ValueError, match="net.ckpt cannot be read as a checkpoint"):
            checkpoint.read(path, **{"key": key, "mode": mode, **dict([other])})
    with pytest.raises(ValueError, match="net.ckpt"):
        checkpoint.read(path)


@pytest.mark.parametrize(
    "key, mode", [(b"short", "AES-GCM"), (b"", "AES-CBC"), (bytes(32), "SM4-CBC"), (KEY, "AES")]
)
def test_keys_and_modes_are_checked_before_anything_is_written(path, key, mode):
    with pytest.raises(ValueError, match="must"):
        checkpoint.write(path, VALUES, key=key, mode=mode)
    assert not os.path.exists(path)


def test_encryption_without_its_package(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(ImportError, match=r"mindspore-compat\[crypto\]"):
        checkpoint.write(path, VALUES, key=KEY)
    assert not os.path.exists(path)


def test_long_values_are_cut_and_joined(path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SLICE", 40)
    values = [("a", numpy.arange(23, dtype="f")), ("b", numpy.arange(20, dtype="f").reshape(4, 5))]
    checkpoint.write(path, values)
    assert len(list(checkpoint.fields(checkpoint.map_file(path)))) == 3 + 2
    assert same(checkpoint.read(path), values)


def test_values_without_elements_are_left_out(path):
    checkpoint.write(path, [("empty", numpy.zeros((0, 3), "f")), *VALUES])
    assert same(checkpoint.read(path), VALUES)


def test_a_0d_value_of_an_old_file(path):
    content = b"".join(checkpoint.message("s", (0,), "Float32", numpy.array(2.5, "f").tobytes()))
    with open(path, "wb") as file:
        file.write(content)
    assert same(checkpoint.read(path), [("s", numpy.array(2.5, "f"))])


def test_any_memory_order_gives_the_same_file(path):
    array = numpy.arange(24, dtype="f").reshape(2, 3, 4)
    for other in (
        array.transpose(2, 0, 1),
        array[:, ::-1],
        array.astype(">f4"),
        numpy.asfortranarray(array),
    ):
        checkpoint.write(path, [("x", other)])
        assert numpy.array_equal(checkpoint.read(path)[0][1], other)


def test_unwanted_values_are_passed_over(path):
    checkpoint.write(path, APPENDED)
    found = checkpoint.read(path, accepts=lambda tag: tag in ("lr", "note"))
    assert [(t, n) for t, _, n in found] == [("lr", "Float32"), ("note", "str")]
    assert found[0][1].flags.writeable


def test_the_suffix_is_added_and_the_file_is_for_reading(tmp_path):
    written = checkpoint.write(tmp_path / "net", VALUES)
    assert written == str(tmp_path / "net.ckpt") and os.listdir(tmp_path) == ["net.ckpt"]
    assert stat.S_IMODE(os.stat(written).st_mode) == 0o400 or os.name == "nt"
    checkpoint.write(written, VALUES[:1])  # in the place of a file that is for reading only
    assert same(checkpoint.read(written), VALUES[:1])


@pytest.mark.parametrize("bad", [("o", numpy.array(["text"])), ("o", numpy.array([object()]))])
def test_a_failed_write_leaves_the_old_file(path, bad):
    checkpoint.write(path, VALUES[:1])
    with pytest.raises(TypeError):
        checkpoint.write(path, [*VALUES, bad])
    assert same(checkpoint.read(path), VALUES[:1])
    assert os.listdir(os.path.dirname(path)) == ["net.ckpt"]


def test_an_interrupted_write_leaves_the_old_file(path, monkeypatch):
    checkpoint.write(path, VALUES[:1])
    monkeypatch.setattr(checkpoint, "SLICE", 40)
    monkeypatch.setattr(checkpoint, "message", lambda *_: iter((b"half", 1)))
    with pytest.raises(TypeError):
        checkpoint.write(path, VALUES)
    assert same(checkpoint.read(path), VALUES[:1])
    assert os.listdir(os.path.dirname(path)) == ["net.ckpt"]


@pytest.mark.parametrize("trailing", [False, True])
@pytest.mark.parametrize("system", ["asks the disk early", "cannot ask"])
def test_long_files_have_the_bytes_that_were_given(path, monkeypatch, trailing, system):
    if system == "cannot ask":
        monkeypatch.delattr(os, "posix_fadvise", raising=False)
    monkeypatch.setattr(files, "_WRITEBACK", 100)
    numbers = numpy.random.default_rng(0)
    values = [(f"w{n}", numbers.integers(0, 256, n, "uint8")) for n in (1, 99, 100, 333, 12_345)]
    checkpoint.write(path, values, leading_crc=True, crc=trailing)
    assert same(checkpoint.read(path), values)
    with open(path, "rb") as file:
        content = file.read()
    end = checkpoint.CRC_LENGTH if trailing else 0
    parts = b"".join(bytes(part) for part in checkpoint.encode(values))
    sum_of_parts = zlib.crc32(parts).to_bytes(4, "little")
    assert content[: len(content) - end] == checkpoint.CRC_HEAD + sum_of_parts + parts


def test_a_failure_of_the_checksum_leaves_the_old_file(path, monkeypatch):
    def fail(_):
        raise MemoryError("no more")

    checkpoint.write(path, VALUES[:1])
    monkeypatch.setattr(checkpoint, "leading_checksum", fail)
    with pytest.raises(MemoryError, match="no more"):
        checkpoint.write(path, VALUES, leading_crc=True)
    monkeypatch.undo()
    assert same(checkpoint.read(path), VALUES[:1])
    assert os.listdir(os.path.dirname(path)) == ["net.ckpt"]


def pieces():
    return b"".join(bytes(p) for p in checkpoint.encode(VALUES))


def test_every_cut_inside_a_value_is_refused(path):
    whole, ends, at = pieces(), set(), 0
    for tag_and_value in VALUES:
        at += len(b"".join(bytes(p) for p in checkpoint.encode([tag_and_value])))
        ends.add(at)
    for cut in set(range(len(whole))) - ends:
        with open(path, "wb") as file:
            file.write(whole[:cut])
        with pytest.raises(ValueError, match="net.ckpt cannot be read as a checkpoint"):
            checkpoint.read(path)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "empty"),
        (b"PK\3\4 some other file", "cannot be read"),
        (b"\x12\0", "field 2"),
        (b"\x0a\x06\x0a\x01x\x1a\x01\0", "hash table"),
        (b"\x0a\x03\x0a\x01x", "lacks"),
        (b"".join(checkpoint.message("x", (3,), "Float32", b"12345678")), "8 bytes"),
        (b"".join(checkpoint.message("x", (1,), "Float32", b"12345678")), "8 bytes"),
        (b"".join(checkpoint.message("x", (1,), "Int4", b"1")), "Int4"),
        (b"".join(checkpoint.message("x", (-1,), "Int8", b"")), "dimensions"),
        (b"".join(checkpoint.message("x", (0,), "str", b"\0\0\xff\xff")), "UTF-32"),
    ],
)
def test_foreign_files_are_refused_with_the_reason(path, content, reason):
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(ValueError, match=reason) as refusal:
        checkpoint.read(path, accepts=lambda tag: True)
    assert path in str(refusal.value)


def test_an_unwanted_value_that_makes_no_sense_is_refused_too(path):
    with open(path, "wb") as file:
        file.write(b"".join(checkpoint.message("x", (1,), "Float32", b"12345678")) + pieces())
    with pytest.raises(ValueError, match="8 bytes"):
        checkpoint.read(path, accepts=lambda tag: tag != "x")


def test_a_changed_byte_fails_the_checksum(path):
    checkpoint.write(path, VALUES, crc=True)
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[300] ^= 1
    os.chmod(path, 0o600)
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(ValueError, match="checksum"):
        checkpoint.read(path, crc=True)


def test_the_protobuf_package_reads_the_same(path):
    """A cross-check of the wire codec with protobuf's own, on a schema made by hand."""
    descriptors = pytest.importorskip("google.protobuf.descriptor_pb2")
    from google.protobuf import descriptor_pool, message_factory

    schema = descriptors.FileDescriptorProto(name="check.proto", syntax="proto2")
    kinds = descriptors.FieldDescriptorProto
    for message, parts in {
        "T": [("d", 3, 3), ("t", 1, 9), ("c", 1, 12)],
        "V": [("tag", 1, 9), ("tensor", 1, "T")],
        "C": [("v", 3, "V")],
    }.items():
        made = schema.message_type.add(name=message)
        for number, (name, label, kind) in enumerate(parts, 1):
            field = made.field.add(name=name, number=number, label=label)
            if isinstance(kind, str):
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".{kind}"
            else:
                field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(schema)
    whole = message_factory.GetMessageClass(pool.FindMessageTypeByName("C")).FromString(pieces())
    assert [v.tag for v in whole.v] == [tag for tag, _ in VALUES]
    for value, (_, array) in zip(whole.v, VALUES, strict=True):
        assert tuple(value.tensor.d) == array.shape and value.tensor.c == array.tobytes()
    assert whole.SerializeToString() == pieces()


LOADS = """
import sys, numpy, mindspore as ms
mode = sys.argv[2]
keys = dict(dec_key=sys.argv[3].encode(), dec_mode=mode) if mode != "plain" else {}
for name, value in ms.load_checkpoint(sys.argv[1], crc_check=True, **keys).items():
    array = None if isinstance(value, str) else value.asnumpy()
    print(name, value if array is None else (str(array.dtype), array.shape, array.tobytes().hex()))
"""


@pytest.mark.parametrize("mode", ["plain", *encryption.MAGIC])
def test_the_original_loads_our_files(path, oracle, mode):
    values = [value for value in APPENDED + VALUES[2:]]
    key = None if mode == "plain" else KEY
    checkpoint.write(path, values, key=key, mode=mode, crc=key is None)
    expected = [
        f"{t} {v if isinstance(v, str) else (v.dtype.name, v.shape, v.tobytes().hex())}"
        for t, v in values
    ]
    assert oracle(LOADS, path, mode, KEY.decode()).splitlines() == expected


def test_the_original_writes_long_values_alike(tmp_path, oracle):
    oracle(
        "import mindspore as ms, numpy as np\n"
        "x = ms.Tensor(np.arange(150_000_000, dtype=np.float32).reshape(3, -1))\n"
        "ms.save_checkpoint([{'name': 'x', 'data': x}], 'long.ckpt')"
    )
    ((_, found, _),) = checkpoint.read(tmp_path / "long.ckpt")
    assert numpy.array_equal(found, numpy.arange(150_000_000, dtype="f").reshape(3, -1))
    checkpoint.write(tmp_path / "ours.ckpt", [("x", found)])
    ours, theirs = (checkpoint.map_file(tmp_path / name) for name in ("ours.ckpt", "long.ckpt"))
    assert ours == theirs
