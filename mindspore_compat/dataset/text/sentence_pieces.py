"""SentencePiece: the choices it takes, and its vocabulary. The tokenizer is in `_tokenizers.py`.

Training and cutting are done by the library `sentencepiece`, which the original is built on as
well. It comes with `pip install mindspore-compat[text]` and is imported when it is first needed.
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
from ..engine.operations import known
from ..engine.pipeline import Dataset

__all__ = [
    "DE_C_INTER_SENTENCEPIECE_MODE",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
]


class SentencePieceModel(IntEnum):
    """What a SentencePieceVocab is trained as.

    UNIGRAM is a language model of pieces, BPE is byte pair encoding; CHAR and WORD take characters
    and words as pieces.

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


# The original's compiled module has an enumeration of its own; here both are the same.
DE_C_INTER_SENTENCEPIECE_MODE = {model: model for model in SentencePieceModel}


class SPieceTokenizerOutType(IntEnum):
    """Whether SentencePieceTokenizer gives the pieces as text or by their numbers.

    Example:
        >>> from mindspore_compat.dataset import text
        >>> [kind.name for kind in text.SPieceTokenizerOutType]
        ['STRING', 'INT']

    Source: mindspore.dataset.text.utils.SPieceTokenizerOutType of MindSpore 2.10.
    """

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(IntEnum):
    """Whether SentencePieceTokenizer was given a file or a vocabulary.

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
    """A trained model of SentencePiece; made by `from_file` or `from_dataset`.

    Raises:
        ImportError: the library `sentencepiece` is not installed; raised when it is trained.

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
        """Trains a model on the lines of files.

        Args:
            file_path (list[str]): the files.
            vocab_size (int): how many pieces there are to be.
            character_coverage (float): the part of all characters that are to be in pieces, from
                0.98 to 1.0; 0.9995 is usual for languages with many characters.
            model_type (SentencePieceModel): what is trained.
            params (dict[str, str]): further parameters of the library's trainer.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: `vocab_size` is negative, or there is no file.
            RuntimeError: a file cannot be read, or no such model can be trained on it.
            ImportError: the library `sentencepiece` is not installed.
        """
        api = "SentencePieceVocab.from_file"
        _Files.refuse(api, "file_path", file_path)
        _check(api, vocab_size, character_coverage, model_type, params)
        settings = {"input": file_path, "vocab_size": vocab_size}
        return cls._trained(api, settings, character_coverage, model_type, params)

    @classmethod
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """Trains a model on the text in a dataset.

        Args:
            dataset (Dataset): the text.
            col_names (list[str]): its columns; None or an empty list for all.
            vocab_size (int): how many pieces there are to be.
            character_coverage (float): the part of all characters that are to be in pieces, from
                0.98 to 1.0; 0.9995 is usual for languages with many characters.
            model_type (SentencePieceModel): what is trained.
            params (dict[str, str]): further parameters of the library's trainer.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: `vocab_size` is negative.
            RuntimeError: a column does not exist, or no such model can be trained on the text.
            ImportError: the library `sentencepiece` is not installed.
        """
        api = "SentencePieceVocab.from_dataset"
        AnInstance(Dataset).refuse(api, "dataset", dataset)
        _Columns.refuse(api, "col_names", col_names)
        _check(api, vocab_size, character_coverage, model_type, params)
        sentences = _sentences(api, dataset, col_names)
        settings = {"sentence_iterator": sentences, "vocab_size": vocab_size}
        return cls._trained(api, settings, character_coverage, model_type, params)

    @classmethod
    def _trained(cls, api, settings, character_coverage, model_type, params):
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
        made = cls()
        made._model = model.getvalue()
        return made

    @classmethod
    def save_model(cls, vocab, path, filename):
        """Writes a model to a file, which SentencePieceTokenizer and the library read.

        Args:
            vocab (SentencePieceVocab): the model.
            path (str): the folder.
            filename (str): the name of the file.

        Raises:
            TypeError: an argument is of the wrong type.
            RuntimeError: there is no such folder, or the file cannot be written.
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
    """Refuses arguments of training."""
    _VocabSize.refuse(api, "vocab_size", vocab_size)
    Float.refuse(api, "character_coverage", character_coverage)
    AnInstance(SentencePieceModel).refuse(api, "model_type", model_type)
    AnInstance(dict).refuse(api, "params", params)
    if not all(isinstance(text, str) for pair in params.items() for text in pair):
        raise TypeError(f"For '{api}', 'params' must map str to str, but got {params!r}.")


def _sentences(api, dataset, columns):
    """Yields the text of all rows."""
    names = dataset.get_col_names()
    indices = known(api, names, list(columns or names))
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return (text for row in rows for index in indices for text in np.ravel(row[index]).tolist())
