"""`mindspore.dataset.engine`: sources, operations, samplers and iterators."""

from . import (
    batching,
    cache,
    graphdata,
    iterators,
    mapping,
    operations,
    pipeline,
    sampler,
    schema,
    sources_captions,
    sources_classes,
    sources_clue,
    sources_corpora,
    sources_digits,
    sources_folders,
    sources_images,
    sources_made,
    sources_mat,
    sources_mindrecord,
    sources_objects,
    sources_python,
    sources_reviews,
    sources_scenes,
    sources_sound,
    sources_text,
    sources_tfrecord,
    sources_translation,
    waited,
)
from .batching import *  # noqa: F403
from .cache import *  # noqa: F403
from .graphdata import *  # noqa: F403
from .iterators import *  # noqa: F403
from .mapping import *  # noqa: F403
from .operations import *  # noqa: F403
from .operations import zip_datasets as zip  # noqa: F401 - in __all__
from .pipeline import *  # noqa: F403
from .sampler import *  # noqa: F403
from .schema import *  # noqa: F403
from .sources_captions import *  # noqa: F403
from .sources_classes import *  # noqa: F403
from .sources_clue import *  # noqa: F403
from .sources_corpora import *  # noqa: F403
from .sources_digits import *  # noqa: F403
from .sources_folders import *  # noqa: F403
from .sources_images import *  # noqa: F403
from .sources_made import *  # noqa: F403
from .sources_mat import *  # noqa: F403
from .sources_mindrecord import *  # noqa: F403
from .sources_objects import *  # noqa: F403
from .sources_python import *  # noqa: F403
from .sources_reviews import *  # noqa: F403
from .sources_scenes import *  # noqa: F403
from .sources_sound import *  # noqa: F403
from .sources_text import *  # noqa: F403
from .sources_tfrecord import *  # noqa: F403
from .sources_translation import *  # noqa: F403
from .waited import *  # noqa: F403

_modules = (batching, cache, graphdata, iterators, mapping, operations, pipeline, sampler, schema,
            sources_captions, sources_classes, sources_clue, sources_corpora, sources_digits,
            sources_folders, sources_images, sources_made, sources_mat, sources_mindrecord,
            sources_objects, sources_python, sources_reviews, sources_scenes, sources_sound,
            sources_text, sources_tfrecord, sources_translation, waited)
__all__ = sorted({"zip", *(name for module in _modules for name in module.__all__)}
                 - {"select_sampler", "zip_datasets"})
