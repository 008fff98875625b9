"""The set-up of the simulated CUDA, as far as it goes without building anything."""

import os
import sys

import pytest

from . import __main__ as command
from . import environment

pytestmark = pytest.mark.host


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A separate cache, for environments that are marked as built."""
    monkeypatch.setenv("CUDA_ON_HOST_CACHE", str(tmp_path))
    monkeypatch.setattr(environment, "check_machine", lambda: None)
    return tmp_path


@pytest.fixture
def built(cache):
    """A folder that stands for the environment of these sources; its Python is the running
    interpreter."""
    folder = cache / environment.identity()
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "built").touch()
    (folder / "requirements.txt").write_text("\n".join(environment.requirements()))
    return folder


def test_the_name_of_an_environment_follows_its_sources(tmp_path, monkeypatch):
    for name in ("src", "site"):
        (tmp_path / name).mkdir()
    (tmp_path / "build.py").write_text("1")
    source = tmp_path / "src" / "runtime.c"
    source.write_text("int x;")
    monkeypatch.setattr(environment, "HERE", tmp_path)
    first = environment.identity()
    assert environment.identity() == first
    source.write_text("int y;")
    assert environment.identity() != first


def test_an_environment_that_is_there_is_used(built, capfd):
    print_folder = "import os, sys; print(os.getcwd(), sys.argv[1]); sys.exit(5)"
    assert command.main(["-c", print_folder, "word"]) == 5
    assert capfd.readouterr().out == f"{environment.PROJECT} word\n"


def test_the_requirements_are_those_of_the_project_and_its_tests():
    names = environment.requirements()
    assert {"numpy>=2,<2.4", "pytest", "pillow>=10.3"} <= set(names)
    assert not any(name.startswith(("cupy", "numba")) for name in names)


def test_old_environments_are_removed(built, cache):
    for name, days in (("old", 15), ("young", 13)):
        (cache / name).mkdir()
        (cache / name / "built").touch()
        age = environment.time.time() - days * 86400
        os.utime(cache / name / "built", (age, age))
    environment.remove_unused(cache, built)
    assert not (cache / "old").exists() and (cache / "young").exists() and built.exists()


def test_a_missing_compiler_is_said(monkeypatch, capsys):
    monkeypatch.setattr(environment.platform, "system", lambda: "Linux")
    monkeypatch.setattr(environment.platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("PATH", "")
    assert command.main([]) == command.UNAVAILABLE
    assert "gcc, g++, nm not installed" in capsys.readouterr().err


def test_another_system_is_said(monkeypatch, capsys):
    monkeypatch.setattr(environment.platform, "machine", lambda: "arm64")
    assert command.main(["script.py"]) == command.UNAVAILABLE
    assert "needs Linux on x86_64" in capsys.readouterr().err


def test_a_registry_that_does_not_answer_is_said(cache, monkeypatch, capsys):
    def fail(command, name):
        raise environment.Unavailable(f"{name} failed:\nno route")

    monkeypatch.setattr(environment, "needing_registry", fail)
    assert command.main([]) == command.UNAVAILABLE
    assert "no route" in capsys.readouterr().err
    assert not (cache / environment.identity() / "built").exists()


@pytest.mark.nightly
def test_everything_runs_on_cupy_without_a_gpu(tmp_path):
    from tests.gpu import __main__ as gpu

    status = gpu.main(["--on-host", "--jobs", "2", "--output", str(tmp_path)])
    assert status == 0, (tmp_path / "gpu.txt").read_text()
