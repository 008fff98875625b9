"""Types of results that neither declarations nor sources nor docstrings show, for the stubs.

A test runs the examples of all docstrings and compares their results with the stubs.
"""

TENSOR, TENSORS = "Tensor", "tuple[Tensor, ...]"
PAIR, TRIPLE = "tuple[Tensor, Tensor]", "tuple[Tensor, Tensor, Tensor]"
NUMBER = "int | float | bool"


def _by_name(table, area=""):
    """Returns {area + name: type} of {type: names}."""
    return {area + name: result for result, names in table.items() for name in names.split()}


def _tensors(count):
    """Returns the type of a tuple of this many Tensors."""
    return f"tuple[{', '.join(['Tensor'] * count)}]"


# Names that return several Tensors, in any area.
PARTS = _by_name(
    {
        PAIR: """aminmax argmax_with_value argmin_with_value cummax cummin eig geqrf kthvalue
            log_matrix_determinant max_with_index qr slogdet sort std_mean top_k topk
            triangular_solve unique_with_pad var_mean""",
        TRIPLE: "lu_unpack",
        TENSORS: """broadcast_tensors chunk dsplit hsplit meshgrid split split_with_size
            tensor_split unbind unstack vsplit""",
    }
)
# Names whose result depends on the arguments, or is something else than Tensors.
VARIES = """add_flags argsort_with_value cond data_sync data_ptr get_bytes hooks init_data item
    itemset max max_pool1d max_pool2d max_pool3d median min nanmedian nonzero norm_except_dim
    offload offload_file_path register_hook set_dtype shape shape_ size rank numel storage
    storage_offset stride svd to_coo to_csr to_dlpack tolist tuple_to_array type typeof unique
    unique_consecutive untyped_storage flush_from_cache adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d""".split()
