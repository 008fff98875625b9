"""Proposes other values for one argument of a call, from its type, its default, and the numbers and
words on its page. Real MindSpore decides later which of them are valid."""

import re

import numpy as np

from ..calls.bad import limits, spell, value_of
from ..reading import specs
from .bases import wave_text

_DTYPES = ("float16", "float32", "float64", "int32", "int64", "bool", "int8", "uint8", "complex64")
# Words that arguments of these names take, whatever their page says.
_WORDS = {
    "reduction": ("'none'", "'mean'", "'sum'"),
    "mode": (
        "'constant'",
        "'reflect'",
        "'replicate'",
        "'edge'",
        "'symmetric'",
        "'circular'",
        "'bilinear'",
        "'nearest'",
        "'bicubic'",
        "'linear'",
        "'trilinear'",
        "'area'",
        "'full'",
        "'same'",
        "'valid'",
        "'min'",
        "'max'",
        "'fan_in'",
        "'fan_out'",
    ),
    "padding_mode": ("'zeros'", "'border'", "'reflection'"),
    "pad_mode": ("'same'", "'valid'", "'pad'"),
    "approximate": ("'none'", "'tanh'"),
    "rounding_mode": ("'floor'", "'trunc'"),
    "side": ("'left'", "'right'"),
    "order": ("'C'", "'F'", "'K'", "'A'"),
    "interpolation": ("'linear'", "'lower'", "'higher'", "'nearest'", "'midpoint'"),
    "norm": ("'backward'", "'ortho'", "'forward'"),
    "ord": ("'fro'", "'nuc'", "1", "2", "-1", "0", "ms.numpy.inf", "-inf", "inf"),
    "p": ("0.0", "1.0", "2.0", "3.0", "inf", "'fro'", "0.25"),
    "indexing": ("'ij'", "'xy'"),
    "distribution": ("'uniform'", "'normal'", "'truncatedNormal'", "'untruncatedNormal'"),
    "activation": ("'relu'", "'gelu'", "'tanh'", "'sigmoid'"),
    "nonlinearity": ("'tanh'", "'relu'", "'leaky_relu'", "'sigmoid'", "'linear'"),
    "kind": ("'quicksort'", "'stable'"),
    "data_format": ("'NCHW'", "'NHWC'"),
    "UPLO": ("'L'", "'U'"),
    "trans": ("0", "1", "2", "'N'", "'T'"),
}
_SHAPES = ("size", "shape", "output_size", "newshape", "dims")
_LITERAL = re.compile(r"'[^']*'|-?[\d.]+(?:e-?\d+)?|True|False|None")


def variations(argument, call, entry, home):
    """Returns [(label, text)] of other values for an argument, without its present value, the most
    likely to be valid first."""
    types = {re.split(r"[\[{]", t)[0] for t in call.types.get(argument, ())}
    text = _current(argument, call)
    value = call.value(argument)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiubc" and text.startswith(_TENSOR):
        return _of_tensor(text, value)
    texts = [in_module(t, home) for t in _stated(argument, call, entry)]
    texts += _WORDS.get(argument, ())
    texts += _of_value(value, types)
    if text and (text.startswith("mstype.") or "dtype" in types):
        texts += _dtypes()
    if argument.endswith("_init"):
        texts += ["'ones'", "'zeros'", "0.25"]
    if text in (None, "None"):
        texts += _for_none(argument, types, call)
    return [(f"{argument}={t}", t) for t in dict.fromkeys(map(str, texts)) if t != text]


def in_module(text, home):
    """Returns the text of an enumeration's member (`Inter.LINEAR`) with the module that contains
    it."""
    return f"ms.{home}.{text}" if re.match(r"[A-Z]\w+\.[A-Z]", text) else text


_TENSOR = ("T(", "cast(", "ms.Tensor(", "ms.Parameter(T(")


def _current(argument, call):
    """Returns the text of the passed value, or of the default."""
    return call.get(argument)


def _stated(argument, call, entry):
    """Returns the values on the page: choices, and the ends of a range."""
    yield from entry.get("choices", {}).get(argument, ())
    for item in entry.get("raises", ()):
        rule = specs.rule_of(item)
        if len(rule.clauses) != 1:
            continue
        yield from _of_clause(rule.clauses[0], argument, call)
    if argument in entry.get("ranges", {}):
        stated = {"ValueError": {argument: entry["ranges"][argument]}}
        yield from _of_clause(specs.rule_of(stated).clauses[0], argument, call)


def _of_clause(clause, argument, call):
    if not any(s.name == argument and not s.facets for s in clause.subjects):
        return
    kind = call.number_kind(argument)
    if clause.test == "not in":
        yield from (o for o in clause.operands if _LITERAL.fullmatch(o))
    elif clause.test == "outside":
        bounds = limits(clause.operands[0], call)
        if bounds and abs(bounds[0]) != float("inf") and abs(bounds[2]) != float("inf"):
            low, high = bounds[0], bounds[2]
            inside = (low, low + (high - low) * 0.3, low + (high - low) * 0.9, high)
            yield from (spell(n, kind) for n in inside if kind == "float" or n == int(n))
    elif clause.test in ("<", "<=", ">", ">="):
        bound = value_of(clause.operands[0], call)
        if bound is not None and abs(bound) != float("inf"):
            sign = 1 if clause.test.startswith("<") else -1
            yield from (spell(bound + sign * n, kind) for n in (0, 1, 2))


