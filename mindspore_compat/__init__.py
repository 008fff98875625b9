"""MindSpore's Python API on NumPy and CuPy: the top facade.

A name is looked up on first use, in the package that defines it; importing this package loads none
of them. The first look-up loads the ops, which give Tensor its operators and methods.
"""

import importlib
import os

from . import _paths, _settings
from ._version import __compat_version__, __version__  # noqa: F401

_settings.check(os.environ)
_paths.install()
if os.environ.get("MINDSPORE_COMPAT_RELEASE"):
    from . import _releases

    __version__ = _releases.activate(os.environ["MINDSPORE_COMPAT_RELEASE"])

_ROOMS = """amp boost common communication context dataset device_context device_manager
    experimental graph hal log mindrecord mint multiprocessing nn numpy onnx ops parallel profiler
    rewrite runtime safeguard scipy train utils version""".split()

_HOMES = {  # module -> the names that the top takes from it
    "_core.tensor.tensor": "Tensor",
    "_core.dynamic_shape": "Symbol",
    "common.dtype": """_null bool bool_ byte bfloat16 cdouble cfloat complex64 complex128 double
        dtype_to_nptype dtype_to_pytype float float16 float32 float64 float_ get_py_obj_dtype
        half int int16 int32 int64 int8 int_ intc intp list_ long number pytype_to_dtype
        QuantDtype qint4x2 short single string tensor_type TensorType tuple_ Type type_none
        ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort Int float8_e4m3fn float8_e5m2
        hifloat8""",
    "common": """Parameter ParameterTuple set_seed get_seed manual_seed Generator
        default_generator seed COOTensor CSRTensor RowTensor SparseTensor initial_seed
        UntypedStorage get_rng_state set_rng_state mutable jit ms_function jit_class JitConfig
        lazy_inline no_inline constexpr tensor is_tensor from_numpy recompute run_check
        ms_memory_recycle enable_dynamic set_recursion_limit dtype ms_class _Function""",
    "common.api": "_no_grad",
    "common.buffers": "frombuffer swap_tensors",
    "common._helpers.device_context": "DeviceCtx",
    "common.dump": "set_dump",
    "common.file_system": "mindio_preload set_mindio_server_info",
    "utils": """MsDispatchMode from_dlpack to_dlpack get_sdc_detect_result sdc_detect_start
        sdc_detect_stop stress_detect""",
    "context": """GRAPH_MODE PYNATIVE_MODE STRICT COMPATIBLE LAX set_context get_context
        set_auto_parallel_context get_auto_parallel_context reset_auto_parallel_context
        ParallelMode set_ps_context get_ps_context reset_ps_context set_device
        get_current_device set_deterministic set_offload_context get_offload_context""",
    "train": """Model Callback LossMonitor TimeMonitor ModelCheckpoint CheckpointConfig
        FlopsUtilizationCollector LearningRateScheduler EarlyStopping History LambdaCallback
        ReduceLROnPlateau RunContext
        OnRequestExit BackupAndRestore SummaryRecord SummaryCollector SummaryLandscape Metric
        Accuracy MAE MSE Loss Precision Recall F1 Fbeta Dice ROC auc BleuScore CosineSimilarity
        ConfusionMatrix ConfusionMatrixMetric HausdorffDistance MeanSurfaceDistance
        OcclusionSensitivity Perplexity RootMeanSquareDistance Top1CategoricalAccuracy
        Top5CategoricalAccuracy TopKCategoricalAccuracy names get_metric_fn rearrange_inputs
        DatasetHelper connect_network_with_dataset data_sink save_checkpoint load_checkpoint
        load_param_into_net load_checkpoint_async export load async_ckpt_thread_status
        ckpt_to_safetensors safetensors_to_ckpt load_segmented_checkpoints
        load_distributed_checkpoint get_ckpt_path_with_strategy build_searched_strategy
        merge_sliced_parameter restore_group_info_list build_train_network
        DynamicLossScaleManager FixedLossScaleManager LossScaleManager ConvertModelUtils
        ConvertNetUtils""",
    "train.serialization": "load_mindir save_mindir",
    "parallel": """Layout get_algo_parameters merge_pipeline_strategys parameter_broadcast
        rank_list_for_transform reset_algo_parameters sync_pipeline_shared_parameters
        transform_checkpoint_by_rank transform_checkpoints set_algo_parameters shard
        unified_safetensors""",
    "profiler": "Profiler",
    "rewrite": "Node NodeType ScopedValue SymbolTree",
    "runtime": """Event MemPool PluggableAllocator Stream StreamCtx StreamLimitCtx get_device_limit
        get_stream_limit reset_stream_limit set_device_limit set_kernel_launch_capture
        set_stream_limit use_mem_pool communication_stream current_stream default_stream
        dispatch_threads_num empty_cache launch_blocking max_memory_allocated max_memory_reserved
        memory_allocated memory_reserved memory_stats memory_summary reset_max_memory_allocated
        reset_max_memory_reserved reset_peak_memory_stats set_cpu_affinity set_cur_stream
        set_kernel_launch_group set_memory synchronize""",
    "mindrecord": """FAILED SUCCESS FileWriter FileReader MindPage Cifar10ToMR Cifar100ToMR
        MnistToMR CsvToMR ImageNetToMR TFRecordToMR""",
    "log": "get_level get_log_config",
    "standin": "install uninstall load_ipython_extension unload_ipython_extension",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
_LOWER = ("standin", "log")  # modules that do not need the ops


def _load(name):
    """Returns the object behind a public name, or None."""
    if name in _ROOMS or name == "standin":
        return importlib.import_module(f".{name}", __name__)
    home = _HOME_OF.get(name)
    if home not in _LOWER:
        importlib.import_module(".ops", __name__)
    if home is None:
        from ._core.declare.public_api import build

        return build("", name, module=__name__)
    return getattr(importlib.import_module(f".{home}", __name__), name, None)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        attribute = _load(name)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(__name__):
            raise
        attribute = None
    if attribute is None:
        from ._core.declare.missing import Missing

        raise AttributeError(Missing(__name__, name, [*_HOME_OF, *_ROOMS]))
    globals()[name] = attribute
    return attribute


def __dir__():
    importlib.import_module(".ops", __name__)
    from ._core.declare.op import DECLARED
    from ._core.declare.public_api import PUBLIC

    declared = {*DECLARED.get("", ()), *PUBLIC.get("", ())}
    return sorted({*globals(), *_HOME_OF, *_ROOMS, *declared})
