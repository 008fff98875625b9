"""The table of readers that the fuzzers attack, filled by `readers_data` and `readers_files`."""

import dataclasses

READERS = {}


@dataclasses.dataclass
class Reader:
    """One reader.

    Attributes:
        make (Callable): writes the valid files into a folder.
        read (Callable): reads them, given the folder.
        raises (tuple): the documented errors.
        wraps (Callable, optional): given a path, (inner, outer): functions that open and close
            what stands around the content that is to be damaged; or None.
        targets (tuple): files that are read without Python's `open`, by name.
    """

    make: callable
    read: callable
    raises: tuple = (RuntimeError, ValueError)
    wraps: callable = None
    targets: tuple = ()


def reader(make, raises=(RuntimeError, ValueError), wraps=None, targets=()):
    """Declares a function that reads the files of a folder."""

    def declare(function):
        name = function.__name__.strip("_")
        READERS[name] = Reader(make, function, raises, wraps, targets)
        return function

    return declare
