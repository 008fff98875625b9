"""Makes the census of the names that all releases of CuPy since 14.0 share.

    python -m tests.cuda_on_host tests/fakecupy/releases.py

installs each release of RELEASES and rewrites census.json. A name or a parameter that one of them
lacks is left out, so the stand-in refuses it. Add each new release to RELEASES and review the
difference. No GPU is needed: CuPy finds the simulated libraries.
"""

import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RELEASES = ("14.0.0", "14.0.1", "14.1.0", "14.1.1", "14.2.0")
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from fakecupy import census, listing  # noqa: E402  (found through the line above)

REQUIRED = ("numpy==2.3.*", "scipy==1.17.*", "ml_dtypes", "pytest", "cuda-pathfinder")


def accepts(installed, listed):
    """Returns whether each call that matches one census line also matches the other.

    Args:
        installed: the line of the CuPy that is called.
        listed: the line that the call was written for.
    """
    kind, _, rest = listed.partition(" ")
    if installed == listed or kind != installed.partition(" ")[0]:
        return installed == listed
    if kind == "ufunc":
        return rest.split()[:2] == installed.split()[1:3] and not (
            set(rest.split()[2:]) - set(installed.split()[3:])
        )
    ours, theirs = listing.signature(listed), listing.signature(installed)
    return ours is not None and theirs is not None and _covers(theirs.parameters, ours.parameters)


def _covers(theirs, ours):
    """Returns whether parameters accept each argument that the others accept, at the same position
    and by the same name."""
    if not set(ours) <= set(theirs):
        return False
    by_place = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    places = [name for name, p in ours.items() if p.kind in by_place]
    others = [p for name, p in theirs.items() if name not in ours]
    return (
        [name for name, p in theirs.items() if p.kind in by_place][: len(places)] == places
        and all(theirs[name].kind == ours[name].kind for name in places)
        and all(p.default is not p.empty or p.kind is p.VAR_KEYWORD for p in others)
    )


def common_line(one, other):
    """Returns a census line for the calls that both lines accept, or None."""
    if accepts(other, one):
        return one
    if accepts(one, other):
        return other
    if one.startswith("ufunc ") and one.split()[1:3] == other.split()[1:3]:
        loops = [loop for loop in one.split()[3:] if loop in other.split()[3:]]
        return " ".join([*one.split()[:3], *loops])
    return None


def common(one, other):
    """Returns the entries that two censuses share."""
    if isinstance(one, str):
        return common_line(one, other)
    parts = {name: common(one[name], other[name]) for name in one if name in other}
    return {name: part for name, part in parts.items() if part is not None}


def missing(installed, listed, path=""):
    """Returns the paths of a census that the installed CuPy lacks or defines with other
    parameters."""
    if isinstance(listed, str):
        return [] if accepts(installed, listed) else [f"{path}: {listed} is {installed}"]
    found = []
    for name, part in listed.items():
        if name in installed:
            found += missing(installed[name], part, f"{path}.{name}")
        else:
            found.append(f"{path}.{name} is missing")
    return found


def take(release, folder):
    """Returns the census of a release, installed in an environment of its own."""
    import simulated_cuda

    python = pathlib.Path(folder, "bin", "python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *REQUIRED], check=True)
    wheel = f"cupy-cuda13x=={release}"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", wheel], check=True)
    libraries = pathlib.Path(simulated_cuda.__file__).parent / "lib"
    text = subprocess.check_output(
        [python, "-c", "import json, census; print(json.dumps(census.take()))"],
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries), "PYTHONPATH": str(HERE)},
        text=True,
    )
    return json.loads(text.splitlines()[-1])


def main():
    """Rewrites census.json."""
    with tempfile.TemporaryDirectory() as folder:
        table = take(RELEASES[0], folder)
        for release in RELEASES[1:]:
            parts = take(release, folder)
            versions = {**parts.pop("versions"), "cupy": release}
            table = {**common({k: table[k] for k in parts}, parts), "versions": versions}
    census.write(table)
    print(f"{census.FILE}: common to CuPy {', '.join(RELEASES)}", file=sys.stderr)


if __name__ == "__main__":
    main()
