"""Window functions and the short-time Fourier transform (STFT)."""

import math

from ..._backend.arrays import current_space
from ..._core.declare.inputs import Promote
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import Falsy
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Float,
    Int,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    checked,
    integer,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._elementwise.complex_parts import view_as_real
from .._shape.pad import pad
from ..primitive import Primitive
from .fft import fft, rfft

Length = Int(ge=0) | TensorOf("int32", "int64")
Real = DType("float16", "float32", "float64")


def _window(api, length, periodic, dtype, weights):
    """Returns `weights(xp, indices, last)` at `length` indices; a periodic window omits the last
    index. A window of one element has the weight 1. It is computed in float64 for every dtype,
    unless a Tensor gives the length.
    """
    as_number = not isinstance(length, Tensor)
    if isinstance(length, Tensor):
        if length.ndim:
            raise ValueError(
                f"For '{api}', 'window_length' must be one number, but got shape {length.shape}."
            )
        length = length.item()
    if length < 0:
        raise ValueError(f"For '{api}', 'window_length' must be at least 0, but got {length}.")
    xp = current_space()
    whole = length + 1 if periodic else length
    indices = xp.arange(whole, dtype="float64")
    result = weights(xp, indices, whole - 1)[:length] if length > 1 else xp.ones(length)
    return Tensor._wrap(
        result if length < 2 and as_number else result.astype(dtypes.to_numpy(dtype))
    )


def _cosines(*shares):
    """Computes a window that is a sum of cosines of whole periods with alternating signs."""

    def weights(xp, indices, last):
        turn = 2 * math.pi * indices / last
        return sum((-1) ** i * share * xp.cos(i * turn) for i, share in enumerate(shares))

    return weights


@public("ops.hann_window")
@checked
def hann_window(window_length: Int(ge=0), periodic: Bool = True, *, dtype: Real = None):
    """Computes the Hann window, 0.5 - 0.5 cos(2 pi n / (N - 1)); float64 by default.

    Args:
        window_length (int): the number of elements.
        periodic (bool): whether the window is one period of a periodic function, as transforms
            need; else it is symmetric.
        dtype (mindspore.dtype): a floating dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `window_length` is below 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.hann_window(4))
        [0.  0.5 1.  0.5]

    Source: mindspore.ops.hann_window of MindSpore 2.10; likewise the other windows.
    """
    dtype = dtype or dtypes.float64
    return _window("hann_window", window_length, periodic, dtype, _cosines(0.5, 0.5))


@public("ops.hamming_window")
@checked
def hamming_window(
    window_length: Int(ge=0),
    periodic: Bool = True,
    alpha: Float = 0.54,
    beta: Float = 0.46,
    *,
    dtype: Real = None,
):
    """Computes the Hamming window, alpha - beta cos(2 pi n / (N - 1)); float32 by default.

    Args:
        window_length (int): the number of elements.
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        alpha (float): the constant term. Default: 0.54.
        beta (float): the factor of the cosine. Default: 0.46.
        dtype (mindspore.dtype): float16, float32 or float64; None for float32.

    Returns:
        Tensor of shape (window_length,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.hamming_window(4))
        [0.08 0.54 1.   0.54]
    """
    dtype = dtype or dtypes.float32
    return _window("hamming_window", window_length, periodic, dtype, _cosines(alpha, beta))


@public("ops.blackman_window")
@checked
def blackman_window(window_length: Length, periodic: Bool = True, *, dtype: Real = None):
    """Computes the Blackman window, 0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1));
    float32 by default.

    Args:
        window_length (Union[int, Tensor]): the number of elements.
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        dtype (mindspore.dtype): float16, float32 or float64; None for float32.

    Returns:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.blackman_window(ms.Tensor(4)).shape)
        (4,)
    """
    dtype = dtype or dtypes.float32
    return _window("blackman_window", window_length, periodic, dtype, _cosines(0.42, 0.5, 0.08))


@public("ops.bartlett_window")
@checked
def bartlett_window(window_length: Length, periodic: Bool = True, *, dtype: Real = None):
    """Computes the Bartlett (triangular) window, 1 - |2 n / (N - 1) - 1|; float32 by default.

    Args:
        window_length (Union[int, Tensor]): the number of elements.
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        dtype (mindspore.dtype): float16, float32 or float64; None for float32.

    Returns:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.bartlett_window(ms.Tensor(4)))
        [0.  0.5 1.  0.5]
    """
    return _window(
        "bartlett_window",
        window_length,
        periodic,
        dtype or dtypes.float32,
        lambda xp, indices, last: 1 - xp.abs(2 * indices / last - 1),
    )


