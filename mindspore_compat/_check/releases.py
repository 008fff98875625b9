"""The release that a project was written for, and the uses that meant something else in it."""

from .._releases import changes_after, meaning_of
from .._releases.changes import CHANGES
from .._version import RELEASES
from . import names
from .reading import CALL, TOP

SINCE = {  # name -> the release that brought it
    "COOTensor": "1.7",
    "train.Model.fit": "1.8",
    "set_context": "1.8",
    "set_auto_parallel_context": "1.8",
    "amp": "1.9",
    "ops.value_and_grad": "1.9",
    "value_and_grad": "1.9",
    "jit": "2.0",
    "jit_class": "2.0",
    "experimental": "2.1",
    "lazy_inline": "2.2",
    "communication.comm_func": "2.3",
    "hal": "2.3",
    "mint": "2.3",
    "multiprocessing": "2.3",
    "device_context": "2.5",
    "runtime": "2.5",
    "parallel.auto_parallel": "2.6",
}
BEFORE = {  # name, or function and keyword -> the release that removed, renamed or replaced it
    "dataset.MindDataset(dataset_file)": "1.6",
    "SparseTensor": "1.7",
    "compression": "2.0",
    "dataset.Dataset.batch(column_order)": "2.0",
    "dataset.Dataset.batch(pad_info)": "2.0",
    "dataset.Dataset.map(column_order)": "2.0",
    "dataset.transforms.c_transforms": "2.0",
    "dataset.transforms.py_transforms": "2.0",
    "dataset.vision.c_transforms": "2.0",
    "dataset.vision.py_transforms": "2.0",
    "ms_class": "2.0",
    "ms_function": "2.0",
    "nn.Dropout(keep_prob)": "2.0",
    "nn.transformer": "2.0",
    "ops.split(output_num)": "2.0",
}


def guess(uses):
    """Returns the release that the uses point to, or None if none tells.

    It is the last release that had all names which are gone or replaced today, or the release that
    brought the newest name.
    """
    since = [SINCE[sign] for sign in _signs(uses, SINCE)]
    before = [BEFORE[sign] for sign in _signs(uses, BEFORE)]
    first = max(since, key=RELEASES.index, default=None)
    if not before:
        return first
    last = RELEASES[RELEASES.index(min(before, key=RELEASES.index)) - 1]
    return last if first is None else max(first, last, key=RELEASES.index)


def uses_older_names(uses):
    """Returns True if a name is used that a release removed, renamed or replaced. Without such a
    name, the release of `guess` is the earliest that the uses may be written for."""
    return bool(_signs(uses, BEFORE))


def _signs(uses, table):
    """Returns the names of a table that are used."""
    paths = {".".join(part for part in use.path[1:] if part != CALL) for use in uses}
    signs = {sign for sign in table if any(f"{path}.".startswith(f"{sign}.") for path in paths)}
    by_target = {_target(sign): sign for sign in table if "(" in sign}
    for use in uses:
        for keyword, _ in use.call.keywords if use.call else ():
            signs.add(by_target.get((names.find(use.path).target, keyword)))
    return signs - {None}


def _target(sign):
    """Returns the function and keyword in a key such as "ops.split(output_num)"."""
    function, keyword = names.function_and_argument(sign)
    return names.find((TOP, *function.split("."))).target, keyword


class Meanings:
    """The changes since a release, by the objects that they are about."""

    def __init__(self, release, uses):
        self.release = release
        self.removals = {entry.name: entry for entry in CHANGES if entry.removes}
        self.by_target, self.restored = {}, set()
        for change in changes_after(release).values() if release else ():
            if change.removes:
                self.restored.add(change.name)
                continue
            self.by_target[_target(change.name)[0]] = change
        for use in (use for use in uses if use.call):
            self.forget_settings(names.find(use.path).target, use.call)

    def forget_settings(self, target, call):
        """Drops the change of a default, "function(argument)", that a call of the project sets."""
        change = self.by_target.get(target)
        argument = change and names.function_and_argument(change.name)[1]
        if argument and argument in names.arguments(target, call):
            del self.by_target[target]

    def removal_of(self, path):
        """Returns the Change that removed a public name, or None."""
        return self.removals.get(path.partition(".")[2])

    def is_present(self, path):
        """Whether a name that is absent today is present in the release."""
        return path.partition(".")[2] in self.restored

    def change_of(self, target, call):
        """Returns the Change that affects a call: the same call had another meaning in the older
        release. None otherwise."""
        change = self.by_target.get(target)
        if change is None:
            return None
        given, meaning = set(names.arguments(target, call)), meaning_of(change)
        if getattr(meaning, "is_of_result", False) and call.is_statement:
            return None
        if hasattr(meaning, "needs") and not given & meaning.needs:
            return None
        if hasattr(meaning, "without") and meaning.without <= given:
            return None
        if hasattr(meaning, "fits"):
            keywords = [name for name, _ in call.keywords if name is not None]
            return change if meaning.fits(len(call.positional), keywords) else None
        return change
