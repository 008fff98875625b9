"""The arithmetic of every optimizer, as one pure function each: `formula(xp, p, g, *states,
**scalars) -> (p, *states)`.

`p` is the parameter, `g` its gradient, `lr` the learning rate. Scalars are plain numbers prepared
once per step; flags such as `nesterov` are Python bools. No formula writes in place, uses a Tensor
or names an array library. `_backend/updates/fuse.py` runs the elementwise formulas in place, over
blocks on a CPU and as one kernel on a GPU. The formulas at the end reduce over a whole tensor and
are not fused.
"""


def momentum_update(xp, p, g, moments, *, lr, momentum, nesterov=False):
    """Performs one step of gradient descent with momentum, or with Nesterov's momentum."""
    moments = momentum * moments + g
    step = g + momentum * moments if nesterov else moments
    return p - lr * step, moments


def sgd_update(xp, p, g, accum, stat, *, lr, momentum, dampening, nesterov=False):
    """Performs a momentum step with dampening; `stat` is 1 before the first step, which is not
    dampened.

    If `dampening` is None, the step is not dampened, and `stat` is not used.
    """
    if dampening is None:
        accum = momentum * accum + g
    else:
        accum = xp.where(stat > 0, g, momentum * accum + (1 - dampening) * g)
        stat = stat * 0
    step = g + momentum * accum if nesterov else accum
    return p - lr * step, accum, stat


def sgd_or_plain_update(xp, p, g, accum, stat, *, lr, momentum, dampening, nesterov):
    """Performs the step of `sgd_update`, or of `plain_update` if `momentum` is None, which keeps
    the states."""
    if momentum is None:
        return p - lr * g, accum, stat
    return sgd_update(
        xp, p, g, accum, stat, lr=lr, momentum=momentum, dampening=dampening, nesterov=nesterov
    )


def momentum_or_plain_update(xp, p, g, moments, *, lr, momentum, share, nesterov):
    """Performs a momentum step that accumulates a `share` of the gradient, or a plain step if
    `momentum` is None.
    """
    if momentum is None:
        return p - lr * g, moments
    moments = momentum * moments + share * g
    return p - lr * (g + momentum * moments if nesterov else moments), moments


def keras_momentum_update(xp, p, g, accum, *, lr, momentum, nesterov=False):
    """Performs a momentum step that accumulates steps, not gradients, so that a change of `lr` acts
    gradually."""
    accum = momentum * accum - lr * g
    return p + (momentum * accum - lr * g if nesterov else accum), accum


def add_sign_update(xp, p, g, m, *, lr, alpha, sign_decay, beta):
    """Performs one step of AddSign: the gradient is scaled up where it has the sign of its running
    mean.
    """
    m = beta * m + (1 - beta) * g
    return p - lr * (alpha + sign_decay * xp.sign(g) * xp.sign(m)) * g, m


def power_sign_update(xp, p, g, m, *, lr, logbase, sign_decay, beta):
    """Performs one step of PowerSign: as AddSign, with an exponential scale."""
    m = beta * m + (1 - beta) * g
    return p - lr * xp.exp(logbase * sign_decay * xp.sign(g) * xp.sign(m)) * g, m


def plain_update(xp, p, g, *, lr):
    """Performs one step of gradient descent without state."""
    return (p - lr * g,)


