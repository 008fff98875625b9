"""The calls that no example of the documentation shows: `data/calls.yaml`."""

from functools import cache
from pathlib import Path

import yaml

PATH = Path(__file__).parents[1] / "data" / "calls.yaml"


@cache
def table():
    """{"calls": {name: calls}, "uses": of classes by pattern, "same": {name: other}}."""
    return yaml.safe_load(PATH.read_text(encoding="utf-8"))
