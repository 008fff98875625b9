"""The loss of language models: masked cross-entropy."""

from ... import ops
from ..._core.rules.vocabulary import InstanceOf, checked
from ...common.dtype import float32, int32
from ...nn import Cell
from .op_parallel_config import OpParallelConfig, default_dpmp_config

__all__ = ["CrossEntropyLoss"]


class CrossEntropyLoss(Cell):
    """Cross-entropy loss: the mean of -log softmax(logits)[label] over tokens whose mask is 1.

    Args:
        parallel_config (OpParallelConfig): stored. Default: one of a single device.

    Inputs:
        - **logits** (Tensor): shape (N, C), float16 or float32.
        - **label** (Tensor): shape (N,), classes in [0, C).
        - **input_mask** (Tensor): shape (N,), 1 where a token counts and 0 elsewhere.

    Outputs:
        Tensor, a float32 number.

    Raises:
        TypeError: if `parallel_config` is not an OpParallelConfig.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.nn.transformer import CrossEntropyLoss
        >>> logits = ms.Tensor([[3.0, 5.0, 6.0], [1.0, 1.0, 1.0]])
        >>> loss = CrossEntropyLoss()
        >>> print(loss(logits, ms.Tensor([2, 0]), ms.Tensor([1.0, 0.0])).round(decimals=4))
        0.349

    Source: mindspore.nn.transformer.CrossEntropyLoss of MindSpore 1.9.
    """

    @checked
    def __init__(self, parallel_config: InstanceOf(OpParallelConfig) = default_dpmp_config):
        super().__init__()
        self.parallel_config = parallel_config

    def construct(self, logits, label, input_mask):
        losses = ops.cross_entropy(
            logits.astype(float32), label.reshape((-1,)).astype(int32), reduction="none"
        )
        mask = input_mask.reshape((-1,)).astype(float32)
        return (losses * mask).sum() / (mask.sum() + 1e-8)
