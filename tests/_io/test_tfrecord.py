"""TFRecord files: checksums, framing, Examples."""

import gzip
import random
import zlib

import numpy as np
import pytest

from mindspore_compat._io import tfrecord
from mindspore_compat._io.crc import crc32c, masked_crc
from mindspore_compat._io.protobuf import varint

FEATURES = {
    "name": [b"a", b"\0b"],
    "score": np.array([0.5, -2], np.float32),
    "ids": np.array([0, -1, 300, 2**62], np.int64),
    "none": [],
}


def bitwise(data):
    """CRC-32C by its definition, one bit after the other."""
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    "data, sum_",
    [
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (b"123456789", 0xE3069283),
        (b"", 0),
    ],
)
def test_check_sums_are_those_of_the_standard(data, sum_):
    assert crc32c(data) == sum_


@pytest.mark.parametrize("length", [1, 511, 512, 513, 1023, 4096, 5003])
def test_check_sums_in_lanes_agree_with_the_definition(length):
    data = random.Random(length).randbytes(length)
    assert crc32c(data) == bitwise(data)


def test_mask_turns_and_adds():
    assert (
        masked_crc(b"123456789")
        == ((0xE3069283 >> 15 | 0xE3069283 << 17 & 0xFFFFFFFF) + 0xA282EAD8) % 2**32
    )


def test_example_comes_back():
    found = tfrecord.parse_example(tfrecord.example(FEATURES))
    assert found["name"] == [b"a", b"\0b"] and found["none"] == []
    np.testing.assert_array_equal(found["score"], FEATURES["score"])
    np.testing.assert_array_equal(found["ids"], FEATURES["ids"])


def test_varints_are_those_of_protobuf():
    numbers = [0, 1, 127, 128, -1, 2**63 - 1, -(2**63), 16384]
    assert tfrecord.varints(b"".join(map(varint, numbers))).tolist() == numbers


@pytest.mark.parametrize("data", [b"\x80", b"\x80" * 10 + b"\1"])
def test_broken_varints_are_refused(data):
    with pytest.raises(ValueError, match="number"):
        tfrecord.varints(data)


@pytest.mark.parametrize(
    "compression, pack", [("", bytes), ("GZIP", gzip.compress), ("ZLIB", zlib.compress)]
)
def test_records_come_back(tmp_path, compression, pack):
    texts = [b"", b"one", bytes(100000)]
    path = str(tmp_path / "some.tfrecord")
    (tmp_path / "some.tfrecord").write_bytes(pack(b"".join(map(tfrecord.frame, texts))))
    assert list(tfrecord.records(path, compression)) == texts
    assert tfrecord.count_records(path, compression) == 3


def broken():
    whole = tfrecord.frame(b"first") + tfrecord.frame(b"second")
    flipped = bytearray(whole)
    flipped[-5] ^= 1
    long = bytearray(whole)
    long[0] ^= 1
    return {
        "text": b"no record at all",
        "cut": whole[:-1],
        "head": whole[:-25],
        "flipped": bytes(flipped),
        "length": bytes(long),
    }


@pytest.mark.parametrize("kind", broken())
def test_a_damaged_file_is_refused_by_name(tmp_path, kind):
    (tmp_path / "bad.tfrecord").write_bytes(broken()[kind])
    with pytest.raises(ValueError, match=r"bad\.tfrecord.*record \d"):
        list(tfrecord.records(str(tmp_path / "bad.tfrecord")))


def test_compressed_files_are_not_taken_for_plain_ones(tmp_path):
    (tmp_path / "packed").write_bytes(gzip.compress(tfrecord.frame(b"data")))
    for compression in ("", "ZLIB"):
        with pytest.raises(ValueError, match="packed"):
            list(tfrecord.records(str(tmp_path / "packed"), compression))
