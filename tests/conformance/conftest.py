"""The toy target on disk, where workers find it, and its specs as files."""

import textwrap

import pytest
from kit.toy_target import SPECS, TOY

from conformance.reading import specs


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Returns a function that writes a package where workers find it."""

    def write(text=TOY, name="toy", **changes):
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return name

    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return write


@pytest.fixture
def spec(tmp_path):
    specs.save(SPECS, tmp_path / "spec")
    return str(tmp_path / "spec")
