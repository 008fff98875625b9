"""The one list of the functions of `xp` that a body may call, for every array type.

Below, `[host.select]` names the module of the functions after it. Modules of `_backend` are
imported when a function is first used (space.py); packages above register theirs by `@implements`.
A line is a function without its first parameter `xp`, then the facts that differ from the defaults;
the indented lines say what it does. Functions that NumPy and CuPy both have are listed by name.
docs/contributing.rst says how to add a function and an array type.

Facts:
    family: how a function treats the axes of its arrays. An array type that splits or hides an
        axis needs a rule for each family, and one for each function without a family ("other").

        pointwise   element by element; shapes broadcast
        reduction   `axis` goes, all axes by default
        along       works along `axis`, which stays
        like        returns an array of the shape of its first argument
        create      creates an array from numbers and shapes alone
        stack       works on the last axes; leading ones are a stack
        samples     works on (batch, channels, ...), on each sample separately

    gradient: what Traced does.

        rule        records the vjp rule of _core/autograd/vjp_rules*.py
        parts       records the functions that it calls
        constant    the result carries no gradient
        plain       no function of arrays: a number, a dtype, a module, a question about shapes
        refused     raises an error: there is no gradient

    opaque: its code uses more than `xp`, so a graph (Sketch) without a node of its name refuses it.
    rows: it exists only for bodies that work on rows (bodies/row_plan.py).
"""

from typing import NamedTuple

FAMILIES = ("pointwise", "reduction", "along", "like", "create", "stack", "samples", "other")
GRADIENTS = ("rule", "parts", "constant", "plain", "refused")
LIBRARY = ("numpy", "scipy.special", "scipy.linalg")  # homes of library functions


class Function(NamedTuple):
    """An entry of the catalogue: a function of `xp`.

    Attributes:
        name: the name of the function in `xp`.
        signature, summary: the parameters after `xp`, what it does; empty for a library's function.
        home, target: its module, relative to `_backend` or the package, or library; its name there.
        family, gradient, opaque, rows: see the head of this file.
    """

    name: str
    signature: str
    summary: str
    home: str
    target: str
    family: str = "other"
    gradient: str = "rule"
    opaque: bool = False
    rows: bool = False

    @property
    def provided(self):
        """Returns True if a package above the backend implements the function."""
        return self.home.partition(".")[0] in ("_core", "communication", "ops")


FUNCTIONS = {}


def _facts(words):
    kinds = dict.fromkeys(FAMILIES, "family") | dict.fromkeys(GRADIENTS, "gradient")
    return {kinds.get(word, word): word if word in kinds else True for word in words}


def _library(home, facts, names):
    """Adds functions of the library `home`; `names` and their `facts` are words in a str."""
    for name in names.split():
        FUNCTIONS[name] = Function(name, "", "", home, name, **_facts(facts.split()))


def _functions(text):
    """Adds the functions that `text` lists, in the form that the head of this file describes, to
    FUNCTIONS."""
    home, name, common = "", "", []
    for line in text.strip().splitlines():
        if line.startswith("["):
            home, _, words = line[1:].partition("]")
            common = words.replace(",", " ").split()
        elif line.startswith(" "):
            last = FUNCTIONS[name]
            FUNCTIONS[name] = last._replace(summary=f"{last.summary} {line.strip()}".strip())
        elif line:
            head, _, words = line.partition(" : ")
            name, _, rest = head.partition("(")
            words, _, target = words.partition("as ")
            facts = _facts([*common, *words.replace(",", " ").split()])
            FUNCTIONS[name] = Function(name, f"({rest}", "", home, target or name, **facts)


# Functions of libraries ---------------------------------------------------------------------------

