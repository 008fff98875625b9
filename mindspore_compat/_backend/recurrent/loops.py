"""Source texts of the recurrent loops that Numba compiles, and the functions that they call.

A loop takes the rows `first` to `last` of a batch, ROWS at a time, through all steps: their states
and gates stay in the cache, and no row waits for others. The computation of a step is a short text
for one row; its expressions come from formulas.py, run on Terms. `forward_text` and `backward_text`
generate the loop around it. Names in these texts:

    gates[t, row]   what the input adds to the gates, (steps, batch, width)
    activated       the `gates` of a backward loop, (steps, batch, 4 * units): the gates of an LSTM
                    after their activations; those of a GRU, and the candidate's recurrent part
    states          the state of each row, (batch, units); the loop updates it
    sums            the gates of ROWS rows, or the candidate's recurrent part
    w, v            a weight packed by `lay_out`

Arrays have one axis. A loop over `units` uses few arrays, because LLVM checks all of them for
overlap before it vectorizes.
"""

from collections.abc import Callable
from typing import NamedTuple

from ..compiled.expressions import Term
from ..compiled.library import Library
from ..compiled.tiles import LANES, VECTORS, panel_tile, pointer, transpose_square
from ..threads.parallel_loops import FLOAT, array, memory, number, piece
from . import formulas


def whole_vectors(width):
    """Returns the length of a row rounded up to whole vectors."""
    return (width + LANES - 1) // LANES * LANES


def lay_out(
    x: array(FLOAT),
    transposed: number(),
    count: number(),
    width: number(),
    out: array(FLOAT),
    first: piece(0),
    last: piece(1),
):
    """Packs a weight (count, width) for `multiply`: panel by panel, padded by zeros.

    Args:
        x, transposed: the weight, and 1 if it is stored as (width, count), else 0.
        count, width: its shape.
        out: the result, of `count` rows of `whole_vectors(width)`.
        first, last: the columns to write, from the first one of a panel; one has VECTORS vectors.
    """
    padded, whole = whole_vectors(width), VECTORS * LANES
    for start in range(first, last, whole):
        size = min(whole, padded - start)
        used = min(size, width - start)
        target = pointer(out, start * count)
        if used < size:
            for k in range(count):
                for j in range(used, size):
                    target[k * size + j] = 0
        if transposed:
            squares = used // LANES if count % LANES == 0 else 0
            for square in range(squares):
                column = square * LANES
                at = (start + column) * count
                for k in range(0, count, LANES):
                    transpose_square(x, at + k, count, target, k * size + column, size)
            for j in range(squares * LANES, used):
                row = pointer(x, (start + j) * count)
                for k in range(count):
                    target[k * size + j] = row[k]
        else:
            for k in range(count):
                row, to = pointer(x, k * width + start), pointer(target, k * size)
                for j in range(used):
                    to[j] = row[j]


def fill(x, at, rows, count, out, width):
    """Copies `rows` rows of `count` elements, from `at` on, to rows of `width` elements; the rest
    of a row stays."""
    for i in range(rows):
        row = pointer(x, at + i * count)
        target = pointer(out, i * width)
        for k in range(count):
            target[k] = row[k]


def multiply(rows, a, at, w, count, width, add, out):
    """Multiplies `rows` rows of `count` elements, in `a` from `at` on, by a packed weight. Writes
    the product, (rows, width), to `out`, or adds it if `add` is 1."""
    whole = VECTORS * LANES
    for start in range(0, width, whole):
        size = min(whole, width - start)
        panel_tile(
            rows, size // LANES, a, at, count, 1, w, start * count, count, add, out, start, width
        )


LIBRARY = Library(whole_vectors, fill, multiply)


def _at_j(name):
    return Term(f"{name}[j]")


