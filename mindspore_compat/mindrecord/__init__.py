"""`mindspore.mindrecord`: files of rows with an index, written, read and made from other files."""

from .filereader import FileReader
from .filewriter import FileWriter
from .mindpage import MindPage

SUCCESS = 0
FAILED = 1
__all__ = ["FAILED", "FileReader", "FileWriter", "MindPage", "SUCCESS"]

for _class in (FileReader, FileWriter, MindPage):   # objects tell their public home
    _class.__module__ = __name__