_library(
    "numpy",
    "pointwise",
    """abs add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh conj copysign cos
    cosh deg2rad divide exp exp2 expm1 fmax fmin i0 imag log log10 log1p log2
    logaddexp2 maximum minimum mod multiply nan_to_num negative nextafter positive rad2deg real
    reciprocal sin sinc sinh sqrt square subtract tan tanh""",
)
_library(
    "numpy",
    "pointwise constant",
    """bitwise_and bitwise_or bitwise_xor ceil equal floor floor_divide gcd greater greater_equal
    invert isclose isfinite isinf isnan isreal lcm left_shift less less_equal logical_and
    logical_not logical_or logical_xor not_equal right_shift rint round sign signbit trunc""",
)
_library("numpy", "reduction", "max mean min prod std sum var")
_library("numpy", "reduction constant", "all any")
_library("numpy", "along", "flip sort")
_library("numpy", "along constant", "argsort")
_library("numpy", "like constant", "empty_like full_like ones_like zeros_like")
_library("numpy", "create constant", "arange asarray empty eye full linspace ogrid ones tri zeros")
_library("numpy", "stack", "ascontiguousarray tril triu")
_library(
    "numpy",
    "",
    """array broadcast_to concatenate moveaxis ravel repeat reshape roll rot90 squeeze stack
    swapaxes tile transpose""",
)
_library("numpy", "parts", "diff einsum split tensordot")
_library(
    "numpy",
    "constant",
    """bincount isin lexsort nonzero packbits ravel_multi_index searchsorted unique unpackbits
    unravel_index""",
)
_library("numpy", "plain", "broadcast_shapes fft finfo float32 iinfo inf lib linalg nan")
_library("numpy", "plain", "ndim pi result_type shape size")
_library("numpy", "refused", "broadcast_arrays copyto")
_library(
    "scipy.special",
    "pointwise",
    """betainc digamma erf gammainc gammaincc i0e i1 i1e j0 j1 k0 k0e k1 k1e logit xlogy y0 y1
    zeta""",
)
_library("scipy.special", "", "ndtr")
_library("scipy.special", "pointwise refused", "betaln")
_library("scipy.special", "refused", "ndtri")
_library("scipy.linalg", "refused", "lu_factor")

# Elements and dtypes ------------------------------------------------------------------------------

_functions("""
[space]
at_once() : plain
    The number of elements to process at a time: what fits a cache, and more on a GPU.
rsqrt(x) : pointwise
    1 / sqrt(x).
safe_sqrt(x) : pointwise
    sqrt(x), whose derivative at 0 is 0.
sigmoid(x) : pointwise
    The logistic sigmoid 1 / (1 + exp(-x)), precise in its lower tail.
softplus(x) : pointwise
    log(1 + exp(x)).
gammaln(x) : pointwise
    The logarithm of the absolute value of the gamma function.
polygamma(n, x) : pointwise
    The n-th derivative of digamma.
from_parts(x, y) : pointwise
    Complex numbers with real parts `x` and imaginary parts `y`, of the same dtype.
diagonal(x, offset=0, axis1=0, axis2=1)
    The diagonal over two axes, as a writable view of `x`.
scatter_diagonal(values, shape, offset=0, axis1=0, axis2=1)
    Zeros of `shape` with `values` on the diagonal that `xp.diagonal` reads.
einsum_list(operands, equation)
    `einsum` with the operands first, as a list.
expand_dims(a, axis)
    NumPy's `expand_dims`.
table(function, *arguments) : plain
    The array that `function(*arguments)` makes on the host; a GPU keeps it for the next call.
getitem(x, index)
    x[index].
stop(x) : pointwise, parts
    `x` itself; no gradient flows through it.

[host.float16]
cast(x, dtype)
    `x` converted to a dtype; `x` itself if it already has that dtype.

[host.powers]
logaddexp(x, y) : pointwise
    log(exp(x) + exp(y)).
power(x, y) : pointwise
    NumPy's `power`.

[host.remainders]
fmod(x, y) : pointwise
    NumPy's `fmod`.
hypot(x, y) : pointwise
    NumPy's `hypot`.
remainder(x, y) : pointwise
    NumPy's `remainder`.

[host.select]
at_least(x, low) : pointwise
    max(x, low) in the dtype of `x`; NaN if either is NaN. If equal, the gradient goes to `x`.
at_most(x, high) : pointwise
    min(x, high), with the dtype, NaN and gradient of `at_least`.
clip(x, low, high) : pointwise
    NumPy's `clip`: min(max(x, low), high).
keep(mask, x)
    `x` where `mask` is true, 0 elsewhere; both have the same shape.
where(condition, *choices) : pointwise
    NumPy's `where`.

[host.special] pointwise
erfc(x)
    1 - erf(x); within 8 units in the last place for float32 on the host.
erfinv(x)
    The inverse of erf; within 8 units in the last place for float32 on the host.

[special_grads] pointwise
gammainc_a(a, x)
    The derivative of the regularised lower incomplete gamma function by its order.
gammainc_aa(a, x) : refused
    The second derivative of the same.
betainc_a(a, b, x)
    The derivative of the regularised incomplete beta function by its first parameter.
betainc_b(a, b, x)
    The derivative of the same by its second parameter.
betainc_aa(a, b, x) : refused
    The second derivative of the same by its first parameter.
betainc_ab(a, b, x) : refused
    The derivative of `betainc_a` by the second parameter.
zeta_x(x, q)
    The derivative of the Hurwitz zeta function by its exponent.
zeta_xx(x, q) : refused
    The second derivative of the same.
""")

