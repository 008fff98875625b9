"""What argument texts may call."""

from conformance.arguments.sources import record_files
from conformance.arguments.values import Values


def test_refusal_names_an_exception():
    build = Values().build
    assert build("sample.refusal(lambda: 1 // 0)") == "ZeroDivisionError"
    assert build("sample.refusal(lambda: 1)") is None


def test_checksums_of_records():
    """The check value of CRC-32C is 0xE3069283; the format rotates it and adds a constant."""
    crc = 0xE3069283
    stored = ((crc >> 15 | crc << 17) & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF
    assert record_files._checksum(b"123456789") == stored.to_bytes(4, "little")