METHODS = {
    "allclose": "bool",
    "asnumpy": "ndarray",
    "data_ptr": "int",
    "dim": "int",
    "is_complex": "bool",
    "is_contiguous": "bool",
    "is_floating_point": "bool",
    "is_pinned": "bool",
    "is_shared": "bool",
    "is_signed": "bool",
    "ndimension": "int",
    "nelement": "int",
    "numel": "int",
    "numpy": "ndarray",
    "storage_offset": "int",
    "tolist": "list[Any]",
}
OF_AREA = {  # public functions and primitives, by module
    **_by_name(
        {
            TENSOR: """adaptive_max_pool1d bernoulli_ bucketize cartesian_prod
                csr_gather eigvals einsum embedding
                exponential_ flatten gamma incre_flash_attention index_put laplace matrix_diag
                matrix_diag_part matrix_norm matrix_set_diag move_to normal_ pad poisson power
                prompt_flash_attention random_ repeat_elements repeat_interleave rotated_iou
                standard_laplace stft tensor_muls tensor_range tensor_scatter_add
                tensor_scatter_div tensor_scatter_max tensor_scatter_min tensor_scatter_mul
                tensor_scatter_sub tensor_scatter_update uniform_ zero_ AdamNoUpdateParam
                ApplyAdagradDA ApplyCenteredRMSProp ApplyFtrl ApplyGradientDescent ApplyMomentum
                ApplyProximalGradientDescent ApplyRMSProp BatchToSpaceNDV2 DumpGradient Einsum
                ExtractGlimpse FFTWithSize FillV2 Flatten FusedWeightScaleApplyMomentum Gamma IOU
                IndexPut InplaceAdd InplaceSub InplaceUpdate InplaceUpdateV2 InsertGradientOf
                MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3 MirrorPad MoveTo
                NPUClearFloatStatus NPUGetFloatStatus PadV3 PagedAttention ParallelConcat
                RandomShuffle ResizeBilinear SGD STFT ScatterNonAliasingAdd SegmentMax
                SegmentMean SegmentMin SegmentProd SegmentSum SparseTensorDenseAdd
                SparseTensorDenseMatmul SparseToDense StandardLaplace StopGradient TrilIndices
                TriuIndices TupleToArray Xdivy""",
            PAIR: """choice_with_mask lightning_indexer max median min nanmedian unique
                AdaptiveMaxPool2D AdaptiveMaxPool3D ApplyAdagrad ApplyAdagradV2 ApplyAddSign
                ApplyKerasMomentum ApplyPowerSign ApplyProximalAdagrad ApplyRotaryPosEmb
                ArgMaxWithValue ArgMinWithValue Eig FractionalMaxPool3DWithFixedKsize
                MaxPool3DWithArgmax MaxPoolWithArgmaxV2 Median MultilabelMarginLoss Qr
                SparseApplyAdagrad SparseApplyAdagradV2 SparseApplyProximalAdagrad Unique
                UniqueWithPad""",
            TRIPLE: """log_uniform_candidate_sampler sparse_flash_attention
                uniform_candidate_sampler Adam AdamWeightDecay ApplyAdaMax ApplyAdadelta Coalesce
                FractionalAvgPool FusedSparseAdam FusedSparseFtrl FusedSparseLazyAdam LayerNorm
                LogUniformCandidateSampler LuUnpack SparseApplyAdadelta SparseApplyFtrl
                SparseApplyFtrlV2 SparseApplyRMSProp Svd UniformCandidateSampler""",
            _tensors(4): """nsa_compress_attention ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2
                CombinedNonMaxSuppression FlashAttentionScore""",
            _tensors(5): "BatchNorm LSTM",
            _tensors(6): "DynamicGRUV2",
            _tensors(7): "speed_fusion_attention BasicLSTMCell",
            _tensors(8): "DynamicRNN",
            TENSORS: """clip_by_global_norm BufferGetItem BufferSample IdentityN Meshgrid PyFunc
                Split SplitV UniqueConsecutive""",
            NUMBER: """scalar_add scalar_cast scalar_div scalar_floordiv scalar_max scalar_min
                scalar_mod scalar_mul scalar_pow scalar_sub scalar_uadd scalar_usub ScalarCast""",
            "COOTensor": "coo_concat",
            "tuple[Any, ...]": "make_tuple TensorToTuple",
            "tuple[Any, Callable[..., Any]]": "linearize",
            "tuple[int, ...]": "shape InvertPermutation",
            "tuple[tuple[int, ...], tuple[int, ...]]": "broadcast_gradient_args",
            "Type": "dtype",
            "bool": "is_initialized ms_hasnext",
            "int": "get_global_rank get_group_rank get_rank get_world_size",
            "Callable[..., Any]": "GradOperation op_info_register recompute_block switch_layer",
        },
        "ops.",
    ),
    **_by_name(
        {
            TENSOR: """flatten index_add index_select lerp linalg.matrix_norm nn.functional.flatten
                normal permute repeat_interleave scatter""",
            PAIR: "linalg.qr",
            NUMBER: "item",
        },
        "mint.",
    ),
    **_by_name(
        {
            PAIR: "divmod histogram",
            TRIPLE: "histogram2d",
            TENSORS: """array_split diag_indices dsplit hsplit ix_ split tril_indices
                tril_indices_from triu_indices triu_indices_from unravel_index vsplit""",
            "list[Tensor]": "broadcast_arrays meshgrid",
            "Type": "promote_types result_type",
            "int": "size",
            "Any": "atleast_1d atleast_2d atleast_3d average gradient histogramdd linspace unique",
        },
        "numpy.",
    ),
    **_by_name(
        {
            TENSOR: "block_diag cho_solve cholesky det inv lu_solve solve_triangular",
            PAIR: "lu_factor",
            "tuple[Tensor, bool]": "cho_factor",
            TENSORS: "lstsq lu",
        },
        "scipy.linalg.",
    ),
    **_by_name(
        {
            "bool": """get_auto_num_workers get_auto_offload get_debug_mode get_dynamic_shape
                get_enable_autotune get_enable_shared_mem get_enable_watchdog get_fast_recovery
                get_numa_enable""",
            "int": """get_autotune_interval get_callback_timeout get_monitor_sampling_interval
                get_multiprocessing_timeout_interval get_num_parallel_workers get_prefetch_size
                get_seed""",
            "str": "get_multiprocessing_start_method get_video_backend",
            "ErrorSamplesMode": "get_error_samples_mode",
        },
        "dataset.config.",
    ),
    **_by_name(
        {
            "int": """get_group_rank_from_world_rank get_group_size get_local_rank
                get_local_rank_size get_rank get_world_rank_from_group_rank"""
        },
        "communication.",
    ),
    **_by_name(
        {
            "Stream": "communication_stream current_stream default_stream",
            "bool": "is_available is_initialized",
            "int": """max_memory_allocated max_memory_reserved memory_allocated memory_reserved""",
            "str": "get_device_name memory_summary",
            "dict[str, Any]": "memory_stats",
        },
        "hal.",
    ),
    **_by_name(
        {
            "int": "max_memory_allocated max_memory_reserved memory_allocated memory_reserved",
            "str": "memory_summary",
            "dict[str, Any]": "memory_stats",
            "dict[str, int]": "get_device_limit get_stream_limit",
        },
        "runtime.",
    ),
    **_by_name(
        {TENSOR: "get_rng_state", "int": "initial_seed seed", "Generator": "manual_seed"}, "common."
    ),
    **_by_name(
        {"int": "get_image_num_channels", "list[int]": "get_image_size", "ndarray": "read_file"},
        "dataset.vision.",
    ),
    "context.get_jit_config": "dict[str, Any]",
    "dataset.compare": "bool",
    "log.get_level": "str",
    "profiler.tensorboard_trace_handler": "Callable[..., Any]",
    "train.load_segmented_checkpoints": "dict[str, Any]",
    "train.serialization.async_ckpt_thread_status": "bool",
    "nn.thor": "Optimizer",
}
DEFAULTS = dict.fromkeys(("numpy", "numpy.fft"), TENSOR)  # of all other functions of a module
LAYERS = _by_name(  # layers whose Cells compute something else than one Tensor, or are wrappers
    {
        TENSOR: """Conv2dBnAct Conv2dThor DenseBnAct DenseThor EmbeddingLookupThor EmbeddingThor
            GRUCell RNNCell SparseTensorDenseMatmul SparseToDense TimeDistributed TrainOneStepCell
            WithLossCell DynamicLossScaleUpdateCell""",
        PAIR: "GRU ImageGradients LSTMCell Moments RNN",
        TRIPLE: "TrainOneStepWithLossScaleCell",
        TENSORS: "MultiheadAttention",
        "tuple[Tensor, tuple[Tensor, Tensor]]": "LSTM",
    }
)
RETURNS = {  # return types that no declaration states
    "Cell.trainable_params": "list[Parameter]",
    "Cell.untrainable_params": "list[Parameter]",
    "Cell.get_parameters": "Iterator[Parameter]",
    "Cell.parameters_dict": "dict[str, Parameter]",
    "Cell.parameters_and_names": "Iterator[tuple[str, Parameter]]",
    "Cell.cells": "Iterable[Cell]",
    "Tensor.shape": "tuple[int, ...]",
    "Tensor.ndim": "int",
    "Tensor.size": "int",
    "Tensor.itemsize": "int",
    "Tensor.nbytes": "int",
    "Tensor.dtype": "Type",
    "Tensor.T": "Tensor",
    "Tensor.__len__": "int",
    "Tensor.__hash__": "int",
    "Tensor.__int__": "int",
    "Tensor.__float__": "float",
    "Tensor.__bool__": "bool",
    "Tensor.__index__": "int",
    "Tensor.__iter__": "Iterator[Tensor]",
    "Parameter.value": "Tensor",
    "Dataset.__add__": "Dataset",
    "Dataset.__len__": "int",
    "Dataset.create_dict_iterator": "Iterator[dict[str, Any]]",
    "Dataset.create_tuple_iterator": "Iterator[list[Any]]",
    "Dataset.get_batch_size": "int",
    "Dataset.get_col_names": "list[str]",
    "Dataset.get_dataset_size": "int",
    "Dataset.get_repeat_count": "int",
    "Dataset.split": "tuple[Dataset, ...]",
    **{
        f"Dataset.{name}": "Self"  # scripts assign the result to the variable of the source
        for name in """apply batch bucket_batch_by_length concat filter flat_map map padded_batch
            project rename repeat shuffle skip sync_wait take zip""".split()
    },
    **_by_name(
        {
            TENSOR: """H mH mT data convert_bytes_to_tensor from_dlpack from_numpy itemset""",
            "bool": "has_init is_meta",
            "bytes": "get_bytes",
            "str": "device",
            "Type": "set_dtype",
            "list[int]": "stride",
            "tuple[int, ...]": "strides",
            "COOTensor": "to_coo",
            "CSRTensor": "to_csr",
            NUMBER: "item",
        },
        "Tensor.",
    ),
    **_by_name(
        {
            "bool": "cache_enable has_init layerwise_parallel requires_aggr requires_grad sliced",
            "int": "comm_fusion key",
            "str": "name",
        },
        "Parameter.",
    ),
    **_by_name(
        {
            "bool": "requires_grad training",
            "str": "cell_init_args cell_type cls_name param_prefix phase",
            "Cell": "get_sub_cell",
            "Tensor": "get_buffer",
            "Iterator[Tensor]": "buffers",
            "Iterator[tuple[str, Tensor]]": "named_buffers",
            "Iterator[tuple[str, Cell]]": "cells_and_names",
            "dict[str, Cell]": "name_cells",
            "dict[str, Any]": "get_flags jit_config_dict",
        },
        "Cell.",
    ),
    **_by_name(
        {
            "ParameterTuple": "parameters",
            "Parameter": "global_step",
            "float": "loss_scale",
            "bool": "is_group is_group_lr dynamic_lr dynamic_weight_decay exec_weight_decay",
            TENSOR: "get_lr",
        },
        "Optimizer.",
    ),
    **{
        f"{sparse}.{name}": result
        for sparse in ("COOTensor", "CSRTensor")
        for name, result in _by_name(
            {
                TENSOR: "indices indptr mv sum to_dense values",
                "int": "itemsize ndim size",
                "tuple[int, ...]": "shape",
                "tuple[Any, ...]": "to_tuple",
                "Type": "dtype",
                "COOTensor": "coalesce to_coo",
                "CSRTensor": "to_csr",
                "Self": "__neg__ abs astype",
            }
        ).items()
    },
    **{f"{name}.eval": "float" for name in ("Accuracy", "Loss", "MAE", "MSE")},
    "Dataset.__iter__": "Iterator[list[Tensor]]",
    "Dataset.get_init_step": "int",
    "Dataset.output_shapes": "list[Any]",
    "DynamicLossScaleManager.get_loss_scale": "float",
    "DynamicLossScaleManager.get_update_cell": "DynamicLossScaleUpdateCell",
    "Event.elapsed_time": "float",
    "Event.query": "bool",
    "FileReader.get_next": "Iterator[dict[str, Any]]",
    "FileReader.len": "int",
    "FileWriter.open_for_append": "FileWriter",
    "FixedLossScaleManager.get_drop_overflow_update": "bool",
    "FixedLossScaleManager.get_loss_scale": "float",
    "Model.eval_network": "Cell",
    "Model.predict": TENSOR,  # it can be unpacked as the tuple of some networks
    "Model.predict_network": "Cell",
    "Model.train_network": "Cell",
    "RunContext.get_stop_requested": "bool",
    "Stream.query": "bool",
    "Stream.stream_id": "int",
    "SummaryRecord.log_dir": "str",
    **{f"{name}.__eq__": "bool" for name in ("Event", "Stream", "Type")},
    **{f"{name}.__hash__": "int" for name in ("Event", "Stream", "Type")},
    "Vocab.from_dataset": "Vocab",
    "Vocab.from_dict": "Vocab",
    "Vocab.from_file": "Vocab",
    "Vocab.from_list": "Vocab",
    "dtype_to_nptype": "type",
    "dtype_to_pytype": "type",
    "get_seed": "int | None",
}