_FORWARD = """def {name}({arrays}, steps, batch, units, reverse, first, last):
    width = units * {parts}
    padded = whole_vectors(width)
    for row in range(first, last, ROWS):
        rows = min(ROWS, last - row)
        for step in range(steps):
            t = steps - 1 - step if reverse else step
{begin}
            multiply(rows, states, row * units, w, units, padded, 1, sums)
            for i in range(rows):
                at = t * batch + row + i
                mine = (row + i) * units
                s = pointer(sums, i * padded)
                h = pointer(states, mine)
                out = pointer(outputs, at * units)
{body}
"""
_BACKWARD = """def {name}({arrays}, steps, batch, units, reverse, first, last):
    width = units * {parts}
    padded, padded_units = whole_vectors(width), whole_vectors(units)
    for row in range(first, last, ROWS):
        rows = min(ROWS, last - row)
{before}
        for step in range(steps):
            t = step if reverse else steps - 1 - step
            for i in range(rows):
                at = t * batch + row + i
                mine = (row + i) * units
                flow = pointer(states, mine)
                given = pointer(grad_out, at * units)
                g = pointer(grads, at * width)
                d = pointer(into, 0)
{body}
            now = (t * batch + row) * width
            multiply(rows, {carried}, now, v, width, padded_units, 0, sums)
            for i in range(rows):
                flow = pointer(states, (row + i) * units)
                s = pointer(sums, i * padded_units)
                for j in range(units):
                    flow[j] = {flow}s[j]
"""
_ADD_GATES = "fill(gates, (t * batch + row) * width, rows, width, sums, padded)"
_ADD_BIAS = """for i in range(rows):
    fill(bias, 0, 1, width, pointer(sums, i * padded), padded)"""
_KEEP = "fill(s, 0, 1, width, pointer(activated, at * width), width)"

_OUT_PLAIN = """for j in range(units):
    h[j] = out[j]"""
_MASK = Term("m")
_OUT_MASKED = f"""m = mask[at]
for j in range(units):
    h[j] = {formulas.masked(_at_j("out"), _at_j("h"), _MASK)}
for j in range(units):
    out[j] = out[j] * m"""
_INTO = {
    False: """for j in range(units):
    d[j] = given[j] + flow[j]""",
    True: """m = mask[at]
for j in range(units):
    d[j] = (given[j] + flow[j]) * m
for j in range(units):
    flow[j] = flow[j] * (single(1) - m)""",
}

_RNN = {
    "tanh": "tanh(s[j])",
    "relu": "(s[j] if (s[j] > single(0)) | (s[j] != s[j]) else single(0))",
}
_RNN_SLOPES = {
    "tanh": formulas.through_tanh(_at_j("d"), _at_j("y")),
    "relu": "(d[j] if y[j] > single(0) else single(0))",
}
_RNN_BACK = """y = pointer(before, at * units)
for j in range(units):
    g[j] = {}"""
_I, _F, _N, _O = map(_at_j, ("let_in", "keep", "candidate", "last_gate"))
_PARTS_OF_LSTM = """let_in, keep = pointer(s, 0), pointer(s, units)
candidate, last_gate = pointer(s, 2 * units), pointer(s, 3 * units)"""
_LSTM = f"""{_PARTS_OF_LSTM}
for j in range(2 * units):
    s[j] = sigmoid(s[j])
for j in range(units):
    candidate[j] = tanh(candidate[j])
for j in range(units):
    last_gate[j] = sigmoid(last_gate[j])
c = pointer(cells, mine)
for j in range(units):
    c[j] = {{cell}}
for j in range(units):
    out[j] = last_gate[j] * tanh(c[j])"""