def _of_value(value, types):
    """Returns other values of the type of the passed value."""
    if isinstance(value, (bool, np.bool_)) or types == {"bool"}:
        return ["True", "False"]
    if isinstance(value, (int, np.integer)):
        near = [value + 1, value - 1, 0, 1, 2, 3, -1, -2, value * 2]
        plain = [str(n) for n in near]
        return plain + (["0.5", "1.5"] if types & {"float", "Number", "number"} else [])
    if isinstance(value, (float, np.floating)):
        near = [value * 0.5, value * 2, value + 0.25, 0.3, 0.7, 0.0, 1.0, -0.5, 2.0, 0.01]
        return [repr(float(f"{n:.6g}")) for n in near if np.isfinite(n)]
    if isinstance(value, (tuple, list)) and value:
        return _of_sequence(value)
    return []


def _of_sequence(value):
    make = (lambda v: repr(tuple(v))) if isinstance(value, tuple) else (lambda v: repr(list(v)))
    if not all(isinstance(v, (bool, int, float)) for v in value):
        plain = all(isinstance(v, (str, tuple, list)) for v in value)
        return [make(value[::-1])] if plain and len(value) > 1 else []
    texts = []
    if len(value) > 1:
        texts.append(make(value[::-1]))
    for index, item in enumerate(value):
        for step in (1, -1):
            new = (not item) if isinstance(item, bool) else item + step
            texts.append(make([*value[:index], new, *value[index + 1 :]]))
    if all(isinstance(v, int) for v in value):
        texts += [make([n] * len(value)) for n in (1, 2, 0)]
        texts += [str(value[0]), str(value[0] + 1), make(value[:1])]
    else:
        texts += [make([v * 0.5 for v in value])]
    return texts[:12]


def _for_none(argument, types, call):
    """Returns values for an argument that is not passed."""
    texts = []
    if "dtype" in argument or types & {"dtype", "mindspore"} or argument == "type":
        texts += _dtypes()
    shapes = [v for v in map(call.value, _tensors(call)) if isinstance(v, np.ndarray)]
    if types & {"Tensor", "Parameter", "array_like"} or argument in ("weight", "bias", "where"):
        texts += _fitting(shapes, argument)
    if argument.endswith("mask"):
        texts += _masks(shapes)
    if types & {"int", "Number", "number"} or argument in ("axis", "dim", "axes", "dims"):
        texts += ["0", "1", "-1", "2", "3"]
    if types & {"float", "Number", "number"}:
        texts += ["0.5", "1.5", "-0.2", "2.0"]
    if types & {"tuple", "list"}:
        texts += ["(0, 1)", "(0,)", "(1, 0)", "(2, 2)", "(1, 2)", "[0, 1]", "[1, 1]", "(2, 3)"]
    if types & {"bool"} or argument == "keepdims":
        texts += ["True", "False"]
    if argument == "seed":
        return []
    if argument == "generator":
        return ["ms.Generator()"]
    return texts or ["1", "2", "0.5", "True"]


def _fitting(shapes, argument):
    """Returns Tensors that may be combined with others: with the same shapes, or with one axis."""
    texts = []
    for first in shapes[:2]:
        wanted = [first.shape, first.shape[-1:], first.shape[1:2], first.shape[:1], ()]
        kind = "float32" if first.dtype.kind not in "iu" or argument == "weight" else "int32"
        for phase, shape in enumerate(dict.fromkeys(wanted), 5):
            texts.append(f"T('{kind}', spread({tuple(shape)}, 0.3, 1.6, {phase}))")
        if argument in ("where", "mask", "condition", "attn_mask", "key_padding_mask"):
            texts.append(f"T('bool', spread({tuple(first.shape)}, -0.5, 1.4, 3) > 0)")
    return texts


def _dtypes():
    return [f"ms.{d if d != 'bool' else 'bool_'}" for d in _DTYPES]


def _masks(shapes):
    """Returns attention masks: over pairs of positions, and over the positions of each row."""
    texts = []
    for first in (s for s in shapes if s.ndim > 1):
        long, rows = first.shape[:2]
        texts += [f"T('float32', spread(({n}, {n}), -3.0, 0.0, 5))" for n in {long, rows}]
        for shape in dict.fromkeys([(rows, long), (long, rows)]):
            texts.append(f"T('bool', spread({shape}, -0.5, 1.4, 3) > 0.9)")
    return texts


def _tensors(call):
    names = ["self"] if call.owner else []
    return names + [name for name, text in (call.call or {}).items() if text.startswith(_TENSOR)]


