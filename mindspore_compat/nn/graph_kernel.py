"""GraphKernel: a base class of Cells. MindSpore before release 1.3 compiled each such Cell into one
kernel; here it is an ordinary Cell."""

from .._core.declare.public_api import legacy
from .._core.rules.vocabulary import Bool, checked
from .cell import Cell


@legacy("nn.GraphKernel")
class GraphKernel(Cell):
    """A Cell. MindSpore has treated it like any other Cell since release 1.3.

    Args:
        auto_prefix (bool): whether names of Parameters begin with the names of the cells above.
            Default: ``True``.
        flags (dict): flags of the graph. Default: ``None``.

    Inputs:
        What `construct` of the subclass takes.

    Outputs:
        What `construct` of the subclass returns.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, ops
        >>> class Shrink(nn.GraphKernel):
        ...     def construct(self, x):
        ...         return ops.tanh(x) / 2
        >>> print(Shrink()(ms.Tensor([0.0])))
        [0.]

    Source: mindspore.nn.GraphKernel of MindSpore 1.5.
    """

    @checked
    def __init__(self, auto_prefix: Bool = True, flags=None):
        super().__init__(auto_prefix, flags)
