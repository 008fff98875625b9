"""Runs optimizers and training cells for five steps on the target, and records their state after 1,
2 and 5 steps.

A case states how the object is constructed (`init`) and which script runs it. Weights, gradients
and data are fixed sums of waves, different at each position and step, so that answers from
different machines are comparable. If real MindSpore cannot run the script on a CPU, the documented
formula is computed instead (`formulas.py`).
"""

import numpy as np

from ..arguments.waves import NAMES, batch_of, dense_weights, gradient_of, weight_of
from . import formulas
from .observations import observe

SEEN = (1, 2, 5)  # the steps after which the state is observed


class Samples:
    """Names that the argument texts of one case can use as `sample.…`; new for each case."""

    OFFERED = ("weights", "groups", "zeros", "dense", "lossy", "not_weight", "batches")

    def __init__(self, ms):
        self.ms, self.order, self.parameters, self.net = ms, list(NAMES), {}, None

    def weights(self):
        """Returns three Parameters; by its name, the last one is excluded from weight decay."""
        self.parameters = {
            name: self.ms.Parameter(self.ms.Tensor(weight_of(name)), name=name) for name in NAMES
        }
        return list(self.parameters.values())

    def zeros(self):
        """Returns the three Parameters with a zero bias."""
        weights = self.weights()
        self.parameters["bias"].set_data(self.ms.Tensor(np.zeros(NAMES["bias"], np.float32)))
        return weights

    @staticmethod
    def not_weight(parameter):
        """Filter function: true for every Parameter except the weights."""
        return "weight" not in parameter.name

    def groups(self, order=False, **options):
        """Returns the same in two groups, the first with its own options, or in a given order."""
        weight, bias, gamma = self.weights()
        self.order = ["bias", "weight", "norm.gamma"]
        group_list = [{"params": [bias], **options}, {"params": [weight, gamma]}]
        if order:
            self.order = ["norm.gamma", "weight", "bias"]
            group_list.append({"order_params": [gamma, weight, bias]})
        return group_list

    def dense(self):
        """Returns a dense layer, the same one whenever it is requested within a case."""
        if self.net is None:
            weight, bias = (self.ms.Tensor(w) for w in dense_weights())
            self.net = self.ms.nn.Dense(3, 2, weight_init=weight, bias_init=bias)
        return self.net

    def batches(self):
        """Returns a dataset of three batches of input and target."""
        from mindspore import dataset

        rows = [batch_of(step) for step in range(1, 4)]
        source = [(x[i], y[i]) for x, y in rows for i in range(4)]
        return dataset.GeneratorDataset(source, ["x", "y"], shuffle=False).batch(4)

    def lossy(self):
        """Returns the dense layer followed by the mean squared error."""
        return self.ms.nn.WithLossCell(self.dense(), self.ms.nn.MSELoss())


def drive(worker, case):
    """Returns {"after 1": {name of a Parameter: facts}, ...}, and the values that a formula
    expects."""
    return SCRIPTS[case["script"]](worker, case, offer(worker))


def offer(worker):
    """Provides samples for this case, which its argument texts can use from now on."""
    sample = Samples(worker.ms)
    offered = {name: getattr(sample, name) for name in Samples.OFFERED}
    vars(worker.values.names["sample"]).update(offered)
    return sample


def _made(worker, case):
    """Returns the object that the case is about, and its arguments by name."""
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    return worker.make(case["name"], given), given


def _state(*holders):
    """Returns {name: facts} of every Parameter in optimizers, layers or lists of Parameters."""
    state = {}
    for holder in holders:
        parameters = holder.get_parameters() if hasattr(holder, "get_parameters") else holder
        state.update({parameter.name: observe(parameter) for parameter in parameters})
    return state


def _optimizer(worker, case, sample):
    optimizer, given = _made(worker, case)
    for name, text in case.get("later", {}).items():
        setattr(optimizer, name, worker.values.build(text))
    return _with_expected(case, _stepped(worker, optimizer, sample), given)


def _stepped(worker, optimizer, sample):
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        result = _advance(worker, optimizer, sample, step)
        if step in SEEN:
            state = _state(optimizer, sample.parameters.values())
            seen[f"after {step}"] = {"result": observe(result), **state}
    return seen


def _advance(worker, optimizer, sample, step):
    """Runs one step of an optimizer on the sample's Parameters. Returns its result."""
    return optimizer(tuple(worker.ms.Tensor(gradient_of(name, step)) for name in sample.order))


