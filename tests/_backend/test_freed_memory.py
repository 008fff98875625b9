"""After the first operation, memory that one operation frees is reused by the next without a page
fault per page, and NumPy does not warn within the package."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy
from mindspore_compat import Tensor, ops

ops.exp(Tensor([1.0]))

def held():
    return [numpy.ones(1 << 18, "float32") for _ in range(8)]

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

held()
before = faults()
for _ in range(50):
    held()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_freed_memory_is_used_again():
    output = subprocess.check_output([sys.executable, "-c", PROGRAM], text=True)
    assert int(output) < 50 * 256  # of 50 * 8 * 256 pages written


WARNINGS = """
import warnings
from mindspore_compat import Tensor, ops

assert "mindspore_compat" not in str(warnings.filters)  # nothing runs at import
with warnings.catch_warnings():
    ops.div(Tensor([1.0]), Tensor([0.0]))
ops.log(Tensor([0.0]))  # the next operation sets the filter that has gone with the block
"""


def test_divisions_by_zero_are_silent():
    done = subprocess.run(
        [sys.executable, "-c", WARNINGS], check=True, text=True, capture_output=True
    )
    assert done.stderr == ""
