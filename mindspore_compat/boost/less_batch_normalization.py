"""LessBN: a network whose last dense layers use normalized inputs and weights."""

from .. import ops
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, CellOf, Int
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..nn.cell import Cell
from ..nn.layer.basic import Dense

__all__ = ["CommonHeadLastFN", "LessBN"]

_TINY = 1e-4


class CommonHeadLastFN(Cell):
    """A dense layer with normalized inputs and normalized rows of its weight.

    `multiplier * (x / |x|) @ (weight / |weight|).T`, plus `multiplier * bias`.

    Args:
        in_channels (int): the length of the input's last axis.
        out_channels (int): the length of the output's last axis.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's first values.
        has_bias (bool): whether there is a bias.

    Inputs:
        - **x** (Tensor) - of shape (N, in_channels).

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.boost.less_batch_normalization import CommonHeadLastFN
        >>> layer = CommonHeadLastFN(2, 1, weight_init="ones", has_bias=False)
        >>> print(layer(ms.Tensor([[3.0, 3.0]])))
        [[1.]]
    """

    @checked
    def __init__(
        self,
        in_channels: Int(ge=1),
        out_channels: Int(ge=1),
        weight_init="normal",
        bias_init="zeros",
        has_bias: Bool = True,
    ):
        super().__init__()
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels)), "weight")
        self.multiplier = Parameter(initializer("ones", (1,)), "multiplier")
        self.has_bias = has_bias
        self.bias = Parameter(initializer(bias_init, (out_channels,)), "bias") if has_bias else None

    def construct(self, x):
        """Returns the layer applied to `x`."""
        out = ops.matmul(_direction(x), _direction(self.weight).T)
        return self.multiplier * (out + self.bias if self.has_bias else out)


def _direction(rows):
    """Returns the rows, each divided by its norm."""
    return rows / ops.sqrt(ops.maximum((rows * rows).sum(1, keepdims=True), _TINY))


class LessBN(Cell):
    """A network in which the last dense layer of each Cell may use normalized vectors.

    Batch normalizations stay: MindSpore 2.10 did not remove any from the compared networks.

    Args:
        network (Cell): the network, which is changed.
        fn_flag (bool, optional): whether to replace each last Dense layer by a CommonHeadLastFN
            with the same weight and no bias.

    Raises:
        TypeError: if `network` is not a Cell, or `fn_flag` no bool.

    Examples:
        >>> from mindspore_compat import boost, nn
        >>> network = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2))
        >>> print(type(boost.LessBN(network, fn_flag=True).network[2]).__name__)
        CommonHeadLastFN

    Source: mindspore.boost.LessBN of MindSpore 2.10.
    """

    @checked
    def __init__(self, network: CellOf, fn_flag: Bool = False):
        super().__init__()
        self.network = network
        if fn_flag:
            _replace_last_dense(network)

    def construct(self, *inputs):
        """Returns the output of the network."""
        return self.network(*inputs)


def _replace_last_dense(network):
    """Replaces the last Dense among the Cells of each Cell by a CommonHeadLastFN."""
    last = None
    for name, cell in network.name_cells().items():
        if isinstance(cell, Dense):
            last = name, cell
        else:
            _replace_last_dense(cell)
    if last is None:
        return
    name, dense = last
    layer = CommonHeadLastFN(dense.in_channels, dense.out_channels, dense.weight, has_bias=False)
    layer.update_parameters_name(name + ".")
    network._cells[name] = layer
