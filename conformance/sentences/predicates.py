"""The predicates of constraint sentences: the builders behind the patterns of
`data/predicates.txt`.

`read(subjects, every, text, names)` returns a clause, a tuple of clauses, or None if no pattern
covers the whole text. A builder returns None to let the next pattern try.
"""

import re
from functools import cache

from .operands import AND, choices, comparison, interval, operand, subjects_of, types
from .rules import Clause, Subject
from .tables import sections
from .typenames import is_dtype, type_name

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e-?\d+)?|inf)"


def read(subjects, every, text, names):
    """Returns the clauses that a predicate phrase makes of its subjects."""
    for pattern, build in _patterns():
        match = pattern.match(text)
        if match:
            clause = build(subjects, every, match, names)
            if clause:
                return clause if isinstance(clause, tuple) else (clause,)
    return None


@cache
def _patterns():
    """Returns [(pattern, builder)] of the table, in order."""
    patterns = []
    for heading, lines in sections("predicates.txt"):
        name, _, option = heading.partition(" ")
        build = globals()[f"_{name}"]
        if option:
            build = build({"denied": True, "asserted": False}.get(option, option))
        patterns += [(re.compile(line.replace("_W_", "(?P<what>.+)$")), build) for line in lines]
    return patterns


def _dtype_facets(subjects, wanted):
    """Gives subjects the facet dtype if their type test names element types: "`x` is neither
    float16 nor float32"."""
    if all(is_dtype(t) and t not in ("bool", "string") for t in wanted):
        return tuple(
            s
            if "dtype" in s.facets
            else Subject(
                s.name,
                tuple(f for f in s.facets if f != "type") + ("dtype",)
                if s.facets[:1] != ("each",)
                else ("dtype",) + s.facets,
            )
            for s in subjects
        )
    plain = {"float", "int", "bool", "Number", "complex", "string", "unsigned"}
    drop = {"type"} if all(is_dtype(t) or t in plain for t in wanted) else {"type", "dtype"}
    return tuple(Subject(s.name, tuple(f for f in s.facets if f not in drop)) for s in subjects)


def _types(negated):
    def build(subjects, every, match, names):
        text = match["what"]
        tensor_of = re.fullmatch(
            r"(?:an? )?Tensors?(?: instance)? (?:of|with|whose|with (?:a )?dtype|in)(?: type| "
            r"types| dtype| dtype of| dtype is| data type)? (.+)",
            text,
            re.I,
        )
        if tensor_of:
            inner = types(tensor_of[1])
            if inner and all(
                is_dtype(t) or t in ("float", "int", "bool", "Number", "complex") for t in inner
            ):
                return Clause(
                    tuple(Subject(s.name, ("dtype",) + s.facets) for s in subjects),
                    "not" if negated else "is",
                    inner,
                    _every(every, negated),
                )
            return None
        wanted = types(text)
        if not wanted:
            return None
        if subjects[0].facets[:1] in (
            ("shape",),
            ("rank",),
            ("len",),
            ("size",),
            ("sum",),
        ) and not all(w in ("tuple", "list", "int", "tuple[int]", "list[int]") for w in wanted):
            return None
        fixed = _dtype_facets(subjects, wanted)
        return Clause(fixed, "not" if negated else "is", wanted, _every(every, negated))

    return build


def _every(every, denied):
    """Returns whether all subjects must violate. "x and y are not Tensors" is violated by either
    one, "neither ... nor" by both."""
    return every is True or (every == AND and not denied)


def _compare(subjects, every, match, names):
    that = re.fullmatch(r"that of (.+)", match["what"])
    others = that and subjects_of(that[1], names)[0]
    if others and len(others) == 1:
        return Clause(
            subjects,
            match["op"],
            (str(Subject(others[0].name, others[0].facets or subjects[0].facets)),),
            _every(every, match["op"] != "=="),
        )
    value = operand(match["what"], names)
    if value is None:
        many = choices(match["what"], names) if match["op"] in ("!=", "==") else None
        if not many:
            return None
        return Clause(
            subjects,
            "not in" if match["op"] == "!=" else "in",
            many,
            _every(every, match["op"] == "!="),
        )
    return Clause(subjects, match["op"], (value,), _every(every, match["op"] != "=="))


