"""ModelThor: a Model that takes a second-order step only every N steps."""

from ...nn.optim.thor import ThorGpu
from ..model import Model

__all__ = ["ModelThor"]


class ModelThor(Model):
    """A Model for the THOR optimizer. Only in every N-th step does the network collect factors and
    the optimizer invert them.

    N is the optimizer's `frequency`. Only updates count as steps: a second-order step that is
    skipped for an overflow is done at the next update instead, so the first update has inverses.

    Args:
        network (Cell): the network, or a training step that contains it and its optimizer.
        loss_fn (Cell): the loss.
        optimizer (Cell): the optimizer that `nn.thor` returned.
        metrics (Union[dict, set]): the metrics.
        eval_network (Cell): the network for evaluation.
        eval_indexes (list): the positions of the loss, output and label in what `eval_network`
            returns.
        amp_level (str): the level of mixed precision.
        **kwargs: as for Model.

    Raises:
        ValueError: if there is no THOR optimizer.

    Source: mindspore.train.train_thor.model_thor.ModelThor of MindSpore 2.10.
    """

    def __init__(
        self,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        **kwargs,
    ):
        super().__init__(
            network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, **kwargs
        )
        optimizers = [
            cell for _, cell in self._train_network.cells_and_names() if isinstance(cell, ThorGpu)
        ]
        if not optimizers:
            raise ValueError(
                "For 'ModelThor', the network must be trained by an optimizer that "
                "'nn.thor' returned."
            )
        self._thor = optimizers[0]
        self._frequency = self._thor.get_frequency()

    def _run_step(self, inputs):
        """Runs one training step on a batch; every `frequency`-th update also updates the
        second-order factors.
        """
        self._switch(int(self._thor.cov_step._array[0]) % self._frequency == 0)
        return super()._run_step(inputs)

    def _switch(self, second_order):
        """Sets whether the layers collect factors and the optimizer inverts them."""
        if self._thor.thor != second_order:
            self._train_network.add_flags_recursive(thor=second_order)
