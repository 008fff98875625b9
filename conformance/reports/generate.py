"""Writes cases as plain test files, for projects that do not want to depend on this tool.

There is one file per module with readable calls (exists, accepts, raises), and a copy of
`values.py`, which makes the arguments. Cases whose outcome is compared (values, options, steps,
gradients, results of good calls) stand in `compared_MODULE.json`; `test_compared.py` runs them with
`conformance_kit`, a copy of the code that makes and judges calls. All of it needs pytest, NumPy and
PyYAML.
"""

import builtins
import json
import re
import shutil
from pathlib import Path

from .report import call_text

TOOL = Path(__file__).parents[1]
_HEAD = '''"""Calls that MindSpore {release} documents as good or bad in `{module}`. Generated."""
import importlib

import pytest
from conformance_values import Values, resolve

ms = importlib.import_module("{target}")
values = Values(ms)
names = values.names
T, cast, ranked, grown = names["T"], names["cast"], names["ranked"], names["grown"]
array, fill, uniform, integers = (names[n] for n in ("array", "fill", "uniform", "integers"))
np, sample, inf, nan = (names[n] for n in ("np", "sample", "inf", "nan"))
ms = values.names["ms"]
'''


_COMPARED = '''"""Calls whose outcome is compared with MindSpore {release}. Generated."""
import json
from pathlib import Path

import pytest
from conformance_kit import targets
from conformance_kit.running import answers
from conformance_kit.worker.worker import Worker

CASES = [
    (path.stem.removeprefix("compared_"), case, answer)
    for path in sorted(Path(__file__).parent.glob("compared_*.json"))
    for case, answer in json.loads(path.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="session")
def worker(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("files"))
        yield Worker(targets.install("{target}"))


@pytest.mark.parametrize("module, case, answer", CASES, ids=[case["id"] for _, case, _ in CASES])
def test_outcome(module, case, answer, worker):
    stored = {{case["id"]: answer}} if answer else {{}}
    result = answers.judge(case, worker.run(case), stored)
    if result["status"] in ("skip", "no kernel", "absent"):
        pytest.skip(str(result.get("got")))
    assert result["status"] == "pass", result
'''
COMPARED = (
    "accepts",
    "promises",
    "gradient",
    "steps",
    "options",
    "values",
    "set_attributes",
    "parameter_names",
    "value_gradients",
)


def write(case_list, folder, target, recorded):
    """Write the exists, accepts and raises cases into a folder; returns the files."""
    from ..running.answers import answer_to, failing_base

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    values = (TOOL / "arguments" / "values.py").read_text(encoding="utf-8")
    (folder / "conformance_values.py").write_text(values, encoding="utf-8")
    modules = {}
    for case in case_list:
        if case["kind"] in ("exists", "accepts", "raises"):
            modules.setdefault(case["area"], []).append(case)
    written = _write_compared(case_list, folder, target, recorded)
    for module, cases in sorted(modules.items()):
        names, parts = set(), [_HEAD.format(release="2.10.0", module=module, target=target)]
        for case in cases:
            if failing_base(case, recorded):
                continue
            text = _function(case, answer_to(case, recorded), names)
            if text:
                parts.append(text)
        path = folder / f"test_{module.replace('.', '_')}.py"
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        written.append(path)
    return written


def _write_compared(case_list, folder, target, recorded):
    """Writes the cases whose outcome is compared, with their answers and the code that
    runs them."""
    from ..running.answers import answer_to

    modules = {}
    for case in case_list:
        answer = answer_to(case, recorded)
        fits = not {"apart", "ranks", "alone"} & case.keys()
        if case["kind"] in COMPARED and fits and _is_answered(case, answer):
            modules.setdefault(case["area"], []).append([case, answer])
    if not modules:
        return []
    _copy_code(folder / "conformance_kit")
    path = folder / "test_compared.py"
    path.write_text(_COMPARED.format(release="2.10.0", target=target), encoding="utf-8")
    written = [path]
    for module, cases in sorted(modules.items()):
        written.append(folder / f"compared_{module}.json")
        lines = ",\n".join(json.dumps(line, ensure_ascii=False) for line in cases)
        written[-1].write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return written


def _is_answered(case, answer):
    return "wanted" in case or "formula" in case or case["kind"] == "gradient" or answer is not None


def _copy_code(folder):
    """Copies the tool without specs and answers."""
    for path in (*TOOL.rglob("*.py"), *(TOOL / "data").rglob("*.*")):
        copy = folder / path.relative_to(TOOL)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _function(case, answer, names):
    """Returns one test; None for a case that is required of no implementation."""
    if "apart" in case:
        return None
    call = "ms." + call_text(case) if not case.get("owner") else call_text(case)
    errors = [_raised(case["expect"])] if case.get("expect") else []
    about = case.get("rule")
    if answer is not None:
        if case["kind"] == "raises" and answer[2] == "accepted":
            errors, about = [], f"MindSpore accepts it, though its page says {about}"
        elif answer[2] in case.get("also", ()):
            errors.append(_raised(answer[2]))
        if case["kind"] in ("exists", "accepts") and answer[1] != "pass":
            return None
    name = _identifier(_claim(case, errors), names)
    if case["kind"] == "exists":
        return f"def {name}():\n    resolve(values.ms, {case['name']!r})\n"
    docstring = f'    """{about}"""\n' if about else ""
    if "sample.gradients()" in call:
        opened = call.rindex("(", 0, call.index("sample.gradients()"))
        return f"def {name}():\n    values.made = made = {call[:opened]}\n    made{call[opened:]}\n"
    if not errors:
        return f"def {name}():\n{docstring}    {call}\n"
    refused = errors[0] if len(errors) == 1 else f"({', '.join(errors)})"
    return f"def {name}():\n{docstring}    with pytest.raises({refused}):\n        {call}\n"


def _raised(error):
    return error if hasattr(builtins, error) else "Exception"


def _claim(case, errors):
    """Returns the text a test is named after: the id of the case, or the argument and its error."""
    name, kind, *labels = case["id"].split("::", 2)
    if kind != "raises":
        return case["id"]
    argument = labels[0].rpartition("→")[0]
    end = f"raises_{'_or_'.join(errors)}" if errors else "is_accepted"
    return f"{name}_{argument}_{end}"


def _identifier(text, names):
    plain = "test_" + re.sub(r"[\W_]+", "_", re.sub(r"-(?=[\d.])", "_minus_", text)).strip("_")
    name, number = plain, 2
    while name in names:
        name = f"{plain}_{number}"
        number += 1
    names.add(name)
    return name
