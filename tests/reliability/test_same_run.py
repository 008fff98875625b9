"""The same seed gives the same run: with any number of threads, and after a training is resumed
from a checkpoint, to the bit; with and without compiled loops, but for rounding.
"""

import numpy as np
import pytest
from kit.loops import every_size, fresh_loops, needs_numba, on_threads

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat import dataset as ds
from mindspore_compat._backend.compiled import jit

STEPS = 7  # of two epochs and a bit
IMAGES = np.random.default_rng(0).standard_normal((22, 4, 8, 8)).astype(np.float32)
CLASSES = (np.arange(22) % 3).astype(np.int32)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
def mode(request, monkeypatch):
    """The mode, and the seeds as they were. No loop becomes ready in the middle of a run."""
    monkeypatch.setattr(jit, "available", lambda: False)
    before, seed = ms.get_context("mode"), ds.config.get_seed()
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)
    ds.config.set_seed(seed)


class Network(nn.Cell):
    """A convolution, normalizations, dropout, a recurrence and a dense layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3)
        self.norm = nn.BatchNorm2d(6)
        self.pool = nn.MaxPool2d(2, 2)
        self.dropout = nn.Dropout(p=0.3)
        self.recurrence = nn.GRU(16, 8, batch_first=True)
        self.last_norm = nn.LayerNorm((8,))
        self.head = nn.Dense(8, 3)

    def construct(self, x):
        x = self.dropout(self.pool(ms.ops.relu(self.norm(self.conv(x)))))
        x, _ = self.recurrence(x.reshape(x.shape[0], 6, 16))
        return self.head(self.last_norm(x[:, -1]))


def rows():
    """Batches of shuffled images, of which each is flipped or not at random."""
    ds.config.set_seed(3)
    data = ds.NumpySlicesDataset((IMAGES, CLASSES), ["image", "class"], shuffle=True)
    flips = ds.transforms.RandomApply([lambda image: image[:, :, ::-1].copy()], 0.5)
    data = data.map(flips, ["image"], python_multiprocessing=False)
    return data.batch(8, drop_remainder=False)  # three steps an epoch


def begun():
    """A step of a training that begins, with a loss scale that grows and falls."""
    ms.set_seed(1)
    net = Network()
    optimizer = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.01, 0.9, 3))
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    scale = nn.DynamicLossScaleUpdateCell(2.0**126, 2, 2)
    step = nn.TrainOneStepWithLossScaleCell(loss, optimizer, scale)
    return step.set_train()


def train(step, data, first=0, last=STEPS):
    """Trains from one step to another; returns the losses."""
    data.set_init_step(first)
    left, losses = last - first, []
    iterator = data.create_tuple_iterator(num_epochs=STEPS)
    while left:
        for row in iterator:
            losses.append(step(*row)[0].asnumpy().tobytes())
            left -= 1
            if not left:
                break
    iterator.stop()
    return losses


def state_of(step):
    return {p.name: p.asnumpy().tobytes() for p in step.get_parameters()}


def whole_run():
    step = begun()
    return train(step, rows()), state_of(step)


@pytest.mark.parametrize("done", [2, 3])
def test_a_resumed_training_is_the_same_to_the_bit(mode, done, tmp_path):
    losses, state = whole_run()
    assert len(set(losses)) == STEPS
    step = begun()
    assert train(step, rows(), 0, done) == losses[:done]
    path = str(tmp_path / "resume.ckpt")
    ms.save_checkpoint(step, path, append_dict={"rng_state": Tensor(ms.get_rng_state())})
    step = begun()
    ms.set_seed(99)  # what the new process may have drawn meanwhile
    saved = ms.load_checkpoint(path)
    ms.set_rng_state(Tensor(saved.pop("rng_state").asnumpy()))
    assert ms.load_param_into_net(step, saved) == ([], [])
    assert train(step, rows(), done) == losses[done:]
    assert state_of(step) == state


def test_any_number_of_threads_gives_the_same_bits(mode, monkeypatch):
    every_size(monkeypatch)
    runs = []
    for threads in (1, 2, 3):
        with on_threads(threads):
            runs.append(whole_run())
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.nightly  # it compiles some thirty loops
@needs_numba
def test_with_loops_too(mode, monkeypatch):
    _, state = whole_run()
    runs = []
    with fresh_loops(monkeypatch):
        for threads in (1, 2, 3):
            with on_threads(threads):
                runs.append(whole_run())
    assert runs[0] == runs[1] == runs[2]
    for name, found in runs[0][1].items():
        dtype = np.int32 if "iterator_step" in name or "global_step" in name else np.float32
        values, wanted = np.frombuffer(found, dtype), np.frombuffer(state[name], dtype)
        np.testing.assert_allclose(values, wanted, rtol=1e-3, atol=1e-5, err_msg=name)
