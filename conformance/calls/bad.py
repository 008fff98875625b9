"""Makes invalid calls that break a documented rule.

`offend(rule, call)` changes one argument of a valid call so that the rule's clauses hold. It
returns [(label, changed call)]; an empty list means that no such call is known. `good.py` does the
opposite.
"""

import operator
import re

import numpy as np

from ..sentences.rules import outer_split
from ..sentences.typenames import is_dtype

_SIZES = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

# One literal of each type, in the order in which they are tried as invalid arguments.
_LITERALS = [
    ("str", "'wrong'"),
    ("float", "0.5"),
    ("int", "1"),
    ("bool", "True"),
    ("list", "[1, 2]"),
    ("dict", "{}"),
    ("object", "sample.thing()"),
]
_ACCEPTED_AS = {
    "Number": ("int", "float", "bool"),
    "real": ("int", "float"),
    "complex": ("complex",),
    "sequence": ("list", "tuple", "str"),
    "Iterable": ("list", "tuple", "str", "dict"),
    "array_like": ("int", "float", "bool", "list", "tuple"),
    "callable": (),
    "list": ("list",),
    "tuple": ("tuple",),
    "dict": ("dict",),
    "str": ("str",),
    "int": ("int",),
    "float": ("float",),
    "bool": ("bool",),
    "object": ("object", "str", "int", "float", "bool", "list", "dict"),
    "set": ("set",),
    "None": ("None",),
}
DTYPE_ORDER = ["int32", "float32", "bool", "float64", "complex64", "uint8", "int64", "float16"]
_ABSTRACT = {
    "float": {"float16", "float32", "float64", "bfloat16"},
    "int": {"int8", "int16", "int32", "int64"},
    "unsigned": {"uint8", "uint16", "uint32", "uint64"},
    "Number": {
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "complex64",
        "complex128",
    },
    "complex": {"complex64", "complex128"},
    "real": {"int8", "int16", "int32", "int64", "float16", "float32", "float64"},
    "half": {"float16"},
    "double": {"float64"},
}


def offend(rule, call):
    """Returns [(label, call)] for a rule whose clauses must all hold; wrong types first, then wrong
    values."""
    first, *others = sorted(rule.clauses, key=lambda clause: clause.test != "is")
    variants = _offend(first, call)
    for clause in others:
        joined = []
        for label, variant in variants:
            more = _offend(clause, variant)[:1]
            joined += [(f"{label},{other}", both) for other, both in more]
        variants = joined
    return variants


def _offend(clause, call):
    if clause.every:
        variant, labels = call, []
        for subject in clause.subjects:
            pairs = _one(subject, clause, variant)
            if not pairs:
                return []
            labels.append(pairs[0][0])
            variant = pairs[0][1]
        return [(",".join(labels), variant)]
    pairs = []
    if clause.test in ("differ", "not broadcastable", "same"):
        return _among(clause, call)
    for subject in clause.subjects:
        pairs += _one(subject, clause, call)
    return pairs


_TENSORS = ("T(", "cast(", "ranked(", "grown(")


def _one(subject, clause, call):
    """Returns the invalid calls for one subject."""
    name = subject.name
    if name == "*":
        name = _first_tensor(call)
        if name is None:
            return []
    make = _BY_TEST.get(clause.test)
    if make is None:
        return []
    texts = make(name, subject.facets, clause, call)
    pairs = []
    for text in texts:
        variant = call.put(name, text)
        if variant is None or (variant.owner != call.owner and not text.startswith(_TENSORS)):
            continue  # no such argument, or a method of a non-Tensor
        pairs.append((f"{name}={short(text)}", variant))
    return pairs


def _first_tensor(call):
    for part in (call.call, call.init):
        for name, text in (part or {}).items():
            if text.startswith("T("):
                return name
    return "self" if call.owner else None


def short(text):
    match = re.match(r"(T|cast|ranked|grown)\((.*)\)$", text)
    if match and match[1] == "T":
        return f"{match[2].split(',')[0][1:-1]}-Tensor"
    if match and match[1] in ("cast", "ranked"):
        return f"{match[1]}-{match[2].rsplit(', ', 1)[-1]}".replace("'", "")
    if match:
        return match[1]
    return text.replace("sample.thing()", "object()") if len(text) < 40 else text[:36] + "..."