_LSTM_CELL = formulas.lstm_cell(_I, _F, _N, _at_j("c"))
_LSTM_CELLS = f"""for step in range(steps):
    t = steps - 1 - step if reverse else step
    for i in range(rows):
        at = t * batch + row + i
        s = pointer(gates, at * width)
        let_in, keep, candidate = pointer(s, 0), pointer(s, units), pointer(s, 2 * units)
        start = (step * ROWS + i) * units
        c, b = pointer(old, start), pointer(bent, start)
        new = pointer(old, start + ROWS * units)
        if step == 0:
            fill(first_cells, (row + i) * units, 1, units, c, units)
        for j in range(units):
            new[j] = {_LSTM_CELL}
        for j in range(units):
            b[j] = tanh(new[j])
{{masked}}"""
_TO_I, _TO_F, _TO_N, _TO_O = formulas.lstm_into_gates(
    _I, _N, _at_j("c"), _at_j("b"), _at_j("d"), _at_j("e")
)
_LSTM_BACK = f"""s = pointer(gates, at * width)
{_PARTS_OF_LSTM}
cf = pointer(cells, mine)
start = ((steps - 1 - step) * ROWS + i) * units
c, b, e = pointer(old, start), pointer(bent, start), pointer(into, units)
for j in range(units):
    e[j] = {formulas.lstm_into_cell(_O, _at_j("b"), _at_j("d"), Term("{through}"))}
for j in range(units):
    cf[j] = {{cell_flow}}
to_keep, to_candidate, to_last = pointer(g, units), pointer(g, 2 * units), pointer(g, 3 * units)
for j in range(units):
    g[j] = {formulas.through_sigmoid(_TO_I, _I)}
for j in range(units):
    to_keep[j] = {formulas.through_sigmoid(_TO_F, _F)}
for j in range(units):
    to_candidate[j] = {formulas.through_tanh(_TO_N, _N)}
for j in range(units):
    to_last[j] = {formulas.through_sigmoid(_TO_O, _O)}"""
_GRU = f"""x = pointer(gates, at * width)
for j in range(2 * units):
    s[j] = sigmoid(s[j] + x[j])
r, z, inner, x = pointer(s, 0), pointer(s, units), pointer(s, 2 * units), pointer(x, 2 * units)
{{keep_inner}}for j in range(units):
    inner[j] = tanh({formulas.gru_candidate(_at_j("x"), _at_j("r"), _at_j("inner"))})
{{keep}}for j in range(units):
    out[j] = {formulas.gru_update(_at_j("z"), _at_j("inner"), _at_j("h"))}"""
_KEEP_INNER = """fill(inner, 0, 1, units, pointer(activated, (4 * at + 3) * units), units)
"""
_KEEP_GRU = """fill(s, 0, 1, width, pointer(activated, 4 * at * units), width)
"""
_KEEP_INNER_MASKED = """saved = pointer(activated, (4 * at + 3) * units)
for j in range(units):
    saved[j] = m * inner[j]
"""
_KEEP_GRU_MASKED = """saved = pointer(activated, 4 * at * units)
for j in range(width):
    saved[j] = m * s[j]
"""
_TO_Z, _TO_N_OF_GRU = formulas.gru_into_gates(_at_j("z"), _at_j("n"), _at_j("h"), _at_j("d"))
_GRU_BACK = f"""s = pointer(gates, 4 * at * units)
r, z = pointer(s, 0), pointer(s, units)
n, inner = pointer(s, 2 * units), pointer(s, 3 * units)
e = pointer(into, units)
h = pointer(before, at * units)
for j in range(units):
    e[j] = {formulas.through_tanh(_TO_N_OF_GRU, _at_j("n"))}
to_r, to_z, to_n = pointer(g, 0), pointer(g, units), pointer(g, 2 * units)
a = pointer(carried, at * width)
for j in range(units):
    to_r[j] = {formulas.through_sigmoid(_at_j("e") * _at_j("inner"), _at_j("r"))}
for j in range(units):
    to_z[j] = {formulas.through_sigmoid(_TO_Z, _at_j("z"))}
for j in range(units):
    to_n[j] = e[j]
for j in range(2 * units):
    a[j] = g[j]
a = pointer(a, 2 * units)
for j in range(units):
    a[j] = e[j] * r[j]
for j in range(units):
    flow[j] = d[j] * z[j]{{stays}}"""

_PARTS = {"tanh": 1, "relu": 1, "lstm": 4, "gru": 3}


