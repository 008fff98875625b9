"""A training whose runs are compared to the bit: an epoch has three batches of images, which are
shuffled and flipped at random, the network has dropout, and the loss scale grows and falls.
"""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat import dataset as ds

STEPS = 7  # of two epochs and a bit
IMAGES = np.random.default_rng(0).standard_normal((22, 4, 8, 8)).astype(np.float32)
CLASSES = (np.arange(22) % 3).astype(np.int32)


class Network(nn.Cell):
    """A network with a convolution, normalizations, dropout, a recurrent layer and a dense
    layer."""

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


def rows(**shard):
    """Batches of shuffled images, each flipped at random."""
    ds.config.set_seed(3)
    data = ds.NumpySlicesDataset((IMAGES, CLASSES), ["image", "class"], shuffle=True, **shard)
    flips = ds.transforms.RandomApply([lambda image: image[:, :, ::-1].copy()], 0.5)
    data = data.map(flips, ["image"], python_multiprocessing=False)
    return data.batch(8 // shard.get("num_shards", 1), drop_remainder=False)  # three steps an epoch


def begun():
    """The step of a new training with a loss scale that grows and falls."""
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


def whole_run(**shard):
    """Returns the losses and the last state of a training without a break."""
    step = begun()
    return train(step, rows(**shard)), state_of(step)


def assert_resumes(path, done, losses, state, **shard):
    """Trains for `done` steps, saves a checkpoint, and continues from it; the losses and the state
    must be those of a training without a break."""
    step = begun()
    assert train(step, rows(**shard), 0, done) == losses[:done]
    ms.save_checkpoint(step, path, append_dict={"rng_state": Tensor(ms.get_rng_state())})
    step = begun()
    ms.set_seed(99)  # random numbers that the new process may have drawn meanwhile
    saved = ms.load_checkpoint(path)
    ms.set_rng_state(Tensor(saved.pop("rng_state").asnumpy()))
    assert ms.load_param_into_net(step, saved) == ([], [])
    assert train(step, rows(**shard), done) == losses[done:]
    assert state_of(step) == state
