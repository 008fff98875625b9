"""Operands of constraint sentences: subjects ("dtype of ‹x› or ‹y›"), lists of types and of values,
bounds, intervals.

`predicates.py` reads the statements about subjects, `phrases.py` whole sentences.
"""

import re
from functools import cache

from .rules import Subject
from .tables import sections
from .typenames import type_name

_JOIN = re.compile(
    r"\s*(?:,? and/or |, and |, or | and | or | nor |,|/|、|\|\||&| but not )\s*(?:the )?"
)
_ORDINAL = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "last": -1,
    "0-th": 0,
    "1-th": 1,
    "2-th": 2,
    "1st": 0,
    "2nd": 1,
    "last two": -2,
    "second-to-last": -2,
    "innermost": -1,
    "0th": 0,
    "zeroth": 0,
    "3rd": 2,
    "channel": 1,
    "batch": 0,
}
_DIM = re.compile(
    r"^(?:sizes? of |lengths? of )?(?:(first|second|third|fourth|last|0-th|1-th|2-th|1st|2nd|3rd"
    r"|innermost|0th|zeroth|channel|batch|second-to-last) (?:dimension|dim|axis|rank)(?: size| "
    r"length)?|shape\[(-?\d+)\])(?: of shape| of the shape| of rank)?$"
)
# Noun phrases that mean all inputs, and those that mean one parameter.
_ALL = """
input, inputs, input arguments, input tensor, input tensors, all inputs, input data,
arguments, tensor, tensors, two inputs, given tensor, input image, all input, input array,
image, input params, any input, input value, inputs' type, any inputs, input parameters, all
tensors, tensor list, one of inputs, first input, input's, input's type, a tensor, input a
tensor, each input, any parameter, parameter, type of args, input audio, input audio
waveform, input ndarray, input label, arrays, input csrtensor, argument, input sequence,
given inputs, any of inputs, input variables, input argument, first input parameter,
operands, batch, matrix
"""
_GENERIC = dict.fromkeys(" ".join(_ALL.split()).split(", "), "*")
_GENERIC.update(
    {
        "input x": "x",
        "learning rate": "learning_rate",
        "group": "group",
        "args": "args",
        "output": "output",
        "parameters": "parameters",
        "any axis": "axis",
        "parallel mode": "parallel_mode",
        "learning rate decay": "learning_rate_decay",
        "specified axis": "axis",
        "boost mode": "boost_mode",
        "loss": "loss",
        "sharding": "num_shards",
        "any of args": "args",
        "cells": "cells",
        "dtype": "dtype",
        "stream": "stream",
        "self": "self",
        "axes": "axis",
        "device": "device",
        "keys": "keys",
        "key": "key",
    }
)


_OF = re.compile(
    r" (?:of|in|for|from|inside) (?:the |input |both |either |all |inputs |tensor |any of |one "
    r"of |each )?"
)
AND = "and"  # "x and y": together in an assertion, each alone in a negation


def subjects_of(text, names):
    """Returns (tuple of Subjects, how they are joined: AND or False), or (None, False)."""
    text = text.strip(" ,")
    single = re.match(
        r"^(?:either of|any of|one of|at least one of|each of|any|either|every|one|each) (.*)$",
        text,
    )
    if single and re.match(r"(?:\w+ of )?‹", single[1]):
        subject_list, _ = subjects_of(single[1], names)
        return subject_list, False
    for lead in ("both ", "all of ", "all the ", "all ", "only "):
        if text.startswith(lead) and "‹" in text[len(lead) : len(lead) + 1]:
            text = text[len(lead) :]
    single = _one(text, names)
    if single:
        return (single,), False
    for cut in reversed(
        list(_OF.finditer(text))
    ):  # the longest noun phrase first: "number of elements of x"
        facets = facets_of(text[: cut.start()])
        if facets is None:
            continue
        inner, every = subjects_of(text[cut.end() :], names)
        if inner:
            return tuple(
                Subject(
                    s.name, s.facets if s.facets[: len(facets)] == facets else facets + s.facets
                )
                for s in inner
            ), every
    trailing = re.match(r"^(.+[›\w])(?:'s?|’s)? (.+)$", text)
    if trailing and not _JOIN.search(trailing[2]):
        facets = facets_of(trailing[2])
        if facets:
            inner, every = subjects_of(trailing[1], names)
            if inner:
                return tuple(Subject(s.name, facets + s.facets) for s in inner), every
    return _several(text, names)


