"""`mindspore.dataset.engine`: datasets, pipeline operations, samplers and iterators."""

from .._gathering import public_names as _public_names
from .batching import *  # noqa: F403
from .cache import *  # noqa: F403
from .combining import *  # noqa: F403
from .combining import zip_datasets as zip  # noqa: F401 - in __all__
from .graphdata import *  # noqa: F403
from .iterators import *  # noqa: F403
from .mapping import *  # noqa: F403
from .operations import *  # noqa: F403
from .pipeline import *  # noqa: F403
from .sampler import *  # noqa: F403
from .schema import *  # noqa: F403
from .serialization import *  # noqa: F403
from .sources import *  # noqa: F403
from .synchronizing import *  # noqa: F403
from .waited import *  # noqa: F403

__all__ = _public_names(globals(), without=("select_sampler", "zip_datasets"))