# Formulas run as a whole --------------------------------------------------------------------------

_functions("""
[host.blockwise]
blockwise(function, *arrays, **scalars) : parts
    Evaluates `function(xp, *arrays, **scalars)` element by element on arrays of one shape.
pointwise(function, *arrays, **scalars) : parts
    The same as `blockwise`; a host evaluates it function by function.
by_rows(function, *arrays) : parts
    Evaluates `function(xp, *arrays)`, which works on each row (first axis) separately.
share(work, count, like) : plain
    [work(0), ..., work(count - 1)]; host threads share the calls; `like` is one of their arrays.
sum_by_rows(function, *arrays) : parts
    The sum over all rows; `function(xp, *arrays)` computes the sum over some of them.
over_queries(function, queries, others) : parts
    Lists of arrays of rows, and of sums over them: `function` for the rows from `first` on.
over_keys(function, rows, keys) : parts
    The same for a function that may take the keys in parts, one after the other.
pick_column(x, column) : parts
    The element in the row's `column`, for each row of a matrix.
add_at_column(x, column, values) : parts
    A matrix with one value per row added in the row's `column`; it may be `x` itself.
quick_ndtr(x) : pointwise
    The normal distribution function; within 6e-8 for float32 on the host, exact elsewhere.

[updates.whole_tensors]
whole_norm(x) : refused
    The Euclidean norm of all elements, in float32 or better.

[bodies.row_plan]
row_sum(x) : rows, refused
    The sum of each row.
row_max(x) : rows, refused
    The largest value of each row; NaN if the row has a NaN.
row_moments(x) : rows, refused
    The mean of each row, its rounding error, and the variance.
row_size() : rows, refused
    The number of elements of a row.
at_column(column) : rows, refused
    True where the position within the row equals the row's `column`.
""")

# Order, indices, padding --------------------------------------------------------------------------

_functions("""
[host.cumulative]
cumsum(x, axis=None) : along
    NumPy's `cumsum`.
cumprod(x, axis=None) : along
    NumPy's `cumprod`.
products_of_others(x) : parts
    The product of all other elements along the last axis, for each element.
linear_recurrence(factors, terms, axis) : along
    y[i] = factors[i] * y[i - 1] + terms[i] along `axis`, and y[0] = terms[0]; of one shape.

[host.order_stats]
argmax(x, axis=None, keepdims=False) : reduction, constant
    NumPy's `argmax`.
argmin(x, axis=None, keepdims=False) : reduction, constant
    NumPy's `argmin`.
index_of_rank(x, axis=-1, rank=0, nan_first=False) : along, constant
    The index of the element with this rank along `axis`, which is kept with length 1. Equal
    values rank by position; rank 0 is the smallest. With `nan_first`, the first NaN counts.
index_so_far(x, axis, largest=True) : along, constant
    The index of the cumulative maximum (or minimum), the last of equal elements; NaN first.
maximum_so_far(x, axis) : along, constant
    The cumulative maximum along `axis`; NaN from the first NaN on.
top_k(x, k, axis=-1, largest=True) : along, parts
    The `k` largest (or smallest) values along `axis` in order, and their indices.
distinct(x) : constant
    The distinct values of one-dimensional `x` as they appear, and each element's index among them.

[host.scatter]
take(x, indices, axis=None)
    NumPy's `take`.
take_along_axis(x, indices, axis) : along
    NumPy's `take_along_axis`.
add_rows(index, values, count) : opaque
    Zeros of `count` rows, with `values[i]` added to row `index[i]` for every i: a segment sum.
scatter_add(x, index, values)
    A copy of `x` with `values` added at `index`; repeated positions receive all their values.
scatter_set(x, index, values)
    A copy of `x` with `values` written at `index`.
scatter_along_axis(x, index, values, axis, add=False)
    A copy of `x` with `values` written (or added) where `take_along_axis` would read.
scatter_reduce(x, index, values, how) : opaque
    A copy of `x` with `values` combined at `index` by "mul", "div", "max" or "min", in order.

[host.padding]
pad(x, pad_width, mode='constant', constant_values=0)
    NumPy's `pad`.
pad_by_index(x, widths, mode)
    `x` padded along each axis with its own values.
add_padding_back(g, shape, widths, mode)
    The gradient of `pad_by_index` for an input of this shape.
""")

