"""Build commands for setup.cfg, used while a wheel is built; the installed package does not import
them."""

import os
from pathlib import Path

from setuptools.command.build_py import build_py

BESIDE_THE_PACKAGE = (
    "_mindspore_compat_startup.py",
    "mindspore_compat.pth",
    "mindspore_compat.start",
)


STUBS, SOURCE = "mindspore-stubs", "mindspore-source"  # folders of site-packages


class BuildWithStartup(build_py):
    """Puts the start-up files at the top of site-packages, where Python finds them, and the type
    stubs next to them as the stubs of `mindspore`.

    Pyright warns of stubs of a module that it does not find. A second folder, which the `.pth` file
    adds to `sys.path`, therefore has a file for each stub. Python imports nothing from there
    (`NoModules` in the start-up file), and a real MindSpore comes first. The second folder also has
    a text file, because pip leaves behind a folder that contains only folders.

    An editable install copies nothing to `build_lib`; the files then go directly into its wheel. In
    a wheel, files always have the same permissions, independent of the checkout, so that two builds
    have equal bytes (with the same SOURCE_DATE_EPOCH).
    """

    def run(self):
        """Builds as usual, then adds the files."""
        os.umask(0o022)
        super().run()
        for name, target in zip(BESIDE_THE_PACKAGE, self.startup_outputs(), strict=True):
            self.copy_file(os.path.join("mindspore_compat", "_startup", name), target)
        for stub, target in zip(stubs(), self.stub_outputs(), strict=True):
            self.mkpath(os.path.dirname(target))
            self.copy_file(str(stub), target)
        note, *sources = self.source_outputs()
        for stub, target in zip(stubs(), sources, strict=True):
            self.mkpath(os.path.dirname(target))
            Path(target).write_text(
                f"# Type checkers look for this file: it belongs to {stub.name}.\n"
            )
        Path(note).write_text(
            "mindspore_compat put these files here: type checkers take them for the source of\n"
            f"mindspore, whose stubs are in {STUBS}. Python imports nothing from here.\n"
        )
        if not self.editable_mode:
            for file in Path(self.build_lib).rglob("*"):
                file.chmod(0o755 if file.is_dir() else 0o644)

    def get_outputs(self, include_bytecode=True):
        """Returns all files that the command writes."""
        return [
            *super().get_outputs(include_bytecode),
            *self.startup_outputs(),
            *self.stub_outputs(),
            *self.source_outputs(),
        ]

    def startup_outputs(self):
        """Returns the paths of the start-up files."""
        return [os.path.join(self.top(), name) for name in BESIDE_THE_PACKAGE]

    def stub_outputs(self):
        """Returns the paths of the stubs of `mindspore`."""
        return [
            os.path.join(self.top(), STUBS, stub.relative_to("mindspore_compat"))
            for stub in stubs()
        ]

    def source_outputs(self):
        """Returns the paths of the files that stand for the source of `mindspore`, with that of
        the text on them first."""
        return [os.path.join(self.top(), SOURCE, "README.txt")] + [
            os.path.join(
                self.top(),
                SOURCE,
                "mindspore",
                stub.relative_to("mindspore_compat").with_suffix(".py"),
            )
            for stub in stubs()
        ]

    def top(self):
        """Returns the folder that becomes site-packages."""
        if self.editable_mode:
            return self.get_finalized_command("install").install_lib
        return self.build_lib


def stubs():
    """Returns the stubs of the package, which import each other relatively."""
    return sorted(Path("mindspore_compat").rglob("*.pyi"))
