"""mindspore.numpy: new Tensors."""

import math

import numpy

from .._backend.arrays import current_space
from .._core import dtype as dtypes
from .._core.surface import build
from .._core.tensor import Tensor
from ..ops import _arrange, _index, _random, _shape
from ..ops._cast import named_dtype
from ..ops._padding import pad_by_index, pad_constant
from ._convert import as_tensor, need_tensor, shape_tuple, with_dtype

__all__ = [
    "arange", "array", "asarray", "asfarray", "bartlett", "blackman", "copy", "diag",
    "diag_indices", "diagflat",
    "diagonal", "empty", "empty_like", "eye", "full", "full_like", "geomspace", "hamming",
    "hanning", "histogram",
    "histogram2d", "histogram_bin_edges", "histogramdd", "identity", "indices", "ix_", "linspace",
    "logspace", "meshgrid",
    "mgrid", "ogrid", "ones", "ones_like", "pad", "rand", "randint", "randn", "trace", "tri",
    "tril", "tril_indices",
    "tril_indices_from", "triu", "triu_indices", "triu_indices_from", "vander", "zeros",
    "zeros_like",
]

float32, int32 = dtypes.float32, dtypes.int32


def _new(values, dtype, api):
    return with_dtype(Tensor._wrap(current_space().asarray(values)), dtype, api)


def array(obj, dtype=None, copy=True, ndmin=0):
    """A Tensor of an array-like value; ints become int32 and floats float32.

    Args:
        obj (Union[int, float, bool, list, tuple, Tensor]): the values.
        dtype (Union[mindspore.dtype, str]): the dtype wanted.
        copy (bool): False to return a Tensor that fits as it is. Default: True.
        ndmin (int): the least number of axes; new ones come first. Default: 0.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if the lists differ in length.
    """
    found = with_dtype(as_tensor(obj, "array"), dtype, "array")
    if copy and found is obj:
        found = build("Tensor", "copy")(found)
    return found.reshape((1,) * max(ndmin - found.ndim,
                                    0) + found.shape) if ndmin > found.ndim else found


def asarray(a, dtype=None):
    """A Tensor of an array-like value; a Tensor that fits is returned as it is."""
    return array(a, dtype, copy=False)


def asfarray(a, dtype=float32):
    """A Tensor of an array-like value in a floating dtype, float32 by default."""
    wanted = named_dtype("asfarray", dtype)
    return array(a, wanted if wanted.is_floating_point else float32, copy=False)


def copy(a):
    """The same values in memory of their own."""
    return build("Tensor", "copy")(as_tensor(a, "copy"))


def zeros(shape, dtype=float32):
    """Zeros of a shape; float32 by default."""
    return _new(current_space().zeros(shape_tuple(shape, "zeros")), dtype, "zeros")


def ones(shape, dtype=float32):
    """Ones of a shape; float32 by default."""
    return _new(current_space().ones(shape_tuple(shape, "ones")), dtype, "ones")


def empty(shape, dtype=float32):
    """A Tensor of a shape whose values are whatever the memory holds; float32 by default."""
    wanted = dtypes.to_numpy(named_dtype("empty", dtype))
    return Tensor._wrap(current_space().empty(shape_tuple(shape, "empty"), wanted))


def full(shape, fill_value, dtype=None):
    """An array-like value repeated to a shape, in its own dtype unless one is given."""
    value = with_dtype(as_tensor(fill_value, "full"), dtype, "full")
    return build("Tensor", "copy")(_shape.broadcast_to.run(value, shape_tuple(shape, "full")))


def _like(a, fill, dtype, shape, api):
    a = as_tensor(a, api)
    wanted = a.dtype if dtype is None else dtype
    return full(a.shape if shape is None else shape, fill, wanted)


def zeros_like(a, dtype=None, shape=None):
    """Zeros in the shape and dtype of an array-like value, unless others are given."""
    return _like(a, 0, dtype, shape, "zeros_like")


