"""Documented formulas in float64, for optimizers and cells that real MindSpore does not run on a
CPU: LARS, thor, the training cell with a loss scale, and the cells that update the scale.

Each function returns the expected state after a number of steps, in the form of
`observations.observe`. Dtypes are the documented ones.
"""

import ast

import numpy as np

from ..arguments.waves import NAMES, batch_of, dense_weights, gradient_of, weight_of


def _facts(values, dtype="Float32"):
    values = np.asarray(values)
    return [dtype, list(values.shape), values.reshape(-1).tolist()]


def lars_options(case, given):
    """Returns the options of LARS and of the inner optimizer that the formula needs."""
    inner = {name: ast.literal_eval(text) for name, text in case["inner"].items()}
    return {
        "epsilon": given.get("epsilon", 1e-5),
        "coefficient": given.get("coefficient", 0.001),
        "clip": given.get("use_clip", False),
        "rate": inner["learning_rate"],
        "decay": inner.get("weight_decay", 0.0),
        "scale": inner.get("loss_scale", 1.0),
        "group": case.get("group"),
        "chosen": given.get("lars_filter"),
    }


def lars(name, weight, gradient, *, epsilon, coefficient, clip, rate, decay, scale, group, chosen):
    """Returns the gradient that LARS passes on: ratio (g + wd w), ratio = coefficient ‖w‖ / (‖g‖ +
    wd ‖w‖ + epsilon), and 1 if a norm is 0. With groups the bias may have its own rate and decay,
    and decay applies to all names.
    """
    weight, g = weight.astype(np.float64), gradient.astype(np.float64) / scale
    taken = "bias" not in name if chosen is None else "weight" not in name
    if not taken:
        return g
    own = group if group and name == "bias" else {}
    rate, wd = own.get("lr", rate), own.get("weight_decay", decay)
    if group is None and ("gamma" in name or "beta" in name):
        wd = 0.0
    length, size = np.linalg.norm(weight), np.linalg.norm(g)
    ratio = coefficient * length / (size + wd * length + epsilon) if length and size else 1.0
    if clip:
        ratio = min(ratio / rate, 1.0)
    return ratio * (g + wd * weight)


class Dense:
    """A dense layer followed by the mean squared error, and Momentum, in float64."""

    def __init__(self, weights):
        self.weight, self.bias = (w.astype(np.float64) for w in weights)
        self.moments = [np.zeros_like(self.weight), np.zeros_like(self.bias)]

    def backward(self, x, target):
        """Returns (loss, gradient of the layer's output)."""
        x, target = x.astype(np.float64), target.astype(np.float64)
        off = x @ self.weight.T + self.bias - target
        return (off**2).mean(), 2 * off / off.size

    def move(self, gradients, rate, momentum, nesterov=False):
        """Applies one step of Momentum."""
        for index, (weight, g) in enumerate(zip((self.weight, self.bias), gradients, strict=True)):
            self.moments[index] = momentum * self.moments[index] + g
            way = g + momentum * self.moments[index] if nesterov else self.moments[index]
            weight -= rate * way

    def facts(self):
        return {"weight": _facts(self.weight), "bias": _facts(self.bias)}


def thor(case, given, seen):
    """Computes thor on a dense layer: gradient G⁻¹ g A⁻¹, then decay, clipping and momentum."""
    net = Dense(dense_weights())
    every = given.get("frequency", 100) if case.get("converted") else 1
    scale = given.get("loss_scale", 1.0)
    rates, dampings = (given[n].asnumpy().tolist() for n in ("learning_rate", "damping"))
    wanted = {}
    for step in range(seen[-1]):
        x, target = batch_of(step + 1)
        _, d = net.backward(x, target)
        d = d if case.get("converted") else d * scale
        if step % every == 0:
            damping = np.sqrt(dampings[min(step, len(dampings) - 1)])
            n = len(x)
            a = x.T.astype(np.float64) @ x / n
            g = d.T @ d / n * (given.get("batch_size", 32) / scale) ** 2
            left, right = (np.linalg.inv(m + damping * np.eye(len(m))) for m in (g, a))
        gradients = [left @ (d.T @ x / scale) @ right, d.sum(0) / scale]
        decay = given.get("weight_decay", 0.0)
        chosen = "bias" if "decay_filter" in given else ""
        for index, weight in enumerate((net.weight, net.bias)):
            if chosen in ("weight", "bias")[index]:
                gradients[index] = gradients[index] + decay * weight
        if given.get("enable_clip_grad"):
            gradients = [g / max(np.linalg.norm(g), 1.0) for g in gradients]
        rate = rates[min(step, len(rates) - 1)]
        net.move(gradients, rate, given["momentum"], given.get("use_nesterov", False))
        if step + 1 in seen:
            wanted[f"after {step + 1}"] = net.facts()
    return wanted


class Scale:
    """A loss scale that falls by `factor` on an overflow, and rises after `window` good steps."""

    def __init__(self, scale, factor, window):
        self.scale, self.factor, self.window = float(scale), factor, window
        self.current, self.last = 1, 0

    def update(self, overflow):
        rise = self.window <= self.current - self.last
        if overflow:
            self.scale = max(self.scale / self.factor, 1.0)
        elif rise:
            self.scale *= self.factor
        if overflow or rise:
            self.last = self.current
        self.current += 1

    def facts(self):
        return {
            "current_iterator_step": _facts(self.current, "Int32"),
            "last_overflow_iterator_step": _facts(self.last, "Int32"),
        }


