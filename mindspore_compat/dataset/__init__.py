"""`mindspore.dataset`: reading, transforming and batching data on the host.

A pipeline is built from a source (`MnistDataset`, `GeneratorDataset`, ...) and operations on it
(`map`, `shuffle`, `batch`, ...), and read through an iterator. Transforms are in `transforms`,
`vision`, `text` and `audio`, settings in `config`.
"""

from . import audio, debug, engine, text, transforms, utils, vision
from .engine import *  # noqa: F403
from .engine import config
from .engine import sampler as samplers
from .engine.config import get_seed, set_seed
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

for _name in engine.__all__:  # objects report their public module, as the original's do
    globals()[_name].__module__ = __name__