def _not_equal_plain(subjects, every, match, names):
    value = operand(match["what"], names)
    if value is None or not subjects:
        return None
    if subjects[0].facets and subjects[0].facets[0] in ("dtype", "type"):
        return None
    return Clause(subjects, "!=" if match["neg"] else "==", (value,), _every(every, match["neg"]))


def _range(negated):
    def build(subjects, every, match, names):
        text = match["what"].strip()
        text = re.sub(r"^(?:range|range:|the range)\s+", "", text)
        between = re.fullmatch(
            rf"({_NUMBER}) (?:and|to) ({_NUMBER})(?: ?(?:inclusive|\(inclusive\)))?", text
        )
        span = f"[{between[1]}, {between[2]}]" if between else interval(text)
        if span is None or (
            span[0] + span[-1] == "()"
            and "range" not in match[0]
            and subjects[0].facets[:1] in (("len",), ("rank",), ("size",), ("shape",))
        ):
            return None  # "(2, 3)" may be a list of lengths
        return Clause(subjects, "outside" if negated else "inside", (span,), _every(every, negated))

    return build


def _choice(negated):
    def build(subjects, every, match, names):
        if "dtype" in subjects[0].facets:
            return None
        many = choices(match["what"], names)
        if not many:
            return None
        if len(many) == 1 and negated and not match["what"].startswith(("one of", "in")):
            if subjects[0].facets[:1] == ("each",):
                return None  # "elements of x is not 2": the elements, or their number
            return Clause(subjects, "!=", many, every is True)
        if len(many) == 1 and not negated:
            return Clause(subjects, "==", many, _every(every, negated))
        return Clause(subjects, "not in" if negated else "in", many, _every(every, negated))

    return build


def _flag(test):
    def build(subjects, every, match, names):
        return Clause(
            subjects, test, (), _every(every, test not in ("none", "given", "empty", "not empty"))
        )

    return build


_NOUNS = [
    ("dtype", "dtype"),
    ("type", "type"),
    ("shape", "shape"),
    ("size", "size"),
    ("length", "len"),
    ("rank", "rank"),
    ("dim", "rank"),
]


def _differ(subjects, every, match, names):
    what = match.groupdict().get("what")
    if what:
        others, _ = subjects_of(what, names)
        if not others:
            return None
        facets = subjects[0].facets
        others = tuple(Subject(o.name, o.facets or facets) for o in others)
        return Clause(subjects + others, "differ")
    noun = match.groupdict().get("noun") or match.groupdict().get("noun2")
    if noun:
        facet = next((f for word, f in _NOUNS if noun.startswith(word)), None)
        subjects = tuple(
            Subject(f.name, (facet,)) if facet and not f.facets else f for f in subjects
        )
    if (
        len(subjects) < 2
        and subjects[0].name != "*"
        and not set(subjects[0].facets) & {"each"}
        and subjects[0].facets[:1] not in (("dtype",), ("type",), ("shape",), ("len",))
    ):
        return None
    return Clause(subjects, "differ")


def _same(subjects, every, match, names):
    what = match.groupdict().get("what")
    others, _ = subjects_of(what, names) if what else ((), False)
    if what and not others:
        return None
    facets = subjects[0].facets
    together = subjects + tuple(Subject(o.name, o.facets or facets) for o in others)
    return Clause(together, "same") if len(together) > 1 else None


def _unbroadcastable(subjects, every, match, names):
    what = match.groupdict().get("what")
    others = ()
    if what:
        others, _ = subjects_of(
            re.sub(
                r"^(?:a tensor with shape of|a tensor with the shape of|shape of|a shape of|same "
                r"shape as|shape)\s+",
                "",
                what,
            ),
            names,
        )
        if not others:
            return None
    subjects = tuple(Subject(s.name) for s in subjects + tuple(others))
    return Clause(tuple(dict.fromkeys(subjects)), "not broadcastable")


def _rank(negated):
    def build(subjects, every, match, names):
        ranks = re.findall(r"\d+", match["what"])
        subjects = tuple(
            Subject(
                s.name,
                s.facets
                if s.facets == ("rank",)
                else ("rank",) + tuple(f for f in s.facets if f not in ("shape",)),
            )
            for s in subjects
        )
        if len(ranks) == 1:
            return Clause(subjects, "!=" if negated else "==", tuple(ranks), _every(every, negated))
        return Clause(subjects, "not in" if negated else "in", tuple(ranks), _every(every, negated))

    return build


