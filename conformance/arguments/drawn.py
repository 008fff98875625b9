"""Tests whether random numbers follow a distribution at every position of an array."""

import numpy as np

GLOBAL_SEED = "the global seed"  # stands for `set_seed` in place of an argument's name
DATASET_SEED = "the seed of datasets"  # stands for `dataset.config.set_seed`
SET = {GLOBAL_SEED: "ms.set_seed({})", DATASET_SEED: "ms.dataset.config.set_seed({})"}
# The fourth moment of a distribution, in units of its deviation.
_FOURTH = {"normal": 3.0, "uniform": 1.8}
SURE = 6  # a statistic may deviate by at most this many standard errors


def follows(ms, value, mean, deviation, kind=None, shape=(300, 240)):
    """Returns True if numbers follow one distribution. The mean and standard deviation of all
    numbers, of each row and of each column are tested, and the fourth moment of a `kind` ('normal',
    'uniform'). If `value` is an Initializer, a Tensor of the given shape is filled first."""
    if "Initializer" in {c.__name__ for c in type(value).__mro__}:
        value = ms.common.initializer.initializer(value, shape, ms.float32)
        value = value.init_data() if hasattr(value, "init_data") else value
    x = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value, np.float64)
    z = (x.reshape(len(x), -1) - mean) / deviation
    parts = [z.reshape(-1), *z, *z.T] if z.shape[1] > 1 else [z.reshape(-1)]
    fourth = _FOURTH.get(kind) or (z**4).mean()
    for part in parts:
        error = SURE / np.sqrt(part.size)
        spread = np.sqrt(max(fourth - 1, 0.1))  # the standard deviation of the squares
        if abs(part.mean()) > error or abs((part**2).mean() - 1) > error * spread:
            return False
    return kind is None or bool(abs((z**4).mean() / fourth - 1) < 0.1)
