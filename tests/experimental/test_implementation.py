"""`implementation` of the optimizers: repeats the last step with other settings.

The numbers are those of MindSpore 2.10 after one ordinary step and one call. Adam and NAdam are
exceptions, because MindSpore's `implementation` does nothing for Adam and multiplies NAdam's
product of momenta once more. These two are compared with an ordinary step of the same number.
"""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor
from mindspore_compat.experimental import optim

LR = Tensor(0.1)
CALLS = {  # optimizer -> arguments, the parameters afterwards
    "ASGD": (
        (1e-4, 0.75, 1e6, LR, 0, False, "g", 0.0),
        [[0.944989025592804, 2.109977960586548], [0.9724889993667603, 1.7799781560897827]],
    ),
    "Adadelta": (
        (LR, 0.9, 1e-6, False, 0.0, 1, 2, "g"),
        [[0.9968377947807312, 2.003162145614624], [0.9965135455131531, 1.9965132474899292]],
    ),
    "Adagrad": (
        (1e-10, LR, 0.0, False, 0.0, 0, 2, "g"),
        [[0.9192893505096436, 2.0807106494903564], [0.9192893505096436, 1.9192893505096436]],
    ),
    "AdamW": (
        (LR, 0.01, 0.9, 0.999, False, 1e-8, "g", 0, 2),
        [[0.8636071681976318, 2.1333627700805664], [0.8636071681976318, 1.862597107887268]],
    ),
    "Adamax": (
        (0, LR, "g", False, 0.0, 0.9, 0.999, 1e-8),
        [[0.8080000281333923, 2.192000150680542], [0.8080000281333923, 1.808000087738037]],
    ),
    "RAdam": (
        (LR, 0.9, 0.999, 0.0, 1e-8, 0, 2, "g"),
        [[0.9045000076293945, 2.190999984741211], [0.9522500038146973, 1.6180000305175781]],
    ),
    "RMSprop": (
        (0, LR, "g", False, 0.0, False, 0.99, 1e-8, 0.0),
        [[0.1911185383796692, 2.8088815212249756], [0.19111865758895874, 1.1911184787750244]],
    ),
    "Rprop": (
        (0.5, 1.2, 0, LR, "g", False, 1e-6, 50.0),
        [[0.8700000047683716, 2.130000114440918], [0.8700000047683716, 1.8700000047683716]],
    ),
    "SGD": (
        (0.9, LR, 0, "g", False, 0.0, 0.1, False),
        [[0.890500009059906, 2.178999900817871], [0.940250039100647, 1.5819998979568481]],
    ),
}


def made(name, **settings):
    """An optimizer of two Parameters, and their gradients."""
    params = [Parameter(Tensor([1.0, 2.0]), name=each) for each in "ab"]
    if name == "SGD":
        settings.setdefault("lr", 0.1)
    gradients = (Tensor([0.5, -1.0]), Tensor([0.25, 2.0]))
    return getattr(optim, name)(params, **settings), gradients


def values(optimizer):
    return [parameter.asnumpy() for parameter in optimizer.parameters]


@pytest.mark.parametrize("name", CALLS)
def test_the_last_step_is_taken_once_more(name):
    arguments, after = CALLS[name]
    optimizer, gradients = made(name)
    optimizer(gradients)
    given = [gradients if each == "g" else each for each in arguments]
    assert optimizer.implementation(*given) is True
    # MindSpore's float32 numbers after two updates.
    np.testing.assert_allclose(values(optimizer), after, rtol=2e-5)


@pytest.mark.parametrize(
    "name, counter, arguments",
    [
        ("Adam", "state_step", (0.9, 0.999, 1e-8, LR, 0, 2, "g", False, 0.0)),
        ("NAdam", "step_t", (LR, 0.9, 0.999, 0.0, 4e-3, 1e-8, 0, 2, "g")),
    ],
)
def test_it_is_the_step_of_the_same_number(name, counter, arguments):
    one, gradients = made(name, lr=0.1)
    other, _ = made(name, lr=0.1)
    for optimizer in (one, other):
        optimizer(gradients)
    one.implementation(*[gradients if each == "g" else each for each in arguments])
    getattr(other, counter).set_data(Tensor(0, getattr(other, counter).dtype))
    other(gradients)
    close(values(one), values(other), atol=0)
    assert getattr(one, counter).asnumpy() == 1
    assert abs(values(one)[0][0] - 0.8) < 0.1
