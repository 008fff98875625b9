"""`InstanceOf`: the rule for Python containers and for classes that the using file can import.

Classes of higher layers are given by name instead (`CellOf` in vocabulary.py).
"""

from dataclasses import dataclass

from .base import Rule


@dataclass(frozen=True, repr=False)
class InstanceOf(Rule):
    """An instance of a class, or of one of several: "a dict", "a str, a list or a tuple".

    As for `isinstance`, a bool is an int; `Int` refuses bools.
    """

    classes: tuple

    def __init__(self, *classes):
        object.__setattr__(self, "classes", classes)

    def accepts(self, value):
        return isinstance(value, self.classes)

    def _name(self, index: int) -> str:
        return f"_class_{self.classes[index].__name__}_{id(self.classes[index])}"

    def kind(self, name):
        names = ", ".join(self._name(index) for index in range(len(self.classes)))
        return f"isinstance({name}, ({names},))"

    def scope(self):
        return {self._name(index): class_ for index, class_ in enumerate(self.classes)}

    def noun(self):
        *others, last = (_with_article(class_.__name__) for class_ in self.classes)
        return f"{', '.join(others)} or {last}" if others else last

    def samples(self):
        members = [list(class_)[0] for class_ in self.classes if hasattr(class_, "__members__")]
        values = [class_() for class_ in self.classes if class_ in _PLAIN]
        return [*members, *values, "no such member", 1.5, None]

    def annotation(self):
        return " | ".join(_TYPES.get(class_, class_.__name__) for class_ in self.classes)

    def source(self):
        names = ", ".join(class_.__name__ for class_ in self.classes)
        return f"{type(self).__name__}({names})"


_PLAIN = (int, float, complex, str, bytes, dict, list, tuple, set)
_TYPES = {dict: "dict[Any, Any]", list: "list[Any]", tuple: "tuple[Any, ...]", set: "set[Any]"}


def _with_article(name: str) -> str:
    if name == "bytes":
        return name
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"
