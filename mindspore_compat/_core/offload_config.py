"""`set_offload_context` of MindSpore 2.0 to 2.9: settings for offloading the memory of an Ascend.

No Ascend exists here: the settings are checked, stored and returned.
"""

from .context.settings import DictOf, Setting, Settings, Text
from .declare.public_api import legacy
from .rules.vocabulary import Bool, Float, Int, OneOf
from .without_effect import without_effect

_gigabytes = Text(r"[1-9][0-9]*(\.[0-9]+)?GB|0\.[0-9]*[1-9][0-9]*GB", 'such as "512GB"')
_directory = Text(r"(?s).+", "not empty")
_storage = OneOf("cpu", "disk")
_ratio = Float(gt=0.0, le=1.0)

TABLE = {
    "offload_path": Setting("./offload", _directory),
    "offload_cpu_size": Setting("", _gigabytes),
    "offload_disk_size": Setting("", _gigabytes),
    "hbm_ratio": Setting(1.0, _ratio),
    "cpu_ratio": Setting(1.0, _ratio),
    "enable_pinned_mem": Setting(True, Bool),
    "enable_aio": Setting(True, Bool),
    "aio_block_size": Setting("", _gigabytes),
    "aio_queue_depth": Setting(0, Int(ge=1)),
    "offload_param": Setting("", _storage),
    "offload_checkpoint": Setting("", _storage),
    "auto_offload": Setting(True, Bool),
    "host_mem_block_size": Setting("", _gigabytes),
}
_PAGE_NAMES = {"aio_queue_size": "aio_queue_depth"}  # MindSpore's page and code differ

settings = Settings(TABLE)


@legacy("set_offload_context", "context.set_offload_context")
@without_effect("set_offload_context", "devices have no such memory")
def set_offload_context(offload_config):
    """Configures the offloading of Parameters and activations from device memory.

    Args:
        offload_config (dict): the settings by key. Directories: `offload_path`. Sizes, such as
            "512GB": `offload_cpu_size`, `offload_disk_size`, `aio_block_size`,
            `host_mem_block_size`. Ratios in (0, 1]: `hbm_ratio`, `cpu_ratio`. Bools:
            `enable_pinned_mem`, `enable_aio`, `auto_offload`. "cpu" or "disk": `offload_param`,
            `offload_checkpoint`. An int: `aio_queue_size`.

    Raises:
        TypeError: if `offload_config` is not a dict, or a value has the wrong type.
        ValueError: if a key is unknown, or a value is out of range. No setting changes then.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.context.set_offload_context({"offload_param": "disk", "hbm_ratio": 0.75})
        >>> ms.context.get_offload_context()["offload_param"]
        'disk'

    Source: mindspore.set_offload_context of MindSpore 2.7.
    """
    DictOf().refuse("set_offload_context", "offload_config", offload_config)
    values = {_PAGE_NAMES.get(key, key): value for key, value in offload_config.items()}
    vars(settings).update(settings.change("set_offload_context", values))


@legacy("get_offload_context", "context.get_offload_context")
def get_offload_context():
    """Returns all offload settings, by key.

    Returns:
        dict.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.context.get_offload_context()["cpu_ratio"]
        1.0

    Source: mindspore.get_offload_context of MindSpore 2.7.
    """
    return {key: getattr(settings, key) for key in TABLE}