@public("ops.kaiser_window")
@checked
def kaiser_window(
    window_length: Int(ge=0),
    periodic: Bool = True,
    beta: AsValue(Number | Bool, TupleOf) = 12.0,
    *,
    dtype: Real = None,
):
    """Computes the Kaiser window with shape `beta`, from the Bessel function I0; float64 by
    default.

    Args:
        window_length (int): the number of elements.
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        beta (Number): the shape; a larger one gives a narrower window. Default: 12.0.
        dtype (mindspore.dtype): float16, float32 or float64; None for float64.

    Returns:
        Tensor of shape (window_length,).

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.kaiser_window(4).shape)
        (4,)
    """

    def weights(xp, indices, last):
        return xp.i0(beta * xp.sqrt(1 - (2 * indices / last - 1) ** 2)) / xp.i0(xp.asarray(beta))

    dtype = dtype or dtypes.float64
    return _window("kaiser_window", window_length, periodic, dtype, weights)


class _WindowOf(Primitive):
    """The base class of window Primitives: `ops.BartlettWindow(periodic, dtype)(window_length)`."""

    @checked
    def __init__(self, periodic: Bool = True, dtype: Real = dtypes.float32):
        super().__init__(type(self).__name__)
        self.periodic, self.dtype = periodic, dtype


@public("ops.BartlettWindow")
class BartlettWindow(_WindowOf):
    """The class form of `ops.bartlett_window`.

    Args:
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        dtype (mindspore.dtype): float16, float32 or float64. Default: float32.

    Inputs:
        - **window_length** (Tensor): the number of elements, one int.

    Outputs:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.BartlettWindow()(ms.Tensor(4)))
        [0.  0.5 1.  0.5]
    """

    def __call__(self, window_length):
        return bartlett_window(window_length, self.periodic, dtype=self.dtype)


@public("ops.BlackmanWindow")
class BlackmanWindow(_WindowOf):
    """The class form of `ops.blackman_window`.

    Args:
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        dtype (mindspore.dtype): float16, float32 or float64. Default: float32.

    Inputs:
        - **window_length** (Tensor): the number of elements, one int.

    Outputs:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.BlackmanWindow()(ms.Tensor(4)).shape)
        (4,)
    """

    def __call__(self, window_length):
        return blackman_window(window_length, self.periodic, dtype=self.dtype)


@public("ops.HammingWindow")
class HammingWindow(Primitive):
    """The class form of `ops.hamming_window`; the length is a Tensor of one int.

    Args:
        periodic (bool): whether the window is one period of a periodic function; otherwise it is
            symmetric. Default: True.
        alpha (float): the constant term. Default: 0.54.
        beta (float): the factor of the cosine. Default: 0.46.
        dtype (mindspore.dtype): float16, float32 or float64. Default: float32.

    Inputs:
        - **length** (Tensor): the number of elements, one int.

    Outputs:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.HammingWindow()(ms.Tensor([4])).shape)
        (4,)
    """

    @checked
    def __init__(
        self,
        periodic: Bool = True,
        alpha: Float = 0.54,
        beta: Float = 0.46,
        dtype: Real = dtypes.float32,
    ):
        super().__init__("HammingWindow")
        self.periodic, self.alpha, self.beta, self.dtype = periodic, alpha, beta, dtype

    @checked
    def __call__(self, length: TensorOf(integer)):
        if length.shape != (1,):
            raise ValueError(
                f"For 'HammingWindow', 'length' must have one element, but got shape "
                f"{length.shape}."
            )
        return hamming_window(
            int(length.item()), self.periodic, self.alpha, self.beta, dtype=self.dtype
        )


# Frames -------------------------------------------------------------------------------------------


@op(types=Promote("x window"), compute="native")
def stretches(
    xp,
    x: TensorOf("float32", "float64", "complex64", "complex128"),
    window: TensorOf("float32", "float64", "complex64", "complex128"),
    n_fft: Int,
    hop: Int,
    onesided: Bool,
    normalized: Bool,
):
    """Computes the Fourier transforms of windowed frames, (..., frequencies, frames)."""
    count = 1 + (x.shape[-1] - n_fft) // hop
    indices = xp.arange(count)[:, None] * hop + xp.arange(n_fft)[None]
    framed = xp.getitem(x, (Ellipsis, indices)) * window
    turns = (rfft if onesided else fft).body(xp, framed)
    complex_dtype = "complex128" if x.dtype in ("float64", "complex128") else "complex64"
    result = xp.swapaxes(turns, -1, -2) / (math.sqrt(n_fft) if normalized else 1)
    return xp.cast(result, complex_dtype)


