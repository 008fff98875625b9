"""Further public paths: one table, and the finder that reads it.

MindSpore's names can be reached through many module paths, old and new, such as
`communication.management`, `nn.metrics` or `dataset.vision.c_transforms`. A path in `PATHS` *is*
the module on its right: the same object under one more name, so classes keep their identity and
nothing is copied. A path whose module is not there is not found, as any unknown module. Modules
that exist as files are not listed, and always win. A path must not end in a name that its parent
shows as something else (`common.seed`, a function): importing it would put the module there. Only
`ops` keeps what it shows (`op_info_register`, a function).
"""

import importlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

PACKAGE = __package__

# The path on the left, the module that holds its names on the right; both below the package.
PATHS = {
    "dtype": "common.dtype",
    "version": "_version",
    "common.type": "common.dtype",
    "common.hook_handle": "common.hook",
    "common._stub_tensor": "common.tensor",
    "communication.management": "communication",
    "dataset.audio.transforms": "dataset.audio",
    "dataset.config": "dataset.engine.config",
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
    "ops.composite.random_ops": "ops.composite",
    "ops._grad": "ops._legacy.grad_base",
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
    "ops.operations.random_ops": "ops.operations",
    "ops.operations.sparse_ops": "ops.operations",
    "ops.operations._csr_ops": "ops._sparse.csr_ops",
    "ops.operations._grad_ops": "ops._primitive_aliases.grad_ops",
    "ops.operations._infer_ops": "ops.auto_generate",
    "ops.operations._inner_ops": "ops._primitive_aliases.inner_ops",
    "ops.operations._rl_inner_ops": "ops._legacy.rl_inner_ops",
    "ops.operations._sequence_ops": "ops.auto_generate",
    "ops.operations._tensor_array": "ops._legacy.tensor_array",
    "ops.auto_generate.gen_ops_prim": "ops.auto_generate",
    "ops.auto_generate.gen_ops_def": "ops.auto_generate",
    "ops.auto_generate.pyboost_inner_prim": "ops._primitive_aliases.pyboost_inner_prim",
    "profiler.profiling": "profiler",
    "train.train_thor.dataset_helper": "train.train_thor",
}


class SameModule:
    """Loads a module by giving the one that another name already stands for."""

    def __init__(self, target):
        self.target = target
        self.own_spec = None

    def create_module(self, spec):
        """Import the target and return it."""
        module = importlib.import_module(self.target)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module):
        """Undo the one thing the import system overwrote: the module's own spec.

        What the module has loaded gets its further name at once. Imported by that name later it
        would be put over what the module itself shows under it, as a function may be
        (`scipy.optimize.linear_sum_assignment`).
        """
        name, module.__spec__ = module.__spec__.name, self.own_spec
        for path, loaded in list(sys.modules.items()):
            if path.startswith(f"{self.target}."):
                sys.modules.setdefault(name + path[len(self.target):], loaded)


def same_module_spec(name, target):
    """A spec that makes `name` the module `target`; None where there is no such module."""
    try:
        spec = find_spec(target)
    except ModuleNotFoundError as missing:
        if not target.startswith(f"{missing.name}.") and missing.name != target:
            raise
        return None
    if spec is None:
        return None
    return ModuleSpec(name, SameModule(target), origin=spec.origin)


class PathsFinder:
    """Finds the paths of the table; asked last, after the files."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The spec of a path in the table, or None."""
        room, _, rest = name.partition(".")
        if room != PACKAGE or rest not in PATHS:
            return None
        return same_module_spec(name, f"{PACKAGE}.{PATHS[rest]}")


def install():
    """Make the table known to the import system; once is enough."""
    if PathsFinder not in sys.meta_path:
        sys.meta_path.append(PathsFinder)