# Products and linear algebra ----------------------------------------------------------------------

_functions("""
[host.products]
matmul(x, y, out=None)
    The matrix product of the last two axes; leading axes broadcast, vectors are rows or columns.
matmul_float32(x, y, factor=1.0) : parts
    The matrix product times a number, in float32 or wider; a GPU reads low precision as it is.
matmul_add(x, y, addend) : parts
    The product of two matrices, with a vector added to each row.
vecdot(x, y)
    The sums of x * y, of one shape, over the last axis.
sum_of_squares(x, axis=None, keepdims=False) : reduction
    The sums of the squares of real numbers.
conv_matmul(x, y, out=None) : refused
    A matrix product within a convolution, which has its own TF32 setting on a GPU.

[host.taps]
apply_taps(x, taps) : refused
    The middle axis of `x`, which has three, multiplied by a `Taps` matrix of the host.

[host.linalg] stack
linalg_inv(x)
    The matrix inverse.
linalg_det(x)
    The determinant.
linalg_cofactors(x)
    The derivative of the determinant by each element, also if the determinant is 0.
linalg_slogdet(x)
    (sign, logarithm of the absolute value) of the determinant.
linalg_solve(a, b) : other
    The solution y of a y = b, for a stack of matrices b.
linalg_cholesky(x)
    The Cholesky factor: the lower triangle L of x = L Lᴴ.
linalg_lu(x) : other
    L below the diagonal and U above, x = L U, of one matrix that needs no row exchanges.
linalg_eigh(x) : opaque
    (eigenvalues in ascending order, eigenvectors as columns) of Hermitian matrices.
linalg_eig(x)
    (eigenvalues, eigenvectors as columns of length 1), complex; on the host.
linalg_logm(x) : other
    The principal matrix logarithm; on the host.
linalg_qr(x) : opaque
    The QR decomposition (q, r); q has orthonormal columns, as many as the smaller side.
linalg_qr_full(x)
    (q, r) with a square q.
linalg_qr_raw(x) : refused
    (R above the diagonal and Householder vectors below, transposed; their coefficients).
linalg_svd(x) : opaque
    (u, s, vᴴ) with as many singular values as the smaller side.
linalg_svd_full(x)
    (u, s, vᴴ) with square u and v.
linalg_svd_values(x) : parts
    The singular values alone, in descending order.
fft_c2c(x, axes, norm, inverse) : other
    The complex Fourier transform over several axes, or its inverse, in the precision of `x`.

[ops._image.resize_matrices] stack
apply_axes(x, matrices)
    Multiplies each of the last axes of `x` by its (out, in) host matrix; None skips an axis.
pick_axes(x, indices)
    Selects from each of the last axes of `x` the elements at its host indices.
unpick_axes(y, indices, size)
    The gradient of `pick_axes`; an element that is selected several times receives the sum.
""")

# Sampling, convolution and pooling ----------------------------------------------------------------

