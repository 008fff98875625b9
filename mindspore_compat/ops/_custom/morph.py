"""Morph: a user's function as a Primitive of graph mode."""

from ..._core.context.config import GRAPH_MODE, config
from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..primitive import Primitive


@public("ops.Morph")
class Morph(Primitive):
    """Wraps a user's function as a Primitive of graph mode, which returns the result of `fn`.

    Gradients are taken through `fn`, or computed by `bprop_fn` if that is given.

    Args:
        fn (Function): the function to run.
        infer_shape (Function): the shapes of the outputs, given those of the inputs; for a
            compiler.
        infer_dtype (Function): the dtypes of the outputs, given those of the inputs; for a
            compiler.
        bprop_fn (Function): `(*inputs, out, dout)` to one gradient per input.

    Raises:
        RuntimeError: if it is called outside GRAPH_MODE.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import Tensor, ops
        >>> thrice = ops.Morph(lambda x: 3 * x, lambda shape: shape, lambda dtype: dtype)
        >>> ms.set_context(mode=ms.GRAPH_MODE)
        >>> print(thrice(Tensor([1.0, 2.0])))
        [3. 6.]
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)

    Source: mindspore.ops.Morph of MindSpore 2.10.
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__("Morph")
        self.fn, self.infer_shape, self.infer_dtype = fn, infer_shape, infer_dtype
        self.bprop_fn = bprop_fn

    def __call__(self, *args):
        if config.mode != GRAPH_MODE:
            raise RuntimeError("For 'Morph', the mode must be GRAPH_MODE, but got PYNATIVE_MODE.")
        if self.bprop_fn is None:
            return self.fn(*args)
        return custom.custom_gradient(
            self.fn, lambda inputs, out, sens: self.bprop_fn(*inputs, out, sens), args
        )
