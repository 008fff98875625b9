"""_StepSync, a private Callback that scripts import from `mindspore.train.model`."""

from ..._backend import arrays
from ._callback import Callback


class _StepSync(Callback):
    """Waits at the end of each step until the device has done what it was given."""

    def step_end(self, run_context):
        """Waits.

        Args:
            run_context (RunContext): is not read.
        """
        arrays.synchronize()
