"""The code that README and guides show runs, under the stand-in."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def blocks():
    """(where, code) of every Python block that is a whole script."""
    readme = (ROOT / "README.md").read_text("utf-8")
    found = [("README", code) for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL)]
    for page in sorted((ROOT / "docs").glob("*.rst")):
        text = page.read_text("utf-8")
        for block in re.findall(r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text):
            code = re.sub(r"^   ", "", block, flags=re.MULTILINE)
            found.append((page.stem, code))
    return [(where, code) for where, code in found if "import mindspore" in code]


@pytest.mark.parametrize("where, code", blocks(), ids=lambda value: value.split("\n")[0][:20])
def test_shown_code_runs(where, code, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_readme_shows_a_script():
    assert "README" in {where for where, _ in blocks()}


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


def test_documentation_does_not_tell_of_the_building_machine():
    from mindspore_compat.dataset._rules import Workers

    described = " ".join([Workers.describe(), *(words for _, words in (Workers | None).raises())])
    assert "number of processor cores" in described and not re.search(r"\d\]", described)