def _several(text, names):
    pieces = [p for p in _JOIN.split(text)]
    if len(pieces) < 2:
        return None, False
    subject_list = []
    for piece in pieces:
        one = _one(piece.strip(), names)
        if one is None:
            inner, _ = (
                subjects_of(piece.strip(), names)
                if re.search(r"\b(?:of|in)\b|'s", piece)
                else (None, None)
            )
            if not inner:
                return None, False
            subject_list += inner
            continue
        subject_list.append(one)
    if any(s.facets for s in subject_list) and not subject_list[0].facets:
        facets = next(s.facets for s in subject_list if s.facets)  # "`x` and `y` dtype"
        if subject_list[-1].facets:
            subject_list = [Subject(s.name, s.facets or facets) for s in subject_list]
    joined = re.search(r" and (?!/)", text) and " or " not in text and "and/or" not in text
    return tuple(dict.fromkeys(subject_list)), AND if joined else False


def _one(text, names):
    match = re.fullmatch(
        r"(?:a |an |some |input |inputs |argument |parameter |tensor |Tensor |value of |the "
        r"value of |given |specified |input tensor |user-defined )?‹\*{0,2}([\w.]+)›(?:'s)?(?: "
        r"parameter| argument| tensor| values?(?= |$)| instance| string)?",
        text,
    )
    if match:
        return Subject(match[1])
    match = re.fullmatch(
        r"‹(\w+)›\.(dtype|shape|rank|ndim|size)(\[-?\d+\])?|‹(\w+)\.(dtype|shape|ndim"
        r"|size)›(\[-?\d+\])?",
        text,
    )
    if match:
        name, facet, index = (
            (match[1], match[2], match[3]) if match[1] else (match[4], match[5], match[6])
        )
        facet = {"ndim": "rank"}.get(facet, facet)
        return Subject(name, (f"dim{index}",) if index and facet == "shape" else (facet,))
    match = re.fullmatch(r"(rank|size|shape|len|dtype)\(‹?(\w+)›?\)", text)
    if match and match[2] in names:
        return Subject(match[2], (match[1],))
    match = re.fullmatch(r"«'([a-z_]\w*)'»", text)
    if match:
        return Subject(match[1])  # a quoted name
    match = re.fullmatch(r"‹?(\w+)\.(shape|rank|ndim|size|dtype)›?(\[-?\d+\])?", text)
    if match and match[1] in names:
        facet = {"ndim": "rank"}.get(match[2], match[2])
        return Subject(match[1], (f"dim{match[3]}",) if match[3] else (facet,))
    match = re.fullmatch(r"‹(\w+)›\[(-?\d+)\]", text)
    if match:
        return Subject(match[1], (f"item[{match[2]}]",))
    match = re.fullmatch(r"(?:len\()‹(\w+)›\)|len\((\w+)\)", text)
    if match:
        return Subject(match[1] or match[2], ("len",))
    bare = text.lower().strip()
    for known in (
        text,
        bare.replace(" ", "_"),
        bare.removeprefix("input ").replace(" ", "_"),
        bare.removesuffix(" value"),
    ):
        if known in names and not (
            known in ("type", "shape", "dtype", "size", "number") and "of" in text
        ):
            return Subject(known)
    if bare in _GENERIC:
        return Subject(_GENERIC[bare])
    return None


@cache
def _facets():
    table = []
    for heading, lines in sections("facets.txt"):
        facets = () if heading == "itself" else tuple(heading.split())
        table.append(([re.compile(line) for line in lines], facets))
    return table


