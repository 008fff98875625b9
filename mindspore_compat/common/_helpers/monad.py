"""The values that order side effects in MindSpore's graphs, as scripts import them.

Operations run in the order of the script here, so they carry nothing.
"""


class UMonad:
    """Orders updates of Parameters."""


class IOMonad:
    """Orders input and output."""


U = UMonad()
IO = IOMonad()
