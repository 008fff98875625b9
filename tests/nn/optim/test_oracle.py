"""Optimizers and a script's training step, run by real MindSpore and by this package: the same
losses and names of parameters.
"""

import json
import subprocess
import sys

import pytest
from kit import close

BEGINNING = """
import json, sys
import numpy as np
import {module} as ms
from {module} import nn, ops, Tensor, Parameter
from {module}.ops import functional as F

ms.set_context(mode={mode})
rng = np.random.default_rng(0)

def draw(*shape):
    return Tensor((rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, pad_mode="pad", padding=1, weight_init=draw(4, 2, 3, 3))
        self.norm = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.hidden = nn.Dense(64, 8, draw(8, 64), "zeros")
        self.last = nn.Dense(8, 3, draw(3, 8), "zeros")

    def construct(self, x):
        x = self.flatten(self.relu(self.norm(self.conv(x))))
        return self.last(self.relu(self.hidden(x)))

net = Net()
x = Tensor(rng.standard_normal((16, 2, 4, 4)).astype(np.float32))
y = Tensor(rng.integers(0, 3, 16).astype(np.int32))
both = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
params = net.trainable_params()
biases = [p for p in params if not p.name.endswith("weight")]
weights = [p for p in params if p.name.endswith("weight")]
groups = [{{"params": biases, "weight_decay": 0.0}},
          {{"params": weights, "lr": nn.CosineDecayLR(1e-4, 5e-3, 15), "weight_decay": 0.01}},
          {{"order_params": params}}]
"""

TRAINING = """
optimizer = {optimizer}
step = nn.TrainOneStepCell(both, optimizer{sens})
step.set_train()
losses = [float(step(x, y).asnumpy()) for _ in range(20)]
print(json.dumps([losses, [[p.name, str(p.dtype), list(p.shape)]
                           for p in optimizer.get_parameters()]]))
"""

OPTIMIZERS = {
    "Adam": "nn.Adam(params, 5e-3)",
    "Adam, nesterov": "nn.Adam(params, 5e-3, use_nesterov=True, weight_decay=0.01)",
    "Adam, amsgrad": "nn.Adam(params, 5e-3, use_amsgrad=True)",
    "Adam, groups": "nn.Adam(groups, 5e-3)",
    "AdamWeightDecay": "nn.AdamWeightDecay(params, 5e-3, weight_decay=0.1)",
    "AdamWeightDecay, groups": "nn.AdamWeightDecay(groups, 5e-3)",
    "Momentum": "nn.Momentum(params, 0.02, 0.9, weight_decay=1e-3)",
    "Momentum, groups": "nn.Momentum(groups, 5e-3, 0.9)",
    "Momentum, list": "nn.Momentum(params, [0.05 * 0.9 ** i for i in range(20)], 0.9)",
    "SGD": "nn.SGD(params, 0.05)",
    "SGD, momentum": "nn.SGD(params, 0.05, 0.9, dampening=0.1, weight_decay=1e-3)",
    "SGD, nesterov": "nn.SGD(params, 0.05, 0.9, nesterov=True)",
    "AdamOffload": "nn.AdamOffload(params, 5e-3)",
    "RMSProp": "nn.RMSProp(params, 2e-3, momentum=0.5)",
}

SCRIPT_STEP = """
_grad_scale = ops.MultitypeFuncGraph("grad_scale")
reciprocal = ops.Reciprocal()

@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * ops.cast(reciprocal(scale), ops.dtype(grad))

class Step(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, scale_sense)

    def construct(self, x, y):
        weights = self.weights
        loss = self.network(x, y)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = ops.ones_like(loss) * F.cast(scaling_sens, F.dtype(loss))
        grads = self.grad(self.network, weights)(x, y, scaling_sens_filled)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens), grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if not overflow:
            loss = F.depend(loss, self.optimizer(grads))
        return loss, cond, scaling_sens

class OnTheHost(Step):  # MindSpore cannot look at gradients on a CPU
    def get_overflow_status(self, status, compute_output):
        bad = 0.0
        for gradient in compute_output:
            bad = bad + (1 - ops.cast(ops.isfinite(gradient), ms.float32)).sum()
        return bad > 0

Step = OnTheHost if ms.__name__ == "mindspore" else Step
optimizer = nn.Adam(params, 5e-3)
update = nn.DynamicLossScaleUpdateCell(2.0 ** 12, 2, 5)
step = Step(both, optimizer, update)
step.set_train()
bad = Tensor(np.where(np.arange(16).reshape(16, 1, 1, 1) == 3, np.inf, x.asnumpy()))
told = []
for number in range(20):
    loss, cond, scale = step(bad if number in (4, 11) else x, y)
    told.append([float(loss.asnumpy()), bool(cond.asnumpy() if isinstance(cond, Tensor) else cond),
                 float(step.scale_sense.asnumpy())])
# the running averages of the batch norm take the bad batch in, so it is left out of the losses
print(json.dumps([[t[0] for i, t in enumerate(told) if i not in (4, 11)],
                  [t[1:] for t in told]]))
"""


def here(text):
    """Runs the same script with this package; returns the last line that it prints."""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def compared(oracle, text, mode):
    original = oracle(BEGINNING.format(module="mindspore", mode=mode) + text)
    ours = here(BEGINNING.format(module="mindspore_compat", mode=mode) + text)
    theirs = json.loads(original.splitlines()[-1])
    close(ours[0], theirs[0], rtol=1e-4, atol=0)
    assert ours[1] == theirs[1]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_twenty_steps(oracle, name):
    compared(oracle, TRAINING.format(optimizer=OPTIMIZERS[name], sens=""), mode=1)


@pytest.mark.parametrize("name", ["Adam", "Momentum, groups", "AdamOffload"])
def test_twenty_steps_in_graph_mode(oracle, name):
    compared(oracle, TRAINING.format(optimizer=OPTIMIZERS[name], sens=""), mode=0)


def test_a_loss_scale_of_the_optimizer(oracle):
    optimizer = "nn.Momentum(params, 0.02, 0.9, 1e-3, loss_scale=512.0)"
    compared(oracle, TRAINING.format(optimizer=optimizer, sens=", sens=512.0"), mode=1)


@pytest.mark.parametrize("mode", [0, 1])
def test_the_step_of_a_script(oracle, mode):
    compared(oracle, SCRIPT_STEP, mode)
