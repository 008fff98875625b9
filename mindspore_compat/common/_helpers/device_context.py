"""DeviceCtx: a context that sets the device."""

from ..._core.context.config import DEVICES, config, set_device
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int
from .._deferred import no_init_parameters

_META = "meta"
_NAMES = [*DEVICES, _META]
_Number = Int(ge=0) | Bool | None


@public("DeviceCtx")
class DeviceCtx:
    """A context that sets another device target.

    Args:
        name (str): "CPU", "GPU" or "Ascend", as in `set_device`; or "meta", for which the device
            stays as it is, and Parameters defer the drawing of their values, as in
            `no_init_parameters`.
        device_id (int, optional): which of several devices; by default the first.

    Raises:
        TypeError: on entering, if `device_id` is not an int.
        ValueError: on entering, if `name` is not one of these, or `device_id` is negative.
        RuntimeError: on entering, if there is no GPU with this `device_id`.

    Examples:
        >>> import mindspore_compat as ms
        >>> with ms.DeviceCtx("CPU"):
        ...     print(ms.get_current_device().device_target)
        CPU
        >>> with ms.DeviceCtx("meta"):
        ...     net = ms.nn.Dense(2, 3)
        >>> net.weight.has_init
        True
    """

    def __init__(self, name, device_id=None):
        self.name, self.device_id = name, device_id
        self._undo = []  # for each `__enter__`, the function that undoes it

    def __enter__(self):
        if self.name not in _NAMES:
            raise ValueError(
                f"For 'DeviceCtx', 'name' must be one of {_NAMES}, but got {self.name!r}."
            )
        _Number.refuse("DeviceCtx", "device_id", self.device_id)
        if self.name == _META:
            inner = no_init_parameters()
            inner.__enter__()
            self._undo.append(inner.__exit__)
        else:
            before = config.device_target, config.device_id
            set_device(self.name, self.device_id)
            self._undo.append(lambda *error: set_device(*before))
        return self

    def __exit__(self, *error):
        self._undo.pop()(*error)
