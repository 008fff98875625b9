"""`mindspore.graph.register_custom_pass`: plugins that rewrite graphs.

A plugin is a library of machine code that is compiled against the graphs of MindSpore's own
compiler. Steps are recorded otherwise here, so no plugin can be registered.
"""

import enum

from .. import log
from .._core.rules.vocabulary import InstanceOf, Str, checked

__all__ = ["CustomPassType", "register_custom_pass"]


class CustomPassType(enum.Enum):
    """The kinds of custom passes: of a pattern of operators, or of the whole graph."""

    PATTERN = 0
    FULL_GRAPH = 1


@checked
def register_custom_pass(
    pass_name: Str,
    plugin_so_path: Str,
    device: Str = "all",
    pass_type: InstanceOf(CustomPassType) = CustomPassType.PATTERN,
):
    """Asks for a pass of a plugin to be run on graphs. It is never registered here, as for a plugin
    that MindSpore cannot load; the log says so.

    Args:
        pass_name (str): the name of the pass.
        plugin_so_path (str): the path of the plugin, a shared library.
        device (str): "cpu", "gpu", "ascend" or "all".
        pass_type (CustomPassType): the kind of the pass.

    Returns:
        bool, whether the pass is registered: False.

    Raises:
        TypeError: if an argument is of another type.

    Example:
        >>> from mindspore_compat import graph
        >>> graph.register_custom_pass("fuse", "/no/such/plugin.so")
        False

    Source: mindspore.graph.register_custom_pass of MindSpore 2.10.
    """
    log.error(
        f"The pass '{pass_name}' of '{plugin_so_path}' is not registered: plugins are compiled "
        "against the graphs of the original's compiler."
    )
    return False
