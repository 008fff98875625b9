"""Importing the package raises an error if an environment variable has an invalid value."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat import _settings

pytestmark = pytest.mark.quick
PACKAGE = Path(mindspore_compat.__file__).parent


def test_every_variable_that_is_read_has_its_values():
    text = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    names = set(re.findall(rf"{_settings.PREFIX}([A-Z][A-Z_]*[A-Z])", text))
    assert names == {*_settings.VALUES, *_settings.FREE}


@pytest.mark.parametrize("name", _settings.VALUES)
def test_wrong_values_are_refused(name):
    variable = _settings.PREFIX + name
    for value in ("no", "-1", "5e3", "\udc80", " ", "0 "):
        with pytest.raises(ValueError, match=f"{variable} must be"):
            _settings.check({variable: value})
    allowed = _settings.VALUES[name]
    for value in ("", *(allowed if isinstance(allowed, tuple) else ("1", "512"))):
        _settings.check({variable: value})


def test_misspelt_names_are_refused():
    for name, meant in {
        "COMPLIE": "COMPILE",
        "CUDA_GRAPH": "CUDA_GRAPHS",
        "CAHCE": "CACHE",
    }.items():
        with pytest.raises(ValueError, match=f"is it {_settings.PREFIX}{meant}?"):
            _settings.check({_settings.PREFIX + name: "1"})
    _settings.check({_settings.PREFIX + "HOME_OF_MINE": "1", "OTHER": "1"})


def test_they_are_refused_at_import():
    run = subprocess.run(
        [sys.executable, "-c", "import mindspore_compat"],
        env={**os.environ, "MINDSPORE_COMPAT_COMPILE": "no"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "MINDSPORE_COMPAT_COMPILE must be 'background' or 'wait' or 'off'" in run.stderr
