"""Runs Cells with either package on the same weights and inputs, to compare the results.

`run(ms, lines)` makes every layer or loss of a table (layer_cases.py, loss_cases.py) and returns
what it prints, the names of its parameters, its results and its gradients. MindSpore's
interpreter also runs this file as a script, with a table as JSON, and prints the results as JSON.
"""

import json
import re
import sys

import numpy as np


def split(lines):
    """Returns (name, constructor, inputs) of every line of a table."""
    lines = re.sub(r"\n +", " ", lines.strip()).splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines]


class Makers:
    """Returns the names that the lines of a table may use, for one package."""

    def __init__(self, ms):
        self.ms = ms
        self.count = 0

    def floats(self, *shape):
        """Floats between -1.3 and 1.3."""
        self.count += 1
        values = np.sin(np.arange(int(np.prod(shape))) * 1.7 + self.count) * 1.3
        return self.ms.Tensor(values.reshape(shape).astype(np.float32))

    def ints(self, bound, *shape):
        """int32 numbers in [0, bound)."""
        self.count += 1
        values = (np.arange(int(np.prod(shape))) * 7 + self.count) % bound
        return self.ms.Tensor(values.reshape(shape).astype(np.int32))

    def wide(self, bound, *shape):
        """int64 numbers in [0, bound)."""
        return self.ints(bound, *shape).astype(self.ms.int64)

    def shares(self, *shape):
        """Floats between 0 and 1."""
        return self.ms.ops.sigmoid(self.floats(*shape))

    def signs(self, *shape):
        """1 and -1, as floats."""
        return self.ms.ops.sign(self.floats(*shape))

    def lengths(self, *values):
        """These values, int32."""
        return self.ms.Tensor(np.array(values, np.int32))

    def flags(self, every, *shape):
        """Booleans that are True at each multiple of `every` except 0."""
        values = np.arange(1, int(np.prod(shape)) + 1) % every == 0
        return self.ms.Tensor(values.reshape(shape))

    def scope(self):
        """The names that lines may use."""
        return {
            "ms": self.ms,
            "nn": self.ms.nn,
            "ops": self.ms.ops,
            "np": np,
            "T": self.floats,
            "I": self.ints,
            "J": self.wide,
            "P": self.shares,
            "S": self.signs,
            "L": self.lengths,
            "B": self.flags,
        }


def fill(ms, cell):
    """Sets the parameters of a Cell to values that do not depend on the package."""
    for at, param in enumerate(cell.get_parameters()):
        values = np.cos(np.arange(param.size) * 0.7 + at) * 0.4
        if "variance" in param.name:
            values = values * 0 + 1.5
        param.set_data(ms.Tensor(values.reshape(param.shape).astype(np.float32)))


def digest(value):
    """A digest of each Tensor in a result: shape, sum, weighted sum and sum of magnitudes."""
    if isinstance(value, (tuple, list)):
        return [digest(each) for each in value]
    values = np.asarray(value.asnumpy(), np.float64)
    flat = values.ravel()
    sums = (flat.sum(), flat @ np.cos(np.arange(flat.size)), np.abs(flat).sum())
    return [list(values.shape), *(float(f"{each:.7g}") for each in sums)]


def close(one, other):
    """Whether two results of `run_case`, or parts of them, agree up to rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[k], other[k]) for k in one)
    if isinstance(one, list):
        if len(one) == 4 and isinstance(one[3], float) and isinstance(other, list):
            room = 3e-4 * max(one[3], other[3]) + 3e-5
            return one[0] == other[0] and all(
                abs(a - b) <= room for a, b in zip(one[1:], other[1:])
            )
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


def total(ms, value, at=0):
    """A weighted sum of everything in a result, for the gradient."""
    if isinstance(value, (tuple, list)):
        parts = [total(ms, each, at + i) for i, each in enumerate(value)]
        return sum(parts[1:], parts[0])
    weights = np.cos(np.arange(value.size) * 0.3 + at).reshape(value.shape)
    return (value.astype(ms.float32) * ms.Tensor(weights.astype(np.float32))).sum()


def gradients(ms, cell, inputs):
    """Gradients of the sum for the float inputs and the trainable parameters."""
    positions = tuple(
        i for i, x in enumerate(inputs) if isinstance(x, ms.Tensor) and x.dtype == ms.float32
    )
    weights = cell.trainable_params() if hasattr(cell, "trainable_params") else []

    def loss(*inputs):
        return total(ms, cell(*inputs))

    if not positions and not weights:
        return []
    if not weights:
        return digest(ms.grad(loss, positions)(*inputs))
    if not positions:
        return digest(ms.grad(loss, None, weights)(*inputs))
    return digest(ms.grad(loss, positions, weights)(*inputs))


def run_case(ms, constructor, inputs, gradient=True):
    """The printed form of one layer, its parameters, its results and its gradients."""
    makers = Makers(ms)
    cell = eval(constructor, makers.scope())
    given = eval(f"({inputs},)", makers.scope())
    found = {
        "repr": re.sub(r"<.*?>", "<...>", repr(cell)),
        "parameters": [
            [name, p.name, list(p.shape), str(p.dtype), p.requires_grad]
            for name, p in cell.parameters_and_names()
        ],
    }
    fill(ms, cell)
    found["result"] = digest(cell(*given))
    found["after"] = [digest(p) for p in cell.get_parameters() if not p.requires_grad]
    if gradient:
        found["gradient"] = gradients(ms, cell, given)
    return found


def run(ms, lines, no_gradient=()):
    """The results of all cases by name; an exception stands in for results."""
    found = {}
    for name, constructor, inputs in lines:
        try:
            found[name] = run_case(ms, constructor, inputs, name not in no_gradient)
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
    return found


if __name__ == "__main__":
    import mindspore

    print(json.dumps(run(mindspore, *json.loads(sys.argv[1]))))
