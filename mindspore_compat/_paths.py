"""Additional public paths and names: tables, and the import finder that reads them.

MindSpore's names can be imported from many module paths, old and new, such as
`communication.management`, `nn.metrics` or `dataset.vision.c_transforms`. A path in `PATHS` *is*
the module on its right: the same object under another name, so classes keep their identity and
nothing is copied. A path to a missing module is not found, like any unknown module. Modules that
exist as files are not listed, and take precedence. A path must not end in a name that its parent
uses for something else (`common.seed`, a function), because importing it would replace that object
by the module. Only `ops` and `ops.function` keep such names (`op_info_register`, a function).

A module of MindSpore also exposes the names that its file imports: `train.model.ParallelMode`,
`common.float32`. `FURTHER` maps a path (and all paths below it) to the modules that are searched
for a name that the module itself lacks. `FACADES` are paths that have no other names.
"""

import importlib
import sys
import threading
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from types import ModuleType

PACKAGE = __package__

# Path -> the module that defines its names; both below the package.
PATHS = {
    "dtype": "common.dtype",
    "version": "_version",
    "_c_expression.amp": "train._amp_strategy",
    "common.device": "common._helpers.device_context",
    "common._decorator": "common._helpers.functions",
    "common._monad": "common._helpers.monad",
    "common._utils": "common._helpers.functions",
    "common.dynamic_shape.auto_dynamic_shape": "common._helpers.functions",
    "common.type": "common.dtype",
    "common.hook_handle": "common.hook",
    "common._stub_tensor": "common.tensor",
    "communication.management": "communication",
    "dataset.audio.transforms": "dataset.audio",
    "dataset.config": "dataset.engine.config",
    "dataset.callback.validators": "dataset.core.validator_helpers",
    "dataset.transforms.py_transforms_util": "dataset.vision.py_transforms_util",
    "dataset.utils.browse_dataset": "dataset.utils",
    "dataset.utils.line_reader": "dataset.utils",
    "device_context.ascend.device": "device_context.ascend",
    "device_context.cpu.device": "device_context.cpu",
    "device_context.gpu.device": "device_context.gpu",
    "graph.dynamic_shape.auto_dynamic_shape": "common._helpers.functions",
    "graph.mutable": "common.mutable",
    "nn.transformer": "parallel._transformer",
    "nn.transformer.layers": "parallel._transformer.layers",
    "nn.transformer.loss": "parallel._transformer.loss",
    "nn.transformer.moe": "parallel._transformer.moe",
    "nn.transformer.op_parallel_config": "parallel._transformer.op_parallel_config",
    "nn.transformer.transformer": "parallel._transformer.transformer",
    "nn.utils.init": "nn.utils",
    "hal.contiguous_tensors_handle": "common.contiguous",
    "tools.data_dump": "common.dump",
    "dataset.context": "context",
    "dataset.samplers": "dataset.engine.sampler",
    "dataset.engine.samplers": "dataset.engine.sampler",
    "dataset.engine.datasets": "dataset",
    "dataset.engine.datasets_standard_format": "dataset",
    "dataset.engine.datasets_user_defined": "dataset",
    "dataset.engine.datasets_vision": "dataset",
    "dataset.engine.datasets_text": "dataset",
    "dataset.engine.datasets_audio": "dataset",
    "dataset.engine.serializer_deserializer": "dataset",
    "dataset.core.config": "dataset.engine.config",
    "dataset.transforms.vision": "dataset.vision",
    "dataset.vision.transforms": "dataset.vision",
    "mint.distributed.distributed": "mint.distributed",
    "nn.metrics": "train.metrics",
    "nn.metrics.metric": "train.metrics.metric",
    "ops.P": "ops.operations",
    "ops.op_info_register": "ops._custom.register",
    "ops._selected_ops": "ops.operations",
    "ops._utils.arg_dtype_cast": "ops._primitive_aliases.argument_helpers",
    "ops._utils.arg_handler": "ops._primitive_aliases.argument_helpers",
    "ops.composite.multitype_ops": "ops._transforms.multitype_ops",
    "ops.composite.multitype_ops._compile_utils": "ops._transforms.compile_utils",
    "ops.composite.random_ops": "ops.composite",
    "ops._primitive_cache": "ops._primitive_aliases.primitive_cache",
    "ops._grad": "ops._legacy.grad_base",
    "ops._grad_experimental": "ops._legacy.grad_base",
    "ops._grad_experimental.grad_comm_ops": "nn.wrap.grad_reducer",
    "ops._grad.grad_base": "ops._legacy.grad_base",
    "ops.function.nn_func": "ops.function",
    "ops.function.math_func": "ops.function",
    "ops.function.array_func": "ops.function",
    "ops.function.random_func": "ops.function",
    "ops.function.linalg_func": "ops.function",
    "ops.operations.array_ops": "ops.operations",
    "ops.operations.comm_ops": "ops.operations",
    "ops.operations.image_ops": "ops.operations",
    "ops.operations.math_ops": "ops.operations",
    "ops.operations.nn_ops": "ops.operations",
    "ops.operations.other_ops": "ops.operations",
    "ops.operations.random_ops": "ops._random.random_ops",
    "ops.operations.sparse_ops": "ops._sparse.sparse_ops",
    "ops.operations._embedding_cache_ops": "ops.operations",
    "ops.operations._csr_ops": "ops._sparse.csr_ops",
    "ops.operations._grad_ops": "ops._primitive_aliases.grad_ops",
    "ops.operations._infer_ops": "ops.auto_generate",
    "ops.operations._inner_ops": "ops._primitive_aliases.inner_ops",
    "ops.operations._quant_ops": "ops._quantization.quant_ops",
    "ops.operations._rl_inner_ops": "ops._legacy.rl_inner_ops",
    "ops.operations._sequence_ops": "ops.auto_generate",
    "ops.operations._tensor_array": "ops._legacy.tensor_array",
    "ops.auto_generate.gen_ops_prim": "ops.auto_generate",
    "ops.auto_generate.gen_ops_def": "ops.auto_generate",
    "ops.auto_generate.pyboost_inner_prim": "ops._primitive_aliases.pyboost_inner_prim",
    "profiler.profiling": "profiler",
    "train.train_thor.dataset_helper": "train.train_thor",
}

