"""The grammar of constraint sentences: turns a line of a Raises section into rule objects.

`read_sentence("ValueError", "If `low` or `high` is not in range [0, 9).", names)` returns one Rule
with the clause `low, high: outside [0, 9)`. A sentence has alternatives ("or") of clauses that hold
together ("and", "when"). A clause is a subject phrase and a predicate phrase, and the grammar must
cover every word. A sentence that cannot be read gives None; nothing is guessed. `words.py` first
normalises the spelling (marks, comparison symbols, Chinese); `operands.py` reads the operands.
"""

import re

from . import operands as op
from . import predicates
from .rules import Clause, Rule, Subject
from .states import state_of
from .words import plain

_LEAD = re.compile(
    r"^(?:(?:If|IF|When|if|when|Raised|raised|Raise an error|In case|Raised if|Raised when"
    r"|Whether|Error|Thrown)(?: that)?(?=\W)\s*)+:?\s*"
)
_WHEN = re.compile(
    r",? (?:when|if|while|under|provided that|in case|but|where|and when|and if) (?=\S)|, and "
    r"(?=when|if)"
)
_OR = re.compile(r"\. If |,? or if |,? or when |; (?:or )?|, or | or |, (?:if )?")
_AND = re.compile(r",? and |, but |,? but |, while | while |, ")
_VERB = re.compile(
    r" (?=(?:is|has|have|contains?|lacks?|does not|cannot|unbroadcastable|must|should|not in|in"
    r"|not a|not an|not Tensor|neither|needs?|"
    r"needed|matches|conversion|same-as|whose|mismatch(?:es)?|exists?|belongs?|conflicts?"
    r"|repeats?|not|in-between)\b|[<>=!]=? ?)"
)
_DEVICE = (
    r"((?:Ascend|GPU|CPU)(?:(?:, | and | or |/)(?:Ascend|GPU|CPU))*)"
    r"(?: platforms?| devices?| backends?)?"
)
_PLATFORM = re.compile(
    rf"^(?:[Oo]n|[Ff]or) (?:the )?{_DEVICE},?\s*(?=[^,])|,? ?(?:while|when)? ?(?:running )?(?:on"
    rf"|in) (?:the )?{_DEVICE}$"
)
DEPTH = 5  # of nested "or", "and" and "when" in one sentence


def read_sentence(error, text, names=(), line=0):
    """Returns the rules of one Raises sentence; None if the grammar does not cover all of it."""
    names = frozenset(names)
    sentence = plain(text, names)
    sentence = _LEAD.sub("", sentence).strip()
    sentence = re.sub(
        r"^(Both|Neither|Either|Dtype|Type|Shape|Input|Any|All|Each|Element|Elements|Rank|Length"
        r"|Parameter|Value|Values|Key|Item|Items|Data|Size)\b",
        lambda m: m[0].lower(),
        sentence,
    )
    platform = _PLATFORM.search(sentence)
    extra = ()
    if platform:
        sentence = (sentence[: platform.start()] + sentence[platform.end() :]).strip(" ,")
        sentence = _LEAD.sub("", sentence).strip()
        extra = (
            Clause((Subject("platform"),), "in", tuple(re.findall(r"Ascend|GPU|CPU", platform[0]))),
        )
    if not sentence:
        return None
    alternatives = _Reader(names).alternatives(sentence)
    if alternatives is None:
        return None
    return [Rule(error, clauses + extra, line=line) for clauses in alternatives]


