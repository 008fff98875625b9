"""Runs cases on two small implementations: a correct one, and one that crashes, hangs and returns
wrong results.

Both implement the three names of `toy`, which has its own specs and takes the place of MindSpore.
"""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from kit.toy_target import SPECS, TOY

from conformance.__main__ import main
from conformance.errors import BadInput
from conformance.kinds import cases
from conformance.reading import packed
from conformance.reports import generate, html, links, report
from conformance.running import answers, runner, verdicts


def outcome(target, kinds=cases.KINDS, entries=SPECS, **options):
    """{case id: status} of a run."""
    found = list(cases.all_cases(entries, kinds))
    return {c["id"]: r["status"] for c, r in runner.run(found, target, **options)}


def test_promises_kept_and_a_crash_that_costs_one_case(toy):
    statuses = outcome(toy())
    crashed = [i for i, s in statuses.items() if s == "crash"]
    assert crashed == ["fragile::accepts::example"]
    assert {s for i, s in statuses.items() if i not in crashed} == {"pass"}
    assert "Half::raises::rate=1→TypeError" in statuses
    assert "Half::raises::rate=1.0→ValueError" in statuses
    assert "Half::accepts::rate=0.5" in statuses


@pytest.mark.parametrize(
    "old, new, failing",
    [
        ("rate=0.5", "rate=0.6", {"Half::signature"}),
        ("rate=0.5", "ratio=0.5, rate=0.5", {"Half::signature"}),
        ("rate < 1.0", "rate <= 1.0", {"Half::raises::rate=1.0→ValueError"}),
        ("limit < 0", "limit < 1", set()),  # 0 is tried, see below
        (
            'raise ValueError("limit")',
            'raise TypeError("limit")',
            {"strict::raises::limit=-1→ValueError"},
        ),
        ("x.data * np", "x.data[:1] * np", {"Half::promises::shape"}),
    ],
)
def test_broken_promise_is_found(toy, old, new, failing):
    name = toy(TOY.replace(old, new))
    failed = {i for i, s in outcome(name).items() if s == "fail"}
    assert failing <= failed
    if old == "limit < 0":
        assert failed == {"strict::accepts::limit=0"}


def test_hang_costs_one_case(toy, monkeypatch):
    monkeypatch.setitem(runner.SECONDS, "accepts", 2)
    name = toy(TOY.replace("os._exit(3)", "time.sleep(600)"))
    statuses = outcome(name)
    assert [i for i, s in statuses.items() if s == "hang"] == ["fragile::accepts::example"]
    assert statuses["strict::exists"] == "pass"


SLOW = """
    def __getattr__(name):
        if name == "fragile":
            time.sleep(60)
        raise AttributeError(name)
"""


def test_cases_of_ranks_run_first_and_results_keep_their_order(toy, tmp_path):
    found = list(cases.all_cases(SPECS, ("exists", "signature")))
    found = [{**case, "ranks": 2} if "strict" in case["name"] else case for case in found]
    assert "strict" not in found[0]["name"]
    store = tmp_path / "results.jsonl"
    names = [case["name"] for case, _ in runner.run(found, toy(), store=store)]
    assert names == [case["name"] for case in found]
    run = [json.loads(line)["id"] for line in store.read_text().splitlines()]
    assert run == sorted(run, key=lambda key: "strict" not in key)


def test_a_case_that_is_alone_has_its_own_process(toy):
    found = list(cases.all_cases(SPECS, ("exists",))) * 2
    found = [{**case, "id": f"{case['id']} {n}"} for n, case in enumerate(found)]
    found[2]["alone"] = found[3]["alone"] = True
    with runner.Workers(toy(), None, 1) as workers:
        used = []
        for case in found[:5]:
            workers.ask(case)
            used.append(next(iter(workers.living)))
    assert used[0] is used[1]
    assert len({id(process) for process in used[1:]}) == 4


