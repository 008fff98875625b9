"""Small functions that scripts import from MindSpore's Python layer."""

import pytest

from mindspore_compat import _checkparam as checks
from mindspore_compat import log
from mindspore_compat.common._helpers import functions as helpers
from mindspore_compat.common._helpers import jit_context
from mindspore_compat.dataset.core import py_util_helpers as workers

pytestmark = pytest.mark.quick


def test_unknown_shapes():
    assert helpers.is_shape_unknown((2, -1))
    assert helpers.is_shape_unknown((-2,))
    assert not helpers.is_shape_unknown((2, 3))
    for wrong in ((2, -2), (-3,)):
        with pytest.raises(ValueError, match="shape"):
            helpers.is_shape_unknown(wrong)


def test_marks_on_functions():
    def twice(x):
        return 2 * x

    marked = helpers.jit_forbidden_register(twice)
    assert marked(3) == 6
    assert twice.__jit_forbidden__
    assert helpers.get_func("ab".upper) is not None
    assert helpers.init_to_value("ones") == 1.0
    with pytest.raises(ValueError, match="init"):
        helpers.init_to_value("twos")


def test_a_deprecated_function_warns_once(monkeypatch):
    logged = []
    monkeypatch.setattr(log, "warning", logged.append)

    @helpers.deprecated("2.9", "newer", module_prefix="mindspore.")
    def older():
        return 4

    assert [older(), older()] == [4, 4]
    assert len(logged) == 1
    assert "newer" in logged[0]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("3", (True, (3, 3))),
        ("(1,4)", (True, (1, 4))),
        ("(2,)", (True, (2, float("inf")))),
        ("(,5)", (True, (1, 5))),
        ("(1", (False, ())),
        ("", (False, ())),
        (None, (False, ())),
    ],
)
def test_verbose_levels(text, expected):
    assert log.parse_vlog_level(text) == expected


def test_verbose_messages(monkeypatch, capsys):
    monkeypatch.setenv("VLOG_v", "(1,3)")
    log.vlog_print(2, "ME", "a.py", 3, "shown")
    log.vlog_print(4, "ME", "a.py", 3, "hidden")
    assert "shown" in (out := capsys.readouterr().out)
    assert "hidden" not in out


def test_data_of_a_class():
    checks.check_input_data([1, {"a": 2}], data_class=int)
    checks.check_input_data(None, 3, data_class=(int, None))
    with pytest.raises(TypeError, match="int"):
        checks.check_input_data((1, "a"), data_class=int)
    with pytest.raises(RuntimeError):
        checks.check_output_data(None)
    assert checks.check_input_dataset(1, 2, dataset_type=int)
    assert not checks.check_input_dataset(dataset_type=int)
    with pytest.raises(TypeError, match="hook_fn"):
        checks.check_hook_fn(3)
    assert checks.twice_sequence([1, 2]) == (1, 2)


def test_the_context_of_a_traced_function():
    class Context(jit_context.JitContext):
        def run_op(self, prim, prim_res, *args):
            return prim_res

    jit_context.set_jit_context(Context())
    try:
        current = jit_context.jit_context()
        current.compiled, current.phase = True, "train"
        assert (current.compiled, current.phase, current.run_op(None, 3)) == (True, "train", 3)
        with pytest.raises(TypeError, match="compiled"):
            current.compiled = 1
    finally:
        jit_context.set_jit_context(None)
    with pytest.raises(AttributeError, match="run_op"):
        jit_context.JitContext().run_op(None, 3)


def test_errors_of_workers_can_be_raised_elsewhere():
    def fails(x):
        raise KeyError(f"no {x}")

    with pytest.raises(KeyError, match="no row"):
        workers.FuncWrapper(fails)("row")
    with pytest.raises(ValueError, match="transform"):
        workers.FuncWrapper(3)
    thread = workers.ExceptionThread(target=fails, args=("row",))
    thread.start()
    thread.join()
    assert thread.exitcode == 1
    assert "no row" in thread.exc_traceback
    assert workers.flatten_single_lists([[[1, [2]]]]) == [1, [2]]
    assert workers.to_list(None) == []


def test_checks_of_shapes():
    assert checks.get_broadcast_shape((2, 1), (3,), "Add") == [2, 3]
    checks.check_dense_inputs_same_shape((2, 3), [2, 3])
    checks.check_last_dimension(3, 3)
    for wrong in (
        lambda: checks.get_broadcast_shape((2,), (3,), "Add"),
        lambda: checks.check_dense_inputs_same_shape((2,), (3,)),
        lambda: checks.check_last_dimension(2, 3, "Dense"),
        lambda: checks.raise_value_error("wrong"),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        checks.check_bool_const(1)
