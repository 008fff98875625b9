"""The stand-in: `import mindspore` imports this package, however Python was started.

Each test runs new interpreters, because it tests the state of the import system.
"""

import csv
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mindspore_compat import _paths

ROOT = Path(__file__).parent.parent
# How many public projects import each module path; those of many projects must work.
with open(ROOT / "tests" / "data" / "import_paths.csv", encoding="utf-8") as table:
    WELL_USED = [row["module"] for row in csv.DictReader(table) if int(row["projects"]) >= 40]


def python(*arguments, cwd=None, **variables):
    """Run Python and return the finished process; the stand-in's variable is unset."""
    inherited = {name: value for name, value in os.environ.items() if name != "MINDSPORE_COMPAT"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**inherited, **variables},
        timeout=120,
    )


def output(*arguments, **options):
    """What Python printed; it must have succeeded."""
    done = python(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed(code):
    """Returns the code, preceded by lines that install the stand-in."""
    return f"from mindspore_compat import standin\nstandin.install()\n{code}"


class TestInstall:
    def test_modules_are_the_same_objects(self):
        assert (
            output(
                "-c",
                installed(
                    "import mindspore, mindspore_compat, mindspore.log, sys\n"
                    "print(mindspore is mindspore_compat, mindspore.log is mindspore_compat.log,\n"
                    "      sys.modules['mindspore.log'] is sys.modules['mindspore_compat.log'])"
                ),
            )
            == "True True True"
        )

    def test_spec_stays_the_module_s_own(self):
        assert (
            output(
                "-c",
                installed(
                    "import mindspore.log\n"
                    "print(mindspore.__spec__.name, mindspore.log.__spec__.name)"
                ),
            )
            == "mindspore_compat mindspore_compat.log"
        )

    def test_metadata_knows_the_version_followed(self):
        assert (
            output(
                "-c",
                installed(
                    "from importlib import metadata\n"
                    "print(metadata.version('mindspore'),\n"
                    "      'mindspore' in metadata.packages_distributions())"
                ),
            )
            == "2.10.0 True"
        )

    def test_metadata_of_others_is_untouched(self):
        assert (
            output(
                "-c",
                installed(
                    "from importlib import metadata\n"
                    "import numpy\nprint(metadata.version('numpy') == numpy.__version__)"
                ),
            )
            == "True"
        )

    @pytest.mark.skipif(sys.platform != "linux", reason="a variable of Linux")
    @pytest.mark.parametrize("before, after", [(None, ""), ("/some/folder", "/some/folder")])
    def test_the_variable_that_mindspore_sets_is_there(self, before, after):
        unset = "os.environ.pop('LD_LIBRARY_PATH', None)\n" if before is None else ""
        code = f"import os\n{unset}" + installed("print(repr(os.environ['LD_LIBRARY_PATH']))")
        variables = {} if before is None else {"LD_LIBRARY_PATH": before}
        assert output("-c", code, **variables) == repr(after)

    def test_unknown_module_is_not_found(self):
        done = python("-c", installed("import mindspore.no_such_module"))
        assert "ModuleNotFoundError: No module named 'mindspore.no_such_module'" in done.stderr

    def test_find_spec_of_unknown_module_is_none(self):
        assert (
            output(
                "-c",
                installed(
                    "from importlib.util import find_spec\n"
                    "print(find_spec('mindspore.no_such_module'))"
                ),
            )
            == "None"
        )

    def test_twice_is_once(self):
        assert (
            output(
                "-c",
                installed(
                    "import sys\nprint(standin.install() is standin.install(),\n"
                    "      sys.meta_path.count(standin.StandIn))"
                ),
            )
            == "True 1"
        )

    def test_uninstall_forgets(self):
        assert output(
            "-c",
            installed(
                "import sys, mindspore.log\n"
                "standin.uninstall()\n"
                "print([name for name in sys.modules if name.split('.')[0] == 'mindspore'])\n"
                "print(standin.StandIn in sys.meta_path, 'mindspore_compat.log' in sys.modules)"
            ),
        ).splitlines() == ["[]", "False True"]

    def test_refuses_after_another_mindspore(self, tmp_path):
        (tmp_path / "mindspore.py").write_text("mark = 1\n")
        done = python(
            "-c",
            "import mindspore\n" + installed(""),
            cwd=tmp_path,
            PYTHONPATH=f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        )
        assert done.returncode == 1
        assert "RuntimeError: 'mindspore' is already imported" in done.stderr
        assert str(tmp_path) in done.stderr

    def test_wins_over_another_mindspore_on_the_path(self, tmp_path):
        (tmp_path / "mindspore.py").write_text("mark = 1\n")
        assert (
            output(
                "-m",
                "mindspore_compat",
                "-c",
                "import mindspore\nprint(mindspore.__name__)",
                cwd=tmp_path,
            )
            == "mindspore_compat"
        )

    def test_ipython_extension(self):
        assert output(
            "-c",
            (
                "import mindspore_compat, sys\n"
                "mindspore_compat.load_ipython_extension(None)\n"
                "import mindspore\n"
                "print(mindspore is mindspore_compat)\n"
                "mindspore_compat.unload_ipython_extension(None)\n"
                "print('mindspore' in sys.modules)"
            ),
        ).split() == ["True", "False"]


SHOW = (
    "import sys, os\nimport mindspore\n"
    "print(mindspore.__name__, __name__, sys.argv[1:], os.path.realpath(sys.path[0]),\n"
    "      getattr(sys.modules['__main__'], '__file__', None))\n"
)


class TestCommandLine:
    def test_script(self, tmp_path):
        script = tmp_path / "show.py"
        script.write_text(SHOW)
        assert output("-m", "mindspore_compat", script, "-x", "2") == (
            f"mindspore_compat __main__ ['-x', '2'] {os.path.realpath(tmp_path)} {script}"
        )

    def test_script_sees_argv_zero_as_given(self, tmp_path):
        (tmp_path / "show.py").write_text("import sys\nprint(sys.argv)")
        assert (
            output("-m", "mindspore_compat", "show.py", "1", cwd=tmp_path, PYTHONPATH=str(ROOT))
            == "['show.py', '1']"
        )

    def test_module(self, tmp_path):
        package = tmp_path / "pack"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "__main__.py").write_text("from . import show\n")
        (package / "show.py").write_text(
            "import sys, mindspore\n"
            "main = sys.modules['__main__']\n"
            "print(mindspore.__name__, main.__package__, main.__spec__.name, sys.argv[1:])"
        )
        assert (
            output("-m", "mindspore_compat", "-m", "pack", "5", cwd=tmp_path, PYTHONPATH=str(ROOT))
            == "mindspore_compat pack pack.__main__ ['5']"
        )

    def test_code(self):
        assert (
            output(
                "-m",
                "mindspore_compat",
                "-c",
                "import sys, mindspore; print(mindspore.__name__, sys.argv)",
                "a",
            )
            == "mindspore_compat ['-c', 'a']"
        )

    def test_folder(self, tmp_path):
        (tmp_path / "__main__.py").write_text("import helper\nprint(__name__, helper.name)")
        (tmp_path / "helper.py").write_text("import mindspore\nname = mindspore.__name__")
        assert output("-m", "mindspore_compat", tmp_path) == "__main__ mindspore_compat"

    @pytest.mark.parametrize("code, expected", [("3", 3), ("'text'", 1), ("None", 0)])
    def test_exit_code(self, code, expected):
        done = python("-m", "mindspore_compat", "-c", f"import sys; sys.exit({code})")
        assert done.returncode == expected

    def test_traceback_shows_the_script(self, tmp_path):
        script = tmp_path / "broken.py"
        script.write_text("def fail():\n    raise KeyError('here')\n\nfail()\n")
        done = python("-m", "mindspore_compat", script)
        assert done.returncode == 1
        assert f'File "{script}", line 2, in fail' in done.stderr
        assert "raise KeyError('here')" in done.stderr
        assert done.stderr.count("  File ") == 2  # not those that run the script

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ([], "usage:"),
            (["-m"], "Argument expected for the -m option"),
            (["-q"], "Unknown option: -q"),
            (["--cache", "clean"], "Unknown argument of --cache: clean"),
            (["--inventory", "all"], "Unknown argument of --inventory: all"),
            (["--release", "9"], "2.10, but got '9'."),
            (["--release"], "2.10, but got None."),
        ],
    )
    def test_wrong_use(self, arguments, message):
        done = python("-m", "mindspore_compat", *arguments)
        assert done.returncode == 2
        assert message in done.stderr

    def test_missing_script_and_module(self, tmp_path):
        done = python("-m", "mindspore_compat", tmp_path / "none.py")
        assert done.returncode != 0 and "can't open file" in done.stderr
        done = python("-m", "mindspore_compat", "-m", "no_such_module_at_all")
        assert done.returncode != 0 and "No module named no_such_module_at_all" in done.stderr

    def test_version(self):
        assert output("-m", "mindspore_compat", "--version").endswith("(MindSpore 2.10.0)")


