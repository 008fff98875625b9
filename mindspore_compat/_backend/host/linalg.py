"""Matrix decompositions, solvers and the Fourier transform, with the same names on NumPy and CuPy.

Each is one function of `xp`: `xp.linalg_inv(x)`, `xp.linalg_svd(x)`, ... NumPy's or CuPy's solvers
do the work.
"""

import functools
import importlib
import math

import numpy

from ..threads import scheduler
from .float16 import through_float32

MOST_CONDITION = 1e4  # of a matrix whose inverse is used: it costs four of float64's 16 digits


def lapack(function):
    """Wraps a LAPACK function, which refuses float16: computes float16 in float32.

    Under a limit of address space, BLAS first gets the memory for a product. Otherwise LAPACK could
    wait forever for this memory.

    Raises:
        MemoryError: if there is too little memory.
    """
    inner = through_float32(function)

    @functools.wraps(function)
    def call(xp, *arrays):
        if type(arrays[0]) is numpy.ndarray:
            scheduler.prepare_library()
        return inner(xp, *arrays)

    return call


def nan_for_nan(function):
    """Wraps a decomposition of a stack of matrices. If some matrices hold NaN or infinity, their
    results are NaN. The library does not see them: it may raise an error, and with an infinity the
    singular value decomposition of LAPACK may never end."""

    @functools.wraps(function)
    def call(xp, x):
        good = xp.isfinite(x).all(axis=(-2, -1))
        if good.all():
            return function(xp, x)
        results = function(xp, xp.where(good[..., None, None], x, xp.zeros_like(x)))
        is_tuple = isinstance(results, tuple)
        outputs = [
            xp.where(good.reshape(good.shape + (1,) * (part.ndim - good.ndim)), part, numpy.nan)
            for part in (results if is_tuple else (results,))
        ]
        return tuple(outputs) if is_tuple else outputs[0]

    return call


def _solve(xp, function, *arrays):
    """Calls a solver of CuPy and raises an error for singular matrices.

    CuPy checks for singular matrices only on request, and the host then waits for the GPU twice. A
    singular matrix has a zero pivot, by which the solver divides. So a finite solution shows that
    the matrix is regular, and the check is left out. (Inverses of a stack are always checked,
    because cuBLAS writes nothing for the singular matrices among them.)

    Raises:
        numpy.linalg.LinAlgError: if a matrix is singular, as in NumPy. The host waits for the GPU.
    """
    if arrays[-1].size and (len(arrays) > 1 or arrays[0].ndim == 2):
        out = function(*arrays)
        if bool(xp.isfinite(out).all()):
            return out
    with importlib.import_module("cupyx").errstate(linalg="raise"):
        try:
            return function(*arrays)
        except numpy.linalg.LinAlgError:
            raise numpy.linalg.LinAlgError("Singular matrix") from None


@lapack
def linalg_inv(xp, x):
    """Returns the inverse."""
    return xp.linalg.inv(x) if type(x) is numpy.ndarray else _solve(xp, xp.linalg.inv, x)


@lapack
def linalg_det(xp, x):
    """Returns the determinant."""
    return xp.linalg.det(x)


@lapack
@nan_for_nan
def linalg_cofactors(xp, x):
    """Returns the cofactors of each matrix: the derivative of the determinant with respect to each
    element. For regular matrices they are the determinant times the adjoint of the inverse.
    Otherwise they are computed from products of all singular values but one, so the determinant may
    be 0."""
    if type(x) is numpy.ndarray and x.ndim > 2 and x.size:
        with numpy.errstate(all="ignore"):
            regular, cofactors = _regular_cofactors(x)
        if not regular.all():
            cofactors[~regular] = _singular_cofactors(xp, x[~regular])
        return cofactors
    return _singular_cofactors(xp, x)


def _regular_cofactors(x):
    """Returns which matrices of a stack of NumPy's are well-conditioned, and their cofactors; the
    others are undefined. NumPy inverts float32 in float64."""
    wide = x.astype(numpy.result_type(x.dtype, numpy.float64), copy=False)
    determinant = numpy.linalg.det(wide)
    size = numpy.abs(determinant)
    regular = (size > numpy.finfo(size.dtype).tiny) & (size < math.inf)
    inverse = numpy.linalg.inv(
        numpy.where(regular[..., None, None], wide, numpy.eye(x.shape[-1], dtype=wide.dtype))
    )
    condition = numpy.abs(wide).sum(-1).max(-1) * numpy.abs(inverse).sum(-1).max(-1)
    regular &= condition < MOST_CONDITION
    cofactors = numpy.conj(determinant[..., None, None] * numpy.swapaxes(inverse, -1, -2))
    return regular, cofactors.astype(x.dtype)


def _singular_cofactors(xp, x):
    u, s, vh = xp.linalg.svd(x)
    turn = xp.conj(xp.linalg.det(u) * xp.linalg.det(vh))
    count = s.shape[-1]
    others = xp.where(xp.eye(count, dtype=bool), xp.ones((), s.dtype), xp.expand_dims(s, -2))
    rest = xp.expand_dims(xp.prod(others, -1), -2)
    return xp.expand_dims(xp.expand_dims(turn, -1), -1) * xp.matmul(u * rest, vh)


