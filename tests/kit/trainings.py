"""Small trainings whose steps are interrupted: every optimizer, and every kind of training step.

`OPTIMIZERS` has functions from parameters to an optimizer. `STEPS` has functions that take one of
these; they return a function that trains one step, and the Tensors that the step may change.
`STEPS_OF_THEIR_OWN` has functions with the same results that need no optimizer. `Training` runs
`Model.train` with callbacks.
"""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Model, Parameter, Tensor, amp, boost, mint, nn, train
from mindspore_compat import dataset as ds
from mindspore_compat.experimental import optim

SHAPES = [(3, 4), (5,), (2, 3, 4), (90, 100), (300, 300)]
OPTIMIZERS = {
    "SGD": lambda params: nn.SGD(params, 0.1, momentum=0.9),
    "SGD without momentum": lambda params: nn.SGD(params, 0.1),
    "Momentum": lambda params: nn.Momentum(params, 0.1, 0.9, weight_decay=0.01),
    "Adam": lambda params: nn.Adam(params, 0.1),
    "Adam, AMSGrad": lambda params: nn.Adam(params, 0.1, use_amsgrad=True),
    "Adam, rates by group": lambda params: nn.Adam(
        [{"params": params[:2], "lr": 0.2}, {"params": params[2:]}], 0.1
    ),
    "Adam, a rate that changes": lambda params: nn.Adam(params, nn.ExponentialDecayLR(0.1, 0.9, 3)),
    "AdamWeightDecay": lambda params: nn.AdamWeightDecay(params, 0.1, weight_decay=0.01),
    "AdamOffload": lambda params: nn.AdamOffload(params, 0.1),
    "LazyAdam": lambda params: nn.LazyAdam(params, 0.1),
    "AdaMax": lambda params: nn.AdaMax(params, 0.1),
    "AdaFactor": lambda params: nn.AdaFactor(params, 0.1, relative_step=False),
    "Adagrad": lambda params: nn.Adagrad(params),
    "Adadelta": lambda params: nn.Adadelta(params),
    "ASGD": lambda params: nn.ASGD(params),
    "FTRL": lambda params: nn.FTRL(params),
    "Lamb": lambda params: nn.Lamb(params, 0.1),
    "LARS": lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9)),
    "ProximalAdagrad": lambda params: nn.ProximalAdagrad(params),
    "RMSProp": lambda params: nn.RMSProp(params, 0.1, momentum=0.5, centered=True),
    "Rprop": lambda params: nn.Rprop(params),
    **{
        f"experimental {name}": lambda params, name=name: getattr(optim, name)(params, 0.1)
        for name in (
            "Adadelta Adagrad Adam Adamax AdamW ASGD NAdam RAdam RMSprop Rprop SGD".split()
        )
    },
    "mint Adam": lambda params: mint.optim.Adam(params, 0.1),
    "mint AdamW": lambda params: mint.optim.AdamW(params, 0.1, amsgrad=True),
    "mint SGD": lambda params: mint.optim.SGD(params, 0.1, momentum=0.9),
    "mint FusedAdamW": lambda params: mint.optim.FusedAdamW(params, 0.1),
}


def weights():
    """Returns Parameters of several sizes; updates treat small and large ones differently."""
    rng = np.random.default_rng(0)
    return [
        Parameter(Tensor(rng.normal(size=shape).astype(np.float32)), name=f"w{number}")
        for number, shape in enumerate(SHAPES)
    ]


def state_of(value):
    """Returns the Parameters of a Cell, including those in its attributes."""
    if isinstance(value, Parameter):
        return [value]
    if isinstance(value, nn.Cell):
        return [*value.get_parameters(), *state_of(list(vars(value).values()))]
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [part for item in value for part in state_of(item)]
        if type(value) in (tuple, list, ms.ParameterTuple)
        else []
    )


def network():
    """Returns a network with moving statistics; its initial weights are the same in every call."""
    ms.set_seed(1)
    return nn.SequentialCell(
        nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2), nn.BatchNorm1d(2)
    )


def batch():
    """Returns the inputs and labels of one batch for `network`."""
    rng = np.random.default_rng(1)
    return tuple(Tensor(rng.normal(size=(8, n)).astype(np.float32)) for n in (3, 2))


def plain_step(net, make):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), make(net.trainable_params()))


def scaled_step(net, make):
    scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2)
    optimizer = make(net.trainable_params())
    loss = nn.WithLossCell(net, nn.MSELoss())
    return nn.TrainOneStepWithLossScaleCell(loss, optimizer, scale)


def mixed_step(net, make):
    """Returns a step with a float16 network and a loss scale that grows every second step."""
    manager = amp.DynamicLossScaleManager(2.0**10, 2, 2)
    optimizer = make(net.trainable_params())
    return amp.build_train_network(net, optimizer, nn.MSELoss(), "O3", loss_scale_manager=manager)


def accumulating_step(net, make):
    """Returns a step that processes half of the batch at a time."""
    loss = nn.GradAccumulationCell(nn.WithLossCell(net, nn.MSELoss()), 2)
    return nn.TrainOneStepCell(loss, make(net.trainable_params()))


def boosted_step(net, make):
    loss = nn.WithLossCell(net, nn.MSELoss())
    return boost.BoostTrainOneStepCell(loss, make(net.trainable_params()))


def stages_step(net, make):
    """Returns a pipeline step that runs all micro-batches in this process."""
    loss = nn.PipelineCell(nn.WithLossCell(net, nn.MSELoss()), 2)
    return nn.TrainOneStepCell(loss, make(net.trainable_params()))


CELLS = {
    "plain": plain_step,
    "loss scale": scaled_step,
    "float16": mixed_step,
    "accumulated": accumulating_step,
    "boost": boosted_step,
    "micro-batches": stages_step,
}


