"""The parts of the pages of the reference: formulas, pictures, links, differences, the tree."""

import configparser
import importlib
import inspect
import json
import types
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import mindspore_compat as ms

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def page():
    """A function that imports a module of docs/."""
    pytest.importorskip("sphinx")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield importlib.import_module


@pytest.mark.parametrize(
    "text, written",
    [
        ("Applies it: x * sigmoid(x).", r"Applies it: :math:`x \, \sigma\left(x\right)`."),
        ("It is d^2 / (2 beta) or less.", r"It is :math:`\frac{d^{2}}{2 \, \beta}` or less."),
        ("1 - (a - b) * 2 is it", r":math:`1 - \left(a - b\right) \cdot 2` is it"),
        ("with r = sqrt(v) + eps.", r"with :math:`r = \sqrt{v} + \epsilon`."),
        ("-log(q[c]) of a class", r":math:`-\log\left(q_{c}\right)` of a class"),
        ("-w[o, k + 1] of it", r":math:`-w_{o, k + 1}` of it"),
        ("f = W_i x + b_hn;  a_i", ".. math::\n\n   f &= W_{i} \\, x + b_{hn} \\\\\n   a_{i}"),
        ("lr ** -p / |x + 1|", ".. math::\n\n   \\frac{\\text{lr}^{-p}}{|x + 1|}"),
        ("m = beta1 m;  p = p - m / 2", ".. math::\n\n   m &= \\beta_{1} \\, m \\\\\n   p &= "),
        ("the rate * x of it", "the rate * x of it"),
        ("2-D convolution and/or 1/2", "2-D convolution and/or 1/2"),
        ("where |x| > 1 or `a * b`", "where |x| > 1 or `a * b`"),
        ("a batch of (N, C) in [0, 1)", "a batch of (N, C) in [0, 1)"),
    ],
)
def test_formulas_in_prose_are_typeset(page, text, written):
    found = page("formulas").typeset(text)
    assert found.startswith(written) if "&=" in written else found == written


def test_names_of_parameters_are_variables(page):
    typeset = page("formulas").typeset
    assert typeset("rate * x", ["rate"]) == ".. math::\n\n   \\text{rate} \\, x"
    assert r"\text{s} " not in typeset("s = 2, then s * x") and ":math:" in typeset("s * x of it")


def test_optimizers_activations_and_losses_have_formulas(page):
    reference = page("reference")
    missing = []
    for (
        path
    ) in """nn.Adam nn.AdamWeightDecay nn.AdamOffload nn.Momentum nn.SGD nn.Adagrad nn.RMSProp
            nn.Lamb nn.LARS nn.FTRL nn.SiLU nn.Mish nn.PReLU ops.relu nn.ReLU ops.softmax nn.MSELoss
            nn.BCELoss nn.HuberLoss nn.CrossEntropyLoss nn.LayerNorm nn.BatchNorm1d nn.GroupNorm
            nn.BatchNorm2d nn.Conv1d nn.Conv2d nn.Conv3d nn.Conv2dTranspose nn.LSTM nn.GRU
            nn.LSTMCell nn.GRUCell nn.InstanceNorm1d nn.CosineDecayLR
            ops.cosine_similarity""".split():
        area, _, name = path.rpartition(".")
        thing = getattr(importlib.import_module(f"mindspore_compat.{area}"), name)
        names = reference.parameters_of(area, name, thing)
        text = reference.with_formulas(inspect.cleandoc(thing.__doc__), names)
        missing += [] if ":math:" in text or "math::" in text else [path]
    assert missing == []


@pytest.fixture(scope="module")
def drawn(page, tmp_path_factory):
    """The folder of the pictures, and what is drawn by name."""
    folder = tmp_path_factory.mktemp("pictures")
    pytest.importorskip("PIL")
    return folder, page("pictures").write_all(folder, lambda path, text: path.write_text(text))


def test_every_picture_is_of_a_name_and_lies_in_its_file(page, drawn):
    folder, pictures = drawn
    assert len(pictures) > 100
    for name, (file, _) in pictures.items():
        page("pictures").at(name)
        assert (folder / file).stat().st_size > 100
        if file.endswith(".svg"):
            ElementTree.fromstring((folder / file).read_text())
    lower = [file.lower() for file, _ in pictures.values()]
    shared = {file for file, _ in pictures.values() if lower.count(file.lower()) > 1}
    assert shared == set()  # on file systems that ignore case, relu.svg would replace ReLU.svg


