"""The arithmetic of every optimizer, one pure formula each: `formula(xp, p, g, *states, **scalars)
-> (p, *states)`.

`p` is the parameter, `g` its gradient, `lr` the learning rate. Scalars are plain numbers prepared
once per step; flags such as `nesterov` are Python bools. Nothing here writes in place, knows a
Tensor or names an array library: `_backend/updates/fuse.py` runs the elementwise formulas in place,
over blocks on a CPU and as one kernel on a GPU. The formulas at the end reduce over a whole tensor
and are not fused.
"""


def momentum_update(xp, p, g, moments, *, lr, momentum, nesterov=False):
    """Momentum: gradient descent along an accumulated gradient, or one step ahead of it
    (Nesterov).
    """
    moments = momentum * moments + g
    step = g + momentum * moments if nesterov else moments
    return p - lr * step, moments


def sgd_update(xp, p, g, accum, stat, *, lr, momentum, dampening, nesterov=False):
    """Momentum with dampening; `stat` is 1 until the first step, which takes the whole gradient.

    `dampening` None means none, and then the first step is like any other.
    """
    if dampening is None:
        accum = momentum * accum + g
    else:
        accum = xp.where(stat > 0, g, momentum * accum + (1 - dampening) * g)
        stat = stat * 0
    step = g + momentum * accum if nesterov else accum
    return p - lr * step, accum, stat


def sgd_or_plain_update(xp, p, g, accum, stat, *, lr, momentum, dampening, nesterov):
    """`sgd_update`, or without `momentum` (None) `plain_update`, which leaves the states alone."""
    if momentum is None:
        return p - lr * g, accum, stat
    return sgd_update(
        xp, p, g, accum, stat, lr=lr, momentum=momentum, dampening=dampening, nesterov=nesterov
    )


def momentum_or_plain_update(xp, p, g, moments, *, lr, momentum, share, nesterov):
    """Momentum that accumulates a `share` of the gradient; without `momentum` (None) there is no
    state.
    """
    if momentum is None:
        return p - lr * g, moments
    moments = momentum * moments + share * g
    return p - lr * (g + momentum * moments if nesterov else moments), moments


def keras_momentum_update(xp, p, g, accum, *, lr, momentum, nesterov=False):
    """Momentum that accumulates steps, not gradients, so that a change of `lr` acts late."""
    accum = momentum * accum - lr * g
    return p + (momentum * accum - lr * g if nesterov else accum), accum


def add_sign_update(xp, p, g, m, *, lr, alpha, sign_decay, beta):
    """A gradient that counts more where it agrees with its running mean in sign."""
    m = beta * m + (1 - beta) * g
    return p - lr * (alpha + sign_decay * xp.sign(g) * xp.sign(m)) * g, m


def power_sign_update(xp, p, g, m, *, lr, logbase, sign_decay, beta):
    """A gradient that counts exponentially more where it agrees with its running mean in sign."""
    m = beta * m + (1 - beta) * g
    return p - lr * xp.exp(logbase * sign_decay * xp.sign(g) * xp.sign(m)) * g, m


def plain_update(xp, p, g, *, lr):
    """Gradient descent without state."""
    return (p - lr * g,)


