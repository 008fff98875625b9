"""`mindspore.dataset`: data pipelines that read, transform and batch data on the host.

A pipeline consists of a source (`MnistDataset`, `GeneratorDataset`, ...) and operations (`map`,
`shuffle`, `batch`, ...). An iterator reads it. Transforms are in `transforms`, `vision`, `text` and
`audio`, settings in `config`.
"""

from .._core.declare.missing import Missing
from . import audio, debug, engine, text, transforms, utils, vision
from .engine import *  # noqa: F403
from .engine import config
from .engine import sampler as samplers
from .engine.config import get_seed, set_seed
from .engine.iterators import _get_training_dataset, _reset_training_dataset, _set_training_dataset  # noqa: F401 - imported from here
from .utils import LineReader

__all__ = [
    "LineReader",
    "audio",
    "config",
    "debug",
    "engine",
    "get_seed",
    "samplers",
    "set_seed",
    "text",
    "transforms",
    "utils",
    "vision",
]
__all__ += engine.__all__

for _name in engine.__all__:  # objects report their public module, as in MindSpore
    globals()[_name].__module__ = __name__


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    raise AttributeError(Missing(__name__, name, __all__))