def _wrong_types(name, facets, clause, call):
    allowed = clause.operands
    if facets[:1] == ("dtype",):
        return _wrong_dtypes(name, facets, allowed, call)
    if facets == ("each",):
        return _each(name, call, [t for _, t in _offending_literals(allowed)][:2])
    if facets:
        return []
    if all(is_dtype(t) for t in allowed) and "bool" not in allowed and "string" not in allowed:
        return _wrong_dtypes(name, ("dtype",), allowed, call)
    if "dtype" in allowed or "numpy.dtype" in allowed:
        return ["1.5"]
    texts = [t for _, t in _offending_literals(allowed)]
    return texts[:3]


def _offending_literals(allowed):
    outer = {re.split(r"[\[{]", t)[0] for t in allowed}
    accepted = set()
    for kind in outer:
        accepted |= set(_ACCEPTED_AS.get(kind, ()))
    pairs = [
        (kind, text)
        for kind, text in _LITERALS
        if kind not in accepted and not (kind == "int" and "bool" in accepted and "int" in outer)
    ]
    if "Tensor" in outer or "Parameter" in outer or "Cell" in outer:
        pairs = [f for f in pairs if f[0] not in ("object",)]
    inner = [re.search(r"^(tuple|list|sequence)\[(.*)\]$", t) for t in allowed]
    for match in filter(None, inner):
        if match[2] in ("int", "float", "bool", "Tensor"):
            wrong = "'a'"
            pairs.append(("inner", f"({wrong},)" if match[1] != "list" else f"[{wrong}]"))
    return pairs


def expand(allowed):
    """Returns the element types in a list of types and families of types."""
    dtypes = set()
    for name in allowed:
        dtypes |= _ABSTRACT.get(name, {name})
    return dtypes


def _wrong_dtypes(name, facets, allowed, call):
    text = call.get(name)
    value = call.value(name)
    if facets == ("dtype", "each") or not isinstance(value, np.ndarray):
        if "T(" in (text or "") and (text or "").startswith(("(", "[")):
            return [_recast(text, d) for d in _others(allowed)[:1]]
        if not isinstance(value, np.ndarray):
            return (
                [t for k, t in _offending_literals(allowed)][:2]
                if set(allowed) <= {"float", "int", "bool", "str"}
                else []
            )
    return [f"cast({text}, '{d}')" for d in _others(allowed)[:2]]


def _others(allowed):
    accepted = expand(allowed)
    return [d for d in DTYPE_ORDER if d not in accepted]


def _recast(text, dtype):
    return re.sub(r"T\('\w+'", f"T('{dtype}'", text)


def _each(name, call, replacements):
    value, text = call.value(name), call.get(name) or ""
    texts = []
    for new in replacements:
        if text.startswith(("(", "[")) and isinstance(value, (tuple, list)):
            parts = [p.strip() for p in outer_split(text[1:-1]) if p.strip()]
            if parts:
                parts[0] = new
            joined = ", ".join(parts)
            texts.append(
                f"[{joined}]" if text[0] == "[" else f"({joined}{',' if len(parts) == 1 else ''})"
            )
        elif isinstance(value, np.ndarray) and value.size and re.fullmatch(r"-?[\d.]+", new):
            texts.append(f"T('{value.dtype.name}', fill({new}, {value.shape}))")
        elif isinstance(value, (int, float)) and re.fullmatch(r"-?[\d.e-]+", new):
            texts.append(new)
    return texts


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def spell(number, kind):
    if kind == "float":
        return repr(float(number))
    return repr(int(number)) if float(number).is_integer() else repr(float(number))