_functions("""
[ops._image.grid_points]
sample_points(x, grid, mode, padding, corners)
    Images (N, C, ...) at the points of a grid (N, ..., dimensions) in [-1, 1], x first.
spread_points(g, grid, x_shape, mode, padding, corners) : parts
    The gradient of `sample_points` for the images.
slope_points(g, x, grid, mode, padding, corners) : parts
    The gradient of `sample_points` for the grid.

[conv.convolution] samples, opaque
convolve_nd(x, w, stride, pads, dilation, groups) : as convolve
    Cross-correlation of (batch, channels, ...) with (filters, channels / groups, kernel...).
convolve_input(g, w, x_shape, stride, pads, dilation, groups) : as input_gradient
    The gradient of `convolve_nd` for its input: a transposed convolution of `g`.
convolve_weight(g, x, w_shape, stride, pads, dilation, groups) : other, as weight_gradient
    The gradient of `convolve_nd` for its weights.
im2col(x, kernel, stride, pads, dilation)
    The windows of `x`, (batch, channels, kernel positions, windows).
col2im(g, size, kernel, stride, pads, dilation)
    The gradient of `im2col`: windows added back into images of spatial `size`.

[conv.pooling] samples, opaque
max_pool(x, kernel, stride, pads, dilation, ceil_mode=False) : as maximum
    The largest value of each window of the last axes.
max_pool_index(x, largest, kernel, stride, pads, dilation) : constant, as index_of_maximum
    Flat positions of the values `largest` that `max_pool` found in `x`.
max_pool_gradient(g, x, largest, kernel, stride, pads, dilation) : as max_gradient
    Adds each element of `g` at the index of its window's maximum.
max_pick(u, x, largest, kernel, stride, pads, dilation)
    The elements of `u` at the indices of the maxima of `x`.
average_pool(x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None) : as average
    The mean of each window of the last axes.
average_pool_gradient(g, x_shape, kernel, stride, pads, ceil_mode, include, divisor)
    The gradient of `average_pool`.
take_spatial(u, index, spatial, adaptive=False) : as take_at
    The elements of `u` at flat positions of its last `spatial` axes.
add_spatial(g, index, size, adaptive=False) : as add_at
    Zeros of spatial `size` with `g` added at flat positions `index`.
put_spatial(y, index, size) : as put_at
    Zeros of spatial `size` with `y` written at flat positions `index`.

[conv.adaptive_pooling] samples, opaque
adaptive_average(x, out) : as average
    Means over windows that divide the last axes into `out` parts.
adaptive_pool_gradient(g, size) : as average_gradient
    The gradient of `adaptive_average` for spatial `size`.
adaptive_max_index(x, out) : constant, as index_of_maximum
    Flat positions of the largest values of adaptive windows.
""")

# Random numbers -----------------------------------------------------------------------------------

_functions("""
[random]
random_uniform(shape, low=0.0, high=1.0) : create, constant, opaque
    Uniform random numbers in [low, high), float32.
random_keep(shape, keep, seed0=0, seed1=0) : create, constant, opaque
    A random bool mask that is true with probability `keep`.
random_bits(shape, keep) : create, constant, opaque
    The same mask in bits, eight of the last axis in a byte.

[ops._random.dropout]
dropped(x, mask, keep)
    `x` / `keep` where the mask is true, `x` times 0 elsewhere.
random_leaky(x, drawn, lower, upper)
    `x` where it is not negative, else times a slope that `drawn` in [0, 1) chooses.

[ops._image.glimpse]
glimpse_noise(shape, kind) : create, constant
    Noise around an image: uniform in [-1, 1), normal of mean 10 and deviation 1/2, or zeros.
""")

# Losses and normalisation -------------------------------------------------------------------------

_functions("""
[ops._activation.softmax]
log_soft(x, axis)
    The logarithm of the softmax along `axis`.

[ops._normalization.layer_norm]
row_normal(x, eps)
    The rows of a matrix, normalized to mean 0 and standard deviation 1.

[ops._loss.binary_cross_entropy]
bernoulli_loss(x, y) : pointwise
    -(y log(x) + (1 - y) log(1 - x)), with logarithms bounded below by log(1e-12).
logistic_loss(x, y) : pointwise
    (1 - y) x + log(1 + exp(-x)), the cross entropy of sigmoid(x) with y.

[ops._loss.row_likelihoods]
class_nll(x, target, counts)
    log(sum(exp(x))) - x[target] for each row of (N, C), and 0 where `counts` is false.
smooth_nll(x, target, counts, factor, share)
    factor (log(sum(exp(x))) - x[target]) + sum(share (log(sum(exp(x))) - x)), and 0 likewise.
share_nll(x, target, smoothing)
    -sum(q log(softmax(x))) of each row, with q = target (1 - smoothing) + smoothing / C.

[ops._loss.cross_entropy]
pick_class(x, target, axis)
    The elements of `x` at the indices `target` along `axis`.
place_class(y, target, axis, size)
    The gradient of `pick_class`: zeros with `y` written at the indices `target` along `axis`.

[ops._loss.regression]
huber(x, delta) : pointwise
    x^2 / 2 where |x| is at most `delta`, else delta (|x| - delta / 2).
smooth_l1(x, beta) : pointwise
    x^2 / (2 beta) where |x| is below `beta`, else |x| - beta / 2.

[ops._loss.ctc]
ctc_nll(logs, targets, steps, lengths, blank=0, merge=True) : opaque
    The negative log probability of `targets` (N, S) under (T, N, C) log probabilities.
ctc_alpha(logs, targets, steps, lengths, blank=0) : constant, opaque
    The forward variables, (N, T, 2 S + 1).
ctc_occupation(logs, targets, steps, lengths, blank=0, merge=True) : parts
    The probability that each label is emitted at each time, given the target: (T, N, C).

[ops._loss.rnnt]
rnnt_nll(logs, labels, steps, lengths, blank=0)
    The negative log probability of `labels` (B, U - 1) under (B, T, U, V) log probabilities.
rnnt_occupation(logs, labels, steps, lengths, blank=0) : parts
    The probability that each class is emitted at each point, given the labels: (B, T, U, V).
""")