def test_graphs_show_what_the_names_compute(page):
    pictures, x = page("pictures"), np.linspace(-4, 4, 41, dtype=np.float32)
    assert np.array_equal(pictures.elementwise(ms.ops.relu, x), np.maximum(x, 0))
    assert pictures.elementwise(ms.nn.Tanhshrink, x) is not None
    assert pictures.elementwise(ms.ops.softmax, x) is None
    graphs = dict(pictures.activations())
    assert {"nn.ReLU", "ops.gelu", "mint.nn.functional.silu"} <= {*graphs}
    assert not {"nn.Softmax", "nn.GLU", "nn.RReLU"} & {*graphs}


def test_masks_are_those_of_the_attention(page):
    masks = dict(page("pictures").masks())
    causal = masks["nn.MultiheadAttention"][1]
    assert causal.count('fill="#3b82f6"') == 21 and causal.count("#e5e7eb") == 15
    assert masks["ops.flash_attention_score"][1].count("fill=") > 3 * 15


def test_pages_link_the_original_and_the_source(page):
    links = page("links")
    line = links.line_of("mindspore.nn", "nn", "Adam", ms.nn.Adam)
    assert "/r2.10.0/api_python/nn/mindspore.nn.Adam.html>`__" in line
    assert "`nn/optim/adam.py <../source/nn/optim/adam.py.txt>`__, line " in line
    for area, name, file in [
        ("ops", "relu", "ops/_activation/relu.py"),
        ("nn", "ReLU", "ops/_activation/relu.py"),
        ("", "Tensor", "_core/tensor/tensor.py"),
    ]:
        thing = getattr(importlib.import_module(f"mindspore_compat.{area}".rstrip(".")), name)
        found, line = links.source_of(area, name, thing)
        assert found == file and line > 1
    assert links.source_of("", "float32", ms.float32) is None


def test_members_of_this_package_alone_are_hidden(page):
    links = page("links")
    assert links.is_of_package("nn.Adam", "after_step")
    assert not links.is_of_package("nn.Adam", "get_lr")
    assert not links.is_of_package("nn.Cell", "set_train")
    assert not links.is_of_package("nn.NoSuchClass", "method")


def test_differences_name_calls_and_reasons(page):
    pairs = page("links").differences_of("nn.FTRL")
    assert (
        "``l1=0.05``",
        "Its kernel for CPUs adds l1 where the linear term is negative too.",
    ) in pairs
    assert page("links").differences_of("nn.NoSuchClass") == []


@pytest.mark.parametrize(
    "case, words",
    [
        ("x=cast-bool", "``x`` of dtype bool"),
        (
            "a=int8-Tensor,b=ranked-3→TypeError",
            "a Tensor of int8 for ``a`` and ``b`` with 3 axes (TypeError)",
        ),
        ("accepts::example", "the documented example"),
        ("steps::params=sample.groups(lr=0.3)", "groups of parameters with ``lr=0.3``"),
        ("dim=(1, 2)", "``dim=(1, 2)``"),
        ("signature::", "the signature"),
    ],
)
def test_differences_are_told_in_words(page, case, words):
    assert page("links").shown(case) == words


def test_names_in_prose_are_links(page, monkeypatch):
    reference = page("reference")
    monkeypatch.setattr(reference, "_files", {"nn.Cell": "a", "Tensor": "b", "grad": "c"})
    line = "See `nn.Cell`, `Tensor`, `Tensor.sum`, `grad`, `x` and `nn.nothing`."
    assert reference.escaped_line(line) == (
        "See :py:obj:`nn.Cell <mindspore.nn.Cell>`, :py:obj:`Tensor <mindspore.Tensor>`, "
        ":py:obj:`Tensor.sum <mindspore.Tensor.sum>`, `grad`, `x` and `nn.nothing`."
    )
    assert reference.escaped_line("`Tensor`", ["Tensor"]) == "`Tensor`"


