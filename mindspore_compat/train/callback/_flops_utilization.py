"""FlopsUtilizationCollector: prints which share of a device's peak arithmetic a run uses."""

import time

from ... import log
from ..._core.context.config import GRAPH_MODE, config
from ..._core.rules.vocabulary import Bool, Int, checked
from ...communication.groups import get_group_size
from .._utils import without_optimizer
from ._callback import Callback

__all__ = ["FlopsUtilizationCollector"]


class FlopsUtilizationCollector(Callback):
    """Prints the FLOPs of a step, and the share of the device's peak that it uses.

    It counts matrix products and convolutions of the network and its loss, forward and for the
    gradients. Model and hardware utilization (mfu, hfu) are equal here, because recomputation is
    not counted. The first step is for counting; after every `data_size` steps the time of a step
    and the utilization are printed.

    Args:
        data_size (int): the number of steps between two printed lines.
        computility (int, optional): the peak number of operations per second of a device. Default:
            1.
        full_flops (bool, optional): whether to compare the operations of all processes with the
            peak of all; False for this process alone. Default: True.
        enable_ma_collector (bool, optional): whether to log the lines too. Default: False.

    Raises:
        TypeError: if `data_size` is not a positive int, or `full_flops` or `enable_ma_collector`
            is not a bool.
        ValueError: in a run, if the mode is not GRAPH_MODE.

    Examples:
        >>> from mindspore_compat.train import FlopsUtilizationCollector
        >>> collector = FlopsUtilizationCollector(32, computility=10**12)

    Source: mindspore.train.FlopsUtilizationCollector of MindSpore 2.10.
    """

    @checked
    def __init__(self, data_size: Int, computility=1, full_flops=True, enable_ma_collector=False):
        super().__init__()
        if data_size <= 0:
            raise TypeError(
                f"For 'FlopsUtilizationCollector', 'data_size' must be an int > 0, but got "
                f"{data_size}."
            )
        for name, value in (
            ("full_flops", full_flops),
            ("enable_ma_collector", enable_ma_collector),
        ):
            Bool.refuse("FlopsUtilizationCollector", name, value)
        self.data_size = data_size
        self.computility = computility
        self.full_flops = full_flops
        self.enable_ma_collector = enable_ma_collector
        self._flops = {}  # mode ("train" or "eval") -> operations of a step
        self._steps, self._start = 0, 0.0

    def step_begin(self, run_context):
        """Counts the operations before the first step of a mode, then stores the time."""
        cb_params = run_context.original_args()
        if config.mode == GRAPH_MODE and cb_params.mode not in self._flops:
            inputs = cb_params.get(f"{cb_params.mode}_dataset_element")
            if inputs is not None:
                self._count(cb_params, inputs)
        if self._steps % self.data_size == 0:
            self._start = time.time()

    def step_end(self, run_context):
        """Prints the time of a step and the utilization, if due."""
        if config.mode != GRAPH_MODE:
            raise ValueError("For 'FlopsUtilizationCollector', the mode must be GRAPH_MODE.")
        cb_params = run_context.original_args()
        if cb_params.mode not in self._flops and cb_params.get("sunk_element") is not None:
            self._count(cb_params, cb_params.sunk_element)
        self._steps += 1
        if self._steps % self.data_size or cb_params.mode not in self._flops:
            return
        seconds = max((time.time() - self._start) / self.data_size, 1e-9)
        share = self._flops[cb_params.mode] / seconds / self.computility
        self._tell(
            f"{cb_params.mode.title()} per step time: {seconds * 1000:.3f} ms mfu:{share:.2%} "
            f"hfu:{share:.2%}"
        )

    def _count(self, cb_params, inputs):
        from ..summary._flops import count_flops  # the tracer is large and rarely needed

        train = cb_params.mode == "train"
        network = without_optimizer(cb_params.train_network) if train else cb_params.eval_network
        shard = float(count_flops(network, inputs, backward=train))
        full = shard * get_group_size()
        self._flops[cb_params.mode] = shard
        if self.full_flops:
            self._tell(f"Full model flops is {full}, Full hardware flops is {full}, ", end="")
        self._tell(f"Shard model flops is {shard}, Shard hardware flops is {shard}.")

    def _tell(self, text, end="\n"):
        print(text, end=end, flush=True)
        if self.enable_ma_collector:
            log.info(text)
