"""PipelineGradReducer: divides the gradients of a pipeline by the loss scale."""

from ... import ops
from ..._core.context import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Float, InstanceOf, ListOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter, ParameterTuple
from ..cell import Cell
from .loss_scale import grad_scale, shard_grad_scale

_Parameter = InstanceOf(Parameter)
_Parameters = (ListOf(_Parameter) | TupleOf(_Parameter)).called("a list of Parameters")

__all__ = ["PipelineGradReducer"]


@public("nn.PipelineGradReducer")
class PipelineGradReducer(Cell):
    """Divides the gradients of a pipeline by the loss scale, in hand-written training steps.

    A call returns `(grads + accu_grads) / scale_sense` and resets the buffers `accu_grads` to
    zero. Nothing else is left to do: `nn.PipelineCell` has already added the gradients of its
    slices, and an AutoParallel network the gradients of all ranks.

    Args:
        parameters (list): the parameters that the gradients belong to. `accu_grads` has one buffer
            for each.
        scale_sense (float): the factor that the loss was multiplied by. Default: 1.0.
        opt_shard (bool): whether the optimizer's states are divided over ranks. If they are, a call
            returns `grads / scale_sense`, and still resets `accu_grads`. Default: None, which
            stands for the context's `enable_parallel_optimizer`.

    Inputs:
        - **grads** (tuple[Tensor]) - one gradient for each parameter.

    Outputs:
        tuple[Tensor], shaped as the input.

    Raises:
        TypeError: if an argument is of the wrong type.

    Examples:
        >>> from mindspore_compat import Tensor, nn
        >>> reducer = nn.PipelineGradReducer(nn.Dense(2, 1).trainable_params(), 2.0)
        >>> print(reducer((Tensor([[1.0, 2.0]]), Tensor([4.0])))[0])
        [[0.5 1. ]]

    Source: mindspore.nn.PipelineGradReducer of MindSpore 2.10.
    """

    @checked
    def __init__(self, parameters: Any, scale_sense: Float = 1.0, opt_shard: Bool = None):
        _Parameters.refuse("PipelineGradReducer", "parameters", parameters)
        super().__init__(auto_prefix=False)
        self.accu_grads = ParameterTuple(parameters).clone(prefix="accu_grads", init="zeros")
        self.scale_sense = Parameter(Tensor(scale_sense), name="scale_sense")
        self.opt_shard = _divided_states() if opt_shard is None else opt_shard

    def construct(self, grads):
        """Adds `grads` to `accu_grads` and returns the sums divided by the scale; with `opt_shard`,
        returns `grads` divided by the scale. Sets `accu_grads` to zeros.
        """
        if not self.opt_shard:
            for accumulated, grad in zip(self.accu_grads, grads, strict=True):
                ops.assign_add(accumulated, ops.cast(grad, accumulated.dtype))
        divide = shard_grad_scale if self.opt_shard else grad_scale
        return tuple(
            divide(self.scale_sense, grad, accumulated)
            for grad, accumulated in zip(grads, self.accu_grads, strict=True)
        )


def _divided_states():
    return bool(config.get_auto_parallel_context("enable_parallel_optimizer"))
