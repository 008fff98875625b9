"""Reads the promised dtype and shape from an Outputs or Returns section, as facts.

It reads only complete, simple phrases: "has the same shape and data type as `x`". Anything else
gives no promise.
"""

import re

_SAME = re.compile(
    r"(?:has|have|with|in|is of|of)?\s*(?:the )?(?:same|equal)\s+"
    r"(?P<what>(?:shape|data type|dtype|type)(?:\s*(?:,|and|/)\s*(?:the )?(?:same )?(?:shape"
    r"|data type|dtype|type))*)\s+(?:as|with|of)\s+"
    r"(?:that of |those of |the )?(?:input )?`+(?P<name>\w+)`+(?P<after>[^\w`]|$)"
)


def promises(text):
    """Returns {"shape": name, "dtype": name}, as far as the text states them."""
    first = re.split(r"(?<=[.。])\s", text.strip(), maxsplit=1)[0]
    promise = {}
    if re.search(r"\b(?:if|when|otherwise|unless|except|depends?|or)\b", first, re.I):
        return promise
    match = _SAME.search(first)
    if match and match["after"] not in ("[", "("):
        what = match["what"]
        if "shape" in what:
            promise["shape"] = match["name"]
        if re.search(r"data type|dtype|type", what):
            promise["dtype"] = match["name"]
    return promise
