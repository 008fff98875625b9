"""ParamInfo: the name and the flags of a Parameter."""

import itertools

PARAMETER_NAME_DEFAULT = "Parameter"
PARAMETER_NAME_PREFIX_MAX_LEN = 1024
_GENERATED_PARAMETER_NAME_PREFIX = PARAMETER_NAME_DEFAULT + "#"
_generated_numbers = itertools.count(1)


class ParamInfo:
    """The name and the flags of a Parameter."""

    def __init__(self, obj=None):
        self.obj = obj
        self.name = ""
        self.requires_grad = True
        self.layerwise_parallel = False
        self.parallel_optimizer = True
        self.parallel_optimizer_comm_recompute = False
        self.comm_fusion = 1
        self.cache_enable = False
        self.cache_shape = []
        self.key = -1
        self.requires_aggr = True
        self.storage_format = ""
        self.is_param_init = False
        self.is_pipeline_shared_param = False

    def clone(self):
        """Returns a copy that does not belong to a Parameter yet."""
        clone = ParamInfo(None)
        clone.__dict__.update(self.__dict__, obj=None, cache_shape=list(self.cache_shape))
        return clone


def _generate_parameter_name():
    """Returns a name for an unnamed Parameter; the Cell to which it is assigned replaces it."""
    return f"{_GENERATED_PARAMETER_NAME_PREFIX}{next(_generated_numbers)}"


def _is_parameter_generated(name):
    """Returns True for a name created by `_generate_parameter_name`."""
    return bool(name) and name.startswith(_GENERATED_PARAMETER_NAME_PREFIX)
