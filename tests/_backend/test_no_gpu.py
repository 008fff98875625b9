"""Without a usable GPU, the errors and the warning say what failed.

Each test runs a fresh interpreter with a module in CuPy's place.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host
ROOT = Path(__file__).parents[2]
NO_DEVICE = """
from types import SimpleNamespace
def fail():
    raise OSError("libcuda.so.1: cannot open shared object file")
cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount={count}))
"""
BROKEN = {
    "cannot be imported": ("raise ImportError('libcudart.so.13')", "ImportError: libcudart.so.13."),
    "lacks a dependency": ("import no_such_part", "No module named 'no_such_part'."),
    "is not installed": (
        "raise ModuleNotFoundError('no cupy', name='cupy')",
        "No GPU computes: CuPy is not installed.",
    ),
    "finds no driver": (
        NO_DEVICE.format(count="fail"),
        "No GPU computes: OSError: libcuda.so.1: cannot open shared object file.",
    ),
    "counts no device": (NO_DEVICE.format(count="lambda: 0"), "CUDA counts no device."),
}


@pytest.mark.parametrize(
    "asking, kind",
    [
        ("arrays.set_target('GPU')", "RuntimeError"),
        ("device.count()", "ValueError"),
        ("ms.set_context(device_target='GPU')", "WARNING"),
    ],
)
@pytest.mark.parametrize("name", BROKEN)
def test_what_failed_is_said(tmp_path, name, asking, kind):
    text, reason = BROKEN[name]
    (tmp_path / "cupy.py").write_text(text)
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import mindspore_compat as ms\n"
            "from mindspore_compat._backend import arrays, device\n" + asking,
        ],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert reason in result.stderr and kind in result.stderr
    assert (result.returncode == 0) == (kind == "WARNING")