def value_of(text, call):
    """Returns the number that an operand means in this call: a number, or an expression of
    arguments."""
    number = _number(text)
    if number is not None:
        return number
    scope = {"inf": float("inf")}
    for name in set(re.findall(r"[A-Za-z_]\w*", text)):
        value = call.value(name)
        if isinstance(value, (int, float, np.ndarray, tuple, list)):
            scope[name] = value
    tensor = call.value(_first_tensor(call) or "")
    if isinstance(tensor, np.ndarray):
        for word in ("ndim", "rank", "r", "R", "N", "D"):
            scope.setdefault(word, tensor.ndim)
    try:
        evaluated = eval(
            text,
            {"__builtins__": {"len": len, "max": max, "min": min, "abs": abs}},
            {**scope, "rank": _rank, "size": _size, "dim": _rank},
        )  # noqa: S307
    except Exception:  # an expression in words
        return None
    return float(evaluated) if isinstance(evaluated, (int, float, np.integer)) else None


def _rank(value):
    return np.ndim(value)


def _size(value):
    return np.size(value)


def _offsets(test, bound, kind):
    """Returns numbers for which `number test bound` holds, nearest first."""
    step = 1 if kind == "int" else (0.5 if abs(bound) < 1 else 1.0)
    return {
        "<": [bound - step],
        "<=": [bound, bound - step],
        ">": [bound + step],
        ">=": [bound, bound + step],
        "==": [bound],
        "!=": [bound + step],
    }[test]


def _compared(name, facets, clause, call):
    literal = clause.operands[0]
    if facets in ((), ("each",), ("type",)):
        if clause.test in ("!=", "==") and re.fullmatch(r"'.*'|None|True|False|\(.*\)", literal):
            return [_unlike(literal, call.defaults.get(name)) if clause.test == "!=" else literal]
        bound = value_of(literal, call)
        if bound is None or abs(bound) == float("inf"):
            return []
        kind = call.number_kind(name)
        texts = [spell(n, kind) for n in _offsets(clause.test, bound, kind)]
        if facets == ("each",) or isinstance(call.value(name), (tuple, list)):
            return _each(name, call, texts)
        if isinstance(call.value(name), np.ndarray):
            return _each(name, call, texts[:1])
        return texts
    if facets == ("rank",):
        return _of_rank(name, clause, call)
    if facets == ("len",) or facets == ("size",):
        return _of_length(name, clause, call)
    return []


def _unlike(literal, default):
    """Returns other values of the same kind: the other bool, the parameter's default, other
    numbers."""
    if literal in ("True", "False"):
        return "False" if literal == "True" else "True"
    if literal.startswith("("):
        return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), literal)
    return default if default not in (None, literal, "None") else _other_choice([literal])


def _of_rank(name, clause, call):
    text, value = call.get(name), call.value(name)
    bound = value_of(clause.operands[0], call)
    if not isinstance(value, np.ndarray) or bound is None:
        return []
    wanted = [int(n) for n in _offsets(clause.test, bound, "int") if n >= 0][:1]
    if clause.test == "!=" and bound > 0 and value.ndim == bound:
        wanted = [int(bound) + 1, int(bound) - 1]
    return [f"ranked({text}, {rank})" for rank in wanted if rank >= 0 and rank <= 8]


def _of_length(name, clause, call):
    bound = value_of(clause.operands[0], call)
    value, text = call.value(name), call.get(name) or ""
    if bound is None:
        return []
    wanted = [int(n) for n in _offsets(clause.test, bound, "int") if n >= 0][:1]
    if isinstance(value, (tuple, list)):
        parts = [p.strip() for p in outer_split(text[1:-1]) if p.strip()] or ["1"]
        return [_sequence((parts * (n + 1))[:n], isinstance(value, list)) for n in wanted]
    types = [t.split("[")[0] for t in call.types.get(name, [])]
    if "tuple" in types or "list" in types:
        item = text if re.fullmatch(r"-?[\d.]+", text) else "1"
        return [_sequence([item] * n, "tuple" not in types) for n in wanted]
    return []


def _sequence(parts, is_list):
    inner = ", ".join(parts)
    return f"[{inner}]" if is_list else f"({inner}{',' if len(parts) == 1 else ''})"


def holds(clause, call):
    """Returns whether the clause, which concerns the size of one number, is true of this call."""
    value, operand = call.value(clause.subjects[0].name), clause.operands[0]
    if clause.test == "outside":
        low, low_in, high, high_in = limits(operand, call) or (value, True, value, True)
        above = value >= low if low_in else value > low
        return not (above and (value <= high if high_in else value < high))
    bound = value_of(operand, call)
    return bound is not None and _SIZES[clause.test](value, bound)


