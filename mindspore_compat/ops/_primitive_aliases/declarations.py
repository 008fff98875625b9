"""Imports every module that declares Primitives of internal paths: the table, and `internal.py` of
each subject."""

from .._activation import internal as _activation  # noqa: F401
from .._attention import internal as _attention  # noqa: F401
from .._communication import internal as _communication  # noqa: F401
from .._conv import internal as _conv  # noqa: F401
from .._elementwise import internal as _elementwise  # noqa: F401
from .._embedding import internal as _embedding  # noqa: F401
from .._image import internal as _image  # noqa: F401
from .._indexing import internal as _indexing  # noqa: F401
from .._linalg import internal as _linalg  # noqa: F401
from .._loss import internal as _loss  # noqa: F401
from .._moe import internal as _moe  # noqa: F401
from .._normalization import internal as _normalization  # noqa: F401
from .._optimizer import internal as _optimizer  # noqa: F401
from .._pooling import internal as _pooling  # noqa: F401
from .._random import internal as _random  # noqa: F401
from .._recurrent import internal as _recurrent  # noqa: F401
from .._reduction import internal as _reduction  # noqa: F401
from .._shape import internal as _shape  # noqa: F401
from . import python_values  # noqa: F401
from .alias import alias
from .names import NAMES

for line, target in NAMES.items():
    alias(line, target)
