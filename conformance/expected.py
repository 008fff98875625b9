"""Cases that are expected to fail or are left out: files with one case ID per line (`--xfails`,
`--skips`).

`*` matches anything, as in `nn.Adam::steps::*`. A `#` after a space starts a comment.
"""

import re

from .errors import BadInput, text_of


def patterns(path):
    """What the lines of a file match, as one expression; None where there is no file."""
    if path is None:
        return None
    try:
        text = text_of(path)
    except OSError as error:
        raise BadInput(path, f"cannot be read: {error.strerror}") from None
    lines = (re.split(r"(?:^|\s)#", line)[0].strip() for line in text.splitlines())
    each = [re.escape(line).replace(r"\*", ".*") for line in lines if line]
    return re.compile("|".join(each)) if each else None


def is_in(case, listed):
    """Whether a case is listed."""
    return listed is not None and listed.fullmatch(case["id"]) is not None


def settle(result, case, listed, bad):
    """The result of a case that may be expected to fail: "xfail" where it does, else "xpass"."""
    if not is_in(case, listed):
        return result
    if result["status"] in bad:
        return {**result, "status": "xfail"}
    return {**result, "status": "xpass"} if result["status"] == "pass" else result
