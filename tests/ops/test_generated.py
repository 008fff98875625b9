"""Primitives of ops.auto_generate: each is found, calls the function it names, and tells so."""

import ast
import inspect

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._primitive_aliases import (
    alias,
    generated,
    generated_fused,
    generated_grads,
    generated_inplace,
    generated_nn,
    generated_random,
    grad_ops,
    grad_pulled,
    grad_pulled_spatial,
    kernel_communication_lines,
    kernel_lines,
)
from mindspore_compat.ops._primitive_aliases.primitive_cache import _get_cache_prim
from mindspore_compat.ops.operations import _inner_ops


def floats(*values):
    return Tensor(np.array(values, np.float32))


LINES = [(area, name) for area, names in alias.ALIASES.items() for name in names]
NAMES = [f"{area}.{name}" for area, name in LINES]


@pytest.mark.parametrize("area, name", LINES, ids=NAMES)
def test_every_line_names_a_function_that_takes_its_arguments(area, name):
    made = alias.made(area, name)
    assert issubclass(made, ops.Primitive)
    *_, target = alias.ALIASES[area][name]
    names = list(inspect.signature(made.__call__).parameters)[1:]
    kept = list(inspect.signature(made.__init__).parameters)[1:]
    signature = inspect.signature(alias.found(target) if isinstance(target, str) else target)
    if isinstance(target, str):
        signature.bind(*names, *kept)
    else:
        assert list(signature.parameters) == names + kept


@pytest.mark.parametrize(
    "module",
    [
        generated,
        generated_fused,
        generated_grads,
        generated_inplace,
        generated_nn,
        generated_random,
        grad_pulled,
        grad_pulled_spatial,
        kernel_communication_lines,
        kernel_lines,
    ],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_every_call_fits_the_function_that_it_names(module):
    areas = {name: area for name, area in vars(module).items() if isinstance(area, alias.Names)}
    calls = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in areas
    ]
    assert calls
    for call in calls:
        function = getattr(areas[call.func.value.id], call.func.attr)
        if not any(isinstance(each, ast.Starred) for each in call.args):
            keywords = {each.arg: each.value for each in call.keywords}
            inspect.signature(function).bind(*call.args, **keywords)


X, Y = [[1.0, 4.0], [3.0, 2.0]], [[2.0, 1.0], [0.5, 3.0]]

# By hand; those that 2.10 runs on a CPU were checked against it.
OBSERVED = {
    "AddExt": (lambda p: p()(floats(*X), floats(*Y), 2), [[5, 6], [4, 8]]),
    "SubExt": (lambda p: p()(floats(*X), floats(*Y), 2), [[-3, 2], [2, -4]]),
    "SumExt": (lambda p: p()(floats(*X), 0, True), [[4, 6]]),
    "MeanExt": (lambda p: p()(floats(*X), (1,), False), [2.5, 2.5]),
    "CumsumExt": (lambda p: p()(floats(*X), 1), [[1, 5], [3, 5]]),
    "IndexSelect": (lambda p: p()(floats(*X), 1, Tensor([1, 0])), [[4, 1], [2, 3]]),
    "MatMulExt": (lambda p: p()(floats(*X), floats(*Y)), [[4, 13], [7, 9]]),
    "FmodScalar": (lambda p: p()(floats(*X), 3), [[1, 1], [0, 2]]),
    "Outer": (lambda p: p()(floats(1, 2), floats(3, 4)), [[3, 4], [6, 8]]),
    "ZerosLikeExt": (lambda p: p()(floats(*X)), [[0, 0], [0, 0]]),
    "StackExt": (lambda p: p(1)((floats(1, 2), floats(3, 4))), [[1, 3], [2, 4]]),
    "SplitWithSize": (lambda p: p()(floats(*X), [1, 1], 1)[1], [[4], [2]]),
    "SortExt": (lambda p: p()(floats(*X), -1, True)[0], [[4, 1], [3, 2]]),
    "TopkExt": (lambda p: p()(floats(*X), 1, 0)[1], [[1, 0]]),
    "OneHotExt": (lambda p: p(0)(Tensor([1, 0]), 3, 5, 2), [[2, 5], [5, 2], [2, 2]]),
    "Scatter": (
        lambda p: p()(floats(*X), 1, Tensor([[1], [0]]), floats([7], [8])),
        [[1, 7], [8, 2]],
    ),
    "ScatterValue": (
        lambda p: p()(floats(*X), 1, Tensor([[1], [0]]), 2.0, "multiply"),
        [[1, 8], [6, 2]],
    ),
    "SelectV2": (lambda p: p()(Tensor([True, False]), floats(1, 2), floats(3, 4)), [1, 4]),
}


