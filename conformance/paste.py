"""The names that a printed failure uses, to be pasted into Python.

>>> from mindspore_conformance.paste import prepare
>>> globals().update(prepare("my_package"))
"""

from . import targets
from .arguments import waves
from .arguments.values import Values
from .kinds import steps
from .worker.worker import Worker


def prepare(target):
    """Returns the names that argument texts use (`T`, `ms`, `sample`, `spread`, ...), for
    a target."""
    worker = Worker(targets.install(target))
    steps.offer(worker)
    values = Values(worker.ms)
    names = {**values.names, "sample": worker.values.names["sample"]}
    names["wave"] = waves.wave
    return names
