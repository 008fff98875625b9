"""A name without effect says so: in help, in the stub, on the page, and once in the log."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kit import settings_scan

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._core import without_effect
from mindspore_compat._core.without_effect import SENTENCE, mark_of
from mindspore_compat._startup import stubs

ROOT = Path(__file__).parent.parent
OLDER = ("set_offload_context",)  # of earlier releases, which stubs leave out


@pytest.fixture(scope="module")
def extension():
    """The module that writes the page."""
    pytest.importorskip("sphinx")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        yield importlib.import_module("without_effect")


@pytest.fixture(scope="module")
def marks(extension):
    """The marks of the package; other tests may mark things of their own."""
    return {
        path: mark for path, mark in extension.all_marks().items() if not path.startswith("tests.")
    }


def found(path):
    """What a public path names."""
    thing, module = ms, ""
    for part in path.split("."):
        name = f"{module}.{part}".lstrip(".")
        if inspect.ismodule(thing) and not hasattr(thing, part):
            importlib.import_module(f"mindspore_compat.{name}")
        thing = inspect.getattr_static(thing, part, None) or getattr(thing, part)
        module = name if inspect.ismodule(thing) else module
    return thing


def test_every_mark_is_on_what_its_path_names_and_on_the_page(extension, marks):
    page = extension.page(marks)
    assert len(marks) > 90
    for path, mark in marks.items():
        assert mark_of(found(path)) == mark
        assert f"`{path}`" in page
        assert all(f"`{argument}`" in page for argument in mark.arguments)


def test_help_says_it(marks):
    for path, mark in marks.items():
        doc = " ".join(inspect.getdoc(found(path)).split())
        assert doc.count(SENTENCE) >= 1, path
        if path not in ("set_context", "set_auto_parallel_context"):
            assert doc.count(mark.sentence) == max(len(mark.arguments), 1), path
        assert all(f"`{key}`" in doc or key in doc for key in mark.arguments)


def test_stubs_say_it(marks):
    pairs = set()
    for module in stubs.MODULES:
        lines = [line.strip() for line in stubs.path_of(module).read_text("utf-8").splitlines()]
        pairs |= {
            (above, re.split(r"[.(]", line.removeprefix("def ").removeprefix("@"))[0])
            for above, line in zip(lines, lines[1:])
            if SENTENCE in above
        }
    for path in marks:
        thing = found(path)
        name = "__init__" if inspect.isclass(thing) else path.rpartition(".")[2]
        if "._" not in f".{path}" and path not in OLDER:  # what is private has no stub
            assert (stubs.comment_of(thing).strip(), name) in pairs, path


def test_a_scan_finds_nothing_unmarked_that_only_stores(marks):
    places = settings_scan.unmarked()
    assert {name: file for name, file in places.items() if name not in settings_scan.EXEMPT} == {}
    assert settings_scan.EXEMPT - places.keys() == set()  # reasons that are no longer needed


def test_one_warning_a_process_names_the_caller():
    script = (
        "import mindspore_compat as ms\n"
        "from mindspore_compat.dataset import config\n"
        "ms.set_context(save_graphs=False, max_call_depth=1000)\n"  # the defaults: no warning
        "config.set_iterator_mode(True)\n"
        "config.set_fast_recovery(True)\n"
        "for _ in range(3):\n"
        "    config.set_fast_recovery(False)\n"
        "    config.set_iterator_mode(parallel_convert=True)\n"
        "    ms.set_context(save_graphs=2)\n"
        "    ms.set_context(gpu_config={'conv_fprop_algo': 'gemm', 'matmul_allow_tf32': True})\n"
        "net = ms.nn.Dense(2, 2)\n"
        "net.weight.unique = True\n"
        "assert net.weight.unique\n"
        "ms.nn.thor(ms.nn.SequentialCell(net), ms.Tensor([0.1]), ms.Tensor([0.1]), 0.9)\n"
        "code = compile('net.update_cell_type(1)', '<checks of f #1>', 'exec')\n"
        "exec(code)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, cwd=ROOT
    )
    assert ran.returncode == 0, ran.stderr
    lines = [line for line in ran.stderr.splitlines() if "no effect" in line]
    assert [
        line.partition("] ")[2].partition("[<string>:")[2].split(" is ")[0] for line in lines
    ] == [
        "5] 'dataset.config.set_fast_recovery'",
        "8] 'parallel_convert' of 'dataset.config.set_iterator_mode'",
        "9] 'save_graphs' of 'set_context'",
        "10] 'gpu_config.conv_fprop_algo' of 'set_context'",
        "12] 'Parameter.unique'",
        "16] 'nn.Cell.update_cell_type'",
    ]


def test_marks_of_functions_properties_and_classes():
    @without_effect.without_effect("tests.Layer(width)", "it is so")
    class Layer:
        """A layer.

        Args:
            width (int): how wide; two
                lines.
            depth (int): how deep.
        """

        def __init__(self, width=1, depth=1):
            self.depth = depth

    entry = "lines.\n        Accepted for compatibility, has no effect here: it is so.\n    depth"
    assert entry in inspect.getdoc(Layer)
    assert Layer(2, depth=3).depth == 3 and mark_of(Layer).arguments == ("width",)
    assert mark_of(nn.Dense) is None and mark_of(ms.ops.relu) is None