class _Reader:
    """Backtracking reader of one sentence; results are cached per piece of text."""

    def __init__(self, names):
        self.names, self.seen = names, {}

    def alternatives(self, text, subject=None, depth=0):
        """Returns [(clauses that hold together)], one entry per violation; None if unreadable."""
        key = (text, subject)
        if key not in self.seen:
            self.seen[key] = None
            self.seen[key] = self._alternatives(text.strip(" ,"), subject, depth)
        return self.seen[key]

    def _alternatives(self, text, subject, depth):
        if not text or depth > DEPTH:
            return None
        state = state_of(text, sure=True)
        if state:
            return [(Clause((), "state", (state,)),)]
        clause = self.clause(text, subject)
        if clause is not None:
            return [clause]
        alternatives = (
            self._leading_condition(text, subject, depth)
            or self._conditional(text, subject, depth)
            or self._joined(text, subject, depth, _OR, self._either)
            or self._joined(text, subject, depth, _AND, self._both)
        )
        if alternatives or depth:
            return alternatives
        state = state_of(text, sure=False)
        return [(Clause((), "state", (state,)),)] if state else None

    def _leading_condition(self, text, subject, depth):
        """Reads "when `mode` is 'x', `y` is not ...", with the condition first."""
        for match in re.finditer(r", (?:then |and )?", text):
            left, right = _LEAD.sub("", text[: match.start()]), text[match.end() :]
            if not (text.startswith(("when ", "if ")) or _verbs_in(right) >= 1):
                continue
            if " or " in left or not _verbs_in(left):
                continue
            first = self.clause(left, subject)
            second = self.alternatives(right, _subjects(first), depth + 1) if first else None
            if first and second and not re.match(r"^or\b", right):
                if _is_list_of_offences(text):
                    return None
                return [clauses + first for clauses in second]
        return None

    def _conditional(self, text, subject, depth):
        for match in _WHEN.finditer(text):
            left = self.alternatives(text[: match.start()], subject, depth + 1)
            right = left and self.alternatives(
                _LEAD.sub("", text[match.end() :]), _subjects(left[0]), depth + 1
            )
            if left and right:
                return [a + b for a in left for b in right]
        return None

    def _joined(self, text, subject, depth, pattern, join):
        for match in pattern.finditer(text):
            left = self.alternatives(text[: match.start()], subject, depth + 1)
            if not left:
                continue
            rest = _LEAD.sub("", text[match.end() :])
            right = self.alternatives(rest, _subjects(left[-1]), depth + 1)
            if right:
                return join(left, right)
        return None

    @staticmethod
    def _either(left, right):
        return left + right

    @staticmethod
    def _both(left, right):
        return [a + b for a in left for b in right]

    def clause(self, text, inherited):
        """Returns a tuple of clauses (usually one) for subject and predicate, or None."""
        clauses = self._neither(text) or self._idiom(text)
        if clauses:
            return clauses
        if inherited:
            bare = re.match(
                r"^(?:it|its value|they|this value)?\s*(?=(?:is|has|contains|[<>=!]|not|cannot"
                r"|does)\b|[<>=!])",
                text,
            )
            if bare is not None:
                clauses = self._predicate(inherited, False, text[bare.end() :])
                if clauses:
                    return clauses
            its = (
                re.match(r"^(?:its|their|his) (.+)$", text)
                or re.match(
                    r"^((?:length|rank|dtype|type|shape|elements number|element|elements"
                    r"|size)(?: of it)? (?:is|!=|>|<|<=|>=|does|contains?|not)\b.*)$",
                    text,
                )
                or re.match(
                    r"^((?:length|rank|dtype|shape|elements number|size)(?: of it)? (?:!=|>|<|<="
                    r"|>=) .*)$",
                    text,
                )
            )
            if its:
                text = _with_owner(its[1].replace(" of it ", " "), inherited)
        for match in _VERB.finditer(text):
            subjects, every = op.subjects_of(text[: match.start()], self.names)
            if subjects:
                clauses = self._predicate(subjects, every, text[match.end() :])
                if clauses:
                    return clauses
        return None

    def _neither(self, text):
        match = re.match(
            r"^(neither|both|all|all of|not all|either|any|any of|one of|at least one of|each of"
            r"|each|every) (.+?) (is|are|has|unbroadcastable|does not|<|>|<=|>=|==|!=)\b ?(.*)$",
            text,
        )
        if not match:
            return None
        subjects, _ = op.subjects_of(match[2], self.names)
        if not subjects:
            return None
        if match[1] in ("neither", "not all"):
            together = match[1] == "neither"
            return self._predicate(subjects, together, f"{match[3]} not {match[4]}")
        every = op.AND if match[1] in ("both", "all", "all of") else False
        return self._predicate(subjects, every, f"{match[3]} {match[4]}")

    def _idiom(self, text):
        for pattern, build in _IDIOMS:
            match = pattern.match(text)
            if match:
                clauses = build(match, self.names)
                if clauses:
                    return clauses
        return None

    def _predicate(self, subjects, every, text):
        return predicates.read(subjects, every, text, self.names)