def _around(worker, case, sample):
    """Runs LARS around an optimizer. A twin of that optimizer, of the same class and without decay
    and scale, receives the gradients that the formula gives; both must end with the same values.
    """
    cell, given = _made(worker, case)
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        _advance(worker, cell, sample, step)
        if step in SEEN:
            state = {**_state(sample.parameters.values()), "global_step": observe(cell.global_step)}
            seen[f"after {step}"] = state
    options = formulas.lars_options(case, given)
    twin = worker.values.build(case["twin"])
    wanted = {}
    for step in range(1, SEEN[-1] + 1):
        changed = [
            formulas.lars(
                name, sample.parameters[name].asnumpy(), gradient_of(name, step), **options
            )
            for name in sample.order
        ]
        twin(tuple(worker.ms.Tensor(g.astype(np.float32)) for g in changed))
        if step in SEEN:
            counted = {"global_step": ["Int32", [1], [step]]}
            wanted[f"after {step}"] = {**_state(sample.parameters.values()), **counted}
    return {"seen": seen, "wanted": wanted}


def _trained(worker, case, sample):
    """Runs a training cell on five batches; the input of a batch listed in `spoilt` is infinite."""
    cell, _ = _made(worker, case)
    cell.set_train()
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        x, target = batch_of(step)
        if step in case.get("spoilt", ()):
            x[0, 0] = np.inf
        result = cell(worker.ms.Tensor(x), worker.ms.Tensor(target))
        if step in (*SEEN, *case.get("spoilt", ())):
            facts = {"result": observe(result)} if step not in case.get("spoilt", ()) else {}
            seen[f"after {step}"] = {**facts, **_state(cell)}
    return _with_expected(case, seen)


def _updated(worker, case, sample):
    """Returns the loss scale after each call of a cell that updates it, with the cell's counts."""
    cell, given = _made(worker, case)
    scale = worker.ms.Parameter(
        worker.ms.Tensor(np.float32(case["scale"])), name="scale", requires_grad=False
    )
    seen = {}
    for step, overflow in enumerate(case["overflows"], 1):
        result = cell(scale, worker.ms.Tensor(np.bool_(overflow)))
        facts = {"result": {"flag": bool(result)}, "scale": observe(scale)}
        seen[f"after {step}"] = {**facts, **_state(cell)}
    return _with_expected(case, seen, given)


def _adjusted(worker, case, sample):
    """Returns a loss scaler's result for a number, and its state after each adjustment."""
    scaler, _ = _made(worker, case)
    seen = {}
    for step, overflow in enumerate(case["overflows"], 1):
        number = worker.ms.Tensor(np.float32(3.0))
        facts = {"scaled": observe(scaler.scale(number)), "back": observe(scaler.unscale(number))}
        scaler.adjust(worker.ms.Tensor(np.bool_(not overflow)))
        state = {
            name: observe(value)
            for name, value in vars(scaler).items()
            if hasattr(value, "asnumpy") and not name.startswith("_")
        }
        seen[f"after {step}"] = {**facts, **state}
    return {"seen": seen}


def _second_order(worker, case, sample):
    """Runs thor on the dense layer: by hand, or with its frequency in a converted Model."""
    ms = worker.ms
    net = ms.nn.SequentialCell([sample.dense()])
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    optimizer = worker.make(case["name"], {"net": net, **given})
    advance = _model_step if case.get("converted") else _thor_step
    step_once = advance(ms, net, optimizer, given)
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        step_once(*map(ms.Tensor, batch_of(step)))
        if step in SEEN:
            state = {p.name.rpartition(".")[2]: observe(p) for p in net.trainable_params()}
            seen[f"after {step}"] = state
    return _with_expected(case, seen, given)


def _thor_step(ms, net, optimizer, given):
    loss = ms.nn.MSELoss()
    scale = given.get("loss_scale", 1.0)

    def forward(x, target):
        return loss(net(x), target) * scale

    gradients = ms.grad(forward, None, optimizer.parameters)
    return lambda x, target: optimizer(gradients(x, target))


def _model_step(ms, net, optimizer, given):
    from mindspore import Model, dataset
    from mindspore.train.train_thor import ConvertModelUtils

    loss = ms.nn.MSELoss()
    plain = Model(net, loss, optimizer)
    model = ConvertModelUtils.convert_to_thor_model(
        plain, network=net, loss_fn=loss, optimizer=optimizer
    )

    def step(x, target):
        rows = {"x": x.asnumpy(), "target": target.asnumpy()}
        data = dataset.NumpySlicesDataset(rows, shuffle=False).batch(4)
        model.train(1, data, dataset_sink_mode=False)

    return step


def _with_expected(case, seen, given=None):
    """Returns the observations, with the expected values of the case's formula."""
    if "formula" not in case:
        return {"seen": seen}
    wanted = getattr(formulas, case["formula"])(case, given or {}, SEEN)
    return {"seen": seen, "wanted": wanted}


SCRIPTS = {
    "optimizer": _optimizer,
    "around": _around,
    "trained": _trained,
    "updated": _updated,
    "adjusted": _adjusted,
    "second order": _second_order,
}
