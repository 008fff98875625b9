"""The code in README and guides runs, and the files that they name exist."""

import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mindspore_compat

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mindspore_compat"
GENERATED = {"reference", "generated", "_build"}  # folders of docs/ that its build writes
PAGES = [
    ROOT / "README.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.rst"))
        if page.relative_to(ROOT / "docs").parts[0] not in GENERATED
    ),
]
WRITTEN_BY_SCRIPTS = {"data/op_statistic.csv", "data/trace_view.json"}
FILE = re.compile(r"(?<!:)`((?:[\w.-]+/)+[\w.-]*)(?:::(\w+))?`")  # `path/to/file.py::name`
MODULE_FILE = re.compile(r"(?<![\w./*{}])((?:\w+/)*\w+\.py)\b")  # in comments and docstrings
# Files of users, and names that several packages have.
NO_SINGLE_FILES = {"train.py", "script.py", "conftest.py", "internal.py", "gradients.py"}
TICS = re.compile(r"\b(so many|anew|and its like|and the like|what is none|by which)\b")


def code_blocks(page):
    """The Python blocks of a page."""
    text = page.read_text("utf-8")
    if page.suffix == ".md":
        return re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    blocks = re.findall(r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text)
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in blocks]


def scripts():
    """(page, code) of each Python block that is a whole script."""
    return [
        (page.stem, code)
        for page in PAGES
        for code in code_blocks(page)
        if "import mindspore as ms" in code
    ]


def run(code, folder, *options):
    """What a script prints, one line after another."""
    script = folder / "script.py"
    script.write_text(code)
    finished = subprocess.run(
        [sys.executable, *options, str(script)], capture_output=True, text=True, cwd=folder
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


@pytest.mark.parametrize("page, code", scripts(), ids=lambda value: value.split("\n")[0][:20])
def test_shown_code_runs(page, code, tmp_path):
    assert run(code, tmp_path, "-m", "mindspore_compat")


def test_examples_for_contributors_print_what_their_comments_say(tmp_path):
    code = "\n".join(code_blocks(ROOT / "docs" / "contributing.rst"))
    expected = re.findall(r"print\(.*\)  # (.*)", code)
    assert len(expected) > 5 and run(code, tmp_path) == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page):
    text = page.read_text("utf-8")
    named = [(path, name) for path, name in FILE.findall(text) if path not in WRITTEN_BY_SCRIPTS]
    named += [(path, "") for path in re.findall(r"\]\((docs/[\w./-]+)\)", text)]
    assert [path for path, name in named if not defines(path, name)] == []


def test_files_that_modules_name_exist():
    missing = []
    for file in sorted(PACKAGE.rglob("*.py")):
        folders = [ROOT, *file.relative_to(ROOT).parents]
        for path in MODULE_FILE.findall(file.read_text("utf-8")):
            if not any([(ROOT / folder / path).exists() for folder in folders]):
                missing.append((str(file.relative_to(ROOT)), path))
    assert [pair for pair in missing if pair[1] not in NO_SINGLE_FILES] == []


def defines(path, name):
    """Whether a file or folder exists and, with a name, defines it."""
    target = next((root / path for root in (ROOT, PACKAGE) if (root / path).exists()), None)
    if target is None or not name:
        return target is not None
    return bool(re.search(rf"^(def |class |)({name})\b", target.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page, count", [("from-pytorch", 15), ("from-jax", 25)])
def test_names_beside_those_of_other_libraries_exist(page, count):
    text = (ROOT / "docs" / f"{page}.rst").read_text("utf-8")
    border, *rows = re.search(r"^(=+  =+)\n(?:.*\n)+\1", text, re.M)[0].splitlines()
    right = " ".join(row[border.index("  ") :] for row in rows)
    names = set(re.findall(r"\b(?:mindspore|mint|nn|ops|dataset)(?:\.\w+)+", right))
    missing = []
    for name in names:
        thing = importlib.import_module("mindspore_compat")
        for part in name.removeprefix("mindspore.").split("."):
            thing = getattr(thing, part, None)
        missing += [name] if thing is None else []
    assert missing == [] and len(names) >= count


def test_packages_are_in_the_table_and_the_picture():
    table = (ROOT / "docs" / "architecture.rst").read_text("utf-8")
    picture = (ROOT / "docs" / "architecture" / "layers.svg").read_text("utf-8")
    for folder in PACKAGE.rglob("__init__.py"):
        path = folder.parent.relative_to(PACKAGE).as_posix()
        inner = path.startswith(("_core/", "_backend/")) and path.count("/") == 1
        if inner or "/" not in path and path not in (".", "_core", "_backend"):
            assert f"`{path}/`" in table, path
        if inner:
            assert f">{folder.parent.name}<" in picture, path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_in_plain_english(page):
    assert TICS.findall(page.read_text("utf-8")) == []


def test_readme_shows_a_script():
    assert "README" in {page for page, _ in scripts()}


@pytest.mark.parametrize(
    "plain, written",
    [
        ("|x - y| is small", r"\|x - y\| is small"),
        ("of `*args` and *rest", r"of `*args` and \*rest"),
        ("mindspore.ops.clamp_ is", r"mindspore.ops.clamp\_ is"),
        ("a_b and `c_`", "a_b and `c_`"),
        ("- **grads** (Tensor)", "- **grads** (Tensor)"),
        ("beta ** t by 2**n**2", r"beta \*\* t by 2\*\*n\*\*2"),
    ],
)
def test_prose_of_docstrings_is_escaped(plain, written, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import reference

    assert reference.escaped_line(plain) == written


@pytest.mark.parametrize(
    "path, topic",
    [
        ("nn.Conv2d", "2-D convolution"),
        ("nn.BatchNorm2d", "Batch normalization"),
        ("ops.matmul", "matrix product"),
        ("set_seed", ""),
        ("grad", ""),
    ],
)
def test_the_search_finds_what_a_first_sentence_names(path, topic, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import topics

    thing = functools.reduce(getattr, path.split("."), mindspore_compat)
    assert topics.topic_of(thing) == topic


@pytest.mark.parametrize(
    "term, path",
    [
        ("attention", "nn.MultiheadAttention"),
        ("data augmentation", "dataset.vision"),
        ("matrix multiplication", "ops.matmul"),
        ("gradient clipping", "ops.clip_by_global_norm"),
        ("convolution", "nn.Conv2d"),
    ],
)
def test_the_search_finds_the_terms_of_other_libraries(term, path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import topics

    things = {
        name: functools.reduce(getattr, name.split("."), mindspore_compat)
        for name in topics.USUAL_TERMS
    }
    assert f"\n   ! single: {term}\n" in topics.index_of(path, things[path])


def test_documentation_does_not_tell_of_the_building_machine():
    from mindspore_compat.dataset._rules import Workers

    described = " ".join([Workers.describe(), *(words for _, words in (Workers | None).raises())])
    assert "number of processor cores" in described and not re.search(r"\d\]", described)
