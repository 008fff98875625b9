"""Times optimizers against hand-written in-place NumPy; prints two tables.

Run `python tests/bench/bench_optimizer.py`. Times are processor milliseconds of the fastest of
several steps. "naive" writes the formula with temporaries, "by hand" with `out=` and one scratch
array per parameter; the ratio is that of the optimizer to "by hand". The second table is THOR: a
step between two second-order steps against one of Momentum, and the inverse of one factor. Nothing
is asserted.
"""

import os
import time

for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # both halve the speed of matrix products
    os.environ.pop(name, None)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  (the variables above are read when it loads)

from mindspore_compat import Parameter, Tensor, nn  # noqa: E402
from mindspore_compat._backend.block_inverse import inverse_blocks  # noqa: E402

SIZES = ((4, 100), (50, 1_000), (500, 1_000), (161, 16_000), (40, 160_000), (1, 20_000_000))
LR, BETA1, BETA2, EPS = 0.01, 0.9, 0.999, 1e-8


def fastest(function, runs):
    """Returns the processor milliseconds of the fastest of `runs` calls."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def adam_naive(p, g, m, v, t):
    """Adam as a textbook writes it, with a temporary array for each operation.

    Returns the new parameter and the two new moments."""
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    return p - LR * m / (np.sqrt(v) + EPS), m, v


def adam_by_hand(p, g, m, v, t):
    """Adam in place, with scratch memory."""
    m *= BETA1
    np.multiply(g, 1 - BETA1, out=t)
    m += t
    v *= BETA2
    np.multiply(g, g, out=t)
    t *= 1 - BETA2
    v += t
    np.sqrt(v, out=t)
    t += EPS
    np.divide(m, t, out=t)
    t *= LR
    p -= t


def decay_naive(p, g, m, v, t):
    """AdamWeightDecay as a textbook writes it, with a temporary array for each operation."""
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    return p - LR * (m / (np.sqrt(v) + EPS) + 0.01 * p), m, v


def decay_by_hand(p, g, m, v, t):
    """AdamWeightDecay in place, with scratch memory."""
    p *= 1 - LR * 0.01
    adam_by_hand(p, g, m, v, t)


def momentum_naive(p, g, m, v, t):
    """Momentum as it is first written down."""
    m = 0.9 * m + g
    return p - LR * m, m, v


def momentum_by_hand(p, g, m, v, t):
    """Momentum in place, with scratch memory."""
    m *= 0.9
    m += g
    np.multiply(m, LR, out=t)
    p -= t


def sgd_naive(p, g, m, v, t):
    """Gradient descent as it is first written down."""
    return p - LR * g, m, v


def sgd_by_hand(p, g, m, v, t):
    """Gradient descent in place, with scratch memory."""
    np.multiply(g, LR, out=t)
    p -= t


OPTIMIZERS = {
    "Adam": (lambda params: nn.Adam(params, LR), adam_naive, adam_by_hand),
    "AdamWeightDecay": (
        lambda params: nn.AdamWeightDecay(params, LR, weight_decay=0.01),
        decay_naive,
        decay_by_hand,
    ),
    "Momentum": (lambda params: nn.Momentum(params, LR, 0.9), momentum_naive, momentum_by_hand),
    "SGD": (lambda params: nn.SGD(params, LR), sgd_naive, sgd_by_hand),
}


def times_of(name, count, size):
    """Returns milliseconds of a step: naive, by hand, and of the optimizer."""
    make, naive, by_hand = OPTIMIZERS[name]
    runs = max(3, min(100, 20_000_000 // (count * size)))
    rows = [[np.random.rand(size).astype(np.float32) for _ in range(4)] for _ in range(count)]
    scratch = np.empty(size, np.float32)
    params = [Parameter(Tensor(row[0].copy()), name=f"p{i}") for i, row in enumerate(rows)]
    gradients = tuple(Tensor(row[1]) for row in rows)
    optimizer = make(params)
    optimizer(gradients)

    def each(step):
        for row in rows:
            step(*row, scratch)

    return (
        fastest(lambda: each(naive), min(runs, 20)),
        fastest(lambda: each(by_hand), runs),
        fastest(lambda: optimizer(gradients), runs),
    )


def optimizers():
    """Prints the first table."""
    print(
        f"{'tensors x elements':24}{'optimizer':18}{'naive':>10}{'by hand':>10}{'here':>10}"
        f"{'ratio':>8}"
    )
    for count, size in SIZES:
        for name in OPTIMIZERS:
            naive, by_hand, here = times_of(name, count, size)
            print(
                f"{f'{count} x {size:,}':24}{name:18}{naive:10.3f}{by_hand:10.3f}{here:10.3f}"
                f"{here / by_hand:8.2f}"
            )


def thor():
    """Prints the second table."""
    net = nn.SequentialCell(nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 256))
    rates = Tensor(np.full(1000, 1e-4, np.float32))
    momentum = nn.Momentum(net.trainable_params(), LR, 0.9)
    gradients = tuple(
        Tensor(np.random.rand(*weight.shape).astype(np.float32)) for weight in momentum.parameters
    )
    plain = fastest(lambda: momentum(gradients), 30)
    optimizer = nn.thor(net, rates, rates, 0.9, batch_size=32, frequency=100)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    x = Tensor(np.random.rand(32, 512).astype(np.float32))
    step(x, Tensor(np.zeros((32, 256), np.float32)))
    optimizer.add_flags_recursive(thor=False)
    print(f"\n{'between second-order steps':36}{fastest(lambda: optimizer(gradients), 30):10.3f}")
    print(f"{'Momentum on the same network':36}{plain:10.3f}")
    for size in (128, 512, 2304):
        root = np.random.rand(size, size).astype(np.float32)
        factor = root @ root.T / size
        print(
            f"{f'inverse of a factor of {size}':36}"
            f"{fastest(lambda f=factor: inverse_blocks(f, 0.1), 5):10.3f}"
        )


if __name__ == "__main__":
    optimizers()
    thor()
