"""Calls of distributions and bijectors, as lines of Python that two packages can run.

`run(ms, lines)` returns, for each line, the dtype, shape and numbers of its Tensors, or the name of
the error. As a script, it prints as JSON the results of the package that it can import. The results
of MindSpore 2.10 (CPU) are in tests/data/observed_probability.jsonl.
"""

import json
import sys

# family -> (its arguments, the values of the calls, the arguments of a second distribution of the
# family)
FAMILIES = {
    "Beta": ("[2.0], [3.0]", [0.1, 0.4, 0.9], [1.5, 2.5]),
    "Cauchy": ("0.5, 2.0", [-3.0, 0.3, 4.0], [0.1, 1.5]),
    "Exponential": ("0.7", [-1.0, 0.0, 0.5, 3.0], [1.5]),
    "Gamma": ("[2.5], [1.5]", [0.2, 1.0, 4.0], [1.2, 0.8]),
    "Geometric": ("0.3", [-1.0, 0.0, 1.0, 2.5, 6.0], [0.6]),
    "Gumbel": ("0.5, 2.0", [-3.0, 0.3, 4.0], [0.1, 1.5]),
    "HalfNormal": ("0.5, 2.0", [-3.0, 0.3, 0.5, 4.0], [0.1, 1.5]),
    "Laplace": ("0.5, 2.0", [-3.0, 0.3, 4.0], [0.1, 1.5]),
    "LogNormal": ("0.3, 0.8", [0.2, 1.0, 4.0], [0.1, 1.5]),
    "Logistic": ("0.5, 2.0", [-3.0, 0.3, 4.0], [0.1, 1.5]),
    "Normal": ("0.5, 2.0", [-3.0, 0.3, 4.0], [0.1, 1.5]),
    "Poisson": ("[2.3]", [-1.0, 0.0, 1.0, 2.5, 6.0], [1.2]),
    "StudentT": ("3.0, 0.5, 2.0", [-3.0, 0.3, 4.0], [2.0, 0.1, 1.5]),
    "Uniform": ("0.5, 2.0", [-3.0, 0.7, 4.0], [0.1, 3.5]),
    "Bernoulli": ("0.3", [0.0, 1.0], [0.6]),
}
WIDE = ("T([2.5]), T([1.5, 2.0, 3.0])", "T([1.1, 1.2, 1.3]), T([4.0])")
DENSITY_ONLY = ("HalfNormal", "Laplace", "StudentT")
PROBABILITIES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival")
MOMENTS = ("mean", "mode", "sd", "var", "entropy")
PAIRS = {
    **dict.fromkeys(("Normal", "Logistic", "LogNormal", "Beta", "Gamma"), MOMENTS),
    "Cauchy": ("mode", "entropy"),
}
BATCHES = {
    "Beta": "[2.0, 1.5], [3.0, 1.2]",
    "Cauchy": "[0.5, 1.0], 2.0",
    "Exponential": "[0.7, 2.0]",
    "Gamma": "[2.5, 1.5], [1.5, 4.0]",
    "Geometric": "[0.3, 0.6]",
    "Gumbel": "[0.5, 1.0], 2.0",
    "LogNormal": "[0.3, 1.0], 0.8",
    "Logistic": "[0.5, 1.0], 2.0",
    "Poisson": "[2.3, 4.0]",
    "StudentT": "[3.0, 5.0], 0.5, 2.0",
    "Laplace": "[0.5, 1.0], 2.0",
}
BIJECTORS = (
    "B.PowerTransform(0.5)",
    "B.PowerTransform()",
    "B.PowerTransform([0.5, 0.0, 2.0])",
    "B.Exp()",
    "B.ScalarAffine(2.0, 1.0)",
    "B.ScalarAffine(-2.0, 1.0)",
    "B.ScalarAffine([2.0, 3.0, 4.0], 1.0)",
    "B.Softplus(2.0)",
    "B.Softplus([1.0, 2.0, 3.0])",
    "B.GumbelCDF(0.5, 2.0)",
    "B.GumbelCDF([0.5, 1.0, 2.0], 2.0)",
    "B.Invert(B.ScalarAffine(2.0, 1.0))",
    "B.Invert(B.Softplus(2.0))",
)
DIRECTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")
TRANSFORMED = (
    "B.Exp(), D.Normal(0.3, 0.8)",
    "B.ScalarAffine(2.0, 1.0), D.Normal(0.3, 0.8)",
    "B.ScalarAffine(-2.0, 1.0), D.Normal(0.3, 0.8)",
    "B.Softplus(1.0), D.Normal(0.3, 0.8)",
    "B.ScalarAffine(2.0, 1.0), D.Uniform(0.0, 1.0)",
    "B.Exp(), D.Normal()",
    "B.Invert(B.Exp()), D.LogNormal(0.3, 0.8)",
    "B.Exp(), D.Normal(0.3, 0.8, dtype=ms.float64)",
)
ERRORS = """
D.Beta([-1.0], [1.0])
D.Beta([1.0], [0.0])
D.Cauchy(0.0, 0.0)
D.Exponential(-1.0)
D.Gamma([1.0], [-1.0])
D.Gamma([0.0], [1.0])
D.Geometric(0.0)
D.Geometric(1.0)
D.Gumbel(0.0, 0.0)
D.Gumbel(None, 1.0)
D.Gumbel(0.0, 1.0).mean(T(1.0), T(1.0))
D.Gumbel(0.0, 1.0).kl_loss('Gumbel', 0.1, 1.5)
D.HalfNormal(0.0, 0.0)
D.Laplace(0.0, -1.0)
D.LogNormal(0.0, 0.0)
D.Logistic(0.0, 0.0)
D.Poisson([0.0])
D.Poisson(2.0)
D.StudentT(0.0, 1.0, 1.0)
D.StudentT(1.0, 1.0, 0.0)
D.Cauchy('x', 1.0)
D.Cauchy(0.0, 1.0, dtype=ms.int32)
D.Geometric(0.5, dtype=ms.bool_)
D.Poisson([0.5], dtype=ms.bool_)
D.Cauchy(0.0, 1.0, seed=-1)
D.Cauchy(0.0, 1.0, seed=1.0)
D.Cauchy(0.0, 1.0, name=3)
D.LogNormal(0.0, 1.0, name=3)
D.LogNormal(0.0, 1.0).prob(ms.Tensor([1, 2]))
D.Cauchy(0.0, 1.0).prob(0.5)
D.Cauchy(0.0, 1.0).mean()
D.Cauchy(0.0, 1.0).sd()
D.Cauchy(0.0, 1.0).var()
D.Cauchy(0.0, 1.0).sample([2])
D.Cauchy().prob(T([0.5]))
D.Cauchy(0.0, 1.0)('foo')
D.Beta([1.0], [2.0]).cdf(T([0.5]))
D.Logistic(0.0, 1.0).kl_loss('Logistic', T(0.0), T(1.0))
D.Poisson([2.0]).entropy()
D.Laplace(0.0, 1.0).mean()
D.HalfNormal(0.0, 1.0).sample()
D.StudentT(1.0, 0.0, 1.0).cdf(T([0.0]))
D.TransformedDistribution(3, D.Normal(0.0, 1.0))
D.TransformedDistribution(B.Exp(), 3)
D.TransformedDistribution(B.Exp(), D.Bernoulli(0.3))
D.TransformedDistribution(B.Exp(), D.Normal(0.0, 1.0), seed=-1)
D.TransformedDistribution(B.Exp(), D.Normal(0.0, 1.0), name=3)
D.TransformedDistribution(B.Exp(), D.Normal(0.0, 1.0)).mean()
D.TransformedDistribution(B.Exp(), D.Normal(0.0, 1.0)).sd()
D.TransformedDistribution(B.ScalarAffine([2.0, 3.0], 1.0), D.Normal(0.3, 0.8)).sample((2, 3))
B.PowerTransform(1)
B.PowerTransform(-1.0)
B.PowerTransform(None)
B.PowerTransform('a')
B.ScalarAffine(ms.Tensor([2.0], ms.float16), 1.0)
B.ScalarAffine(True)
B.Softplus(2)
B.GumbelCDF(0.5, 0.0)
B.GumbelCDF(0.5, -1.0)
B.Invert(3)
B.Invert(B.Exp(), 3)
B.Exp(3)
B.Exp().forward(1.0)
B.Exp().forward(ms.Tensor([1, 2]))
B.Bijector(name='x', dtype=ms.int32)
B.Bijector(1, True, 'x')
"""
OTHERS = """
D.Beta([0.5], [2.0]).mode()
D.Gamma([1.0], [0.5]).mode()
D.Gamma([1.5], [0.5]).cdf(T([0.0, 1.0]))
D.LogNormal(0.0, 1.0).cdf(T([0.0, -1.0]))
D.Poisson([3.0]).mode()
D.Poisson([0.5]).cdf(T([-0.5, 0.0, 0.5]))
D.HalfNormal(0.5, 1.0).prob(T([0.0, -0.1, 0.1]))
D.HalfNormal(-1.0, 1.0).prob(T([-0.5, 0.0, 1.0]))
D.Cauchy(0.5, 2.0, dtype=ms.float64).prob(ms.Tensor([0.3], ms.float64))
D.Geometric(0.3, dtype=ms.float16).prob(T([1.0]))
D.Geometric(0.3).get_dist_args(probs1=T(0.5))
D.LogNormal(0.0, 1.0).get_dist_args(loc=T(3.0))
D.Beta([1.0], [2.0]).kl_loss('Beta', T(1.0), T(2.0), concentration1_a=T(2.0))
D.Beta([1.0], [2.0]).cross_entropy('Beta', T(1.0), T(2.0), concentration1_a=T(2.0))
D.Geometric(0.3).cross_entropy('Geometric', T(0.4), probs1=T(0.5))
D.Bernoulli(0.3).mean(probs1=T(0.5))
D.Logistic(0.5, 2.0)('prob', T([1.0]))
D.Gumbel([0.3, 1.0], [[0.8], [2.0]]).kl_loss('Gumbel', T(0.1), T(1.5))
D.Gumbel([0.3, 1.0], [[0.8], [2.0]]).mode()
D.Gumbel([0.3, 1.0], [[0.8], [2.0]]).sample((5,)).asnumpy().shape
D.LogNormal([0.3, 1.0], [[0.8], [2.0]]).sample((5,)).asnumpy().shape
D.LogNormal(0.0, 1.0, dtype=ms.float16).sample()
B.ScalarAffine(2.0, 1.0)('inverse', T([1.0]))
B.Exp()(D.Normal(0.3, 0.8)).prob(T([1.0]))
B.Exp().cast_param_by_value(ms.Tensor([1.0], ms.float16), T([1.0]))
B.Invert(B.Exp()).name
B.Invert(B.Exp(), 'x').name
B.Exp().is_constant_jacobian
B.ScalarAffine().is_constant_jacobian
B.ScalarAffine([1.0, 2.0], 0.0).batch_shape
B.ScalarAffine([1.0, 2.0], 0.0).is_scalar_batch
D.TransformedDistribution(B.Exp(), D.Normal(0.0, 1.0)).is_linear_transformation
D.TransformedDistribution(B.ScalarAffine([2.0, 3.0], 1.0), D.Normal(0.0, 1.0)).broadcast_shape
D.TransformedDistribution(B.ScalarAffine([2.0, 3.0], 1.0), D.Normal(0.0, 1.0)).is_scalar_batch
"""