def ones_like(a, dtype=None, shape=None):
    """Ones in the shape and dtype of an array-like value, unless others are given."""
    return _like(a, 1, dtype, shape, "ones_like")


def empty_like(prototype, dtype=None, shape=None):
    """A Tensor in the shape and dtype of an array-like value whose values are whatever the memory
    holds."""
    a = as_tensor(prototype, "empty_like")
    return empty(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)


def full_like(a, fill_value, dtype=None, shape=None):
    """An array-like value repeated, in the shape and dtype of another unless others are given."""
    return _like(a, fill_value, dtype, shape, "full_like")


def arange(start, stop=None, step=None, dtype=None):
    """Numbers from `start` to below `stop`, `step` apart; int32 for ints, float32 for floats.

    Raises:
        TypeError: if an argument is no number.
    """
    given = [v.item() if isinstance(v, Tensor) else v for v in (start, stop, step)]
    for one in given:
        if one is not None and (isinstance(one, bool) or not isinstance(one, (int, float))):
            raise TypeError(f"For 'arange', the arguments must be numbers, but got {one!r} of "
                            f"type {type(one).__name__}.")
    whole = all(isinstance(v, int) for v in given if v is not None)
    first, last = (0, given[0]) if given[1] is None else given[:2]
    made = current_space().arange(first, last, 1 if given[2] is None else given[2])
    return _new(made, (int32 if whole else float32) if dtype is None else dtype, "arange")


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, evenly apart, along an axis; float32 by default.

    With `retstep` the distance as well.

    Raises:
        TypeError: if an argument has another type. ValueError: if `num` is not positive.
    """
    if isinstance(num, bool) or not isinstance(num, int):
        raise TypeError(f"For 'linspace', 'num' must be an int, but got {num!r} of type "
                        f"{type(num).__name__}.")
    if num < 0:
        raise ValueError(f"For 'linspace', 'num' must not be negative, but got {num}.")
    first, last = as_tensor(start, "linspace").astype(float32), as_tensor(stop,
            "linspace").astype(float32)
    parts = num - 1 if endpoint else num
    step = (last - first) / parts if parts else (last - first) * float("nan")
    counts = Tensor([float(i) for i in range(num)]) if num else zeros(0)
    rank = (first + last).ndim
    found = first + counts.reshape((-1,) + (1,) * rank) * (step if parts else last * 0)
    if endpoint and num > 1:  # the end exactly, whatever rounding did
        found = _shape.cat.run([found[:-1], (first * 0 + last).reshape((1, *found.shape[1:]))], 0)
    found = with_dtype(_shape.moveaxis.run(found, 0, axis), dtype, "linspace")
    return (found, step) if retstep else found


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`base` to the powers of `linspace`."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    return with_dtype(build("ops", "pow")(as_tensor(base, "logspace").astype(float32), powers),
                      dtype, "logspace")


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, each the same multiple of the one before."""
    first, last = as_tensor(start, "geomspace").astype(float32), as_tensor(stop,
            "geomspace").astype(float32)
    shares = linspace(0, 1, num, endpoint, axis=axis)
    return with_dtype(first * build("ops", "pow")(last / first, shares), dtype, "geomspace")


def eye(N, M=None, k=0, dtype=float32):
    """Ones on the k-th diagonal of an N x M matrix, zeros elsewhere.

    Raises:
        TypeError: if a length is no int. ValueError: if one is negative.
    """
    shape = shape_tuple((N, N if M is None else M), "eye")
    return _new(current_space().eye(*shape, k), dtype, "eye")


def identity(n, dtype=float32):
    """Ones on the diagonal of an n x n matrix."""
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=float32):
    """Ones on and below the k-th diagonal of an N x M matrix."""
    return _new(current_space().tri(*shape_tuple((N, N if M is None else M), "tri"), k), dtype,
                "tri")


