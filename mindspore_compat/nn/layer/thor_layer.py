"""Layers that also collect the statistics for THOR: second moments of their inputs and of the
gradients at their outputs.

Each layer computes what the plain layer does. In the backward pass, while its flag `thor` is set,
it also writes `matrix_a`, the moments of its inputs, and `matrix_g`, the moments of the gradients
at its outputs. `optim/thor.py` uses them.
"""

import numpy as np

from ..._backend.arrays import space_of
from ..._backend.steps.journal import journal
from ..._core.autograd.traced import TracedSpace
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Int,
    LayerDType,
    OneOf,
    TensorOf,
    any_dtype,
    checked,
)
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ...ops._conv.sizes import need_rank, padding_of
from .._parts import need_tensor
from .basic import Dense, _product
from .conv import Conv2d
from .embedding import Embedding, EmbeddingLookup

__all__ = ["DenseThor", "Conv2dThor", "EmbeddingThor", "EmbeddingLookupThor"]

CHUNK = 1 << 23  # number of elements of a convolution's input patches that are processed at a time


@op(compute="native")
def watched(xp, out: TensorOf(any_dtype), x: TensorOf(any_dtype), layer: Any):
    """Returns `out` unchanged. In the backward pass it passes the layer's input and gradient to the
    layer."""
    return out


def _watch_vjp(xp, g, x, layer):
    if not isinstance(xp, TracedSpace):  # ignores gradients of gradients
        layer.gather(xp, x, g)
    return g


watched.vjp(out=_watch_vjp)


def _moments(xp, rows, count=None):
    """Computes rowsᵀ rows / count, in float32; `count` is the number of rows by default."""
    rows = xp.cast(rows, "float32")
    return xp.matmul(rows.T, rows) / (count or rows.shape[0])


class _SecondOrder:
    """Mixin of the THOR layers: the flag and the matrices."""

    thor = True
    _gradient_ranks = (2,)  # the numbers of axes that `save_gradient` takes
    # Suffixes of the names of a converted layer's matrices.
    _name_endings = {"matrix_a": "", "matrix_g": ""}

    def _make_matrices(self, size_a, size_g, *, identity):
        """Creates `matrix_a` and `matrix_g`; a size given as a tuple creates a vector."""
        start = np.eye if identity else (lambda size: np.zeros((size, size)))
        self._make_matrix("matrix_a", np.zeros(size_a) if type(size_a) is tuple else start(size_a))
        self._make_matrix("matrix_g", start(size_g))

    def _make_matrix(self, name, values):
        values = Tensor(values.astype(np.float32))
        setattr(self, name, Parameter(values, name=name, requires_grad=False))

    def _keep(self, a, g):
        """Stores the matrices of this step."""
        journal.note_replaced((self.matrix_a, self.matrix_g))
        self.matrix_a._array = a
        self.matrix_g._array = g

    def _rows(self, g):
        """Reshapes a gradient at the output to rows, with the features in the last axis."""
        return g.reshape(-1, self.matrix_g.shape[0])

    def _gradient_moments(self, xp, g):
        """Computes the second moments of a gradient at the output."""
        return _moments(xp, self._rows(g))

    def save_gradient(self, dout):
        """Stores the second moments of a gradient at the output in `matrix_g`.

        Args:
            dout (Tensor): the gradient, of the output's shape.

        Returns:
            Tensor, `dout`.

        Raises:
            TypeError: if `dout` is not a Tensor.
            ValueError: if `dout` has the wrong number of axes.
        """
        api = f"{type(self).__name__}.save_gradient"
        need_tensor(api, "dout", dout)
        need_rank(api, "dout", dout, *self._gradient_ranks)
        array = dout._array
        journal.note_replaced((self.matrix_g,))
        self.matrix_g._array = self._gradient_moments(space_of(array), array)
        return dout

    @classmethod
    def convert_layer(cls, layer, prefix):
        """Creates a layer of this class with the parameters, modes and hooks of a plain one.

        Args:
            layer (Cell): the plain layer.
            prefix (str): the prefix of the names of the matrices.
        """
        result = cls.__new__(cls)
        result.__setstate__(layer.__getstate__())
        result._extend()
        for name, suffix in cls._name_endings.items():
            getattr(result, name).name = f"{prefix}{name}{suffix}"
        return result

    def _out(self, out, x):
        """Returns `out`, watched in a second-order step so that the layer receives its gradient."""
        return watched.run(out, x, self) if self.thor else out