def family_lines(name):
    """The questions to one family."""
    args, values, other = FAMILIES[name]
    one, late = f"D.{name}({args})", f"D.{name}()"
    others = ", ".join(f"T({each})" for each in other)
    questions = PROBABILITIES[:2] if name in DENSITY_ONLY or name == "Beta" else PROBABILITIES
    for question in questions:
        yield f"{one}.{question}(T({values}))"
        if name != "Gumbel":
            yield f"{late}.{question}(T({values}), {others})"
    if name in BATCHES:
        yield f"D.{name}({BATCHES[name]}).log_prob(T({[[each] for each in values]}))"
        yield f"D.{name}({BATCHES[name]}).batch_shape"
    yield f"ms.grad(lambda v: {one}.log_prob(v).sum())(T({values[1:]}))"
    if name != "Gumbel":
        each = tuple(range(len(other)))
        yield f"ms.grad(lambda *o: {late}.log_prob(T({values[1:]}), *o).sum(), {each})({others})"
        yield f"{late}.prob(T({values}))"
    if name in DENSITY_ONLY:
        return
    for question in MOMENTS[:1] * (name != "Cauchy") + MOMENTS[4:] * (name != "Poisson"):
        if name != "Gumbel":
            yield f"{late}.{question}({others})"
    skipped = {
        "Cauchy": ("mean", "sd", "var"),
        "Uniform": ("mode",),
        "Bernoulli": ("mode",),
        "Poisson": ("entropy",),
    }.get(name, ())
    yield from (f"{one}.{each}()" for each in MOMENTS if each not in skipped)
    yield f"{one}.get_dist_args()"
    yield f"{one}.get_dist_type()"
    if name not in ("Logistic", "Poisson"):
        for question in ("kl_loss", "cross_entropy"):
            yield f"{one}.{question}('{name}', {others})"
            yield f"{one}.{question}('Foo', {others})"
        if name != "Gumbel":
            yield f"{late}.kl_loss('{name}', {others}, {others})"


