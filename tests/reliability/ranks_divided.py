"""Two ranks train a divided network, and rank 1 ends in the middle of the third step;
test_ranks_divided.py starts this through mpiexec.

    ranks_divided.py FOLDER FORM PHASE WAY

FORM is "stages", "level3", "parts" or "ring". PHASE says where rank 1 ends, and WAY how: "killed"
or "leaves". Each rank saves what it holds after every step.
"""

import os
import signal
import sys
import time

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn, ops
from mindspore_compat.parallel.auto_parallel import AutoParallel

folder, form, phase, way = sys.argv[1:]
communication.init()
RANK = communication.get_rank()
now = {"step": 0, "phase": ""}


def reach(here):
    """Ends rank 1 if this is the step and the phase, once rank 0 has saved the step before."""
    if RANK == 1 and now["step"] == 2 and here == phase:
        until = time.monotonic() + 30
        while int(ms.load_checkpoint(f"{folder}/0.ckpt")["step"]) < 1:
            assert time.monotonic() < until, "rank 0 does not save its second step"
            time.sleep(0.01)
        if way == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise SystemExit(0)


class Layer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8, has_bias=False)
        if form == "ring":
            self.attention = nn.MultiheadAttention(8, 2, has_bias=False, batch_first=True)
        if form == "parts":
            self.dense.matmul.shard(((1, 1), (2, 1)))

    def construct(self, x):
        reach("forward")
        x = self.dense(x)
        reach("exchange")  # the exchange for the next layer has started
        if form == "ring":
            x = self.attention(x, x, x, need_weights=False)[0]
        return ops.tanh(x)

    def end_backward(self, cell, *grads):
        reach("backward")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = Layer(), Layer()
        if form == "stages":
            self.first.pipeline_stage, self.second.pipeline_stage = 0, 1
        for layer in (self.first, self.second):
            layer.register_backward_hook(layer.end_backward)

    def construct(self, x):
        return ops.square(self.second(self.first(x)) - 1).mean()


class Adam(nn.Adam):
    def construct(self, gradients):
        reach("update")
        return super().construct(gradients)


def replace(source, target, rename=os.replace):
    reach("save")
    rename(source, target)


os.replace = replace
net = Net()
network = nn.PipelineCell(net, 2) if form == "stages" else net
optimizer = Adam(net.trainable_params(), 0.01)
step = nn.TrainOneStepCell(network, optimizer).set_train()
around = AutoParallel(step, "semi_auto")
around.dataset_strategy("full_batch")
if form == "stages":
    around.pipeline(2)
if form == "level3":
    around.hsdp(-1, 0, "level3")
    around.dataset_strategy("data_parallel")
if form == "ring":
    around.dataset_strategy(((1, 2, 1),))
shape = (1, 8, 8) if form == "ring" else (8, 8)
x = Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))
for number in range(4):
    now["step"] = number
    around(x)
    ms.save_checkpoint(
        step, f"{folder}/{RANK}.ckpt", integrated_save=False, append_dict={"step": number}
    )
