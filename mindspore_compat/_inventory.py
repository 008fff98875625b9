"""Lists this package and the installed packages that it requires, in the format CycloneDX 1.5.

`python -m mindspore_compat --inventory` prints it. A package that an extra requires is listed if it
is installed. The digest of a package covers its list of files, which has the digest of each file.
"""

import hashlib
import json
import re
from importlib import metadata

ROOT = "mindspore-compat"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def inventory():
    """Returns the inventory as text.

    Raises:
        importlib.metadata.PackageNotFoundError: if this package is not installed, as in a checkout
            that Python's path names: what it requires is then unknown.
    """
    packages, waiting = {}, [ROOT]
    while waiting:
        name = _normal(waiting.pop())
        if name in packages:
            continue
        try:
            packages[name] = package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name == ROOT:
                raise
            continue  # an extra that is not installed
        waiting += sorted(_requirements(package))
    components = [_component(packages[name]) for name in sorted(packages) if name != ROOT]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": _component(packages[ROOT])},
        "components": components,
        "dependencies": [
            {
                "ref": _reference(packages[name]),
                "dependsOn": sorted(
                    _reference(packages[other])
                    for other in _requirements(packages[name]) & packages.keys()
                ),
            }
            for name in sorted(packages)
        ],
    }
    return json.dumps(document, indent=2)


def _requirements(package):
    """Returns the names of the packages that a package requires, including requirements of its
    extras.
    """
    return {_normal(_NAME.match(text).group()) for text in package.requires or ()}


def _normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _reference(package):
    return f"pkg:pypi/{_normal(package.metadata['Name'])}@{package.version}"


def _component(package):
    component = {
        "type": "library",
        "bom-ref": _reference(package),
        "name": package.metadata["Name"],
        "version": package.version,
        "purl": _reference(package),
    }
    text = package.metadata.get("License-Expression") or package.metadata.get("License")
    if text:
        component["licenses"] = [{"license": {"name": text.splitlines()[0][:100]}}]
    record = package.read_text("RECORD")
    if record:
        digest = hashlib.sha256(record.encode()).hexdigest()
        component["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return component
