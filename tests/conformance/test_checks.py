"""The smaller tools: gradients against differences, printed outputs, argument texts, the progress
line, pytest items.
"""

import io
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from conformance.arguments.values import Values
from conformance.calls import bad, good
from conformance.calls.call import Call
from conformance.kinds import cases, gradients, observations, outputs
from conformance.reading import recorder, specs
from conformance.reading.model import Example, Page
from conformance.running import answers, runner
from conformance.sentences import ranges
from conformance.sentences.rules import Clause, Rule
from mindspore_compat import ops

ROOT = Path(__file__).parent.parent.parent
AT = [ms.Tensor([0.3, -0.7, 1.9], ms.float32)]


def half_fixed(x):
    """Returns x², with a correct gradient and a wrong second derivative."""
    return ops.stop_gradient(x * x) + ops.stop_gradient(2 * x) * (x - ops.stop_gradient(x))


@pytest.mark.parametrize(
    "function, first, second",
    [
        (lambda x: x * x, True, True),
        (half_fixed, True, False),
        (lambda x: x + ops.stop_gradient(ops.tanh(x) - x), False, True),
    ],
)
def test_gradient_is_judged_right_or_wrong(function, first, second):
    assert (gradients.check(ms, function, AT, 1) is None) == first
    assert (gradients.check(ms, function, AT, 2) is None) == second


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ops.abs(x - ms.Tensor([0.3, 0.0, 0.0], ms.float32)),  # a kink at the point
        lambda x: ops.cast(x > 0, ms.int32),  # the result is not a float
        lambda x: ops.log(x),  # NaN at the point
        lambda x: x * ms.Tensor(np.random.rand(3), ms.float32),  # random
    ],
)
def test_point_without_a_derivative_is_not_judged(function):
    with pytest.raises(gradients.NotSmooth):
        gradients.check(ms, function, AT, 1)


@pytest.mark.parametrize(
    "expected, got, numbers, layout",
    [
        ("[1.  2.]", "[1.  2.]", True, True),
        ("[1.  2.]", "[1. 2.]", True, False),
        ("[0.33333]", "[0.33334]", True, True),
        ("[0.33333]", "[0.33430]", False, True),
        ("[nan inf]", "[nan inf]", True, True),
        ("[nan 1.]", "[1. nan]", False, False),
        ("Float32", "Float64", False, True),
        ("True", "False", False, False),
        ("a\n<BLANKLINE>\nb", "a\n\nb", True, True),
        ("loss ...", "loss 3.25", True, False),
        ("1e-07", "0.0000001", True, False),
        ("x1: 3", "x2: 3", False, True),
        ("[0.5 +0.8660255j]", "[0.5-0.8660254j]", False, False),
        ("[0.28-0.96000003j]", "[0.28      -0.96j]", True, False),
        ("[1.+2.j]", "[1.+2. ]", False, False),
    ],
)
def test_printouts(expected, got, numbers, layout):
    assert outputs.same_numbers(expected, got) == numbers
    assert outputs.same_layout(expected, got) == layout


@pytest.mark.parametrize(
    "text, shape, dtype",
    [
        ("T('float32', [1, 2])", (2,), "float32"),
        ("T('int64', fill(3, (2, 3)))", (2, 3), "int64"),
        ("T('bfloat16', [1.5])", (1,), "float32"),
        ("ranked(T('float32', [1.0]), 3)", (1, 1, 1), "float32"),
        ("ranked(T('float32', [[1.0]]), 0)", (), "float32"),
        ("grown(T('float32', [[1.0, 2.0]]))", (1, 3), "float32"),
        ("cast(T('float32', [1.0]), 'int32')", (1,), "int32"),
        ("uniform((4,), -1, 1)", (4,), "float64"),
        ("integers((2, 2), 0, 5)", (2, 2), "int64"),
    ],
)
def test_argument_texts(text, shape, dtype):
    array = Values().build(text)
    assert (array.shape, array.dtype.name) == (shape, dtype)
    if not text.startswith(("uniform", "integers")):
        tensor = Values(ms).build(text)
        assert tensor.shape == shape


