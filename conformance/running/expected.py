"""Cases that are expected to fail or are not run: files with one case ID per line (`--xfails`,
`--skips`).

`*` matches anything, as in `nn.Adam::steps::*`. A `#` after a space starts a comment.
"""

import re

from ..errors import BadInput, text_of


def patterns(path):
    """Returns the lines of a file as one regular expression; None without a file."""
    if path is None:
        return None
    try:
        text = text_of(path)
    except OSError as error:
        raise BadInput(path, f"cannot be read: {error.strerror}") from None
    lines = (re.split(r"(?:^|\s)#", line)[0].strip() for line in text.splitlines())
    expressions = [re.escape(line).replace(r"\*", ".*") for line in lines if line]
    return re.compile("|".join(expressions)) if expressions else None


def is_in(case, listed):
    """Returns whether a case is listed."""
    return listed is not None and listed.fullmatch(case["id"]) is not None


def settle(result, case, listed, bad):
    """Returns the result of a case expected to fail: "xfail" if it fails, else "xpass"."""
    if not is_in(case, listed):
        return result
    if result["status"] in bad:
        return {**result, "status": "xfail"}
    return {**result, "status": "xpass"} if result["status"] == "pass" else result