# The same, by target: files of 2.10 that are one file in this package.
PATHS.update(
    (path, target)
    for target, paths in {
        "common.jit": """common.jit_config common.jit_trace common.jit_context common.jit_begin_end
        graph.jit_begin_end graph.lazy_inline graph.no_inline graph.jit_config
        graph.jit_context graph.jit_trace common.dynamic_shape.enable_dynamic
        graph.dynamic_shape.enable_dynamic""",
        "common.api": "graph.api",
        "_core.dynamic_shape": "common.symbol graph.symbol",
        "mint.distributed": "ops.function.comm_func",
        "dataset.debug": "dataset.debug.debug_hook dataset.debug.pre_defined_hook",
        "dataset.engine.cache": "dataset.engine.cache_client",
        "dataset.engine.waited": "dataset.callback.ds_callback",
        "hal": "hal.device hal.event hal.memory hal.stream",
        "mindrecord": """mindrecord.tools.cifar100_to_mr mindrecord.tools.cifar10_to_mr
        mindrecord.tools.csv_to_mr mindrecord.tools.imagenet_to_mr mindrecord.tools.mnist_to_mr
        mindrecord.tools.tfrecord_to_mr""",
        "mint.fft": "ops.function.fft_func",
        "mint.optim": "mint.optim.adam mint.optim.adamw mint.optim.fused_adamw mint.optim.sgd",
        "common.dtype": "numpy.dtypes",
        "ops.composite": "ops.composite.base ops.composite.env_ops ops.composite.math_ops",
        "ops.function": """ops.function.clip_func ops.function.debug_func ops.function.image_func
        ops.function.other_func ops.function.parameter_func ops.function.reshard_func
        ops.function.sparse_func ops.function.sparse_unary_func ops.function.spectral_func
        ops.function.vmap_func""",
        "ops.operations": """ops.deprecated ops.operations.control_ops ops.operations.custom_ops
        ops.operations.debug_ops ops.operations.inner_ops ops.operations.linalg_ops
        ops.operations.manually_defined ops.operations.manually_defined.ops_def
        ops.operations.reshard_ops ops.operations.spectral_ops""",
        "ops.auto_generate": "ops.auto_generate.gen_extend_func",
        "ops._transforms.multitype_ops": " ".join(
            f"ops.composite.multitype_ops.{name}_impl"
            for name in """add bitwise_and bitwise_or
        bitwise_xor div equal floordiv getitem greater greater_equal in invert left_shift less
        less_equal logical_and logical_not logical_or mod mul negative not_equal not_in ones_like
        pow right_shift setitem sub uadd zeros_like""".split()
        ),
        "parallel.function": "parallel.function.reshard_func",
        "profiler": "profiler.common.constant",
        "parallel.nn": "parallel.nn.parallel_grad_reducer",
        "runtime": """runtime.device runtime.device_limit runtime.event runtime.executor
        runtime.memory runtime.stream runtime.stream_limit runtime.thread_bind_core""",
        "ops._custom.vm_impl": "ops.vm_impl_registry",
        "train.metrics.metric": "train.metric",
    }.items()
    for path in paths.split()
)

