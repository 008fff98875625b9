"""Rule objects: the content of Raises sentences, and their one-line text form in the spec files.

A rule is an error and one or more clauses that hold together. A clause is subjects, a test and
its operands:

    beta1, beta2: outside (0.0, 1.0)       any of the two lies outside
    x & y: not Tensor                      neither of them is a Tensor
    dtype(x): not float16 | float32        facets are written as calls, nested if need be
    len(kernel_size): != 2                 together with ...
    kernel_size: is tuple                  ... this second clause of the same rule
"""

import functools
import re
from dataclasses import dataclass, field

# Test -> whether it takes operands; in the spelling of the spec files.
TESTS = {
    "not": True,
    "is": True,  # types, or dtypes with the facet dtype
    "<": True,
    "<=": True,
    ">": True,
    ">=": True,
    "==": True,
    "!=": True,
    "outside": True,
    "inside": True,  # interval
    "not in": True,
    "in": True,  # choices
    "differ": False,
    "same": False,  # subjects compared with each other
    "not broadcastable": False,
    "not divisible by": True,
    "divisible by": True,
    "none": False,
    "given": False,
    "empty": False,
    "repeats": False,
    "missing": False,
    "unsorted": False,
    "not constant": False,
    "constant": False,
    "not matching": True,
    "not subset of": True,
    "not found in": True,
    "found in": True,
    "contains": True,
    "lacks": True,
    "not subclass of": True,
    "out of range": False,
    "not square": False,
    "not ending in": True,
    "not convertible to": True,
    "not empty": False,
    "not absolute path": False,
    "not power of": True,
    "unsupported": False,
    "invalid": False,
    "not unique": False,
    "state": True,
    "set to": True,
}
_ORDER = sorted(TESTS, key=len, reverse=True)


@dataclass(frozen=True)
class Subject:
    """A parameter, or a property of it: `Subject("x", ("dtype",))`."""

    name: str
    facets: tuple = ()  # outermost first: dtype(each(x)) is ("dtype", "each")

    def __str__(self):
        text = self.name
        for facet in reversed(self.facets):
            text = f"{facet}({text})"
        return text

    @classmethod
    def parse(cls, text):
        facets, text = [], text.strip()
        while True:
            match = re.fullmatch(r"([a-z]+(?:\[-?\d+\])?)\((.*)\)", text)
            if not match:
                return cls(text, tuple(facets))
            facets.append(match[1])
            text = match[2].strip()


@dataclass(frozen=True)
class Clause:
    """Subjects under one test. `every` means that the test must hold for all of them to be a
    violation.
    """

    subjects: tuple
    test: str
    operands: tuple = ()
    every: bool = False

    def __str__(self):
        return f"{self.left()}: {self.right()}"

    def left(self):
        return (" & " if self.every else ", ").join(map(str, self.subjects))

    def right(self):
        return f"{self.test} {' | '.join(self.operands)}".strip()

    @classmethod
    @functools.cache  # the specs contain a thousand clauses, read many times
    def parse(cls, left, right):
        every = " & " in left
        names = left.split(" & ") if every else outer_split(left)
        subjects = tuple(Subject.parse(n) for n in names if n.strip())
        right = right.strip()
        for test in _ORDER:
            if right == test or right.startswith(test + " "):
                rest = right[len(test) :].strip()
                if bool(rest) != TESTS[test]:
                    raise ValueError(f"'{test}' {'needs' if TESTS[test] else 'takes no'} operands")
                return cls(
                    subjects,
                    test,
                    tuple(p.strip() for p in rest.split(" | ")) if rest else (),
                    every,
                )
        raise ValueError(f"no test begins '{right}'")


@dataclass
class Rule:
    """An exception, and the clauses that together require it."""

    error: str
    clauses: tuple
    verdict: str = None  # agreed | documented only | observed only; None before a comparison
    reason: str = None
    line: int = field(default=0, compare=False)

    def __str__(self):
        return f"{self.error}: " + "; ".join(map(str, self.clauses))


def outer_split(text):
    """Returns the parts of a text between commas that are in no brackets."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return parts + [current]
