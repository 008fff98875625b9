"""Makes valid variations of a call: ends of ranges, choices of lists, allowed dtypes.

`spare(rule, call)` returns [(label, changed call)] for rules with a single clause.
"""

import re

import numpy as np

from .bad import DTYPE_ORDER, expand, limits, short, spell, value_of


def spare(rule, call):
    """Returns valid variations for a rule with a single clause: [(label, call)]."""
    if len(rule.clauses) != 1 or rule.clauses[0].every:
        return []
    clause, pairs = rule.clauses[0], []
    for subject in clause.subjects:
        for text in _good(subject, clause, call):
            variant = call.put(subject.name, text)
            if variant is not None:
                pairs.append((f"{subject.name}={short(text)}", variant))
    return pairs


def _good(subject, clause, call):
    name, facets = subject.name, subject.facets
    if facets == ("dtype",) and clause.test == "not" and isinstance(call.value(name), np.ndarray):
        return (
            [
                f"cast({call.get(name)}, '{d}')"
                for d in sorted(expand(clause.operands) & set(DTYPE_ORDER))
            ][:3]
            if call.get(name)
            else []
        )
    if facets or isinstance(call.value(name), (tuple, list, np.ndarray)):
        return []
    kind = call.number_kind(name)
    if clause.test == "outside":
        bounds = limits(clause.operands[0], call)
        if bounds is None or abs(bounds[0]) == float("inf") or abs(bounds[2]) == float("inf"):
            return []
        ends = [
            spell(n, kind)
            for n, included in ((bounds[0], bounds[1]), (bounds[2], bounds[3]))
            if included
        ]
        middle = (bounds[0] + bounds[2]) / 2
        return ends + ([spell(middle, kind)] if kind == "float" or middle.is_integer() else [])
    if clause.test in ("<", "<=", ">", ">="):
        bound = value_of(clause.operands[0], call)
        if bound is None or abs(bound) == float("inf"):
            return []
        step = 1 if kind == "int" else 0.5
        return [
            spell(
                {"<": bound, "<=": bound + step, ">": bound, ">=": bound - step}[clause.test], kind
            )
        ]
    if clause.test == "not in":
        return [o for o in clause.operands if re.fullmatch(r"'[^']*'|-?[\d.]+|True|False|None", o)][
            :4
        ]
    return []
