"""Primitives of ops.auto_generate: each exists, calls the function that it names, and says so."""

import ast
import functools
import importlib
import inspect
import pkgutil
import textwrap

import numpy as np
import pytest
from kit import close, same

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.ops import auto_generate
from mindspore_compat.ops._primitive_aliases import alias, constant_folding, grad_ops
from mindspore_compat.ops._primitive_aliases.primitive_cache import _get_cache_prim
from mindspore_compat.ops.operations import _inner_ops


def floats(*values):
    return Tensor(np.array(values, np.float32))


LINES = [(area, name) for area, names in alias.ALIASES.items() for name in names]
NAMES = [f"{area}.{name}" for area, name in LINES]


@pytest.mark.parametrize("area, name", LINES, ids=NAMES)
def test_every_line_names_a_function_that_takes_its_arguments(area, name):
    found = alias.find_alias(area, name)
    _, target = alias.ALIASES[area][name]
    if inspect.isclass(found):
        assert issubclass(found, ops.Primitive)
        names = [
            *list(inspect.signature(found.__call__).parameters)[1:],
            *list(inspect.signature(found.__init__).parameters)[1:],
        ]
    else:
        names = list(inspect.signature(found).parameters)
    if not isinstance(target, str):
        assert list(inspect.signature(target).parameters) == names
    elif "(" in target:
        bind_call(target, names)
    else:
        signature = inspect.signature(alias.find(target))
        given = signature.parameters
        keywords = {
            each: each
            for each in names
            if each in given and given[each].kind is given[each].KEYWORD_ONLY
        }
        signature.bind(*(each for each in names if each not in keywords), **keywords)


def bind_call(target, names):
    """Checks that a call of the table matches the function's signature and uses each name."""
    call = ast.parse(target, mode="eval").body
    used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    assert {*names} <= used
    calls = [call]
    while isinstance(calls[-1].func, ast.Call):  # settings, and then inputs
        calls.append(calls[-1].func)
    function = alias.find(target.partition("(")[0])
    bind(function, calls.pop())
    for each in reversed(calls):
        bind(functools.partial(function.__call__, None), each)


def bind(function, call):
    """Checks that a call with written arguments matches the function's signature."""
    signature = inspect.signature(function)
    signature.bind(*call.args, **{each.arg: each.value for each in call.keywords})
    if any(isinstance(each, ast.Starred) for each in call.args):
        assert any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values())


@pytest.mark.parametrize("line, target", constant_folding.CONSTANTS.items())
def test_every_function_of_constants_names_one_that_takes_its_arguments(line, target):
    name = line.partition("(")[0].rpartition(".")[2]
    names = list(inspect.signature(getattr(auto_generate, name)).parameters)
    if not isinstance(target, str):
        assert list(inspect.signature(target).parameters) == names
    elif "(" in target:
        unused = {"eps"} if name == "infer_value_for_LpNormV2" else set()  # as 2.10's
        bind_call(target, {*names} - unused)
    else:
        inspect.signature(alias.find(target)).bind(*names)


