"""Runs optimizers and training cells for five steps on the target, and records their state after 1,
2 and 5 of them.

A case says how the object is made (`init`) and which script drives it. Weights, gradients and data
are fixed sums of waves, different at each position and step, so that answers of different machines
are comparable. If real MindSpore cannot run the script on a CPU, the documented formula is computed
instead (`formulas.py`).
"""

import numpy as np

from . import formulas
from .observations import observe
from .waves import NAMES, batch_of, dense_weights, gradient_of, weight_of

SEEN = (1, 2, 5)  # the steps after which everything is observed


class Samples:
    """What the argument texts of one case may use as `sample.…`; made anew for each case."""

    OFFERED = ("weights", "groups", "zeros", "dense", "lossy", "not_weight")

    def __init__(self, ms):
        self.ms, self.order, self.parameters, self.net = ms, list(NAMES), {}, None

    def weights(self):
        """Three Parameters; weight decay leaves the last alone by its name."""
        self.parameters = {
            name: self.ms.Parameter(self.ms.Tensor(weight_of(name)), name=name) for name in NAMES
        }
        return list(self.parameters.values())

    def zeros(self):
        """The three Parameters, of which the bias begins at zero."""
        found = self.weights()
        self.parameters["bias"].set_data(self.ms.Tensor(np.zeros(NAMES["bias"], np.float32)))
        return found

    @staticmethod
    def not_weight(parameter):
        """A filter: true of every Parameter but the weights."""
        return "weight" not in parameter.name

    def groups(self, order=False, **options):
        """The same in two groups, the first with options of its own, or in an order of its own."""
        weight, bias, gamma = self.weights()
        self.order = ["bias", "weight", "norm.gamma"]
        made = [{"params": [bias], **options}, {"params": [weight, gamma]}]
        if order:
            self.order = ["norm.gamma", "weight", "bias"]
            made.append({"order_params": [gamma, weight, bias]})
        return made

    def dense(self):
        """One dense layer, the same one each time it is requested within a case."""
        if self.net is None:
            weight, bias = (self.ms.Tensor(w) for w in dense_weights())
            self.net = self.ms.nn.Dense(3, 2, weight_init=weight, bias_init=bias)
        return self.net

    def lossy(self):
        """The dense layer with the mean squared error behind it."""
        return self.ms.nn.WithLossCell(self.dense(), self.ms.nn.MSELoss())


def drive(worker, case):
    """{"after 1": {name of a Parameter: facts}, ...}, and what a formula wants instead."""
    return SCRIPTS[case["script"]](worker, case, offer(worker))


def offer(worker):
    """Samples of this case's own, which its argument texts may use from now on."""
    sample = Samples(worker.ms)
    offered = {name: getattr(sample, name) for name in Samples.OFFERED}
    vars(worker.values.names["sample"]).update(offered)
    return sample


def _made(worker, case):
    """The thing that the case is about, and its arguments by name."""
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    return worker.make(case["name"], given), given


def _state(*holders):
    """{name: facts} of every Parameter that optimizers, layers or lists of Parameters hold."""
    found = {}
    for holder in holders:
        parameters = holder.get_parameters() if hasattr(holder, "get_parameters") else holder
        found.update({parameter.name: observe(parameter) for parameter in parameters})
    return found


def _optimizer(worker, case, sample):
    optimizer, given = _made(worker, case)
    for name, text in case.get("later", {}).items():
        setattr(optimizer, name, worker.values.build(text))
    return _with_expected(case, _stepped(worker, optimizer, sample), given)


def _stepped(worker, optimizer, sample):
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        _advance(worker, optimizer, sample, step)
        if step in SEEN:
            seen[f"after {step}"] = _state(optimizer, sample.parameters.values())
    return seen


def _advance(worker, optimizer, sample, step):
    """One step of an optimizer on the sample's Parameters."""
    optimizer(tuple(worker.ms.Tensor(gradient_of(name, step)) for name in sample.order))


def _around(worker, case, sample):
    """LARS around an optimizer. A twin of that one, of its own class and without decay and scale,
    is given the gradients that the formula yields; both must end with the same values.
    """
    made, given = _made(worker, case)
    seen = {}
    for step in range(1, SEEN[-1] + 1):
        _advance(worker, made, sample, step)
        if step in SEEN:
            state = {**_state(sample.parameters.values()), "global_step": observe(made.global_step)}
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
    """Steps of a training cell on five batches; of a batch named in `spoilt` the input is
    infinite.
    """
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
    """The loss scale after each call of a cell that updates it, with the cell's own counts."""
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
    """A loss scaler: what it makes of a number, and its state after each adjustment."""
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
    """thor on the dense layer: by hand, or with its frequency in a converted Model."""
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
    """What was seen, with what the case's formula wants."""
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