def forward_text(kind, has_mask, saves, name):
    """Returns the Python source of the forward loop over all steps.

    Args:
        kind (str): "tanh", "relu", "lstm" or "gru".
        has_mask (bool): whether steps are masked.
        saves (bool): whether the loop of "lstm" or "gru" writes the values that gradients need.
        name (str): the name of the function.
    """
    if kind == "lstm":
        cell = formulas.masked(_LSTM_CELL, _at_j("c"), _MASK if has_mask else None)
        body = _LSTM.format(cell=cell)
        body = "m = mask[at]\n" + body if has_mask else body
        body = body + "\n" + _KEEP if saves else body
    elif kind == "gru":
        keeps = (_KEEP_INNER_MASKED, _KEEP_GRU_MASKED) if has_mask else (_KEEP_INNER, _KEEP_GRU)
        keep_inner, keep = keeps if saves else ("", "")
        body = _GRU.format(keep_inner=keep_inner, keep=keep)
        body = "m = mask[at]\n" + body if has_mask else body
    else:
        body = f"for j in range(units):\n    out[j] = {_RNN[kind]}"
    body += "\n" + (_OUT_MASKED if has_mask else _OUT_PLAIN)
    return _FORWARD.format(
        name=name,
        arrays=", ".join(forward_arrays(kind, has_mask, saves)),
        parts=_PARTS[kind],
        begin=_in(_ADD_BIAS if kind == "gru" else _ADD_GATES, 3),
        body=_in(body, 4),
    )


def backward_text(kind, has_mask, name):
    """Returns the Python source of the backward loop over all steps; the arguments are those of
    `forward_text`."""
    before = ""
    if kind == "lstm":
        before, body = _lstm_cells(has_mask), _LSTM_BACK
    elif kind == "gru":
        body = _GRU_BACK
    else:
        body = _RNN_BACK.format(_RNN_SLOPES[kind])
    mask, cell_flow = (_MASK if has_mask else None), _at_j("cf")
    body = body.format(
        through=cell_flow * mask if has_mask else cell_flow,
        cell_flow=formulas.masked_flow(_at_j("e") * _F, cell_flow, mask),
        stays=" + flow[j]" if has_mask else "",
    )
    return _BACKWARD.format(
        name=name,
        arrays=", ".join(backward_arrays(kind, has_mask)),
        parts=_PARTS[kind],
        before=before,
        body=_in(_INTO[has_mask] + "\n" + body, 4),
        carried="carried" if kind == "gru" else "grads",
        flow="flow[j] + " if has_mask or kind == "gru" else "",
    )


def _lstm_cells(has_mask):
    """Returns the source that computes the cells of an LSTM before and after each step."""
    masked = "for j in range(units):\n    new[j] = "
    masked += f"{formulas.masked(_at_j('new'), _at_j('c'), _MASK)}"
    text = _LSTM_CELLS.format(masked=_in("m = mask[at]\n" + masked, 2) if has_mask else "")
    return _in(text, 2)


def _in(text, depth):
    return "\n".join("    " * depth + line for line in text.splitlines())


def forward_arrays(kind, has_mask, saves):
    """Returns the array parameters of the loop that `forward_text` returns: a dict from names to
    their Parameters, in order."""
    of_kind = {"lstm": {"cells": array(FLOAT)}, "gru": {"bias": array(FLOAT)}}.get(kind, {})
    return {
        "states": array(FLOAT),
        "gates": array(FLOAT),
        "outputs": array(FLOAT),
        "w": array(FLOAT),
        **of_kind,
        **({"activated": array(FLOAT)} if saves else {}),
        **({"mask": array(FLOAT)} if has_mask else {}),
        "sums": memory(FLOAT),
    }


def backward_arrays(kind, has_mask):
    """Returns the arrays of a loop that `backward_text` gives, by name, in their order."""
    of_kind = {
        "lstm": {
            "gates": array(FLOAT),
            "first_cells": array(FLOAT),
            "cells": array(FLOAT),
            "old": memory(FLOAT),
            "bent": memory(FLOAT),
        },
        "gru": {"gates": array(FLOAT), "carried": array(FLOAT)},
    }.get(kind, {})
    return {
        "states": array(FLOAT),
        "before": array(FLOAT),
        "grad_out": array(FLOAT),
        "v": array(FLOAT),
        "grads": array(FLOAT),
        "into": memory(FLOAT),
        **of_kind,
        **({"mask": array(FLOAT)} if has_mask else {}),
        "sums": memory(FLOAT),
    }


class Direction(NamedTuple):
    """The loops of one direction: functions of the kind and the options."""

    text: Callable  # its last argument is the name of the loop
    arrays: Callable


FORWARD = Direction(forward_text, forward_arrays)
BACKWARD = Direction(backward_text, backward_arrays)
