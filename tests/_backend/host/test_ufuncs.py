"""Elementwise functions of large arrays, divided among threads, match NumPy: bits, dtypes, memory
order, errors.
"""

import multiprocessing
import threading

import ml_dtypes
import numpy as np
import pytest
from kit import same

import mindspore_compat as ms
from mindspore_compat._backend import arrays
from mindspore_compat._backend.host import ufuncs
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

LARGE, HOST = arrays.LARGE, arrays.HOST
rng = np.random.default_rng(3)
X = rng.standard_normal((40, 7, 30), np.float32)
POSITIVE = np.abs(X) + 1
WORDS = rng.integers(1, 100, X.shape)


@pytest.fixture(params=[1, 2, 4], autouse=True)
def small_pieces(request, monkeypatch):
    """Divides arrays of every size among a number of threads. Disables compiled formulas, because
    their results are not bitwise NumPy's (test_elementary.py)."""
    monkeypatch.setattr(Least, "BODY_POINT", 1 << 40)
    for name in ("UFUNC", "UFUNC_BY_MEMORY", "UFUNC_BY_PROCESSOR"):
        monkeypatch.setattr(Least, name, 0)
    for name, value in {"PIECE": 1 << 8, "BUFFER": 1 << 6}.items():
        monkeypatch.setattr(ufuncs, name, value)
    for name in [name for name in vars(LARGE) if name not in vars(HOST)]:
        delattr(LARGE, name)
    for name, found in list(vars(LARGE).items()):
        if isinstance(found, ufuncs.Ufunc):
            delattr(LARGE, name)
    scheduler.limit(request.param)
    yield
    scheduler.limit(0)
    for name, found in list(vars(LARGE).items()):
        if isinstance(found, ufuncs.Ufunc):
            delattr(LARGE, name)


@pytest.fixture
def shared(monkeypatch):
    """How many pieces were shared, in a list."""
    counts = []

    def run(work, count):
        counts.append(count)
        scheduler.run(work, count)

    monkeypatch.setattr(ufuncs, "run", run)
    return counts


def as_numpy(name, *args):
    """A function of LARGE gives NumPy's result, in NumPy's memory order."""
    found, wanted = getattr(LARGE, name)(*args), getattr(HOST, name)(*args)
    same(found, wanted)
    assert found.strides == wanted.strides


UNARY = "exp log sqrt negative tanh sin abs isnan sign floor signbit square reciprocal erf gammaln"
BINARY = "add subtract multiply divide minimum maximum less equal arctan2 logaddexp floor_divide"


@pytest.mark.parametrize("name", UNARY.split())
def test_one_operand(name, shared):
    for x in (POSITIVE, POSITIVE.astype(np.float64), POSITIVE.reshape(-1)):
        as_numpy(name, x)
    assert len(shared) == (3 if scheduler.threads() > 1 else 0)
    assert all(count > 1 for count in shared)


@pytest.mark.parametrize("name", BINARY.split())
def test_two_operands(name, shared):
    for other in (POSITIVE[::-1], 2, 0.5, np.float32(3), np.array(2.0), WORDS, POSITIVE[:, :1]):
        as_numpy(name, POSITIVE, other)
        as_numpy(name, other, POSITIVE)
    count = 16 if name == "logaddexp" else 12  # it is composed of several
    assert len(shared) == (count if scheduler.threads() > 1 else 0)


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64", ml_dtypes.bfloat16],
)
def test_dtypes(dtype, shared):
    x = (WORDS % 2 if dtype == "bool" else WORDS).astype(dtype)
    for other in (x, POSITIVE, WORDS.astype(np.int32)):
        as_numpy("add", x, other)
        as_numpy("multiply", other, x)
        as_numpy("not_equal", x, other)
    assert len(shared) == (9 if scheduler.threads() > 1 else 0)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.transpose(2, 0, 1),
        lambda x: x.T,
        lambda x: x[:, ::2],
        lambda x: x[::-1, :, 1:],
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x[:2].reshape(2, 1, -1),
        lambda x: x.reshape(1, -1),
    ],
)
def test_orders_of_memory(view, shared):
    x, other = view(X), view(POSITIVE)
    as_numpy("exp", x)
    as_numpy("add", x, other)
    as_numpy("add", x, np.ascontiguousarray(other))
    as_numpy("multiply", other[..., :1], x)
    same(LARGE.reshape(x, (-1,)), x.reshape(-1))
    same(HOST.cast(x, "int32"), x.astype("int32"))
    mask = other > 1.5
    same(LARGE.keep(mask, x), np.where(mask, x, 0))
    same(LARGE.where(mask, x, other), np.where(mask, x, other))
    same(LARGE.at_least(x, 0.5), np.maximum(x, np.float32(0.5)))
    assert len(shared) > 4 if scheduler.threads() > 1 else not shared