def test_interrupted_run_goes_on(toy, tmp_path):
    slow = TOY.replace("def fragile", "def _fragile") + SLOW  # the third case is under way
    name, store = toy(slow), tmp_path / "results.jsonl"
    found = list(cases.all_cases(SPECS, ("exists", "signature")))
    run = runner.run(found, name, store=store)
    next(run), next(run)
    run.close()
    assert len(store.read_text().splitlines()) == 2
    with open(store, "a", encoding="utf-8") as file:
        file.write('{"id": "cut o')
    stored = runner.load(store)
    assert len(stored) == 2
    (tmp_path / "toy" / "__init__.py").write_text("raise RuntimeError('must not be asked again')")
    again = runner.run(found[:2], name, store=store)
    assert [r["status"] for _, r in again] == ["pass", "pass"]


def test_changed_question_is_asked_again(toy, tmp_path):
    name, store = toy(), tmp_path / "results.jsonl"
    assert set(outcome(name, ("signature",), store=store).values()) == {"pass"}
    changed = {**SPECS, "strict": {**SPECS["strict"], "signature": ["x", "limit=4"]}}
    assert outcome(name, ("signature",), changed, store=store)["strict::signature"] == "fail"


def test_default_that_a_page_writes_as_a_power(toy):
    name = toy(TOY.replace("rate=0.5", "rate=0.5, far=2**63 - 1"))
    specs = {"Half": {**SPECS["Half"], "signature": ["rate=0.5", "far=2 ^ 63 - 1"]}}
    assert outcome(name, ("signature",), specs) == {"Half::signature": "pass"}


def test_absent_name_is_distinguished_from_a_wrong_one(toy):
    statuses = outcome(toy(TOY.replace("def strict", "def loose")))
    assert statuses["strict::exists"] == "fail"
    others = {s for i, s in statuses.items() if i.startswith("strict::") and "exists" not in i}
    assert others == {"absent"}


def test_examples_run_and_compare_numbers_and_layout(toy):
    def example(expected):
        return {
            "id": "x::example",
            "kind": "example",
            "name": "x",
            "steps": [
                ["import mindspore as ms", "", 1],
                ["def f(x):\n    return x.data * 2", "", 2],
                ["print(f(ms.Tensor([1.0, 2.0])))", expected, 3],
            ],
        }

    name = toy()
    found = [
        example(text)
        for text in ("[2. 4.]", "[2.0004 4.]", "[ 2.   4. ]", "[2. 4.1]", "[2. 4. 6.]", "")
    ]
    got = [r for _, r in runner.run(found, name)]
    assert [r["status"] for r in got] == ["pass", "pass", "pass", "fail", "fail", "pass"]
    assert [r.get("layout") for r in got[:3]] == [True, False, False]


def test_example_that_names_what_it_never_made_is_not_asked(toy):
    case = {"id": "x::example", "kind": "example", "name": "x"}
    case["steps"] = [["print(never_made)", "1", 1]]
    ((_, result),) = runner.run([case], toy())
    assert result["status"] == "skip" and "never_made" in result["got"]


@pytest.mark.parametrize(
    "text, what",
    [
        ("raise ImportError('no such library')", "no such library"),
        ("import os; os._exit(1)", "no answer"),
        ("import no_such_module_here", "no_such_module_here"),
    ],
)
def test_target_that_breaks_at_import_is_one_line(toy, spec, capsys, text, what):
    name = toy(text)
    assert main(["run", "--target", name, "--spec", spec, "--kind", "exists"]) == 2
    error = capsys.readouterr().err
    assert what in error and name in error and len(error.strip().splitlines()) == 1


def test_unknown_target_and_interpreter(toy, spec, capsys):
    toy()
    assert main(["run", "--target", "no_such_package", "--spec", spec, "--kind", "exists"]) == 2
    assert "no_such_package" in capsys.readouterr().err
    assert main(["run", "--python", "/no/such/python", "--spec", spec, "--kind", "exists"]) == 2
    assert "/no/such/python: cannot be run" in capsys.readouterr().err


def test_unknown_area_and_missing_results(spec, capsys):
    assert main(["run", "no.such.area", "--spec", spec]) == 2
    assert "no.such.area" in capsys.readouterr().err
    assert main(["report", "/no/such/results.json"]) == 2
    assert "/no/such/results.json: no such results file" in capsys.readouterr().err