@pytest.mark.parametrize(
    "again, same",
    [
        (["Float32", [1], [0.999999]], True),
        (["Float32", [1], [0.9999]], False),
        (["Float32", [1]], False),
        (["Int32", [1], [1]], False),
    ],
)
def test_rounding_does_not_make_a_number_random(again, same):
    assert observations.same_but_for_rounding(["Float32", [1], [1.0]], again) is same
    large = [["Float32", [9, 9], [{"mean": 0.5, "size": 0.5, "wave": 0.1}]]]
    assert observations.same_but_for_rounding(large, large)
    other = [["Float32", [9, 9], [{"mean": 0.5, "size": 0.5, "wave": 0.1001}]]]
    assert not observations.same_but_for_rounding(large, other)


def test_same_text_gives_the_same_values():
    first, again = (Values().build("uniform((8,), -1, 1)") for _ in range(2))
    assert (first == again).all() and first.min() >= -1 and first.max() <= 1


def test_each_free_port_is_one_that_nobody_holds():
    port = Values().build("sample.free_port()")
    with socket.create_server(("127.0.0.1", port)):
        assert Values().build("sample.free_port()") != port


def test_memory_that_cycles_hold_is_given_back_before_a_worker_is_replaced():
    # In a new process, because this one would reuse memory that other tests have freed.
    script = """
import numpy as np
from conformance.worker import memory
before, ring = memory.held(), [np.ones(8 << 20)]
ring.append(ring)
assert memory.is_beyond(before + 30)
del ring
assert not memory.is_beyond(before + 30)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def call(**given):
    """A call of a function with these arguments and typed parameters."""
    types = {
        "n": ["int"],
        "rate": ["float"],
        "mode": ["str"],
        "size": ["int", "tuple[int]"],
        "sparse": ["bool"],
        "x": ["Tensor"],
    }
    return Call(call=given, types=types, defaults={"mode": "'same'"}, call_names=tuple(types))


@pytest.mark.parametrize(
    "subject, right, texts",
    [
        ("n", "not int", ["'wrong'", "0.5", "True"]),
        ("rate", "not float", ["'wrong'", "1", "True"]),
        ("rate", "outside (0.0, 1.0)", ["0.0", "1.0"]),
        ("rate", "outside [0.0, 1.0]", ["-0.1", "1.1"]),
        ("n", "< 1", ["0"]),
        ("n", "<= 0", ["0", "-1"]),
        ("mode", "not in 'a' | 'b'", ["'wrong'"]),
        ("len(size)", "!= 2", ["(3, 3, 3)"]),
        ("each(size)", "<= 0", ["(0, 3)", "(-1, 3)"]),
        ("each(betas)", ">= 1.0", ["(1.0, 0.9)", "(2.0, 0.9)"]),
        ("sparse", "== True", ["True"]),
        ("sparse", "!= True", ["False"]),
        ("size", "!= (0, 0)", ["(1, 1)"]),
        ("mode", "!= 'pad'", ["'same'"]),
        (
            "dtype(x)",
            "not float16 | float32",
            ["cast(T('float32', [[1.0]]), 'int32')", "cast(T('float32', [[1.0]]), 'bool')"],
        ),
        (
            "rank(x)",
            "!= 2",
            ["ranked(T('float32', [[1.0]]), 3)", "ranked(T('float32', [[1.0]]), 1)"],
        ),
        ("n", "outside [-rank(x), rank(x))", ["-3", "2"]),
    ],
)
def test_bad_values_of_a_clause(subject, right, texts):
    clause = Clause.parse(subject, right)
    made = bad.offend(
        Rule("ValueError", (clause,)),
        call(x="T('float32', [[1.0]])", n="1", size="(3, 3)", betas="(0.9, 0.9)"),
    )
    assert [c.call[clause.subjects[0].name] for _, c in made] == texts


@pytest.mark.parametrize(
    "subject, right, texts",
    [
        ("rate", "outside (0.0, 1.0]", ["1.0", "0.5"]),
        ("n", "< 1", ["1"]),
        ("n", "<= 0", ["1"]),
        ("mode", "not in 'a' | 'b'", ["'a'", "'b'"]),
    ],
)
def test_good_neighbours_of_a_clause(subject, right, texts):
    rule = Rule("ValueError", (Clause.parse(subject, right),))
    assert [c.call[subject] for _, c in good.spare(rule, call(n="3"))] == texts


@pytest.mark.parametrize("subject", ["self", "input"])
def test_a_method_is_asked_of_tensors_only(subject):
    method = Call(call={}, owner="T('float32', [1.0])")
    kinds = Rule("TypeError", (Clause.parse(subject, "not Tensor"),))
    dtypes = Rule("TypeError", (Clause.parse(f"dtype({subject})", "not float32"),))
    assert bad.offend(kinds, method) == []
    assert all(made.owner.startswith("cast(") for _, made in bad.offend(dtypes, method))
    assert bad.offend(dtypes, method)


def test_types_come_before_what_is_said_of_them():
    clauses = Clause.parse("rank(size)", "!= 1"), Clause.parse("size", "is Tensor")
    ((label, made),) = bad.offend(Rule("ValueError", clauses), call(size="(3, 3)"))
    assert made.call["size"] == "ranked(T('int64', [3, 3]), 2)"
    assert label == "size=int64-Tensor,size=ranked-2"


def test_a_tensor_in_place_of_a_number_broadcasts():
    clauses = Clause.parse("dtype(n)", "not float32"), Clause.parse("n", "is Tensor")
    ((_, made), *_) = bad.offend(Rule("TypeError", clauses), call(n="0.5"))
    assert made.call["n"].startswith("cast(T('float32', [0.5]), ")


@pytest.mark.parametrize(
    "error, n, wanted",
    [
        ("ValueError", "0.5", True),
        ("TypeError", "0.5", True),
        ("RuntimeError", "0.5", False),
        ("ValueError", "1.5", False),
    ],
)
def test_of_two_sentences_that_forbid_a_call_the_original_may_choose(error, n, wanted):
    rules = [{"TypeError": {"n": "not int"}}, {"ValueError": {"n": "< 1"}}]
    also = cases.other_errors({"raises": rules}, specs.rule_of(rules[0]), call(n=n))
    case = {"id": "f::raises::n", "name": "f", "kind": "raises", "expect": "TypeError", **also}
    stored = {case["id"]: [cases.digest(case), "fail", error]}
    result = {"status": "pass" if error == "TypeError" else "fail", "observed": error}
    assert (answers.judge(case, result, stored)["status"] == "pass") is (wanted)


@pytest.mark.parametrize(
    "wanted, got, same",
    [
        (["Float16", [2], [0.005, 1.8]], ["Float16", [2], [0.0, 1.8]], True),
        (["Float16", [2], [0.005, 0.01]], ["Float16", [2], [0.0, 0.01]], False),
        (["Float32", [2], [0.005, 1.8]], ["Float32", [2], [0.0, 1.8]], False),
        (
            ["Float64", [9], {"mean": -np.inf, "size": np.inf}],
            ["Float64", [9], {"mean": -np.inf, "size": np.inf}],
            True,
        ),
    ],
)
def test_halves_are_compared_at_the_scale_of_the_result(wanted, got, same):
    assert (answers.differ(wanted, got) is None) == same


@pytest.mark.parametrize("precision, is_seen", [(False, True), (True, True), ("coarse", False)])
def test_a_result_that_was_rounded_to_half_precision_is_seen(precision, is_seen):
    exact = np.sin([0.3, 0.7, 1.1]).tolist()
    rounded = np.float16(exact).astype(np.float32).tolist()
    sides = (["Float32", [3], numbers] for numbers in (exact, rounded))
    assert (answers.differ(*sides, scaled=precision) == "values") is is_seen


@pytest.mark.parametrize("name, is_coarse", [("ops.tanh", True), ("ops.tan", False)])
def test_calls_that_the_original_computes_less_exactly_are_listed(name, is_coarse):
    case = {"id": f"{name}::values::example", "wanted": {}}
    wanted, seen = ({"result": ["Float32", [2], [1.0, x]]} for x in (0.5, 0.5003))
    assert (answers.facts_differ(case, None, wanted, seen) is None) is is_coarse


def test_all_of_several_subjects_are_made_bad_together():
    rule = Rule("TypeError", (Clause.parse("n & rate", "none"),))
    ((_, made),) = bad.offend(rule, call(n="1", rate="0.5"))
    assert (made.call["n"], made.call["rate"]) == ("None", "None")


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("n (int): How many. It must be greater than 0. Default: 1.", "<= 0"),
        ("n (float): Must be in range (0.0, 1.0).", "outside (0.0, 1.0)"),
        ("n (int): Axis. The rank of `x` must be at least 2.", None),
        ("n (bool): If set, `m` must be positive.", None),
        ("n (int) - 数量。必须大于0。", "<= 0"),
        ("n (float) - 参数范围(0.0,1.0)。", "outside (0.0, 1.0)"),
    ],
)
def test_range_of_a_description(text, wanted):
    types = ["bool"] if "(bool)" in text else ["int", "float"]
    assert ranges.range_of("n", [text], types) == wanted


def test_recorder_learns_the_call_without_the_package():
    steps = [
        "import mindspore as ms",
        "import numpy as np",
        "from mindspore import nn",
        "x = ms.Tensor(np.arange(3), ms.float32)",
        "net = nn.Gadget(x.shape[0], act=nn.ReLU(), mode='a')",
        "out = net(x, [1, None])",
    ]
    page = Page("nn.Gadget", "class", "here", 1, examples=[Example([(s, "", 1) for s in steps])])
    assert recorder.calls(page) == {
        "init": [["3"], {"act": "ms.nn.ReLU()", "mode": "'a'"}],
        "call": [["T('float32', [0, 1, 2])", "[1, None]"], {}],
    }


def test_recorder_leaves_out_what_it_cannot_write_down():
    steps = ["from mindspore import ops", "ops.gadget(lambda x: x)"]
    page = Page(
        "ops.gadget", "function", "here", 1, examples=[Example([(s, "", 1) for s in steps])]
    )
    assert recorder.calls(page) is None


def test_progress_shows_on_a_terminal_only():
    class Terminal(io.StringIO):
        isatty = staticmethod(lambda: True)

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        progress = runner.Progress(2, stream)
        for _ in range(2):
            progress({"name": "nn.Adam"}, {"status": "fail"})
        assert ("2/2  2 failed" in stream.getvalue()) == shown


def pytest_run(*options):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_cases_are_pytest_items_with_readable_ids():
    done = pytest_run("--conformance=nn.AdamOffload", "--collect-only")
    assert "conformance/spec/nn.yaml::nn.AdamOffload::raises::beta1=1.0→ValueError" in done.stdout
    assert "tests/" not in done.stdout


def test_pytest_names_call_expected_and_got(tmp_path, monkeypatch):
    (tmp_path / "hollow.py").write_text(
        "class nn:\n    @staticmethod\n    def ReLU(strict=False):\n        return None\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = pytest_run("--conformance=nn.ReLU", "--conformance-target=hollow")
    assert done.returncode == 1
    assert "call:     nn.ReLU" in done.stdout and "expected: " in done.stdout
    done = pytest_run("--conformance=nn.ReLU", "--conformance-target=no_such_thing")
    assert done.returncode == 2 and "no_such_thing: cannot be imported" in done.stdout + done.stderr


def test_recorder_ends_an_example_that_runs_for_too_long(monkeypatch):
    monkeypatch.setattr(recorder, "SECONDS", 0.2)
    steps = [
        ("while True:\n    pass", "", 1),
        ("from mindspore import ops", "", 3),
        ("ops.gadget(1)", "", 4),
    ]
    page = Page("ops.gadget", "function", "here", 1, examples=[Example(steps)])
    assert recorder.calls(page) is None
