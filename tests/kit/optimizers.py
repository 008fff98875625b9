"""Optimizers in float64, one parameter at a time: the reference of the optimizer tests.

Nothing here is taken from the package. A rule is a class with two methods: `first(shape)` returns
the initial states of a parameter, `step(p, g, states, lr, t)` the new parameter; t starts at 1.
"""

import numpy as np


class Momentum:
    def __init__(self, momentum, nesterov=False):
        self.momentum, self.nesterov = momentum, nesterov

    def first(self, shape):
        return {"moments": np.zeros(shape)}

    def step(self, p, g, s, lr, t):
        s["moments"] = s["moments"] * self.momentum + g
        if self.nesterov:
            return p - lr * (g + s["moments"] * self.momentum)
        return p - lr * s["moments"]


class SGD:
    def __init__(self, momentum=0.0, dampening=0.0, nesterov=False):
        self.momentum, self.dampening, self.nesterov = momentum, dampening, nesterov

    def first(self, shape):
        return {"accum": np.zeros(shape), "stat": np.ones(shape)}

    def step(self, p, g, s, lr, t):
        if not self.momentum:
            return p - lr * g
        if t == 1:
            s["accum"] = g.copy()
        else:
            s["accum"] = self.momentum * s["accum"] + (1 - self.dampening) * g
        s["stat"] = np.zeros_like(p)
        return p - lr * (g + self.momentum * s["accum"] if self.nesterov else s["accum"])


