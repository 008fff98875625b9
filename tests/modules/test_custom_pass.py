"""graph.register_custom_pass: the paths, the kinds of passes, what is refused; no plugin loads."""

import pytest
from mindspore_compat.graph.custom_pass import CustomPassType

from mindspore_compat import graph


def test_no_plugin_is_registered(tmp_path):
    plugin = tmp_path / "plugin.so"
    plugin.write_bytes(b"")
    kind = graph.CustomPassType.FULL_GRAPH
    assert graph.register_custom_pass("fuse", str(plugin), "cpu", kind) is False


def test_the_class_has_both_paths():
    assert graph.CustomPassType is CustomPassType
    assert [kind.value for kind in CustomPassType] == [0, 1]


@pytest.mark.parametrize(
    "arguments", [(1, "a.so"), ("p", None), ("p", "a.so", 1), ("p", "a.so", "cpu", 0)], ids=str
)
def test_arguments_of_another_type_are_refused(arguments):
    with pytest.raises(TypeError):
        graph.register_custom_pass(*arguments)