def tril(m, k=0):
    """The lower triangle of each matrix."""
    return _shape.tril.run(as_tensor(m, "tril"), k)


def triu(m, k=0):
    """The upper triangle of each matrix."""
    return _shape.triu.run(as_tensor(m, "triu"), k)


def _triangle(made):
    rows = _index.argwhere.run(made).astype(int32)
    return rows[:, 0], rows[:, 1]


def tril_indices(n, k=0, m=None):
    """The rows and the columns of the lower triangle of an n x m matrix; int32."""
    return _triangle(tri(n, m, k))


def triu_indices(n, k=0, m=None):
    """The rows and the columns of the upper triangle of an n x m matrix; int32."""
    return _triangle(1 - tri(n, m, k - 1))


def tril_indices_from(arr, k=0):
    """The rows and the columns of the lower triangle of a matrix like this one."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    """The rows and the columns of the upper triangle of a matrix like this one."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag(v, k=0):
    """A matrix with a vector on its k-th diagonal, or that diagonal of a matrix."""
    return _arrange.vector_diag.run(as_tensor(v, "diag"), k)


def diagflat(v, k=0):
    """A matrix with all elements on its k-th diagonal."""
    return _arrange.diagflat.run(as_tensor(v, "diagflat"), k)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonal over two axes, along a new last axis."""
    return _arrange.diagonal.run(as_tensor(a, "diagonal"), offset, axis1, axis2)


def diag_indices(n, ndim=2):
    """The positions of the diagonal of an array of `ndim` axes of length n; int32."""
    return (arange(n),) * ndim


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal over two axes."""
    return with_dtype(_arrange.trace.run(as_tensor(a, "trace"), offset, axis1, axis2), dtype,
                      "trace")


def vander(x, N=None, increasing=False):
    """The powers of each element of a vector, one row for each, from the highest down (or up)."""
    found = _arrange.vander.run(as_tensor(x, "vander"), N)
    return _shape.flip.run(found, (1,)) if increasing else found


def meshgrid(*xi, sparse=False, indexing="xy"):
    """The coordinates of the grid that vectors span, as a list; `sparse` keeps axes of length 1."""
    vectors = [as_tensor(x, "meshgrid").reshape(-1) for x in xi]
    whole = _arrange.meshgrid(*vectors, indexing=indexing)
    if not sparse:
        return list(whole)
    rank = len(vectors)
    own = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    return [v.reshape((1,) * a + (-1,) + (1,) * (rank - a - 1)) for v, a in zip(vectors, own)]


def indices(dimensions, dtype=int32, sparse=False):
    """The coordinates of a grid of these lengths, as a list (with `sparse` a tuple)."""
    found = meshgrid(*[arange(n) for n in dimensions], sparse=sparse, indexing="ij")
    found = [with_dtype(one, dtype, "indices") for one in found]
    return tuple(found) if sparse else found


def ix_(*args):
    """Vectors shaped so that they index a grid together."""
    return tuple(meshgrid(*args, sparse=True, indexing="ij"))


class _Grid:
    """`mgrid[0:3, 0:2]` and `ogrid[...]`: coordinates from slices; a step of 4j means four points,
    ends included."""

    def __init__(self, whole):
        self.whole = whole

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        vectors = [self._vector(part) for part in parts]
        if not isinstance(key, tuple):
            return vectors[0]
        found = meshgrid(*vectors, sparse=not self.whole, indexing="ij")
        return _shape.stack.run(found, 0) if self.whole else found

    def _vector(self, part):
        start = 0 if part.start is None else part.start
        if isinstance(part.step, complex):
            return linspace(start, part.stop, int(abs(part.step)))
        return arange(start, part.stop, 1 if part.step is None else part.step)


mgrid, ogrid = _Grid(True), _Grid(False)


