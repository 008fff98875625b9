"""The parameter server's Push and Pull; there is no server here."""

from ..._core.declare.public_api import public
from ..primitive import Primitive


class _Server(Primitive):
    """A request to a parameter server. There is none here, as in the original on a CPU."""

    def _refuse(self):
        raise RuntimeError(f"For '{self.name}', a parameter server must run, but there is none.")


@public("ops.Push")
class Push(_Server):
    """Sends an optimizer's inputs to the parameter server.

    Optimizers of older releases make it and call it only where parameters lie on a server. There is
    no server, so a call is refused.

    Args:
        optim_type (str): the Primitive of the optimizer.
        only_shape_indices (list): the inputs whose shape alone is sent.

    Raises:
        RuntimeError: if it is called.

    Source: mindspore.ops.Push of MindSpore 2.10.
    """

    def __init__(self, optim_type="ApplyMomentum", only_shape_indices=None):
        super().__init__("Push")
        self.optim_type, self.only_shape_indices = optim_type, only_shape_indices

    def __call__(self, optim_inputs, optim_input_shapes):
        self._refuse()


@public("ops.Pull")
class Pull(_Server):
    """Pulls a weight from the parameter server; as there is none, a call is refused.

    Raises:
        RuntimeError: if it is called.

    Source: mindspore.ops.Pull of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("Pull")

    def __call__(self, key, weight):
        self._refuse()
