"""The limits that numbers given to `mindspore.dataset` have."""

from .._rules import INT32_MAX, INT64_MAX
from ..engine.config import UINT32_MAX

__all__ = ["FLOAT_MAX_INTEGER", "FLOAT_MIN_INTEGER", "INT32_MAX", "INT32_MIN", "INT64_MAX",
           "INT64_MIN", "UINT32_MAX", "UINT64_MAX", "UINT8_MAX"]

INT32_MIN = -INT32_MAX - 1
INT64_MIN = -INT64_MAX - 1
UINT8_MAX = 255
UINT64_MAX = 2**64 - 1
FLOAT_MAX_INTEGER = 2**24       # up to here every whole number is a float32
FLOAT_MIN_INTEGER = -FLOAT_MAX_INTEGER