@pytest.mark.parametrize("name", OBSERVED)
def test_calls(name):
    call, wanted = OBSERVED[name]
    np.testing.assert_allclose(call(getattr(auto_generate, name)).asnumpy(), wanted)


def test_settings_reach_the_function():
    out = auto_generate.EluExt(2.0)(floats(-1.0, 1.0))
    np.testing.assert_allclose(out.asnumpy(), [2 * np.expm1(-1), 1], 1e-6)
    assert auto_generate.EluExt(2.0).alpha == 2.0


def test_in_place_primitives_write():
    x = floats(1, 2)
    auto_generate.InplaceAddExt()(x, floats(1, 1), 3)
    np.testing.assert_array_equal(x.asnumpy(), [4, 5])


def test_gradients_pass():
    slope = ms.grad(lambda x: auto_generate.Swiglu()(x, -1).sum())(floats(1.0, 2.0))
    assert np.abs(slope.asnumpy()).min() > 0.1


def test_the_paths_where_names_are_shown():
    import mindspore_compat.ops.auto_generate.gen_ops_prim as prims

    assert prims.AddExt is auto_generate.AddExt
    assert _inner_ops.SiLU is auto_generate.SiLU
    assert prims.TanhGrad is grad_ops.TanhGrad
    assert auto_generate.ReLU is ops.ReLU
    assert _inner_ops.GlobalComm is ms.communication.GlobalComm
    assert ops.function.nn_func._get_cache_prim is _get_cache_prim
    assert "AddExt" in dir(auto_generate) and not hasattr(ops, "AddExt")
    with pytest.raises(AttributeError):
        auto_generate.NoSuchPrimitive


@pytest.mark.parametrize(
    "name, made",
    [
        ("matmul_ext_op", "MatMulExt"),
        ("acos_op", "ACos"),
        ("a_cos_grad_op", "ACosGrad"),
        ("gelu_op", "GeLU"),
        ("bmm_ext_op", "BatchMatMulExt"),
        ("mm_ext_op", "Mm"),
        ("inplace_index_add_op", "InplaceIndexAddExt"),
        ("group_norm_op", "GroupNorm"),
        ("inplace_uniform_op", "InplaceUniform"),
        ("swiglu_grad_op", "SwigluGrad"),
        ("randint_op", "RandInt"),
        ("assign_op", "Assign"),
    ],
)
def test_primitives_made_without_settings(name, made):
    found = getattr(auto_generate, name)
    assert type(found) is getattr(auto_generate, made)
    assert getattr(auto_generate, name) is found


def test_a_made_primitive_computes():
    from mindspore_compat.ops.auto_generate.gen_ops_prim import add_ext_op, softmax_op

    np.testing.assert_array_equal(add_ext_op(floats(1), floats(2), 3).asnumpy(), [7])
    np.testing.assert_allclose(softmax_op(floats(0, 0)).asnumpy(), [0.5, 0.5])


@pytest.mark.parametrize("name", ["no_such_op", "conv2_d_op", "op"])
def test_what_needs_settings_is_not_made(name):
    assert not hasattr(auto_generate, name)


def test_names_declared_for_this_path_are_shown():
    assert {"GroupNorm", "QuantV2", "LayerNormGradGrad", "AddExt"} <= set(dir(auto_generate))
