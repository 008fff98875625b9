"""Subjects and predicates of constraint sentences: the tables behind `phrases.py`.

`subjects(text)` reads "dtype of ‹x› or ‹y›"; `PREDICATES` is a list of (pattern, build) for what is said of them. Each build
returns a Clause, a tuple of clauses, or None to let the next pattern try.
"""
import re

from .rules import Clause, Subject
from .typenames import is_dtype, type_name

_NAME = r"‹[A-Za-z_*][\w.*]*›"
_JOIN = re.compile(r"\s*(?:,? and/or |, and |, or | and | or | nor |,|/|、|\|\||&| but not )\s*(?:the )?")
_ORDINAL = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "0-th": 0, "1-th": 1, "2-th": 2, "1st": 0, "2nd": 1, "last two": -2, "second-to-last": -2,
            "innermost": -1, "0th": 0, "zeroth": 0, "3rd": 2, "channel": 1, "batch": 0}
_FACETS = [(re.compile(f"(?:{p})$"), f) for p, f in [
    (r"dtype|dtypes", ("dtype",)), (r"types?|value type|parameter type", ("type",)), (r"(?:shape|shapes|size of shape)", ("shape",)),
    (r"(?:rank|dimension|ranks|dim|shape length|shape dimension)", ("rank",)), (r"(?:length|len|lengths|number of elements|total number|element number|number of items|elements number|number of tensors|dimension size|length of elements)", ("len",)),
    (r"(?:size|sizes|number|total size|element count)", ("size",)),
    (r"(?:(?:any|all|each|every|an|one|some|at least one|all of|one of|any one|any of)? ?(?:of )?(?:elements?|items?|members?|entries|values|numbers|tensors?|element value|elements' value|element in|any value|Tensors))", ("each",)),
    (r"(?:any|each|every|all|one) value", ("each",)), (r"value|the value|input value|specified value", ()), (r"keys?|any key|the key", ("keys",)), (r"indices|values?'? indices", ("indices",)), (r"sum|total", ("sum",)), (r"product", ("product",)),
    (r"dtype of (?:elements?|items|any element|values?)|element dtype|elements? dtype|element type|type of (?:each |any |the |all )?(?:elements?|items?|values?)|elements? type", ("dtype", "each")),
    (r"(?:shape|size) of (?:each|any|every|all)? ?elements?", ("shape", "each")), (r"(?:length|size) of (?:each|any|every)? ?elements?", ("len", "each")),
]]
_DIM = re.compile(r"^(?:sizes? of |lengths? of )?(?:(first|second|third|fourth|last|0-th|1-th|2-th|1st|2nd|3rd|innermost|0th|zeroth|channel|batch|second-to-last) (?:dimension|dim|axis|rank)(?: size| length)?|shape\[(-?\d+)\])(?: of shape| of the shape| of rank)?$")
_GENERIC = {"input": "*", "inputs": "*", "input arguments": "*", "input tensor": "*", "input tensors": "*", "all inputs": "*", "input data": "*", "arguments": "*", "tensor": "*", "tensors": "*", "two inputs": "*",
            "given tensor": "*", "input image": "*", "input x": "x", "learning rate": "learning_rate", "all input": "*", "input array": "*", "image": "*", "input params": "*", "group": "group", "any input": "*", "input value": "*",
            "args": "args", "inputs' type": "*", "any inputs": "*", "input parameters": "*", "all tensors": "*", "tensor list": "*", "output": "output", "parameters": "parameters", "one of inputs": "*", "first input": "*", "input's": "*", "input's type": "*", "input tensors": "*", "a tensor": "*", "input a tensor": "*", "each input": "*", "any axis": "axis", "parallel mode": "parallel_mode", "input arguments": "*", "any parameter": "*", "parameter": "*", "type of args": "*", "input audio": "*", "input audio waveform": "*", "input ndarray": "*", "input label": "*", "arrays": "*", "input tensor": "*", "given tensor": "*", "input csrtensor": "*",
            "learning rate decay": "learning_rate_decay", "argument": "*", "specified axis": "axis", "boost mode": "boost_mode", "loss": "loss", "sharding": "num_shards", "any of args": "args", "cells": "cells", "dtype": "dtype", "stream": "stream", "input sequence": "*", "given inputs": "*", "any of inputs": "*", "input variables": "*",
            "input argument": "*", "input label": "*", "first input parameter": "*", "self": "self", "operands": "*", "batch": "*", "axes": "axis", "device": "device", "keys": "keys", "key": "key", "matrix": "*"}


_OF = re.compile(r" (?:of|in|for|from|inside) (?:the |input |both |either |all |inputs |tensor |any of |one of |each )?")
AND = "and"       # "x and y": together where something is asserted, each alone where something is denied


