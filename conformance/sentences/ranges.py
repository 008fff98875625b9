"""Reads ranges in a parameter's description: "It must be greater than 0".

The grammar of the Raises sentences reads them, as the violation that the description excludes:
`eps: <= 0`.
"""

import re

from .phrases import read_sentence

_MUST = re.compile(
    r"\b(?:must|should|shall|needs to|has to)(?: be)? (?!the same|a "
    r"multiple)([^.;]*(?:\.\d[^.;]*)*)"
)
_RANGE = re.compile(
    r"(?:\bin (?:the )?range(?: of)?|[Vv]alue range(?: is)?(?: in)?|[Rr]ange(?: "
    r"is)?:?)\s*:?\s*(?::math:)?`?([\[(][^\])]*[\])])"
)
_CHINESE_RANGE = re.compile(r"(?:范围(?:为|是|在)?|区间)\s*:?\s*([\[((][^\]))]*[\]))])")
_CHINESE_MUST = re.compile(
    r"(?:必须|需要?|应该?|至少)(?:是|为)?\s*((?:大于或者?等于|等于或者?大于|大于等于|小于或者?等于|等于或者?小于|大于|小于|为"
    r"|是)?\s*-?\d+(?:\.\d+)?)"
)
_WORDS = [
    ("大于或者等于", ">="),
    ("大于或等于", ">="),
    ("等于或者大于", ">="),
    ("等于或大于", ">="),
    ("大于等于", ">="),
    ("小于或者等于", "<="),
    ("小于或等于", "<="),
    ("等于或小于", "<="),
    ("大于", ">"),
    ("小于", "<"),
]
_TESTS = ("<", "<=", ">", ">=", "outside", "not in")


def range_of(name, lines, types):
    """Returns the violation that a description excludes, in spec spelling, or None. Only for number
    parameters.
    """
    if (
        not {t.split("[")[0] for t in types} & {"int", "float", "Number", "number"}
        or "Tensor" in types
    ):
        return None
    text = " ".join(lines[:1] + [line for line in lines[1:] if not line.startswith(("-", "•"))])
    text = re.sub(r"^[-*•]?\s*\**" + name + r"\**\s*[((].*?[))]\s*[:-–]?", "", text)
    for phrase in _phrases(text, name):
        rules = read_sentence("ValueError", f"If `{name}` is not {phrase}", (name,))
        if not rules or len(rules) != 1 or len(rules[0].clauses) != 1:
            continue
        clause = rules[0].clauses[0]
        if (
            clause.test in _TESTS
            and len(clause.subjects) == 1
            and not clause.subjects[0].facets
            and clause.subjects[0].name == name
        ):
            return clause.right()
    return None


def _phrases(text, name):
    for match in _RANGE.finditer(text):
        if _is_own(text[: match.start()], name, plain=True):
            yield f"in range {match[1]}"
    for match in _CHINESE_RANGE.finditer(text):
        yield f"in range {match[1]}"
    for match in _MUST.finditer(text):
        words = re.sub(r"\bat least\b", "equal to or greater than", match[1].strip())
        if _is_own(text[: match.start()], name, plain=False):
            if words.startswith(("[", "(")):
                yield f"in range {words}"
                continue
            yield words
            yield re.split(r", | and | when | if ", words)[0]
    for match in _CHINESE_MUST.finditer(text):
        words = match[1]
        for chinese, sign in _WORDS:
            words = words.replace(chinese, sign + " ")
        yield (
            words
            if words[0] in "<>"
            else ">= " + words.lstrip("为是 ")
            if "至少" in match[0]
            else words
        )


_OWN = {
    "it",
    "which",
    "the",
    "value",
    "values",
    "value(s)",
    "this",
    "that",
    "and",
    "its",
    "range",
    "is",
    "a",
    "number",
    "are",
    "of",
}


def _is_own(before, name, plain):
    """Returns whether "must" or "in range" refers to the parameter itself: only its name, "it" or
    "the value" precedes."""
    clause = re.split(r"[.;:,]\s|,|^", before)[-1].lower().replace("`", "")
    if re.search(r"\b(?:if|when|rank|dimension|shape|element|dtype|type)\b", clause):
        return False
    return (
        plain
        and not re.search(r"\b(?:tensor|list|array)\b", clause)
        or set(clause.split()) <= _OWN | {name.lower()}
    )