# Arguments that 2.10 passes to these Primitives and this package does not need.
UNUSED = {
    "what the forward pass had or found": {
        "AvgPoolGrad": ["out"],
        "AvgPoolGradVm": ["mean_matrix", "kernel_matrix"],
        "BatchNormReduceGrad": ["weight"],
        "FlashAttentionScoreGrad": ["softmax_max", "softmax_sum", "softmax_in", "attention_in"],
        "GeLUGrad": ["y"],
        "L2NormalizeGrad": ["out"],
        "LRNGrad": ["y"],
        "DynamicGRUV2Grad": ["y", "seq_length", "mask"],
        "LSTMGrad": ["y", "hy", "cy", "reserve"],
        "LayerNormGradExt": ["mean", "variance"],
        "LogSigmoidGrad": ["buffer"],
        "MaxPool3DGrad": ["out_origin"],
        "MaxPoolGrad": ["out_origin"],
        "MaxPoolGradV1": ["out_origin"],
        "MultilabelMarginLossGrad": ["is_target"],
        "NLLLoss2dGrad": ["total_weight"],
        "NLLLossGrad": ["total_weight"],
        "PdistGrad": ["y"],
    },
    "which gradients are wanted; kernels for CPUs give both": {
        "GridSampler2DGrad": ["output_mask"],
        "GridSampler3DGrad": ["output_mask"],
        "MaximumGrad": ["grad_x", "grad_y"],
        "MinimumGrad": ["grad_x", "grad_y"],
    },
    "what a group of ranks knows itself": {
        "DistCommAllGather": ["rank_size"],
        "DistCommAllGatherIntoTensor": ["rank_size"],
        "DistCommAllGatherIntoTensorUneven": ["rank_size"],
        "DistCommAllToAllV": ["rank_size"],
        "DistCommAllToAllVC": ["rank_size", "rank_id"],
        "DistCommAllToAllVSingle": ["rank_size", "split_sizes_empty"],
        "DistCommBroadcast": ["rank_id"],
        "DistCommGather": ["rank_size", "rank_id"],
        "DistCommGatherIntoTensor": ["rank_size", "rank_id"],
        "DistCommReduceScatter": ["rank_size"],
        "DistCommReduceScatterTensor": ["rank_size"],
        "DistCommReduceScatterTensorUneven": ["rank_size"],
        "DistCommScatter": ["rank_size", "rank_id"],
        "DistCommScatterTensor": ["rank_size", "rank_id"],
        "InnerCommAllToAllV": ["rank_size", "split_sizes_empty"],
    },
}


def test_every_function_uses_its_arguments():
    unused = {}
    for area, name in LINES:
        *_, target = alias.ALIASES[area][name]
        if not isinstance(target, str):
            body = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(target))))
            used = {node.id for node in body if isinstance(node, ast.Name)}
            unused[name] = [
                each for each in inspect.signature(target).parameters if each not in used
            ]
    allowed = {name: found for names in UNUSED.values() for name, found in names.items()}
    assert {name: found for name, found in unused.items() if found} == allowed


def calls_of(module):
    """(the public function, the call) of each call that a module makes by a public name."""
    areas = {name: area for name, area in vars(module).items() if isinstance(area, alias.Names)}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        of = node.func if isinstance(node, ast.Call) else None
        if isinstance(of, ast.Attribute) and getattr(of.value, "id", None) in areas:
            yield getattr(areas[of.value.id], of.attr), node


MODULES = [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}.")
    if each.name.endswith((".internal", ".gradients")) or "._primitive_aliases." in each.name
]
CALLING = [
    module
    for module in MODULES
    if module is not alias and any(isinstance(each, alias.Names) for each in vars(module).values())
]


@pytest.mark.parametrize(
    "module", CALLING, ids=lambda module: module.__name__.partition(".ops.")[2]
)
def test_every_call_fits_the_function_that_it_names(module):
    calls = list(calls_of(module))
    assert calls
    for function, call in calls:
        bind(function, call)


X, Y = [[1.0, 4.0], [3.0, 2.0]], [[2.0, 1.0], [0.5, 3.0]]

# Computed by hand, and compared with MindSpore 2.10 where it runs the Primitive on a CPU.
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
    same(call(getattr(auto_generate, name)), wanted)


def test_settings_reach_the_function():
    out = auto_generate.EluExt(2.0)(floats(-1.0, 1.0))
    close(out, [2 * np.expm1(-1), 1], atol=0)
    assert auto_generate.EluExt(2.0).alpha == 2.0


def test_in_place_primitives_write():
    x = floats(1, 2)
    auto_generate.InplaceAddExt()(x, floats(1, 1), 3)
    np.testing.assert_array_equal(x.asnumpy(), [4, 5])


def test_gradients_pass():
    gradient = ms.grad(lambda x: auto_generate.Swiglu()(x, -1).sum())(floats(1.0, 2.0))
    assert np.abs(gradient.asnumpy()).min() > 0.1


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
    same(softmax_op(floats(0, 0)), [0.5, 0.5])


@pytest.mark.parametrize("name", ["no_such_op", "conv2_d_op", "op"])
def test_what_needs_settings_is_not_made(name):
    assert not hasattr(auto_generate, name)


def test_names_declared_for_this_path_are_shown():
    assert {"GroupNorm", "QuantV2", "LayerNormGradGrad", "AddExt"} <= set(dir(auto_generate))
