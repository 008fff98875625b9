"""Reading pages: every format of the documentation, in both languages, and invalid input."""

import textwrap

import pytest

from conformance.__main__ import main
from conformance.errors import BadInput
from conformance.reading import docs, recorder, specs
from conformance.reading.wheel import Wheel
from conformance.running import verdicts

ENGLISH = """\
# mindspore.nn.Gadget

mindspore.nn.Gadget(size, rate=0.5, mode='fast')[source]

Turns gadgets.

Parameters
• size (int) – How many. It must be greater than 0.

• rate (float) – How fast. Must be in range (0.0, 1.0]. Default: 0.5.

• mode (str) – Which way. Default: 'fast'

Inputs:
• x (Tensor) - What is turned.

Outputs:

Tensor, of the same data type and shape as `x`.

Raises
• TypeError – If size is not int.

• ValueError – If rate is not in range (0.0, 1.0].

Supported Platforms:

Ascend GPU

Examples

>>> import mindspore as ms
>>> gadget = ms.nn.Gadget(3, rate=0.25)
>>> print(gadget(ms.Tensor([1, 2],
...                        ms.float32)))
[1. 2.]
"""

GLUED = """\
mindspore.nn.Gadget
- mindspore.nn.Gadget(size, rate=0.5, mode='fast')[源代码]
转动。
- 参数:
size (int) - 数量。
rate (float) - 速度。默认值:
0.5
。mode (str) - 方式。默认值: 'fast'
- 输出:
Tensor,值为
True
。- 异常:
TypeError - size 不是整数。
ValueError - sizerate 小于0。
- 支持平台:
Ascend
GPU
样例:
>>> import mindspore as ms >>> gadget = ms.nn.Gadget(3, ... rate=0.25)"""

NUMBERED = "\n".join(
    ["Some Repository", "", "mindspore.nn.Gadget.rst 2.7 kB", "4 years ago"]
    + [
        f"  {i}. {line}"
        for i, line in enumerate(
            [
                "mindspore.nn.Gadget",
                "===================",
                ".. py:class:: mindspore.nn.Gadget(size, rate=0.5, mode='fast')",
                "转动。",
                "**参数:**",
                "- **size** (int) - 数量。",
                "- **rate** (float) - 速度。",
                "- **mode** (str) - 方式。",
                "**异常:**",
                "- **TypeError** - `size` 不是int。",
                "**支持平台:**",
                "``Ascend`` ``CPU``",
                ".. py:method:: turn(times)",
                "再转动。",
            ],
            1,
        )
    ]
)

MODULES = {
    "version.py": "__version__ = '2.10.0'\n",
    "__init__.py": "from mindspore.nn import *\nfrom mindspore import nn, common\n"
    "__all__ = ['nn']\n",
    "common/__init__.py": "",
    "common/_tensor_docs.py": "",
    "nn/__init__.py": "from . import layer\nfrom .layer import *\n"
    "__all__ = []\n__all__.extend(layer.__all__)\n",
    "nn/layer.py": '''
        __all__ = ["Gadget", "turned"]

        class Base:
            def __init__(self, size, rate=0.5, *, mode="fast"):
                self.size = size

        class Gadget(Base):
            """
            Turns gadgets.

            Args:
                size (int): How many. Inputs: none.
                rate (Union[int, float], optional): How fast. Default: ``0.5`` .

            Keyword Args:
                mode (str): Which way.

            Inputs:
                - **x** (Tensor) - What is turned.

            Raises:
                TypeError: If `size` is not an int,
                    or `rate` is not a float.
                ValueError: If `size` does what it should not.

            Supported Platforms:
                ``GPU`` ``CPU``
            """
            def construct(self, x):
                return x

            def turn(self, times=1):
                """Turn again."""

        def turned(x):
            """Turned. Refer to :class:`mindspore.nn.Gadget` for more details."""
        ''',
}