def _verbs_in(text):
    return len(_VERB.findall(" " + text))


def _subjects(clauses):
    return tuple(clauses[0].subjects) if clauses else None


def _is_list_of_offences(text):
    """Returns whether "`a` is not X, `b` is not Y or `c` is not Z" is a list of violations."""
    return bool(re.search(r",? or (?!if\b)[^,]*$", text)) and not text.startswith(
        ("when ", "if ", "When ")
    )


def _with_owner(text, subjects):
    """Converts "its length is not 2" to "length of ‹x› is not 2"."""
    word, rest = re.match(r"(elements number|\w+) (.*)", text).groups()
    return f"{word} of ‹{subjects[0].name}› {rest}"


def _same_time(match, names):
    subjects, _ = op.subjects_of(match[1], names)
    return (Clause(subjects, "given", (), True),) if subjects and len(subjects) > 1 else None


def _containing(match, names):
    """Reads "`x` is a tuple containing 3 non-positive items", "`x` is a tuple whose length is not
    3"."""
    subjects, every = op.subjects_of(match[1], names)
    types = subjects and op.types(match[2])
    if not types:
        return None
    inner = f"{match[3]} of ‹{subjects[0].name}› {match[4]}"
    alternatives = _Reader(names).alternatives(inner)
    if not alternatives or len(alternatives) != 1:
        return None
    clause = alternatives[0][0]
    facet = clause.subjects[0].facets
    with_each = Clause(
        tuple(Subject(s.name, facet) for s in subjects), clause.test, clause.operands, every
    )
    return (with_each, Clause(subjects, "is", types, every))


def _items(match, names):
    subjects, every = op.subjects_of(match[1], names)
    types = subjects and op.types(match[2])
    number = op.comparison(match[3])
    if not types or not number:
        return None
    with_each = tuple(Subject(s.name, ("each",)) for s in subjects)
    return (Clause(with_each, number[0], (number[1],), every), Clause(subjects, "is", types, every))


def _together(match, names):
    """Reads "... is None at same time": the rule is violated if the test holds for all subjects."""
    clauses = _Reader(names).clause(match[1], None)
    if not clauses or len(clauses) != 1 or len(clauses[0].subjects) < 2:
        return None
    return (Clause(clauses[0].subjects, clauses[0].test, clauses[0].operands, True),)


def _mismatch(match, names):
    subjects, _ = op.subjects_of(f"{match[1]} and {match[2]}", names)
    return (
        (Clause(tuple(Subject(s.name, ("shape",)) for s in subjects), "differ"),)
        if subjects
        else None
    )


_IDIOMS = [
    (re.compile(p), b)
    for p, b in [
        (
            r"^(.+?) (?:is|is both) (?:specified|set|given|provided|passed|used|enabled) (?:at "
            r"(?:the )?same time|together|simultaneously)$",
            _same_time,
        ),
        (r"^(?:both )?(.+?) (?:is|is both) (?:specified|set|given|provided)$", _same_time),
        (r"^(.+?) at same time$", _together),
        (r"^(?:there is )?a? ?dimension mismatch in-between (.+) and (.+)$", _mismatch),
        (
            r"^(.+?) is (?:not )?((?:an? )?(?:tuple|list|tuple or list|Tensor|tensor|str|string"
            r"|list or tuple|tuple/list)),? (?:and |but )?(?:whose|with|its|with a|of) (length"
            r"|size|elements|rank|dtype|shape|element) ?(.+)$",
            _containing,
        ),
        (
            r"^(.+?) is ((?:an? )?(?:tuple|list|tuple or list|list or tuple))(?:,| and| and it)? "
            r"?(?:containing|contains|that contains|with) ((?:<=|>=|<|>|!=) 0)(?: items| "
            r"elements| values| numbers)?$",
            _items,
        ),
    ]
]
