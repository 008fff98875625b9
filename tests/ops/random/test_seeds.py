"""Seeds of random operators: which of them advance between calls, as in MindSpore."""

import copy
import pickle

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

X = Tensor(numpy.ones(64, numpy.float32))
ROW = Tensor(numpy.ones((1, 8), numpy.float32))
GOING_ON = {
    "rand_like": lambda: ops.rand_like(X, 3),
    "shuffle": lambda: ops.shuffle(ops.arange(64), 3),
    "standard_normal": lambda: ops.standard_normal((64,), 3),
    "uniform": lambda: ops.uniform((64,), Tensor(0.0), Tensor(1.0), 3),
    "dropout": lambda: ops.dropout(X, seed=3),
}
STANDING = {
    "bernoulli": lambda: ops.bernoulli(X, 0.5, 3),
    "multinomial_with_replacement": lambda: ops.multinomial_with_replacement(ROW, 3, 5, 64, True),
    "random_categorical": lambda: ops.random_categorical(ROW, 64, 3),
    "randperm": lambda: ops.randperm(64, 3, 0),
}
INSTANCES = {
    "Gamma": (Tensor([1.0]), Tensor([1.0])),
    "StandardLaplace": (),
    "StandardNormal": (),
    "UniformInt": (Tensor(0, ms.int32), Tensor(1000, ms.int32)),
    "UniformReal": (),
}


def differ(a, b):
    return (a.asnumpy() != b.asnumpy()).any()


@pytest.mark.parametrize("name", GOING_ON)
def test_goes_on_until_the_seed_is_set(name):
    draw = GOING_ON[name]
    ms.set_seed(1)
    first, second = draw(), draw()
    assert differ(first, second)
    ms.set_seed(1)
    assert not differ(first, draw()) and not differ(second, draw())


@pytest.mark.parametrize("name", STANDING)
def test_is_the_same_at_every_call(name):
    assert not differ(STANDING[name](), STANDING[name]())


def test_offset_counts():
    assert differ(ops.randperm(64, 3, 0), ops.randperm(64, 3, 1))


@pytest.mark.parametrize("name", INSTANCES)
def test_each_instance_has_a_stream(name):
    one, other = (getattr(ops, name)(3, 5) for _ in range(2))
    first, second = (one((64,), *INSTANCES[name]) for _ in range(2))
    assert differ(first, second)
    assert not differ(first, other((64,), *INSTANCES[name]))
    unpickled = pickle.loads(pickle.dumps(one))
    assert not differ(
        copy.deepcopy(one)((64,), *INSTANCES[name]), unpickled((64,), *INSTANCES[name])
    )


def test_an_instance_without_seeds_takes_the_default_stream():
    draw = copy.deepcopy(ops.StandardNormal())
    ms.set_seed(1)
    first = draw((64,))
    ms.set_seed(1)
    assert not differ(first, ops.StandardNormal()((64,)))


def test_dtype_of_multinomial_as_a_method():
    weights = Tensor([0.2, 0.8])
    assert weights.multinomial(2).dtype == ops.multinomial(weights, 2).dtype == ms.int32
    assert weights.multinomial(2, generator=ms.Generator()).dtype == ms.int64


def test_a_permutation_takes_minus_one_as_its_seed():
    assert sorted(ops.RandpermV2(seed=-1)(5).asnumpy().tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="seed"):
        ops.RandpermV2(seed=-2)