def facets_of(text):
    """Returns the facets for a noun phrase before "of", or None."""
    text = re.sub(r"^(?:the |a |an |input |its )+", "", text.strip())
    if re.fullmatch(r".+ of (?:the )?(?:input|inputs|tensor)", text):
        text = text.rsplit(" of", 1)[0]
    for patterns, facets in _facets():
        if any(pattern.fullmatch(text) for pattern in patterns):
            return facets
    match = re.fullmatch(r"(first|second|third|last) (?:value|element|item|number)", text)
    if match:
        return (f"item[{_ORDINAL[match[1]]}]",)
    match = _DIM.match(text)
    if match:
        return (f"dim[{_ORDINAL[match[1]] if match[1] else match[2]}]",)
    return None


_BREAK = re.compile(
    r"\s*,?\s*\b(?:or|nor|and)\b(?:\s+(?:a|an|of|the|of type))?(?=\s|$)\s*|"
    r"\s*[,/|]\s*(?:(?:or|nor|and|a|an)\b\s*)*"
)


def _pieces(text):
    text = text.strip().strip(":").strip()
    text = re.sub(r"^(?:either|neither|one of|in)\s+", "", text)
    match = re.fullmatch(r"[\[({](.+)[\])}]", text)
    if match and not re.search(r"[\[\](){}]", re.sub(r"\([^()]*\)", "", match[1])):
        text = match[1]
    match = re.fullmatch(r"Union\s*\[(.+)\]", text)
    text = match[1] if match else text
    parts, depth, current, i = [], 0, "", 0
    while i < len(text):
        if depth == 0:
            match = _BREAK.match(text, i)
            if match and match[0].strip():
                parts.append(current)
                current = ""
                i = match.end()
                continue
        depth += (text[i] in "[(") - (text[i] in "])")
        current += text[i]
        i += 1
    parts.append(current)
    return [p.strip() for p in parts if p.strip()]


def types(text):
    """Returns the canonical names of a list of types, or None."""
    text = re.sub(r"\((?:optional|scalar)\)", "", text).strip()
    text = re.sub(
        r"^(?:type |types |in type |of type |of types |of dtype |of the types? |a type of |of )+",
        "",
        text,
    )
    text = re.sub(
        r"\s+(?:in|with|data)? ?(?:types?|dtype|data type|type data|type tensor|instance)$",
        "",
        text,
    )
    of_both = re.fullmatch(
        r"(?:an? )?(tuple|list|Sequence|sequence)s?(?: or | ?/ ?)(tuple|list)s? (?:of|with) (.+)",
        text,
    )
    if of_both:
        inner = types(of_both[3])
        if inner and len(inner) == 1:
            return tuple(f"{o.lower()}[{inner[0]}]" for o in of_both.group(1, 2))
    whole = type_name(text)
    if whole:
        return (whole,)
    last_of = re.fullmatch(r"(.*\b(?:tuple|list)) of (\w+)", text)
    if last_of and type_name(last_of[2]) and re.search(r"/", last_of[1]):
        pieces = [type_name(p) for p in _pieces(last_of[1])]
        if None not in pieces:
            return tuple(
                f"{p}[{type_name(last_of[2])}]" if p in ("tuple", "list", "Tensor") else p
                for p in pieces
            )
    pieces = _pieces(text)
    type_names = [type_name(piece) for piece in pieces]
    if not pieces or None in type_names:
        return None
    return tuple(dict.fromkeys(type_names))


_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e-?\d+)?|inf)"
_WORDED = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}


def comparison(text):
    """Returns ("<", "0") for a symbol and its operand."""
    match = re.fullmatch(rf"(<=|>=|<|>|!=|==) ?({_NUMBER})", text.strip())
    return (match[1], match[2]) if match else None


_GROUP_SIZE = {"group size", "rank size", "world size", "number of cards"}
_GROUP_SIZE.add("communication group size")
_FUNCTIONS = set("ndim shape dim size len max min rank r N D n sum input dtype abs prod".split())


