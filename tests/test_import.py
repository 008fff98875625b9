"""`import mindspore_compat` loads no GPU library, and nothing heavy before first use."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.quick

HEAVY = {
    "cupy",
    "cupyx",
    "mpi4py",
    "PIL",
    "cv2",
    "matplotlib",
    "pandas",
    "sklearn",
    "safetensors",
    "cryptography",
    "torch",
    "mindspore",
    "pytest",
    "setuptools",
    "sqlite3",
    "multiprocessing",
    "yaml",
    "scipy.stats",
    "scipy.optimize",
    "scipy.signal",
}


def modules_after(statement):
    """The names in `sys.modules` after a statement, in a fresh interpreter."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def bare():
    """The modules that every interpreter loads here, including those of a debugger or a coverage
    tool."""
    return modules_after("import numpy")


@pytest.mark.parametrize(
    "statement",
    [
        "import mindspore_compat",
        "from mindspore_compat import Tensor, nn, ops, Parameter",
        "from mindspore_compat import standin\nstandin.install()\nimport mindspore as ms",
    ],
    ids=["package", "names", "standin"],
)
def test_import_loads_nothing_heavy(statement, bare):
    heavy = HEAVY - {"mindspore"} if "standin" in statement else HEAVY
    assert not heavy & (modules_after(statement) - bare)


def test_datasets_load_neither_scipy_nor_gradients(bare):
    found = modules_after("import mindspore_compat.dataset") - bare
    assert not found & {
        "scipy",
        "scipy.io",
        "mindspore_compat.common",
        "mindspore_compat.nn",
        "mindspore_compat.ops",
        "mindspore_compat._core.gradients.transforms",
    }


def test_the_first_tensor_may_be_one_of_a_shape_alone():
    code = """
from mindspore_compat.common.initializer import Constant, initializer
print(initializer(Constant(3), [2]).init_data())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[3. 3.]\n", "")


def test_versions_are_plain_strings():
    import mindspore_compat

    assert type(mindspore_compat.__version__) is str
    assert type(mindspore_compat.__compat_version__) is str
    assert mindspore_compat.__version__ == "2.10.0"


def test_names_of_dlpack_need_nothing_loaded_before():
    loaded = modules_after("from mindspore_compat.utils.dlpack import from_dlpack, to_dlpack")
    assert "mindspore_compat.ops" in loaded