CHILD = """
import multiprocessing, sys
import mindspore

class Thing:
    pass

def work(queue, thing):
    import mindspore
    queue.put((mindspore.__name__, type(thing).__name__, sys.argv[1:]))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    process = context.Process(target=work, args=(queue, Thing()))
    process.start()
    print(*queue.get(timeout=100))
    process.join()
"""


class TestChildren:
    @pytest.mark.skipif(os.name == "nt", reason="Windows starts processes by spawn alone")
    @pytest.mark.parametrize("kind", ["spawn", "forkserver", "fork"])
    def test_multiprocessing(self, kind, tmp_path):
        script = tmp_path / "child.py"
        script.write_text(CHILD)
        assert (
            output("-m", "mindspore_compat", script, kind) == f"mindspore_compat Thing ['{kind}']"
        )

    def test_subprocess(self):
        assert (
            output(
                "-m",
                "mindspore_compat",
                "-c",
                (
                    "import subprocess, sys\n"
                    "code = 'import mindspore as m; print(m.__name__)'\n"
                    "print(subprocess.run([sys.executable, '-c', code],"
                    " capture_output=True, text=True).stdout)"
                ),
            )
            == "mindspore_compat"
        )

    @pytest.mark.skipif(
        find_spec("_mindspore_compat_startup") is None,
        reason="the package is on the path, but not installed",
    )
    def test_variable_alone_is_enough_where_installed(self, tmp_path):
        assert output(
            "-c",
            "import sys\nprint('mindspore_compat' in sys.modules)\n"
            "import mindspore\nprint(mindspore.__name__)",
            cwd=tmp_path,
            MINDSPORE_COMPAT="1",
        ).split() == ["False", "mindspore_compat"]

    def test_start_waits_for_first_use(self):
        start = f"import sys\nsys.path.insert(0, {str(ROOT / 'mindspore_compat/_startup')!r})\n"
        assert output(
            "-c",
            start
            + (
                "import _mindspore_compat_startup as startup\n"
                "startup.start()\n"
                "print('mindspore_compat' in sys.modules)\n"
                "from importlib import metadata\n"
                "print(metadata.version('mindspore'))\n"
                "import mindspore\n"
                "print(mindspore.__name__, startup.FirstUse in sys.meta_path)"
            ),
            MINDSPORE_COMPAT="1",
        ).split() == ["False", "2.10.0", "mindspore_compat", "False"]

    @pytest.mark.parametrize("value", ["", "0", "no", "False", "off"])
    def test_start_installs_the_stand_in_only_if_asked(self, value):
        start = f"import sys\nsys.path.insert(0, {str(ROOT / 'mindspore_compat/_startup')!r})\n"
        assert (
            output(
                "-c",
                start
                + (
                    "import _mindspore_compat_startup as startup\n"
                    "startup.start()\n"
                    "print(startup.FirstUse in sys.meta_path)"
                ),
                MINDSPORE_COMPAT=value,
            )
            == "False"
        )

    def test_another_value_is_refused_by_each_import(self):
        start = f"import sys\nsys.path.insert(0, {str(ROOT / 'mindspore_compat/_startup')!r})\n"
        code = (
            "import _mindspore_compat_startup as startup\nstartup.start()\n"
            "for attempt in range(2):\n"
            "    try:\n        import mindspore\n"
            "    except ImportError as error:\n        print(error)\n"
        )
        lines = output("-c", start + code, MINDSPORE_COMPAT="flase").splitlines()
        assert len(lines) == 2
        assert all(line.endswith("or off, but is 'flase'.") for line in lines)

    @pytest.mark.parametrize("value, named", [("", True), ("no", False)])
    def test_the_error_of_an_import_names_the_ways(self, value, named, tmp_path):
        start = ROOT / "mindspore_compat/_startup"
        code = (
            f"import importlib.util, sys\nsys.path[:0] = [{str(start)!r}]\n"
            "import _mindspore_compat_startup as startup\nstartup.start()\n"
            "print(importlib.util.find_spec('mindspore'))\n"
            "try:\n    import mindspore.nn\n"
            "except ModuleNotFoundError as error:\n    print(error.name, error)\n"
            f"sys.path.append({str(tmp_path)!r})\nimport mindspore\nprint(mindspore.mark)"
        )
        (tmp_path / "mindspore.py").write_text("mark = 1\n")
        lines = output("-c", code, MINDSPORE_COMPAT=value).splitlines()
        assert lines[0] == "None" and lines[2] == "1"
        assert lines[1].startswith("mindspore No module named 'mindspore'")
        assert named == ("`python -m mindspore_compat script.py`" in lines[1])
        assert named == ("MINDSPORE_COMPAT=1" in lines[1])

    def test_sitecustomize_of_the_user_still_runs(self, tmp_path):
        (tmp_path / "sitecustomize.py").write_text("import sys\nsys.mark = 'seen'\n")
        startup = ROOT / "mindspore_compat" / "_startup"
        path = os.pathsep.join([str(startup), str(tmp_path), str(ROOT)])
        assert (
            output(
                "-c",
                "import sys, mindspore\nprint(sys.mark, mindspore.__name__)",
                PYTHONPATH=path,
                MINDSPORE_COMPAT="1",
            )
            == "seen mindspore_compat"
        )


