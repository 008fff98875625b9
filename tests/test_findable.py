"""Searching the sources for a declared public path finds its declaration."""

import re
from pathlib import Path

import mindspore_compat
from mindspore_compat import mint, nn, numpy, ops, scipy  # noqa: F401 - they declare names
from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat._core.declare.public_api import PUBLIC
from mindspore_compat.mint import distributed  # noqa: F401
from mindspore_compat.ops import auto_generate  # noqa: F401
from mindspore_compat.ops._primitive_aliases import alias

PACKAGE = Path(mindspore_compat.__file__).parent


def written():
    """What strings of the sources begin with, up to the first bracket or the string's end."""
    return {
        path
        for file in PACKAGE.rglob("*.py")
        for path in re.findall(r"""["']([\w.]+)["'(]""", file.read_text("utf-8"))
    }


def test_every_declared_path_is_written_out_where_it_is_declared():
    declared = {
        f"{area}.{name}" if area else name
        for table in (DECLARED, PUBLIC, alias.ALIASES)
        for area, names in table.items()
        if not area.startswith("for_tests")
        for name in names
    }
    assert len(declared) > 3000
    assert sorted(declared - written()) == []
