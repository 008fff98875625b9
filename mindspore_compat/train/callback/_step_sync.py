"""_StepSync, a private Callback that scripts import from `mindspore.train.model`."""

from ..._backend import arrays
from ._callback import Callback


class _StepSync(Callback):
    """Waits at the end of each step until the device has finished its work."""

    def step_end(self, run_context):
        """Waits for the device.

        Args:
            run_context (RunContext): unused.
        """
        arrays.synchronize()
