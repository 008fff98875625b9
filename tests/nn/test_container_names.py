"""Names of parameters in containers that are built and changed, as in MindSpore 2.10."""

import copy
from collections import OrderedDict

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn


class Leaf(nn.Cell):
    """A Cell with one parameter."""

    def __init__(self, name=None):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([0.0]), name=name)


class Box(nn.Cell):
    """A Cell with the given members."""

    def __init__(self, **members):
        super().__init__()
        for name, member in members.items():
            setattr(self, name, member)


class Stage(nn.Cell):
    """Blocks in a list that grows after it has been assigned, and a norm."""

    def __init__(self, count):
        super().__init__()
        self.blocks = nn.CellList([])
        for _ in range(count):
            self.blocks.append(Leaf())
        self.norm = Leaf()


def stages_appended():
    net = Box(layers=nn.CellList([]))
    for count in (2, 1):
        net.layers.append(Stage(count))
    return net


def lists_in_lists():
    inner = nn.CellList([Leaf(), Leaf()])
    net = Box(x=nn.CellList([inner, nn.CellList([Leaf()])]))
    inner.append(Leaf())
    return net


def inserted():
    net = Box(x=nn.CellList([Leaf(), Leaf()]))
    net.x.insert(1, Box(a=Leaf()))
    net.x.insert(0, Leaf())
    return net


def deleted():
    net = Box(x=nn.SequentialCell([Leaf(), Box(a=Leaf()), Leaf()]))
    del net.x[0]
    net.x.append(Leaf())
    return net


def without_prefix():
    net = Box(x=nn.CellList([Leaf("a"), Leaf("b")], auto_prefix=False))
    net.x.append(Leaf("c"))
    return net


def extended_without_names():
    inner = nn.CellList([Leaf()], auto_prefix=False)
    return Box(x=nn.CellList([nn.CellList([Leaf(), Leaf()]), inner]))


def named_members():
    net = Box(x=nn.SequentialCell(OrderedDict([("k", Leaf()), ("j", Leaf())])))
    net.x.append(Leaf())
    net.x[0] = Leaf()
    del net.x[1]
    return net


def dict_grown():
    net = Box(x=nn.CellDict([("a", Leaf())]))
    net.x["b"] = Leaf()
    outer = Box(y=net)
    net.x.update({"c": Leaf(), "a": Leaf()})
    return outer


def shared():
    leaf = Leaf()
    return Box(a=leaf, b=nn.CellList([leaf, Leaf()]))


def given():
    return Box(a=Leaf("own"), b=nn.SequentialCell(Leaf("other"), Leaf()))


def dict_in_a_list():
    net = Box(x=nn.CellList([Leaf()]))
    net.x.append(nn.CellDict({"k": Leaf()}))
    return net


NAMES = {
    stages_appended: (
        "0.blocks.0.w 0.blocks.1.w 0.norm.w 0.blocks.1.blocks.0.w 0.blocks.1.norm.w"
    ).split(),
    lists_in_lists: "x.0.0.w x.0.1.w x.0.2.w x.1.0.w".split(),
    inserted: "x.0.w x.1.w x.2.a.w x.3.w".split(),
    deleted: "x.0.a.w x.1.w x.2.w".split(),
    without_prefix: "x.0.w x.1.w c".split(),
    extended_without_names: "x.0.0.w x.0.1.w x.1.0.w".split(),
    named_members: "x.k.w x.1.w".split(),
    dict_grown: "y.x.a.w y.x.b.w y.x.c.w".split(),
    shared: "b.0.w b.1.w".split(),
    given: "a.w b.0.w b.1.w".split(),
    dict_in_a_list: "x.0.w x.1.k.w".split(),
}


@pytest.mark.parametrize("build", NAMES, ids=lambda build: build.__name__)
def test_names_of_parameters(build):
    assert [param.name for param in build().get_parameters()] == NAMES[build]


@pytest.mark.parametrize(
    "make, listed",
    [(lambda: nn.CellList([]), False), (nn.SequentialCell, False), (nn.CellDict, True)],
    ids=["list", "sequence", "dict"],
)
def test_empty_lists_are_no_part_of_a_network(make, listed):
    net = Box(a=make(), b=nn.ReLU())
    assert [name for name, _ in net.cells_and_names()] == (["", "a", "b"] if listed else ["", "b"])
    assert list(net.name_cells()) == ["a", "b"]


def test_a_dict_is_refused_where_cells_come_in_lists():
    layers = nn.CellList([Leaf()])
    with pytest.raises(TypeError):
        layers.extend([Leaf(), nn.CellDict()])
    assert len(layers) == 1


class Pair(nn.Cell):
    """Two Parameters without names in a tuple."""

    def __init__(self):
        super().__init__()
        self.pair = ParameterTuple((Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))))


def test_parameters_without_names_are_counted_in_each_cell():
    assert [p.name for _ in range(2) for p in Pair().pair] == ["Parameter$1", "Parameter$2"] * 2
    net = nn.SequentialCell(Pair(), Pair())
    net.own = ParameterTuple((Parameter(Tensor([3.0])),))
    assert [p.name for p in net.get_parameters()] == [
        "Parameter$1",
        "0.Parameter$1",
        "0.Parameter$2",
        "1.Parameter$1",
        "1.Parameter$2",
    ]
    copied = copy.deepcopy(net[0])
    copied.more = ParameterTuple((Parameter(Tensor([4.0])),))
    assert copied.more[0].name == "Parameter$3"