def operand(text, names):
    """Returns a number, name, facet of a name, or arithmetic of these, in spec spelling; else
    None."""
    text = text.strip().strip(".").strip()
    text = re.sub(r"^(?:to |than |the |value |of )+", "", text)
    text = _WORDED.get(text, text)
    if text.lower() in _GROUP_SIZE:
        return "group_size"  # of the communication group, not an argument
    if re.fullmatch(r"\(\s*-?\d+(?:\s*,\s*-?\d+)+,?\s*\)", text):
        return text
    if re.fullmatch(_NUMBER, text) or text in ("None", "True", "False"):
        return text
    if re.fullmatch(r"«[^»]+»", text):
        return text[1:-1]
    subject_list, _ = subjects_of(text, names)
    if subject_list and len(subject_list) == 1 and subject_list[0].name != "*":
        return str(subject_list[0])
    twice = re.fullmatch(r"(\d+) (?:\*|times) (.+)", text)
    inner = twice and operand(twice[2], names)
    return f"{twice[1]} * {inner}" if inner else _arithmetic(text, names)


def _arithmetic(text, names):
    bare = text.replace("‹", "").replace("›", "")
    if not re.fullmatch(r"[-\w.\[\]()+*/: ]+", bare) or not re.search(r"[‹\d]", text):
        return None
    if re.search(r"[A-Za-z]+ [A-Za-z]+", bare):
        return None
    words = set(re.findall(r"[A-Za-z_]\w*", bare))
    return re.sub(r"\s+", " ", bare) if words <= set(names) | _FUNCTIONS else None


def interval(text):
    """Returns "[0, 1)" in spec spelling, or None."""
    named = "‹" in text
    text = (
        text.replace("‹", "")
        .replace("›", "")
        .replace("«'", "")
        .replace("'»", "")
        .replace("inclusive", "")
        .strip()
    )
    text = text.replace("，", ", ").replace("（", "(").replace("）", ")")
    one = r"[^,\[\]()]*(?:\([^()]*\)|\[[^\[\]]*\])?[^,\[\]()]*"
    match = re.fullmatch(rf"([\[(])\s*({one}),\s*({one})([\])])", text)
    if not match or "'" in text or '"' in text or not (match[2].strip() and match[3].strip()):
        return None
    if not named and not (_is_bound(match[2]) and _is_bound(match[3])):
        return None
    return f"{match[1]}{match[2].strip()}, {match[3].strip()}{match[4]}"


def _is_bound(text):
    return len(text.split()) < 4 and bool(
        re.search(r"\d|inf|ndim|rank|shape|len|size|num|max|dim|\b[rNnD]\b|_", text)
    )


def choices(text, names):
    """Returns the literal values of a list, in spec spelling, or None."""
    if re.match(r"[\[(][^\[\]()]*[\])]$", text) and text[0] + text[-1] not in ("[]", "()"):
        return None  # an interval such as "(0, 1]"
    texts = []
    for piece in _pieces(re.sub(r"^(?:one of|in|set to|equal to|==|either)\s+", "", text.strip())):
        piece = re.sub(r"^(?:a |an |the |of )", "", piece).strip()
        if re.fullmatch(r"«[^»]+»", piece):
            texts.append(piece[1:-1])
        elif re.fullmatch(_NUMBER, piece) or piece in ("None", "True", "False"):
            texts.append(piece)
        elif re.fullmatch(r"‹\w+›", piece) and piece[1:-1] not in names:
            texts.append(repr(piece[1:-1]))
        elif re.fullmatch(r"-?float\(.*\)|-?inf|math\.inf", piece):
            texts.append("-inf" if "-" in piece else "inf")
        elif re.fullmatch(r"\(\d*,?\)|\(?-?\d+(?:, ?-?\d+)*\)?|[\[(][-\d, .]+[\])]", piece):
            texts.append(piece)
        elif re.fullmatch(r"‹[A-Z][\w.]*\.[A-Z_0-9]+›|[A-Z]\w+\.[A-Z_0-9]+", piece):
            texts.append(piece.strip("‹›"))
        else:
            return None
    return tuple(texts) or None
