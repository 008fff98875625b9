"""Used by setup.cfg while a wheel is built; the installed package never imports it."""

import os

from setuptools.command.build_py import build_py

BESIDE_THE_PACKAGE = ("_mindspore_compat_startup.py", "mindspore_compat.pth",
                      "mindspore_compat.start")


class BuildWithStartup(build_py):
    """Put the start-up files at the top of site-packages, where Python looks for them.

    An editable install copies nothing to `build_lib`; there they go straight into its wheel.
    """

    def run(self):
        """Build as usual, then add the files."""
        super().run()
        for name, place in zip(BESIDE_THE_PACKAGE, self.startup_outputs(), strict=True):
            self.copy_file(os.path.join("mindspore_compat", "_startup", name), place)

    def get_outputs(self, include_bytecode=True):
        """All files that the command writes."""
        return [*super().get_outputs(include_bytecode), *self.startup_outputs()]

    def startup_outputs(self):
        """Where the start-up files go."""
        folder = self.build_lib
        if self.editable_mode:
            folder = self.get_finalized_command("install").install_lib
        return [os.path.join(folder, name) for name in BESIDE_THE_PACKAGE]
