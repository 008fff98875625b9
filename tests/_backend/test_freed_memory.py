"""Memory freed by one operation is reused by the next without a page fault per page."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy
import mindspore_compat._backend.arrays

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
