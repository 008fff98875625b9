"""Tensors and their gradients written to .npy files: TensorDump, DumpGradient."""

import itertools
import pathlib

import numpy as np

from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..._core.rules.vocabulary import AsValue, OneOf, Str, checked
from ..._io.files import atomic_write
from .._rules import Anything
from ..primitive import Primitive

Side = OneOf("in", "out")
_numbers = itertools.count()


def _save(api, file, tensor):
    """Writes `<file>_<dtype>_<number>.npy`; an ending `.npy` of `file` is removed first."""
    if not file:
        raise ValueError(f"For '{api}', 'file' must not be empty.")
    array = tensor.asnumpy()
    name = str(tensor.dtype).lower()
    if name == "bfloat16":
        array = array.astype(np.float32)
    path = pathlib.Path(f"{file.removesuffix('.npy')}_{name}_{next(_numbers)}.npy")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, durable=False) as file:
        np.save(file, array)


@public("ops.tensordump")
@checked
def tensordump(file_name: Str, tensor: Anything, mode: Side = "out"):
    """Dumps a Tensor to the file `<file_name>_<dtype>_<number>.npy`.

    Numbers start from 0 and count the files that the process wrote. bfloat16 is written as float32.
    Missing folders are created. The file is complete when the call returns.

    Args:
        file_name (str): the path, with or without an ending of `.npy`.
        tensor (Tensor): the Tensor to write.
        mode (str): "out", or "in" for the input of the next operator. In MindSpore the two differ
            if a parallel graph redistributes data between operators. Default: "out".

    Raises:
        TypeError: if `file_name` or `mode` is not a str, or `tensor` not a Tensor.
        ValueError: if `file_name` is empty, or `mode` neither "in" nor "out".

    Example:
        >>> import glob, time
        >>> ms.ops.tensordump("weights", ms.Tensor([1.0, 2.0]))
        >>> while not glob.glob("weights*.npy"):
        ...     time.sleep(0.01)
        >>> print(np.load(glob.glob("weights*.npy")[0]))
        [1. 2.]

    Source: mindspore.ops.tensordump of MindSpore 2.10.
    """
    _save("tensordump", file_name, tensor)


@public("ops.TensorDump")
class TensorDump(Primitive):
    """The class form of `ops.tensordump`: `ops.TensorDump()(file, input_x)`.

    Args:
        input_output (str): "in" or "out", the `mode` of `ops.tensordump`.

    Raises:
        TypeError: if `file` is not a str or `input_x` not a Tensor.
        ValueError: if `file` is empty, or `input_output` neither "in" nor "out".

    Example:
        >>> import glob, time
        >>> ms.ops.TensorDump()("biases", ms.Tensor([3.0]))
        >>> while not glob.glob("biases*.npy"):
        ...     time.sleep(0.01)
        >>> print(np.load(glob.glob("biases*.npy")[0]))
        [3.]

    Source: mindspore.ops.TensorDump of MindSpore 2.10.
    """

    @checked
    def __init__(self, input_output: AsValue(Side) = "out"):
        super().__init__("TensorDump")
        self.input_output = input_output

    @checked
    def __call__(self, file: Str, input_x: Anything):
        _save(self.name, file, input_x)


@public("ops.DumpGradient")
class DumpGradient(Primitive):
    """Returns a Tensor unchanged, and dumps its gradient to a file in the backward pass.

    `ops.DumpGradient()(path, x, input_output)` returns `x`; the file of the gradient is named as by
    `ops.tensordump`.

    Raises:
        TypeError: if `path` or `input_output` is not a str, or `x` not a Tensor.
        ValueError: if `path` is empty, or `input_output` neither "in" nor "out".

    Example:
        >>> import glob, time
        >>> dump = ms.ops.DumpGradient()
        >>> print(ms.grad(lambda x: dump("flow", x, "out") * 3)(ms.Tensor(2.0)))
        3.0
        >>> while not glob.glob("flow*.npy"):
        ...     time.sleep(0.01)
        >>> print(np.load(glob.glob("flow*.npy")[0]))
        3.0

    Source: mindspore.ops.DumpGradient of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("DumpGradient")

    @checked
    def __call__(self, path: Str, x: Anything, input_output: Side):
        if not path:
            raise ValueError("For 'DumpGradient', 'path' must not be empty.")

        def pull(inputs, out, sens):
            _save("DumpGradient", path, sens)
            return (sens,)

        return custom.custom_gradient(lambda y: y, pull, (x,))
