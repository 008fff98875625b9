"""What setup.cfg cannot say: the folder `conformance` is installed under a name of its own."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["mindspore_compat*"]),
        "mindspore_conformance",
        *("mindspore_conformance." + name for name in find_packages("conformance")),
    ],
    package_dir={"mindspore_conformance": "conformance"},
)
