"""`ops.Custom`: user-defined operators, in Python or precompiled.

Descriptions of such operators (`ops.CustomRegOp`) are in _custom/register.py.
"""

from ..._backend import native
from ..._backend.arrays import current_space, to_space
from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..._core.gradients.transforms import map_tensors
from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ..primitive import PrimitiveWithInfer

_FuncName = InstanceOf(str)
_RegInfo = InstanceOf(str, dict, list, tuple)


@public("ops.Custom")
class Custom(PrimitiveWithInfer):
    """A user-defined operator, given as a Python function or as a function in a shared library.

    Args:
        func (Union[Callable, str]): for "pyfunc" a function from NumPy arrays to NumPy arrays; for
            "aot" `"path:name"` of a function in a shared library, `int name(int count, void **data,
            int *ranks, int64_t **shapes, const char **dtypes, void *stream, void *extra)`. It
            receives inputs and outputs together and returns 0 on success.
        out_shape (Union[Callable, list, tuple, None]): the shape of the output, a tuple of shapes
            for several outputs, or a function of the shapes of the inputs; required for "aot".
        out_dtype (Union[Callable, mindspore.dtype, tuple, None]): the dtype of the output, given
            likewise; required for "aot". For "pyfunc", None keeps the dtype that the function
            returns.
        func_type (str): "pyfunc", "aot", or "hybrid" for a function decorated by `ops.kernel`,
            which runs as Python. Default: "pyfunc".
        bprop (Callable): `(*inputs, out, dout)` to one gradient per input. Without it, the operator
            has no gradient.
        reg_info (Union[str, dict, list, tuple, None]): a description for kernel libraries, stored.

    Inputs:
        Tensors, and for "aot" numbers too, which are converted to 0-D Tensors.

    Raises:
        TypeError: if `func` or `reg_info` is of another type than described, or `func` is a str of
            another form.
        ValueError: if `func_type` is not one of these, or shape and dtype are missing for "aot".
        RuntimeError: if a library, or a function in it, is not found; if the function returns
            anything but 0; or if a gradient is requested and there is no `bprop`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Custom(lambda x: x + 1, out_shape=lambda x: x,
        ...                     out_dtype=lambda x: x)(ms.Tensor([1.0, 2.0])))
        [2. 3.]

    Source: mindspore.ops.Custom of MindSpore 2.10.
    """

    def __init__(
        self, func, out_shape=None, out_dtype=None, func_type="pyfunc", bprop=None, reg_info=None
    ):
        super().__init__("Custom")
        if func_type not in ("pyfunc", "aot", "hybrid"):
            raise ValueError(
                f"For 'Custom', 'func_type' must be 'pyfunc', 'aot' or 'hybrid', but got "
                f"{func_type!r}."
            )
        if reg_info is not None:
            _RegInfo.refuse("Custom", "reg_info", reg_info)
        self.func, self.out_shape, self.out_dtype = func, out_shape, out_dtype
        self.func_type, self.bprop, self.reg_info = func_type, bprop, reg_info
        if func_type == "aot":
            _FuncName.refuse("Custom", "func", func)
            if not (_is_function(out_shape) and _is_function(out_dtype)):
                self._check_library()
        elif not callable(func):
            raise TypeError(f"For 'Custom', 'func' must be callable, but got {func!r}.")
        elif func_type == "hybrid" and not hasattr(func, "ms_kernel_flag"):
            raise TypeError(
                f"For 'Custom', 'func' must be decorated by 'kernel' where 'func_type' is "
                f"'hybrid', but got {func!r}."
            )

    def _check_library(self):
        path, colon, name = self.func.rpartition(":")
        if not (path and colon and name):
            raise TypeError(
                f"For 'Custom', 'func' must be a str of the form 'path:name' where 'func_type' is "
                f"'aot', but got {self.func!r}."
            )
        if self.out_shape is None or self.out_dtype is None:
            raise ValueError(
                "For 'Custom', 'out_shape' and 'out_dtype' must be given where 'func_type' is "
                "'aot'."
            )

    def get_bprop(self):
        """Returns the function that computes the gradients, or None."""
        return self.bprop

    def __call__(self, *inputs):
        run = self._run_compiled if self.func_type == "aot" else self._in_python
        return custom.custom_gradient(run, self._pull, inputs)

    def _pull(self, inputs, out, sens):
        if self.bprop is None:
            raise RuntimeError("For 'Custom', a gradient needs 'bprop', but there is none.")
        return self.bprop(*inputs, out, sens)

    def _in_python(self, *inputs):
        out = self.func(*map_tensors(lambda t: t.asnumpy(), inputs))
        several = isinstance(out, (tuple, list))
        kinds = self._infer(self.out_dtype, "dtype", inputs)
        if not isinstance(kinds, (tuple, list)):
            kinds = [kinds] * (len(out) if several else 1)
        result = [Tensor(array, kind) for array, kind in zip(out if several else [out], kinds)]
        return tuple(result) if several else result[0]

    def _run_compiled(self, *inputs):
        self._check_library()  # with functions for shape and dtype, it may name an Ascend kernel
        path, _, name = self.func.rpartition(":")
        try:
            function = native.load(path, name)
        except RuntimeError as error:
            raise RuntimeError(f"For 'Custom', {error}") from error
        xp = current_space()
        tensors = [tensor if isinstance(tensor, Tensor) else Tensor(tensor) for tensor in inputs]
        arrays = [_pack(to_space(xp, tensor._array)) for tensor in tensors]
        shapes, kinds = (
            self._infer(getattr(self, f"out_{what}"), what, inputs) for what in ("shape", "dtype")
        )
        several = isinstance(kinds, (tuple, list))
        outs = [
            xp.empty(tuple(shape), dtypes.to_numpy(kind))
            for shape, kind in (zip(shapes, kinds) if several else [(shapes, kinds)])
        ]
        code = native.call(function, xp, [*arrays, *outs])
        if code != 0:
            raise RuntimeError(
                f"For 'Custom', the function {name!r} of {path!r} must return 0, but got {code}."
            )
        result = tuple(map(Tensor._wrap, outs))
        return result if several else result[0]

    def _infer(self, setting, what, inputs):
        """Returns the shapes or dtypes of the outputs; `setting` is the answer itself or a
        function of the shapes or dtypes of the inputs."""
        if _is_function(setting):
            return setting(
                *(
                    getattr(input, what, type(input) if what == "dtype" else input)
                    for input in inputs
                )
            )
        return setting


def _pack(array):
    """Returns the array itself if it is contiguous, else a contiguous copy."""
    return array if array.flags.c_contiguous else array.copy()


def _is_function(setting):
    return callable(setting) and not isinstance(setting, dtypes.Type)
