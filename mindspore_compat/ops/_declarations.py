"""Imports every module of this package that declares operators, so that `mindspore.ops` can show
them."""

from ._activation import elu, gelu, glu, hard, inplace, relu, shrink, sigmoid, softmax
from ._attention import (
    attention,
    flash,
    fused_infer,
    inference,
    kv_cache,
    multi_head,
    nsa_compress,
    nsa_compress_attention,
    nsa_select,
    paged,
    prompt_incre,
    ring_attention,
    rotary,
    sparse_flash,
    speed_fusion,
)
from ._communication import (
    all_to_all,
    collective,
    fused_matmul,
    neighbor_exchange,
    parameter_server,
    reshard,
)
from ._conv import conv, conv_transpose, dilation2d, patches, unfold
from ._custom import custom, kernel, morph, register, vm_impl
from ._debug import dump, float_status, get_next, print_summary
from ._elementwise import (
    addn,
    arithmetic,
    bessel,
    bitwise,
    cast,
    clamp,
    comparison,
    complex_parts,
    division,
    elementary,
    floating_point,
    gradients,
    logical,
    maximum,
    quantize,
    rounding,
    special,
    ternary,
    trigonometric,
)
from ._embedding import cache_map, cache_rows, lookup
from ._image import (
    boxes,
    crop,
    deformable,
    glimpse,
    grid_sample,
    interpolate,
    pixel_shuffle,
    resize,
    roi_align,
    roi_pooling,
    rotated_iou,
    suppression,
)
from ._indexing import (
    assign,
    gather,
    getitem,
    index_arithmetic,
    inplace,
    masks,
    scatter,
    scatter_along_axis,
    take,
    triangle_indices,
)
from ._legacy import containers, keywords, names, registry, replay_buffer, tensor_stores
from ._linalg import (
    covariance,
    decomposition,
    eigh,
    gradients,
    householder,
    inverse,
    matmul,
    matmul_add,
    matrix_exp,
    matrix_norm,
    products,
    solve,
)
from ._loss import (
    binary_cross_entropy,
    candidate_sampling,
    cosine,
    cross_entropy,
    ctc,
    ctc_decoder,
    divergence,
    label_hinges,
    margin,
    regression,
    rnnt,
    row_likelihoods,
)
from ._moe import dispatch, group_topk, grouped_matmul, token_permute
from ._normalization import (
    batch_norm,
    gradients,
    group_norm,
    layer_norm,
    normalize,
    rms_norm,
    statistics,
    sync_batch_norm,
)
from ._optimizer import adafactor, adagrad, adam, sgd, sparse
from ._pooling import adaptive, average_pool, fractional, gradients, lp_pool, max_pool, max_unpool
from ._quantization import batch_norm_fold, fake_quant, integers, learned_scale
from ._random import (
    distributions,
    dropout,
    gradients,
    inplace,
    mint,
    primitives,
    sampling,
    sampling_primitives,
    uniform,
)
from ._recurrent import flat_weights, sequence, steps, token_sequences
from ._reduction import (
    clip_by_norm,
    cumulative,
    distance,
    gradients,
    histogram,
    min_max,
    norm,
    quantile,
    reduce,
    search,
    segment,
    sort,
    statistics,
    unique,
    unsorted_segment,
)
from ._shape import (
    band,
    create,
    create_like,
    data_format,
    diagonal,
    flip_roll,
    gradients,
    grid,
    join_split,
    one_hot,
    pad,
    ranges,
    repeat,
    reshape,
    scalar_conversion,
    sizes,
    slice_stack,
    stacks,
    transpose,
    triangle,
)
from ._signal import correlate, dct, fft, fft_frequencies, stft
from ._sparse import (
    arithmetic,
    components,
    conversion,
    coo_csr,
    coo_pairs,
    coo_primitives,
    csr_ops,
    csr_primitives,
    gradients,
    row_tensor,
    segments,
    sets,
)
from ._tensor_methods import device, elementwise, indexing, reduction, shape, storage, values
from ._transforms import (
    batch_rules_conv,
    batch_rules_linalg,
    control_flow,
    depend,
    environment,
    functional,
    python_values,
)
