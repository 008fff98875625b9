"""`mindspore.dataset.text.validators`: decorators that check arguments like the transforms."""

from ..._core.tensor import dtype as mstype  # noqa: F401 - shown too
from .. import text
from .._validators import validators
from ..core.validator_helpers import type_check, type_check_list

_TARGETS = """
from_dataset=Vocab.from_dataset from_dict=Vocab.from_dict from_file=Vocab.from_file
from_list=Vocab.from_list ids_to_tokens=Vocab.ids_to_tokens
pair_truncate=TruncateSequencePair tokens_to_ids=Vocab.tokens_to_ids
with_offsets=WhitespaceTokenizer
"""

__getattr__, __dir__, __all__ = validators(
    __name__, {name: getattr(text, name) for name in text.__all__}, _TARGETS
)
__all__ += ["check_unique_list_of_words"]


def check_unique_list_of_words(words, arg_name):
    """Checks a list of distinct strs and returns it as a set."""
    type_check(words, (list,), arg_name)
    type_check_list(words, (str,), arg_name)
    if len(set(words)) != len(words):
        twice = sorted({word for word in words if words.count(word) > 1})
        raise ValueError(f"'{arg_name}' must have each word once, but got {twice} twice.")
    return set(words)
