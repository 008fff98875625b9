"""Patterns of nodes: what they match, and what replaces the match."""

import numpy as np
import pytest

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.rewrite import (
    Node,
    NodeType,
    PatternEngine,
    PatternNode,
    Replacement,
    ScopedValue,
    SymbolTree,
    namespace,
)
from mindspore_compat.rewrite.api.pattern_engine import VarNode

ROWS = Tensor(np.linspace(-9, 9, 8, dtype=np.float32).reshape(2, 4))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Networks are written to the current directory."""
    monkeypatch.chdir(tmp_path)


class Residual(nn.Cell):
    """Two chains of a Dense and a ReLU whose sum is returned."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(4, 4), nn.Dense(4, 4)
        self.r, self.s, self.add = nn.ReLU(), nn.ReLU(), ops.Add()

    def construct(self, x):
        y = self.a(x)
        y = self.r(y)
        z = self.b(y)
        z = self.s(z)
        return self.add(y, z)


class Leaking(Residual):
    """Returns also what its first layer computes."""

    def construct(self, x):
        y = self.a(x)
        return self.r(y), y


class Contained(nn.Cell):
    """Layers in a SequentialCell, and a Cell that is read as a tree."""

    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.ReLU(), nn.Dense(4, 4), nn.ReLU())
        self.inner = Residual()

    def construct(self, x):
        return self.inner(self.layers(x))


class Put(Replacement):
    """Replaces a match by one call of a Cell, and stores the arguments of `build`."""

    def __init__(self, cell):
        self.cell, self.calls = cell, []

    def build(self, pattern, is_chain_pattern, matched):
        names = [node.get_name() for node in matched.values()]
        self.calls.append((pattern.name(), is_chain_pattern, list(matched), names))
        first, root = list(matched.values())[0], matched[pattern.name()]
        return [Node.create_call_cell(self.cell(), root.get_targets(), first.get_args(), name="q")]


def lines(tree):
    """The statements of the forward method."""
    text = tree.get_code().split("def construct(self, x):\n")[-1]
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_each_chain_is_replaced():
    net, put = Residual(), Put(nn.Tanh)
    tree = SymbolTree.create(net)
    assert PatternEngine([nn.Dense, nn.ReLU], put).apply(tree) is True
    assert [names for _, _, _, names in put.calls] == [["a", "r"], ["b", "s"]]
    assert [is_chain for _, is_chain, _, _ in put.calls] == [True, True]
    assert lines(tree)[:2] == ["y = self.q(x)", "z = self.q_1(y)"]
    y = np.tanh(ROWS.asnumpy())
    np.testing.assert_allclose(tree.get_network()(ROWS).asnumpy(), y + np.tanh(y), rtol=1e-6)


def test_a_long_chain_matches_once_and_nothing_leaks():
    tree = SymbolTree.create(Residual())
    assert not PatternEngine([nn.Dense, nn.ReLU, nn.Dense], Put(nn.Tanh)).apply(tree)
    leaking = SymbolTree.create(Leaking())
    before = lines(leaking)
    assert not PatternEngine([nn.Dense, nn.ReLU], Put(nn.Tanh)).apply(leaking)
    assert lines(leaking) == before
    assert PatternEngine([nn.Dense], Put(nn.Tanh)).apply(leaking)