def _has(subjects, every, match, names):
    """Reads "has more than 2 dimensions", "contains negative values"."""
    number = comparison(f"{match['op']} {match['what']}")
    if not number:
        return None
    facet = "rank" if match["noun"].startswith(("rank", "dim")) else "len"
    return Clause(
        tuple(Subject(s.name, (facet,)) for s in subjects), number[0], (number[1],), every is True
    )


def _each(subjects, every, match, names):
    number = comparison(match["what"])
    if not number:
        return None
    return Clause(
        tuple(Subject(s.name, ("each",)) for s in subjects), number[0], (number[1],), every is True
    )


def _divisible(subjects, every, match, names):
    value = operand(match["what"], names)
    return value and Clause(subjects, "not divisible by", (value,), every is True)


def _member(test):
    def build(subjects, every, match, names):
        value = operand(match["what"], names)
        return value and Clause(subjects, test, (value,), every is True)

    return build


def _shape(subjects, every, match, names):
    text = match["what"].replace("‹", "").replace("›", "").replace("«'", "").replace("'»", "")
    if (
        subjects[0].facets[:1] != ("shape",)
        and not match["what"].startswith("<")
        and "shape" not in match[0]
    ):
        return None
    options = re.findall(r"<[^<>]+>|\([^()]*\)", text)
    rest = re.sub(r"<[^<>]+>|\([^()]*\)|\bor\b|,", "", text).strip()
    if not options or rest:
        return None
    subjects = tuple(Subject(s.name, ("shape",)) for s in subjects)
    return Clause(
        subjects,
        "!=" if len(options) == 1 else "not in",
        tuple(re.sub(r"\s+", " ", o) for o in options),
        every is True,
    )


def _list_of(subjects, every, match, names):
    """Reads "not a tuple with integer elements"."""
    element = type_name(match["inner"])
    outer = types(match["outer"])
    if not element or not outer:
        return None
    return Clause(subjects, "not", tuple(f"{o}[{element}]" for o in outer), every is True)


def _between(negated):
    def build(subjects, every, match, names):
        return Clause(
            subjects,
            "outside" if negated else "inside",
            (f"[{match['low']}, {match['high']}]",),
            _every(every, negated),
        )

    return build


def _subclass(subjects, every, match, names):
    wanted = types(match["what"])
    return wanted and Clause(subjects, "not subclass of", wanted, every is True)


def _both_tests(subjects, every, match, names):
    """Reads "is not a float in (0, inf)": of the wrong type, or outside the range; the error of the
    value is tested."""
    span = interval(match["span"])
    return span and Clause(subjects, "outside", (span,), every is True)


def _literal(subjects, every, match, names):
    """Reads "`layout` is BSH": a word that is not a parameter is a value."""
    word = match["what"].strip("‹›")
    return (
        None
        if word in names
        else Clause(
            subjects, "!=" if match["neg"] else "==", (repr(word),), _every(every, match["neg"])
        )
    )


def _ending(subjects, every, match, names):
    many = choices(match["what"], names)
    return many and Clause(subjects, "not ending in", many, every is True)


def _contains(test):
    def build(subjects, every, match, names):
        many = choices(match["what"], names)
        return many and Clause(subjects, test, many, every is True)

    return build


def _convertible(subjects, every, match, names):
    wanted = types(match["what"])
    return wanted and Clause(subjects, "not convertible to", wanted, every is True)


def _all_equal(subjects, every, match, names):
    return Clause(tuple(Subject(s.name, ("each",)) for s in subjects), "!=", (match["what"],))


def _not_matching(subjects, every, match, names):
    others, _ = subjects_of(match["what"], names)
    return others and Clause(subjects, "not matching", tuple(map(str, others)), every is True)


def _not_equal(subjects, every, match, names):
    return _compare(subjects, every, {"op": "!=", "what": match["what"]}, names)


def _same_value(subjects, every, match, names):
    return (
        _not_equal_plain(subjects, every, match, names)
        if match["what"].strip("‹›") in names
        else None
    )


def _shapes_denied(subjects, every, match, names):
    return Clause(
        subjects, "not in", tuple(p.strip() for p in match["what"].split(" nor ")), every is True
    )


def _must(subjects, every, match, names):
    """Reads "must be X". The rule is violated by values that are not X."""
    return read(subjects, every, "is not " + match["what"], names)