def _window(api, formula):
    def function(M):
        if isinstance(M, bool) or not isinstance(M, int):
            raise TypeError(f"For '{api}', 'M' must be an int, but got {M!r} of type "
                            f"{type(M).__name__}.")
        if M < 1:
            return zeros(0)
        if M == 1:
            return ones(1)
        steps = numpy.arange(M)
        return _new(formula(steps, M - 1).astype(numpy.float32), None, api)

    function.__name__ = function.__qualname__ = api
    function.__doc__ = f"The {api} window of M points, float32. A TypeError if `M` is no int."
    return function


bartlett = _window("bartlett", lambda n, last: 1 - numpy.abs(2 * n / last - 1))
blackman = _window("blackman", lambda n, last: 0.42 - 0.5 * numpy.cos(2 * math.pi * n / last)
                   + 0.08 * numpy.cos(4 * math.pi * n / last))
hamming = _window("hamming", lambda n, last: 0.54 - 0.46 * numpy.cos(2 * math.pi * n / last))
hanning = _window("hanning", lambda n, last: 0.5 - 0.5 * numpy.cos(2 * math.pi * n / last))


# Random -------------------------------------------------------------------------------------------


def rand(*shape, dtype=float32):
    """Uniform numbers in [0, 1)."""
    return _random.rand(*shape).astype(named_dtype("rand", dtype))


def randn(*shape, dtype=float32):
    """Numbers of the standard normal distribution."""
    return _random.randn(*shape).astype(named_dtype("randn", dtype))


def randint(minval, maxval=None, shape=None, dtype=int32):
    """Whole numbers in [minval, maxval), or in [0, minval); one number by default.

    Raises:
        ValueError: if the range is empty.
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    size = (1,) if shape is None else shape_tuple(shape, "randint")
    return _random.randint(low, high, size).astype(named_dtype("randint", dtype))


# Histograms and padding ---------------------------------------------------------------------------


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of equal bins over the values (or over a range), or the edges given.

    Raises:
        ValueError: if `bins` is not positive, or the range is empty.
    """
    if not isinstance(bins, int):
        return as_tensor(bins, "histogram_bin_edges")
    if bins < 1:
        raise ValueError(f"For 'histogram_bin_edges', 'bins' must be positive, but got {bins}.")
    a = as_tensor(a, "histogram_bin_edges").astype(float32)
    low, high = (float(a.min()), float(a.max())) if range is None else range
    if low > high:
        raise ValueError(f"For 'histogram_bin_edges', 'range' must not be empty, but got ({low}, "
                         f"{high}).")
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return linspace(low, high, bins + 1)


def histogram(a, bins=10, range=None, weights=None, density=False):
    """(how many values fall into each bin, the edges of the bins); the last bin includes its
    end."""
    counts, (edges,) = histogramdd([as_tensor(a, "histogram").reshape(-1)],
                                   [_edges_of(a, bins, range)], None, weights, density)
    return counts, edges


def _edges_of(a, bins, range):
    return histogram_bin_edges(a, bins, range)