class Adam:
    def __init__(self, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.nesterov, self.amsgrad = nesterov, amsgrad

    def first(self, shape):
        return {"moment1": np.zeros(shape), "moment2": np.zeros(shape), "vhat": np.zeros(shape)}

    def step(self, p, g, s, lr, t):
        s["moment1"] = self.beta1 * s["moment1"] + (1 - self.beta1) * g
        s["moment2"] = self.beta2 * s["moment2"] + (1 - self.beta2) * g**2
        ahead = s["moment1"]
        if self.nesterov:
            ahead = self.beta1 * s["moment1"] + (1 - self.beta1) * g
        second = s["moment2"]
        if self.amsgrad:
            second = s["vhat"] = np.fmax(s["vhat"], second)
        scale = np.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        return p - lr * scale * ahead / (np.sqrt(second) + self.eps)


class AdamWeightDecay:
    decoupled = True

    def __init__(self, beta1=0.9, beta2=0.999, eps=1e-6):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps

    def first(self, shape):
        return {"adam_m": np.zeros(shape), "adam_v": np.zeros(shape)}

    def step(self, p, g, s, lr, t, decay=0.0):
        s["adam_m"] = self.beta1 * s["adam_m"] + (1 - self.beta1) * g
        s["adam_v"] = self.beta2 * s["adam_v"] + (1 - self.beta2) * g**2
        return p - lr * (s["adam_m"] / (np.sqrt(s["adam_v"]) + self.eps) + decay * p)


class Lamb:
    decoupled = True

    def __init__(self, beta1=0.9, beta2=0.999, eps=1e-6):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps

    def first(self, shape):
        return {"lamb_m": np.zeros(shape), "lamb_v": np.zeros(shape)}

    def step(self, p, g, s, lr, t, decay=0.0):
        s["lamb_m"] = self.beta1 * s["lamb_m"] + (1 - self.beta1) * g
        s["lamb_v"] = self.beta2 * s["lamb_v"] + (1 - self.beta2) * g**2
        m, v = s["lamb_m"] / (1 - self.beta1**t), s["lamb_v"] / (1 - self.beta2**t)
        r = m / (np.sqrt(v) + self.eps) + decay * p
        sizes = np.linalg.norm(p.ravel()), np.linalg.norm(r.ravel())
        return p - lr * r * (sizes[0] / sizes[1] if all(sizes) else 1.0)


class RMSProp:
    def __init__(self, decay=0.9, momentum=0.0, eps=1e-10, centered=False):
        self.decay, self.momentum, self.eps, self.centered = decay, momentum, eps, centered

    def first(self, shape):
        return {
            "mean_square": np.ones(shape),
            "moment": np.zeros(shape),
            "mean_grad": np.zeros(shape),
        }

    def step(self, p, g, s, lr, t):
        s["mean_square"] += (1 - self.decay) * (g**2 - s["mean_square"])
        variance = s["mean_square"]
        if self.centered:
            s["mean_grad"] += (1 - self.decay) * (g - s["mean_grad"])
            variance = variance - s["mean_grad"] ** 2
        s["moment"] = self.momentum * s["moment"] + lr * g / np.sqrt(variance + self.eps)
        return p - s["moment"]


class Adagrad:
    def __init__(self, accum=0.1, grows=True):
        self.accum, self.grows = accum, grows

    def first(self, shape):
        return {"accum": np.full(shape, self.accum)}

    def step(self, p, g, s, lr, t):
        s["accum"] = s["accum"] + g**2 * self.grows
        return p - lr * g / np.sqrt(s["accum"])


class Adadelta:
    def __init__(self, rho=0.9, eps=1e-6):
        self.rho, self.eps = rho, eps

    def first(self, shape):
        return {"accum": np.zeros(shape), "accum_update": np.zeros(shape)}

    def step(self, p, g, s, lr, t):
        s["accum"] = self.rho * s["accum"] + (1 - self.rho) * g**2
        u = np.sqrt((s["accum_update"] + self.eps) / (s["accum"] + self.eps)) * g
        s["accum_update"] = self.rho * s["accum_update"] + (1 - self.rho) * u**2
        return p - lr * u


class AdaMax:
    def __init__(self, beta1=0.9, beta2=0.999, eps=1e-8):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps

    def first(self, shape):
        return {"moment1": np.zeros(shape), "moment2": np.zeros(shape)}

    def step(self, p, g, s, lr, t):
        s["moment1"] = self.beta1 * s["moment1"] + (1 - self.beta1) * g
        s["moment2"] = np.fmax(self.beta2 * s["moment2"], np.fabs(g))
        return p - lr / (1 - self.beta1**t) * s["moment1"] / (s["moment2"] + self.eps)


class ProximalAdagrad:
    def __init__(self, accum=0.1, l1=0.0, l2=0.0):
        self.accum, self.l1, self.l2 = accum, l1, l2

    def first(self, shape):
        return {"accum": np.full(shape, self.accum)}

    def step(self, p, g, s, lr, t):
        s["accum"] = s["accum"] + g**2
        rate = lr / np.sqrt(s["accum"])
        w = p - rate * g
        return np.copysign(np.fmax(np.fabs(w) - rate * self.l1, 0), w) / (1 + rate * self.l2)


class FTRL:
    def __init__(self, accum=0.1, power=-0.5, l1=0.0, l2=0.0):
        self.accum, self.power, self.l1, self.l2 = accum, power, l1, l2

    def first(self, shape):
        return {"moments": np.full(shape, self.accum), "linear": np.zeros(shape)}

    def step(self, p, g, s, lr, t):
        grown = s["moments"] + g**2
        sigma = (grown**-self.power - s["moments"] ** -self.power) / lr
        s["linear"] = u = s["linear"] + g - sigma * p
        s["moments"] = grown
        bottom = grown**-self.power / lr + 2 * self.l2
        return np.select(
            [u > self.l1, u < -self.l1], [(self.l1 - u) / bottom, (-self.l1 - u) / bottom], 0.0
        )


class ASGD:
    def __init__(self, lambd=1e-4, alpha=0.75, t0=1e6):
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0

    def first(self, shape):
        return {"ax_": np.zeros(shape), "eta": None, "mu": 1.0}

    def step(self, p, g, s, lr, t):
        eta = lr if s["eta"] is None else s["eta"]
        p = p * (1 - self.lambd * eta) - eta * g
        s["ax_"] = p.copy() if s["mu"] == 1.0 else s["ax_"] + (p - s["ax_"]) * s["mu"]
        s["eta"] = lr / (1 + self.lambd * lr * t) ** self.alpha
        s["mu"] = 1 / max(1.0, t - self.t0)
        return p


class Rprop:
    def __init__(self, etas=(0.5, 1.2), sizes=(1e-6, 50.0)):
        self.etas, self.sizes = etas, sizes

    def first(self, shape):
        return {"prev": np.zeros(shape), "step_size": None}

    def step(self, p, g, s, lr, t):
        if s["step_size"] is None:
            s["step_size"] = np.full(p.shape, lr)
        new, remaining = np.array(p), np.array(g)
        for at in np.ndindex(p.shape):
            agree = g[at] * s["prev"][at]
            if agree > 0:
                s["step_size"][at] = min(s["step_size"][at] * self.etas[1], self.sizes[1])
            elif agree < 0:
                s["step_size"][at] = max(s["step_size"][at] * self.etas[0], self.sizes[0])
                remaining[at] = 0
            new[at] -= np.sign(remaining[at]) * s["step_size"][at]
        s["prev"] = remaining
        return new


class AdaFactor:
    decoupled = True

    def __init__(self, relative=True, scaled=True, warmup=False, beta1=0.9, rate=0.8):
        self.relative, self.scaled, self.warmup = relative, scaled, warmup
        self.beta1, self.rate = beta1, rate

    def first(self, shape):
        return {"exp_avg": np.zeros(shape), "row": 0.0, "column": 0.0, "all": 0.0}

    def step(self, p, g, s, lr, t, decay=0.0):
        if self.relative:
            lr = min(1e-6 * t if self.warmup else 1e-2, t**-0.5)
        if self.scaled:
            lr = lr * max(1e-3, np.sqrt((p**2).mean()))
        old = 1 - t**-self.rate
        q = g**2 + 1e-30
        if p.ndim > 1:
            s["row"] = old * s["row"] + (1 - old) * q.mean(-1)
            s["column"] = old * s["column"] + (1 - old) * q.mean(-2)
            mean = s["row"][..., :, None] * s["column"][..., None, :]
            mean = mean / s["row"].mean(-1)[..., None, None]
        else:
            mean = s["all"] = old * s["all"] + (1 - old) * q
        u = g / np.sqrt(mean)
        u = u / max(1.0, np.sqrt((u**2).mean())) * lr
        s["exp_avg"] = self.beta1 * s["exp_avg"] + (1 - self.beta1) * u
        return p - s["exp_avg"] - decay * lr * p


def train(rule, values, gradients, rate, decay=lambda name, t: 0.0, loss_scale=1.0):
    """Trains named arrays in float64; returns the new arrays and their states.

    Args:
        rule: an object of one of the classes above.
        values: the parameters by name.
        gradients: for each step, the gradients by name, multiplied by the loss scale.
        rate: `rate(name, t)` is the learning rate; t starts at 0.
        decay: `decay(name, t)` is the weight decay.
        loss_scale: the number that the gradients are divided by.
    """
    values = {name: value.astype(np.float64) for name, value in values.items()}
    states = {name: rule.first(value.shape) for name, value in values.items()}
    for t, grads in enumerate(gradients):
        for name, p in values.items():
            g = grads[name].astype(np.float64) / loss_scale
            strength = decay(name, t)
            if getattr(rule, "decoupled", False):
                new = rule.step(p, g, states[name], rate(name, t), t + 1, strength)
            else:
                new = rule.step(p, g + strength * p, states[name], rate(name, t), t + 1)
            values[name] = new
    return values, states
