"""mindspore.scipy.fft and mindspore.numpy.fft against SciPy and NumPy; gradients; rejections."""

import numpy
import pytest
import scipy.fft
from kit import close, close_sums

import mindspore_compat as ms
import mindspore_compat.numpy as mnp
from mindspore_compat import Tensor
from mindspore_compat.scipy import fft

VALUES = numpy.array([[1.0, 2.5, -3.0, 0.5, 4.0], [2.0, -1.0, 0.25, 3.0, 1.0]], numpy.float32)


@pytest.mark.parametrize("name", ["dct", "idct"])
@pytest.mark.parametrize("options", [{}, {"n": 3}, {"n": 8}, {"n": 1}, {"axis": 0}, {"axis": -2}])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
def test_one_axis(name, options, dtype):
    x = VALUES.astype(dtype) * (1 + 2j if dtype == "complex64" else 1)
    x = x.astype(dtype)
    found = getattr(fft, name)(Tensor(x), norm="ortho", **options)
    wanted = getattr(scipy.fft, name)(x, norm="ortho", **options)
    assert str(found.dtype).lower() == ("float32" if dtype == "int32" else dtype)
    close(found, wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_bfloat16_gives_float32(name):
    found = getattr(fft, name)(Tensor(VALUES, ms.bfloat16))
    assert found.dtype == ms.float32
    close(found, getattr(scipy.fft, name)(VALUES, norm="ortho"), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["dctn", "idctn"])
@pytest.mark.parametrize(
    "options", [{}, {"s": (3, 4)}, {"s": (4,)}, {"axes": (0,)}, {"s": (3, 7), "axes": (1, 0)}]
)
def test_several_axes(name, options):
    found = getattr(fft, name)(Tensor(VALUES), **options)
    if options == {"s": (4,)}:  # SciPy wants the axes named
        options = {"s": (4,), "axes": (-1,)}
    wanted = getattr(scipy.fft, name)(VALUES, norm="ortho", **options)
    close(found, wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["dct", "idct"])
@pytest.mark.parametrize("n", [None, 3, 7])
def test_gradient_is_the_transpose(name, n):
    function = getattr(fft, name)
    weight = Tensor(numpy.arange(1.0, 1.0 + 2 * (n or 5), dtype=numpy.float32).reshape(2, -1))
    gradient = ms.grad(lambda x: (function(x, n=n) * weight).sum())(Tensor(VALUES))
    matrix = numpy.stack(
        [function(Tensor(row), n=n).asnumpy() for row in numpy.eye(5, dtype=numpy.float32)]
    )
    wanted = weight.asnumpy() @ matrix.T
    close_sums(gradient, wanted)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: fft.dct([1.0]), TypeError),
        (lambda: fft.dct(Tensor([1], ms.int8)), TypeError),
        (lambda: fft.dct(Tensor(VALUES), type="2"), TypeError),
        (lambda: fft.dct(Tensor(VALUES), type=3), ValueError),
        (lambda: fft.dct(Tensor(VALUES), n=2.0), TypeError),
        (lambda: fft.dct(Tensor(VALUES), n=0), ValueError),
        (lambda: fft.dct(Tensor(VALUES), axis=2), ValueError),
        (lambda: fft.dct(Tensor(VALUES), norm="forward"), ValueError),
        (lambda: fft.dctn(Tensor(VALUES), axes=0), TypeError),
        (lambda: fft.dctn(Tensor(VALUES), axes=(0, 0)), ValueError),
        (lambda: fft.dctn(Tensor(VALUES), s=(2, 3), axes=(0,)), ValueError),
        (lambda: fft.idctn(Tensor(VALUES), s=(0, 3)), ValueError),
        (lambda: fft.idctn(Tensor(1.0)), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("options", [{}, {"n": 4}, {"axis": 0}, {"norm": "ortho"}])
def test_fourier(name, options):
    found = getattr(mnp.fft, name)(Tensor(VALUES), **options)
    wanted = getattr(numpy.fft, name)(VALUES, **options)
    close(found, wanted)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn"])
def test_fourier_of_several_axes(name):
    found = getattr(mnp.fft, name)(Tensor(VALUES), axes=(0, 1))
    wanted = getattr(numpy.fft, name)(VALUES, axes=(0, 1))
    close(found, wanted)


def test_fourier_frequencies():
    assert mnp.fft.fftfreq(4, 0.5).tolist() == numpy.fft.fftfreq(4, 0.5).tolist()
    assert mnp.fft.rfftfreq(5).dtype == ms.float32
    shifted = mnp.fft.fftshift(x=Tensor(VALUES), axes=1)
    assert shifted.tolist() == numpy.fft.fftshift(VALUES, axes=1).tolist()
    assert mnp.fft.ifftshift(shifted, (1,)).tolist() == VALUES.tolist()