def test_broken_results_file_is_placed(tmp_path, capsys):
    path = tmp_path / "r.json"
    path.write_text('{"about": {},\n"records": [}')
    assert main(["report", str(path)]) == 2
    assert f"{path}:2: is no results file" in capsys.readouterr().err


def test_run_report_and_files(toy, spec, tmp_path, capsys):
    name = toy(TOY.replace("rate < 1.0", "rate <= 1.0"))
    assert main(["run", "Half", "strict", "--target", name, "--spec", spec]) == 1
    files = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "junit")}
    options = [part for kind, path in files.items() for part in (f"--{kind}", str(path))]
    assert main(["report", f"conformance-results/{name}.json", *options]) == 0
    assert "names without a failing case: 1 of 2" in capsys.readouterr().out
    suite = xml.parse(files["junit"]).getroot()
    assert suite.get("failures") == "1" and suite.get("tests") == str(len(suite))
    written = json.loads(files["json"].read_text())
    (bad,) = [r for r in written["records"] if r["status"] == "fail"]
    assert (bad["call"], bad["expected"], bad["got"]) == (
        "Half(rate=1.0)(T('float32', [1.0, 2.0]))",
        "ValueError",
        "accepted",
    )
    page = files["html"].read_text()
    assert not re.search(r"src=|<link|@import|url\(", page)  # nothing is loaded
    addresses = re.findall("https?:[^\"'\\s]*", page)
    assert all(each.startswith(links.BASE) for each in addresses), addresses
    assert "<svg" in page and "prefers-color-scheme:dark" in page
    shown = json.loads(page.split('id="data">')[1].split("</script>")[0].replace("<\\/", "</"))
    assert [f[0] for f in shown["failing"]] == ["Half::raises::rate=1.0→ValueError"]


def test_page_escapes_what_it_shows():
    item = {
        "id": "a::raises::</script><b>",
        "name": "a",
        "area": "nn",
        "kind": "raises",
        "platforms": [],
        "status": "fail",
        "seconds": 0,
        "call": "<i>",
        "got": "</script>",
    }
    text = html.page([item], report.summary([item], {"target": "<t>"}))
    assert text.count("</script>") == 2 and "&lt;t&gt;" in text


def test_compare_names_what_differs(toy, spec, capsys):
    toy()
    other = TOY.replace("np.float32(self.rate)", "np.float32(0.5)")
    toy(other.replace("rate < 1.0", "rate <= 1.0"), "other")
    command = ["compare", "Half", "strict", "--reference", "toy", "--spec", spec, "--target"]
    assert main([*command, "other"]) == 1
    out = capsys.readouterr().out
    assert "Half::accepts::example: values" in out
    assert "Half::raises::rate=1.0→ValueError: ValueError against accepted" in out
    assert main([*command, "toy"]) == 0


def test_generated_files_are_tests_that_pass_and_fail(toy, spec, tmp_path):
    name = toy()
    command = ["generate", "Half", "strict", "--out", "made", "--target", name, "--spec", spec]
    assert main(command) == 0
    text = (tmp_path / "made" / "test_mindspore.py").read_text()
    call = "ms.Half(rate=1.0)(T('float32', [1.0, 2.0]))"
    assert f"with pytest.raises(ValueError):\n        {call}" in text

    def run():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "made"]
        return subprocess.run(
            command, capture_output=True, text=True, env=dict(os.environ), check=False
        )

    assert run().returncode == 0
    toy(TOY.replace("rate < 1.0", "rate <= 1.0"))
    done = run()
    assert done.returncode == 1 and "1 failed" in done.stdout