def dynamic_scale(case, given, seen):
    """Computes DynamicLossScaleUpdateCell, called with one flag after another."""
    scale, wanted = Scale(case["scale"], given["scale_factor"], given["scale_window"]), {}
    for step, overflow in enumerate(case["overflows"], 1):
        scale.update(overflow)
        facts = {"result": {"flag": bool(overflow)}, "scale": _facts(scale.scale)}
        wanted[f"after {step}"] = {**facts, **scale.facts()}
    return wanted


def fixed_scale(case, given, seen):
    """Computes FixedLossScaleUpdateCell: the scale stays, and the flag is returned."""
    return {
        f"after {step}": {"result": {"flag": bool(flag)}, "scale": _facts(float(case["scale"]))}
        for step, flag in enumerate(case["overflows"], 1)
    }


def scaled_training(case, given, seen):
    """Computes TrainOneStepWithLossScaleCell with Momentum: a step that overflows changes only the
    scale and the counts.
    """
    net, spoilt = Dense(dense_weights()), case.get("spoilt", ())
    known = case["numbers"]
    scale = Scale(known["scale"], known.get("factor", 1), known.get("window", np.inf))
    dynamic, wanted, done = "factor" in known, {}, 0
    for step in range(1, seen[-1] + 1):
        overflow, used = step in spoilt, scale.scale
        loss = 0.0
        if not overflow:
            x, target = batch_of(step)
            loss, d = net.backward(x, target)
            net.move([d.T @ x, d.sum(0)], known["rate"], known["momentum"])
            done += 1
        if dynamic:
            scale.update(overflow)
        if step in (*seen, *spoilt):
            facts = {
                "weight": _facts(net.weight),
                "bias": _facts(net.bias),
                "moments.weight": _facts(net.moments[0]),
                "moments.bias": _facts(net.moments[1]),
                "global_step": _facts([done], "Int32"),
                **(scale.facts() if dynamic else {}),
            }
            if not overflow:
                result = [_facts(loss), _facts(False, "Bool"), _facts(used)]
                facts["result"] = result
            wanted[f"after {step}"] = facts
    return wanted


def optimizer(case, given, seen):
    """Computes an optimizer with a known update rule; options of a group take precedence."""
    wanted = {f"after {step}": {} for step in seen}
    for name in NAMES:
        options = {**_numbers(given), **_numbers(_group_of(name, given["params"]))}
        if "gamma" in name and not case["name"].startswith("mint"):
            options.pop("weight_decay", None)
        weight, state = weight_of(name).astype(np.float64), {}
        for step in range(1, seen[-1] + 1):
            gradient = gradient_of(name, step).astype(np.float64)
            weight = RULES[case["rule"]](weight, gradient, state, step, **options)
            if step in seen:
                wanted[f"after {step}"][name] = _facts(weight)
    return wanted


def _group_of(name, params):
    """Returns the options of the group with a Parameter; none without groups."""
    groups = (group for group in params if isinstance(group, dict))
    return next((g for g in groups if any(p.name == name for p in g["params"])), {})


def _numbers(given):
    """Returns arguments as plain numbers, with one name for the learning rate."""
    numbers = {key: value for key, value in given.items() if key not in ("params", "order_params")}
    if "learning_rate" in numbers:
        numbers["lr"] = numbers.pop("learning_rate")
    return {k: v.asnumpy().item() if hasattr(v, "asnumpy") else v for k, v in numbers.items()}


def adam(
    w,
    g,
    state,
    t,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
    amsgrad=False,
    maximize=False,
    apart=False,
):
    """Computes an Adam update; with `apart` the decay applies to the weight itself."""
    g = -g if maximize else g
    if apart:
        w = w * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * w
    first, second = betas
    state["m"] = first * state.get("m", 0.0) + (1 - first) * g
    state["v"] = second * state.get("v", 0.0) + (1 - second) * g * g
    state["top"] = np.maximum(state.get("top", 0.0), state["v"])
    root = np.sqrt((state["top"] if amsgrad else state["v"]) / (1 - second**t))
    return w - lr / (1 - first**t) * state["m"] / (root + eps)


def adamw(w, g, state, t, *, weight_decay=0.01, **options):
    """Computes an Adam update whose decay applies to the weight itself."""
    return adam(w, g, state, t, weight_decay=weight_decay, apart=True, **options)


def sgd(
    w,
    g,
    state,
    t,
    *,
    lr,
    momentum=0.0,
    dampening=0.0,
    weight_decay=0.0,
    nesterov=False,
    maximize=False,
):
    """Computes gradient descent with momentum. The momentum buffer starts as the first gradient."""
    g = (-g if maximize else g) + weight_decay * w
    momentum_buffer = momentum * state["m"] + (1 - dampening) * g if "m" in state else g
    state["m"] = momentum_buffer
    return w - lr * (g + momentum * momentum_buffer if nesterov else momentum_buffer)


def nesterov(w, g, state, t, *, lr, momentum, weight_decay=0.0, use_nesterov=True):
    """Computes Nesterov momentum."""
    return sgd(w, g, state, t, lr=lr, momentum=momentum, weight_decay=weight_decay, nesterov=True)


def lamb(w, g, state, t, *, lr, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
    """Computes Adam's direction with decay, scaled to the norm of the weight."""
    state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    state["v"] = beta2 * state.get("v", 0.0) + (1 - beta2) * g * g
    way = state["m"] / (1 - beta1**t) / (np.sqrt(state["v"] / (1 - beta2**t)) + eps)
    way = way + weight_decay * w
    length, size = np.linalg.norm(w), np.linalg.norm(way)
    return w - lr * (length / size if length > 0 and size > 0 else 1.0) * way


RULES = {"adam": adam, "adamw": adamw, "sgd": sgd, "nesterov": nesterov, "lamb": lamb}
