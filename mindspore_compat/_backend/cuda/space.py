"""The array functions of a GPU: CuPy's functions, except for matrix products by cuBLAS and
convolutions by cuDNN.

Functions that contract axes, such as `tensordot` and `einsum`, use these products, because CuPy's
own functions call cuBLAS in a way that cannot be captured.
"""

import functools

import ml_dtypes
import numpy

from ..bodies.gpu import Bodies
from ..bodies.upcast import UpcastKernels
from ..conv.cuda_kernels import Kernels
from ..elementwise import PRIMITIVES
from ..host import scatter
from ..host.taps import sum_of_taps
from ..space import Space, implementation
from . import alignments, grid_points, inside_points, scatter_products, suppression
from . import taps as sparse
from .along_axis import scatter_along, take_along
from .contractions import einsum, tensordot
from .convolution import Convolutions
from .joining import concatenated, stacked
from .products import Products
from .recurrent import Layers
from .tables import Tables

BFLOAT16, FLOAT16 = numpy.dtype(ml_dtypes.bfloat16), numpy.dtype(numpy.float16)


class DeviceSpace(Space):
    """The array namespace of a GPU: the functions of CuPy arrays. Functions that CuPy defines
    otherwise than NumPy follow NumPy here.

    Args:
        module: CuPy, or its stand-in.

    Attributes:
        tables (Tables): arrays that are made on the host and kept.
        products (Products): the products of matrices.
        convolutions (Convolutions): convolutions and their gradients.
        recurrent_layers (recurrent.Layers): the recurrent layers that cuDNN computes.
        low_precision_products (frozenset): the dtypes whose products are computed in float32 and
            rounded when stored, by casts before and after; other dtypes need none.
        low_precision_kernels (frozenset): the same for ops that hand their arrays to whole kernels
            (`bodies`, `kernels`), which read and write low precision themselves.
    """

    def __init__(self, module):
        low_precision = frozenset({BFLOAT16})
        special, linalg = "cupyx.scipy.special", "cupyx.scipy.linalg"
        super().__init__(module, special, linalg, low_precision, Kernels(module), Bodies(module))
        self.upcast_kernels = UpcastKernels(module, low_precision | {FLOAT16})
        self.tables = Tables(module)
        self.table, self.number = self.tables.array, self.tables.number
        self.products = Products(module)
        self.low_precision_products = frozenset() if self.products.library else low_precision
        self.low_precision_kernels = frozenset() if self.bodies.compiles else low_precision
        self.matmul, self.matmul_add = self.products.matmul, self.products.matmul_add
        self.matmul_float32 = self.products.matmul_float32
        self.convolutions = Convolutions(self)
        self.recurrent_layers = Layers(self)
        self.convolve_nd = self.convolutions.convolve
        self.convolve_input = self.convolutions.input_gradient
        self.convolve_weight = self.convolutions.weight_gradient

    def conv_matmul(self, x, y, out=None):
        """Returns a matrix product within a convolution, which has its own TF32 setting."""
        return self.products.matmul(x, y, out, "conv")

    def dot(self, x, y):
        """Computes NumPy's `dot`: over the last axis of `x` and the last but one, or the only one,
        of `y`."""
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        if y.ndim == 1 or x.ndim <= 2 and y.ndim == 2:
            return self.matmul(x, y)
        return self.tensordot(x, y, ((x.ndim - 1,), (y.ndim - 2,)))

    def inner(self, x, y):
        """Computes NumPy's `inner`: over the last axis of both."""
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        return self.tensordot(x, y, ((x.ndim - 1,), (y.ndim - 1,)))

    def vdot(self, x, y):
        """Computes NumPy's `vdot`: the sum of products over all elements. The elements of `x` are
        conjugated.
        """
        return self.matmul(self.module.conj(x).ravel(), y.ravel())

    def tensordot(self, x, y, axes=2):
        """Computes NumPy's `tensordot`."""
        return tensordot(self, x, y, axes)

    def einsum(self, equation, *operands, **options):
        """Computes NumPy's `einsum` of an equation and arrays."""
        return einsum(self, equation, operands, options)

    def einsum_list(self, operands, equation):
        """Returns `einsum` with the operands first, as a list."""
        return einsum(self, equation, operands, {})

    def fmod(self, x, y):
        """Returns the remainder with the sign of `x`; CuPy computes 64-bit integers in float64."""
        if _are_floats(x, y):
            return self.bodies.pointwise(_fmod, x, y)
        if x.dtype.kind not in "iu" or x.dtype.itemsize < 8:
            return self.module.fmod(x, y)
        remainder = self.remainder(x, y)
        return self.where((remainder != 0) & ((x < 0) != (y < 0)), remainder - y, remainder)

    def remainder(self, x, y):
        """Returns the remainder with the sign of `y`."""
        if _are_floats(x, y):
            return self.bodies.pointwise(_remainder, x, y)
        return self.module.remainder(x, y)

    def where(self, condition, *choices):
        """Computes NumPy's `where`. For bfloat16, which CuPy widens, it selects the bits; a number
        is rounded first."""
        dtypes = [getattr(x, "dtype", None) for x in choices]
        if BFLOAT16 not in dtypes or not {None, BFLOAT16}.issuperset(dtypes):
            return self.module.where(condition, *choices)
        bits = [self.module.asarray(x, BFLOAT16).view("uint16") for x in choices]
        return self.module.where(condition, *bits).view(BFLOAT16)

    def concatenate(self, x, axis=0):
        """Computes NumPy's `concatenate` of a list of arrays."""
        out = None if self.kernels is None else concatenated(self.module, x, axis)
        return self.module.concatenate(x, axis) if out is None else out

    def stack(self, x, axis=0):
        """Computes NumPy's `stack` of a list of arrays."""
        out = None if self.kernels is None else stacked(self.module, x, axis)
        return self.module.stack(x, axis) if out is None else out

    def take_along_axis(self, x, indices, axis):
        """Computes NumPy's `take_along_axis`."""
        if self.kernels is not None and x.ndim and indices.dtype.kind in "iu":
            elements = take_along(self.module, x, indices, axis)
            if elements is not None:
                return elements
        return self.module.take_along_axis(x, indices, axis)

    def scatter_along_axis(self, x, index, values, axis, add=False):
        """Returns a copy of `x` with `values` at elements along an axis, as the catalogue says."""
        if self.kernels is not None and x.ndim and hasattr(values, "dtype"):
            out = scatter_along(self.module, x, index, values, axis, add)
            if out is not None:
                return out
        return scatter.scatter_along_axis(self, x, index, values, axis, add)

    def scatter_reduce(self, x, index, values, how):
        """Returns a copy of `x` combined with values at some elements, as the catalogue says."""
        out = scatter_products.scattered(self, x, index, values, how)
        return scatter.scatter_reduce(self, x, index, values, how) if out is None else out

    def bincount(self, x, weights=None, minlength=0):
        """Computes NumPy's `bincount`, after one wait for the largest number."""
        unlike = weights is not None and (weights.shape != x.shape or weights.dtype.kind == "c")
        if x.ndim != 1 or x.dtype.kind not in "biu" or not x.size or unlike:
            return self.module.bincount(x, weights, minlength)
        low, high = self.stack([x.min(), x.max()]).tolist()
        if low < 0:
            raise ValueError("'list' argument must have no negative elements")
        if weights is None:
            return scatter.occurrences(self, x, max(high + 1, minlength))
        sums = self.zeros(max(high + 1, minlength), "float64")
        self.add.at(sums, x.astype("int64", copy=False), weights.astype("float64", copy=False))
        return sums

    def survivors(self, close):
        """Returns the candidates that are close to no earlier one that stays."""
        if self.kernels is not None and close.dtype == bool:
            return suppression.survivors(self.module, close)
        return implementation("survivors")(self, close)

    def sample_points(self, x, grid, *settings):
        """Returns samples of images, as the catalogue says."""
        if grid_points.takes(self, x, grid):
            return grid_points.sample(self, x, grid, *settings)
        return implementation("sample_points")(self, x, grid, *settings)

    def spread_points(self, g, grid, x_shape, *settings):
        """Returns the gradient of `sample_points` for the images."""
        if grid_points.takes(self, g, grid):
            return grid_points.spread(self, g, grid, x_shape, *settings)
        return implementation("spread_points")(self, g, grid, x_shape, *settings)

    def slope_points(self, g, x, grid, mode, padding, corners):
        """Returns the gradient of `sample_points` for the grid."""
        if mode == "bilinear" and grid_points.takes(self, g, x, grid):
            return grid_points.slope(self, g, x, grid, padding, corners)
        return implementation("slope_points")(self, g, x, grid, mode, padding, corners)

    def ctc_nll(self, logs, targets, steps, lengths, blank=0, merge=True):
        """Returns the losses of CTC, as the catalogue says."""
        given = logs, targets, steps, lengths, blank, merge
        if alignments.takes(self, logs):
            return alignments.Ctc(self.module, *given).nll()
        return implementation("ctc_nll")(self, *given)

    def ctc_nll_and_alpha(self, logs, targets, steps, lengths, blank=0):
        """Returns the losses and the forward variables of CTC."""
        given = logs, targets, steps, lengths, blank
        if alignments.takes(self, logs):
            return alignments.Ctc(self.module, *given).nll_and_alpha()
        return implementation("ctc_nll_and_alpha")(self, *given)

    def ctc_occupation(self, logs, targets, steps, lengths, blank=0, merge=True):
        """Returns the probabilities of classes at each time, given the targets of CTC."""
        given = logs, targets, steps, lengths, blank, merge
        if alignments.takes(self, logs):
            return alignments.Ctc(self.module, *given).occupation()
        return implementation("ctc_occupation")(self, *given)

    def rnnt_nll(self, logs, labels, steps, lengths, blank=0):
        """Returns the losses of a transducer, as the catalogue says."""
        given = logs, labels, steps, lengths, blank
        if alignments.takes(self, logs):
            return alignments.rnnt_nll(self.module, *given)
        return implementation("rnnt_nll")(self, *given)

    def rnnt_occupation(self, logs, labels, steps, lengths, blank=0):
        """Returns the probabilities of classes at each point of a transducer."""
        given = logs, labels, steps, lengths, blank
        if alignments.takes(self, logs):
            return alignments.rnnt_occupation(self.module, *given)
        return implementation("rnnt_occupation")(self, *given)

    def inside_points(self, x, images, ys, xs):
        """Returns samples of the images at some indices, as the catalogue says."""
        if inside_points.takes(self, x, ys, xs):
            return inside_points.sample(self, x, images, ys, xs)
        return implementation("inside_points")(self, x, images, ys, xs)

    def spread_inside(self, g, images, ys, xs, x_shape):
        """Returns the gradient of `inside_points` for the images."""
        if inside_points.takes(self, g, ys, xs):
            return inside_points.spread(self, g, images, ys, xs, x_shape)
        return implementation("spread_inside")(self, g, images, ys, xs, x_shape)

    def slope_inside(self, g, x, images, ys, xs, by_ceil=False):
        """Returns the gradients of `inside_points` for the coordinates."""
        if inside_points.takes(self, g, x, ys, xs):
            return inside_points.slope(self, g, x, images, ys, xs, by_ceil)
        return implementation("slope_inside")(self, g, x, images, ys, xs, by_ceil)

    def apply_taps(self, x, taps):
        """Returns the middle axis of `x`, which has three, multiplied by a `Taps` matrix."""
        out = sparse.product(self, x, taps)
        return sum_of_taps(self, x, taps) if out is None else out

    def rsqrt(self, x):
        """Computes 1 / sqrt(x), of reals as one kernel."""
        if x.dtype.kind in "fV":
            return self.bodies.pointwise(_rsqrt, x)
        return implementation("rsqrt")(self, x)

    def tril(self, x, k=0):
        """Returns the lower triangle, selected as by `where`."""
        return self.module.tril(x, k).astype(x.dtype, copy=False)

    def triu(self, x, k=0):
        """Returns the upper triangle, selected as by `where`."""
        return self.module.triu(x, k).astype(x.dtype, copy=False)

    def clip(self, x, low, high):
        """Computes NumPy's `clip`. CuPy returns `high` for NaN where `low` is larger."""
        same = all(getattr(bound, "dtype", x.dtype) == x.dtype for bound in (low, high))
        if x.dtype.kind == "f" and same:
            return _clip(self.module)(x, low, high)
        return self.module.clip(x, low, high)

    def sign(self, x):
        """Computes NumPy's `sign`. If one part of a complex number is infinite, only the sign of
        this part counts; CuPy divides by the absolute value, which gives NaN."""
        if x.dtype.kind != "c":
            return self.module.sign(x)
        where, isinf = self.module.where, self.module.isinf
        real_is_infinite, imag_is_infinite = isinf(x.real), isinf(x.imag)
        one = self.number(1.0, x.real.dtype)
        real, imag = (
            where(
                itself,
                where(other, numpy.nan, self.module.copysign(one, part)),
                where(other, 0, part),
            ).astype(part.dtype)
            for part, itself, other in (
                (x.real, real_is_infinite, imag_is_infinite),
                (x.imag, imag_is_infinite, real_is_infinite),
            )
        )
        return self.module.sign(self.from_parts(real, imag))

    def arctan2(self, x, y):
        """Returns the angle of real numbers; refuses complex ones, for which CuPy's kernel does not
        compile."""
        return self._of_reals("arctan2", x, y)

    def hypot(self, x, y):
        """Returns the length of the hypotenuse of real numbers; refuses complex ones as `arctan2`
        does."""
        return self._of_reals("hypot", x, y)

    def _of_reals(self, name, *arrays):
        if any(isinstance(x, complex) or getattr(x, "dtype", BFLOAT16).kind == "c" for x in arrays):
            raise TypeError(f"{name} is not defined for complex numbers")
        return getattr(self.module, name)(*arrays)


def _are_floats(x, y):
    """Returns True for arrays of one dtype of floats."""
    kinds = {getattr(operand, "dtype", None) for operand in (x, y)}
    return len(kinds) == 1 and kinds.pop().kind == "f"


def _fmod(xp, x, y):
    return xp.fmod(x, y)


def _remainder(xp, x, y):
    return xp.remainder(x, y)


def _rsqrt(xp, x):
    return 1 / xp.sqrt(x)


@functools.cache
def _clip(module):
    text = PRIMITIVES["clip"].c.format("x", "low", "high")
    return module.ElementwiseKernel("T x, T low, T high", "T y", f"y = {text};", "clip")