def bijector_lines(bijector):
    """The questions to one bijector."""
    for question in DIRECTIONS:
        yield f"{bijector}.{question}(T([0.1, 0.6, 0.9]))"
        yield f"{bijector}.{question}(T([-1.5, 0.0, 2.0]))"
        yield f"{bijector}.{question}(ms.Tensor([0.25], ms.float16))"
        yield f"{bijector}.{question}(ms.Tensor([0.25], ms.float64))"
        yield f"ms.grad(lambda v: {bijector}.{question}(v).sum())(T([0.1, 0.6, 0.9]))"


def transformed_lines(given):
    """The calls of one transformed distribution."""
    made = f"D.TransformedDistribution({given})"
    for question in PROBABILITIES:
        yield f"{made}.{question}(T([0.2, 1.0, 2.5]))"
        yield f"{made}.{question}(T([0.2, 1.0, 2.5]), T(0.1), T(1.5))"
    yield f"{made}.mean()"
    yield f"{made}.sample((2, 3)).shape"


def all_lines():
    """Every question."""
    lines = [line for name in FAMILIES for line in family_lines(name)]
    lines += [line for each in BIJECTORS for line in bijector_lines(each)]
    lines += [line for each in TRANSFORMED for line in transformed_lines(each)]
    lines += [
        f"D.{name}().{question}({given})"
        for name, questions in PAIRS.items()
        for given in WIDE
        for question in questions
    ]
    return lines + ERRORS.split("\n")[1:-1] + OTHERS.split("\n")[1:-1]


