"""Fourier transforms against NumPy's: values, dtypes, gradients, rejected calls."""

import tracemalloc

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

pytestmark = pytest.mark.quick

RANDOM = numpy.random.default_rng(11)
REAL = RANDOM.normal(size=(3, 4, 5))
COMPLEX = REAL + 1j * RANDOM.normal(size=(3, 4, 5))
ONE = [({}), ({"n": 7}), ({"n": 3, "dim": 1}), ({"norm": "ortho"}), ({"norm": "forward", "dim": 0})]
MANY = [
    ({}),
    ({"s": (6, 3), "dim": (0, 2)}),
    ({"norm": "ortho"}),
    ({"dim": (1,), "norm": "forward"}),
]


def numpy_names(options):
    return {
        {"dim": "axis" if isinstance(v, int) else "axes"}.get(k, k): v for k, v in options.items()
    }


CASES = [(name, o) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for o in ONE]
CASES += [(name, o) for name in ("fftn", "ifftn", "rfftn", "irfftn") for o in MANY]
CASES += [(name, {}) for name in ("fft2", "ifft2", "rfft2", "irfft2")]


def signal(name):
    return REAL if name.startswith("r") or name == "ihfft" else COMPLEX


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_values(name, options):
    x = signal(name)
    found = getattr(ops, name)(Tensor(x), **options).asnumpy()
    wanted = getattr(numpy.fft, name)(x, **numpy_names(options))
    assert found.dtype == wanted.dtype
    close(found, wanted)


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_gradients(name, options):
    x = signal(name)[:2, :2, :3].copy()
    small = {k: v for k, v in options.items() if k != "s"}
    weights = RANDOM.normal(size=(*getattr(ops, name)(Tensor(x), **small).shape, 2))

    def score(values):
        out = getattr(ops, name)(values, **small)
        total = ops.real(out) * Tensor(weights[..., 0])
        if out.dtype.is_complex:
            total = total + ops.imag(out) * Tensor(weights[..., 1])
        return total.sum()

    found = ms.grad(score)(Tensor(x)).asnumpy()
    for index in [(0, 0, 0), (1, 1, 2), (0, 1, 1)]:
        for step in (1e-6, 1e-6j) if numpy.iscomplexobj(x) else (1e-6,):
            up, down = x.copy(), x.copy()
            up[index] += step
            down[index] -= step
            gradient = (float(score(Tensor(up))) - float(score(Tensor(down)))) / 2e-6
            part = found[index].imag if isinstance(step, complex) else found[index].real
            assert part == pytest.approx(gradient, rel=1e-4, abs=1e-6)


def test_precision_is_kept():
    assert ops.fft(Tensor(REAL.astype(numpy.float32))).dtype == ms.complex64
    assert ops.irfft(Tensor(COMPLEX.astype(numpy.complex64))).dtype == ms.float32
    assert ops.fft(Tensor([1, 2, 3])).dtype == ms.complex64


def test_frequencies_and_shifts():
    close(ops.fftfreq(5, 0.5), numpy.fft.fftfreq(5, 0.5), atol=0)
    close(ops.rfftfreq(6), numpy.fft.rfftfreq(6), atol=0)
    close(ops.fftshift(Tensor(REAL)), numpy.fft.fftshift(REAL))
    close(ops.ifftshift(ops.fftshift(Tensor(REAL), 2), 2), REAL)


def test_fft_with_size():
    half = ops.FFTWithSize(2, False, True)(Tensor(REAL))
    close(half, numpy.fft.rfft2(REAL), atol=0)
    back = ops.FFTWithSize(2, True, True, signal_sizes=(4, 5))(half)
    close(back, REAL, atol=0)


@pytest.mark.host
def test_a_real_signal_is_not_copied_as_a_complex_one():
    x = Tensor(numpy.ones(1 << 18, numpy.float32))
    ops.rfft(x)  # imports what it needs
    tracemalloc.start()
    ops.rfft(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * x.nbytes  # the complex spectrum takes twice the memory of `x`


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda x: ops.fft(1), TypeError),
        (lambda x: ops.fft(x, "a"), TypeError),
        (lambda x: ops.fft(x, norm="odd"), ValueError),
        (lambda x: ops.fft(x, 0), ValueError),
        (lambda x: ops.fftn(x, (1, 2), (0,)), ValueError),
        (lambda x: ops.FFTWithSize(4, False, True)(x), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call(Tensor(REAL))
