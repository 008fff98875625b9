"""Functions of ops.auto_generate.pyboost_inner_prim against the results of 2.10 on a CPU.

A line of tests/data/observed_pyboost.jsonl names a function and gives, for each output of its call
below, the dtype, the shape, the sum, and the sum weighted by cos(0), cos(1), ...
pyboost_signatures.txt has the parameters of 2.10's functions.
"""

import importlib
import inspect
import json
import pathlib

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._primitive_aliases import pyboost_inner_prim

FILE = pathlib.Path(__file__).parents[2] / "data" / "observed_pyboost.jsonl"
SIGNATURES = FILE.with_name("pyboost_signatures.txt").read_text().splitlines()
OBSERVED = [json.loads(line) for line in FILE.read_text().splitlines()]


def r(*shape, seed=0, lo=-2, hi=2):
    """Uniform numbers, fixed by shape and seed."""
    draw = np.random.RandomState(seed + sum(shape)).uniform(lo, hi, shape)
    return Tensor(draw.astype(np.float32))


def whole(values, dtype=np.int32):
    return Tensor(np.array(values, dtype))


def floats(values):
    return Tensor(np.array(values, np.float32))


CALLS = {
    "adaptive_max_pool2d_impl": lambda f: f(r(1, 2, 4, 6), (2, 3)),
    "argmax_with_value_impl": lambda f: f(r(2, 3), 1, True),
    "argmin_with_value_impl": lambda f: f(r(2, 3), 0, False),
    "batch_mat_mul_impl": lambda f: f(r(2, 3, 4), r(2, 5, 4), False, True),
    "binary_cross_entropy_impl": lambda f: f(
        r(2, 3, lo=0.1, hi=0.9), r(2, 3, lo=0.1, hi=0.9, seed=1), None, "mean"
    ),
    "binary_cross_entropy_grad_impl": lambda f: f(
        r(2, 3, lo=0.1, hi=0.9), r(2, 3, lo=0.1, hi=0.9, seed=1), floats(2), None, "mean"
    ),
    "binary_cross_entropy_with_logits_impl": lambda f: f(
        r(2, 3), r(2, 3, lo=0), r(3, lo=0.1), r(3, lo=0.1, seed=1), "sum"
    ),
    "broadcast_to_impl": lambda f: f(r(1, 3), (2, 3)),
    "cdist_impl": lambda f: f(r(2, 3), r(4, 3), 2.0),
    "concat_impl": lambda f: f((r(2, 3), r(2, 3, seed=1)), 1),
    "cross_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), 1),
    "cummax_impl": lambda f: f(r(2, 3), 1),
    "elu_ext_impl": lambda f: f(r(2, 3), 1.5),
    "glu_impl": lambda f: f(r(2, 4), 1),
    "glu_grad_impl": lambda f: f(r(2, 2), r(2, 4), 1),
    "grid_sampler_2d_impl": lambda f: f(
        r(1, 2, 4, 5), r(1, 3, 3, 2, lo=-1, hi=1), "bilinear", "zeros", True
    ),
    "grid_sampler_2d_grad_impl": lambda f: f(
        r(1, 2, 3, 3), r(1, 2, 4, 5), r(1, 3, 3, 2, lo=-1, hi=1), "bilinear", "zeros", True, (1, 1)
    ),
    "grid_sampler_3d_impl": lambda f: f(
        r(1, 2, 3, 4, 5), r(1, 2, 3, 3, 3, lo=-1, hi=1), "bilinear", "zeros", False
    ),
    "grid_sampler_3d_grad_impl": lambda f: f(
        r(1, 2, 2, 3, 3),
        r(1, 2, 3, 4, 5),
        r(1, 2, 3, 3, 3, lo=-1, hi=1),
        "bilinear",
        "zeros",
        False,
        (1, 1),
    ),
    "hshrink_impl": lambda f: f(r(2, 3), 0.5),
    "hshrink_grad_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), 0.5),
    "isclose_impl": lambda f: f(r(2, 3), r(2, 3), 1e-5, 1e-8, False),
    "log_softmax_impl": lambda f: f(r(2, 3), -1),
    "log_softmax_grad_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), -1),
    "matmul_impl": lambda f: f(r(3, 2), r(3, 4), True, False),
    "max_pool_with_indices_impl": lambda f: f(r(1, 2, 4, 6), 2, 2, 0, (1, 1), False, ms.int64),
    "max_pool_grad_with_indices_impl": lambda f: f(
        r(1, 2, 4, 6),
        r(1, 2, 2, 3),
        whole(np.arange(12).reshape(1, 2, 2, 3), np.int64),
        2,
        2,
        0,
        (1, 1),
        False,
        ms.int64,
    ),
    "meshgrid_impl": lambda f: f((r(2), r(3)), "ij"),
    "nan_to_num_impl": lambda f: f(floats([np.nan, np.inf, -np.inf]), 1.0, 2.0, 3.0),
    "nllloss_impl": lambda f: f(r(2, 3), whole([0, 2]), r(3, lo=0.1), "mean", -100),
    "nllloss_grad_impl": lambda f: f(
        r(2, 3), floats(1), whole([0, 2]), floats([1, 1, 1]), floats(2), "mean", -100
    ),
    "one_hot_ext_impl": lambda f: f(
        whole([0, 2], np.int64), 3, whole(1, np.int64), whole(0, np.int64), -1
    ),
    "reduce_all_impl": lambda f: f(whole([[1, 0], [1, 1]], bool), 1, False),
    "reduce_any_impl": lambda f: f(whole([[1, 0], [0, 0]], bool), 1, True),
    "reduce_max_impl": lambda f: f(r(2, 3), (1,), True),
    "reduce_min_impl": lambda f: f(r(2, 3), 0, False),
    "reverse_v2_impl": lambda f: f(r(2, 3), (1,)),
    "rms_norm_impl": lambda f: f(r(2, 3), r(3), 1e-6),
    "roll_impl": lambda f: f(r(2, 3), (1,), (1,)),
    "searchsorted_impl": lambda f: f(floats([1, 2, 3]), r(2), None, ms.int64, True),
    "smooth_l1_loss_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), 1.0, "mean"),
    "smooth_l1_loss_grad_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), r(2, 3, seed=2), 1.0, "none"),
    "soft_margin_loss_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), "mean"),
    "soft_margin_loss_grad_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), r(2, 3, seed=2), "none"),
    "softmax_impl": lambda f: f(r(2, 3), -1),
    "softshrink_impl": lambda f: f(r(2, 3), 0.5),
    "softshrink_grad_impl": lambda f: f(r(2, 3), r(2, 3, seed=1), 0.5),
    "split_impl": lambda f: f(r(2, 4), 1, 2),
    "squeeze_impl": lambda f: f(r(1, 3, 1), (0,)),
    "stack_ext_impl": lambda f: f((r(2), r(2, seed=1)), 0),
    "triu_impl": lambda f: f(r(3, 3), 1),
    "unique_consecutive_impl": lambda f: f(whole([1, 1, 2]), True, True, None),
    "upsample_trilinear3d_impl": lambda f: f(r(1, 1, 2, 2, 2), (3, 3, 3), None, False),
    "upsample_trilinear3d_grad_impl": lambda f: f(
        r(1, 1, 3, 3, 3), (1, 1, 2, 2, 2), (3, 3, 3), None, False
    ),
}