MISTAKE = "import mindspore as ms\nms.Tensor([1.0]).cuda\n"


class TestErrors:
    """The package's frames are hidden and hints are shown, however the stand-in was started."""

    def test_install(self):
        done = python("-c", installed(MISTAKE))
        assert "hint: Tensors lie on the device" in done.stderr

    def test_other_errors_are_left_to_python(self):
        done = python("-c", installed("import mindspore\n1 / 0"))
        assert done.stderr.splitlines()[-1].startswith("ZeroDivisionError")

    def test_uninstall(self):
        code = "import sys\nprint(sys.excepthook is sys.__excepthook__)"
        assert output("-c", installed(f"standin.uninstall()\n{code}")) == "True"

    def test_ipython(self):
        pytest.importorskip("IPython")
        code = "%load_ext mindspore_compat\nimport mindspore.nn as nn, mindspore as ms\n"
        code += "nn.SequentialCell(nn.Dense(2, 2))(ms.Tensor([[1.0]]))"
        done = python("-m", "IPython", "--no-banner", "--colors=nocolor", "-c", code)
        assert "in SequentialCell.0 (Dense)" in done.stderr
        assert "cell.py" not in done.stdout + done.stderr

    def test_the_variable_shows_all_frames(self):
        done = python("-c", installed(MISTAKE), MINDSPORE_COMPAT_TRACEBACK="1")
        assert "AttributeError" in done.stderr and "hint" not in done.stderr


