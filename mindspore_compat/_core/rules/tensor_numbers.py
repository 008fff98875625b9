"""Parameters that take a Tensor without axes, or a NumPy bool, for a number or a bool.

MindSpore reads the value of such a Tensor where it neither checks the type of the argument nor
hands it to a Primitive as an attribute. A name with "()" takes such values in a tuple or list. The
names were observed in MindSpore 2.10: one Tensor at a time, equal to a value that the parameter
takes as a Python number.
"""

import functools

from .python_numbers import parsed

# Public module -> "function or class: its parameters; ..."
_TABLE = {
    "Tensor": """
        amax: keepdims; amin: keepdims; aminmax: keepdims; argmax_with_value: keep_dims;
        argmin_with_value: keep_dims; cholesky: upper; cholesky_inverse: upper; cholesky_solve:
        upper; flip: dims(); histc: bins; matrix_power: n; mvlgamma: p; nanmedian: axis
        keepdims; new_empty: size(); new_ones: size(); new_zeros: size(); renorm: axis maxnorm
        p; reverse_sequence: batch_dim seq_dim; rot90: dims(); tril: diagonal; unbind: dim
    """,
    "mint": """
        broadcast_to: shape(); index_add: dim; permute: dims(); select: dim; zeros: size()
    """,
    "mint.nn": """
        SyncBatchNorm: momentum num_features
    """,
    "nn": """
        LayerNorm: begin_norm_axis begin_params_axis; MultiheadAttention: dropout num_heads;
        OneHot: axis depth; PReLUExt: init num_parameters; Softmin: axis; Transformer: nhead
        num_decoder_layers num_encoder_layers; Unflatten: unflattened_size()
    """,
    "ops": """
        AdaptiveMaxPool2D: output_size(); amax: keepdims; amin: keepdims; aminmax: keepdims;
        any: keep_dims; argsort: axis descending; avg_pool3d: ceil_mode count_include_pad
        divisor_override kernel_size stride; bartlett_window: periodic; batch_norm: momentum
        training; BatchNorm: momentum; blackman_window: periodic; bounding_box_decode:
        wh_ratio_clip; BroadcastTo: shape(); cholesky: upper; cholesky_inverse: upper;
        cholesky_solve: upper; conv1d: groups; conv2d: dilation groups stride; conv3d: dilation
        groups stride; conv3d_transpose: stride; crop_and_resize: extrapolation_value;
        ctc_greedy_decoder: merge_repeated; deformable_conv2d: groups modulated; fft2: dim()
        s(); fftn: dim() s(); flip: dims(); hfft2: dim() s(); hfftn: dim() s(); histc: bins;
        ifft2: dim() s(); ifftn: dim() s(); ihfft2: dim() s(); ihfftn: dim() s(); index_add:
        axis; intopk: k; irfft2: dim() s(); irfftn: dim() s(); isclose: equal_nan; LayerNorm:
        begin_norm_axis begin_params_axis; Lstsq: fast l2_regularizer; MapUniform: group_num
        per_group_size; matrix_power: n; matrix_solve: adjoint; max_pool2d: ceil_mode dilation
        padding; max_pool3d: ceil_mode dilation kernel_size padding stride; mean: keep_dims;
        median: axis keepdims; multi_margin_loss: p; mvlgamma: p; nanmedian: axis keepdims;
        padding: pad_dim_size; pdist: p; permute: axis(); random_categorical:
        seed; RandomCategorical: seed; Range: maxlen; renorm: axis maxnorm p;
        ResizeNearestNeighbor: size(); reverse_sequence: batch_dim seq_dim; rfft2: dim() s();
        rfftn: dim() s(); rot90: dims(); scatter_nd: shape(); scatter_nd_add: use_locking;
        scatter_nd_div: use_locking; scatter_nd_max: use_locking; scatter_nd_min: use_locking;
        scatter_nd_mul: use_locking; scatter_nd_sub: use_locking; ScatterNd: shape(); softmin:
        axis; sort: axis descending; stack: axis; tensor_muls: other; top_k: sorted; topk:
        sorted; Transpose: dims(); transpose: dims(); TransposeExtView: dim0 dim1; tril:
        diagonal; unbind: dim; unstack: axis; vector_norm: keepdims
    """,
    "scipy.fft": """
        dct: axis n type; dctn: axes() s() type; idct: axis n type; idctn: axes() s() type
    """,
    "train": """
        Fbeta: beta
    """,
}


@functools.cache
def _parameters():
    return parsed(_TABLE)


def from_tensors(path: str) -> frozenset:
    """Returns the parameters of a public function or class ("ops.conv2d") that take Tensors as
    numbers."""
    return _parameters().get(path, frozenset())
