"""Sources: the datasets that read files, hold arrays, or call Python for their rows."""

from ..._gathering import public_names as _public_names
from .audio import *  # noqa: F403
from .captions import *  # noqa: F403
from .classification import *  # noqa: F403
from .clue import *  # noqa: F403
from .corpora import *  # noqa: F403
from .detection import *  # noqa: F403
from .digits import *  # noqa: F403
from .faces import *  # noqa: F403
from .folders import *  # noqa: F403
from .generator import *  # noqa: F403
from .matlab import *  # noqa: F403
from .mindrecord import *  # noqa: F403
from .mnist_cifar import *  # noqa: F403
from .reviews import *  # noqa: F403
from .scenes import *  # noqa: F403
from .synthetic import *  # noqa: F403
from .tedlium import *  # noqa: F403
from .text import *  # noqa: F403
from .tfrecord import *  # noqa: F403
from .translation import *  # noqa: F403

__all__ = _public_names(globals())