def flat(value):
    """Nested tuples of Tensors as one list."""
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in flat(part)]
    return [value]


@pytest.mark.parametrize("case", OBSERVED, ids=lambda case: case["name"])
def test_agrees_with_what_was_observed(case):
    outs = flat(CALLS[case["name"]](getattr(pyboost_inner_prim, case["name"])))
    assert len(outs) == len(case["gives"])
    for out, (dtype, shape, total, weighted) in zip(outs, case["gives"]):
        assert str(out.dtype) == dtype and list(out.shape) == shape
        values = out.asnumpy().astype(float).ravel()
        found = values.sum(), (values * np.cos(np.arange(values.size))).sum()
        # Some results have 16 bits, and the record has only their sums.
        np.testing.assert_allclose(found, (total, weighted), 1e-3, 1e-3)


# Functions without a CPU kernel in MindSpore 2.10, computed by hand.
BY_HAND = {
    "elu_ext_impl": lambda x: np.where(x > 0, x, 1.5 * np.expm1(x)),
    "roll_impl": lambda x: np.roll(x, 1, 1),
    "rms_norm_impl": lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * r(3).asnumpy(),
    "soft_margin_loss_impl": lambda x: np.log1p(np.exp(-x * r(2, 3, seed=1).asnumpy())).mean(),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    found = flat(CALLS[name](getattr(pyboost_inner_prim, name)))[0].asnumpy()
    close(found, BY_HAND[name](r(2, 3).asnumpy()))


def test_pools_and_stacks():
    prims = pyboost_inner_prim
    values, indices = CALLS["max_pool_with_indices_impl"](prims.max_pool_with_indices_impl)
    image = r(1, 2, 4, 6).asnumpy().reshape(2, 24)
    taken = np.take_along_axis(image, indices.asnumpy().reshape(2, 6), 1)
    np.testing.assert_array_equal(taken.ravel(), values.asnumpy().ravel())
    gradient = CALLS["max_pool_grad_with_indices_impl"](prims.max_pool_grad_with_indices_impl)
    close(gradient.asnumpy().sum(), r(1, 2, 2, 3).asnumpy().sum())
    hot = CALLS["one_hot_ext_impl"](prims.one_hot_ext_impl)
    assert hot.asnumpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    stacked = CALLS["stack_ext_impl"](prims.stack_ext_impl).asnumpy()
    np.testing.assert_array_equal(stacked, [r(2).asnumpy(), r(2, seed=1).asnumpy()])
    gradient = CALLS["soft_margin_loss_grad_impl"](prims.soft_margin_loss_grad_impl).asnumpy()
    x, y, d = (r(2, 3, seed=i).asnumpy() for i in range(3))
    close(gradient, -d * y / (1 + np.exp(x * y)))


@pytest.mark.parametrize("line", SIGNATURES, ids=lambda line: line.partition("(")[0])
def test_parameters_are_those_of_the_original_and_reach_the_primitive(line, monkeypatch):
    name = line.partition("(")[0]
    function = getattr(pyboost_inner_prim, name)
    given = list(inspect.signature(function).parameters)
    assert f"{name}({', '.join(given)})" == line
    (primitive,) = function.__code__.co_names
    made = function.__globals__[primitive]
    assert inspect.isclass(made)
    monkeypatch.setitem(
        function.__globals__, primitive, lambda *settings: lambda *inputs: (inputs, settings)
    )
    inputs, settings = function(*given)
    inspect.signature(made.__init__).bind(None, *settings)
    inspect.signature(made.__call__).bind(None, *inputs)
    if name == "batch_norm_grad_ext_impl":  # in 2.10 the last input comes after the settings
        assert given == [*inputs[:-1], *settings, inputs[-1]] and given[-1] == "output_mask"
    else:
        assert given == [*inputs, *settings]


def test_classes_take_the_parameters_of_their_functions_as_a_list():
    names = {line.partition("(")[0] for line in SIGNATURES}
    titles = [each for each in dir(pyboost_inner_prim) if each not in names]
    assert len(titles) == len(names) and all(each.endswith("Prim_") for each in titles)
    rolled = pyboost_inner_prim.RollPrim_()([floats([1, 2, 3]), 1, 0])
    assert rolled.asnumpy().tolist() == [3, 1, 2]
    with pytest.raises(TypeError, match="'arguments' must be a list"):
        pyboost_inner_prim.RollPrim_()(floats([1, 2, 3]))


def test_the_path():
    prims = importlib.import_module("mindspore_compat.ops.auto_generate.pyboost_inner_prim")
    assert prims is pyboost_inner_prim and "roll_impl" in dir(prims)
    infer = importlib.import_module("mindspore_compat.ops.operations._infer_ops")
    assert infer.QuantV2 is auto_generate.QuantV2
    with pytest.raises(AttributeError):
        prims.no_such_impl


def test_gradients_pass():
    gradient = ms.grad(lambda x: pyboost_inner_prim.softmax_impl(x, 0)[0])(floats([0.0, 0.0]))
    close(gradient, [0.25, -0.25], atol=0)