def _transform(x, n_fft, hop, length, window, normalized, onesided, as_complex):
    """Computes the transform for `stft` and `STFT`, whose arguments have been checked."""
    is_complex = x._array.dtype.kind == "c" or window._array.dtype.kind == "c"
    onesided = not is_complex if onesided is None else onesided
    if not 0 < length <= n_fft or window.shape != (length,):
        raise ValueError(
            f"For 'stft', 'win_length' must be from 1 to 'n_fft', {n_fft}, and 'window' must have "
            f"this length, but got {length} and shape {window.shape}."
        )
    if not 0 < n_fft <= x.shape[-1] or hop <= 0:
        raise ValueError(
            f"For 'stft', 'n_fft' must be in (0, {x.shape[-1]}] and 'hop_length' above 0, but got "
            f"{n_fft} and {hop}."
        )
    if is_complex and onesided:
        raise ValueError("For 'stft', 'onesided' must be False for complex input.")
    if length < n_fft:
        pad = (n_fft - length) // 2
        xp = space_for(window._array)
        sides = [(pad, n_fft - length - pad)]
        window = Tensor._wrap(xp.pad(window._array, sides))
    out = stretches.run(x, window, n_fft, hop, onesided, normalized)
    as_complex = is_complex if as_complex is None else as_complex
    return out if as_complex else view_as_real.run(out)


@public("ops.stft")
@checked
def stft(
    x: TensorOf("float32", "float64", "complex64", "complex128"),
    n_fft: Int,
    hop_length: Int = None,
    win_length: Int = None,
    window: TensorOf() = None,
    center: Bool | Falsy | None = True,
    pad_mode: AsValue(OneOf("REFLECT", "CONSTANT", "reflect", "constant")) = "REFLECT",
    normalized: Bool = False,
    onesided: Bool = None,
    return_complex: Bool = None,
):
    """Computes the short-time Fourier transform (STFT) of a signal, over overlapping windowed
    frames.

    Args:
        x (Tensor): one signal, or one signal per row.
        n_fft (int): the number of samples per transform.
        hop_length (int): the distance of successive frames. Default: a quarter of `n_fft`.
        win_length (int): the length of the window. Default: `n_fft`.
        window (Tensor): the weights. Default: ones.
        center (bool): whether the signal is padded so that frames are centred on their positions.
        pad_mode (str): the mode of this padding, as in `ops.pad`.
        normalized (bool): whether the result is divided by the square root of `n_fft`.
        onesided (bool): whether mirrored frequencies are omitted. Default: True for real signals.
        return_complex (bool): whether the result is complex; else its last axis holds real and
            imaginary parts. Default: True for complex signals.

    Raises:
        TypeError: if an argument has the wrong type, or `x` does not have one or two axes.
        ValueError: if lengths do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.stft(ms.ops.ones((8,)), 4, return_complex=True).shape)
        (3, 9)

    Source: mindspore.ops.stft of MindSpore 2.10.
    """
    if x.ndim not in (1, 2):
        raise TypeError(f"For 'stft', 'x' must have one or two axes, but got {x.shape}.")
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if window is None:
        real = "float64" if x._array.dtype in ("float64", "complex128") else "float32"
        window = Tensor._wrap(space_for(x._array).ones(max(length, 0), real))
    if center:
        x = _center(x, n_fft // 2, pad_mode.lower())
    return _transform(x, n_fft, hop, length, window, normalized, onesided, return_complex)


def _center(x, width, mode):
    rows = x.expand_dims(0) if x.ndim == 1 else x
    rows = pad(rows, (width, width), mode)
    return rows.squeeze(0) if x.ndim == 1 else rows


@public("ops.STFT")
class STFT(Primitive):
    """The class form of `ops.stft` without padding: `ops.STFT(n_fft, hop, length, ...)(x, window)`.

    Args:
        n_fft (int): the number of samples per transform.
        hop_length (int): the distance of successive frames.
        win_length (int): the length of the window.
        normalized (bool): whether the result is divided by the square root of `n_fft`.
        onesided (bool): whether mirrored frequencies are omitted.
        return_complex (bool): whether the result is complex; else its last axis holds real and
            imaginary parts.

    Inputs:
        - **x** (Tensor): one signal, or one signal per row.
        - **window** (Tensor): the weights, of length `win_length`.

    Outputs:
        Tensor with the axes frequency and frame in place of time.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.STFT(4, 2, 4, False, True, True)(ms.ops.ones((8,)),
        ...         ms.ops.ones((4,))).shape)
        (3, 3)
    """

    @checked
    def __init__(
        self,
        n_fft: Int,
        hop_length: Int,
        win_length: Int,
        normalized: Bool,
        onesided: Bool,
        return_complex: Bool,
    ):
        super().__init__("STFT")
        self.n_fft, self.hop_length, self.win_length = n_fft, hop_length, win_length
        self.normalized, self.onesided = normalized, onesided
        self.return_complex = return_complex

    @checked
    def __call__(
        self,
        x: TensorOf("float32", "float64", "complex64", "complex128"),
        window: TensorOf("float32", "float64", "complex64", "complex128"),
    ):
        if x.ndim not in (1, 2):
            raise ValueError(f"For 'STFT', 'x' must have one or two axes, but got {x.shape}.")
        sizes = self.n_fft, self.hop_length, self.win_length
        return _transform(x, *sizes, window, self.normalized, self.onesided, self.return_complex)