def test_what_is_no_array_of_numbers_is_numpys(shared):
    for args in ((1.0, 2), (np.float32(1), 2), ([1, 2], 3), (np.arange(3, dtype=object), 2)):
        same(np.asarray(LARGE.add(*args)), np.asarray(np.add(*args)))
    masked = np.ma.masked_less(X, 0)
    assert isinstance(LARGE.add(masked, 1), np.ma.MaskedArray)
    same(LARGE.add(X[:, :1], np.empty((1, 0, 1), np.float32)), np.empty((40, 0, 30), np.float32))
    out = np.empty_like(X)
    assert LARGE.add(X, 1, out=out) is out
    same(LARGE.add.reduce(X, 0), X.sum(0))
    assert not shared


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.add(X, X[:, :3]),
        lambda xp: xp.add(X),
        lambda xp: xp.bitwise_and(X, X),
        lambda xp: xp.add(WORDS.astype(np.uint8), 300),
        lambda xp: xp.reshape(X.T, (3, 3)),
    ],
)
def test_errors_are_numpys(call):
    with pytest.raises(Exception) as wanted:
        call(HOST)
    with pytest.raises(type(wanted.value)) as found:
        call(LARGE)
    assert str(found.value) == str(wanted.value)


def test_errors_and_warnings_follow_errstate_in_every_piece():
    x = X.copy()
    x[-1, -1, -1] = 0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        LARGE.divide(X, x)
    with np.errstate(divide="ignore"):
        assert np.isinf(LARGE.divide(X, x)[-1, -1, -1])


def test_two_threads_of_the_caller_at_once():
    found = [None, None]

    def work(number):
        found[number] = [LARGE.exp(X * number) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for number in range(2):
        for each in found[number]:
            same(each, np.exp(X * number))


def _in_child(results):
    results.put(float(LARGE.exp(X).sum()))


def test_in_a_forked_process():
    LARGE.exp(X)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_in_child, args=(results,))
    child.start()
    found = results.get(timeout=60)
    child.join(60)
    assert found == float(np.exp(X).sum())


def test_operators_and_gradients_share_large_arrays(monkeypatch, shared):
    calls = []
    add, multiply = np.add, np.multiply
    monkeypatch.setattr(LARGE, "add", lambda *args: calls.append("add") or add(*args), False)
    monkeypatch.setattr(LARGE, "multiply", lambda *a: calls.append("mul") or multiply(*a), False)
    big = ms.Tensor(np.ones(Least.SPACE // 4, np.float32))
    small = ms.Tensor(np.ones(4, np.float32))
    assert not (small + small).asnumpy()[0] - 2 and not calls
    big + big
    assert calls == ["add"]
    ms.grad(lambda x: x * big + x * big)(big)
    assert calls == ["add", "mul", "mul", "add", "mul", "mul", "add"]


def test_recorded_bodies_share_large_arrays(shared):
    ms.value_and_grad(ms.ops.rad2deg)(ms.Tensor(np.ones(Least.SPACE // 4, np.float32)))
    assert len(shared) == (1 if scheduler.threads() > 1 else 0)
