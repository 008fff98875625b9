"""`pytest --conformance[=AREA]`: runs the conformance cases as pytest items, in one
worker process for the whole session.

Load it with `-p conformance.plugin` (this project's tests/conftest.py does). Without paths on the
command line, only the cases run. A spec file as a path runs the cases of that module: `pytest
--conformance conformance/spec/nn.yaml`.
"""

import pytest

from .errors import BadInput
from .kinds import cases
from .reading import docs, specs
from .reports import report
from .running import answers
from .running.runner import Process
from .targets import DEFAULT


def pytest_addoption(parser):
    group = parser.getgroup("conformance")
    group.addoption(
        "--conformance",
        nargs="?",
        const="",
        default=None,
        metavar="AREA",
        help="run the conformance cases, of a module or name if one is given (nn, nn.AdamOffload)",
    )
    group.addoption(
        "--conformance-target",
        default=DEFAULT,
        metavar="PACKAGE",
        help=f"what is tested (default: {DEFAULT})",
    )
    group.addoption(
        "--conformance-python", default=None, metavar="PATH", help="interpreter that has the target"
    )
    group.addoption(
        "--conformance-source",
        default=None,
        metavar="SOURCE",
        help="documentation to take the examples from",
    )


def pytest_configure(config):
    area = config.getoption("--conformance")
    if area is None:
        return
    if config.args_source is not config.ArgsSource.ARGS:
        config.args = [str(path) for path in _files(area)] or [str(specs.FOLDER)]


def _files(area):
    """Returns the spec files of an area: those of its module and of its submodules."""
    if not area:
        return sorted(specs.FOLDER.glob("*.yaml"))
    module = cases.area_of(area + ".x")
    return sorted(
        p for p in specs.FOLDER.glob("*.yaml") if p.stem == module or p.stem.startswith(area + ".")
    )


def pytest_collect_file(file_path, parent):
    if (
        file_path.suffix == ".yaml"
        and file_path.parent == specs.FOLDER
        and parent.config.getoption("--conformance") is not None
    ):
        return SpecFile.from_parent(parent, path=file_path)
    return None


class SpecFile(pytest.File):
    """The cases of one spec file."""

    def collect(self):
        area = self.config.getoption("--conformance")
        try:
            entries = specs.load_file(self.path)
        except BadInput as error:
            raise self.CollectError(str(error)) from None
        pages = _pages(self.config)
        for name, entry in sorted(entries.items()):
            if area and not (
                name == area or name.startswith(area + ".") or cases.area_of(name) == area
            ):
                continue
            case_list = cases.of_entry(name, entry)
            if name in pages and "same_as" not in entry:
                case_list += cases.of_page(pages[name], entry)
            for case in case_list:
                yield CaseItem.from_parent(self, name=case["id"], case=case)


_KEPT = pytest.StashKey()
_PAGES = pytest.StashKey()
_PROCESS = pytest.StashKey()


def _pages(config):
    source = config.getoption("--conformance-source")
    if _PAGES not in config.stash:
        config.stash[_PAGES] = {page.name: page for page in docs.read(source)} if source else {}
    return config.stash[_PAGES]


def _process(config):
    process = config.stash.get(_PROCESS, None)
    if process is None or not process.alive or process.full:
        process = config.stash[_PROCESS] = Process(
            config.getoption("--conformance-target"), config.getoption("--conformance-python")
        )
    return process


def pytest_unconfigure(config):
    process = config.stash.get(_PROCESS, None)
    if process is not None:
        process.stop()


class PromiseBroken(Exception):
    """Raised for a broken promise of the documentation."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case, **kwargs):
        super().__init__(**kwargs)
        self.case = case

    def runtest(self):
        config = self.config
        if _KEPT not in config.stash:
            config.stash[_KEPT] = answers.load()
        try:
            result = _process(config).ask(self.case)
        except BadInput as error:
            pytest.exit(str(error), returncode=2)
        result = answers.judge(self.case, result, config.stash[_KEPT])
        if result["status"] in report.ABSENT:
            pytest.skip(result.get("got", ""))
        if result["status"] != "pass":
            raise PromiseBroken(result)

    def repr_failure(self, excinfo, style=None):
        if not isinstance(excinfo.value, PromiseBroken):
            return super().repr_failure(excinfo, style)
        result = excinfo.value.args[0]
        lines = [
            f"call:     {self.case.get('where') or report.call_text(self.case)}",
            f"expected: {result.get('expected', 'no exception')}",
            f"got:      {result.get('got', result['status'])}",
        ]
        if self.case.get("rule"):
            lines.append(f"rule:     {self.case['rule']}")
        return "\n".join(lines)

    def reportinfo(self):
        return self.path, None, self.name
