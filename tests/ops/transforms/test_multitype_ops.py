"""Functions that MindSpore's graphs use: augmented assignments, sums of gradients, steps."""

import operator

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor
from mindspore_compat.ops import composite
from mindspore_compat.ops.operations import _grad_ops

pytestmark = pytest.mark.quick


def floats(*values):
    return Tensor(np.array(values, np.float32))


# Results of MindSpore 2.10 for (Tensor, Tensor), (Tensor, 2), (2, Tensor) and (7, 2), equal in both
# modes.
ASSIGNED = {
    "add": ([7, 11], [5, 9], [5, 9], 9),
    "sub": ([-1, 3], [1, 5], [-1, -5], 5),
    "mul": ([12, 28], [6, 14], [6, 14], 14),
    "div": ([0.75, 1.75], [1.5, 3.5], [2 / 3, 2 / 7], 3.5),
    "floordiv": ([0, 1], [1, 3], [0, 0], 3),
    "mod": ([3, 3], [1, 1], [2, 2], 1),
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_assignments_compute_and_write_nothing(name):
    graph = getattr(ops, f"augassign_{name}")
    assert isinstance(graph, ops.MultitypeFuncGraph)
    assert graph is getattr(composite, f"augassign_{name}")
    x, y = floats(3, 7), floats(4, 4)
    calls = graph(x, y), graph(x, 2), graph(2, x)
    for out, wanted in zip(calls, ASSIGNED[name]):
        close(out, wanted, atol=0)
    assert graph(7, 2) == ASSIGNED[name][3]
    np.testing.assert_array_equal(x.asnumpy(), [3, 7])


def test_assignments_of_sequences():
    assert ops.augassign_add((1,), (2,)) == (1, 2)
    assert ops.augassign_add("a", "b") == "ab"
    assert ops.augassign_mul(2, [1, 2]) == [1, 2, 1, 2]
    items = [1]
    assert ops.augassign_add(items, [2]) == [1, 2] and items == [1]
    with pytest.raises(TypeError):
        ops.augassign_sub("a", "b")


def test_further_types_may_be_registered():
    graph = ops.MultitypeFuncGraph("either")
    graph._register_default()(operator.add)
    graph.register("String", "Number")(lambda x, y: f"{x}{y}")
    assert graph("a", 1) == "a1" and graph(2, 1) == 3


def test_sums_of_gradients():
    assert isinstance(ops.hyper_add, ops.HyperMap)
    one, (two, three) = ops.hyper_add((1, (floats(3, 7), 2.5)), (2, (floats(1, 1), True)))
    assert one == 3 and three == 3.5
    np.testing.assert_array_equal(two.asnumpy(), [4, 8])
    assert ops.hyper_add(None, None) is None


def test_sums_of_sparse_gradients():
    indices = Tensor([[0, 1], [1, 0]], ms.int32)
    x, y = (COOTensor(indices, floats(*v), (2, 2)) for v in ((1, 2), (3, 5)))
    np.testing.assert_array_equal(ops.hyper_add(x, y).values.asnumpy(), [4, 7])
    rows, columns = Tensor([0, 1, 2], ms.int32), Tensor([1, 0], ms.int32)
    x, y = (CSRTensor(rows, columns, floats(*v), (2, 2)) for v in ((1, 2), (3, 5)))
    out = ops.hyper_add(x, y)
    np.testing.assert_array_equal(out.values.asnumpy(), [4, 7])
    assert out.indptr is rows


@pytest.mark.parametrize("pair", [("a", "b"), (floats(1), 2), (None, 1), (1, (1,))])
def test_gradients_of_two_kinds_have_no_sum(pair):
    with pytest.raises(ValueError):
        ops.hyper_add(*pair)


def test_environments_of_gradients():
    x, y = (ms.Parameter(floats(1, 2), name=name) for name in "xy")
    empty = ops.environ_create()
    assert isinstance(ops.env_get, ops.MultitypeFuncGraph)
    assert ops.env_get(empty, x).asnumpy().tolist() == [0, 0]
    one = ops.environ_set(empty, ops.embed(x), floats(3, 4))
    both = ops.environ_set(one, ops.ref_to_embed(y), 5)
    assert ops.env_get(both, x).asnumpy().tolist() == [3, 4]
    assert ops.env_get(one, y).asnumpy().tolist() == [0, 0]
    assert ops.environ_get(both, ops.embed(y), 6) == 5
    assert ops.environ_get(one, ops.embed(y), 6) == 6
    assert ops.environ_get(both, _grad_ops.RefToEmbed()(y), 6) == 5
    total = ops.hyper_add(both, one)
    assert ops.env_get(total, x).asnumpy().tolist() == [6, 8] and ops.env_get(total, y) == 5
    assert ops.env_get(both, x).asnumpy().tolist() == [3, 4]


@pytest.mark.parametrize(
    "call",
    [
        lambda env: ops.embed(1),
        lambda env: ops.environ_get(1, ops.embed(floats(1)), 2),
        lambda env: ops.environ_set(env, floats(1), 2),
        lambda env: ops.environ_add(env, 1),
        lambda env: ops.env_get(env, 1),
    ],
)
def test_environments_refuse(call):
    with pytest.raises(TypeError, match="^For 'e"):
        call(ops.environ_create())


def test_tail():
    assert ops.tail([1, 2, 3]) == [2, 3] and ops.tail((1,)) == () and ops.tail(()) == ()
    with pytest.raises(RuntimeError, match="For 'tail'"):
        ops.tail(floats(1, 2))


def test_zip_operation():
    assert ops.zip_operation((1, 2, 3), [4, 5]) == ((1, 4), (2, 5))
    together = ops.zip_operation("ab", (1, 2))
    assert isinstance(together, zip) and list(together) == [("a", 1), ("b", 2)]
    with pytest.raises(RuntimeError, match="For 'zip_operation'"):
        ops.zip_operation()


def test_iteration():
    assert ops.iter_converter({"a": 1, "b": 2}) == ("a", "b")
    x = floats(3, 7)
    assert ops.iter_converter(x) is x
    with pytest.raises(TypeError):
        ops.iter_converter(3)
    assert ops.ms_hasnext([0]) is True and ops.ms_hasnext(()) is False and ops.ms_hasnext(x) is True
    assert ops.ms_next([1, 2, 3]) == (1, [2, 3]) and ops.ms_next("abc") == ("a", "bc")
    assert ops.ms_next({"a": 1, "b": 2}) == ("a", {"b": 2})
    first, rest = ops.ms_next(x)
    assert first.shape == () and rest.asnumpy().tolist() == [7]
    with pytest.raises(ValueError, match="For 'ms_next'"):
        ops.ms_next(())


def test_a_loop_made_of_steps():
    left, total = ops.iter_converter((1, 2, 3)), 0
    while ops.ms_hasnext(left):
        item, left = ops.ms_next(left)
        total = ops.augassign_add(total, item)
    assert total == 6


@pytest.mark.parametrize("output_recompute", [False, True])
def test_recomputed_blocks_run_again(output_recompute):
    runs = []

    def block(x):
        runs.append(1)
        return x * x * x

    run = ops.recompute_block(block, output_recompute)
    np.testing.assert_array_equal(run(floats(2.0)).asnumpy(), [8])
    assert len(runs) == 1
    np.testing.assert_array_equal(ms.grad(run)(floats(2.0)).asnumpy(), [12])
    assert len(runs) == 3


@pytest.mark.parametrize("given", [(1, True), (abs, 1)])
def test_recompute_block_refuses(given):
    with pytest.raises(TypeError, match="For 'recompute_block'"):
        ops.recompute_block(*given)


def test_functions_by_kinds_of_sparse_tensors():
    graph = ops.MultitypeFuncGraph("kind")
    for name in ("Tensor", "RowTensor", "COOTensor", "CSRTensor"):
        graph.register(name)(lambda x, name=name: name)
    one, indices = Tensor([1.0]), Tensor([0], ms.int32)
    assert graph(one) == "Tensor"
    assert graph(ms.RowTensor(indices, Tensor([[1.0]]), (2, 1))) == "RowTensor"
    assert graph(ms.COOTensor(Tensor([[0, 1]], ms.int32), one, (2, 2))) == "COOTensor"
    assert graph(ms.CSRTensor(Tensor([0, 1], ms.int32), indices, one, (1, 2))) == "CSRTensor"


def test_no_implementation_fits():
    graph = ops.MultitypeFuncGraph("either")
    graph.register("Tensor")(ops.neg)
    graph.register("Number")(abs)
    with pytest.raises(ValueError, match="cannot find fn match given args"):
        graph("word")


def summed(x, y):
    return x + y


@pytest.mark.parametrize("mapping", [ops.HyperMap(), ops.Map()], ids=["HyperMap", "Map"])
def test_lists_stay_lists_within_a_graph(mapping):
    @ms.jit
    def mapped(x, y):
        return mapping(summed, x, y)

    assert mapping(summed, [1, 2], [3, 4]) == (4, 6)
    assert mapped([1, 2], [3, 4]) == [4, 6]
    assert mapped((1, 2), (3, 4)) == (4, 6)
    with pytest.raises(RuntimeError, match="The lists in .* should have the same length"):
        mapped([1, 2], [3])
    with pytest.raises(RuntimeError, match="types of arguments in .* must be consistent"):
        mapped([1, 2], (3, 4))


def test_nested_lists_within_a_graph():
    nested = ms.jit(lambda x: ops.HyperMap()(summed, x, x))
    assert nested([[1, 2], (3,)]) == [[2, 4], (6,)]
    with pytest.raises(TypeError, match="does not support scenarios involving nested dynamic"):
        ms.jit(lambda x, n: ops.HyperMap()(summed, x * n, x * n))(((1, 2), (1, 2)), ms.mutable(2))
    with pytest.raises(RuntimeError, match="dynamic length input is unsupported"):
        ms.jit(lambda x: ops.Map()(summed, x, x))(ms.mutable([1, 2], True))