def subjects(text, names):
    """(tuple of Subjects, how they are joined: AND or False), or (None, False)."""
    text = text.strip(" ,")
    single = re.match(r"^(?:either of|any of|one of|at least one of|each of|any|either|every|one|each) (.*)$", text)
    if single and re.match(r"(?:\w+ of )?‹", single[1]):
        found, _ = subjects(single[1], names)
        return found, False
    for lead in ("both ", "all of ", "all the ", "all ", "only "):
        if text.startswith(lead) and "‹" in text[len(lead):len(lead) + 1]:
            text = text[len(lead):]
    single = _one(text, names)
    if single:
        return (single,), False
    for cut in reversed(list(_OF.finditer(text))):      # the longest noun phrase first: "number of elements of x"
        facets = facets_of(text[:cut.start()])
        if facets is None:
            continue
        inner, every = subjects(text[cut.end():], names)
        if inner:
            return tuple(Subject(s.name, s.facets if s.facets[:len(facets)] == facets else facets + s.facets)
                         for s in inner), every
    trailing = re.match(r"^(.+[›\w])(?:'s?|’s)? (.+)$", text)
    if trailing and not _JOIN.search(trailing[2]):
        facets = facets_of(trailing[2])
        if facets:
            inner, every = subjects(trailing[1], names)
            if inner:
                return tuple(Subject(s.name, facets + s.facets) for s in inner), every
    return _several(text, names)


def _several(text, names):
    pieces = [p for p in _JOIN.split(text)]
    if len(pieces) < 2:
        return None, False
    found = []
    for piece in pieces:
        one = _one(piece.strip(), names)
        if one is None:
            inner, _ = subjects(piece.strip(), names) if re.search(r"\b(?:of|in)\b|'s", piece) else (None, None)
            if not inner:
                return None, False
            found += inner
            continue
        found.append(one)
    if any(s.facets for s in found) and not found[0].facets:
        facets = next(s.facets for s in found if s.facets)        # "`x` and `y` dtype"
        if found[-1].facets:
            found = [Subject(s.name, s.facets or facets) for s in found]
    joined = re.search(r" and (?!/)", text) and " or " not in text and "and/or" not in text
    return tuple(dict.fromkeys(found)), AND if joined else False


def _one(text, names):
    match = re.fullmatch(r"(?:a |an |some |input |inputs |argument |parameter |tensor |Tensor |value of |the value of |given |specified |input tensor |user-defined )?‹\*{0,2}([\w.]+)›(?:'s)?(?: parameter| argument| tensor| values?(?= |$)| instance| string)?", text)
    if match:
        return Subject(match[1])
    match = re.fullmatch(r"‹(\w+)›\.(dtype|shape|rank|ndim|size)(\[-?\d+\])?|‹(\w+)\.(dtype|shape|ndim|size)›(\[-?\d+\])?", text)
    if match:
        name, facet, index = (match[1], match[2], match[3]) if match[1] else (match[4], match[5], match[6])
        facet = {"ndim": "rank"}.get(facet, facet)
        return Subject(name, (f"dim{index}",) if index and facet == "shape" else (facet,))
    match = re.fullmatch(r"(rank|size|shape|len|dtype)\(‹?(\w+)›?\)", text)
    if match and match[2] in names:
        return Subject(match[2], (match[1],))
    match = re.fullmatch(r"«'([a-z_]\w*)'»", text)
    if match:
        return Subject(match[1])  # a name in quotation marks
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
    for known in (text, bare.replace(" ", "_"), bare.removeprefix("input ").replace(" ", "_"), bare.removesuffix(" value")):
        if known in names and not (known in ("type", "shape", "dtype", "size", "number") and "of" in text):
            return Subject(known)
    if bare in _GENERIC:
        return Subject(_GENERIC[bare])
    return None


def facets_of(text):
    """The facets that a noun phrase before "of" stands for, or None."""
    text = re.sub(r"^(?:the |a |an |input |its )+", "", text.strip())
    if re.fullmatch(r".+ of (?:the )?(?:input|inputs|tensor)", text):
        text = text.rsplit(" of", 1)[0]
    for pattern, facets in _FACETS:
        if pattern.match(text):
            return facets
    match = re.fullmatch(r"(first|second|third|last) (?:value|element|item|number)", text)
    if match:
        return (f"item[{_ORDINAL[match[1]]}]",)
    match = _DIM.match(text)
    if match:
        return (f"dim[{_ORDINAL[match[1]] if match[1] else match[2]}]",)
    return None


