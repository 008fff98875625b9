"""The topic of a public name, for the search of the pages and the general index: what the first
sentence of its docstring names.

    2-D convolution of an image.           2-D convolution
    Batch normalization over channels.     Batch normalization
"""

import inspect
import re

_END = re.compile(
    r"[.:;,()=`]|\b(?:of|over|with|that|which|for|by|from|in|on|to|where|whose|and|or|as|at|layer|"
    r"layers|optimizer|operator|element|along|between|per|into)\b"
)
_START = re.compile(
    r"^(?:Appl(?:ies|y)|Computes?|Returns?|Performs?|Creates?|Calculates?|Does|Makes)?\s*"
    r"(?:an?\b|the\b|one\b)?\s*",
    re.I,
)


_NO_TOPIC = {
    "function",
    "tensor",
    "tensors",
    "element",
    "elements",
    "value",
    "values",
    "number",
    "class",
    "form",
}


def topic_of(thing):
    """Returns the topic of a class or function: at most four words, or "" if its docstring names
    none, as that of `set_seed`, which starts with another verb."""
    if not callable(thing):
        return ""
    sentence = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    rest = _START.sub("", sentence)
    words = _END.split(rest)[0].split()
    if not 1 <= len(words) <= 4 or words[-1].lower() in _NO_TOPIC:
        return ""
    is_verb = rest == sentence and re.fullmatch(r"[A-Z]\w*[^su]s", words[0])
    return "" if is_verb else " ".join(words)
