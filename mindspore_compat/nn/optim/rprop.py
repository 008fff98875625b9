"""Rprop: resilient backpropagation, which uses only the signs of gradients."""

from ..._backend.updates.fuse import fuse
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, Forbid, TupleOf, checked, inf
from ...ops._optimizer.formulas import rprop_update, unscaled
from ._documented import documented
from ._fused import FusedOptimizer
from ._groups import Decay, Params, Rate

__all__ = ["Rprop"]

Pair = TupleOf(Float(gt=-inf, lt=inf), length=2)


def counted_rprop_update(xp, p, g, previous, size, *, steps, lr, **scalars):
    """Computes the Rprop update after `steps` steps; the count may be on a GPU."""
    first = xp.maximum(1 - steps, 0.0)
    size = size * (1 - first) + lr * first
    return rprop_update(xp, p, g, previous, size, lr=lr, first=False, **scalars)


PLAIN = fuse(rprop_update, link=unscaled)
COUNTED = fuse(counted_rprop_update, link=unscaled)


@public("nn.Rprop")
@documented
class Rprop(FusedOptimizer):
    """Resilient backpropagation (Rprop): steps by the sign of the gradient, with a length per
    element.

    A length grows where the gradient keeps its sign, and shrinks where the sign changes; after a
    change the element rests for one step. The first length is the learning rate.

    Args:
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): the length of the
            first step.
        etas (tuple[float, float]): the factors of a length after a sign change (between 0 and 1)
            and without one (above 1).
        step_sizes (tuple[float, float]): the shortest and the longest step.

    Outputs:
        bool, True.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Rprop(ms.nn.Dense(2, 1).trainable_params(), 0.1).get_lr())
        Parameter (name=learning_rate, shape=(), dtype=Float32, requires_grad=True)

    Source: mindspore.nn.Rprop of MindSpore 2.10.
    """

    states = (("prev", "prev", "zeros"), ("step_size", "step_size", "zeros"))
    update = PLAIN
    skips = True

    @checked(
        Forbid("not 0.0 < etas[0] < 1.0", reason="the first of 'etas' must be in (0.0, 1.0)"),
        Forbid("not etas[1] > 1.0", reason="the second of 'etas' must be above 1.0"),
        Forbid(
            "step_sizes[0] > step_sizes[1]",
            reason="the first of 'step_sizes' must not be above the second",
        ),
    )
    def __init__(
        self,
        params: Params,
        learning_rate: Rate = 0.1,
        etas: Pair = (0.5, 1.2),
        step_sizes: Pair = (1e-6, 50.0),
        weight_decay: Decay = 0.0,
    ):
        super().__init__(learning_rate, params, weight_decay)
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self._make_states()

    def scalars(self, lr):
        """Returns the scalars of `rprop_update`, or of `counted_rprop_update`."""
        steps = self._step_count()
        return {
            "lr": lr,
            **({"first": steps == 0} if self.update is PLAIN else {"steps": steps}),
            "shrink": self.etaminus,
            "grow": self.etaplus,
            "smallest": self.step_size_min,
            "largest": self.step_size_max,
        }

    def construct(self, gradients):
        """Updates the parameters and returns True.

        Args:
            gradients (tuple[Tensor]): one gradient for each parameter, in the order of
                `parameters`.
        """
        self.update = PLAIN if self._skip is None else COUNTED
        super().construct(gradients)
        return True
