"""Normalises the spelling of sentences before the grammar reads them: marks around names and
literals, comparison symbols.

`plain(text)` returns text in which `‹x›` is a name, `«'a'»` a string and `<=` a comparison, and in
which each of a few dozen synonyms is replaced by one word. Chinese sentences become English words,
so one grammar reads both.
"""

import re
from functools import cache

from .tables import rows

_LITERAL = re.compile(r"^(?:[-+]?\d[\d.]*(?:e-?\d+)?|None|True|False|inf|nan)$")
_QUOTED = re.compile(r"``\s*(.+?)\s*``|`\s*(.+?)\s*`|(?<!\w)'([^']+)'(?!\w)|\"([^\"]+)\"|“([^”]+)”")
_ROLE = re.compile(r":(class|func|meth|attr|ref|obj|math|mod|py:class):`~?([^`]*)`")
_NAMES = r"[\w`.]+(?:(?:\s*(?:,|、|和|或|与)\s*)+[\w`.]+)*?"
_NO_NAMES = {"array_like", "numpy_array"}


@cache
def _table(name):
    return [(re.compile(left.replace("_N_", _NAMES)), right) for left, right in rows(name)]


def is_chinese(text):
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def plain(text, names):
    """Returns the sentence in the grammar's own spelling; `names` are the parameters of the
    page."""
    text = re.sub(r"\s+", " ", text.replace("’", "'").replace("\u00a0", " ")).strip()
    text = _ROLE.sub(_role, text)
    if is_chinese(text):
        text = _from_chinese(text, names)
    text = _QUOTED.sub(lambda m: _mark(m, names), text)
    text = re.sub(r"\)\s*\.$", ")", text).strip().rstrip(".").strip()
    text = _bare_names(text, names)
    quoted = re.findall(r"‹[^›]*›|«[^»]*»", text)
    text = re.sub(r"‹[^›]*›", "‹@›", re.sub(r"«[^»]*»", "«@»", text))
    for pattern, new in _table("spelling.txt"):
        text = pattern.sub(new, text)
    remaining = iter(quoted)
    text = re.sub(r"[‹«]@[›»]", lambda m: next(remaining), text)
    return text.strip().rstrip(".,;").strip()


def _from_chinese(text, names):
    text = _glued_names(text, names)
    for pattern, new in _table("chinese.txt"):
        text = pattern.sub(new, text)
    return text


def _glued_names(text, names):
    """Separates names that a saved page has joined: "beta1beta2eps" is read as three parameters."""
    known = sorted((n for n in names if len(n) > 1), key=len, reverse=True)
    if not known:
        return text
    one = "|".join(map(re.escape, known))

    def apart(match):
        return ", ".join(re.findall(one, match[0]))

    return re.sub(rf"(?<![\w`])(?:{one}){{2,}}(?!\w)", apart, text)


def _role(match):
    role, content = match[1], match[2].lstrip(".").strip()
    if role == "math":
        content = re.sub(r"\\(?:text|times|left|right|mathrm)\b|[{}$\\]", " ", content).replace(
            " le ", "<="
        )
        return f" {content.strip()} "
    return f"`{content.removeprefix('mindspore.')}`"


# Words before a quoted word that is a value, even if a parameter has the same name.
_VALUE_BEFORE = re.compile(
    r"(?:\b(?:is|are|be|not|to|in|one of|neither|nor)|[=<>]|'[^']*',?(?: or)?)\s*$"
)


def _mark(match, names):
    inner = next(g for g in match.groups() if g is not None).strip()
    if match[2] is None:
        inner = inner.replace("`", "")
    double = match[1] is not None
    bare = inner.strip("'\"")
    if _LITERAL.match(bare) and (double or bare == inner):
        return bare
    if (
        (bare != inner and "," not in inner)
        or match[4] is not None
        or match[5] is not None
        or match[3] is not None
    ):
        before = match.string[: match.start()]
        if bare in names and not double and match[4] is None and not _VALUE_BEFORE.search(before):
            return f"‹{bare}›"
        if re.match(r"^[\[(].*[\])]$", bare) and re.search(r"\d|‹", bare):
            return f" {_spans(bare, names)} "
        return f"«'{bare}'»"
    if re.match(r"^\*{0,2}[A-Za-z_]\w*$", inner):
        return f"‹{inner.strip('*')}›" if not double or inner in names else f"«{inner}»"
    if "'" in inner or '"' in inner:
        return re.sub(r"['\"]([^'\"]+)['\"]", r"«'\1'»", inner)
    return f" {_spans(inner, names)} "


def _spans(text, names):
    return re.sub(r"[A-Za-z_]\w*", lambda m: f"‹{m[0]}›" if m[0] in names else m[0], text)


def _bare_names(text, names):
    """Mark names that the page left unmarked, where only a name makes sense."""
    sure = {n for n in names if "_" in n or re.search(r"\d", n)} | set(
        re.findall(r"\b[a-z]+_[a-z_]+\b", text)
    ) - _NO_NAMES
    text = re.sub(
        r"(?<![‹«\w.'])([A-Za-z]\w*_\w*|[A-Za-z]+\d+)(?![\w›»'])",
        lambda m: f"‹{m[0]}›" if m[0] in sure else m[0],
        text,
    )
    start = re.match(
        r"^(?:(?:If|When|if|when)\s+)?(?:the\s+)?([A-Za-z_]\w*)(?=\s+(?:is|are|has|does|must"
        r"|should|not|in)\b|\s*,)",
        text,
    )
    if start and start[1] in names:
        text = text[: start.start(1)] + f"‹{start[1]}›" + text[start.end(1) :]
    return text
