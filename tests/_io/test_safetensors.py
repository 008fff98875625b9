"""Safetensors files as MindSpore writes them, including the checksum."""

import hashlib
import io
import json
import os
import random
import sys

import ml_dtypes
import numpy
import pytest

from mindspore_compat._io import safetensors

pytest.importorskip("safetensors")
GRID = numpy.arange(6).reshape(2, 3)
WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
VALUES = [(f"w.{name}", GRID.astype(name)) for name in [*WHOLE, "float16", "float32"]] + [
    ("w.bf16", GRID.astype(ml_dtypes.bfloat16))
]
# SHA-256 of the file that MindSpore 2.10.0 wrote of these values.
DIGEST = "4186af4111922b478860504a6a042bc2530e6803bed65f7780fc4d9a84dcac4a"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "net.safetensors")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def test_the_bytes_are_those_of_the_original(path):
    assert safetensors.write(path.removesuffix(".safetensors"), VALUES) == path
    assert hashlib.sha256(content(path)).hexdigest() == DIGEST


def test_the_bytes_are_those_of_the_package(path):
    library = pytest.importorskip("safetensors.numpy")
    names = ["a", "B", "", " ", "\x01\n\x7f", 'q"\\/', "\u00e9", "\u65e5\u672c", "\U0001f600"]
    draw = random.Random(0)
    for _ in range(30):
        arrays = {
            name: GRID[: draw.randint(0, 2)].astype(draw.choice(list(safetensors.CODES.values())))
            for name in draw.sample(names, draw.randint(0, len(names)))
        }
        about = {"format": draw.choice(names)}
        found = b"".join(bytes(piece) for piece in safetensors.pieces(arrays, about))
        assert found == library.save(arrays, about)


@pytest.mark.parametrize(
    "values, crc",
    [
        ([("epoch", numpy.array(3))] + [(f"w.{t}", GRID.astype(t)) for t in WHOLE[:3]], 2624064191),
        ([("x", GRID.astype("f"))], 2767598916),
        ([("x", GRID.astype("b")), ("y", GRID.astype("f"))], 341561288),
        ([("b", numpy.ones(2, "f")), ("a", numpy.array(3, "f"))], 1244278284),
    ],
)
def test_the_checksum_is_that_of_the_original(path, values, crc):
    safetensors.write(path, values, crc=True)
    found, about = safetensors.read(path, crc=True)
    assert about == {"format": "ms", "crc_num": str(crc)}
    assert [tag for tag, _, _ in found] == sorted(tag for tag, _ in values)


@pytest.mark.parametrize("memory", [False, True])
def test_values_come_back(path, memory):
    values = [
        *VALUES,
        ("s", numpy.array(2.5, "d")),
        ("none", numpy.zeros((0, 3), "f")),
        ("t", GRID.astype("f").T),
        ("flag", GRID > 2),
        ("c", GRID.astype("F")),
    ]
    safetensors.write(path, values, metadata={"remove_redundancy": "True"})
    source = io.BytesIO(content(path)) if memory else path
    found, about = safetensors.read(source, accepts=lambda tag: tag != "flag")
    assert about == {"format": "ms", "remove_redundancy": "True"}
    expected = dict(values)
    assert [tag for tag, _, _ in found] == sorted(set(expected) - {"flag"})
    for tag, array, name in found:
        assert array.dtype == expected[tag].dtype and array.shape == expected[tag].shape
        assert numpy.array_equal(array, expected[tag]) and array.flags.writeable
        assert name.lower() == array.dtype.name


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(
    "damage", [lambda c: b"", lambda c: b"xx" * 20, lambda c: c[:-3], lambda c: c[:40]]
)
def test_damaged_files_are_refused(path, damage, memory):
    safetensors.write(path, VALUES)
    broken = damage(content(path))
    os.chmod(path, 0o600)
    with open(path, "wb") as file:
        file.write(broken)
    with pytest.raises(ValueError, match="BytesIO" if memory else "net.safetensors"):
        safetensors.read(io.BytesIO(broken) if memory else path)


def test_a_changed_byte_fails_the_checksum(path):
    safetensors.write(path, VALUES, crc=True)
    broken = bytearray(content(path))
    broken[-1] ^= 1
    with pytest.raises(ValueError, match="checksum"):
        safetensors.read(io.BytesIO(broken), crc=True)
    assert len(safetensors.read(io.BytesIO(broken))[0]) == len(VALUES)


def test_types_of_other_programs_are_refused_by_name(path):
    head = json.dumps({"x": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}).encode()
    source = io.BytesIO(len(head).to_bytes(8, "little") + head + b"\0")
    with pytest.raises(ValueError, match="F8_E4M3"):
        safetensors.read(source)


def test_texts_cannot_be_stored(path):
    with pytest.raises(TypeError, match="note"):
        safetensors.write(path, [*VALUES, ("note", "text")])
    assert not os.path.exists(path)


def test_without_the_package(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ImportError, match=r"mindspore-compat\[safetensors\]"):
        safetensors.write(path, VALUES)


def test_the_original_loads_our_files(path, oracle):
    values = [*VALUES[:-1], ("epoch", numpy.array(3))]  # its checksum does not take bfloat16
    safetensors.write(path, values, crc=True)
    printed = oracle(
        "import sys, mindspore as ms\n"
        "for n, p in ms.load_checkpoint(sys.argv[1], format='safetensors', "
        "crc_check=True).items():\n"
        "    print(n, p.asnumpy().dtype, p.asnumpy().tobytes().hex())",
        path,
    )
    arrays = dict(values)
    assert printed.splitlines() == [
        f"{tag} {arrays[tag].dtype.name} {arrays[tag].tobytes().hex()}" for tag in sorted(arrays)
    ]
