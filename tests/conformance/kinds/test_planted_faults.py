"""Faults in the computations of optimizers, training cells and layers, planted one at a time; the
cases of the changed name find each of them.

A fault changes a class for the length of one test. Only the cases of the kind that must detect it
are run, in this process.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers
from conformance.worker.worker import Worker
from mindspore_compat import amp, dataset, mint, nn, ops
from mindspore_compat.communication import comm_func
from mindspore_compat.experimental.optim import lr_scheduler

MODULES = {
    "nn": nn,
    "ops": ops,
    "amp": amp,
    "mint.optim": mint.optim,
    "dataset": dataset,
    "dataset.dataloader": dataset.dataloader,
    "experimental.optim.lr_scheduler": lr_scheduler,
}


@pytest.fixture(scope="module")
def worker():
    targets.install("mindspore_compat")
    return Worker(ms)


@pytest.fixture(scope="module")
def entries():
    found = {}
    for module in MODULES:
        found.update(specs.load_file(specs.FOLDER / f"{module}.yaml", check=False))
    return found


@pytest.fixture(scope="module")
def stored():
    return answers.load()


def failing(worker, name, kind, entries, stored):
    """The ids of the cases of one kind that fail."""
    found = cases.of_entry(name, entries[name], (kind,))
    judged = {case["id"]: answers.judge(case, worker.run(case), stored) for case in found}
    return {key for key, result in judged.items() if result["status"] == "fail"}


def like(real, **methods):
    """Returns a subclass with the name of the original class."""
    return type(real.__name__, (real,), methods)


def fixing(**fixed):
    """Returns a fault: if an argument is passed, it is replaced by a fixed value."""

    def plant(real):
        def __init__(self, **given):
            taken = {key: value for key, value in fixed.items() if key in given}
            real.__init__(self, **{**given, **taken})

        return like(real, __init__=__init__)

    return plant


def changing(**changes):
    """Returns a fault: functions change the arguments of the constructor."""

    def plant(real):
        def __init__(self, **given):
            for key, change in changes.items():
                if key in given:
                    given[key] = change(given[key])
            real.__init__(self, **given)

        return like(real, __init__=__init__)

    return plant


def around(after):
    """Returns a fault: a function is run after each call."""

    def plant(real):
        def construct(self, *inputs):
            weights = [*self.get_parameters(), *(p for p in inputs if isinstance(p, ms.Parameter))]
            before = {p.name: p.asnumpy().copy() for p in weights}
            result = real.construct(self, *inputs)
            after(self, before, *inputs)
            return result

        return like(real, construct=construct)

    return plant


def write(parameter, value):
    parameter.set_data(ms.Tensor(np.asarray(value, parameter.asnumpy().dtype)))


def turned(self, before, *inputs):
    for parameter in self.parameters:
        write(parameter, 2 * before[parameter.name] - parameter.asnumpy())


def put_back(*starts):
    def after(self, before, *inputs):
        for parameter in (*self.get_parameters(), *inputs):
            if isinstance(parameter, ms.Parameter) and parameter.name.startswith(starts):
                write(parameter, before[parameter.name])

    return after


def raised_after_overflow(self, before, scale, overflow):
    if overflow:
        write(scale, before[scale.name] * 2)


def without(key):
    """Returns a function that removes an option from groups of parameters."""

    def change(params):
        if not isinstance(params[0], dict):
            return params
        left = [{k: v for k, v in group.items() if k != key} for group in params]
        return [group for group in left if group]

    return change


def flipped(real):
    def construct(self, x):
        weights = self.weight.asnumpy().copy()
        write(self.weight, weights[..., ::-1].copy())
        result = real.construct(self, x)
        write(self.weight, weights)
        return result

    return like(real, construct=construct)


def positional(real):
    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad=False,
        maximize=False,
    ):
        real.__init__(self, params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    return like(real, __init__=__init__)


def together(*names, **fixed):
    """Returns a fault: a class that replaces the arguments in `fixed` by their values there, if a
    call passes all the arguments in `names`."""

    def plant(real):
        def __init__(self, **given):
            real.__init__(self, **(given | fixed if given.keys() >= set(names) else given))

        return like(real, __init__=__init__)

    return plant


def silent_later(real):
    """Returns an optimizer whose steps return nothing, except the first."""

    def construct(self, *inputs):
        result, first = real.construct(self, *inputs), not hasattr(self, "has_run")
        self.has_run = True
        return result if first else None

    return like(real, construct=construct)


def first_of(rates):
    return float(np.asarray(rates)[0]) if isinstance(rates, list) else rates


def constant(real):
    """Returns a thor that ignores `damping` and uses 0.5."""
    return lambda **given: real(**{**given, "damping": ms.Tensor(np.float32([0.5]))})


def slower(real):
    """Returns a thor whose frequency is larger by one."""
    return lambda **given: real(**{**given, "frequency": given.get("frequency", 4) + 1})


def always_stepping(real):
    """Returns a training cell that runs the optimizer even after an overflow."""
    return like(real, process_loss_scale=lambda self, overflow: False)


FAULTS = {
    "sign of the update": ("nn.AdamOffload", "steps", around(turned)),
    "powers that never advance": ("nn.AdamOffload", "steps", around(put_back("beta"))),
    "moments that are not kept": ("nn.AdamOffload", "steps", around(put_back("moment1"))),
    "global step that stands": ("nn.Momentum", "steps", around(put_back("global_step"))),
    "weight_decay ignored": ("nn.AdamOffload", "steps", fixing(weight_decay=0.0)),
    "weight_decay ignored by SGD": ("nn.SGD", "steps", fixing(weight_decay=0.0)),
    "order_params ignored": ("nn.Adam", "steps", changing(params=without("order_params"))),
    "group lr ignored": ("nn.Adam", "steps", changing(params=without("lr"))),
    "group weight decay ignored": (
        "nn.Momentum",
        "steps",
        changing(params=without("weight_decay")),
    ),
    "loss_scale ignored": ("nn.Momentum", "steps", fixing(loss_scale=1.0)),
    "schedule that stands": ("nn.Momentum", "steps", changing(learning_rate=first_of)),
    "Nesterov ignored": ("nn.AdamOffload", "steps", fixing(use_nesterov=False)),
    "dampening ignored": ("nn.SGD", "steps", fixing(dampening=0.0)),
    "result of a later step": ("nn.AdamOffload", "steps", silent_later),
    "maximize ignored beside amsgrad": (
        "mint.optim.Adam",
        "steps",
        together("amsgrad", "maximize", maximize=False),
    ),
    "eps ignored": ("nn.Adam", "steps", fixing(eps=1e-8)),
    "LARS: coefficient ignored": ("nn.LARS", "steps", fixing(coefficient=0.001)),
    "LARS: epsilon ignored": ("nn.LARS", "steps", fixing(epsilon=1e-5)),
    "LARS: clip ignored": ("nn.LARS", "steps", fixing(use_clip=False)),
    "LARS: filter ignored": ("nn.LARS", "steps", fixing(lars_filter=lambda x: True)),
    "thor: damping ignored": ("nn.thor", "steps", constant),
    "thor: frequency off by one": ("nn.thor", "steps", slower),
    "scale multiplied after overflow": (
        "nn.DynamicLossScaleUpdateCell",
        "steps",
        around(raised_after_overflow),
    ),
    "scale never written": ("nn.DynamicLossScaleUpdateCell", "steps", around(put_back("scale"))),
    "window off by one": (
        "nn.DynamicLossScaleUpdateCell",
        "steps",
        changing(scale_window=lambda n: n + 1),
    ),
    "window of the scaler off by one": (
        "amp.DynamicLossScaler",
        "steps",
        changing(scale_window=lambda n: n + 1),
    ),
    "a step after overflow": ("nn.TrainOneStepWithLossScaleCell", "steps", always_stepping),
    "sens ignored": ("nn.TrainOneStepCell", "steps", fixing(sens=1.0)),
    "dilation ignored": ("nn.Conv2d", "options", fixing(dilation=1)),
    "group ignored": ("nn.Conv2d", "options", changing(group=lambda n: 1 if n == 2 else n)),
    "stride ignored": ("nn.Conv2d", "options", fixing(stride=1)),
    "pad_mode ignored": ("nn.Conv2d", "options", fixing(pad_mode="valid", padding=0)),
    "kernel flipped": ("nn.Conv2d", "options", flipped),
    "group=0 taken": ("nn.Conv2d", "options", changing(group=lambda n: n or 1)),
    "a check removed": ("nn.Conv2d", "raises", changing(kernel_size=lambda n: n or 1)),
    "a type check removed": ("nn.Dense", "options", changing(has_bias=bool)),
    "momentum of statistics ignored": ("nn.BatchNorm2d", "options", fixing(momentum=0.9)),
    "ceil_mode ignored": ("nn.MaxPool2d", "options", fixing(ceil_mode=False)),
    "label_smoothing ignored": ("nn.CrossEntropyLoss", "options", fixing(label_smoothing=0.0)),
    "filter_sigma ignored": ("nn.SSIM", "values", fixing(filter_sigma=1.5)),
    "gradients not stopped": ("ops.stop_gradient_", "values", lambda real: lambda input: input),
    "a step that returns a value": (
        "experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts",
        "values",
        lambda real: like(real, step=lambda self, *epoch: [real.step(self, *epoch)]),
    ),
    "a training step forgotten": (
        "dataset.WaitedDSCallback",
        "values",
        lambda real: like(real, step_end=lambda self, context: self.step_event.set()),
    ),
    "mappings not converted": (
        "dataset.dataloader.default_convert",
        "values",
        lambda real: lambda data: data if isinstance(data, dict) else real(data),
    ),
    "a copy in place of the array's memory": (
        "dataset.dataloader.default_convert",
        "values",
        lambda real: lambda data: real(data.copy() if isinstance(data, np.ndarray) else data),
    ),
    "a keyword-only argument made positional": ("mint.optim.Adam", "signature", positional),
}


@pytest.mark.parametrize("what", FAULTS)
def test_fault_is_found(what, worker, entries, stored, monkeypatch):
    name, kind, plant = FAULTS[what]
    home, _, last = name.rpartition(".")
    sound = failing(worker, name, kind, entries, stored)
    monkeypatch.setattr(MODULES[home], last, plant(getattr(MODULES[home], last)))
    assert failing(worker, name, kind, entries, stored) - sound


BY_POSITION = {
    "mint.zeros": (mint, lambda size, dtype=None: None),
    "communication.comm_func.P2POp": (
        comm_func,
        lambda op, tensor, peer, group=None, tag=0, recv_dtype=None: None,
    ),
    "Tensor.addcdiv": (ms.Tensor, lambda self, tensor1, tensor2, value=1: None),
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_a_keyword_that_may_be_given_by_position_is_found(name, worker, stored, monkeypatch):
    owner, lax = BY_POSITION[name]
    home, _, last = name.rpartition(".")
    spec = specs.load_file(specs.FOLDER / f"{cases.area_of(name)}.yaml", check=False)
    assert not failing(worker, name, "signature", spec, stored)
    monkeypatch.setattr(owner, last, lax)
    assert failing(worker, name, "signature", spec, stored)
