"""ops.Custom: user-defined operators, in Python and in a library compiled here."""

import shutil
import subprocess

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

SOURCE = r"""
#include <stdint.h>
#include <string.h>

int add(int count, void **data, int *ranks, int64_t **shapes, const char **dtypes, void *stream,
        void *extra) {
    if (count != 3 || strcmp(dtypes[0], "float32") || strcmp(dtypes[2], "float64")) return 1;
    int64_t size = 1;
    for (int i = 0; i < ranks[2]; i++) size *= shapes[2][i];
    for (int64_t i = 0; i < size; i++)
        ((double *)data[2])[i] = ((float *)data[0])[i] + 10.0 * ((float *)data[1])[i];
    return extra != 0;
}

int split(int count, void **data, int *ranks, int64_t **shapes, const char **dtypes, void *stream,
          void *extra) {
    if (count != 4 || ranks[1] != 0 || strcmp(dtypes[1], "int64")) return 2;
    for (int64_t i = 0; i < shapes[0][0]; i++) {
        ((int32_t *)data[2])[i] = ((int32_t *)data[0])[i] / *(int64_t *)data[1];
        ((int32_t *)data[3])[i] = ((int32_t *)data[0])[i] % *(int64_t *)data[1];
    }
    return 0;
}

int fails(int count, void **data, int *ranks, int64_t **shapes, const char **dtypes, void *stream,
          void *extra) { return 7; }
int classy(int count, void **data) { return 0; }
int classyInit(void *extra) { return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    folder = tmp_path_factory.mktemp("library")
    (folder / "f.c").write_text(SOURCE)
    built = [compiler, "-shared", "-fPIC", "-o", str(folder / "f.so"), str(folder / "f.c")]
    subprocess.run(built, check=True)
    return str(folder / "f.so")


def floats(*values):
    return Tensor(np.array(values, np.float32))


def test_a_function_of_a_library(library, space):
    made = ops.Custom(f"{library}:add", lambda x, y: x, lambda x, y: ms.float64, "aot")
    x = floats([1, 2], [3, 4])
    out = made(x.T, floats([1, 0], [0, 1]))
    assert out.dtype == ms.float64
    np.testing.assert_array_equal(out.asnumpy(), [[11, 3], [2, 14]])
    assert type(out._array) is space.module.ndarray


def test_fixed_shapes_several_outputs_and_numbers(library):
    made = ops.Custom(f"{library}:split", ([3], [3]), (ms.int32, ms.int32), "aot")
    quotient, rest = made(Tensor(np.array([7, 8, 9], np.int32)), 4)
    np.testing.assert_array_equal(quotient.asnumpy(), [1, 2, 2])
    np.testing.assert_array_equal(rest.asnumpy(), [3, 0, 1])


def test_gradients_of_the_users_own(library):
    def bprop(x, y, out, dout):
        return dout.astype(ms.float32), 10 * dout.astype(ms.float32) + 0 * x

    made = ops.Custom(f"{library}:add", (2,), ms.float64, "aot", bprop)
    assert made.get_bprop() is bprop
    gradients = ms.grad(lambda x, y: made(x, y).sum(), (0, 1))(floats(1, 2), floats(3, 4))
    assert [s.asnumpy().tolist() for s in gradients] == [[1, 1], [10, 10]]


def test_a_function_of_python():
    made = ops.Custom(lambda x, y: (x + y, x * y), lambda x, y: (x, x), lambda x, y: (x, ms.int32))
    total, product = made(floats(1, 2), floats(3, 4))
    np.testing.assert_array_equal(total.asnumpy(), [4, 6])
    assert (total.dtype, product.dtype) == (ms.float32, ms.int32)
    assert made.get_bprop() is None
    np.testing.assert_array_equal(ops.Custom(np.flip)(floats(1, 2)).asnumpy(), [2, 1])


def test_without_bprop_there_is_no_gradient():
    made = ops.Custom(lambda x: x, lambda x: x, lambda x: x)
    with pytest.raises(RuntimeError, match="bprop"):
        ms.grad(lambda x: made(x).sum())(floats(1))
    unused = ms.grad(lambda x: (x * 2).sum() + 0 * len(made(x)))(floats(1))
    np.testing.assert_array_equal(unused.asnumpy(), [2])


@pytest.mark.parametrize("name, text", [("fails", "7"), ("nope", "nope"), ("classy", "Init")])
def test_failures_of_a_library(library, name, text):
    with pytest.raises(RuntimeError, match=text):
        ops.Custom(f"{library}:{name}", (1,), ms.float32, "aot")(floats(1))


@pytest.mark.parametrize(
    "error, arguments",
    [
        (ValueError, (abs, None, None, "tbe")),
        (TypeError, ("f.so:add", (1,), ms.float32, "pyfunc")),
        (TypeError, ("f.so", (1,), ms.float32, "aot")),
        (TypeError, (abs, (1,), ms.float32, "aot")),
        (ValueError, ("f.so:add", None, ms.float32, "aot")),
        (ValueError, ("f.so:add", (1,), None, "aot")),
        (TypeError, (abs, None, None, "pyfunc", None, 3)),
    ],
)
def test_refusals(error, arguments):
    with pytest.raises(error):
        ops.Custom(*arguments)


def test_a_file_that_is_not_there():
    with pytest.raises(RuntimeError, match="nowhere"):
        ops.Custom("/nowhere/f.so:add", (1,), ms.float32, "aot")(floats(1))


def test_an_ascend_kernel_may_be_named_but_not_run():
    made = ops.Custom("aclnnCast", lambda x: x, lambda x: x, "aot")
    with pytest.raises(TypeError, match="'path:name'"):
        made(floats(1))