# Exchanges between ranks --------------------------------------------------------------------------

_functions("""
[communication.transfer]
all_reduce(x, operation, group) : opaque
    The members' arrays combined ("sum", "prod", "max", "min", "avg").
all_gather(x, group) : opaque
    The members' arrays joined along axis 0.
reduce_scatter(x, operation, group) : opaque
    This member's part, along axis 0, of the members' combined arrays.
broadcast_from(x, root, group) : opaque
    Member `root`'s array.
reduce_to(x, root, operation, group)
    The members' arrays combined, on member `root`; the result of the others is meaningless.
gather_to(x, root, group)
    The members' arrays joined along axis 0, on member `root`; meaningless on the others.
scatter_from(x, root, group)
    This member's part, along axis 0, of member `root`'s array; elsewhere `x` gives shape and dtype.
exchange(x, sent_rows, got_rows, group, use='all_to_all') : opaque
    Rows of axis 0: `sent_rows[i]` go to member i, `got_rows[i]` come from it.

[communication.transfer_peers]
send_to(x, peer, tag, group, back)
    Sends `x` to member `peer` of `group` and returns it; the gradient comes through `back`.
receive_from(like, peer, tag, group, back)
    Receives an array from member `peer` of `group`; `like` gives shape and dtype.
gradient_from(g, peer, tag, group) : refused
    Receives the gradient that member `peer` of `group` sends for the array that it received.
gradient_to(g, peer, tag, group) : refused
    Sends the gradient of a received array without waiting for its receiver; returns zeros.
neighbors(xs, to, source, shapes, dtype, group)
    Sends `xs` to the members `to`; returns the elements that the members `source` send, flat.
""")

# Into and out of a vmap ---------------------------------------------------------------------------

_functions("""
[_core.vmap.batch]
enter_batch(x, space, axis)
    `x` with its axis `axis` hidden, as an array of `space`.
leave_batch(x, space, axis)
    The array behind `x`, with the hidden axis moved to `axis`.
sum_slices(x)
    The sum over the slices of a Batch: the gradient of an array that all slices share.
""")

# What a space provides besides its functions.
ATTRIBUTES = {
    "module": "the array library below it",
    "from_scipy": "a function of SciPy, or what stands in its place for the array library",
    "low_precision": "dtypes that are computed in float32 and rounded on store",
    "low_precision_products": "the same for the products of matrices",
    "low_precision_kernels": "the same for ops that are whole kernels on a GPU",
    "bodies": "single kernels for whole bodies (bodies/gpu.py, bodies/host.py), or None",
    "kernels": "hand-written kernels (conv/cuda_kernels.py), or None",
    "upcast_kernels": "single kernels for functions in low precision (bodies/upcast.py), or None",
    "number": "a number as a 0-d array of a dtype, which nobody writes to",
    "level": "how many vmaps deep it is",
    "hides_axis": "whether its arrays have an axis that bodies do not see",
    "merges_axes": "whether reshape merges axes without an exchange",
    "choose": "of Sharded: divides the weights of an operator (auto_parallel)",
    "by_operator": "of Staged: operators go to `run_apart` before their bodies run",
    "run_apart": "of Batch, Sharded, Sketch and Staged: runs an operator whose body cannot",
    "gradients": "of Sharded: what a vjp returns, as divided arrays",
    "settled": "of Sharded: gradients, placed as what they are the gradients of",
    "base": "of Traced, Batch, Sharded and Sketch: the space of the arrays behind the values",
    "wrap": "of Traced and Sketch: an array as a value",
    "is_batch": "of Batch, Sharded and Sketch: whether a value is a Batch of this space",
    "to_device": "of Batch, Recorded, Sharded and Sketch: an array on the device of the others",
    "draws": "of Batch: random numbers for all slices",
}
