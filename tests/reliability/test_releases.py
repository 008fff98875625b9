"""Releases: two builds have equal bytes, and the installed components can be listed."""

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat.__main__ import main
from mindspore_compat._inventory import ROOT as ROOT_NAME
from mindspore_compat._inventory import inventory

ROOT = Path(mindspore_compat.__file__).parent.parent


@pytest.fixture
def installed():
    """The distribution of the package, which a test run from a bare checkout lacks."""
    try:
        return metadata.distribution(ROOT_NAME)
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")


@pytest.mark.quick
def test_the_inventory_lists_what_the_package_requires(installed):
    document = json.loads(inventory())
    names = {component["name"].lower().replace("_", "-") for component in document["components"]}
    assert document["bomFormat"] == "CycloneDX"
    assert {"numpy", "scipy", "ml-dtypes", "pyyaml", "threadpoolctl"} <= names
    references = {component["bom-ref"] for component in document["components"]}
    references.add(document["metadata"]["component"]["bom-ref"])
    assert {entry["ref"] for entry in document["dependencies"]} == references
    assert all(set(entry["dependsOn"]) <= references for entry in document["dependencies"])
    assert all(component["version"] for component in document["components"])


@pytest.mark.quick
def test_the_inventory_of_a_package_that_is_not_installed_is_refused(monkeypatch, capsys):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert main(["--inventory"]) == 1
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"{ROOT_NAME} is not installed")


@pytest.mark.nightly
@pytest.mark.skipif(not (ROOT / "setup.cfg").exists(), reason="needs a checkout")
def test_two_builds_have_equal_bytes(tmp_path):
    wheels = []
    for number in range(2):
        source = tmp_path / f"source {number}"
        ignored = shutil.ignore_patterns(".git", "tests", "docs", "build", "*.egg-info", "*.pyc")
        shutil.copytree(ROOT, source, ignore=ignored, copy_function=shutil.copyfile)
        (source / "mindspore_compat" / "__init__.py").chmod((0o644, 0o600)[number])
        out = tmp_path / f"out {number}"
        command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
        subprocess.run(
            [*command, "-q", "-w", str(out), "."],
            cwd=source,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
            umask=(0o022, 0o027)[number],
            check=True,
        )
        (wheel,) = out.glob("*.whl")
        wheels.append(wheel.read_bytes())
    assert wheels[0] == wheels[1]