@pytest.mark.parametrize(
    "case, line",
    [
        (
            {"kind": "accepts", "call": {"net": "a", "*1": "b", "file": "'c'"}},
            "ms.nn.Thing(a, b, file='c')",
        ),
        (
            {"kind": "accepts", "init": {"p": "1"}, "call": {"g": "sample.gradients()"}},
            "made(sample.gradients())",
        ),
        (
            {"kind": "accepts", "init": {"p": "1"}, "call": {"x": "a", "z": "b"}, "by_name": True},
            "ms.nn.Thing(p=1)(x=a, z=b)",
        ),
        ({"kind": "accepts", "call": {}, "apart": "why"}, None),
        ({"kind": "exists"}, "resolve(values.ms, 'nn.Thing')"),
    ],
)
def test_a_case_as_a_test_of_a_file(case, line):
    case = {"id": "nn.Thing::x", "name": "nn.Thing", **case}
    text = generate._function(case, None, set())
    assert (text and text.splitlines()[-1].strip()) == line
    assert not text or compile(text, "test", "exec")
    lacking = generate._function(case, ["", "fail", "AttributeError"], set())
    assert lacking is None


@pytest.mark.parametrize(
    "label, answer, name, refused",
    [
        ("rate='x'→TypeError", None, "rate_x_raises_TypeError", "TypeError"),
        ("rate=-1.0→TypeError", None, "rate_minus_1_0_raises_TypeError", "TypeError"),
        ("x=cast-int32→TypeError", None, "x_cast_int32_raises_TypeError", "TypeError"),
        ("rate=2→TypeError", ["", "fail", "accepted"], "rate_2_is_accepted", None),
        (
            "rate=2→TypeError",
            ["", "pass", "ValueError"],
            "rate_2_raises_TypeError_or_ValueError",
            "(TypeError, ValueError)",
        ),
    ],
)
def test_the_name_of_a_test_says_what_it_asserts(label, answer, name, refused):
    case = {"id": f"nn.Thing::raises::{label}", "name": "nn.Thing", "kind": "raises"}
    case |= {"call": {}, "expect": "TypeError", "also": ["ValueError"], "rule": "rate: not float"}
    text = generate._function(case, answer, set())
    assert text.startswith(f"def test_nn_Thing_{name}():\n")
    assert (f"pytest.raises({refused})" in text) if refused else ("pytest.raises" not in text)
    assert ("MindSpore accepts it, though" in text) is (refused is None)


def judged(case, result, answer):
    """Returns the judged result, given the status and observation of the reference."""
    case = {"id": "n::x", "name": "n", "expect": "TypeError", **case}
    return answers.judge(case, result, {"n::x": [cases.digest(case), *answer]})["status"]


@pytest.mark.parametrize(
    "kind, observed, status, answer, wanted",
    [
        (
            "raises",
            "accepted",
            "fail",
            ("fail", "accepted"),
            "pass",
        ),  # what MindSpore accepts must be
        ("raises", "TypeError", "pass", ("fail", "accepted"), "fail"),
        (
            "raises",
            "ValueError",
            "fail",
            ("fail", "AttributeError"),
            "fail",
        ),  # the documented type wins
        ("raises", "TypeError", "pass", ("fail", "AttributeError"), "pass"),
        (
            "accepts",
            ["float32", [2], [1.0, 2.0]],
            "pass",
            ("pass", ["Float32", [2], [1.0, 2.0004]]),
            "pass",
        ),
        (
            "accepts",
            ["float32", [2], [1.0, 2.1]],
            "pass",
            ("pass", ["Float32", [2], [1.0, 2.0]]),
            "fail",
        ),
        (
            "accepts",
            ["float64", [2], [1.0, 2.0]],
            "pass",
            ("pass", ["Float32", [2], [1.0, 2.0]]),
            "fail",
        ),
        ("accepts", ["float32", [1, 2]], "pass", ("pass", ["Float32", [2]]), "fail"),
        ("accepts", ["Float32", [2]], "pass", ("pass", ["Float32", [2], [1.0, 2.0]]), "fail"),
        ("accepts", ["True", "True"], "pass", ("pass", ["True", "True"]), "pass"),
        ("accepts", ["True"], "pass", ("pass", ["True", "True"]), "fail"),
        (
            "accepts",
            [["Int32", []], ["Int32", []]],
            "pass",
            ("pass", [["Int32", []], ["Int64", []]]),
            "fail",
        ),
        ("accepts", "TypeError", "fail", ("fail", "TypeError"), "skip"),
        ("accepts", "no kernel", "fail", ("fail", "no kernel"), "fail"),
        ("gradient", 1.0, "fail", ("fail", 1.0), "pass"),
        ("gradient", 2.0, "fail", ("fail", 1.0), "fail"),
        ("gradient", 2.0, "fail", ("pass", "agree"), "fail"),
    ],
)
def test_the_originals_answer_settles_a_difference(kind, observed, status, answer, wanted):
    assert judged({"kind": kind}, {"status": status, "observed": observed}, answer) == wanted