def adam_step(xp, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """What Adam subtracts from the parameter. `lr` is already corrected for the averages' bias."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    ahead = beta1 * m + (1 - beta1) * g if nesterov else m
    return lr * ahead / (xp.sqrt(v) + eps), m, v


def adam_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """Adam."""
    step, m, v = adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)
    return p - step, m, v


def adam_no_parameter_update(xp, delta, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """What Adam adds to the parameter, in `delta`."""
    step, m, v = adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)
    return -step, m, v


def amsgrad_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps):
    """AMSGrad: Adam divided by the largest second moment so far, `top`."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    top = xp.maximum(top, v)
    return p - lr * m / (xp.sqrt(top) + eps), m, v, top


def adam_weight_decay_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, decay):
    """Adam with decoupled weight decay and no bias correction; a `decay` of None means no decay."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step = m / (xp.sqrt(v) + eps)
    if decay is not None:
        step = step + decay * p
    return p - lr * step, m, v


def adamax_update(xp, p, g, m, v, *, lr, beta1, beta2, eps):
    """AdaMax, Adam with the infinity norm. `lr` is already corrected for the bias of the first
    average.
    """
    m = beta1 * m + (1 - beta1) * g
    v = xp.maximum(beta2 * v, xp.abs(g))
    return p - lr * m / (v + eps), m, v


def rmsprop_update(xp, p, g, mean_square, moment, *, lr, rho, momentum, eps):
    """RMSProp: the gradient over the root of its running mean square, with momentum."""
    mean_square = rho * mean_square + (1 - rho) * g * g
    moment = momentum * moment + lr * g / xp.sqrt(mean_square + eps)
    return p - moment, mean_square, moment


def centered_rmsprop_update(xp, p, g, mean, mean_square, moment, *, lr, rho, momentum, eps):
    """RMSProp with the running variance in place of the running mean square."""
    mean = rho * mean + (1 - rho) * g
    mean_square = rho * mean_square + (1 - rho) * g * g
    moment = momentum * moment + lr * g / xp.sqrt(mean_square - mean * mean + eps)
    return p - moment, mean, mean_square, moment


def adagrad_update(xp, p, g, accum, *, lr, update_slots=True):
    """Adagrad: the gradient over the root of the sum of all its squares."""
    if update_slots:
        accum = accum + g * g
    return p - lr * g / xp.sqrt(accum), accum


def adagrad_eps_update(xp, p, g, accum, *, lr, eps, update_slots=True):
    """Adagrad with `eps` added to the root."""
    if update_slots:
        accum = accum + g * g
    return p - lr * g / (xp.sqrt(accum) + eps), accum


def adagrad_da_update(xp, p, g, total, squares, *, lr, l1, l2, step):
    """Adagrad by dual averaging: the parameter is recomputed from the sums of gradients and of
    their squares. An `l1` of None means no penalty.
    """
    total = total + g
    squares = squares + g * g
    pull = total
    if l1 is not None:
        pull = xp.sign(total) * xp.maximum(xp.abs(total) - l1 * step, 0.0)
    return -lr * pull / (l2 * step * lr + xp.sqrt(squares)), total, squares


def adadelta_update(xp, p, g, accum, accum_update, *, lr, rho, eps):
    """Adadelta: the gradient scaled by the ratio of the running sizes of the updates and of the
    gradients.
    """
    accum = rho * accum + (1 - rho) * g * g
    step = xp.sqrt(accum_update + eps) * g / xp.sqrt(accum + eps)
    accum_update = rho * accum_update + (1 - rho) * step * step
    return p - lr * step, accum, accum_update


def proximal_update(xp, p, g, *, lr, l1, l2):
    """Gradient descent followed by the proximal step of an l1 and l2 penalty."""
    target = p - lr * g
    shrunk = xp.maximum(xp.abs(target) - lr * l1, 0.0)
    return (xp.sign(target) * shrunk / (1 + lr * l2),)


def proximal_adagrad_update(xp, p, g, accum, *, lr, l1, l2):
    """`proximal_update` with the rate of Adagrad."""
    accum = accum + g * g
    (p,) = proximal_update(xp, p, g, lr=lr / xp.sqrt(accum), l1=l1, l2=l2)
    return p, accum


def ftrl_update(xp, p, g, accum, linear, *, lr, lr_power, l1, l2):
    """FTRL (follow the regularized leader): the parameter is recomputed from the summed linear
    term.
    """
    grown = accum + g * g
    root = grown**-lr_power
    linear = linear + g - (root - accum**-lr_power) / lr * p
    solved = (xp.sign(linear) * l1 - linear) / (root / lr + 2 * l2)
    return xp.where(xp.abs(linear) > l1, solved, 0.0), grown, linear


def ftrl_shrunk_update(xp, p, g, accum, linear, *, lr, lr_power, l1, l2, shrink):
    """`ftrl_update` whose linear term also sees the parameter, by twice `shrink`."""
    linear = linear + 2 * shrink * p
    return ftrl_update(xp, p, g, accum, linear, lr=lr, lr_power=lr_power, l1=l1, l2=l2)


def adam_or_amsgrad_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps, amsgrad):
    """`adam_update`, or `amsgrad_update`, over one set of states."""
    if amsgrad:
        return amsgrad_update(xp, p, g, m, v, top, lr=lr, beta1=beta1, beta2=beta2, eps=eps)
    p, m, v = adam_update(xp, p, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps)
    return p, m, v, top


def adamw_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps, root, shrink, amsgrad):
    """AdamW: Adam with a decoupled decay of the parameter by the factor `shrink` (None means no
    decay).

    `lr` is corrected for the first average's bias, and `root` is what the root of the second is
    multiplied by, before `eps` is added.
    """
    if shrink is not None:
        p = p * shrink
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    if amsgrad:
        top = xp.maximum(top, v)
    return p - lr * m / (xp.sqrt(top if amsgrad else v) * root + eps), m, v, top


def adamw_without_top_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, root, shrink):
    """`adamw_update` without the largest square."""
    return adamw_update(
        xp,
        p,
        g,
        m,
        v,
        v,
        lr=lr,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        root=root,
        shrink=shrink,
        amsgrad=False,
    )[:3]


def nadam_update(xp, p, g, m, v, *, g_rate, m_rate, beta1, beta2, eps, root):
    """NAdam, Adam with Nesterov's momentum: the gradient and its average have rates of
    their own.
    """
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    return p - (g_rate * g + m_rate * m) / (xp.sqrt(v) * root + eps), m, v


def radam_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, settled):
    """Rectified Adam: Adam once the variance of its rate is `settled`; until then momentum
    alone.
    """
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    return p - (lr * m / (xp.sqrt(v) + eps) if settled else lr * m), m, v


def adamax_inner_eps_update(xp, p, g, m, v, *, lr, beta1, beta2, eps):
    """`adamax_update` with `eps` added to the gradient's size, not to the norm."""
    m = beta1 * m + (1 - beta1) * g
    v = xp.maximum(beta2 * v, xp.abs(g) + eps)
    return p - lr * m / v, m, v


