"""Parameters that accept a 0-d Tensor, or a NumPy bool, as a number or a bool.

MindSpore reads the value of such a Tensor if it neither checks the type of the argument nor passes
it to a Primitive as an attribute. A name with "()" accepts such values in a tuple or list. The
names were observed in MindSpore 2.10: one Tensor at a time, equal to a value that the parameter
accepts as a Python number, in the first call of a process. (A later call reuses the Primitive that
an earlier call created from an equal number, and accepts almost anything.)
"""

import functools

from .python_numbers import parsed

# Public module -> "function or class: its parameters; ..."
_TABLE = {
    "Tensor": """
        flip: dims(); new_empty: size(); new_ones: size(); new_zeros: size(); rot90: dims()
    """,
    "mint": """
        broadcast_to: shape(); permute: dims(); select: dim; zeros: size()
    """,
    "mint.nn": """
        SyncBatchNorm: momentum num_features
    """,
    "nn": """
        LayerNorm: begin_norm_axis begin_params_axis; MultiheadAttention: dropout num_heads;
        OneHot: axis depth; PReLUExt: init num_parameters; Transformer: nhead num_decoder_layers
        num_encoder_layers; Unflatten: unflattened_size()
    """,
    "ops": """
        AdaptiveMaxPool2D: output_size(); batch_norm: momentum; BatchNorm: momentum;
        BroadcastTo: shape(); fft2: dim() s(); fftn: dim() s(); flip: dims(); hfft2: dim() s();
        hfftn: dim() s(); ifft2: dim() s(); ifftn: dim() s(); ihfft2: dim() s(); ihfftn: dim()
        s(); irfft2: dim() s(); irfftn: dim() s(); LayerNorm: begin_norm_axis begin_params_axis;
        Lstsq: fast l2_regularizer; MapUniform: group_num per_group_size; permute: axis();
        random_categorical: seed; RandomCategorical: seed; Range: maxlen; ResizeNearestNeighbor:
        size(); rfft2: dim() s(); rfftn: dim() s(); rot90: dims(); scatter_nd: shape();
        ScatterNd: shape(); tensor_muls: other; Transpose: dims(); transpose: dims();
        TransposeExtView: dim0 dim1
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
