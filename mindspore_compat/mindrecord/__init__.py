"""`mindspore.mindrecord`: reads, writes and converts to MindRecord files, indexed files of rows."""

from .config import set_dec_mode, set_enc_key, set_enc_mode
from .filereader import FileReader
from .filewriter import FileWriter
from .mindpage import MindPage
from .tools.images import Cifar10ToMR, Cifar100ToMR, ImageNetToMR, MnistToMR
from .tools.tables import CsvToMR, TFRecordToMR

SUCCESS = 0
FAILED = 1
__all__ = [
    "Cifar100ToMR",
    "Cifar10ToMR",
    "CsvToMR",
    "FAILED",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MindPage",
    "MnistToMR",
    "SUCCESS",
    "TFRecordToMR",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
]

for _class in (
    Cifar100ToMR,
    Cifar10ToMR,
    CsvToMR,
    FileReader,
    FileWriter,
    ImageNetToMR,
    MindPage,
    MnistToMR,
    TFRecordToMR,
    set_dec_mode,
    set_enc_key,
    set_enc_mode,
):  # objects report their public module
    _class.__module__ = __name__