def rmsprop_outer_eps_update(
    xp, p, g, mean, mean_square, moment, *, lr, rho, momentum, eps, centered
):
    """RMSProp with `eps` added to the root, and a momentum without `lr`; None for none."""
    mean_square = rho * mean_square + (1 - rho) * g * g
    if centered:
        mean = rho * mean + (1 - rho) * g
    root = xp.sqrt(mean_square - mean * mean if centered else mean_square)
    step = g / (root + eps)
    if momentum is not None:
        step = moment = momentum * moment + step
    return p - lr * step, mean, mean_square, moment


def asgd_update(xp, p, g, average, *, lambd, eta, mu):
    """ASGD: a decayed step of length `eta`, and the running average of the parameter."""
    p = p * (1 - lambd * eta) - eta * g
    return p, average + (p - average) * mu


def rprop_update(xp, p, g, previous, size, *, lr, first, shrink, grow, smallest, largest):
    """Rprop: the step length depends on whether the gradient kept its sign; after a change of sign
    there is no step.

    The `first` step is `lr` long.
    """
    if first:
        size = size * 0 + lr
    agree = g * previous
    longer = xp.minimum(size * grow, largest)
    shorter = xp.maximum(size * shrink, smallest)
    size = xp.where(agree > 0, longer, xp.where(agree < 0, shorter, size))
    g = xp.where(agree < 0, 0.0, g)
    return p - xp.sign(g) * size, g, size


def lamb_direction(xp, step, p, g, m, v, *, beta1, beta2, eps, correct1, correct2, decay):
    """Adam's direction with decay added, stored in `step` until its norm is known."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step = (m * correct1) / (xp.sqrt(v * correct2) + eps)
    if decay is not None:
        step = step + decay * p
    return step, m, v


def unscaled(xp, p, g, *, unscale, decay):
    """The gradient in the optimizer's form: the loss scale divided out, weight decay added. None
    skips an operation.
    """
    if unscale is not None:
        g = g * unscale
    if decay is not None:
        g = g + decay * p
    return g


# ---- formulas over whole tensors


def adafactor_direction(xp, g, row, column, *, beta2, eps):
    """Adafactor for matrices: the running means of the squares over columns and over rows
    approximate all.

    Returns the gradient over the root of the mean square, and the new means.
    """
    squares = g * g + eps
    row = beta2 * row + (1 - beta2) * xp.mean(squares, axis=-1)
    column = beta2 * column + (1 - beta2) * xp.mean(squares, axis=-2)
    share = row / xp.mean(row, axis=-1, keepdims=True)
    return g / (xp.sqrt(share)[..., None] * xp.sqrt(column)[..., None, :]), row, column


def adafactor_vector_direction(xp, g, squares, *, beta2, eps):
    """Adafactor for vectors: the gradient over the root of its running mean square."""
    squares = beta2 * squares + (1 - beta2) * (g * g + eps)
    return g / xp.sqrt(squares), squares


def root_mean_square(xp, x):
    """The root of the mean square of all elements."""
    return xp.sqrt(xp.mean(x * x))


def trust_ratio(xp, p_norm, g_norm, *, coefficient, decay, eps, rate=None):
    """How far a tensor may move: 1 where the parameter or the gradient is all zeros.

    With a learning `rate` the ratio is divided by it and at most 1.
    """
    ratio = coefficient * p_norm / (g_norm + decay * p_norm + eps)
    if rate is not None:
        ratio = xp.minimum(ratio / rate, 1.0)
    return xp.where((p_norm > 0) & (g_norm > 0), ratio, 1.0)


def lars_gradient(xp, out, p, g, *, unscale, decay, coefficient, eps, rate):
    """The gradient that LARS passes on, in `out`: scaled to the size of the parameter."""
    g = unscaled(xp, p, g, unscale=unscale, decay=None)
    ratio = trust_ratio(
        xp,
        xp.whole_norm(p),
        xp.whole_norm(g),
        coefficient=coefficient,
        decay=0.0 if decay is None else decay,
        eps=eps,
        rate=rate,
    )
    return (unscaled(xp, p, g, unscale=None, decay=decay) * ratio,)


def lamb_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, correct1, correct2, decay):
    """LAMB: Adam's direction with decay added, in a step as long as the parameter allows."""
    step, m, v = lamb_direction(
        xp,
        None,
        p,
        g,
        m,
        v,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        correct1=correct1,
        correct2=correct2,
        decay=decay,
    )
    ratio = trust_ratio(
        xp, xp.whole_norm(p), xp.whole_norm(step), coefficient=1.0, decay=0.0, eps=0.0
    )
    return p - lr * (step * ratio), m, v


def centralised(xp, g):
    """The gradient of a convolution minus its mean over all axes but the output channel."""
    return g - xp.mean(g, axis=tuple(range(1, g.ndim)), keepdims=True)