def test_formulas_are_mathml_without_backslashes(page):
    pytest.importorskip("latex2mathml")
    mathml = page("mathml")
    text = mathml.convert(
        mathml.plain(page("formulas").typeset("x * weight_decay", ["weight_decay"])[12:])
    )
    assert "weight_decay" in text and text.startswith("<math")


def test_no_address_of_a_process_becomes_a_link():
    text = inspect.getdoc(ms.mint.distributed.init_process_group)
    assert text.partition("Example")[0].count("tcp://") == text.count('`"tcp://') > 0


def test_the_extra_that_builds_the_pages_brings_what_their_pictures_of_transforms_need():
    path = DOCS.parent / "setup.cfg"
    if not path.exists():
        pytest.skip("needs a checkout")
    settings = configparser.ConfigParser()
    settings.read(path, encoding="utf-8")
    extras = settings["options.extras_require"]
    assert {*extras["vision"].split()} <= {*extras["docs"].split()}


NAVIGATION = (
    '<ul>\n<li class="toctree-l1"><a class="reference internal" href="index.html">API reference</a>'
    '<ul>\n<li class="toctree-l2"><a class="reference internal" href="nn.html">nn</a></li>\n'
    '<li class="toctree-l2"><a class="reference internal" href="ops.html">ops</a></li>\n'
    "</ul>\n</li>\n</ul>"
)


class _Builder:
    """A builder of HTML pages that lie in one folder."""

    def get_relative_uri(self, source, target):
        return "" if source == target else f"{target.rpartition('/')[2]}.html"


def test_the_tree_shows_groups_and_the_names_of_one(page, monkeypatch):
    navigation, reference = page("navigation"), page("reference")
    groups = {
        "nn": {
            "Convolution layers": [("Conv2d", "nn.Conv2d")],
            "Activation layers": [("ReLU", "nn.ReLU"), ("CELU", "nn.CELU")],
        }
    }
    monkeypatch.setattr(reference, "GROUPS", groups)
    tree = navigation.with_groups(NAVIGATION, _Builder(), "nn", "Activation layers")
    assert tree.count("toctree-l3") == 2 and tree.count("toctree-l4") == 2
    assert tree.index("Activation layers") < tree.index("ReLU") < tree.index("Convolution layers")
    assert 'href="nn.html#convolution-layers"' in tree and 'href="nn.ReLU.html"' in tree
    assert "Conv2d" not in tree and tree.count(" current") == 3  # reference, module, group
    whole = navigation.with_groups(NAVIGATION, _Builder(), "nn", None)
    assert whole.count("toctree-l3") == 2 and "toctree-l4" not in whole
    assert navigation.with_groups(NAVIGATION, _Builder(), "ops", None) == NAVIGATION  # no groups


def test_the_page_of_a_name_is_marked_in_the_tree(page, monkeypatch):
    navigation, reference = page("navigation"), page("reference")
    monkeypatch.setattr(reference, "GROUP_OF", {"nn.ReLU": ("nn", "Activation layers")})
    entry = '<li class="toctree-l4"><a class="reference internal" href="nn.{}.html">'
    context = {"furo_navigation_tree": entry.format("CELU") + entry.format("ReLU")}
    navigation.mark_name(None, "reference/nn.ReLU", "page.html", context, None)
    before, marked = context["furo_navigation_tree"].split('<li class="toctree-l4 current')
    assert "nn.CELU" in before and marked.startswith(' current-page"') and "nn.ReLU" in marked


def test_built_versions_know_each_other(page, tmp_path):
    navigation = page("navigation")
    for name, version in (("2.9", "2.9.1"), ("2.10", "2.10.0")):
        folder = tmp_path / name
        folder.mkdir()
        inventory = f"# Sphinx inventory version 2\n# Project: mindspore\n# Version: {version}\n"
        folder.joinpath("objects.inv").write_bytes(inventory.encode() + b"# zlib\n\x00")
        builder = types.SimpleNamespace(format="html")
        navigation.write_versions(types.SimpleNamespace(builder=builder, outdir=folder), None)
    for name in ("2.9", "2.10"):
        text = (tmp_path / name / "versions.js").read_text("utf-8")
        pages = json.loads(text.removeprefix("const pages = ").rstrip(";\n"))
        assert pages == {"here": name, "versions": {"2.9": "2.9.1", "2.10": "2.10.0"}}