def of_a_cell(make_step):
    """Returns the entry of STEPS for a training Cell."""

    def step_and_state(make):
        step = make_step(network(), make).set_train()
        x, y = batch()
        return (lambda: step(x, y)), state_of(step)

    return step_and_state


def update_alone(make):
    params = weights()
    optimizer = make(params)
    rng = np.random.default_rng(1)
    gradients = tuple(Tensor(rng.normal(size=shape).astype(np.float32)) for shape in SHAPES)
    return (lambda: optimizer(gradients)), [*params, *state_of(optimizer)]


def function_of_a_script(make):
    """Returns a step under `jit` that unscales and checks the gradients itself."""
    net = network().set_train()
    loss, optimizer = nn.MSELoss(), make(net.trainable_params())
    scaler = amp.DynamicLossScaler(2**10, 2, 2)
    gradient = ms.value_and_grad(
        lambda x, y: scaler.scale(loss(net(x), y)), None, net.trainable_params()
    )

    @ms.jit
    def step(x, y):
        value, grads = gradient(x, y)
        grads = scaler.unscale(grads)
        finite = amp.all_finite(grads)
        scaler.adjust(finite)
        if finite:
            optimizer(grads)
        return value

    x, y = batch()
    return (lambda: step(x, y)), state_of([net, optimizer, scaler.scale_value, scaler.counter])


STEPS = {
    "update": update_alone,
    "jit": function_of_a_script,
    **{name: of_a_cell(make_step) for name, make_step in CELLS.items()},
}


def thor(frequency=2, manager=None, steps=0):
    """Returns a step of the optimizer thor and the Tensors that it may change.

    Every `frequency` steps thor inverts the moments of inputs and gradients. `steps` steps are run
    beforehand; their number decides which kind of step is interrupted.
    """
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.LayerNorm([4]), nn.Dense(4, 2))
    rates = Tensor(np.full(9, 0.1, np.float32))
    optimizer = nn.thor(net, rates, rates, 0.9, batch_size=8, frequency=frequency)
    model = ms.ConvertModelUtils.convert_to_thor_model(
        ms.Model(net, nn.MSELoss(), optimizer),
        network=net,
        loss_fn=nn.MSELoss(),
        optimizer=optimizer,
        loss_scale_manager=manager,
    )
    x, y = batch()
    step = model.train_network.set_train()
    for _ in range(steps):
        model._run_step((x, y))
    return (lambda: model._run_step((x, y))), state_of([net, step, optimizer])


def mean_of_gradients():
    """Returns a step whose optimizer updates with the mean gradient of two steps."""
    net = network()
    loss = nn.WithLossCell(net, nn.MSELoss())
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    accumulation = boost.GradientAccumulation(2, optimizer)
    gradient = ms.value_and_grad(loss, None, net.trainable_params())

    class Step(nn.Cell):
        def construct(self, x, y):
            return accumulation(*gradient(x, y))

    step = nn.TrainOneStepCell(loss, optimizer).set_train()
    step.construct = lambda x, y: accumulation(*gradient(x, y))
    x, y = batch()
    return (lambda: step(x, y)), state_of([net, optimizer, accumulation])


def loading():
    net = network()
    new = {
        parameter.name: Parameter(Tensor(parameter.asnumpy() + 1), name=parameter.name)
        for parameter in net.get_parameters()
    }
    return (lambda: ms.load_param_into_net(net, new)), state_of(net)


def set_data():
    parameter = Parameter(Tensor(np.zeros((2, 3), np.float32)), name="p")
    ones = Tensor(np.ones((2, 3), np.float32))
    return (lambda: parameter.set_data(ones)), [parameter]


STEPS_OF_THEIR_OWN = {
    "load_param_into_net": loading,
    "set_data": set_data,
    "thor": thor,
    "thor, a step of second order": lambda: thor(2, steps=1),
    "thor, loss scale": lambda: thor(2, amp.DynamicLossScaleManager(2.0**10, 2, 2)),
    "mean of gradients": mean_of_gradients,
}


class Training:
    """A Model.train of six steps; threads or processes compute its batches.

    Args:
        folder: the folder for checkpoints, which are written every second step.
        workers: the number of workers that compute a `map`.
        processes: whether the workers are processes, not threads.
        sink: whether the data is sunk.
    """

    STEPS = 6

    def __init__(self, folder, workers=1, processes=False, sink=False):
        rng = np.random.default_rng(0)
        self.rows = [rng.standard_normal((4 * self.STEPS, n)).astype(np.float32) for n in (3, 2)]
        self.folder, self.workers = folder, workers
        self.processes, self.sink = processes, sink
        net = network()
        self.optimizer = nn.Adam(net.trainable_params())
        self.model = Model(net, nn.MSELoss(), self.optimizer)
        self.tensors = state_of([net, self.optimizer])

    def data(self, count):
        """Returns the first batches."""
        data = ds.NumpySlicesDataset(tuple(self.rows), ["x", "y"], shuffle=False).map(
            lambda row: row + 1,
            "x",
            num_parallel_workers=self.workers,
            python_multiprocessing=self.processes,
        )
        return data.batch(4).take(count)

    def train(self, count=STEPS):
        """Trains for some steps."""
        settings = train.CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2)
        callbacks = [
            train.TimeMonitor(),
            train.LossMonitor(),
            train.History(),
            train.LearningRateScheduler(lambda rate, step: rate),
            train.ModelCheckpoint("net", str(self.folder), settings),
        ]
        self.model.train(1, self.data(count), callbacks, dataset_sink_mode=self.sink)

    def steps(self):
        """Returns the number of steps so far."""
        return int(self.optimizer.global_step.asnumpy()[0])
