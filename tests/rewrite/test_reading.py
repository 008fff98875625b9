"""The nodes of a parsed network; names, types and arguments are those of MindSpore 2.10."""

import pathlib
import sys

import pytest

from mindspore_compat import nn
from mindspore_compat.rewrite import NodeType, SymbolTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from rewrite_networks import Digits, Mixed, shifted  # noqa: E402

DIGITS = """input_x stem act shrink second act_1 shrink_1 unaryop_not if_node flat wide
    act_2 middle act_3 last return_1""".split()


@pytest.fixture(scope="module")
def digits():
    return SymbolTree.create(Digits())


@pytest.fixture(scope="module")
def mixed():
    return SymbolTree.create(Mixed())


def names(nodes):
    return [node.get_name() for node in nodes]


def test_statements_are_expanded(digits):
    assert names(digits.nodes()) == DIGITS
    assert names(digits.nodes(True)) == [*DIGITS, "return"]
    code = digits.get_code()
    assert "        wide_var = self.wide(x)\n        x = self.act(wide_var)\n" in code
    assert (
        "        not_var = not self.classifies\n        if not_var:\n            return x\n" in code
    )


@pytest.mark.parametrize(
    "name, kind, instance, targets, args, inputs, users",
    [
        ("input_x", "Input", type(None), "[x]", "[]", [], ["stem"]),
        ("stem", "CallCell", nn.Conv2d, "[x]", "[x]", ["input_x"], ["act"]),
        ("unaryop_not", "MathOps", type(None), "[not_var]", "[self.classifies]", [], ["if_node"]),
        ("if_node", "ControlFlow", type(None), "[]", "[not_var]", ["unaryop_not"], []),
        ("flat", "CallCell", nn.Flatten, "[x]", "[x]", ["shrink_1"], ["wide"]),
        ("act_2", "CallCell", nn.ReLU, "[x]", "[wide_var]", ["wide"], ["middle"]),
        ("return_1", "Output", type(None), "[]", "[x]", ["last"], []),
    ],
)
def test_what_a_node_knows(digits, name, kind, instance, targets, args, inputs, users):
    node = digits.get_node(name)
    assert node.get_node_type() is NodeType[kind]
    assert node.get_instance_type() is instance
    assert (str(node.get_targets()), str(node.get_args())) == (targets, args)
    assert (names(node.get_inputs()), names(node.get_users())) == (inputs, users)


@pytest.mark.parametrize(
    "name, kind, args",
    [
        ("arg", "Python", "[]"),
        ("tuple", "CallMethod", "[x, self.w]"),
        ("sub", "Tree", "[x]"),
        ("seq", "CellContainer", "[x]"),
        ("add", "CallPrimitive", "[x, b]"),
        ("AugAssign", "Python", "[]"),
        ("binop_pow", "MathOps", "[add_var, 2]"),
        ("binop_mult", "MathOps", "[usub_var, pow_var]"),
        ("self.blocks", "CellContainer", "[]"),
        ("for_node", "ControlFlow", "[self_blocks]"),
        ("compare_gt", "MathOps", "[self.n, 1]"),
        ("else_node", "ControlFlow", "[and_var]"),
        ("multiplied", "CallFunction", "[z, q]"),
        ("shifted", "CallFunction", "[z]"),
        ("sum", "CallFunction", "[]"),
        ("Assign", "Python", "[]"),
        ("With", "Python", "[]"),
    ],
)
def test_kinds_of_nodes(mixed, name, kind, args):
    node = mixed.get_node(name)
    assert (node.get_node_type(), str(node.get_args())) == (NodeType[kind], args)


def test_keyword_arguments_and_functions(mixed):
    assert str(mixed.get_node("dict").get_kwargs()) == "{'a': z}"
    assert str(mixed.get_node("shifted").get_kwargs()) == "{'by': 2}"
    assert mixed.get_node("shifted").get_instance_type() is shifted
    users = mixed.get_node("tuple").get_users()
    assert names(users) == ["add", "binop_add"]


def test_what_is_not_always_evaluated_stays_in_place(mixed):
    assert "and_var = compare_var and x.ndim == 2\n" in mixed.get_code()
    assert "while self.n > 5:\n" in mixed.get_code()


def test_nodes_within_others_come_last(mixed):
    inner = names(mixed.nodes(True))[len(list(mixed.nodes())) :]
    assert {"Dense", "ReLU", "SubNet", "block", "input_a", "binop_mult_1"} <= set(inner)
    assert names(mixed.get_node("sub").get_sub_tree().nodes()) == ["input_x", "act", "return"]


def test_a_table_of_nodes(digits, capsys):
    digits.print_node_tabulate()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "node type"
    assert lines[3].split() == [
        *("NodeType.CallCell", "stem", "x", "=", "self.stem(x)"),
        *("{0:", "('input_x',", "0)}", "{0:", "[('act',", "0)]}"),
    ]


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda tree: SymbolTree.create(1), TypeError),
        (lambda tree: tree.get_node(1), TypeError),
        (lambda tree: tree.nodes(1), TypeError),
        (lambda tree: tree.print_node_tabulate(1), TypeError),
        (lambda tree: tree.unique_name(1), TypeError),
        (lambda tree: tree.get_node("stem").get_sub_tree(), TypeError),
        (lambda tree: tree.before("none such"), RuntimeError),
        (lambda tree: tree.after(None), TypeError),
    ],
)
def test_refusals(digits, call, error):
    with pytest.raises(error):
        call(digits)


def test_a_network_without_source_is_refused():
    scope = {"nn": nn}
    exec("class Net(nn.Cell):\n    def construct(self, x):\n        return x", scope)
    with pytest.raises(RuntimeError, match="cannot be read"):
        SymbolTree.create(scope["Net"]())
