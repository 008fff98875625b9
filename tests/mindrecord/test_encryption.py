"""Encrypted MindRecord files in the format of MindSpore 2.10; each side reads the other's files."""

import os

import pytest

from mindspore_compat import mindrecord
from mindspore_compat._io.mindrecord_encryption import settings
from mindspore_compat.dataset import MindDataset

pytest.importorskip("cryptography")
KEY = "0123456789012345"


@pytest.fixture(autouse=True)
def plain_again():
    yield
    mindrecord.set_enc_key(None)
    mindrecord.set_enc_mode()
    mindrecord.set_dec_mode(None)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "rows.mindrecord")


def write(path, count=3):
    writer = mindrecord.FileWriter(path, overwrite=True)
    writer.set_header_size(16 << 10)
    writer.set_page_size(32 << 10)
    writer.add_schema({"a": {"type": "int32"}, "b": {"type": "bytes"}})
    writer.add_index(["a"])
    writer.write_raw_data([{"a": number, "b": bytes([number]) * 50} for number in range(count)])
    writer.commit()


def numbers(path):
    rows = MindDataset(path, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
    return [(int(row["a"]), row["b"].tobytes()) for row in rows]


def wanted(count=3):
    return [(number, bytes([number]) * 50) for number in range(count)]


def content(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize("length", [16, 24, 32])
def test_a_file_and_its_index_are_encrypted_and_read_again(path, length):
    mindrecord.set_enc_key("k" * length)
    write(path)
    for each in (path, f"{path}.db"):
        stored = content(each)
        block = int.from_bytes(stored[:4], "big")
        assert stored[4 + block :] == b"\0\0\0\0AES-GCMENCRYPT"
        assert stored[4:8] == bytes.fromhex("d85e3a7f")
        assert b"SQLite" not in stored and b"shard_addresses" not in stored
    assert numbers(path) == wanted()
    assert mindrecord.FileReader(path).len() == 3
    assert mindrecord.MindPage(path).candidate_fields == ["a"]


def test_rows_are_appended_to_an_encrypted_file(path):
    mindrecord.set_enc_key(KEY)
    write(path)
    assert len(numbers(path)) == 3
    writer = mindrecord.FileWriter.open_for_append(path)
    writer.write_raw_data([{"a": 3, "b": bytes([3]) * 50}])
    writer.commit()
    assert content(path).endswith(b"AES-GCMENCRYPT")
    assert numbers(path) == wanted(4)


def test_an_overwritten_file_is_decrypted_anew(path):
    mindrecord.set_enc_key(KEY)
    write(path)
    assert numbers(path) == wanted()
    write(path, 2)
    assert numbers(path) == wanted(2)


def test_a_key_that_does_not_fit_is_refused(path):
    mindrecord.set_enc_key(KEY)
    write(path)
    mindrecord.set_enc_key("9" * 16)
    with pytest.raises(RuntimeError, match="key does not fit"):
        numbers(path)
    mindrecord.set_enc_key(None)
    for read in (numbers, mindrecord.FileReader, mindrecord.MindPage):
        with pytest.raises(RuntimeError, match="is encrypted"):
            read(path)
    with pytest.raises(RuntimeError, match="is encrypted"):
        mindrecord.FileWriter.open_for_append(path)
    write(path)
    mindrecord.set_enc_key(KEY)
    with pytest.raises(RuntimeError, match="is not encrypted"):
        numbers(path)


def test_a_damaged_file_is_refused(path):
    mindrecord.set_enc_key(KEY)
    write(path)
    stored = bytearray(content(path))
    stored[200] ^= 1
    with open(path, "wb") as file:
        file.write(stored)
    with pytest.raises(RuntimeError, match="cannot be decrypted"):
        numbers(path)


def flip(source, size, target, key):
    """Writes the number of bytes, then all bytes inverted."""
    assert key == KEY
    target.write(size.to_bytes(8, "big") + bytes(255 - byte for byte in source.read(size)))


def flip_back(source, size, target, key):
    length = int.from_bytes(source.read(8), "big")
    assert size == 8 + length + 4 + len("UDF-ENC")
    target.write(bytes(255 - byte for byte in source.read(length)))


def test_functions_encrypt_and_decrypt(path):
    mindrecord.set_enc_key(KEY)
    mindrecord.set_enc_mode(flip)
    write(path)
    assert content(path).endswith(b"\0\0\0\0UDF-ENCENCRYPT")
    for mode in (None, "AES-GCM"):
        mindrecord.set_dec_mode(mode)
        with pytest.raises(RuntimeError):
            numbers(path)
    mindrecord.set_dec_mode(flip_back)
    assert numbers(path) == wanted()


def test_plain_copies_are_private_and_apart(path):
    mindrecord.set_enc_key(KEY)
    write(path)
    numbers(path)
    (copy,) = [plain for name, plain in settings.copies.items() if name[0] == path]
    assert os.listdir(os.path.dirname(path)) in (
        ["rows.mindrecord", "rows.mindrecord.db"],
        ["rows.mindrecord.db", "rows.mindrecord"],
    )
    assert content(copy)[8:9] == b"{"
    if os.name == "posix":
        assert os.stat(os.path.dirname(copy)).st_mode & 0o077 == 0


def test_several_files_cannot_be_encrypted(path):
    mindrecord.set_enc_key(KEY)
    with pytest.raises(RuntimeError, match="'shard_num'"):
        mindrecord.FileWriter(path, 2)


@pytest.mark.parametrize("key", ["short", "", 1, b"0" * 16])
def test_wrong_keys_are_refused(key):
    with pytest.raises(ValueError, match="'enc_key'"):
        mindrecord.set_enc_key(key)
    assert settings.key is None


@pytest.mark.parametrize("mode", ["AES-CBC", "SM4-CBC", 1])
def test_wrong_modes_are_refused(mode):
    with pytest.raises(ValueError, match="'enc_mode'"):
        mindrecord.set_enc_mode(mode)
    with pytest.raises(ValueError, match="'dec_mode'"):
        mindrecord.set_dec_mode(mode)
    with pytest.raises(ValueError, match="'enc_mode'"):
        mindrecord.set_enc_mode(None)
