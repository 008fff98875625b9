"""Learning rates as lists: values printed by MindSpore 2.10, and rejected calls."""

import math

import pytest

from mindspore_compat.nn import dynamic_lr

VALUES = [
    (
        "exponential_decay_lr",
        (0.1, 0.9, 6, 2, 2),
        [
            0.1,
            0.1,
            0.09486832980505139,
            0.09486832980505139,
            0.09000000000000001,
            0.09000000000000001,
        ],
    ),
    (
        "exponential_decay_lr",
        (0.1, 0.9, 6, 2, 2, True),
        [0.1, 0.1, 0.1, 0.1, 0.09000000000000001, 0.09000000000000001],
    ),
    (
        "natural_exp_decay_lr",
        (0.1, 0.9, 6, 2, 2),
        [
            0.1,
            0.1,
            0.04065696597405991,
            0.04065696597405991,
            0.016529888822158657,
            0.016529888822158657,
        ],
    ),
    (
        "natural_exp_decay_lr",
        (0.1, 0.9, 6, 2, 2, True),
        [0.1, 0.1, 0.1, 0.1, 0.016529888822158657, 0.016529888822158657],
    ),
    (
        "inverse_decay_lr",
        (0.1, 0.9, 7, 3, 2),
        [
            0.1,
            0.1,
            0.1,
            0.06896551724137931,
            0.06896551724137931,
            0.06896551724137931,
            0.052631578947368425,
        ],
    ),
    (
        "inverse_decay_lr",
        (0.1, 0.9, 6, 2, 2, True),
        [0.1, 0.1, 0.1, 0.1, 0.052631578947368425, 0.052631578947368425],
    ),
    (
        "cosine_decay_lr",
        (0.01, 0.1, 8, 1, 3),
        [0.1, 0.0775, 0.032500000000000015, 0.01, 0.01, 0.01, 0.01, 0.01],
    ),
    ("cosine_decay_lr", (0.0, 0.1, 6, 2, 2), [0.1, 0.1, 0.05, 0.05, 0.0, 0.0]),
    (
        "polynomial_decay_lr",
        (0.1, 0.01, 6, 2, 2, 0.5),
        [0.1, 0.1, 0.07363961030678928, 0.07363961030678928, 0.01, 0.01],
    ),
    (
        "polynomial_decay_lr",
        (0.1, 0.01, 9, 2, 2, 0.5, True),
        [
            0.1,
            0.1,
            0.07363961030678928,
            0.07363961030678928,
            0.01,
            0.01,
            0.05500000000000001,
            0.05500000000000001,
            0.01,
        ],
    ),
    (
        "polynomial_decay_lr",
        (0.1, 0.2, 6, 2, 2, 0.5),
        [0.1, 0.1, 0.12928932188134523, 0.12928932188134523, 0.2, 0.2],
    ),
    ("warmup_lr", (0.1, 9, 1, 4), [0.0, 0.025, 0.05, 0.07500000000000001] + [0.1] * 5),
    ("warmup_lr", (0.0, 2, 1, 4), [0.0, 0.0]),
    (
        "piecewise_constant_lr",
        ([2, 5, 7], [0.1, 0.05, 0.01]),
        [0.1, 0.1, 0.05, 0.05, 0.05, 0.01, 0.01],
    ),
    ("piecewise_constant_lr", ((2, 2), (0.1, -0.2)), [0.1, 0.1]),
    ("piecewise_constant_lr", ([], []), []),
]

DECAYS = ["exponential_decay_lr", "natural_exp_decay_lr", "inverse_decay_lr"]
DECAY_REFUSALS = [
    (0, 1, TypeError),
    (0, 0.0, ValueError),
    (0, -0.1, ValueError),
    (0, math.nan, ValueError),
    (0, math.inf, ValueError),
    (1, 1, TypeError),
    (1, 0.0, ValueError),
    (2, 6.0, TypeError),
    (2, True, TypeError),
    (2, 0, ValueError),
    (3, 0, ValueError),
    (4, 0, ValueError),
    (4, "1", TypeError),
    (5, 1, TypeError),
    (5, None, TypeError),
]
REFUSALS = [
    *[(name, (0.1, 0.9, 6, 2, 2, False), *rest) for name in DECAYS for rest in DECAY_REFUSALS],
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 0, 0, TypeError),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 0, -0.1, ValueError),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 0, 0.1, ValueError),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 1, 1, TypeError),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 1, 0.0, ValueError),
    ("cosine_decay_lr", (0.01, 0.1, 6, 2, 2), 4, 0, ValueError),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), 0, 1, TypeError),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), 1, 0, TypeError),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), 1, -0.1, ValueError),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), 5, 1, TypeError),
    ("polynomial_decay_lr", (0.1, 0.01, 6, 2, 2, 0.5), 5, 0.0, ValueError),
    ("warmup_lr", (0.1, 6, 2, 2), 0, 1, TypeError),
    ("warmup_lr", (0.1, 6, 2, 2), 0, -0.1, ValueError),
    ("warmup_lr", (0.1, 6, 2, 2), 3, 0, ValueError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 0, 2, TypeError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 0, [5, 2], ValueError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 0, [0, 2], ValueError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 0, [2.0, 5], TypeError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 1, [0.1], ValueError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 1, [1, 0.2], TypeError),
    ("piecewise_constant_lr", ([2, 5], [0.1, 0.2]), 1, "ab", TypeError),
]


@pytest.mark.parametrize("name, arguments, expected", VALUES, ids=str)
def test_values(name, arguments, expected):
    assert getattr(dynamic_lr, name)(*arguments) == expected


@pytest.mark.parametrize("name, arguments, index, bad, error", REFUSALS, ids=str)
def test_refusals(name, arguments, index, bad, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(dynamic_lr, name)(*arguments[:index], bad, *arguments[index + 1 :])