# Paths of modules without names of their own; FURTHER defines what they expose.
FACADES = set(
    """boost.adasum boost.dim_reduce boost.group_loss_scale_manager
    common.dynamic_shape common.mindir_util dataset.callback
    dataset.engine.offload graph
    graph.dynamic_shape mindrecord.common.enums mindrecord.core
    mindrecord.core.shardheader mindrecord.core.shardindexgenerator mindrecord.core.shardreader
    mindrecord.core.shardsegment mindrecord.core.shardutils mindrecord.core.shardwriter
    mindrecord.tools.cifar10 mindrecord.tools.cifar100 nn.optim.tft_wrapper onnx
    onnx.onnx_export ops._utils ops._utils.utils ops.function.grad ops.function.grad.grad_func
    parallel.distributed.flatten_grad_buffer profiler.common safeguard
    safeguard.rewrite_obfuscation scipy.ops scipy.ops_grad
    scipy.optimize.gradient_optimization_algorithm scipy.utils
    scipy.utils_const tools train.summary.writer""".split()
)

# Names that files of MindSpore import under another name; "" is the package itself.
_HEADS = {
    "C": "ops.composite",
    "F": "ops.functional",
    "P": "ops.operations",
    "Validator": "_checkparam",
    "arg_dtype_cast": "ops._primitive_aliases.argument_helpers",
    "arg_handler": "ops._primitive_aliases.argument_helpers",
    "base": "ops.composite.base",
    "compile_utils": "ops._transforms.multitype_ops",
    "const_utils": "ops._transforms.multitype_ops",
    "context": "context",
    "ds": "dataset",
    "gen": "ops.auto_generate",
    "handler": "ops._primitive_aliases.argument_helpers",
    "inner": "ops.operations._inner_ops",
    "logger": "log",
    "mindspore": "",
    "mint": "mint",
    "mnp": "numpy",
    "ms": "",
    "msb": "nn.probability.bijector",
    "msd": "nn.probability.distribution",
    "mstype": "common.dtype",
    "nn": "nn",
    "ops": "ops",
    "sig": "ops.signature",
    "typing": "_c_expression.typing",
    "validator": "_checkparam",
}

# Names that MindSpore's files import from its compiled module and that have other names here:
# base classes of the public classes, and some functions.
_COMPILED = {
    "Tensor_": "Tensor",
    "TensorPy_": "Tensor",
    "PythonTensor": "Tensor",
    "PythonCOOTensor": "COOTensor",
    "PythonCSRTensor": "CSRTensor",
    "PythonRowTensor": "RowTensor",
    "RowTensorInner": "RowTensor",
    **{
        f"{name}_": name
        for name in """communication_stream current_stream default_stream
                set_cur_stream synchronize Cell COOTensor CSRTensor CommHandle Event GradOperation
                HyperMap Map MultitypeFuncGraph RowTensor Stream""".split()
    },
}

# Paths (with all paths below them), and the modules that are searched for additional names. "/_op"
# after a path limits it to names with this ending. A whole name means that the name is known to
# exist; "utils=" before a module means that the module itself has this name.
_TRAINING = """common.np_dtype/np_dtype_valid _core.tensor.dtype/type_size_in_bytes
    ops.auto_generate/TensorToScalar nn.learning_rate_schedule/LearningRateSchedule common
    common.dtype common.api common.parameter common.initializer common.generator
    common.mutable common.buffers common.dump common._helpers.ms_context
    ops/tensor_operator_registry
    common._helpers.functions common._helpers.jit_context _checkparam context communication
    ops.primitive
    ops._transforms.functional nn nn.cell nn.optim.optimizer nn.wrap.loss_scale
    nn.wrap.cell_wrapper train train.metrics.metric train.dataset_helper train.summary.enums
    amp parallel"""