@pytest.fixture
def page(tmp_path):
    def write(text, name="page.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def wheel(tmp_path):
    for name, text in MODULES.items():
        path = tmp_path / "mindspore" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return tmp_path / "mindspore"


def test_english_page(page):
    (found,) = docs.read(page(ENGLISH))
    entry, unread = specs.from_page(found)
    assert not unread
    assert entry["signature"] == ["size", "rate=0.5", "mode='fast'"]
    assert entry["types"] == {"size": ["int"], "rate": ["float"], "mode": ["str"]}
    assert entry["ranges"] == {"size": "<= 0", "rate": "outside (0.0, 1.0]"}
    assert entry["inputs"] == {"x": ["Tensor"]}
    assert entry["returns"] == {"shape": "x", "dtype": "x"}
    assert entry["platforms"] == ["Ascend", "GPU"]
    assert entry["raises"] == [
        {"TypeError": {"size": "not int"}},
        {"ValueError": {"rate": "outside (0.0, 1.0]"}},
    ]
    assert entry["use"] == {"call": [["3"], {"rate": "0.25"}]}
    assert found.examples[0].steps[-1][1] == "[1. 2.]"


def test_page_that_lost_its_line_breaks(page):
    (found,) = docs.read(page(GLUED))
    entry, unread = specs.from_page(found)
    assert not unread
    assert entry["types"] == {"size": ["int"], "rate": ["float"], "mode": ["str"]}
    assert entry["raises"] == [
        {"TypeError": {"size": "not int"}},
        {"ValueError": {"size, rate": "< 0"}},
    ]
    assert entry["platforms"] == ["Ascend", "GPU"]
    assert entry["use"]["call"] == [["3"], {"rate": "0.25"}]


def test_page_with_the_line_numbers_of_a_viewer(page):
    found, method = docs.read(page(NUMBERED))
    entry, _ = specs.from_page(found)
    assert found.kind == "class"
    assert entry["raises"] == [{"TypeError": {"size": "not int"}}]
    assert entry["platforms"] == ["Ascend", "CPU"]
    assert (method.name, [str(a) for a in method.signature]) == ("nn.Gadget.turn", ["times"])


def test_tree_of_pages_passes_over_what_is_none(page, tmp_path):
    page(NUMBERED, "a.rst")
    page("nothing to see", "b.rst")
    assert [p.name for p in docs.read(tmp_path)] == ["nn.Gadget", "nn.Gadget.turn"]


def test_wheel_is_read_without_importing_it(wheel):
    pages = {p.name: p for p in docs.read(wheel)}
    assert set(pages) == {"nn.Gadget", "nn.Gadget.turn", "nn.turned"}
    entry, unread = specs.from_page(pages["nn.Gadget"])
    assert entry["signature"] == ["size", "rate=0.5", "*", "mode='fast'"]
    assert entry["call"] == ["x"]
    assert entry["types"]["rate"] == ["int", "float"]
    assert entry["platforms"] == ["GPU", "CPU"]
    assert entry["raises"] == [
        {"TypeError": {"size": "not int"}},
        {"TypeError": {"rate": "not float"}},
    ]
    lines = (wheel / "nn" / "layer.py").read_text().split("\n")
    assert [lines[s.line - 1].strip() for s in unread] == [
        "ValueError: If `size` does what it should not."
    ]
    assert pages["nn.turned"].refers == "nn.Gadget"


def test_imports_that_go_round_in_a_circle_hide_no_name(wheel):
    (wheel / "common" / "_tensor_docs.py").write_text(
        'from mindspore.nn import layer\nattach_docstr("turn", "Turns a Tensor.")\n'
    )
    (wheel / "nn" / "layer.py").write_text(
        "from mindspore import common\nclass Tensor:\n"
        '    """Holds numbers."""\n    def size(self):\n        """How many."""\n'
        "__all__ = ['Tensor']\n"
    )
    (wheel / "__init__.py").write_text("from mindspore.nn import *\n__all__ = ['Tensor']\n")
    names = {page.name for page in docs.read(wheel)}
    assert {"Tensor", "Tensor.size", "Tensor.turn"} <= names


def test_a_module_that_is_still_being_read_hides_no_name(wheel):
    (wheel / "nn" / "cell.py").write_text(
        "from mindspore import common\nfrom mindspore.nn import layer\nclass Cell:\n"
        '    """Holds layers."""\n'
    )
    (wheel / "nn" / "__init__.py").write_text(
        "from mindspore.nn.cell import Cell\n__all__ = ['Cell']\n"
    )
    (wheel / "common" / "__init__.py").write_text("from mindspore import nn\n")
    (wheel / "__init__.py").write_text("from mindspore.nn.cell import Cell\n__all__ = ['Cell']\n")
    assert {"Cell", "nn.Cell"} <= {page.name for page in docs.read(wheel)}


def test_pages_that_disagree_are_reported(page, tmp_path, capsys):
    page(ENGLISH, "old.txt")
    page(ENGLISH.replace("TypeError – If size", "ValueError – If size"), "new.txt")
    ((name, what, said),) = verdicts.disagreements(list(docs.read(tmp_path)))
    assert (name, what) == ("nn.Gadget", "size: not int")
    assert sorted(said.values()) == ["TypeError", "ValueError"]
    assert main(["read", str(tmp_path)]) == 0
    assert "pages disagree: nn.Gadget size: not int" in capsys.readouterr().out


def test_spec_files_are_written_and_read_back(page, tmp_path):
    (found,) = docs.read(page(ENGLISH))
    entry, _ = specs.from_page(found)
    (path,) = specs.save({"nn.Gadget": entry}, tmp_path / "spec")
    assert path.name == "nn.yaml"
    assert specs.load(tmp_path / "spec") == {"nn.Gadget": entry}


def test_verdicts_survive_a_new_reading(page, tmp_path):
    (found,) = docs.read(page(ENGLISH))
    page_entry, _ = specs.from_page(found)
    page_entry["raises"][0].update(verdict="agreed")
    specs.save({"nn.Gadget": page_entry}, tmp_path / "spec")
    again, _ = specs.from_page(next(docs.read(page(ENGLISH))))
    verdicts.carry({"nn.Gadget": again}, tmp_path / "spec")
    assert again["raises"][0]["verdict"] == "agreed"
    assert "verdict" not in again["raises"][1]


@pytest.mark.parametrize("size, survives", [("size", True), ("width", False)])
def test_calls_written_by_hand_survive_while_the_signature_stands(page, tmp_path, size, survives):
    page_entry, _ = specs.from_page(next(docs.read(page(ENGLISH))))
    page_entry["use"] = {"init": [["7"], {}]}
    specs.save({"nn.Gadget": page_entry}, tmp_path / "spec")
    newer = ENGLISH.replace("Gadget(size,", f"Gadget({size},")
    again, _ = specs.from_page(next(docs.read(page(newer))))
    verdicts.carry({"nn.Gadget": again}, tmp_path / "spec")
    assert (again["use"] == page_entry["use"]) is survives


def test_a_call_with_prose_is_not_recorded():
    with pytest.raises(recorder.Unknown):
        recorder.text("If this is said in so many words then it is no argument anymore.")


@pytest.mark.parametrize(
    "text, what", [("Only a note.\n", "no API page"), ("\x80\x81", "not a text file")]
)
def test_page_that_is_none_ends_with_one_line(page, text, what, capsys):
    path = page("")
    path.write_bytes(text.encode("latin-1"))
    assert main(["read", str(path)]) == 2
    error = capsys.readouterr().err
    assert what in error and str(path) in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "break_it",
    [
        lambda w: (w / "version.py").unlink(),
        lambda w: (w / "__init__.py").unlink(),
        lambda w: (w / "nn" / "layer.py").write_text("def broken(:\n"),
    ],
)
def test_truncated_wheel_ends_with_one_line(wheel, break_it, capsys):
    break_it(wheel)
    assert main(["read", str(wheel)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_parse_error_names_the_line(wheel):
    (wheel / "nn" / "layer.py").write_text("x = 1\ndef broken(:\n")
    with pytest.raises(BadInput, match="layer.py:2: cannot be parsed"):
        list(docs.read(wheel))


def test_packed_wheel_that_is_no_archive(tmp_path, capsys):
    path = tmp_path / "mindspore-2.10.0.whl"
    path.write_bytes(b"PK\x03\x04 cut off")
    assert main(["read", str(path)]) == 2
    assert "truncated" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text, location",
    [
        ("nn.A: {kind: class\nnn.B: 1\n", "2"),
        ("nn.A:\n  kind: clas\n", "2"),
        ("nn.A:\n  kind: class\n  raises:\n  - ValueError: {x: smaller than 0}\n", "4"),
        ("nn.A:\n  kind: class\n  raisse: []\n", "3"),
        ("- 1\n", "1"),
    ],
)
def test_mistake_in_a_spec_file_is_placed(tmp_path, text, location):
    path = tmp_path / "nn.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as error:
        specs.load_file(path)
    assert str(error.value).startswith(f"{path}:{location}: ")


def test_submodules_are_found_by_name(wheel):
    found = Wheel(wheel)
    assert found.release == "2.10.0"
    assert found.lookup(found.module(""), "nn").kind == "module"
    assert found.module("no.such") is None
