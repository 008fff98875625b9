"""GraphCell: a Cell that runs a graph loaded from a MindIR file."""

from .._core.declare.public_api import public
from .._core.rules.vocabulary import InstanceOf, checked
from .._core.tensor.tensor import Tensor
from ._func_graph import FuncGraph
from .cell import Cell


@public("nn.GraphCell")
class GraphCell(Cell):
    """Runs a graph loaded from a MindIR file on inputs of the shapes for which it was exported.

    Args:
        graph (FuncGraph): the result of `mindspore.load`.
        params_init (dict): new values (Tensors or Parameters) by parameter name. Names that the
            graph lacks are ignored.
        obf_random_seed (Union[int, None]): Must be None: dynamic obfuscation is no longer
            supported.

    Inputs:
        - **inputs** (Tensor): what the graph takes.

    Outputs:
        A Tensor, or a tuple of Tensors: what the graph returns.

    Raises:
        TypeError: if `graph` is not a FuncGraph, or `params_init` not a dict of Tensors by str.
        NotImplementedError: if `obf_random_seed` is given.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, Tensor
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> x = Tensor(np.ones((1, 2), "f"))
        >>> ms.export(net, x, file_name="dense", file_format="MINDIR")
        >>> print(nn.GraphCell(ms.load("dense.mindir"))(x))
        [[2.]]
    """

    @checked
    def __init__(
        self,
        graph: InstanceOf(FuncGraph).called("a FuncGraph that was loaded from a MindIR file"),
        params_init=None,
        obf_random_seed=None,
    ):
        super().__init__(auto_prefix=True)
        if obf_random_seed is not None:
            raise NotImplementedError(
                "For 'GraphCell', 'obf_random_seed' must be None: dynamic "
                "obfuscation is no longer supported."
            )
        new = {} if params_init is None else params_init
        _check(new)
        self.graph = graph
        for name, param in graph.parameters.items():
            if name in new:
                param.set_data(new[name])
            self._params[name] = param

    def construct(self, *inputs):
        """Runs the graph on Tensors."""
        return self.graph(*inputs)


def _check(params_init):
    InstanceOf(dict).refuse("GraphCell", "params_init", params_init)
    for name, value in params_init.items():
        if not (isinstance(name, str) and isinstance(value, Tensor)):
            raise TypeError(
                "For 'GraphCell', 'params_init' must hold Tensors by name, but got "
                f"{value!r} of type {type(value).__name__} by {name!r}."
            )
