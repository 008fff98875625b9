"""The functions of `xp` that packages above `_backend` define, in the form that `__init__.py`
describes."""

TEXT = """
# Images

[ops._image.resize_matrices] stack
apply_axes(x, matrices)
    Multiplies each of the last axes of `x` by its (out, in) host matrix; None skips an axis.
pick_axes(x, indices)
    Selects from each of the last axes of `x` the elements at its host indices.
unpick_axes(y, indices, size)
    The gradient of `pick_axes`; an element that is selected several times receives the sum.

[ops._image.grid_points]
sample_points(x, grid, mode, padding, corners)
    Images (N, C, ...) at the points of a grid (N, ..., dimensions) in [-1, 1], x first; if
    `corners` is None, the grid has pixel coordinates, with the padding "zeros".
spread_points(g, grid, x_shape, mode, padding, corners) : parts
    The gradient of `sample_points` for the images.
slope_points(g, x, grid, mode, padding, corners) : parts
    The gradient of `sample_points` for the grid.

[ops._image.bilinear]
inside_points(x, images, ys, xs)
    Images (N, C, H, W) at points (R, P) inside those at the indices `images` (R,): (R, P, C).
spread_inside(g, images, ys, xs, x_shape) : parts
    The gradient of `inside_points` for the images.
slope_inside(g, x, images, ys, xs, by_ceil=False) : parts
    The gradients of `inside_points` for `ys` and `xs`. They are the differences of the pixels
    before a point and after it. At a pixel, the next one is after it, or with `by_ceil` itself.

[ops._image.glimpse]
glimpse_noise(shape, kind) : create, constant
    Noise around an image: uniform in [-1, 1), normal of mean 10 and deviation 1/2, or zeros.

# Random numbers

[ops._random.dropout]
dropped(x, mask, keep)
    `x` / `keep` where the mask is true, `x` times 0 elsewhere.
random_leaky(x, drawn, lower, upper)
    `x` where it is not negative, else times a slope that `drawn` in [0, 1) chooses.

# Distances

[ops._reduction.distance]
euclidean(x1, x2)
    The Euclidean distances of all rows (..., P, M) and (..., R, M) of float32: (..., P, R).

# Losses and normalisation

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

[ops._loss.label_hinges] stack
label_hinges(x, target)
    The sum of max(x[i] - x[t] + 1, 0) over the target classes t of a row and all others i.
label_slopes(x, target) : constant
    The derivatives of `label_hinges` for `x`.
label_marks(target) : constant
    True for the target classes of each row.

[ops._loss.ctc]
ctc_nll(logs, targets, steps, lengths, blank=0, merge=True) : opaque
    The negative log probability of `targets` (N, S) under (T, N, C) log probabilities.
ctc_nll_and_alpha(logs, targets, steps, lengths, blank=0) : opaque
    The same, and the forward variables (N, T, 2 S + 1), which carry no gradient.
ctc_occupation(logs, targets, steps, lengths, blank=0, merge=True) : parts
    The probability that each label is emitted at each time, given the target: (T, N, C).
ctc_with_slope(x, rows, merge=True, has_empty=True) : opaque
    The losses of `CTCLoss` and its second result, given logits (T, N, C) and rows of integers.

[ops._loss.rnnt]
rnnt_nll(logs, labels, steps, lengths, blank=0)
    The negative log probability of `labels` (B, U - 1) under (B, T, U, V) log probabilities.
rnnt_occupation(logs, labels, steps, lengths, blank=0) : parts
    The probability that each class is emitted at each point, given the labels: (B, T, U, V).

# Exchanges between ranks

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

# Into and out of a vmap

[_core.vmap.batch]
enter_batch(x, space, axis)
    `x` with its axis `axis` hidden, as an array of `space`.
leave_batch(x, space, axis)
    The array behind `x`, with the hidden axis moved to `axis`.
sum_slices(x)
    The sum over the slices of a Batch: the gradient of an array that all slices share.
"""