FURTHER = {
    "train": f"""amp=train.amp boost=boost debug_ops=ops.operations log/vlog_print
        train.callback/_InternalCallbackParam train.callback/_CallbackManager
        dataset/_set_training_dataset dataset/_reset_training_dataset
        dataset.engine.config/get_debug_mode {_TRAINING}""",
    """common nn.loss nn.grad nn.sparse nn.utils nn.dynamic_lr nn.learning_rate_schedule
    utils tools graph safeguard amp""": _TRAINING,
    "common.api": f"train.flops/flops_collection {_TRAINING}",
    "onnx": """train.mind_ir.onnx_export/export dataset/Dataset
        _checkparam/check_input_dataset""",
    "nn.layer": f"""nn_ops=ops.operations management=communication _extends/cell_attr_register
        nn._parts/check_dense_input_shape {_TRAINING}""",
    "nn.cell": f"mint/empty_like {_TRAINING}",
    "ops._utils": "_checkparam/get_broadcast_shape",
    "mint.optim": f"ops.auto_generate/hyper_map {_TRAINING}",
    "multiprocessing": "mint=mint common.storage",
    "nn.wrap parallel.nn": f"""nn.wrap.loss_scale/grad_scale nn.wrap.loss_scale/shard_grad_scale
        nn.wrap.loss_scale/tensor_grad_scale_pipeline
        nn.wrap.loss_scale/tensor_shard_grad_scale_pipeline {_TRAINING}""",
    "nn.optim": f"""nn.optim.optimizer/opt_init_args_register
        nn.wrap.loss_scale/tensor_grad_scale nn.learning_rate_schedule
        experimental.optim._helpers ops.operations/Send ops.operations/Receive {_TRAINING}""",
    "boost": f"""nn.wrap.loss_scale/tensor_grad_scale common.sparse_tensor
        boost.grad_accumulation ops.operations/Send ops.operations/Receive
        ops.operations/StatusV2 nn.optim {_TRAINING}""",
    "nn.probability": f"""nn.probability._helpers nn.probability.distribution
        nn.probability.bijector {_TRAINING}""",
    "experimental.optim": f"ops.auto_generate/hyper_map experimental.optim._helpers {_TRAINING}",
    "parallel": f"""comm_func=communication.comm_func log/vlog_print parallel
        parallel.checkpoint_convert parallel.checkpoint_transform parallel.layout
        common.initializer {_TRAINING}""",
    "hal runtime communication context device_manager": """api=common.api
        _c_expression.typing/Type hal runtime context common._helpers.ms_context communication
        communication._cached mint/cat common common._helpers.functions _checkparam
        ops.operations/Op
        ops.auto_generate/_op""",
    "device_context": "common._helpers.ms_context _checkparam",
    "device_context.ascend": """device_context.ascend.op_debug
        device_context.ascend.op_precision device_context.ascend.op_tuning
        common._helpers.ms_context
        _checkparam""",
    "device_context.cpu": "device_context.cpu.op_tuning common._helpers.ms_context _checkparam",
    "device_context.gpu": """device_context.gpu.op_precision device_context.gpu.op_tuning
        common._helpers.ms_context _checkparam""",
    "mindrecord": """mindrecord _io.mindrecord_errors common._unpickling
        dataset.core.validator_helpers dataset.core.py_util_helpers train.summary.enums/Enum
        common""",
    "mint.distributed": """communication communication._cached common._unpickling mint/cat
        common ops.communication _checkparam ops.operations/Op ops.auto_generate/_op""",
    "mint.nn": """_checkparam _extends/cell_attr_register mint communication common
        common.initializer common.mutable ops.communication ops.function.nn_func/pad_ext
        ops.auto_generate/_op ops.auto_generate/_ext mint.nn.functional/cross_entropy
        mint.nn.functional/batch_norm ops/rank""",
    "mint": """ops._primitive_aliases.pyboost_inner_prim/squeeze_impl
        functional=mint.nn.functional common common.mutable common._helpers.functions
        ops.auto_generate/_op ops.auto_generate/_impl""",
    "numpy": "numpy common common.dtype nn.cell",
    "scipy": """scipy.linalg scipy.optimize.linear_sum_assignment
        ops._primitive_aliases.inner_ops ops.operations/Eig ops.operations/Eigh
        ops.function/matrix_set_diag common common.dtype""",
    "dataset": """dataset.text.utils/to_str dataset.text.utils/SentencePieceModel
        dataset.transforms.base/CompoundOperation
        datasets=dataset.engine samplers=dataset.engine.sampler t=dataset.transforms
        cache_client=dataset.engine.cache communication/get_group_size dataset dataset.engine
        dataset.engine.config dataset.engine.sampler dataset.transforms dataset.vision
        dataset.vision.utils dataset.vision.py_transforms_util dataset.audio.utils
        dataset.core.validator_helpers dataset.core.py_util_helpers
        dataset.transforms.validators dataset.engine.validators dataset.vision.validators
        dataset.audio.validators dataset.text.validators dataset.engine.cache common""",
    "ops.function.grad": "ops.function nn.grad.custom_vjp nn common ops.auto_generate/_op",
    "ops.auto_generate": """ops._primitive_aliases.argument_helpers
        ops._primitive_aliases.pyboost_inner_prim common common.dtype common.initializer/Zero
        common._helpers.functions common._helpers.jit_context _checkparam""",
    "ops._transforms.multitype_ops": """utils=ops._transforms.multitype_ops ops.composite
        ops.auto_generate ops._primitive_aliases.inner_ops common""",
    "ops._primitive_aliases.grad_ops": """communication ops.primitive
        ops.auto_generate/FlashAttentionScoreGrad""",
    "ops._primitive_aliases.pyboost_inner_prim": """ops._primitive_aliases.argument_helpers
        ops.auto_generate common common.dtype""",
    "ops.function ops.operations ops.composite ops.functional ops.tensor_method ops.primitive": """
        ops.auto_generate ops._primitive_aliases.inner_ops
        ops._quantization.quant_ops/FakeQuantParam
        common common.dtype communication ops.primitive common._helpers.ms_context
        _checkparam common._helpers.functions
        common._helpers.jit_context
        array_ops=ops.operations linalg_ops=ops.operations other_ops=ops.operations
        layer=nn.layer grad_func=ops.function runtime/synchronize nn.cell/Cell
        common.initializer/Zero common.initializer/Uniform parallel.layout/Layout
        nn.probability._helpers/raise_type_error ops._transforms.multitype_ops/make_tensor""",
}
_PARENTS = {path.rpartition(".")[0] for path in (*PATHS, *FACADES)}
# paths that have others below them and are modules with other names
_SHOWN_AS = {}
for _path in sorted(_PARENTS & PATHS.keys()):
    _SHOWN_AS.setdefault(PATHS[_path], []).append(f"{PACKAGE}.{_path}")