_BREAK = re.compile(r"\s*,?\s*\b(?:or|nor|and)\b(?:\s+(?:a|an|of|the|of type))?(?=\s|$)\s*|"
                    r"\s*[,/|]\s*(?:(?:or|nor|and|a|an)\b\s*)*")


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
    """Canonical names of a list of types, or None."""
    text = re.sub(r"\((?:optional|scalar)\)", "", text).strip()
    text = re.sub(r"^(?:type |types |in type |of type |of types |of dtype |of the types? |a type of |of )+", "", text)
    text = re.sub(r"\s+(?:in|with|data)? ?(?:types?|dtype|data type|type data|type tensor|instance)$", "", text)
    of_both = re.fullmatch(r"(?:an? )?(tuple|list|Sequence|sequence)s?(?: or | ?/ ?)(tuple|list)s? (?:of|with) (.+)", text)
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
            return tuple(f"{p}[{type_name(last_of[2])}]" if p in ("tuple", "list", "Tensor") else p for p in pieces)
    pieces = _pieces(text)
    found = [type_name(piece) for piece in pieces]
    if not pieces or None in found:
        return None
    return tuple(dict.fromkeys(found))


_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e-?\d+)?|inf)"
_WORDED = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}


def comparison(text):
    """("<", "0") of a symbol and its operand."""
    match = re.fullmatch(rf"(<=|>=|<|>|!=|==) ?({_NUMBER})", text.strip())
    return (match[1], match[2]) if match else None


def operand(text, names):
    """A number, a name, a facet of a name, or plain arithmetic of these; in spec spelling, or None."""
    text = text.strip().strip(".").strip()
    text = re.sub(r"^(?:to |than |the |value |of )+", "", text)
    text = _WORDED.get(text, text)
    if text.lower() in ("group size", "rank size", "world size", "number of cards", "communication group size"):
        return "group_size"       # of the communication group, not of an argument
    if re.fullmatch(r"\(\s*-?\d+(?:\s*,\s*-?\d+)+,?\s*\)", text):
        return text
    if re.fullmatch(_NUMBER, text) or text in ("None", "True", "False"):
        return text
    if re.fullmatch(r"«[^»]+»", text):
        return text[1:-1]
    found, _ = subjects(text, names)
    if found and len(found) == 1 and found[0].name != "*":
        return str(found[0])
    twice = re.fullmatch(r"(\d+) (?:\*|times) (.+)", text)
    inner = twice and operand(twice[2], names)
    if inner:
        return f"{twice[1]} * {inner}"
    bare = text.replace("‹", "").replace("›", "")
    if re.fullmatch(r"[-\w.\[\]()+*/: ]+", bare) and not re.search(r"[A-Za-z]+ [A-Za-z]+", bare) and re.search(r"[‹\d]", text):
        words = set(re.findall(r"[A-Za-z_]\w*", bare))
        allowed = set(names) | {"ndim", "shape", "dim", "size", "len", "max", "min", "rank", "r", "N", "D", "n", "sum", "input", "dtype", "abs", "prod"}
        if words <= allowed:
            return re.sub(r"\s+", " ", bare)
    return None


def interval(text):
    """"[0, 1)" in spec spelling, or None."""
    named = "‹" in text
    text = text.replace("‹", "").replace("›", "").replace("«'", "").replace("'»", "").replace("inclusive", "").strip()
    text = text.replace("，", ", ").replace("（", "(").replace("）", ")")
    one = r"[^,\[\]()]*(?:\([^()]*\)|\[[^\[\]]*\])?[^,\[\]()]*"
    match = re.fullmatch(rf"([\[(])\s*({one}),\s*({one})([\])])", text)
    if not match or "'" in text or '"' in text or not (match[2].strip() and match[3].strip()):
        return None
    if not named and not (_is_bound(match[2]) and _is_bound(match[3])):
        return None
    return f"{match[1]}{match[2].strip()}, {match[3].strip()}{match[4]}"


def _is_bound(text):
    return len(text.split()) < 4 and bool(re.search(r"\d|inf|ndim|rank|shape|len|size|num|max|dim|\b[rNnD]\b|_", text))