def adam_step(xp, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """Returns the step that Adam subtracts from the parameter; `lr` already contains the bias
    correction."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    ahead = beta1 * m + (1 - beta1) * g if nesterov else m
    return lr * ahead / (xp.sqrt(v) + eps), m, v


def adam_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """Performs one step of Adam; `lr` already contains the bias correction."""
    step, m, v = adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)
    return p - step, m, v


def adam_no_parameter_update(xp, delta, g, m, v, *, lr, beta1, beta2, eps, nesterov=False):
    """Returns the step that Adam adds to the parameter, in `delta`."""
    step, m, v = adam_step(xp, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps, nesterov=nesterov)
    return -step, m, v


def amsgrad_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps):
    """Performs one step of AMSGrad, which divides Adam's step by the largest second moment so far,
    `top`."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    top = xp.maximum(top, v)
    return p - lr * m / (xp.sqrt(top) + eps), m, v, top


def adam_weight_decay_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, decay):
    """Performs one step of Adam with decoupled weight decay and without bias correction; a decay
    of None means none."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step = m / (xp.sqrt(v) + eps)
    if decay is not None:
        step = step + decay * p
    return p - lr * step, m, v


def adamax_update(xp, p, g, m, v, *, lr, beta1, beta2, eps):
    """Performs one step of AdaMax, Adam with the infinity norm; `lr` already contains the bias
    correction of the first moment.
    """
    m = beta1 * m + (1 - beta1) * g
    v = xp.maximum(beta2 * v, xp.abs(g))
    return p - lr * m / (v + eps), m, v


def rmsprop_update(xp, p, g, mean_square, moment, *, lr, rho, momentum, eps):
    """Performs one step of RMSProp: the gradient over the root of its running mean square, with
    momentum."""
    mean_square = rho * mean_square + (1 - rho) * (g * g)
    moment = momentum * moment + lr * g / xp.sqrt(mean_square + eps)
    return p - moment, mean_square, moment


def centered_rmsprop_update(xp, p, g, mean, mean_square, moment, *, lr, rho, momentum, eps):
    """Performs one step of RMSProp with the running variance in place of the running mean
    square."""
    mean = rho * mean + (1 - rho) * g
    mean_square = rho * mean_square + (1 - rho) * g * g
    moment = momentum * moment + lr * g / xp.sqrt(mean_square - mean * mean + eps)
    return p - moment, mean, mean_square, moment


def adagrad_update(xp, p, g, accum, *, lr, update_slots=True):
    """Performs one step of Adagrad: the gradient over the root of the sum of all its squares."""
    if update_slots:
        accum = accum + g * g
    return p - lr * g / xp.sqrt(accum), accum


def adagrad_eps_update(xp, p, g, accum, *, lr, eps, update_slots=True):
    """Performs one step of Adagrad with `eps` added to the root."""
    if update_slots:
        accum = accum + g * g
    return p - lr * g / (xp.sqrt(accum) + eps), accum


def adagrad_da_update(xp, p, g, total, squares, *, lr, l1, l2, step):
    """Performs one step of Adagrad dual averaging: the parameter is recomputed from the sums of
    gradients and of their squares. An `l1` of None means no penalty.
    """
    total = total + g
    squares = squares + g * g
    pull = total
    if l1 is not None:
        pull = xp.sign(total) * xp.maximum(xp.abs(total) - l1 * step, 0.0)
    return -lr * pull / (l2 * step * lr + xp.sqrt(squares)), total, squares


def adadelta_update(xp, p, g, accum, accum_update, *, lr, rho, eps):
    """Performs one step of Adadelta: the gradient times the ratio of the running root mean squares
    of updates and of gradients.
    """
    accum = rho * accum + (1 - rho) * g * g
    step = xp.sqrt(accum_update + eps) * g / xp.sqrt(accum + eps)
    accum_update = rho * accum_update + (1 - rho) * step * step
    return p - lr * step, accum, accum_update


def proximal_update(xp, p, g, *, lr, l1, l2):
    """Performs one step of gradient descent, then the proximal step of an l1 and l2 penalty."""
    target = p - lr * g
    magnitude = xp.maximum(xp.abs(target) - lr * l1, 0.0)
    return (xp.sign(target) * magnitude / (1 + lr * l2),)


def proximal_adagrad_update(xp, p, g, accum, *, lr, l1, l2):
    """Performs the step of `proximal_update` with the learning rate of Adagrad."""
    accum = accum + g * g
    (p,) = proximal_update(xp, p, g, lr=lr / xp.sqrt(accum), l1=l1, l2=l2)
    return p, accum


def ftrl_update(xp, p, g, accum, linear, *, lr, lr_power, l1, l2):
    """Performs one step of FTRL (follow the regularized leader): the parameter is recomputed from
    the accumulated linear term.
    """
    new_accum = accum + g * g
    root = new_accum**-lr_power
    linear = linear + g - (root - accum**-lr_power) / lr * p
    solved = (xp.sign(linear) * l1 - linear) / (root / lr + 2 * l2)
    return xp.where(xp.abs(linear) > l1, solved, 0.0), new_accum, linear


def ftrl_shrunk_update(xp, p, g, accum, linear, *, lr, lr_power, l1, l2, shrink):
    """Performs the step of `ftrl_update` with 2 * `shrink` times the parameter added to the linear
    term."""
    linear = linear + 2 * shrink * p
    return ftrl_update(xp, p, g, accum, linear, lr=lr, lr_power=lr_power, l1=l1, l2=l2)


def adam_or_amsgrad_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps, amsgrad):
    """Performs the step of `adam_update`, or of `amsgrad_update`, with the same states."""
    if amsgrad:
        return amsgrad_update(xp, p, g, m, v, top, lr=lr, beta1=beta1, beta2=beta2, eps=eps)
    p, m, v = adam_update(xp, p, g, m, v, lr=lr, beta1=beta1, beta2=beta2, eps=eps)
    return p, m, v, top


def adamw_update(xp, p, g, m, v, top, *, lr, beta1, beta2, eps, root, shrink, amsgrad):
    """Performs one step of AdamW: Adam with decoupled weight decay, the factor `shrink` of the
    parameter (None means no decay).

    `lr` contains the bias correction of the first moment. `root` is the factor by which the root of
    the second moment is multiplied before `eps` is added.
    """
    if shrink is not None:
        p = p * shrink
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    if amsgrad:
        top = xp.maximum(top, v)
    return p - lr * m / (xp.sqrt(top if amsgrad else v) * root + eps), m, v, top


def adamw_without_top_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, root, shrink):
    """Performs the step of `adamw_update` without AMSGrad's largest second moment."""
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
    """Performs one step of NAdam, Adam with Nesterov's momentum: the gradient and its average have
    separate learning rates.
    """
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    return p - (g_rate * g + m_rate * m) / (xp.sqrt(v) * root + eps), m, v


