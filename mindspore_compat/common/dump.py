"""set_dump: selects the parts of a network whose results an Ascend writes to files."""

import warnings

from .._core.context.config import config
from .._core.rules.base import registered
from .._core.rules.vocabulary import AsValue, Bool, InstanceOf

__all__ = ["set_dump"]


def set_dump(target, enabled=True):
    """Marks a Cell or Primitive whose results an Ascend writes to files.

    It sets the flag `dump` of Cells, and an attribute of Primitives. Other devices write no files;
    a warning says so.

    Args:
        target (Union[Cell, Primitive]): the Cell or Primitive.
        enabled (bool): whether to mark it. Default: ``True``.

    Raises:
        ValueError: if `target` is neither, or `enabled` not a bool.

    Example:
        >>> import mindspore_compat.ops as ops
        >>> add = ops.Add()
        >>> ms.set_dump(add)
        >>> add.attrs["dump"]
        'true'

    Source: mindspore.set_dump of MindSpore 2.10.
    """
    kinds = [kind for name in ("Cell", "Primitive") if (kind := registered(name))]  # once imported
    AsValue(InstanceOf(*kinds).called("a Cell or a Primitive")).refuse("set_dump", "target", target)
    AsValue(Bool).refuse("set_dump", "enabled", enabled)
    if config.device_target != "Ascend":
        warnings.warn(
            f"'set_dump' has no effect on a {config.device_target}: an Ascend alone "
            "writes results to files.",
            stacklevel=2,
        )
    if isinstance(target, registered("Primitive")):
        target.add_prim_attr("dump", "true" if enabled else "false")
        return
    for _, part in target.cells_and_names():
        part.add_flags(dump=enabled)
