"""The functions of `xp` that modules of `_backend` define, in the form that `__init__.py`
describes."""

TEXT = """
# Elements and dtypes

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
    x - trunc(x / y) * y, with an exact quotient; NaN if `y` is infinite.
hypot(x, y) : pointwise
    NumPy's `hypot`.
remainder(x, y) : pointwise
    x - floor(x / y) * y, with an exact quotient; NaN if `y` is infinite.

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
polygamma(n, x)
    The n-th derivative of digamma; within 8 units in the last place for float32 and n = 1.

[special_grads] pointwise
gammainc_a(a, x)
    The derivative of the regularised lower incomplete gamma function with respect to its order.
gammainc_aa(a, x) : refused
    The second derivative of the same.
betainc_a(a, b, x)
    The derivative of the regularised incomplete beta function with respect to its first parameter.
betainc_b(a, b, x)
    The derivative of the same with respect to its second parameter.
betainc_aa(a, b, x) : refused
    The second derivative of the same with respect to its first parameter.
betainc_ab(a, b, x) : refused
    The derivative of `betainc_a` with respect to the second parameter.
zeta_x(x, q)
    The derivative of the Hurwitz zeta function with respect to its exponent.
zeta_xx(x, q) : refused
    The second derivative of the same.

# Formulas run as a whole

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
progression(start, step, count, dtype, last=None) : create, constant
    `start + step * i` for each i below `count`, computed in float64; the last one may be given.
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

# Order, indices, padding

[host.cumulative]
cumsum(x, axis=None) : along
    NumPy's `cumsum`.
cumprod(x, axis=None) : along
    NumPy's `cumprod`.
products_of_others(x) : parts
    The product of all other elements along the last axis, for each element.
linear_recurrence(factors, terms, axis) : along
    y[i] = factors[i] * y[i - 1] + terms[i] along `axis`, and y[0] = terms[0]; of one shape.

[host.joining]
concatenate(x, axis=0)
    NumPy's `concatenate` of a list of arrays.

[host.order_stats]
argmax(x, axis=None, keepdims=False) : reduction, constant
    NumPy's `argmax`.
argmin(x, axis=None, keepdims=False) : reduction, constant
    NumPy's `argmin`.
extremes(x, axis, largest=True) : along, parts
    The largest (or smallest) elements along `axis`, which is kept with length 1, and their indices,
    the first of equal elements; NaN first.
index_of_rank(x, axis=-1, rank=0, nan_first=False) : along, constant
    The index of the element with this rank along `axis`, which is kept with length 1. Equal
    values rank by position; rank 0 is the smallest. With `nan_first`, the first NaN counts.
index_of_median(x, axis=-1) : along, constant
    The index of the lower median of the elements along `axis` that are not NaN, kept with length 1.
extremes_so_far(x, axis, largest=True) : along, parts
    The cumulative maxima (or minima) and their indices, the last of equal elements; NaN first.
maximum_so_far(x, axis) : along, constant
    The cumulative maximum along `axis`; NaN from the first NaN on.
top_k(x, k, axis=-1, largest=True) : along, parts
    The `k` largest (or smallest) values along `axis` in order, and their indices.
distinct(x) : constant
    The distinct values of one-dimensional `x` as they appear, and each element's index among them.

[host.suppression]
survivors(close) : constant, opaque
    The candidates that are close to no earlier one that stays, (N,), given a mask of pairs (N, N).

[host.scatter]
getitem(x, index)
    x[index].
take(x, indices, axis=None)
    NumPy's `take`.
take_along_axis(x, indices, axis) : along
    NumPy's `take_along_axis`.
segment_sum(index, values, count) : opaque
    Segment sum of `count` rows: row r is the sum of the `values[i]` with `index[i] == r`.
occurrences(index, count) : constant, opaque
    How often each number in [0, count) occurs in `index`, which has no others; int64.
scatter_add(x, index, values)
    A copy of `x` with `values` added at `index`; repeated positions receive all their values.
add_slices(slices, indices, shape)
    Zeros of `shape`, with each of `slices` added at its index of integers and slices, in order.
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

# Products and linear algebra

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
    The product of the middle axis of a 3-D array and a `Taps` matrix on the host.

[host.linalg] stack
linalg_inv(x)
    The matrix inverse.
linalg_det(x)
    The determinant.
linalg_cofactors(x)
    The derivative of the determinant with respect to each element, even if the determinant is 0.
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

# Sampling, convolution and pooling

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

# Random numbers

[random.streams]
random_uniform(shape, low=0.0, high=1.0, source=None) : create, constant, opaque
    Uniform random numbers in [low, high), float32.
random_keep(shape, keep, seed0=0, seed1=0, source=None) : create, constant, opaque
    A random bool mask that is true with probability `keep`.
dropout_mask(shape, dtype, keep, seed0=0, seed1=0, source=None) : create, constant, opaque
    The same mask as `dropped` takes it for arrays of `dtype`, in bits on a GPU.
kept_ones(mask, shape, dtype) : constant, opaque
    The mask of `dropout_mask` as ones and zeros of a shape and dtype.
random_bits(shape, keep, source=None) : create, constant, opaque
    The same mask in bits, eight of the last axis in a byte.
"""