def radam_update(xp, p, g, m, v, *, lr, beta1, beta2, eps, settled):
    """Performs one step of Rectified Adam: of Adam if the variance of its rate is `settled`, else
    of momentum alone.
    """
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    return p - (lr * m / (xp.sqrt(v) + eps) if settled else lr * m), m, v


def adamax_inner_eps_update(xp, p, g, m, v, *, lr, beta1, beta2, eps):
    """Performs the step of `adamax_update` with `eps` added to the gradient's magnitude, not to the
    norm."""
    m = beta1 * m + (1 - beta1) * g
    v = xp.maximum(beta2 * v, xp.abs(g) + eps)
    return p - lr * m / v, m, v


def rmsprop_outer_eps_update(
    xp, p, g, mean, mean_square, moment, *, lr, rho, momentum, eps, centered
):
    """Performs one step of RMSProp with `eps` added to the root, and momentum that accumulates
    steps without `lr`; a `momentum` of None means none."""
    mean_square = rho * mean_square + (1 - rho) * g * g
    if centered:
        mean = rho * mean + (1 - rho) * g
    root = xp.sqrt(mean_square - mean * mean if centered else mean_square)
    step = g / (root + eps)
    if momentum is not None:
        step = moment = momentum * moment + step
    return p - lr * step, mean, mean_square, moment


def asgd_update(xp, p, g, average, *, lambd, eta, mu):
    """Performs one step of ASGD: decays the parameter, moves it by `eta` times the gradient, and
    averages it."""
    p = p * (1 - lambd * eta) - eta * g
    return p, average + (p - average) * mu


def rprop_update(xp, p, g, previous, size, *, lr, first, shrink, grow, smallest, largest):
    """Performs one step of Rprop: the step length grows while the gradient keeps its sign and
    shrinks when it changes; after a change of sign there is no step.

    The `first` step has length `lr`.
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
    """Writes Adam's direction plus weight decay into `step`, where it is kept until its norm is
    known."""
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step = (m * correct1) / (xp.sqrt(v * correct2) + eps)
    if decay is not None:
        step = step + decay * p
    return step, m, v


def unscaled(xp, p, g, *, unscale, decay):
    """Prepares a gradient for the optimizer: divides out the loss scale and adds weight decay. None
    skips an operation.
    """
    if unscale is not None:
        g = g * unscale
    if decay is not None:
        g = g + decay * p
    return g


# ---- formulas that reduce over whole tensors


def adafactor_direction(xp, g, row, column, *, beta2, eps):
    """Computes Adafactor's direction for matrices: the mean squares are approximated by running
    means over columns and over rows.

    Returns the gradient over the root of the approximated mean square, and the new means.
    """
    squares = g * g + eps
    row = beta2 * row + (1 - beta2) * xp.mean(squares, axis=-1)
    column = beta2 * column + (1 - beta2) * xp.mean(squares, axis=-2)
    share = row / xp.mean(row, axis=-1, keepdims=True)
    return g / (xp.sqrt(share)[..., None] * xp.sqrt(column)[..., None, :]), row, column


def adafactor_vector_direction(xp, g, squares, *, beta2, eps):
    """Computes Adafactor's direction for vectors: the gradient over the root of its running mean
    square."""
    squares = beta2 * squares + (1 - beta2) * (g * g + eps)
    return g / xp.sqrt(squares), squares


def root_mean_square(xp, x):
    """Returns the root of the mean square of all elements."""
    return xp.sqrt(xp.mean(x * x))


def trust_ratio(xp, p_norm, g_norm, *, coefficient, decay, eps, rate=None):
    """Computes LARS's trust ratio; it is 1 if the parameter or the gradient is all zeros.

    If a learning `rate` is given, the ratio is divided by it and is at most 1.
    """
    ratio = coefficient * p_norm / (g_norm + decay * p_norm + eps)
    if rate is not None:
        ratio = xp.minimum(ratio / rate, 1.0)
    return xp.where((p_norm > 0) & (g_norm > 0), ratio, 1.0)


def lars_gradient(xp, out, p, g, *, unscale, decay, coefficient, eps, rate):
    """Writes LARS's gradient into `out`: scaled to the norm of the parameter."""
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
    """Performs one step of LAMB: Adam's direction plus weight decay, with a length given by the
    parameter's norm."""
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
    """Subtracts from a convolution's gradient its mean over all axes except the output channel."""
    return g - xp.mean(g, axis=tuple(range(1, g.ndim)), keepdims=True)
