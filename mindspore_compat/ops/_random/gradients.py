"""Gradients of random draws, given the samples."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, TensorOf, checked
from .._primitive_aliases.alias import alias, ops, pull_back
from .._rules import Floats
from ..primitive import Primitive


@public("ops.operations._grad_ops.RandomGammaGrad")
class RandomGammaGrad(Primitive):
    """Computes the derivative of a gamma-distributed sample with respect to its shape `alpha`.

    The value of the distribution function at the sample is held constant. The derivative is
    therefore minus the function's derivative with respect to `alpha`, divided by the density:
    Figurnov et al., "Implicit Reparameterization Gradients" (2018).

    Raises:
        TypeError: if an input is not a Tensor of float32 or float64, or the dtypes differ.
        ValueError: if the shapes cannot be broadcast together.

    Source: mindspore.ops.operations._grad_ops.RandomGammaGrad of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("RandomGammaGrad")

    @checked
    def __call__(
        self, alpha: TensorOf("float32", "float64"), sample: TensorOf("float32", "float64")
    ):
        if alpha.dtype != sample.dtype:
            raise TypeError(
                f"For 'RandomGammaGrad', 'alpha' and 'sample' must have the same dtype, but got "
                f"{alpha.dtype} and {sample.dtype}."
            )
        gradient = igamma_grad_a(alpha, sample)
        return gamma_draw_gradient.run(gradient, alpha, sample)


@op()
def gamma_draw_gradient(xp, gradient: Floats, alpha: Floats, sample: Floats):
    """Computes minus `gradient` divided by the density of the gamma distribution at `sample`."""
    return -gradient * xp.exp(sample + xp.gammaln(alpha) - (alpha - 1) * xp.log(sample))


@op("ops.operations._grad_ops.DropoutGrad(keep_prob=0.5)(dy, mask)")
def dropout_grad(xp, dy: Floats, mask: TensorOf(), keep_prob: Float(gt=0.0, le=1.0) = 0.5):
    """Computes the gradient of `ops.Dropout` from its mask.

    Shapes:
        `dy` and `mask` have one shape. The result has the same shape.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> print(_grad_ops.DropoutGrad(0.5)(ms.Tensor([1.0, 1.0]), ms.Tensor([1.0, 0.0])))
        [2. 0.]
    """
    return dy * xp.cast(mask, dy.dtype) / keep_prob


@alias("ops.operations._grad_ops.IgammaGradA()(a, x)")
def igamma_grad_a(a, x):
    return pull_back(ops.ones_like(a), lambda a: ops.igamma(a, x), a + ops.zeros_like(x))
