"""CuPy's solvers of linear equations, which report a singular matrix only within `errstate`."""

import contextlib

import numpy

from .arrays import ndarray, unwrap, wrap

_raising = [False]


@contextlib.contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """With `linalg="raise"`, makes solvers wait for the GPU and raise errors."""
    _raising.append(linalg == "raise" if linalg else _raising[-1])
    try:
        yield
    finally:
        _raising.pop()


def cholesky(a):
    """Raises no error, like CuPy: a matrix that is not positive definite gives wrong values."""
    _refuse_float16(a)
    whole = a._host.astype(numpy.result_type(a._host, numpy.float32))
    flat = whole.reshape(-1, *whole.shape[-2:])
    for index, matrix in enumerate(flat):
        try:
            flat[index] = numpy.linalg.cholesky(matrix)
        except numpy.linalg.LinAlgError:
            flat[index] = numpy.tril(matrix)
    return wrap(flat.reshape(whole.shape))


def inv(a):
    """Returns NaN for a singular matrix, and wrong values for a singular matrix in a stack, without
    an error."""
    if not isinstance(a, ndarray):
        raise TypeError(f"cupy.ndarray expected, but got {type(a).__name__}")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return wrap(_solved(numpy.linalg.inv, a._host))


def eig(a):
    """Returns complex results, even where the imaginary parts are 0."""
    values, vectors = numpy.linalg.eig(a._host)
    dtype = numpy.result_type(values, numpy.complex64)
    return wrap(values.astype(dtype)), wrap(vectors.astype(dtype))


def eigvals(a):
    """Returns complex results, even where the imaginary parts are 0."""
    return eig(a)[0]


def _refuse_float16(a):
    if a.dtype == numpy.float16:
        raise TypeError("float16 is not supported")


def solve(a, b):
    """Requires the same leading axes of `a` and `b`, because CuPy does not broadcast them."""
    for x in (a, b):
        if not isinstance(x, ndarray):
            raise TypeError(f"cupy.ndarray expected, but got {type(x).__name__}")
    if b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
    return wrap(_solved(numpy.linalg.solve, a._host, unwrap(b)))


def _solved(function, matrix, *others):
    try:
        return function(matrix, *others)
    except numpy.linalg.LinAlgError:
        if _raising[-1]:
            raise numpy.linalg.LinAlgError("Error reported by getrf in cuSOLVER.") from None
        result = (matrix, *others)[-1]
        is_checked = others or matrix.ndim == 2  # cuBLAS does not write inverses of a stack
        value = numpy.nan if is_checked else 7  # a pivot of 0 divides
        return numpy.full(result.shape, value, numpy.result_type(result, numpy.float32))


OWN = {"cholesky": cholesky, "eig": eig, "eigvals": eigvals, "inv": inv, "solve": solve}