def test_a_tree_is_replaced_by_several_nodes():
    class Two(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            assert not is_chain_pattern and list(matched) == ["left", "right", "sum"]
            call, x = Node.create_call_cell, ScopedValue.create_naming_value("h")
            first = call(nn.Tanh(), ["h"], matched["left"].get_args())
            return [first, call(nn.Sigmoid(), matched["sum"].get_targets(), [x])]

    class Sum(Residual):
        def construct(self, x):
            return self.add(self.r(x), self.a(x))

    root = PatternNode("sum", ops.Add, [PatternNode("left", nn.ReLU)])
    tree = SymbolTree.create(Sum())
    assert not PatternEngine(root, Two()).apply(tree), "two inputs, one in the pattern"
    root.add_input(PatternNode("right", nn.Dense))
    assert PatternEngine(root, Two()).apply(tree)
    expected = 1 / (1 + np.exp(-np.tanh(ROWS.asnumpy())))
    np.testing.assert_allclose(tree.get_network()(ROWS).asnumpy(), expected, rtol=1e-6)


def test_a_placeholder_matches_every_node_and_stays():
    root = PatternNode("sum", ops.Add, [PatternNode("left", nn.ReLU), VarNode()])

    class Sum(Residual):
        def construct(self, x):
            return self.add(self.r(x), self.a(x))

    tree, put = SymbolTree.create(Sum()), Put(nn.Tanh)
    assert PatternEngine(root, put).apply(tree)
    assert put.calls[0][3] == ["r", "add"] and any("self.a(x)" in line for line in lines(tree))


def test_members_of_a_container_are_replaced_but_not_those_of_a_tree():
    net, put = Contained(), Put(nn.Tanh)
    tree = SymbolTree.create(net)
    assert PatternEngine([nn.ReLU], put).apply(tree)
    new = tree.get_network()
    assert [type(cell).__name__ for cell in new.layers] == ["Tanh", "Dense", "Tanh"]
    assert type(new.inner.r) is nn.ReLU and type(net.layers[0]) is nn.ReLU
    assert not PatternEngine([nn.Dense, nn.Tanh], put).apply(SymbolTree.create(net))


def test_a_pattern_of_a_node_matches_that_node():
    tree = SymbolTree.create(Residual())
    node = tree.get_node("s")
    root = PatternNode.create_pattern_from_node(node)
    assert PatternEngine(root, Put(nn.Tanh))._match(root, node)[0]
    assert [each.name() for each in root.get_inputs()] == ["b"]
    alone = PatternNode.from_node(node)
    assert alone.match(tree.get_node("r")) and not alone.get_inputs()
    assert not PatternNode("any").match(node) and not PatternNode("base", nn.Cell).match(node)
    assert PatternNode.create_pattern_from_list([]) is None


@pytest.mark.parametrize("answer", [None, []])
def test_without_new_nodes_the_match_stays(answer):
    class Nothing(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            return answer

    tree = SymbolTree.create(Residual())
    before = lines(tree)
    assert PatternEngine([nn.ReLU], Nothing()).apply(tree) is False and lines(tree) == before


def test_classes_in_the_black_list_are_plain_calls(monkeypatch):
    class Plain(Residual):
        pass

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.plain = Plain()

        def construct(self, x):
            return self.plain(x)

    assert SymbolTree.create(Outer()).get_node("plain").get_node_type() is NodeType.Tree
    classes = [*namespace._subtree_black_list, Residual]
    monkeypatch.setattr(namespace, "_subtree_black_list", classes)
    assert SymbolTree.create(Outer()).get_node("plain").get_node_type() is NodeType.CallCell


@pytest.mark.parametrize(
    "call",
    [
        lambda: PatternNode(3),
        lambda: PatternNode("a", nn.ReLU, [3]),
        lambda: PatternNode("a").add_input(3),
        lambda: PatternNode("a").set_inputs([3]),
        lambda: PatternNode("a").match(3),
        lambda: PatternNode.from_node(3),
        lambda: PatternNode.create_pattern_from_node(3),
        lambda: PatternNode.create_pattern_from_list((nn.ReLU,)),
        lambda: PatternEngine(3, Put(nn.Tanh)),
        lambda: PatternEngine([nn.ReLU]),
        lambda: PatternEngine([nn.ReLU], print),
        lambda: PatternEngine([nn.ReLU], Put(nn.Tanh)).apply(3),
    ],
)
def test_other_types_are_refused(call):
    with pytest.raises(TypeError, match=r"For 'Pattern(Node|Engine)', '"):
        call()
