"""Nodes inserted, erased and replaced, and the resulting networks."""

import pathlib
import sys

import numpy as np
import pytest

from mindspore_compat import Tensor, nn, ops
from mindspore_compat.rewrite import Node, NodeType, ScopedValue, SymbolTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from kit import close
from rewrite_networks import Derived, Digits, Mixed, SubNet  # noqa: E402

X = ScopedValue.create_naming_value("x")
IMAGE = Tensor(np.random.default_rng(0).random((1, 1, 32, 32), np.float32))
ROWS = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Networks are written to the current directory."""
    monkeypatch.chdir(tmp_path)


def call(cell, name="", target="x", argument="x", **settings):
    """Returns a new node that is a call."""
    argument = ScopedValue.create_naming_value(argument)
    return Node.create_call_cell(cell, [target], [argument], name=name, **settings)


def same(found, expected):
    close(found, expected.asnumpy(), atol=0)


def test_an_unchanged_network_computes_the_same(tmp_path):
    net = Digits()
    new = SymbolTree.create(net).get_network()
    same(new(IMAGE), net(IMAGE))
    assert type(new).__name__ == "DigitsOpt" and isinstance(new, Digits)
    assert new.stem.weight is net.stem.weight
    (file,) = (tmp_path / "rewritten_network").iterdir()
    assert "class DigitsOpt(Digits):" in file.read_text()


def test_statements_of_every_kind_compute_the_same():
    net = Mixed()
    new = SymbolTree.create(net).get_network()
    for found, expected in zip(new(ROWS), net(ROWS), strict=True):
        same(found, expected)
    assert type(new.sub).__name__ == "SubNetOpt" and type(net.sub) is SubNet


def test_super_and_hidden_names_keep_their_meaning():
    new = SymbolTree.create(Derived()).get_network()
    assert new(Tensor([1.0])).asnumpy().tolist() == [6]


def test_a_call_is_inserted():
    net = Digits()
    tree = SymbolTree.create(net)
    new = call(nn.Sigmoid(), "gate")
    assert tree.insert(tree.after("stem"), new) is new
    assert [each.get_name() for each in new.get_users()] == ["act"]
    assert tree.insert(tree.before("second"), call(nn.ReLU(), "gate")).get_name() == "gate_1"
    assert tree.insert(tree.before("second"), call(nn.ReLU())).get_name() == "ReLU"
    network = tree.get_network()
    assert "        x = self.stem(x)\n        x = self.gate(x)\n" in tree.get_code()
    feature = ops.sigmoid(net.stem(IMAGE))
    same(network.gate(network.stem(IMAGE)), feature)
    assert not hasattr(net, "gate") and network(IMAGE).shape == (1, 10)


def test_parameters_of_an_inserted_cell_are_named_after_it():
    tree = SymbolTree.create(SubNet())
    tree.insert(tree.after("act"), call(nn.Dense(3, 3), "last"))
    for _ in range(2):
        assert sorted(tree.get_network().parameters_dict()) == ["last.bias", "last.weight"]


def test_a_function_and_a_primitive_are_inserted():
    tree = SymbolTree.create(SubNet())
    function = Node.create_call_function(ops.abs, [X], [X])
    assert function.get_node_type() is NodeType.CallFunction
    assert tree.insert(tree.before("act"), function).get_name() == "abs"
    tree.insert(tree.after("act"), call(ops.Neg(), "negated"))
    assert tree.get_network()(Tensor([-2.0, 1.0])).asnumpy().tolist() == [-2, -1]


def test_a_cell_that_is_read_too():
    tree = SymbolTree.create(SubNet())
    node = call(SubNet(), "inner", is_sub_net=True)
    with pytest.raises(AttributeError, match="has not been inserted"):
        node.get_sub_tree()
    tree.insert(tree.after("act"), node)
    inner = node.get_sub_tree()
    inner.insert(inner.after("act"), call(ops.Neg(), "negated"))
    assert tree.get_network()(Tensor([2.0])).asnumpy().tolist() == [-2]


def test_cells_below_and_in_containers_are_changed():
    net = Mixed()
    tree = SymbolTree.create(net)
    for name in ("sub", "SubNet"):
        below = tree.get_node(name).get_sub_tree()
        below.insert(below.after("act"), call(ops.Neg(), "negated"))
    tree.erase("ReLU")
    new = tree.get_network()
    assert [type(each).__name__ for each in new.seq] == ["Dense", "SubNetOpt_1"]
    same(new.sub(ROWS), -ROWS)
    same(new.seq(ROWS), -ops.relu(net.seq[0](ROWS)))
    assert len(net.seq) == 3 and new.seq[0] is net.seq[0]


def test_within_branches_and_functions():
    tree = SymbolTree.create(Mixed())
    inside = next(each for each in tree.nodes(True) if each.get_name() == "binop_add_1")
    tree.insert(tree.after(inside), call(ops.Neg(), "negated", "z", "z"))
    function = Node.create_call_function(ops.exp, ["size"], [X])
    function.set_arg(0, "size")
    tree.insert(tree.before("binop_add_2"), function)
    code = tree.get_code()
    assert "            z = z + 1\n            z = self.negated(z)\n        else:\n" in code
    assert "    size = exp(size)\n    add_var_1 = size + by\n" in code
    with pytest.raises(TypeError, match="must call a function"):
        tree.insert(tree.before("binop_add_2"), call(ops.Neg()))


def test_what_comes_after_a_branch_comes_after_its_else():
    tree = SymbolTree.create(Mixed())
    tree.insert(tree.after("if_node"), call(ops.Neg(), "after", "z", "z"))
    assert "            z = z - 1\n        z = self.after(z)\n" in tree.get_code()
    tree.erase("if_node")
    assert "if and_var:\n            pass\n        else:\n" in tree.get_code()
    tree.erase("else_node")
    assert "if and_var" not in tree.get_code()


def test_nodes_are_replaced_and_erased():
    tree = SymbolTree.create(Digits())
    first, second = call(nn.Tanh(), "", "t", "wide_var"), call(nn.Tanh(), "", "x", "t")
    assert tree.replace(tree.get_node("act_2"), [first, second]) == second
    assert second.get_name() == "Tanh_1" and tree.get_node("act_2") is None
    erased = tree.erase("act")
    assert erased.get_symbol_tree() is None and erased.get_users() == []
    assert [each.get_name() for each in tree.get_node("shrink").get_inputs()] == ["stem"]
    assert tree.get_network()(IMAGE).shape == (1, 10)


def test_arguments_are_set():
    tree = SymbolTree.create(Digits())
    node = tree.get_node("act_3")
    node.set_arg(0, "wide")
    assert str(node.get_args()) == "[wide]"
    node.set_arg_by_node(0, tree.get_node("wide"), 0)
    assert str(node.get_args()) == "[wide_var]"
    assert [each.get_name() for each in tree.get_node("wide").get_users()] == ["act_2", "act_3"]
    mixed = SymbolTree.create(Mixed())
    mixed.get_node("tuple").set_arg(1, ScopedValue.create_variable_value((3, "a")))
    assert "a, b = (x, (3, 'a'))" in mixed.get_code()


def test_names_of_variables_are_unique():
    tree = SymbolTree.create(Digits())
    found = [tree.unique_name(each) for each in ("output", "x", "x", "output")]
    assert found == ["output", "x_1", "x_2", "output_1"]


@pytest.mark.parametrize(
    "refused, error",
    [
        (lambda tree, node: tree.insert(1, node), TypeError),
        (lambda tree, node: tree.insert(tree.after("stem"), 1), TypeError),
        (lambda tree, node: tree.insert(tree.after("stem"), tree.get_node("act")), ValueError),
        (lambda tree, node: tree.insert(tree.before("input_x"), node), RuntimeError),
        (
            lambda tree, node: tree.insert(SymbolTree.create(SubNet()).after("act"), node),
            ValueError,
        ),
        (lambda tree, node: tree.erase("input_x"), RuntimeError),
        (lambda tree, node: tree.erase("none such"), RuntimeError),
        (lambda tree, node: tree.erase(1), TypeError),
        (lambda tree, node: tree.replace(1, [node]), TypeError),
        (lambda tree, node: tree.replace(tree.get_node("act"), node), TypeError),
        (lambda tree, node: tree.replace(tree.get_node("act"), [node, 1]), TypeError),
        (lambda tree, node: tree.replace(tree.get_node("act"), []), ValueError),
        (lambda tree, node: tree.replace(tree.get_node("act"), [node, node]), ValueError),
        (lambda tree, node: tree.get_node("stem").set_arg("a", "b"), TypeError),
        (lambda tree, node: tree.get_node("stem").set_arg(0, 1), TypeError),
        (lambda tree, node: tree.get_node("stem").set_arg(1, "b"), ValueError),
        (lambda tree, node: tree.get_node("stem").set_arg_by_node(0, "act"), TypeError),
        (lambda tree, node: tree.get_node("stem").set_arg_by_node("a", node), TypeError),
        (lambda tree, node: tree.get_node("stem").set_arg_by_node(7, node), ValueError),
        (lambda tree, node: tree.get_node("stem").set_arg_by_node(0, node, 5), ValueError),
        (
            lambda tree, node: tree.get_node("stem").set_arg(
                0, ScopedValue.create_variable_value(len)
            ),
            TypeError,
        ),
        (lambda tree, node: Node.create_call_cell(1, ["x"]), TypeError),
        (lambda tree, node: Node.create_call_cell(nn.ReLU(), "x"), TypeError),
        (lambda tree, node: Node.create_call_cell(nn.ReLU(), [1]), TypeError),
        (lambda tree, node: Node.create_call_cell(nn.ReLU(), ["x"], ["x"]), TypeError),
        (lambda tree, node: Node.create_call_cell(nn.ReLU(), ["x"], None, {1: X}), TypeError),
        (lambda tree, node: Node.create_call_cell(nn.ReLU(), ["x"], name=1), TypeError),
        (lambda tree, node: Node.create_call_function(1, ["x"]), TypeError),
    ],
)
def test_a_refused_change_changes_nothing(refused, error):
    tree = SymbolTree.create(Digits())
    before = tree.get_code()
    with pytest.raises(error):
        refused(tree, call(nn.ReLU()))
    assert tree.get_code() == before
