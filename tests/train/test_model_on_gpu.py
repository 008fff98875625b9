"""A step of `Model.train` copies only its batch to the GPU, and reads the loss only if a callback
does."""

import numpy as np
import pytest
from fakecupy import counting, rawkernels

from mindspore_compat import Tensor, amp, nn
from mindspore_compat._backend import arrays
from mindspore_compat.dataset import NumpySlicesDataset
from mindspore_compat.train import Callback, Model
from tests.gpu import networks

pytestmark = [
    pytest.mark.parametrize("space", ["fakecupy"], indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
STEPS = 5
MANAGERS = {
    "no scale": None,
    "fixed": lambda: amp.FixedLossScaleManager(128.0),
    "fixed, nothing dropped": lambda: amp.FixedLossScaleManager(128.0, False),
    "dynamic": lambda: amp.DynamicLossScaleManager(2.0**10, 2, 100),
}


class Counting(Callback):
    """Counts events from the end of one step to the end of the next, without the first steps."""

    def __init__(self, reads=False):
        self.reads = reads
        self.found = []
        self._open = None

    def on_train_step_end(self, run_context):
        params = run_context.original_args()
        if self.reads:
            float(_loss(params.net_outputs).asnumpy())
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None
        if 2 <= params.cur_step_num < STEPS:
            self._open = counting.counted()
            self.found.append(self._open.__enter__())


def _loss(outputs):
    return outputs[0] if isinstance(outputs, tuple) else outputs


def trained(manager, callback, spoilt=()):
    """Trains LeNet-5 for a few steps, some of them with a batch that overflows."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((STEPS * 2, 1, 32, 32)).astype(np.float32)
    for step in spoilt:
        images[2 * step] = np.inf
    labels = rng.integers(0, 10, STEPS * 2).astype(np.int32)
    data = NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(2)
    network = networks.LeNet5()
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    chosen = {} if manager is None else {"loss_scale_manager": manager}
    model = Model(network, nn.CrossEntropyLoss(), optimizer, **chosen)
    model.train(1, data, callbacks=[callback], dataset_sink_mode=False)


@pytest.mark.parametrize("reads", [False, True], ids=["", "the loss is read"])
@pytest.mark.parametrize("name", MANAGERS)
def test_a_step_copies_its_batch_and_waits_for_nothing(space, name, reads, monkeypatch):
    callback = Counting(reads)
    trained(MANAGERS[name] and MANAGERS[name](), callback)
    assert len(callback.found) == STEPS - 2
    for counts in callback.found:
        assert counts.launches > 50
        wanted = {"get": 1} if reads else {}
        assert counts.names["synchronisations"] == wanted
        assert sum(counts.names["transfers"].values()) == 2 + reads, counts.names["transfers"]


def course(spoilt, unread, monkeypatch):
    """The state of a dynamic loss scale manager after a training."""
    monkeypatch.setattr("mindspore_compat.train.loss_scale_manager.UNREAD", unread)
    manager = amp.DynamicLossScaleManager(2.0**10, 2, 2)
    trained(manager, Callback(), spoilt)
    return manager.bad_step, manager.get_loss_scale(), manager.cur_iter, manager.last_overflow_iter


@pytest.mark.parametrize("unread", [2, 100])
def test_the_manager_learns_of_overflows_in_the_end(space, monkeypatch, unread):
    found = course((2, 4), unread, monkeypatch)
    arrays.set_target("CPU")
    assert found == course((2, 4), 100, monkeypatch) == (1, 512.0, 6, 5)


def test_a_manager_of_ones_own_is_called_at_each_step(space):
    params = []

    class Own(amp.DynamicLossScaleManager):
        def update_loss_scale(self, overflow):
            params.append(overflow)
            super().update_loss_scale(overflow)

    trained(Own(2.0**10, 2, 100), Callback(), spoilt=(1,))
    assert params == [False, True, False, False, False]


def test_a_note_beside_an_update(space):
    manager = amp.DynamicLossScaleManager(8, 2, 100)
    manager._note_overflow(Tensor(True))
    manager.update_loss_scale(True)
    assert manager.bad_step == 2 and manager.get_loss_scale() == 2
