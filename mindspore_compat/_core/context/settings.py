"""A table of settings with their rules and current values.

`config` (the context) and its parts `config.parallel` and `config.ps` are such tables. A setting
for another device of MindSpore is marked by `stored_only`: it is stored and returned, but has no
effect here.
"""

import copy
import re
from dataclasses import dataclass, replace
from typing import Any

from ..rules.base import Rule, both, is_hashable
from ..rules.checked import refuse_all
from ..without_effect import warn_once


@dataclass(frozen=True)
class Setting:
    """One key: its default, its rule, and the conversion of its values.

    Args:
        default: the initial value.
        rule: the rule of the values; None for a key that follows from others.
        stored: converts the value that a caller sets to the stored value; may raise ValueError.
        readable: False for a key that can be set but not read.
        has_effect: False for a key without effect here; for a dict, the keys with an effect.
    """

    default: Any
    rule: Rule | None
    stored: Any = None
    readable: bool = True
    has_effect: bool | tuple = True


def stored_only(table: dict[str, Setting]) -> dict[str, Setting]:
    """Marks the settings of a table as without effect."""
    return {key: replace(setting, has_effect=False) for key, setting in table.items()}


class Settings:
    """The current values of a table of settings, as attributes: one for each key."""

    def __init__(self, table: dict[str, Setting]):
        self._table = table
        self.reset()

    def reset(self) -> None:
        """Restores the defaults."""
        vars(self).update(
            (key, copy.deepcopy(setting.default)) for key, setting in self._table.items()
        )

    def change(self, api: str, values: dict) -> dict:
        """Checks values and returns them in their stored form; changes nothing yet.

        Raises:
            TypeError: if a value is of the wrong kind.
            ValueError: if a key is unknown, or a value out of range.
        """
        for key in values:
            if key not in self._table or self._table[key].rule is None:
                raise ValueError(f"For '{api}', there is no keyword '{key}'.")
        refuse_all(api, {key: self._table[key].rule for key in values}, values)
        return {
            key: value if self._table[key].stored is None else self._table[key].stored(value)
            for key, value in values.items()
        }

    def without_effect(self) -> list[str]:
        """Returns the keys without effect. A key inside a dict of which only some keys have an
        effect is listed after a dot, as "gpu_config.key"."""
        names = []
        for key, setting in self._table.items():
            if setting.has_effect is False and setting.rule is not None:
                names.append(key)
            elif isinstance(setting.has_effect, tuple):
                inner = (name for name, _ in setting.rule.entries)
                names += [f"{key}.{name}" for name in inner if name not in setting.has_effect]
        return names

    def warn(self, api: str, changed: dict) -> None:
        """Warns once for each key without effect whose value changes."""
        for key, value in changed.items():
            effect = self._table[key].has_effect
            if effect is False and value != getattr(self, key):
                warn_once(f"'{key}' of '{api}'")
            elif isinstance(effect, tuple):
                for name in value.keys() - {*effect}:
                    warn_once(f"'{key}.{name}' of '{api}'")

    def get(self, api: str, key: str):
        """Returns the value of a key.

        Raises:
            ValueError: if there is no such key.
            TypeError: if the key has no hash, or is a tuple.
        """
        if not is_hashable(key) or isinstance(key, (set, tuple)):
            raise TypeError(f"For '{api}', an attribute must be a str, but got {key!r}.")
        if not isinstance(key, str) or key not in self._table or not self._table[key].readable:
            raise ValueError(f"For '{api}', there is no attribute '{key}'.")
        return getattr(self, key)


@dataclass(frozen=True, repr=False)
class Text(Rule):
    """A str that fully matches a pattern."""

    pattern: str
    words: str

    def kind(self, name):
        return f"isinstance({name}, str)"

    def value(self, name):
        return f"_fullmatch({self.pattern!r}, {name}) is not None"

    def scope(self):
        return {"_fullmatch": re.fullmatch}

    def kind_noun(self):
        return "a str"

    def noun(self):
        return f"a str, {self.words}"

    def samples(self):
        return ["1GB", "1.5GB", "text", "", 1, None]

    def annotation(self):
        return "str"


@dataclass(frozen=True, init=False, repr=False)
class DictOf(Rule):
    """A dict with keys from a fixed set, each with a rule for its value.

    `DictOf()` is any dict. The error names the wrong key.
    """

    entries: tuple

    def __init__(self, **entries):
        object.__setattr__(self, "entries", tuple(entries.items()))

    def kind(self, name):
        return both(f"isinstance({name}, dict)", self._check_entries(name, "kind"))

    def value(self, name):
        if not self.entries:
            return ""
        keys = ", ".join(repr(key) for key, _ in self.entries)
        return both(f"not {name}.keys() - {{{keys}}}", self._check_entries(name, "guard"))

    def _check_entries(self, name: str, part: str) -> str:
        texts = [(key, getattr(rule, part)(f"{name}[{key!r}]")) for key, rule in self.entries]
        return " and ".join(
            f"({key!r} not in {name} or {text})" for key, text in texts if text != "True"
        )

    def scope(self):
        return {name: value for _, rule in self.entries for name, value in rule.scope().items()}

    def kind_noun(self):
        return "a dict"

    def noun(self):
        keys = ", ".join(f"'{key}' ({rule.noun()})" for key, rule in self.entries)
        return f"a dict with keys among {keys}" if keys else "a dict"

    def refuse(self, api, name, value):
        if self.entries and isinstance(value, dict):
            for key, rule in self.entries:
                if key in value:
                    rule.refuse(api, f"{name}[{key!r}]", value[key])
            for key in value.keys() - {key for key, _ in self.entries}:
                keys = ", ".join(repr(key) for key, _ in self.entries)
                raise ValueError(
                    f"For '{api}', the keys of '{name}' must be among {keys}, but got {key!r}."
                )
        super().refuse(api, name, value)

    def samples(self):
        samples = [{key: sample} for key, rule in self.entries for sample in rule.samples()]
        return [{}, *samples, {"no such key": 1}, 1, None, []]

    def annotation(self):
        return "dict[str, Any]"