def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """(how many points fall into each cell, the edges along x, the edges along y)."""
    counts, edges = histogramdd([as_tensor(x), as_tensor(y)], bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """(how many points fall into each cell, a list of the edges along each axis).

    Args:
        sample (Union[list[Tensor], Tensor]): one vector for each axis, or a matrix of one row for
            each point.
        bins (Union[int, list]): the number of bins, or the numbers or edges for each axis. Default:
            10.
        range (Union[list[tuple], None]): the range along each axis.
        weights (Tensor): what each point counts.
        density (bool): True to divide by the total and by each cell's size.
    """
    columns = [as_tensor(s, "histogramdd").reshape(-1) for s in sample] if isinstance(sample,
            (list, tuple)) else [
        need_tensor(sample, "histogramdd")[:, i] for i in builtins_range(sample.shape[1])]
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * len(columns)
    ranges = list(range) if range is not None else [None] * len(columns)
    edges = [histogram_bin_edges(c, b, r) for c, b, r in zip(columns, each, ranges)]
    place, inside = None, None
    for column, edge in zip(columns, edges):
        column = column.astype(edge.dtype)
        count = edge.shape[0] - 1
        at = build("ops", "searchsorted")(edge, column, right=True) - 1
        at = build("ops", "where")(column == edge[-1], count - 1, at)
        good = (at >= 0) & (at < count)
        place = at if place is None else place * count + at
        inside = good if inside is None else inside & good
    total = math.prod(e.shape[0] - 1 for e in edges)
    own = build("ops", "where")(inside, place, total)
    weights = (ones(columns[0].shape) if weights is None
               else as_tensor(weights).reshape(-1).astype(float32))
    counts = build("ops", "unsorted_segment_sum")(weights, own, total + 1)[:total]
    counts = counts.reshape(tuple(e.shape[0] - 1 for e in edges))
    if density:
        counts = counts / counts.sum()
        for axis, edge in enumerate(edges):
            counts = counts / (edge[1:] - edge[:-1]).reshape((-1,) + (1,) * (len(edges) - axis - 1))
    return counts, edges


def builtins_range(count):
    """The ints below `count` (some functions here have a parameter named `range`)."""
    return list(numpy.arange(count).tolist())


def _pairs(value, rank, api):
    """A padding argument as one (before, after) for each axis."""
    value = value.tolist() if isinstance(value, Tensor) else value
    if isinstance(value, (int, float)):
        return [(value, value)] * rank
    value = list(value)
    if len(value) == 1:
        value = value[0] if isinstance(value[0], (list, tuple)) else [value[0], value[0]]
    if not isinstance(value[0], (list, tuple)):
        return [tuple(value)] * rank
    if len(value) not in (1, rank):
        raise ValueError(f"For '{api}', there must be one pair for each of {rank} axes, but got "
                         f"{value}.")
    pairs = value * rank if len(value) == 1 else value
    return [(pair[0], pair[-1]) for pair in pairs]


def pad(arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0,
        reflect_type="even",
        **kwargs):
    """A Tensor with values added around it.

    Args:
        arr (Union[list, tuple, Tensor]): the values.
        pad_width (Union[int, tuple, list]): how many values go before and after along each axis.
        mode (Union[str, Function]): "constant", "edge", "wrap", "empty", "linear_ramp", "maximum",
            "mean", "median",
            "minimum", "reflect", "symmetric", or a function as numpy.pad takes it. Default:
            "constant".
        stat_length (Union[None, int, tuple]): how many values at each end the statistics look at.
        constant_values, end_values (Union[int, float, tuple]): for "constant" and "linear_ramp".
            Default: 0.
        reflect_type (str): "even" or "odd". Default: "even".

    Raises:
        TypeError: if `arr` is none of these. ValueError: if `mode` is none of these, or a width
        negative.
    """
    arr = as_tensor(arr, "pad")
    widths = _pairs(pad_width, arr.ndim, "pad")
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(f"For 'pad', 'pad_width' must not hold negative numbers, but got "
                         f"{pad_width}.")
    if callable(mode):
        return _padded_by(arr, widths, mode, kwargs)
    if mode not in _PADDING:
        raise ValueError(f"For 'pad', 'mode' must be one of {sorted(_PADDING)}, but got {mode!r}.")
    options = {"stat_length": stat_length, "constant_values": constant_values,
               "end_values": end_values,
               "reflect_type": reflect_type}
    return _PADDING[mode](arr, widths, options)


def _padded_by(arr, widths, function, kwargs):
    host = numpy.pad(arr.asnumpy(), widths, function, **kwargs)
    return Tensor(host)


def _pad_constant(arr, widths, options):
    values = _pairs(options["constant_values"], arr.ndim, "pad")
    for axis, (width, value) in enumerate(zip(widths, values)):
        for side in (0, 1):
            one = [(0, 0)] * arr.ndim
            one[axis] = (width[0], 0) if side == 0 else (0, width[1])
            arr = pad_constant.run(arr, one, value[side])
    return arr


def _pad_by_index(mode):
    def run(arr, widths, options):
        if options["reflect_type"] == "even" or mode not in ("reflect", "symmetric"):
            return pad_by_index.run(arr, widths, mode)
        # odd: turned over around the value at the edge, axis by axis
        for axis, width in enumerate(widths):
            own = [width if i == axis else (0, 0) for i in builtins_range(arr.ndim)]
            mirrored, edges = pad_by_index.run(arr, own, mode), pad_by_index.run(arr, own,
                                                                                 "replicate")
            front = (slice(None),) * axis
            last = width[0] + arr.shape[axis]
            ends = [edges[front + (part,)] * 2 - mirrored[front + (part,)] for part in (slice(0,
                    width[0]), slice(last, None))]
            arr = _shape.cat.run([ends[0], arr, ends[1]], axis)
        return arr

    return run


def _pad_statistic(name):
    def run(arr, widths, options):
        lengths = options["stat_length"]
        lengths = [(None, None)] * arr.ndim if lengths is None else _pairs(lengths, arr.ndim, "pad")
        for axis, ((before, after), (first, last)) in enumerate(zip(widths, lengths)):
            front = (slice(None),) * axis
            ends = arr[front + (slice(None, first),)], arr[front + (slice(-last if last else None,
                                                                          None),)]
            parts = [_statistic(name, end, axis) for end in ends]
            blocks = [p.broadcast_to(arr.shape[:axis] + (n,) + arr.shape[axis + 1:]) for p,
                      n in zip(parts, (before, after))]
            arr = _shape.cat.run([blocks[0], arr, blocks[1]], axis)
        return arr

    return run


def _statistic(name, part, axis):
    """One value along an axis, kept with length 1, in the dtype of the part (rounded for ints)."""
    if name in ("maximum", "minimum"):
        return build("ops", {"maximum": "amax", "minimum": "amin"}[name])(part, axis, True)
    wide = part.astype(float32)
    if name == "mean":
        found = build("ops", "mean")(wide, axis, True)
    else:
        ordered = build("ops", "sort")(wide, axis)[0]
        count = part.shape[axis]
        front = (slice(None),) * axis
        low, high = (count - 1) // 2, count // 2
        middle = [ordered[front + (slice(i, i + 1),)] for i in (low, high)]
        found = (middle[0] + middle[1]) / 2
    if part._array.dtype.kind in "iu":
        found = build("ops", "round")(found)
    return found.astype(part.dtype)


def _pad_ramp(arr, widths, options):
    ends = _pairs(options["end_values"], arr.ndim, "pad")
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, ends)):
        front = (slice(None),) * axis
        left, right = arr[front + (slice(0, 1),)], arr[front + (slice(-1, None),)]
        blocks = [_ramp(left, first, before, axis, False), _ramp(right, last, after, axis, True)]
        arr = _shape.cat.run([blocks[0], arr, blocks[1]], axis)
    return arr


def _ramp(edge, end, count, axis, rising):
    """Values on a straight line between an edge and an end value, the end included."""
    steps = [(i + 1) / count if rising else 1 - i / count for i in builtins_range(count)]
    weight = as_tensor(steps or [0.0])[:count]
    weight = weight.reshape((1,) * axis + (-1,) + (1,) * (edge.ndim - axis - 1))
    return (edge + (end - edge) * weight).astype(edge.dtype)


_PADDING = {
    "constant": _pad_constant, "empty": _pad_constant, "edge": _pad_by_index("replicate"),
    "wrap": _pad_by_index("circular"),
    "reflect": _pad_by_index("reflect"), "symmetric": _pad_by_index("symmetric"),
    "linear_ramp": _pad_ramp,
    **{name: _pad_statistic(name) for name in ("maximum", "mean", "median", "minimum")},
}
