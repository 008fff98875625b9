"""Push and Pull of a parameter server. A call always fails, because there is no server."""

from ..._core.declare.public_api import public
from ..primitive import Primitive


class _Server(Primitive):
    """A request to a parameter server. A call raises RuntimeError, as in MindSpore on a CPU."""

    def _refuse(self):
        raise RuntimeError(f"For '{self.name}', a parameter server must run, but there is none.")


@public("ops.Push")
class Push(_Server):
    """Sends an optimizer's inputs to the parameter server.

    Optimizers of older releases call it only if their parameters are on a server. There is no
    server here, so a call raises RuntimeError.

    Args:
        optim_type (str): the Primitive of the optimizer.
        only_shape_indices (list): the inputs of which only the shape is sent.

    Raises:
        RuntimeError: on every call.

    Source: mindspore.ops.Push of MindSpore 2.10.
    """

    def __init__(self, optim_type="ApplyMomentum", only_shape_indices=None):
        super().__init__("Push")
        self.optim_type, self.only_shape_indices = optim_type, only_shape_indices

    def __call__(self, optim_inputs, optim_input_shapes):
        self._refuse()


@public("ops.Pull")
class Pull(_Server):
    """Pulls a weight from the parameter server. There is no server here, so a call raises
    RuntimeError.

    Raises:
        RuntimeError: on every call.

    Source: mindspore.ops.Pull of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("Pull")

    def __call__(self, key, weight):
        self._refuse()