def choices(text, names):
    """Literal values of a list, in spec spelling, or None."""
    if re.match(r"[\[(][^\[\]()]*[\])]$", text) and text[0] + text[-1] not in ("[]", "()"):
        return None               # an interval such as "(0, 1]"
    found = []
    for piece in _pieces(re.sub(r"^(?:one of|in|set to|equal to|==|either)\s+", "", text.strip())):
        piece = re.sub(r"^(?:a |an |the |of )", "", piece).strip()
        if re.fullmatch(r"«[^»]+»", piece):
            found.append(piece[1:-1])
        elif re.fullmatch(_NUMBER, piece) or piece in ("None", "True", "False"):
            found.append(piece)
        elif re.fullmatch(r"‹\w+›", piece) and piece[1:-1] not in names:
            found.append(repr(piece[1:-1]))
        elif re.fullmatch(r"-?float\(.*\)|-?inf|math\.inf", piece):
            found.append("-inf" if "-" in piece else "inf")
        elif re.fullmatch(r"\(\d*,?\)|\(?-?\d+(?:, ?-?\d+)*\)?|[\[(][-\d, .]+[\])]", piece):
            found.append(piece)
        elif re.fullmatch(r"‹[A-Z][\w.]*\.[A-Z_0-9]+›|[A-Z]\w+\.[A-Z_0-9]+", piece):
            found.append(piece.strip("‹›"))
        else:
            return None
    return tuple(found) or None


def dtype_facets(found, names, wanted):
    """Subjects whose type test speaks of element types get the facet dtype: "`x` is neither float16 nor float32"."""
    if all(is_dtype(t) and t not in ("bool", "string") for t in wanted):
        return tuple(s if "dtype" in s.facets else Subject(s.name, tuple(f for f in s.facets if f != "type") + ("dtype",) if s.facets[:1] != ("each",) else ("dtype",) + s.facets)
                     for s in found)
    plain = {"float", "int", "bool", "Number", "complex", "string", "unsigned"}
    drop = {"type"} if all(is_dtype(t) or t in plain for t in wanted) else {"type", "dtype"}
    return tuple(Subject(s.name, tuple(f for f in s.facets if f not in drop)) for s in found)


def _types(negated):
    def build(found, every, match, names):
        text = match["what"]
        tensor_of = re.fullmatch(r"(?:an? )?Tensors?(?: instance)? (?:of|with|whose|with (?:a )?dtype|in)(?: type| types| dtype| dtype of| dtype is| data type)? (.+)", text, re.I)
        if tensor_of:
            inner = types(tensor_of[1])
            if inner and all(is_dtype(t) or t in ("float", "int", "bool", "Number", "complex") for t in inner):
                return Clause(tuple(Subject(s.name, ("dtype",) + s.facets) for s in found), "not" if negated else "is", inner, _every(every, negated))
            return None
        wanted = types(text)
        if not wanted:
            return None
        if found[0].facets[:1] in (("shape",), ("rank",), ("len",), ("size",), ("sum",)) and not all(w in ("tuple", "list", "int", "tuple[int]", "list[int]") for w in wanted):
            return None
        fixed = dtype_facets(found, names, wanted)
        return Clause(fixed, "not" if negated else "is", wanted, _every(every, negated))
    return build


def _every(every, denied):
    """Whether all subjects must offend. "x and y are not Tensors" is an offence of either; "neither ... nor" of both."""
    return every is True or (every == AND and not denied)


def _compare(found, every, match, names):
    that = re.fullmatch(r"that of (.+)", match["what"])
    others = that and subjects(that[1], names)[0]
    if others and len(others) == 1:
        return Clause(found, match["op"], (str(Subject(others[0].name, others[0].facets or found[0].facets)),), _every(every, match["op"] != "=="))
    value = operand(match["what"], names)
    if value is None:
        many = choices(match["what"], names) if match["op"] in ("!=", "==") else None
        if not many:
            return None
        return Clause(found, "not in" if match["op"] == "!=" else "in", many, _every(every, match["op"] == "!="))
    return Clause(found, match["op"], (value,), _every(every, match["op"] != "=="))


def _not_equal_plain(found, every, match, names):
    value = operand(match["what"], names)
    if value is None or not found:
        return None
    if found[0].facets and found[0].facets[0] in ("dtype", "type"):
        return None
    return Clause(found, "!=" if match["neg"] else "==", (value,), _every(every, match["neg"]))


def _range(negated):
    def build(found, every, match, names):
        text = match["what"].strip()
        text = re.sub(r"^(?:range|range:|the range)\s+", "", text)
        between = re.fullmatch(rf"({_NUMBER}) (?:and|to) ({_NUMBER})(?: ?(?:inclusive|\(inclusive\)))?", text)
        span = f"[{between[1]}, {between[2]}]" if between else interval(text)
        if span is None or (span[0] + span[-1] == "()" and "range" not in match[0] and found[0].facets[:1] in (("len",), ("rank",), ("size",), ("shape",))):
            return None               # "(2, 3)" may be a list of lengths
        return Clause(found, "outside" if negated else "inside", (span,), _every(every, negated))
    return build


