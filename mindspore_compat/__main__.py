"""`python -m mindspore_compat`: run a script whose `import mindspore` is this package.

    python -m mindspore_compat train.py --epochs 5
    python -m mindspore_compat -m package.module argument
    python -m mindspore_compat -c "import mindspore; print(mindspore.__version__)"

The script sees the same `sys.argv`, `sys.path[0]` and `__main__` as under plain `python`. Processes
that it starts use the stand-in too.
"""

import importlib
import io
import os
import runpy
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pkgutil import get_importer
from types import ModuleType

from ._inventory import inventory
from .log import print_escaped
from .standin import FOLDER, install_for_children

USAGE = """usage: python -m mindspore_compat script.py [argument ...]
       python -m mindspore_compat -m module [argument ...]
       python -m mindspore_compat -c code [argument ...]
       python -m mindspore_compat - [argument ...]    (the script comes from standard input)
       python -m mindspore_compat --check PATH ...  (what a project needs to run here)
       python -m mindspore_compat --version
       python -m mindspore_compat --inventory  (lists what is installed, as CycloneDX)
       python -m mindspore_compat --cache [clear]    (shows, or deletes, the compiled loops)

Runs a script, module or piece of code in which `import mindspore` gives mindspore_compat.
Before any of these, `--release 1.8` gives names their meaning in that release of MindSpore."""


def main(arguments):
    """Reads the command line and runs the script, module or code that it names."""
    if arguments[:1] == ["--release"]:
        problem = set_release(arguments[1] if len(arguments) > 1 else None)
        if problem:
            print(f"{problem}\n{USAGE}", file=sys.stderr)
            return 2
        arguments = arguments[2:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0] == "--version":
        package = sys.modules[__package__]
        print(f"mindspore_compat {package.__compat_version__} (MindSpore {package.__version__})")
        return 0
    if arguments == ["--inventory"]:
        try:
            print(inventory())
        except PackageNotFoundError as error:
            print(
                f"{error.name} is not installed, so it is not known what it requires.",
                file=sys.stderr,
            )
            return 1
        return 0
    if arguments[0] == "--check":
        return importlib.import_module("._check", __package__).main(arguments[1:])
    if arguments[0] == "--cache" and arguments[1:] in ([], ["clear"]):
        return show_cache(clear=bool(arguments[1:]))
    flag = arguments[0]
    if flag in ("--inventory", "--cache"):
        print(f"Unknown argument of {flag}: {arguments[-1]}\n{USAGE}", file=sys.stderr)
        return 2
    if flag in ("-m", "-c") and len(arguments) == 1:
        print(f"Argument expected for the {flag} option\n{USAGE}", file=sys.stderr)
        return 2
    if flag.startswith("-") and flag not in ("-m", "-c", "-"):
        print(f"Unknown option: {flag}\n{USAGE}", file=sys.stderr)
        return 2
    install_for_children()
    if flag == "-m":
        run_module(arguments[1], arguments[2:])
    elif flag == "-c":
        run_code("-c", arguments[1], arguments[2:])
    elif flag == "-":
        run_code("-", sys.stdin.read(), arguments[1:])
    else:
        run_script(flag, arguments[1:])
    return 0


def set_release(release):
    """Activates a release, including in child processes; returns an error message, or None."""
    from ._version import RELEASES

    if release not in RELEASES:
        return f"--release must be one of {', '.join(RELEASES)}, but got {release!r}."
    from . import _releases

    os.environ["MINDSPORE_COMPAT_RELEASE"] = release
    sys.modules[__package__].__version__ = _releases.activate(release)
    return None


def show_cache(clear):
    """Prints the folder of the compiled loops, after deleting them if `clear`."""
    from ._backend.compiled import disk_cache

    if clear:
        disk_cache.clear()
    print_escaped(disk_cache.describe())
    return 0


def run_script(path, arguments):
    """Runs a file, or a folder or archive that contains a `__main__.py`."""
    sys.argv = [path, *arguments]
    if get_importer(path) is not None:
        set_first_path(path)
        runpy.run_path(path, run_name="__main__")
        return
    set_first_path(os.path.dirname(os.path.realpath(path)))
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        sys.exit(f"{sys.executable}: can't open file {os.path.abspath(path)!r}: {error}")
    module = new_main(__file__=path, __loader__=SourceFileLoader("__main__", path))
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)


def run_module(name, arguments):
    """Runs a module found on `sys.path`, as `python -m` does."""
    spec = find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name = f"{name}.__main__"
        spec = find_spec(name)
    if spec is None:
        sys.exit(f"{sys.executable}: No module named {name}")
    if not hasattr(spec.loader, "get_code"):
        sys.exit(f"{sys.executable}: {name} cannot be run as a script")
    sys.argv = [spec.origin or name, *arguments]
    module = new_main(
        __file__=spec.origin,
        __spec__=spec,
        __loader__=spec.loader,
        __package__=spec.parent,
        __cached__=spec.cached,
    )
    exec(spec.loader.get_code(spec.name), module.__dict__)


def run_code(flag, code, arguments):
    """Runs a piece of code, from the command line ("-c") or from standard input ("-")."""
    sys.argv = [flag, *arguments]
    set_first_path("")
    module = new_main()
    name = "<string>" if flag == "-c" else "<stdin>"
    exec(compile(code, name, "exec", dont_inherit=True), module.__dict__)


def new_main(**attributes):
    """Returns a new `__main__` module that replaces this file's own."""
    module = ModuleType("__main__")
    module.__dict__.update({"__spec__": None, "__builtins__": __builtins__, **attributes})
    sys.modules["__main__"] = module
    return module


def set_first_path(folder):
    """Replaces the first entry of `sys.path`, unless Python was started without one.

    A checkout may be importable only through that entry; it is then appended at the end.
    """
    if getattr(sys.flags, "safe_path", False):
        return
    sys.path[0] = folder
    if PathFinder.find_spec(__package__) is None:
        sys.path.append(str(FOLDER.parent))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