def speaks_of_size(clause, call):
    """Returns whether the clause concerns the size of an argument that is a number in this call."""
    if len(clause.subjects) > 1 or clause.test not in (*_SIZES, "outside"):
        return False
    subject = clause.subjects[0]
    return not subject.facets and isinstance(call.value(subject.name), (int, float))


def limits(text, call):
    """Returns (low, low is included, high, high is included) of "[0, 1)"; None for unknown
    bounds."""
    match = re.fullmatch(r"([\[(])(.+),\s*([^,]+)([\])])", text)
    if not match:
        return None
    low, high = value_of(match[2].strip(), call), value_of(match[3].strip(), call)
    return None if low is None or high is None else (low, match[1] == "[", high, match[4] == "]")


def _outside(name, facets, clause, call):
    bounds = limits(clause.operands[0], call)
    if bounds is None or facets not in ((), ("each",), ("rank",)):
        return []
    low, low_in, high, high_in = bounds
    if facets == ("rank",):
        text = call.get(name)
        return (
            [f"ranked({text}, {int(n)})" for n in (low - low_in, high + high_in) if 0 <= n <= 8]
            if isinstance(call.value(name), np.ndarray)
            else []
        )
    kind = call.number_kind(name)
    step = 1 if kind == "int" else max(0.1, 0.1 * abs(high - low) if high < float("inf") else 1.0)
    numbers = ([] if low == -float("inf") else [low if not low_in else low - step]) + (
        [] if high == float("inf") else [high if not high_in else high + step]
    )
    texts = [spell(n, kind) for n in numbers]
    if facets == ("each",) or isinstance(call.value(name), (tuple, list, np.ndarray)):
        return _each(name, call, texts)
    return texts


def _inside(name, facets, clause, call):
    bounds = limits(clause.operands[0], call)
    if bounds is None or facets:
        return []
    return [spell((bounds[0] + bounds[2]) / 2, call.number_kind(name))]


def _other_choice(choices):
    if any(c.startswith("'") for c in choices):
        return "'wrong'"
    numbers = [_number(c) for c in choices if _number(c) is not None]
    return repr(int(max(numbers)) + 1) if numbers else "'wrong'"


def _not_chosen(name, facets, clause, call):
    if facets == ("rank",):
        accepted = {int(float(o)) for o in clause.operands if _number(o) is not None}
        text = call.get(name)
        return (
            [
                f"ranked({text}, {n})"
                for n in [max(accepted) + 1, min(accepted) - 1]
                if 0 <= n <= 8 and n not in accepted
            ]
            if isinstance(call.value(name), np.ndarray)
            else []
        )
    if facets == ("len",):
        accepted = {int(float(o)) for o in clause.operands if _number(o) is not None}
        fake = type(clause)(clause.subjects, "==", (str(max(accepted) + 1),))
        return _of_length(name, fake, call)
    if facets == ("each",):
        return _each(name, call, [_other_choice(clause.operands)])
    return [] if facets else [_other_choice(clause.operands)]


def _chosen(name, facets, clause, call):
    return [] if facets or name == "platform" else [clause.operands[0]]


def _is_type(name, facets, clause, call):
    """Returns the argument as source text, changed to a type that the clause names. Such a clause
    is the condition under which another clause applies."""
    if facets:
        return []
    if name == "*":
        name = _first_tensor(call)
    text, value = call.get(name) or "", call.value(name)
    kinds = {re.split(r"[\[{]", t)[0] for t in clause.operands}
    if type(value).__name__ in kinds or (isinstance(value, np.ndarray) and "Tensor" in kinds):
        return [text]
    if isinstance(value, np.ndarray) and all(is_dtype(k) or k in ("int", "float") for k in kinds):
        accepted = expand(kinds)
        return [
            text if value.dtype.name in accepted else f"cast({text}, '{d}')"
            for d in DTYPE_ORDER
            if d in accepted
        ][:1]
    if kinds == {"Tensor"} and isinstance(value, (tuple, list)) and value:
        dtype = "int64" if all(isinstance(v, int) for v in value) else "float32"
        return [f"T('{dtype}', {list(value)})"]
    if kinds == {"Tensor"} and type(value) in (int, float):  # of one element, so it broadcasts
        return [f"T('{'int64' if type(value) is int else 'float32'}', [{value}])"]
    samples = {
        "tuple": "(1, 1)",
        "list": "[1, 1]",
        "int": "1",
        "float": "0.5",
        "str": "'a'",
        "bool": "True",
        "Tensor": "T('float32', [1.0, 2.0])",
        "None": "None",
    }
    return [samples[k] for k in sorted(kinds) if k in samples][:1]