def _choice(negated):
    def build(found, every, match, names):
        if "dtype" in found[0].facets:
            return None
        many = choices(match["what"], names)
        if not many:
            return None
        if len(many) == 1 and negated and not match["what"].startswith(("one of", "in")):
            if found[0].facets[:1] == ("each",):
                return None           # "elements of x is not 2" counts them, or does not
            return Clause(found, "!=", many, every is True)
        if len(many) == 1 and not negated:
            return Clause(found, "==", many, _every(every, negated))
        return Clause(found, "not in" if negated else "in", many, _every(every, negated))
    return build


def _flag(test):
    def build(found, every, match, names):
        return Clause(found, test, (), _every(every, test not in ("none", "given", "empty", "not empty")))
    return build


_NOUNS = [("dtype", "dtype"), ("type", "type"), ("shape", "shape"), ("size", "size"), ("length", "len"), ("rank", "rank"), ("dim", "rank")]


def _differ(found, every, match, names):
    what = match.groupdict().get("what")
    if what:
        others, _ = subjects(what, names)
        if not others:
            return None
        facets = found[0].facets
        others = tuple(Subject(o.name, o.facets or facets) for o in others)
        return Clause(found + others, "differ")
    noun = match.groupdict().get("noun") or match.groupdict().get("noun2")
    if noun:
        facet = next((f for word, f in _NOUNS if noun.startswith(word)), None)
        found = tuple(Subject(f.name, (facet,)) if facet and not f.facets else f for f in found)
    if len(found) < 2 and found[0].name != "*" and not set(found[0].facets) & {"each"} and found[0].facets[:1] not in (("dtype",), ("type",), ("shape",), ("len",)):
        return None
    return Clause(found, "differ")


def _same(found, every, match, names):
    what = match.groupdict().get("what")
    others, _ = subjects(what, names) if what else ((), False)
    if what and not others:
        return None
    facets = found[0].facets
    together = found + tuple(Subject(o.name, o.facets or facets) for o in others)
    return Clause(together, "same") if len(together) > 1 else None


def _unbroadcastable(found, every, match, names):
    what = match.groupdict().get("what")
    others = ()
    if what:
        others, _ = subjects(re.sub(r"^(?:a tensor with shape of|a tensor with the shape of|shape of|a shape of|same shape as|shape)\s+", "", what), names)
        if not others:
            return None
    found = tuple(Subject(s.name) for s in found + tuple(others))
    return Clause(tuple(dict.fromkeys(found)), "not broadcastable")


def _rank(negated):
    def build(found, every, match, names):
        ranks = re.findall(r"\d+", match["what"])
        found = tuple(Subject(s.name, s.facets if s.facets == ("rank",) else ("rank",) + tuple(f for f in s.facets if f not in ("shape",))) for s in found)
        if len(ranks) == 1:
            return Clause(found, "!=" if negated else "==", tuple(ranks), _every(every, negated))
        return Clause(found, "not in" if negated else "in", tuple(ranks), _every(every, negated))
    return build


def _has(found, every, match, names):
    """"has more than 2 dimensions", "contains negative values"."""
    number = comparison(f"{match['op']} {match['what']}")
    if not number:
        return None
    facet = "rank" if match["noun"].startswith(("rank", "dim")) else "len"
    return Clause(tuple(Subject(s.name, (facet,)) for s in found), number[0], (number[1],), every is True)


def _each(found, every, match, names):
    number = comparison(match["what"])
    if not number:
        return None
    return Clause(tuple(Subject(s.name, ("each",)) for s in found), number[0], (number[1],), every is True)


def _divisible(found, every, match, names):
    value = operand(match["what"], names)
    return value and Clause(found, "not divisible by", (value,), every is True)


def _member(test):
    def build(found, every, match, names):
        value = operand(match["what"], names)
        return value and Clause(found, test, (value,), every is True)
    return build


def _shape(found, every, match, names):
    text = match["what"].replace("‹", "").replace("›", "").replace("«'", "").replace("'»", "")
    if found[0].facets[:1] != ("shape",) and not match["what"].startswith("<") and "shape" not in match[0]:
        return None
    options = re.findall(r"<[^<>]+>|\([^()]*\)", text)
    rest = re.sub(r"<[^<>]+>|\([^()]*\)|\bor\b|,", "", text).strip()
    if not options or rest:
        return None
    found = tuple(Subject(s.name, ("shape",)) for s in found)
    return Clause(found, "!=" if len(options) == 1 else "not in", tuple(re.sub(r"\s+", " ", o) for o in options), every is True)


def _list_of(found, every, match, names):
    """"not a tuple with integer elements"."""
    element = type_name(match["inner"])
    outer = types(match["outer"])
    if not element or not outer:
        return None
    return Clause(found, "not", tuple(f"{o}[{element}]" for o in outer), every is True)


