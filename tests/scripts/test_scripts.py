"""Public scripts give the results of real MindSpore: outputs, losses, weights, names.

The scripts are those of the public repository `mindspore-ai/models`. The environment variable
MINDSPORE_SCRIPTS names the folder with its `official`, `research` and `community`; without it the
cases are skipped. The cases are in `networks/`, the answers of MindSpore 2.10 in `answers.json`. If
MindSpore 2.10 rejects an older script, a case requires that it runs here. Scripts that read their
settings from YAML need PyYAML.
"""

import os

import pytest

from scripts import runner, table

CASES = table.cases()
ANSWERS = runner.answers()
ROOT = os.environ.get(runner.FOLDER, "")


@pytest.fixture(scope="module")
def mindspore():
    """The package under the name that scripts import, with the modules loaded that all of them
    use."""
    import mindspore_compat

    mindspore_compat.install()
    try:
        import mindspore

        yield mindspore
    finally:
        mindspore_compat.uninstall()


def ours(case, mindspore, mode, noise=0.0):
    return runner.forked(lambda: runner.run(case, mindspore, ROOT, mode, noise), 60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a case runs in a forked process")
@pytest.mark.skipif(not ROOT, reason=f"{runner.FOLDER} names no folder of scripts")
@pytest.mark.parametrize("mode", runner.MODES)
@pytest.mark.parametrize("name", CASES)
def test_a_script_gives_real_numbers(name, mode, mindspore):
    case = CASES[name]
    if not os.path.isdir(os.path.join(ROOT, case.folders[0])):
        pytest.skip(f"{ROOT} has no {case.folders[0]}")
    found = ours(case, mindspore, mode)
    assert "error" not in found, found["error"]
    real = runner.answer(ANSWERS[name], runner.MODES[0] if case.same_in_graph_mode else mode)
    if real is None:
        return
    differences = runner.differences(real, found, case.tolerance or runner.TOLERANCE)
    if differences:
        moved = [ours(case, mindspore, mode, noise) for noise in (1e-7, -1e-7)]
        assert runner.chaotic(real, found, moved), differences


def test_every_case_has_an_answer():
    assert set(CASES) == set(ANSWERS)


def test_answers_hold_no_texts_of_errors():
    error = {"error": "ValueError: For 'x': no"}
    assert (
        runner.short(dict(error), {}) == runner.short(dict(error), error) == {"error": "ValueError"}
    )
    modes = [mode for answer in ANSWERS.values() for mode in answer.values() if mode != runner.SAME]
    errors = {mode["error"] for mode in modes if "error" in mode}
    assert errors and not any(":" in each or len(each) > 40 for each in errors)


class TestComparing:
    REAL = {
        "losses": [0.5, 0.4],
        "parameters": "a",
        "moved": {"0": [1.0, 0.5]},
        "outputs": {"out": [[2], "float32", 0, 0.1, 1.0, 1.1, -0.9]},
    }

    def test_equal_runs_do_not_differ(self):
        assert runner.differences(self.REAL, dict(self.REAL)) == []

    @pytest.mark.parametrize(
        "key, value",
        [
            ("losses", [0.5, 0.41]),
            ("losses", [0.5]),
            ("parameters", "b"),
            ("moved", {"0": [1.0, -0.5]}),
            ("outputs", {"out": [[2], "float16", 0, 0.1, 1.0, 1.1, -0.9]}),
            ("outputs", {"out": [[2], "float32", 0, 0.1, 1.0, 1.2, -0.9]}),
            ("outputs", {}),
            ("error", "ValueError: no"),
        ],
    )
    def test_another_number_is_reported(self, key, value):
        assert runner.differences(self.REAL, {**self.REAL, key: value})

    def test_only_a_run_that_moves_itself_as_far_is_chaotic(self):
        far = {**self.REAL, "losses": [0.5, 0.41]}
        assert not runner.chaotic(self.REAL, far, [far, far])
        assert runner.chaotic(self.REAL, far, [far, {**far, "losses": [0.5, 0.42]}])
