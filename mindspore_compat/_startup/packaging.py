"""Used by setup.cfg while a wheel is built; the installed package never imports it."""

from setuptools.command.install_data import install_data


class InstallDataBesidePackages(install_data):
    """Put `data_files` beside the packages, where Python looks for `.pth` and `.start` files."""

    def finalize_options(self):
        """Take the folder of the packages instead of the prefix."""
        super().finalize_options()
        self.install_dir = self.get_finalized_command("install").install_lib
