"""The message for a public name that does not exist."""

import difflib

from ..hints import with_hint
from .op import DECLARED, PUBLIC


class Missing:
    """The message for a missing name, which suggests the nearest existing name.

    The text is made when it is shown: `hasattr` is called often, and the search takes milliseconds.
    """

    def __init__(self, module, name, known):
        self.module, self.name, self.known = module, name, known

    def __str__(self):
        path = "mindspore" + self.module[len("mindspore_compat") :]
        message = f"module '{path}' has no attribute '{self.name}'"
        own_area = self.module.partition(".")[2]
        text = with_hint(message, own_area, self.name)
        areas = [f"mindspore.{area}" for area in areas_with(self.name) if area != own_area]
        names = [name for name in self.known if not name.startswith("_")]
        near = difflib.get_close_matches(self.name, names, 1)
        if areas and text == message:
            suggestion = f", and '{near[0]}' here" if near else ""
            return f"{message}; there is '{self.name}' in {' and in '.join(areas)}{suggestion}."
        return f"{message}; did you mean '{near[0]}'?" if near and text == message else text

    def __repr__(self):
        return repr(str(self))


def areas_with(name):
    """Returns the best-known areas that have a public function or class of this name."""
    areas = ("ops", "nn", "mint", "mint.nn", "mint.nn.functional", "mint.optim")
    return [
        area for area in areas if name in DECLARED.get(area, ()) or name in PUBLIC.get(area, ())
    ]