@pytest.mark.parametrize("result", ["pass", "fail"])
def test_a_reason_in_the_spec_excuses_a_refusal_and_its_absence(result):
    case = {"kind": "raises", "apart": "the page contradicts itself"}
    observed = "TypeError" if result == "pass" else "accepted"
    answer = ("fail", "accepted") if result == "pass" else ("pass", "TypeError")
    assert judged(case, {"status": result, "observed": observed}, answer) == "skip"


@pytest.mark.parametrize(
    "name, here, wanted",
    [
        ("UniformInt", ["Int32", [2], [4, 1]], "pass"),
        ("UniformInt", ["Int64", [2], [4, 2]], "fail"),
        ("UniformInt", ["Int32", [1], [4]], "fail"),
        ("Dropout", ["Int32", [2], [4, 1]], "fail"),
        ("normalize", ["Int32", [2], [4, 1]], "fail"),
    ],
)
def test_of_drawn_numbers_dtype_and_shape_are_judged(name, here, wanted):
    case = {"kind": "accepts", "name": name}
    result = {"status": "pass", "observed": here}
    assert judged(case, result, ("pass", ["Int32", [2], [4, 2]])) == wanted


def test_the_instance_of_a_method_is_no_parameter(toy):
    text = TOY.replace("def asnumpy(self)", "def asnumpy(input, copy=False)")
    text = text.replace("return self.data\n\n    float32", "return input.data\n\n    float32")
    specs = {"Tensor.asnumpy": {"kind": "method", "signature": ["copy=False"]}}
    assert outcome(toy(text), ("signature",), specs) == {"Tensor.asnumpy::signature": "pass"}


def test_answer_to_another_question_does_not_count():
    case = {"id": "n::x", "name": "n", "kind": "raises", "expect": "TypeError"}
    result = {"status": "fail", "observed": "accepted"}
    assert answers.judge(case, result, {"n::x": ["other", "fail", "accepted"]}) == result


def test_answers_are_kept_and_verdicts_given(toy, tmp_path):
    found = list(cases.all_cases({"Half": SPECS["Half"]}))
    lax = TOY.replace("type(rate) is not float", "isinstance(rate, str)")
    raw = list(runner.run(found, toy(lax)))
    answers.save(raw, tmp_path / "answers")
    stored = answers.load(tmp_path / "answers")
    assert all(answers.answer_to(case, stored) for case in found if answers.is_stored(case))
    entries = json.loads(json.dumps({"Half": SPECS["Half"]}))
    assert verdicts.apply(entries, raw) == {"documented only": 1, "agreed": 1}
    typed, ranged = entries["Half"]["raises"]
    assert typed["verdict"] == "documented only" and "rate=1: " in typed["reason"]
    assert ranged["verdict"] == "agreed"


def test_cut_off_answers_are_placed(tmp_path, capsys):
    packed.write(tmp_path / "nn.json.gz", '{\n"a": [1,\n')
    with pytest.raises(BadInput, match=r"nn.json.gz:3: is no JSON"):
        answers.load(tmp_path)


def test_cut_off_compressed_answers_are_named(tmp_path):
    path = tmp_path / "nn.json.gz"
    packed.write(path, '{"a": [1]}')
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match=r"nn.json.gz: is no compressed text"):
        answers.load(tmp_path)


def test_answers_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MOST", 1000)
    packed.write(tmp_path / "ops.json.gz", json.dumps({"a": "x" * 1000}))
    with pytest.raises(BadInput, match="ops.json.gz: is no compressed text of at most 1000"):
        answers.load(tmp_path)