def _of_tensor(text, value):
    """Returns a Tensor with other numbers, shapes and dtypes."""
    if not text.startswith("T("):
        return []
    dtype, shape = text.split("'")[1], tuple(map(int, value.shape))
    pairs = [(f"as {d}", f"cast({text}, '{d}')") for d in _DTYPES if d != dtype]
    if value.dtype.kind == "f":
        pairs += [
            ("waves", wave_text(value, dtype, 4)),
            ("of both signs", f"T('{dtype}', spread({shape}, -1.7, 2.1, 9))"),
            ("large", f"T('{dtype}', spread({shape}, -30.0, 40.0, 2))"),
        ]
        if value.size:
            pairs += [
                (
                    "with nan",
                    f"T('{dtype}', np.r_[nan, inf, -inf, spread(({value.size},), "
                    f"-1.0, 2.0, 3)][:{value.size}].reshape({shape}))",
                )
            ]
    elif value.dtype.kind in "iu" and value.size > 1:
        pairs += [("reversed", f"T('{dtype}', array('{dtype}', {_data(text)})[..., ::-1])")]
        if value.dtype.kind == "i":
            pairs += [("below 0", f"T('{dtype}', -1 - array('{dtype}', {_data(text)}))")]
        low = int(value.min())
        pairs += [
            (
                "in turn",
                f"T('{dtype}', np.arange({value.size}).reshape({shape}) % "
                f"{int(value.max()) - low + 1} + {low})",
            )
        ]
    return pairs + shapes_of(text, value)


def shapes_of(text, value):
    """Returns [(label, text)] of a Tensor with other shapes."""
    dtype, shape = text.split("'")[1], tuple(map(int, value.shape))
    if value.dtype.kind == "f":
        return [(label, wave_text(value, dtype, 6, other)) for label, other in _other_shapes(shape)]
    if not (value.ndim and value.size):
        return []
    data = f"array('{dtype}', {_data(text)})"
    return [
        ("one row", f"T('{dtype}', {data}[:1])"),
        ("none", f"T('{dtype}', {data}[:0])"),
        ("batch", f"T('{dtype}', {data}[None])"),
    ]


def _other_shapes(shape):
    pairs = [("0-d", ()), ("one element", (1,) * max(1, len(shape)))]
    if shape:
        pairs += [
            ("empty", (0, *shape[1:])),
            ("one row", (1, *shape[1:])),
            ("batch", (2, *shape)),
            ("longer", (shape[0] + 1, *shape[1:])),
            ("wider", (*shape[:-1], shape[-1] + 2)),
        ]
    return [(label, other) for label, other in pairs if other != shape]


def _data(text):
    return text[text.index(",") + 2 : -1]


def arguments(call):
    """Returns the arguments of a call that can be changed: the object of a method, the passed
    arguments, and those that may be passed."""
    names = ["self"] if call.owner and call.owner.startswith(_TENSOR) else []
    for part, known in ((call.init, call.init_names), (call.call, call.call_names)):
        if part is not None:
            names += [*part, *(n for n in known if n not in part)]
    return list(dict.fromkeys(names))


def deeper(call):
    """Returns the call with two more axes, and small numbers, in each float Tensor; None if it has
    none. An axis, a tolerance or a scale may show only there."""
    variant = call
    for phase, argument in enumerate(arguments(call), 1):
        value, text = call.value(argument), call.get(argument) or ""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and text.startswith("T("):
            shape = (2, 3, *value.shape[-1:]) if value.ndim < 3 else (2, *value.shape)
            other = f"T('{value.dtype}', spread({shape}, -1.0, 2.0, {phase}))"
            variant = variant.put(argument, other) or variant
    return None if variant is call else variant


def floated(call):
    """Returns the call with floats for the integers of its first Tensors; None if it has none."""
    variant = call
    for phase, argument in enumerate(arguments(call)[:2], 1):
        value, text = call.value(argument), call.get(argument) or ""
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and text.startswith("T("):
            shape = tuple(map(int, value.shape))
            variant = (
                variant.put(argument, f"T('float32', spread({shape}, 0.3, 2.0, {phase}))")
                or variant
            )
    return None if variant is call else variant


def larger(call):
    """Returns the call with larger shapes, so that it draws enough random numbers to compare their
    moments; None if it has no shape to enlarge."""
    variant = call
    for argument in arguments(call):
        value = call.value(argument)
        if argument in _SHAPES and isinstance(value, (tuple, list)):
            variant = variant.put(argument, "(24, 30)") or variant
        elif isinstance(value, np.ndarray) and value.ndim == 1 and argument in _SHAPES:
            variant = variant.put(argument, "T('int32', [24, 30])") or variant
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 1:
            shape = (*value.shape[:-2], 24, 30) if value.ndim > 1 else (720,)
            variant = variant.put(argument, wave_text(value, str(value.dtype), 1, shape)) or variant
    return None if variant is call else variant