@public("nn.DenseThor")
class DenseThor(_SecondOrder, Dense):
    """Dense (fully connected) layer for THOR: activation(x @ weight.T + bias).

    Args:
        in_channels (int): the length of the input's last axis.
        out_channels (int): the length of the output's last axis.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's first values.
        has_bias (bool): whether the layer has a bias.
        activation (Union[str, Cell, Primitive, None]): the activation applied to the output.

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Raises:
        ValueError: if an input has the wrong number of axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.DenseThor(3, 4)(ms.ops.ones((2, 3))).shape)
        (2, 4)

    Source: mindspore.nn.DenseThor of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        in_channels: Int(ge=1),
        out_channels: Int(ge=1),
        weight_init="normal",
        bias_init="zeros",
        has_bias: Bool = True,
        activation=None,
    ):
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self._extend()

    def _extend(self):
        self._make_matrices(self.in_channels, self.out_channels, identity=True)

    def construct(self, x):
        """Returns the layer applied to `x`."""
        need_tensor("DenseThor", "x", x)
        need_rank("DenseThor", "x", x, 2)
        out = self._out(_product(x, self.weight, self.bias if self.has_bias else None), x)
        return self.activation(out) if self.activation_flag else out

    def gather(self, xp, x, g):
        """Stores the moments of the rows of an input and of the gradient at its output."""
        self._keep(_moments(xp, x.reshape(-1, self.in_channels)), self._gradient_moments(xp, g))


@public("nn.Conv2dThor")
class Conv2dThor(_SecondOrder, Conv2d):
    """2-D convolution layer for THOR.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step of the kernel from one position to the next.
        pad_mode (str): "same", "valid" or "pad", as for Conv2d.
        padding (Union[int, tuple[int]]): the zeros above, below, left and right.
        dilation (Union[int, tuple[int]]): the step within a kernel.
        group (int): the number of groups of channels; only 1.
        has_bias (bool): whether the layer has a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's first values.

    Inputs:
        - **x** (Tensor) - of shape (N, C, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W').

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv2dThor(1, 2, 3)(ms.ops.ones((1, 1, 4, 4))).shape)
        (1, 2, 4, 4)

    Source: mindspore.nn.Conv2dThor of MindSpore 2.10.
    """

    _gradient_ranks = (4,)
    _name_endings = {"matrix_a": "_cov", "matrix_g": "_cov", "a_normalizer": "", "g_normalizer": ""}

    @checked
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group: OneOf(1) = 1,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        self._extend()

    def _extend(self):
        height, width = self.kernel_size
        self._make_matrix("a_normalizer", np.ones(1))
        self._make_matrix("g_normalizer", np.ones(1))
        size_a = self.in_channels * height * width
        self._make_matrices(size_a, self.out_channels, identity=False)

    def construct(self, x):
        """Returns the convolution of `x`, in the dtype of the weight."""
        x = x.astype(self.weight.dtype, copy=False)
        return self._out(super().construct(x), x)

    def gather(self, xp, x, g):
        """Stores the moments of the patches of an input and of the gradient at its output."""
        positions = g.shape[2] * g.shape[3]
        self._keep(self._patch_moments(xp, x, positions), self._gradient_moments(xp, g))
        journal.note_written((self.a_normalizer, self.g_normalizer))
        self.a_normalizer._array[...] = positions
        self.g_normalizer._array[...] = positions

    def _rows(self, g):
        return g.transpose(0, 2, 3, 1).reshape(-1, self.out_channels)

    def save_gradient(self, dout):
        """Stores the moments of a gradient at the output in `matrix_g`, and the number of its
        positions in `g_normalizer`. The argument, the result and the error are the same as in the
        other layers.
        """
        super().save_gradient(dout)
        journal.note_written((self.g_normalizer,))
        self.g_normalizer._array[...] = dout.shape[2] * dout.shape[3]
        return dout

    def _patch_moments(self, xp, x, positions):
        """Computes the moments of the patches, a few images at a time to limit memory."""
        pads = padding_of(
            "Conv2dThor",
            self.pad_mode,
            self.padding,
            tuple(x.shape[2:]),
            self.kernel_size,
            self.stride,
            self.dilation,
        )
        size = self.matrix_a.shape[0]
        count = max(1, CHUNK // (size * positions))
        total = xp.zeros((size, size), "float32")
        for start in range(0, x.shape[0], count):
            part = xp.cast(x[start : start + count], "float32")
            patches = xp.im2col(part, self.kernel_size, self.stride, pads, self.dilation)
            patches = patches.reshape(part.shape[0], size, positions)
            patches = patches.swapaxes(0, 1).reshape(size, -1)
            total += xp.matmul(patches, patches.T)
        return total / (x.shape[0] * positions)


class _Lookup(_SecondOrder):
    """Mixin of the two embedding layers: the moments of the input are the look-up counts of the
    rows."""

    def _extend(self):
        self._make_matrices((self.vocab_size,), self.embedding_size, identity=False)

    def construct(self, numbers):
        """Returns the rows at the indices `numbers`."""
        return self._out(super().construct(numbers), numbers)

    def gather(self, xp, x, g):
        """Stores how often each row was looked up, and the moments of the gradients of these
        rows."""
        numbers = x.reshape(-1)
        in_range = (numbers >= 0) & (numbers < self.vocab_size)
        index = xp.where(in_range, numbers, self.vocab_size)  # drops bad indices
        counts = xp.segment_sum(index, xp.ones(index.shape, "float32"), self.vocab_size + 1)[:-1]
        self._keep(counts, self._gradient_moments(xp, g))


@public("nn.EmbeddingThor")
class EmbeddingThor(_Lookup, Embedding):
    """Embedding layer for THOR: looks up rows of a table by index.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): their length.
        use_one_hot (bool): whether the look-up is a product with one-hot vectors.
        embedding_table (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
        dtype (mindspore.dtype): accepted; the table is float32.
        padding_idx (int): the index of a row that starts as zeros.

    Inputs:
        - **ids** (Tensor) - int32 or int64, of any shape.

    Outputs:
        Tensor with the shape of the indices and one axis more, of length `embedding_size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.EmbeddingThor(10, 4)(ms.Tensor([1, 3]))[0].shape)
        (4,)

    Source: mindspore.nn.EmbeddingThor of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        vocab_size,
        embedding_size,
        use_one_hot=False,
        embedding_table="normal",
        dtype: LayerDType = float32,
        padding_idx: Int | None = None,
    ):
        super().__init__(
            vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx
        )
        self._extend()


@public("nn.EmbeddingLookupThor")
class EmbeddingLookupThor(_Lookup, EmbeddingLookup):
    """Embedding lookup for THOR: returns rows by index, and zeros for an index out of range.

    Args:
        vocab_size (int): the number of rows.
        embedding_size (int): their length.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): the table's first values.
        target (str): 'CPU' or 'DEVICE': where MindSpore keeps the table.
        slice_mode (str): how MindSpore splits the table over devices.
        manual_shapes (tuple): the rows of each part, for 'field_slice'.
        max_norm (Union[float, None]): result rows with a larger norm are scaled down to it.
        sparse (bool): accepted; gradients are dense.

    Inputs:
        - **indices** (Tensor) - int32 or int64, of any shape.

    Outputs:
        Tensor with the shape of the indices and one axis more, of length `embedding_size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.EmbeddingLookupThor(10, 4)(ms.Tensor([1, 3])).shape)
        (2, 4)

    Source: mindspore.nn.EmbeddingLookupThor of MindSpore 2.10.
    """

    _gradient_ranks = range(1, 9)

    def _gradient_moments(self, xp, g):
        """Computes the second moments of a gradient, divided by the length of its first axis."""
        return _moments(xp, self._rows(g), g.shape[0])

    @checked
    def __init__(
        self,
        vocab_size,
        embedding_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        manual_shapes=None,
        max_norm=None,
        sparse=True,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            manual_shapes,
            max_norm,
            sparse,
        )
        self._extend()


_CONVERTED = {
    Dense: DenseThor,
    Conv2d: Conv2dThor,
    Embedding: EmbeddingThor,
    EmbeddingLookup: EmbeddingLookupThor,
}


def convert(net):
    """Replaces the trainable layers below `net` by their THOR versions where one exists; returns
    `net`.

    Grouped convolutions, subclasses of the layers, and `net` itself are not replaced.
    """
    copies = {}
    for where, cell in list(net.cells_and_names()):
        for name, child in list(cell._cells.items()):
            if child is not None and _can_convert(child):
                if child not in copies:
                    prefix = f"{where}.{name}." if where else f"{name}."
                    copies[child] = _CONVERTED[type(child)].convert_layer(child, prefix)
                cell._cells[name] = copies[child]
    net.cell_type = "second-order"
    return net


def _can_convert(cell):
    if type(cell) is Conv2d and (cell.group != 1 or cell.data_format != "NCHW"):
        return False
    if type(cell) not in _CONVERTED:
        return False
    is_table = type(cell) in (Embedding, EmbeddingLookup)
    return (cell.embedding_table if is_table else cell.weight).requires_grad
