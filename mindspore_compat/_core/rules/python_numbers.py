"""Parameters that accept Python's numbers, but not NumPy scalars.

Most parameters of `ops`, `mint`, `numpy` and Tensor accept a NumPy scalar as a number. MindSpore
rejects it with a TypeError if it checks the type of the argument in Python, or if it reads the
argument as an attribute of a Primitive. The names were observed in MindSpore 2.10: one NumPy scalar
at a time, equal to a value that the parameter accepts as a Python number.
"""

import functools

# Public module -> "function or class: its parameters; ..."
_TABLE = {
    "ops": """
        AdamWeightDecay: beta1 beta2 decay epsilon lr; adaptive_avg_pool1d: output_size;
        adaptive_avg_pool2d: output_size; adaptive_max_pool1d: output_size; adaptive_max_pool2d:
        output_size; adaptive_max_pool3d: output_size; AdaptiveAvgPool3D: output_size; addbmm:
        alpha beta; addmm: alpha beta; addmv: alpha beta; addr: alpha beta; AlltoAll: concat_dim
        split_count split_dim; AlltoAllVC: block_size; ApplyAdagradV2: epsilon;
        ApplyAdamWithAmsgrad: beta1 beta2 epsilon lr; ApplyMomentum: gradient_scale;
        ApproximateEqual: tolerance; approximate_equal: tolerance; arange: end start step;
        argsort: axis; Assert: summarize; avg_pool1d: kernel_size padding stride; avg_pool2d:
        divisor_override kernel_size padding stride; avg_pool3d: divisor_override kernel_size
        padding stride; AvgPool3D: divisor_override kernel_size pad strides; baddbmm: alpha
        beta; bartlett_window: window_length; BartlettWindow: window_length; BasicLSTMCell:
        forget_bias keep_prob; batch_dot: axes; BatchToSpaceND: block_shape; Bernoulli: seed;
        bernoulli: seed; bincount: minlength; Bincount: size; bitwise_left_shift: other;
        bitwise_right_shift: other; blackman_window: window_length; bounding_box_decode:
        wh_ratio_clip; BoundingBoxDecode: wh_ratio_clip; Broadcast: root_rank; Cauchy:
        median sigma size; choice_with_mask: count seed; chunk: axis chunks; Col2Im: dilation
        kernel_size padding stride; combinations: r; ComputeAccidentalHits: num_true;
        ConfusionMatrix: num_classes; conv1d: dilation groups padding stride; Conv2D: dilation
        group kernel_size mode out_channel pad stride; conv2d: dilation
        padding stride; Conv2DBackpropInput: dilation group kernel_size mode out_channel pad
        stride; Conv2DTranspose: dilation group kernel_size mode out_channel pad stride; Conv3D:
        dilation group mode out_channel pad stride; conv3d: dilation groups padding stride;
        conv3d_transpose: dilation; Conv3DTranspose: dilation group in_channel mode out_channel
        output_padding pad stride; coo_concat: concat_dim; copysign: other;
        cosine_embedding_loss: margin; cosine_similarity: dim; crop_and_resize: crop_size;
        CropAndResize: extrapolation_value; cross_entropy: ignore_index label_smoothing;
        ctc_loss: blank; CTCLossV2: blank; DeformableOffsets: deformable_groups dilations ksize
        pads strides; DepthToSpace: block_size; diag_embed: dim1 dim2 offset; diagflat: offset;
        diagonal_scatter: dim1 dim2 offset; diff: axis n; diff_ext: dim n; dist: p; dropout:
        seed; dropout1d: p; Dropout2D: keep_prob; Dropout3D: keep_prob; DropoutGenMask: Seed0
        Seed1; dsplit: indices_or_sections; ExtractVolumePatches: kernel_size strides; Fill: x;
        FillDiagonal: fill_value; flatten: end_dim start_dim; fold: dilation kernel_size padding
        stride; fractional_max_pool2d: kernel_size output_size; fractional_max_pool3d:
        kernel_size; FractionalAvgPool: seed seed2; FractionalMaxPool: seed seed2;
        FractionalMaxPool3DWithFixedKsize: ksize; FractionalMaxPoolWithFixedKsize: ksize;
        FusedSparseFtrl: l1 l2 lr lr_power; gaussian_nll_loss: eps; grad: grad_position;
        gumbel_softmax: dim tau; hamming_window: alpha beta window_length; HammingWindow: alpha
        beta; hann_window: window_length; hardtanh: max_val min_val; hinge_embedding_loss:
        margin; histc: bins max min; Histogram: bins max min; HShrink: lambd; hsplit:
        indices_or_sections; huber_loss: delta; Im2Col: dilations ksizes pads strides;
        index_select: axis; IndexAdd: axis; IndexFill: value; IndexPut: accumulate;
        inplace_index_add: axis; InplaceAdd: indices; InplaceIndexAdd: axis; InplaceSub:
        indices; InplaceUpdate: indices; interpolate: size; InTopK: k; intopk: k; IsClose: atol
        rtol; isclose: atol rtol; kaiser_window: window_length; L2Normalize: axis epsilon;
        laplace: seed shape; leaky_relu: alpha; Lerp: weight; lerp: weight; Less: input;
        log_uniform_candidate_sampler: num_sampled num_true range_max seed; logcumsumexp: axis;
        LogNormalReverse: mean std; LogSpace: base steps; logspace: base end start;
        LogUniformCandidateSampler: num_sampled num_true range_max seed; lp_pool1d: kernel_size
        norm_type stride; lp_pool2d: kernel_size norm_type stride; LpNorm: axis epsilon p; LRN:
        alpha beta bias depth_radius; lrn: alpha beta bias depth_radius; LSTM: dropout
        hidden_size input_size num_layers; lt: input; margin_ranking_loss: margin; matrix_diag:
        k num_cols num_rows padding_value; matrix_diag_part: k padding_value; matrix_set_diag:
        k; matrix_power: n; MatrixPower: n; max: axis; max_pool2d: dilation kernel_size padding
        stride; max_pool3d: dilation kernel_size padding stride; max_unpool1d: kernel_size
        padding stride; max_unpool2d: kernel_size padding stride; max_unpool3d: kernel_size
        padding; median: axis; MaxPool: kernel_size strides; MaxPool3D: kernel_size pad_list
        strides; MaxPool3DWithArgmax: ksize pads strides; MaxPoolWithArgmax: kernel_size
        strides; MaxPoolWithArgmaxV2: pads; MaxUnpool2D: ksize pads; MaxUnpool3D: ksize pads;
        min: axis; moveaxis: destination source; movedim: destination source; multi_margin_loss:
        margin; MultiMarginLoss: margin p; Multinomial: seed seed2;
        multinomial_with_replacement: numsamples offset seed; MultinomialWithReplacement:
        numsamples offset; Mvlgamma: p; mvlgamma: p; nanmean: axis; nanmedian: axis; narrow:
        axis; NMSWithMask: iou_threshold; NoRepeatNGram: ngram_size; norm: dim; normal: seed
        shape stddev; P2POp: peer; Pack: axis; pad: padding; Padding: pad_dim_size; padding:
        pad_dim_size; ParameterizedTruncatedNormal: seed seed2; Pdist: p; pdist: p;
        pixel_shuffle: upscale_factor; pixel_unshuffle: downscale_factor; rand_like: seed;
        randint: high low seed; randint_like: high low; random_gamma: seed; random_poisson:
        seed; RandomChoiceWithMask: count seed seed2; RandomGamma: seed seed2; RandomPoisson:
        seed seed2; RandomShuffle: seed seed2; randperm: offset seed; RandpermV2: offset seed;
        ReduceStd: axis; Renorm: dim maxnorm p; renorm: p; repeat_elements: axis;
        repeat_interleave: axis repeats; ReverseSequence: batch_dim seq_dim; ROIAlign:
        pooled_height pooled_width roi_end_mode sample_num spatial_scale; rot90: k; rrelu: lower
        upper; SampleDistortedBoundingBoxV2: max_attempts seed seed2; scalar_to_tensor: input_x;
        ScalarToTensor: x; ScatterAddWithAxis: axis; select_scatter: axis; sequence_mask:
        maxlen; shuffle: seed; SmoothL1Loss: beta; Softmax: axis; softmax: axis; softplus: beta;
        SoftShrink: lambd; Sort: axis; sort: axis; space_to_batch_nd: block_size;
        SpaceToBatchND: block_shape; SpaceToDepth: block_size; SparseApplyAdagrad: lr;
        SparseApplyAdagradV2: epsilon lr; SparseApplyFtrl: l1 l2 lr lr_power;
        SparseApplyRMSProp: epsilon momentum rho; split: axis split_size_or_sections; Squeeze:
        axis; Stack: axis; stack: axis; standard_laplace: seed; standard_normal: seed;
        StandardLaplace: seed seed2; StandardNormal: seed seed2; std: axis ddof; std_mean: ddof;
        STFT: hop_length n_fft win_length; stft: n_fft win_length; subtract: alpha; swapaxes:
        axis0 axis1; swapdims: dim0 dim1; tensor_dot: axes; tensor_lt: input; tensor_split: axis
        indices_or_sections; TensorScatterElements: axis; threshold: thr value; trapz: dim dx;
        Tril: diagonal; tril_indices: col offset row; TrilIndices: col offset row; Triu:
        diagonal; triu_indices: col offset row; TriuIndices: col offset row; TruncatedNormal:
        seed seed2; unbind: dim; unfold: dilation kernel_size padding stride; uniform: seed;
        uniform_candidate_sampler: num_sampled num_true range_max seed; UniformCandidateSampler:
        num_sampled num_true range_max seed; UniformInt: minval seed seed2; UniformReal: seed
        seed2; Unpack: axis; Unstack: axis; upsample: size; value_and_grad: grad_position;
        vander: N; var: axis ddof; var_mean: axis ddof; vecdot: axis; vector_norm: axis ord;
        vsplit: indices_or_sections; xlogy: input other
    """,
    "Tensor": """
        addbmm: alpha beta; addmm: alpha beta; addmv: alpha beta; addr: alpha beta; allclose:
        atol rtol; argmax_with_value: axis; argmin_with_value: axis; approximate_equal:
        tolerance; argsort: axis dim; baddbmm: alpha beta; bincount: minlength;
        bitwise_left_shift: other; cauchy: median sigma; chunk: chunks dim; cumsum: dim;
        diagflat: offset; diagonal_scatter: dim1 dim2 offset; diff: axis n; dsplit:
        indices_or_sections; expand_dims: axis; fill_diagonal: fill_value; flatten: end_dim
        start_dim; float_power: other; fold: dilation kernel_size padding stride; gather: index;
        histc: bins max min; hsplit: indices_or_sections; index_select: axis; lerp: weight;
        log_normal: mean std; logcumsumexp: axis; logit: eps; masked_fill: value; matrix_power:
        n; median: axis; moveaxis: destination source; movedim: destination source; mvlgamma: p;
        nanmean: axis; nanmedian: axis; narrow: dim; norm: dim; ptp: axis; random_categorical:
        num_sample seed; renorm: axis maxnorm p; repeat_interleave: dim repeats; rot90: k;
        select_scatter: axis; soft_shrink: lambd; softmax: axis dim; sort: axis dim; split: dim
        split_size; std: correction ddof dim; swapaxes: axis0 axis1; swapdims: dim0 dim1;
        tensor_split: axis indices_or_sections; top_k: k; tril: diagonal; unbind: dim; unfold:
        dilation kernel_size padding stride; var: ddof; vsplit: indices_or_sections; xlogy:
        other
    """,
    "nn": """
        AdaptiveAvgPool1d: output_size; AdaptiveAvgPool2d: output_size; AdaptiveAvgPool3d:
        output_size; AdaptiveMaxPool1d: output_size; FractionalMaxPool2d: kernel_size;
        FractionalMaxPool3d: kernel_size; HShrink: lambd; LPPool1d: kernel_size norm_type
        stride; LPPool2d: kernel_size norm_type stride; LRN: alpha beta bias depth_radius;
        MaxUnpool1d: kernel_size padding; MaxUnpool2d: kernel_size padding; MaxUnpool3d:
        kernel_size padding; Softmax: axis; SoftShrink: lambd; Threshold: threshold value
    """,
    "mint.linalg": """
        norm: dim
    """,
    "mint": """
        float_power: exponent; lerp: weight; softmax: dim; split: split_size_or_sections; xlogy:
        other
    """,
    "numpy": """
        amax: axis; append: axis; apply_along_axis: axis; apply_over_axes: axes; array_split:
        axis indices_or_sections; average: axis; bartlett: M; bincount: minlength; bitwise_and:
        x1 x2; bitwise_or: x1 x2; bitwise_xor: x1 x2; blackman: M; clip: xmax xmin; concatenate:
        axis; cross: axis axisa axisb axisc; cumprod: axis; cumsum: axis; diag: k; diag_indices:
        n ndim; diff: axis n; divmod: x2; dsplit: indices_or_sections; equal: x2; expand_dims:
        axis; eye: M N k; flip: axis; fmod: x2; full: fill_value shape; full_like: fill_value
        shape; geomspace: axis num start stop; gradient: axis; greater_equal: x2; hamming: M;
        hanning: M; histogram2d: bins; histogram_bin_edges: bins; histogramdd: bins; hsplit:
        indices_or_sections; identity: n; isclose: atol rtol; linspace: axis num start stop;
        logspace: axis base num start stop; mean: axis; moveaxis: destination source; nanmax:
        axis; nanmean: axis; ones: shape; pad: constant_values pad_width; piecewise: funclist;
        polyint: m; polyval: x; ptp: axis; randint: maxval minval shape; repeat: repeats; roll:
        axis shift; rollaxis: axis start; rot90: axes k; searchsorted: v; split: axis
        indices_or_sections; stack: axis; std: ddof; swapaxes: axis1 axis2; take_along_axis:
        axis; tile: reps; trapz: axis; tri: k; tril: k; tril_indices: k m n; tril_indices_from:
        k; triu: k; triu_indices: k m n; triu_indices_from: k; unwrap: axis discont; var: ddof;
        vsplit: indices_or_sections; zeros: shape
    """,
}


def parsed(table) -> dict[str, frozenset]:
    """Returns the parameters by public path."""
    parameters_of = {}
    for area, text in table.items():
        for entry in text.split(";"):
            name, _, parameters = entry.partition(":")
            parameters_of[f"{area}.{name.strip()}"] = frozenset(parameters.split())
    return parameters_of


@functools.cache
def _parameters():
    return parsed(_TABLE)


def python_only(path: str) -> frozenset:
    """Returns the parameters of a public function or class ("ops.chunk") that take no NumPy
    scalars.
    """
    return _parameters().get(path, frozenset())
