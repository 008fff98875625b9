"""Finds why a case fails for an unrelated reason: another public name or a library of the target is
missing.

A call of `nn.Dropout` that needs `ops.arange` reports "blocked by ops.arange", so that one missing
name does not look like many faults. A case that needs a missing optional library is not run.
"""

import re

# Python's messages about a missing name; the groups are its owner and the name.
_NAMES = (
    re.compile(r"module '(?P<owner>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<owner>[\w.]+)'"),
    re.compile(r"'(?P<owner>Tensor|Parameter|Cell)' object has no attribute '(?P<name>\w+)'"),
)
_MODULE = re.compile(r"(?:ModuleNotFound|Import)Error: No module named '([\w.]+)'")
_EXTRA = re.compile(r"pip install '?[\w-]+\[(\w+)\]|install the extra '(\w+)'")
_HEAD = re.compile(r"^(?:Attribute|Import|ModuleNotFound|Name)Error:")


def explain(result, own, target):
    """Returns the result of a case about the name `own`, with the name that blocks it, if known."""
    text = result.get("got", "")
    refused = isinstance(result.get("observed"), dict) and "refused" in result["observed"]
    if result["status"] != "fail" and not refused:
        return result
    extra = _extra(text, target)
    if extra:
        return {**result, "status": "skip", "got": f"needs {extra}, which is not installed"}
    name = _name(text, target)
    if name is None or name == own or own.startswith(name + "."):
        return result
    return {**result, "blocked": name, "got": f"blocked by {name}: {text}"}


def _extra(text, target):
    """Returns the library, or the extra of a package, whose absence an error reports; None for
    others."""
    match = _MODULE.match(text)
    if match:
        top = match[1].partition(".")[0]
        return None if top in (target, "mindspore") else top
    match = _EXTRA.search(text)
    return f"the extra '{match[1] or match[2]}'" if match else None


def _name(text, target):
    """Returns the public name whose absence an error reports, in the spelling of the specs."""
    module = _MODULE.match(text)
    if module:
        return module[1].partition(".")[2] or None
    if not _HEAD.match(text):
        return None
    for pattern in _NAMES:
        match = pattern.search(text)
        if match:
            owner = re.sub(rf"^(?:{re.escape(target)}|mindspore)(?:\.|$)", "", match["owner"])
            return f"{owner}.{match['name']}".lstrip(".")
    return None
