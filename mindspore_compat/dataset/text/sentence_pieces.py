"""SentencePieceVocab and its enumerations. The tokenizer is in `_tokenizers.py`.

The library `sentencepiece`, which MindSpore uses as well, trains models and splits text. `pip
install mindspore-compat[text]` installs it; it is imported on first use.
"""

import io
import os
from enum import IntEnum

import numpy as np

from ..._core.rules.vocabulary import Float, Int, ListOf, Str, TupleOf
from ..._io.files import atomic_write
from ..._io.reading import reading
from .._extra import sentencepiece
from .._rules import AnInstance
from ..engine.operations import column_indices
from ..engine.pipeline import Dataset

__all__ = [
    "DE_C_INTER_SENTENCEPIECE_MODE",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
]


class SentencePieceModel(IntEnum):
    """The model types of a SentencePieceVocab.

    UNIGRAM is a unigram language model, BPE is byte pair encoding; CHAR and WORD use characters and
    words as pieces.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> text.SentencePieceModel.BPE.name.lower()
        'bpe'

    Source: mindspore.dataset.text.utils.SentencePieceModel of MindSpore 2.10.
    """

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


# MindSpore's compiled module has a separate enumeration; here both are the same.
DE_C_INTER_SENTENCEPIECE_MODE = {model: model for model in SentencePieceModel}


class SPieceTokenizerOutType(IntEnum):
    """The output of SentencePieceTokenizer: pieces as text or as ids.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> [kind.name for kind in text.SPieceTokenizerOutType]
        ['STRING', 'INT']

    Source: mindspore.dataset.text.utils.SPieceTokenizerOutType of MindSpore 2.10.
    """

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(IntEnum):
    """The source of a SentencePieceTokenizer's model: a file or a vocabulary.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> [kind.name for kind in text.SPieceTokenizerLoadType]
        ['FILE', 'MODEL']

    Source: mindspore.dataset.text.utils.SPieceTokenizerLoadType of MindSpore 2.10.
    """

    FILE = 0
    MODEL = 1


_Files = ListOf(Str, min_length=1)
_Columns = ListOf(Str) | TupleOf(Str) | None
_VocabSize = Int(ge=0, le=2**32 - 1)


class SentencePieceVocab:
    """A trained SentencePiece model; create it by `from_file` or `from_dataset`.

    Raises:
        ImportError: if the library `sentencepiece` is not installed; raised when it is trained.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> vocab = text.SentencePieceVocab()
        >>> text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)  # doctest: +SKIP

    Source: mindspore.dataset.text.utils.SentencePieceVocab of MindSpore 2.10.
    """

    def __init__(self):
        self._model = b""

    @classmethod
    def from_file(cls, file_path, vocab_size, character_coverage, model_type, params):
        """Trains a SentencePiece model on the lines of files.

        Args:
            file_path (list[str]): the files.
            vocab_size (int): the vocabulary size: the number of pieces.
            character_coverage (float): the fraction of all characters that the pieces cover, from
                0.98 to 1.0; 0.9995 is usual for languages with many characters.
            model_type (SentencePieceModel): the type of the model.
            params (dict[str, str]): further parameters of the library's trainer.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `vocab_size` is negative, or there is no file.
            RuntimeError: if a file cannot be read, or no such model can be trained on it.
            ImportError: if the library `sentencepiece` is not installed.
        """
        api = "SentencePieceVocab.from_file"
        _Files.refuse(api, "file_path", file_path)
        _check(api, vocab_size, character_coverage, model_type, params)
        settings = {"input": file_path, "vocab_size": vocab_size}
        return cls._train(api, settings, character_coverage, model_type, params)

    @classmethod
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """Trains a SentencePiece model on the text of a dataset.

        Args:
            dataset (Dataset): the text.
            col_names (list[str]): the columns to read; None or an empty list for all.
            vocab_size (int): the vocabulary size: the number of pieces.
            character_coverage (float): the fraction of all characters that the pieces cover, from
                0.98 to 1.0; 0.9995 is usual for languages with many characters.
            model_type (SentencePieceModel): the type of the model.
            params (dict[str, str]): further parameters of the library's trainer.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `vocab_size` is negative.
            RuntimeError: if a column does not exist, or no such model can be trained on the text.
            ImportError: if the library `sentencepiece` is not installed.
        """
        api = "SentencePieceVocab.from_dataset"
        AnInstance(Dataset).refuse(api, "dataset", dataset)
        _Columns.refuse(api, "col_names", col_names)
        _check(api, vocab_size, character_coverage, model_type, params)
        sentences = _sentences(api, dataset, col_names)
        settings = {"sentence_iterator": sentences, "vocab_size": vocab_size}
        return cls._train(api, settings, character_coverage, model_type, params)

    @classmethod
    def _train(cls, api, settings, character_coverage, model_type, params):
        library, model = sentencepiece(api), io.BytesIO()
        settings = {
            "minloglevel": "2",
            **params,
            **settings,
            "character_coverage": character_coverage,
            "model_type": model_type.name.lower(),
            "model_writer": model,
        }
        with reading(problem="cannot be trained on", api=api):
            library.SentencePieceTrainer.train(**settings)
        vocab = cls()
        vocab._model = model.getvalue()
        return vocab

    @classmethod
    def save_model(cls, vocab, path, filename):
        """Saves a model to a file that SentencePieceTokenizer and the library can read.

        Args:
            vocab (SentencePieceVocab): the model.
            path (str): the folder.
            filename (str): the name of the file.

        Raises:
            TypeError: if an argument is of the wrong type.
            RuntimeError: if there is no such folder, or the file cannot be written.
        """
        api = "SentencePieceVocab.save_model"
        AnInstance(SentencePieceVocab).refuse(api, "vocab", vocab)
        Str.refuse(api, "path", path)
        Str.refuse(api, "filename", filename)
        if not os.path.isdir(path):
            raise RuntimeError(f"For '{api}', 'path' must be a folder, but got {path!r}.")
        with (
            reading(path, problem="cannot hold the model", api=api),
            atomic_write(os.path.join(path, filename)) as file,
        ):
            file.write(vocab._model)


def _check(api, vocab_size, character_coverage, model_type, params):
    """Checks the arguments of training."""
    _VocabSize.refuse(api, "vocab_size", vocab_size)
    Float.refuse(api, "character_coverage", character_coverage)
    AnInstance(SentencePieceModel).refuse(api, "model_type", model_type)
    AnInstance(dict).refuse(api, "params", params)
    if not all(isinstance(text, str) for pair in params.items() for text in pair):
        raise TypeError(f"For '{api}', 'params' must map str to str, but got {params!r}.")


def _sentences(api, dataset, columns):
    """Yields the text of all rows."""
    names = dataset.get_col_names()
    indices = column_indices(api, names, list(columns or names))
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return (text for row in rows for index in indices for text in np.ravel(row[index]).tolist())
