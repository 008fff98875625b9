"""The activation layers Mish, SELU and ReLU.

Mish and SELU are Cells with a Cell's arguments; ReLU is `nn.ReLU`. Other activation layers are
declared beside their operators in `ops/_activation`.
"""

from ...._core.declare.public_api import facade, public
from ...._core.rules.vocabulary import TensorOf, checked, floating
from ....nn.cell import Cell
from ....nn.layer.activation import ReLU
from ....ops._activation.elu import selu
from ....ops._activation.sigmoid import mish

__all__ = ["ELU", "GLU", "LogSigmoid", "Mish", "SELU", "SiLU", "Tanh", "Threshold"]
__getattr__, __dir__, _ = facade(__name__, classes=Cell, area="mint.nn")

public("mint.nn.ReLU")(ReLU)


@public("mint.nn.Mish")
class Mish(Cell):
    """Applies the Mish activation, x * tanh(log(1 + exp(x))); see `mint.nn.functional.mish`.

    Inputs:
        - **input** (Tensor): of a floating dtype.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor of a floating dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.Mish()(ms.Tensor([0.0, 1.0])))
        [0.        0.8650984]

    Source: mindspore.mint.nn.Mish of MindSpore 2.10.
    """

    @checked
    def construct(self, input: TensorOf(floating)):
        """Applies the activation to `input`."""
        return mish.run(input)


@public("mint.nn.SELU")
class SELU(Cell):
    """Applies the SELU activation, scale * (max(0, x) + min(0, alpha * (exp(x) - 1))).

    See `mint.nn.functional.selu`.

    Inputs:
        - **input** (Tensor): of a floating dtype, int8 or int32.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `input` is not a Tensor of such a dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.SELU()(ms.Tensor([0.0, 1.0])))
        [0.       1.050701]

    Source: mindspore.mint.nn.SELU of MindSpore 2.10.
    """

    @checked
    def construct(self, input: TensorOf("bfloat16", "float16", "float32")):
        """Applies the activation to `input`."""
        return selu.run(input)