def test_looking_for_the_stand_in_loads_no_operators():
    code = "import sys\nfrom mindspore_compat import standin\nprint('numpy' in sys.modules)"
    assert output("-c", code) == "False"


def test_msrun_is_a_module_too():
    assert "--worker_num" in output("-m", "mindspore_compat.msrun", "--help")


class TestPytestPlugin:
    TEST = "import mindspore\n\ndef test_name():\n    assert mindspore.__name__ == '{}'\n"

    @pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "xdist"])
    def test_before_conftest(self, workers, tmp_path):
        (tmp_path / "conftest.py").write_text("import mindspore\n")
        (tmp_path / "test_it.py").write_text(self.TEST.format("mindspore_compat"))
        text = output(
            "-m",
            "pytest",
            "-q",
            "-p",
            "mindspore_compat.pytest_plugin",
            *workers,
            "-p",
            "no:cacheprovider",
            cwd=tmp_path,
            PYTHONPATH=str(ROOT),
        )
        assert "1 passed" in text

    @pytest.mark.parametrize("way", ["plugin", "variable"])
    def test_failures_show_the_frames_of_tests_and_the_cell(self, way, tmp_path):
        (tmp_path / "test_it.py").write_text(
            "import mindspore as ms\nfrom mindspore import nn\n\ndef test_it():\n"
            "    nn.SequentialCell(nn.Dense(2, 2))(ms.Tensor([[1.0]]))\n"
        )
        arguments = ["-q", "-p", "no:cacheprovider"]
        paths, variables = [str(ROOT)], {}
        if way == "plugin":
            arguments += ["-p", "mindspore_compat.pytest_plugin"]
        else:
            paths.append(str(ROOT / "mindspore_compat" / "_startup"))
            variables["MINDSPORE_COMPAT"] = "1"
        variables["PYTHONPATH"] = os.pathsep.join(paths)
        done = python("-m", "pytest", *arguments, cwd=tmp_path, **variables)
        assert "in SequentialCell.0 (Dense)" in done.stdout and "test_it.py:5" in done.stdout
        assert "cell.py" not in done.stdout

    def test_from_a_conftest(self, tmp_path):
        (tmp_path / "conftest.py").write_text(
            "pytest_plugins = ['mindspore_compat.pytest_plugin']\n"
        )
        (tmp_path / "test_it.py").write_text(self.TEST.format("mindspore_compat"))
        text = output(
            "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path, PYTHONPATH=str(ROOT)
        )
        assert "1 passed" in text

    def test_not_without_being_named(self, tmp_path):
        (tmp_path / "mindspore.py").write_text("")
        (tmp_path / "test_it.py").write_text(self.TEST.format("mindspore"))
        text = output("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
        assert "1 passed" in text


@pytest.fixture(scope="module")
def refused():
    """The paths that do not import under the stand-in, with the reason."""
    lines = output(
        "-c",
        installed(
            "import importlib, json\n"
            f"refused = {{}}\nfor path in {WELL_USED!r}:\n"
            "    try:\n        importlib.import_module(path)\n"
            "    except ImportError as error:\n        refused[path] = str(error)\n"
            "print(json.dumps(refused))"
        ),
    )
    return json.loads(lines.splitlines()[-1])


class TestPaths:
    def test_alias_is_the_same_module(self, monkeypatch):
        monkeypatch.setitem(_paths.PATHS, "log_by_another_name", "log")
        import mindspore_compat.log_by_another_name as other

        import mindspore_compat.log

        assert other is mindspore_compat.log
        assert other.__spec__.name == "mindspore_compat.log"
        del sys.modules["mindspore_compat.log_by_another_name"]

    def test_path_without_a_module_is_not_found(self, monkeypatch):
        monkeypatch.setitem(_paths.PATHS, "empty_promise", "no_such_room.module")
        with pytest.raises(ModuleNotFoundError, match="mindspore_compat.empty_promise"):
            import mindspore_compat.empty_promise  # noqa: F401

    def test_error_inside_a_target_is_shown(self, monkeypatch, tmp_path):
        (tmp_path / "uses_missing.py").write_text("import not_there_at_all\n")
        monkeypatch.syspath_prepend(tmp_path)
        import mindspore_compat

        monkeypatch.setattr(
            mindspore_compat, "__path__", [*mindspore_compat.__path__, str(tmp_path)]
        )
        monkeypatch.setitem(_paths.PATHS, "broken", "uses_missing")
        with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
            import mindspore_compat.broken  # noqa: F401

    def test_no_path_hides_a_file(self):
        package = Path(_paths.__file__).parent
        hidden = [
            path
            for path in _paths.PATHS
            if package.joinpath(*path.split(".")).with_suffix(".py").exists()
            or package.joinpath(*path.split("."), "__init__.py").exists()
        ]
        assert hidden == []

    def test_no_path_takes_the_place_of_a_public_name(self):
        taken = output(
            "-c",
            (
                "import importlib, inspect\n"
                f"for path in {sorted(_paths.PATHS)!r}:\n"
                "    parent, _, name = ('mindspore_compat.' + path).rpartition('.')\n"
                "    try:\n        room = importlib.import_module(parent)\n"
                "        found = getattr(room, name, inspect)\n"
                "        importlib.import_module('mindspore_compat.' + path)\n"
                "    except ModuleNotFoundError:\n        continue\n"
                "    if not inspect.ismodule(found) and getattr(room, name) is not found:\n"
                "        print(path)"
            ),
        )
        assert taken == ""

    def test_a_path_may_bear_the_name_of_a_function_of_ops(self):
        shown = output(
            "-c",
            (
                "from mindspore_compat.ops.op_info_register import DataType, op_info_register\n"
                "from mindspore_compat import ops\n"
                "print(ops.op_info_register is op_info_register, ops.DataType is DataType)"
            ),
        )
        assert shown.split() == ["True", "True"]

    @pytest.mark.parametrize("path", WELL_USED)
    def test_used_path_imports(self, path, refused):
        assert refused.get(path) is None