@lapack
def linalg_slogdet(xp, x):
    """Returns (sign, logarithm of the absolute value) of the determinant."""
    sign, size = xp.linalg.slogdet(x)
    return sign, size


@lapack
def linalg_solve(xp, a, b):
    """Returns the solution y of a y = b, for a stack of matrices b; the leading axes broadcast."""
    if type(a) is numpy.ndarray:
        return xp.linalg.solve(a, b)
    if b.ndim > 1 and a.shape[:-2] != b.shape[:-2]:
        lead = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = (xp.broadcast_to(x, lead + x.shape[-2:]) for x in (a, b))
    return _solve(xp, xp.linalg.solve, a, b)


@lapack
def linalg_cholesky(xp, x):
    """Returns the lower triangle L of x = L Lᴴ.

    Raises:
        numpy.linalg.LinAlgError: if a matrix is not positive definite. CuPy raises no error for
            one, and NumPy none for NaN, so the result is checked.
    """
    lower = xp.linalg.cholesky(x)
    valid = xp.all(xp.isfinite(lower))
    if type(lower) is not numpy.ndarray and lower.size:
        valid &= _is_factor(xp, lower, x)
    if not bool(valid):
        raise numpy.linalg.LinAlgError("Matrix is not positive definite")
    return lower


def _is_factor(xp, lower, x):
    """Returns True if L Lᴴ equals x up to rounding, and the diagonal is positive."""
    diagonal = xp.arange(lower.shape[-1])
    pivots = xp.real(lower[..., diagonal, diagonal])
    error = xp.abs(xp.matmul(lower, xp.conj(lower.swapaxes(-1, -2))) - x)
    tolerance = numpy.finfo(lower.dtype).eps ** 0.5 * xp.max(
        xp.abs(x), axis=(-1, -2), keepdims=True
    )
    return xp.all(pivots > 0) & xp.all(error <= tolerance)


@lapack
def linalg_lu(xp, x):
    """Factors one matrix that needs no pivoting, x = L U. Returns one matrix with L below the
    diagonal, and U on and above it."""
    return xp.lu_factor(x)[0]


@lapack
def linalg_eigh(xp, x):
    """Returns (eigenvalues in ascending order, eigenvectors as columns) of Hermitian matrices."""
    values, vectors = xp.linalg.eigh(x)
    return values, vectors


@lapack
def linalg_qr(xp, x):
    """Returns the reduced QR factorization (q, r). The columns of q are orthonormal; their number
    is the smaller side of `x`."""
    q, r = xp.linalg.qr(x)
    return q, r


@lapack
@nan_for_nan
def linalg_eig(xp, x):
    """Returns complex (eigenvalues, eigenvectors as columns of length 1) of general matrices. They
    are computed on the host, because CuPy has no such solver."""
    values, vectors = numpy.linalg.eig(x.get() if hasattr(x, "get") else x)
    dtype = "complex128" if x.dtype in ("float64", "complex128") else "complex64"
    return xp.asarray(values.astype(dtype)), xp.asarray(vectors.astype(dtype))


@lapack
def linalg_logm(xp, x):
    """Returns the principal logarithm of each matrix; on the host."""
    from scipy import linalg  # here, because its import is slow

    host = x.get() if hasattr(x, "get") else x
    rows = [linalg.logm(matrix) for matrix in host.reshape(-1, *host.shape[-2:])]
    return xp.asarray(numpy.array(rows, host.dtype).reshape(host.shape))


@lapack
def linalg_qr_full(xp, x):
    """Returns (q, r) with a square q."""
    q, r = xp.linalg.qr(x, "complete")
    return q, r


@lapack
def linalg_qr_raw(xp, x):
    """Returns the QR factorization as LAPACK's geqrf does, but transposed: (a matrix with R and the
    Householder vectors, the coefficients of these vectors)."""
    packed, tau = xp.linalg.qr(x, "raw")
    return packed, tau


@lapack
@nan_for_nan
def linalg_svd_full(xp, x):
    """Returns (u, s, vᴴ) with square u and v."""
    u, s, vh = xp.linalg.svd(x, full_matrices=True)
    return u, s, vh


@lapack
@nan_for_nan
def linalg_svd(xp, x):
    """Returns the reduced decomposition (u, s, vᴴ); the number of singular values is the smaller
    side of `x`."""
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    return u, s, vh


@lapack
@nan_for_nan
def linalg_svd_values(xp, x):
    """Returns the singular values alone, in descending order."""
    return xp.linalg.svd(x, compute_uv=False)


def fft_c2c(xp, x, axes, norm, inverse):
    """Returns the complex Fourier transform over several axes, or its inverse, in the precision of
    `x`, which may be real. On the host it is SciPy's, which takes half of the time of NumPy's."""
    fft = importlib.import_module("scipy.fft") if type(x) is numpy.ndarray else xp.fft
    out = (fft.ifftn if inverse else fft.fftn)(x, axes=axes, norm=norm)
    return xp.cast(out, xp.module.result_type(x.dtype, "complex64"))
