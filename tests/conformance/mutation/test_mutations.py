"""Twelve promises of the package are broken on purpose, one at a time; the cases find each of them.

A mutant is a package of a few lines that changes an object of `mindspore_compat` in its own process
and then acts as that package.
"""

import textwrap

import pytest

from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers, runner

HEAD = """
    import sys
    import importlib
    importlib.import_module("mindspore_compat.standin").install()
    import mindspore_compat as ms
    from mindspore_compat import nn, ops
    """
TAIL = """
    sys.modules[__name__] = ms
    """
# what is broken, the name whose cases must notice, the kind of case, the change
MUTANTS = {
    "default": (
        "nn.Adam",
        "signature",
        """
        class Adam(nn.Adam):
            def __init__(self, params, learning_rate=1e-3, beta1=0.8, beta2=0.999, eps=1e-8,
                         use_locking=False, use_nesterov=False, weight_decay=0.0, loss_scale=1.0,
                         use_amsgrad=False, **kwargs):
                super().__init__(params, learning_rate, beta1, beta2, eps, use_locking,
                                 use_nesterov, weight_decay, loss_scale, use_amsgrad, **kwargs)
        nn.Adam = Adam
        """,
    ),
    "range bound": (
        "nn.AdamOffload",
        "raises",
        """
        class AdamOffload(nn.AdamOffload):
            def __init__(self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08,
                         use_locking=False, use_nesterov=False, weight_decay=0.0, loss_scale=1.0):
                beta1 = 0.999 if beta1 == 1.0 and type(beta1) is float else beta1
                super().__init__(params, learning_rate, beta1, beta2, eps, use_locking,
                                 use_nesterov, weight_decay, loss_scale)
        nn.AdamOffload = AdamOffload
        """,
    ),
    "exception type": (
        "nn.AdamOffload",
        "raises",
        """
        class AdamOffload(nn.AdamOffload):
            def __init__(self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08,
                         use_locking=False, use_nesterov=False, weight_decay=0.0, loss_scale=1.0):
                if isinstance(use_nesterov, str):
                    raise ValueError("use_nesterov")
                super().__init__(params, learning_rate, beta1, beta2, eps, use_locking,
                                 use_nesterov, weight_decay, loss_scale)
        nn.AdamOffload = AdamOffload
        """,
    ),
    "swapped output": (
        "ops.topk",
        "accepts",
        """
        real = ops.topk
        ops.topk = lambda *args, **kwargs: real(*args, **kwargs)[::-1]
        """,
    ),
    "wrong value": (
        "ops.softmax",
        "accepts",
        """
        real = ops.softmax
        def softmax(input, axis=-1, *, dtype=None):
            return real(input, axis, dtype=dtype) * 1.01
        ops.softmax = softmax
        """,
    ),
    "wrong gradient": (
        "ops.tanh",
        "gradient",
        """
        real = ops.tanh
        def tanh(input):
            return input + ops.stop_gradient(real(input) - input)
        ops.tanh = tanh
        """,
    ),
    "wrong second gradient": (
        "ops.square",
        "gradient",
        """
        def square(input):
            fixed = ops.stop_gradient
            return fixed(input * input) + fixed(2 * input) * (input - fixed(input))
        ops.square = square
        """,
    ),
    "dtype": (
        "ops.sigmoid",
        "accepts",
        """
        real = ops.sigmoid
        ops.sigmoid = lambda input: ops.cast(real(input), ms.float64)
        """,
    ),
    "shape": (
        "ops.softmax",
        "promises",
        """
        real = ops.softmax
        ops.softmax = lambda input, axis=-1: ops.expand_dims(real(input, axis), 0)
        """,
    ),
    "missing name": (
        "nn.Sigmoid",
        "exists",
        """
        nn.__dict__.pop("Sigmoid", None)
        held = nn.__getattr__
        def without(name):
            if name == "Sigmoid":
                raise AttributeError(name)
            return held(name)
        nn.__getattr__ = without
        """,
    ),
    "parameter name": (
        "ops.expand_dims",
        "signature",
        """
        real = ops.expand_dims
        def expand_dims(tensor, axis):
            return real(tensor, axis)
        ops.expand_dims = expand_dims
        """,
    ),
    "refused good call": (
        "nn.Conv2d",
        "accepts",
        """
        class Conv2d(nn.Conv2d):
            def __init__(self, *args, **kwargs):
                if kwargs.get("pad_mode") == "valid":
                    raise ValueError("pad_mode")
                super().__init__(*args, **kwargs)
        nn.Conv2d = Conv2d
        """,
    ),
}


@pytest.fixture(scope="module")
def entries():
    return specs.load(check=False)


@pytest.fixture(scope="module")
def stored():
    return answers.load()


_HEALTHY = {}


def healthy(name, kind, entries, stored):
    """What fails without a mutation; asked once per name and kind."""
    if (name, kind) not in _HEALTHY:
        _HEALTHY[name, kind] = failing("mindspore_compat", name, kind, entries, stored)
    return _HEALTHY[name, kind]


def failing(target, name, kind, entries, stored):
    """The ids of the cases of one kind that fail."""
    found = list(cases.of_entry(name, entries[name], (kind,)))
    results = ((c, answers.judge(c, r, stored)) for c, r in runner.run(found, target))
    return {c["id"] for c, r in results if r["status"] not in ("pass", "skip")}


@pytest.mark.parametrize("what", MUTANTS)
def test_mutant_is_found(what, entries, stored, tmp_path, monkeypatch):
    name, kind, change = MUTANTS[what]
    folder = tmp_path / "mutant"
    folder.mkdir()
    text = "".join(map(textwrap.dedent, (HEAD, change, TAIL)))
    (folder / "__init__.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    broken = failing("mutant", name, kind, entries, stored)
    assert broken - healthy(name, kind, entries, stored)