def _between(negated):
    def build(found, every, match, names):
        return Clause(found, "outside" if negated else "inside", (f"[{match['low']}, {match['high']}]",), _every(every, negated))
    return build


def _subclass(found, every, match, names):
    wanted = types(match["what"])
    return wanted and Clause(found, "not subclass of", wanted, every is True)


def _both_tests(found, every, match, names):
    """"is not a float in (0, inf)": of the wrong type, or outside; the error of a value is what is asked."""
    span = interval(match["span"])
    return span and Clause(found, "outside", (span,), every is True)


def _literal(found, every, match, names):
    """"`layout` is BSH": a name that no parameter has is a value."""
    word = match["what"].strip("‹›")
    return None if word in names else Clause(found, "!=" if match["neg"] else "==", (repr(word),), _every(every, match["neg"]))


def _ending(found, every, match, names):
    many = choices(match["what"], names)
    return many and Clause(found, "not ending in", many, every is True)


def _contains(test):
    def build(found, every, match, names):
        many = choices(match["what"], names)
        return many and Clause(found, test, many, every is True)
    return build


def _convertible(found, every, match, names):
    wanted = types(match["what"])
    return wanted and Clause(found, "not convertible to", wanted, every is True)


_W = r"(?P<what>.+)$"
PREDICATES = [(re.compile(pattern), build) for pattern, build in [
    (r"^(?:is )?not in range$|^is not in valid range$|^is not (?:in|within) (?:acceptable|allowed|permitted) range$|^is out of bounds?$|^range is illegal$", _flag("out of range")),
    (r"^is not a? ?square(?: matrix| matrices)?(?: ?\(batch squares\))?$", _flag("not square")), (r"^is not empty$", _flag("not empty")), (r"^is (?:used|enabled)$", _flag("given")),
    (r"^(?:has|have) types not specified above$|^(?:is )?not support list$|^is not in support list$", _flag("unsupported")), (r"^has (?P<op><=|>=|<|>) (?P<what>\d) (?P<noun>dimensions?|elements?)$", _has),
    (r"^(?:is|has) (?:of )?values not specified above$", _flag("invalid")), (r"^(?:is )?not (?:in )?range (?P<low>\d) ?(?:-|to) ?(?P<high>\d)$", _between(True)),
    (r"^is not ending in " + _W, _ending), (r"^is not (?:an )?absolute path$", _flag("not absolute path")), (r"^cannot be converted (?:in)?to (?:an? )?" + _W, _convertible),
    (r"^does not (?:match|belong to|meet) (?:the )?required (?:types|ones|type|dtype)$|^does not match specifications?$|^is not in list of supported \w+(?: for corresponding mode)?$|^is not in ‹?supported \w+›?$|^conversion (?:of Parameter )?is not supported$|"
     r"^conversion is required when dtype conversion is not supported$|^conversion of Parameter is (?:given|required) but dtype conversion of Parameter is not supported$|^conversion of Parameter is required when dtype conversion of Parameter is not supported$", _flag("unsupported")),
    (r"^is not (?:an? )?(?:float|int|number|integer|float number)(?: value| number)? (?:in|in range|in-between|within)(?: range)? (?P<span>[\[(].+[\])])$", _both_tests),
    (r"^is not (?:an? )?(?:float|int|number) in-between (?P<low>[-\d.]+) and (?P<high>[-\d.]+)$", lambda f, e, m, n: Clause(f, "outside", (f"[{m['low']}, {m['high']}]",), e is True)),
    (r"^elements (?:!=) (?P<what>\d+)$", lambda f, e, m, n: Clause(tuple(Subject(s.name, ("each",)) for s in f), "!=", (m["what"],))),
    (r"^is not close to output size computed by (?:attr )?" + _W, lambda f, e, m, n: Clause(f, "not matching", tuple(map(str, subjects(m["what"], n)[0])), e is True) if subjects(m["what"], n)[0] else None),
    (r"^is (?P<neg>not )?(?P<what>‹[\w.]+›)$", _literal),
    (r"^is (?:not supported|unsupported|not support|not in (?:the )?(?:corresponding )?(?:list of )?supported (?:values|types|dtype|list)|not (?:one )?of (?:the )?supported (?:dtype|types|values|modes)|not one of supported dtype|not currently supported|not "
     r"supported dtype|not valid dtype|not in supported list|not supported type|not a supported (?:type|value))$|^not supported$|^is not in corresponding list of supported values$", _flag("unsupported")),
    (r"^is (?:invalid|incorrect|wrong|illegal|not (?:valid|correct|legal)|not (?:set )?correctly|of (?:a )?wrong type|not in (?:a )?valid range|not correctly set|not in valid range|wrong type|improper|unavailable|abnormal|not a valid \w+|mismatched|unexpected)$|^has (?:wrong|invalid|incorrect|improper) (?:type|value|dtype|shape|rank|format|length|size|dimensions?|ranks?)s?$|"
     r"^does not (?:meet|match|satisfy) (?:the )?(?:requirements?|parameter description|constraints?|conditions?|rules?)(?: of ‹\w+›)?$|^not (?:valid|correct)$|^type is (?:incorrect|wrong|invalid)$|^is not within valid range$", _flag("invalid")),
    (r"^is (?:not specified|not set|not given|not provided|not passed|missing|not passed in|None|unset|not configured|left empty)$", _flag("none")),
    (r"^is (?:specified|not None|set|given|provided|configured|passed|passed in)$", _flag("given")),
    (r"^is (?:an )?empty(?: tensor| list| tuple| string| Tensor| dict| str| value| tuple or list| list or tuple)?$|^is None or empty$|^has no (?:elements?|values?)$|^contains no elements?$", _flag("empty")),
    (r"^(?:has|contains?|have) (?:any )?(?:duplicate|repeated|duplicated|repeating|identical|duplicates)(?: elements?| values?| items?| entries| axes| dimensions?| indices| keys?| names?| axis)?$|^is (?:duplicate|duplicated|repeated|not unique|repetitive)$|^is equal after normalize$|^is not unique$", _flag("repeats")),
    (r"^does not exists?$|^is not exist(?:ing)?$|^not exists?$|^cannot be found$|^is not found$|^is not a (?:file|directory|folder)$|^does not exist or is not .*$", _flag("missing")),
    (r"^is not sorted(?: in ascending order| in increasing order)?$|^is not (?:in )?(?:monotonically |strictly )?(?:increasing|ascending)(?: order)?$|^is not (?:arranged )?in ascending order$", _flag("unsorted")),
    (r"^is not (?:a )?(?:constants?|constant value|const)$|^is not constant tensor$", _flag("not constant")), (r"^is (?:a )?constant(?: value| tensor)?$", _flag("constant")),
    (r"^(?:is )?unbroadcastable(?: (?:to|with|in|as|into|for|by)? ?(?:each other|one another|mutually|a common shape|same shape|one shape|together))?$|^has different shapes? and (?:they )?(?:is )?unbroadcastable(?: to each other)?$|^does not support broadcasting$", _unbroadcastable),
    (r"^(?:is )?unbroadcastable (?:to|with|into|as) " + _W, _unbroadcastable),
    (r"^is (?:not equal|different|inconsistent|not consistent|unequal|not identical|not matched|not match|mismatched|not exactly equal|not equal size)(?: to each other| with each other| from each other| types?| size| length| shapes?| dtype| in length| in size| mismatch)?$|^(?:has|have|is of|is in|with) (?:a )?(?:different|inconsistent|unequal) (?P<noun>shapes?|dtype|types?|lengths?|sizes?|rank|devices?|dimensions?)$|"
     r"^does not match(?: each other)?$|^mismatch(?:es)?$|^is not same$|^is not of equal (?:type|shape|dtype|size|length)$|^has different sizes at different rank$|^is not equal type$|^(?:is )?inconsistent$|^does not have (?:the )?(?:equal|same) (?P<noun2>dtype|shape|type|length|size|rank)s?$|^is not of (?:the )?same (?:type|shape|dtype|length|size)$|^is not (?:same|equal) (?:type|dtype|shape|length|size)$", _differ),
    (r"^is not (?:same-as|in line with|equal-to|matched with|match with|matching) (?:that of |those of |shape of |type of |dtype of |rank of |shape |dtype |(?=‹))" + _W, _differ),
    (r"^is not same-as " + _W, _differ), (r"^is (?:different from|inconsistent with|not consistent with|not compatible with|incompatible with) (?:that of )?" + _W, _differ),
    (r"^does not (?:match(?: with)?|correspond to|equal|coincide with|agree with) (?:that of |those of |shape of |the )?" + _W, _differ),
    (r"^is same-as (?:that of )?" + _W, _same), (r"^is equal$|^is the same$|^is identical$", _same),
    (r"^(?:is )?(?P<op><=|>=|<|>|!=|==) ?" + _W, _compare),
    (r"^is not (?P<op>==) ?" + _W, lambda f, e, m, n: _compare(f, e, _Swapped(m, "!="), n)),
    (r"^(?:is )?in-between (?P<low>[-\d.]+) and (?P<high>[-\d.]+)$", _between(False)), (r"^(?:is )?not in-between (?P<low>[-\d.]+) and (?P<high>[-\d.]+)$", _between(True)),
    (r"^(?:is not |not |is none of |is )(?:in )?range (?:of )?" + _W, lambda f, e, m, n: _range(not m[0].startswith("is range"))(f, e, m, n) if not m[0].startswith("is in range") else _range(False)(f, e, m, n)),
    (r"^(?:is )?not in (?:an )?(?:interval |the )?" + _W, _range(True)), (r"^is in (?:range )?" + _W, _range(False)),
    (r"^is not (?:an? )?(?:tensor of )?(?P<what>\d ?-?D(?: ?(?:,|or|/|, or) ?\d ?-?D)*)(?: Tensors?| tensors?| input)?$|^is not (?:an? )?(?P<w2>x)$", _rank(True)),
    (r"^is (?:an? )?(?P<what>\d ?-?D(?: ?(?:,|or) ?\d ?-?D)*)(?: Tensors?| tensors?)?$", _rank(False)),
    (r"^is not (?:a )?(?P<what>\d)-dimensional(?: tensors?| Tensor)?$", _rank(True)),
    (r"^is not (?:in )?(?:shape (?:of )?)?(?P<what><.+>|\(.*\))$", _shape), (r"^is not in shape (?:of )?(?P<what><.+)$", _shape),
    (r"^(?:is )?not divisible by " + _W, _divisible), (r"^cannot be (?:divided|divisible|evenly divided) by " + _W, _divisible), (r"^(?:is )?not (?:a )?(?:multiple|multiples) of " + _W, _divisible), (r"^(?:is )?not (?:a )?power of " + _W, _member("not power of")), (r"^cannot divide " + _W, lambda f, e, m, n: None),
    (r"^(?:has|have|contains?|with) (?P<op><=|>=|<|>|!=) (?P<what>\d+) ?(?P<noun>rank|dimensions?|dims?|elements?|items?|values?)$", _has),
    (r"^(?:contains?|has|have) (?:any )?(?:values? |elements? )?(?P<what>(?:<=|<|>|>=|!=) 0)(?: values?| elements?| numbers?| items?| integers?| value in it)?$", _each),
    (r"^is not (?:an? )?(?P<outer>tuple|list|tuple or list|list or tuple|tuple/list)s? (?:with|of|consisting of|composed of|containing|filled with) (?P<inner>\w+) (?:elements?|items?|values?)$", _list_of),
    (r"^is not (?:a )?(?:subclass|derived class) of " + _W, _subclass), (r"^is not (?:an? )?(?:float or a )?subclass of " + _W, _subclass),
    (r"^is (?P<neg>not )?(?:the )?(?P<what>‹[\w.]+›)$", lambda f, e, m, n: _not_equal_plain(f, e, m, n) if m["what"].strip("‹›") in n else None),
    (r"^(?:is )?neither " + _W, _types(True)), (r"^(?:is )?not (?:one of|in|of|of type|any of|in type|with type|within|being)? ?:? ?" + _W, _types(True)),
    (r"^(?:is )?not " + _W, _types(True)), (r"^is (?:one of |of type |of )?:? ?" + _W, _types(False)), (r"^does not belong to " + _W, _types(True)), (r"^has (?:a )?type (?:other than|not) " + _W, _types(True)),
    (r"^is neither (?P<what>(?:\(\d*,?\)) nor (?:\(\d*,?\)))$", lambda f, e, m, n: Clause(f, "not in", tuple(p.strip() for p in m["what"].split(" nor ")), e is True)), (r"^is neither " + _W, _choice(True)), (r"^(?:is )?not (?:one of|in|set to|any of)? ?:? ?" + _W, _choice(True)), (r"^is (?:not one of) ?" + _W, _choice(True)), (r"^is (?:one of|in|set to)? ?" + _W, _choice(False)),
    (r"^contains? " + _W, _contains("contains")), (r"^(?:lacks?|does not contain) " + _W, _contains("lacks")),
    (r"^(?:must|should) be (?:an? )?" + _W, lambda f, e, m, n: _must(f, e, m, n)), (r"^is not (?:in|one of|an attribute of|an element of|included in|contained in|found in|a key of|present in) (?:the )?" + _W, _member("not found in")),
]]


class _Swapped:
    """A match with another operator: "is not == 3" is "!= 3"."""

    def __init__(self, match, operator):
        self.match, self.operator = match, operator

    def __getitem__(self, key):
        return self.operator if key == "op" else self.match[key]


def _must(found, every, match, names):
    """"must be X" offends when it is not X."""
    negated = "is not " + match["what"]
    for pattern, build in PREDICATES:
        again = pattern.match(negated)
        if again and build is not None and not negated.startswith("is not must"):
            clause = build(found, every, again, names)
            if clause:
                return clause
    return None