_PARENTS |= _SHOWN_AS.keys()
_SOUGHT = {path: homes.split() for paths, homes in FURTHER.items() for path in paths.split()}


class SameModule:
    """Loader that returns an already imported module for another name."""

    def __init__(self, target):
        self.target = target
        self.own_spec = None

    def create_module(self, spec):
        """Import the target and return it."""
        module = importlib.import_module(self.target)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module):
        """Restores the module's own spec, the only thing that the import system has overwritten.

        Modules below the target that are loaded already get their additional names at once. If they
        were imported by these names later, the import system would assign them to the parent and
        could replace an object of the same name, such as a function
        (`scipy.optimize.linear_sum_assignment`). Additional names get no such names themselves: a
        dozen paths of one module would multiply its entries.
        """
        name, module.__spec__ = module.__spec__.name, self.own_spec
        for path, loaded in list(sys.modules.items()):
            if path.startswith(f"{self.target}.") and getattr(loaded, "__name__", "") == path:
                sys.modules.setdefault(name + path[len(self.target) :], loaded)


def same_module_spec(name, target):
    """Returns a spec that makes `name` the module `target`; None if there is no such module."""
    try:
        spec = find_spec(target)
    except ModuleNotFoundError as missing:
        if not target.startswith(f"{missing.name}.") and missing.name != target:
            raise
        return None
    if spec is None:
        return None
    return ModuleSpec(name, SameModule(target), origin=spec.origin)


def further(path):
    """Returns the modules that are searched for additional names of `path`; None if there are
    none."""
    while path:
        if path in _SOUGHT:
            return _SOUGHT[path]
        path = path.rpartition(".")[0]
    return None


_here = threading.local()


def _names_in_progress():
    """Returns the names that this thread is looking up, so that modules do not ask each other
    endlessly."""
    if not hasattr(_here, "asked"):
        _here.asked = set()
    return _here.asked


