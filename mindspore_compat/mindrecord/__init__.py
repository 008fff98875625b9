"""`mindspore.mindrecord`: files of rows with an index, written, read and made from other files."""

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
):  # objects report their public module
    _class.__module__ = __name__
