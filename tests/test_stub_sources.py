"""The wheel has files that Pyright takes for the source of `mindspore`; Python sees none."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def python(*arguments, **variables):
    """Run Python in the root of the project and return the finished process."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **variables},
        timeout=120,
    )


def output(*arguments, **variables):
    """What Python printed; it must have succeeded."""
    done = python(*arguments, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory):
    """A folder with what the build puts at the top of a wheel."""
    built = tmp_path_factory.mktemp("built")
    to = ["--build-base", str(built), "--build-lib", str(built / "lib")]
    done = python("setup.py", "-q", "build", *to)
    assert done.returncode == 0, done.stderr
    return built / "lib"


class TestFolderOfTypeCheckers:
    """The wheel has files that Pyright takes for the source of `mindspore`; Python sees none."""

    def test_each_stub_has_a_source(self, site_packages):
        stubs, source = site_packages / "mindspore-stubs", site_packages / "mindspore-source"
        expected = {path.relative_to(stubs).with_suffix(".py") for path in stubs.rglob("*.pyi")}
        found = {path.relative_to(source / "mindspore") for path in source.rglob("*.py")}
        assert found == expected and len(found) > 50

    def test_pip_removes_the_folders(self, site_packages):
        # with the files of RECORD, pip removes their own folders: not those of folders alone
        for top in ("mindspore-stubs", "mindspore-source"):
            assert [file for file in (site_packages / top).iterdir() if file.is_file()]

    CODE = (
        "import site, sys, importlib, importlib.util as util, pkgutil\n"
        "site.addsitedir({!r})\nimportlib.invalidate_caches()\n"
        "assert sys.path[-1].endswith('mindspore-source'), sys.path\n"
        "print(util.find_spec('mindspore'))\n"
        "print([m.name for m in pkgutil.iter_modules() if m.name == 'mindspore'])\n"
        "try:\n    import mindspore\n    print(mindspore.__file__)\n"
        "except ModuleNotFoundError as error:\n    print(error)\n"
    )

    @pytest.mark.parametrize("setting", ["", "off"])
    def test_python_finds_nothing_there(self, setting, site_packages):
        said = output("-c", self.CODE.format(str(site_packages)), MINDSPORE_COMPAT=setting)
        lines = said.splitlines()
        assert lines[:2] == ["None", "[]"] and "No module named 'mindspore'" in lines[2]

    def test_another_mindspore_is_found(self, site_packages, tmp_path):
        (tmp_path / "mindspore").mkdir()
        (tmp_path / "mindspore" / "__init__.py").write_text("")
        code = f"import sys\nsys.path.append({str(tmp_path)!r})\n" + (
            f"import site\nsite.addsitedir({str(site_packages)!r})\n"
            "import mindspore\nprint(mindspore.__file__)"
        )
        assert output("-c", code, MINDSPORE_COMPAT="") == str(
            tmp_path / "mindspore" / "__init__.py"
        )

    def test_pyright_is_silent(self, site_packages, tmp_path):
        pytest.importorskip("pyright")
        (tmp_path / "script.py").write_text(
            "import mindspore as ms\nimport mindspore.nn as nn\nnn.Dense(1, 1, has_biass=True)\n"
        )
        where = [str(site_packages), str(site_packages / "mindspore-source")]
        settings = {"extraPaths": where, "include": ["script.py"]}
        (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
        command = [sys.executable, "-m", "pyright", "--outputjson"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        said = [each["rule"] for each in json.loads(ran.stdout)["generalDiagnostics"]]
        assert said == ["reportCallIssue"]