def plain(found):
    """Converts a result to JSON types; numbers and texts stay unchanged."""
    if hasattr(found, "asnumpy"):
        numbers = found.asnumpy().astype("float64")
        if str(found.dtype) == "Float16" and not numbers.size:
            return [str(found.dtype), list(numbers.shape), []]
        return [
            str(found.dtype),
            list(numbers.shape),
            [float(f"{each:.6g}") for each in numbers.ravel()],
        ]
    if isinstance(found, (tuple, list)):
        return [plain(each) for each in found]
    return found


def run(ms, lines):
    """What a package answers to each line."""
    import importlib

    import numpy as np

    room = f"{ms.__name__}.nn.probability"
    names = {
        "__name__": __name__,
        "ms": ms,
        "D": importlib.import_module(f"{room}.distribution"),
        "B": importlib.import_module(f"{room}.bijector"),
        "T": lambda value: ms.Tensor(np.array(value, np.float32)),
    }
    found = []
    for line in lines:
        try:
            answer = plain(eval(line, names))
        except Exception as error:
            answer = type(error).__name__
        if "sample(" in line and isinstance(answer, list) and answer[:1] == ["Float16"]:
            answer = answer[:2]
        found.append(answer)
    return found


if __name__ == "__main__":
    import mindspore

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, pynative_synchronize=True)
    print(json.dumps(run(mindspore, json.loads(sys.argv[1]) if sys.argv[1:] else all_lines())))