def _given(name, facets, clause, call):
    if facets:
        return []
    types = call.types.get(name, [])
    for kind, text in (("int", "1"), ("bool", "True"), ("float", "0.5"), ("str", "'a'")):
        if kind in types:
            return [text]
    return ["ms.dataset.SequentialSampler()"] if name == "sampler" else []


def _none(name, facets, clause, call):
    return [] if facets else ["None"]


def _empty(name, facets, clause, call):
    value = call.value(name)
    if facets or not isinstance(value, (tuple, list, str, dict)):
        return []
    return [repr(type(value)())]


def _repeats(name, facets, clause, call):
    value, text = call.value(name), call.get(name) or ""
    if not isinstance(value, (tuple, list)) or not value:
        return []
    part = outer_split(text[1:-1])[0].strip()
    return [_sequence([part] * max(2, len(value)), isinstance(value, list))]


def _missing(name, facets, clause, call):
    return [] if facets else ["'/does/not/exist'"]


def _not_divisible(name, facets, clause, call):
    bound = value_of(clause.operands[0], call)
    if bound is None or bound < 2 or facets:
        return (
            _of_length(name, type(clause)(clause.subjects, "==", (str(int(bound) + 1),)), call)
            if bound and bound >= 2 and facets == ("len",)
            else []
        )
    return [repr(int(bound) + 1)]


def _out_of_range(name, facets, clause, call):
    if facets:
        return []
    return (
        ["1000"] if isinstance(call.value(name), int) or "int" in call.types.get(name, []) else []
    )


def _ending(name, facets, clause, call):
    return [] if facets else ["'name.wrong'"]


_BY_TEST = {
    "not": _wrong_types,
    "is": _is_type,
    "<": _compared,
    "<=": _compared,
    ">": _compared,
    ">=": _compared,
    "==": _compared,
    "!=": _compared,
    "outside": _outside,
    "inside": _inside,
    "not in": _not_chosen,
    "in": _chosen,
    "given": _given,
    "none": _none,
    "empty": _empty,
    "repeats": _repeats,
    "missing": _missing,
    "not divisible by": _not_divisible,
    "out of range": _out_of_range,
    "not ending in": _ending,
}


def _among(clause, call):
    """Returns invalid calls in which the shapes or dtypes of several subjects no longer agree."""
    subjects = [s for s in clause.subjects if isinstance(call.value(s.name), np.ndarray)]
    if len(subjects) < 2 or len(subjects) < len(clause.subjects) - 1:
        return []
    name = subjects[-1].name
    facets, text, value = subjects[-1].facets, call.get(name), call.value(name)
    if clause.test == "same":
        return []
    if facets in (("dtype",), ("type",)):
        other = (
            "float16"
            if value.dtype.kind == "f" and value.dtype != np.float16
            else "int32"
            if value.dtype.kind in "iu" and value.dtype != np.int32
            else "float32"
        )
        texts = [f"cast({text}, '{other}')"]
    elif facets == ("rank",):
        texts = [f"ranked({text}, {value.ndim + 1})"]
    elif clause.test == "not broadcastable" and value.shape[-1:] in ((), (1,)):
        texts = [f"grown({text}, -1, 4)"]
    else:
        texts = [f"grown({text})"]
    pairs = [(f"{name}={short(t)}", call.put(name, t)) for t in texts]
    return [(label, variant) for label, variant in pairs if variant is not None]