def show_further(module, homes):
    """Makes `module` also find the paths below it and the names of `homes`; None means no homes."""
    module_getattr = vars(module).get("__getattr__")

    def find(name):
        try:
            if module_getattr is not None:
                return module_getattr(name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        except AttributeError:
            key = (module.__name__, name)
            if name.startswith("__") or key in _names_in_progress():
                raise
            _names_in_progress().add(key)
            private = name.startswith("_")  # then only modules, and names of the table itself
            listed = [home for home in homes or () if not private or home.endswith(f"/{name}")]
            try:
                attribute = _sought(module, name, listed)
            finally:
                _names_in_progress().discard(key)
            if attribute is None:
                raise
        setattr(module, name, attribute)
        return attribute

    find.own = module_getattr
    module.__getattr__ = find


def _sought(module, name, homes):
    """Returns the object that `name` refers to in MindSpore's file, or None."""
    paths = [module.__name__, *_SHOWN_AS.get(module.__name__.partition(".")[2], ())]
    for path in (f"{base}.{name}" for base in paths if hasattr(module, "__path__")):
        if find_spec(path) is not None:
            return importlib.import_module(path)
    if name in _COMPILED:
        return getattr(module, _COMPILED[name], None)
    if name in _HEADS:
        return importlib.import_module(f"{PACKAGE}.{_HEADS[name]}".rstrip("."))
    for home, _, ending in (base.partition("/") for base in homes):
        short, named, target = home.partition("=")
        if named:
            if name == short:
                return importlib.import_module(f"{PACKAGE}.{target}")
            continue
        if name == ending:
            return getattr(importlib.import_module(f"{PACKAGE}.{home}"), name)
        attribute = _own_attribute(f"{PACKAGE}.{home}", name) if name.endswith(ending) else None
        if attribute is not None:
            return attribute
    return None


def _own_attribute(home, name):
    """Returns the object that a module itself exposes under `name`, or None.

    Names of imported modules do not count, nor, if the module has no `__all__`, those defined
    elsewhere.
    """
    module = importlib.import_module(home)
    find = vars(module).get("__getattr__")
    find = getattr(find, "own", find)
    if name not in vars(module):
        return _asked_of(find, name)
    attribute = vars(module)[name]
    exported = vars(module).get("__all__") or _asked_of(find, "__all__")
    is_public = (
        getattr(attribute, "__module__", home) == home if exported is None else name in exported
    )
    return attribute if is_public and not isinstance(attribute, ModuleType) else None


def _asked_of(find, name):
    """Returns the result of a module's own `__getattr__`, or None."""
    try:
        return None if find is None else find(name)
    except AttributeError:
        return None


class FileWithFurther(SourceFileLoader):
    """Loads a module from its file, and makes it find additional names."""

    def exec_module(self, module):
        """Runs the file, then adds the search for additional names."""
        path = module.__name__.partition(".")[2]
        if path in _PARENTS and not hasattr(module, "__path__"):
            module.__path__ = []  # the table has paths below this file
        super().exec_module(module)
        show_further(module, further(path))


class Facade(Loader):
    """Creates a module that only exposes names of others."""

    def create_module(self, spec):
        """Returns None, for the usual new module."""
        return None

    def exec_module(self, module):
        """Adds the names to the module."""
        path = module.__name__.partition(".")[2]
        module.__doc__ = f"mindspore.{path}: names that are defined elsewhere, under this path too."
        show_further(module, further(path))


class PathsFinder:
    """Finder of the package: finds files first, then the paths of the tables."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Returns the spec of a path in the tables, or of a file with additional names, or None."""
        top_package, _, rest = name.partition(".")
        if top_package != PACKAGE or not rest:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None:
            if type(spec.loader) is not SourceFileLoader or further(rest) is None:
                return spec
            return spec_from_file_location(
                name,
                spec.origin,
                loader=FileWithFurther(name, spec.origin),
                submodule_search_locations=spec.submodule_search_locations,
            )
        if rest in FACADES:
            return ModuleSpec(name, Facade(), is_package=True)
        if rest not in PATHS:
            return None
        return same_module_spec(name, f"{PACKAGE}.{PATHS[rest]}")


def install():
    """Registers the finder with the import system; repeated calls have no effect."""
    if PathsFinder not in sys.meta_path:
        sys.meta_path.insert(0, PathsFinder)
