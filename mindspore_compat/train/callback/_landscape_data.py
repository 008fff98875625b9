"""What SummaryCollector keeps for a loss landscape: the checkpoints of a training and a file that
tells of them. Its settings are checked here.
"""

import json
import os

from ... import log
from ..._io.files import READ_ONLY, atomic_write
from .._saving import save_checkpoint
from .._utils import _make_directory

DEFAULTS = {
    "landscape_size": 40,
    "unit": "step",
    "num_samples": 2048,
    "create_landscape": {"train": True, "result": True},
    "intervals": [list(range(1, 10)), list(range(10, 20))],
}
FOLDER, METADATA = "ckpt_dir", "train_metadata.json"
_UNITS = ("step", "epoch")
_KINDS = ("train", "result")


def check_settings(api, settings):
    """Refuses settings of a landscape that make no sense.

    Args:
        api (str): what the error names.
        settings (dict): the keys of `DEFAULTS`; all but "intervals" may be missing.

    Raises:
        TypeError: a value is of another type, or "intervals" is missing.
        ValueError: a key is unknown or a value out of range.
    """
    unknown = [name for name in settings if name not in DEFAULTS]
    if unknown:
        raise ValueError(
            f"For '{api}', 'collect_landscape' must have keys among "
            f"{list(DEFAULTS)}, but got {unknown}."
        )
    told = {**DEFAULTS, "intervals": None, **settings}
    expect(api, "landscape_size", told["landscape_size"], int, "an int")
    if not 3 <= told["landscape_size"] <= 256:
        raise ValueError(
            f"For '{api}', 'landscape_size' must be an int in [3, 256], but got "
            f"{told['landscape_size']}."
        )
    expect(api, "unit", told["unit"], str, "a str")
    if told["unit"] not in _UNITS:
        raise ValueError(f"For '{api}', 'unit' must be one of {_UNITS}, but got {told['unit']!r}.")
    expect(api, "num_samples", told["num_samples"], int, "an int")
    expect(api, "create_landscape", told["create_landscape"], dict, "a dict")
    for name, value in told["create_landscape"].items():
        if name not in _KINDS:
            raise ValueError(
                f"For '{api}', 'create_landscape' must have keys among {_KINDS}, but got {name!r}."
            )
        expect(api, f"create_landscape[{name}]", value, bool, "a bool")
    _check_intervals(api, told["intervals"])


def _check_intervals(api, intervals):
    expect(api, "intervals", intervals, list, "a list")
    for interval in intervals:
        expect(api, "intervals", interval, list, "a list of lists")
        if len(interval) < 3:
            raise ValueError(
                f"For '{api}', each list in 'intervals' must have at least three "
                f"numbers, but got {interval}."
            )
        for number in interval:
            if not isinstance(number, int):
                raise TypeError(
                    f"For '{api}', each list in 'intervals' must hold ints, but got "
                    f"{number!r} of type {type(number).__name__}."
                )


def expect(api, name, value, kinds, wanted):
    """Refuses a value of another type than those in `kinds`, which `wanted` puts into words.

    Raises:
        TypeError: it is of another type; a bool is no int.
    """
    taken = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, taken) or (isinstance(value, bool) and bool not in taken):
        raise TypeError(
            f"For '{api}', '{name}' must be {wanted}, but got {value!r} of type "
            f"{type(value).__name__}."
        )


class LandscapeData:
    """Writes the checkpoints of the steps or epochs that the settings name.

    Args:
        summary_dir (str): the folder in which the folder of the files is made.
        settings (dict): see `check_settings`.
    """

    def __init__(self, summary_dir, settings):
        self._settings = {**DEFAULTS, **settings}
        self._folder = _make_directory(os.path.join(summary_dir, FOLDER))
        self._files = {}

    def save(self, told, unit):
        """Saves the network after a step or an epoch, if `unit` says which of them just ended."""
        number = told.cur_epoch_num if unit == "epoch" else told.cur_step_num
        wanted = any(number in interval for interval in self._settings["intervals"])
        if unit != self._settings["unit"] or not wanted:
            return
        network = backbone_of(told.train_network)
        path = os.path.join(self._folder, f"{type(network).__name__}_{number}_{unit}.ckpt")
        if os.path.isfile(path):  # of an earlier training: it stays
            self._files[str(number)] = path
            return
        values = [{"name": param.name, "data": param} for param in network.get_parameters()]
        try:
            save_checkpoint(values, path)
            self._files[str(number)] = path
        except OSError as error:
            log.error("The network of %s %d is not saved: %s", unit, number, error)

    def finish(self, steps_per_epoch):
        """Writes the file that tells of the training, unless an earlier one has."""
        path = os.path.join(self._folder, METADATA)
        if os.path.isfile(path):
            return
        told = {
            "epoch_group": dict(enumerate(self._settings["intervals"])),
            "model_params_file_map": self._files,
            "step_per_epoch": steps_per_epoch,
            **{
                name: self._settings[name]
                for name in ("unit", "num_samples", "landscape_size", "create_landscape")
            },
        }
        write_metadata(path, told)


def write_metadata(path, told):
    """Writes the file that tells of a training; only its owner may read it."""
    with atomic_write(path, READ_ONLY) as file:
        file.write(json.dumps(told).encode())


def backbone_of(network):
    """The network of a training step, without what stands around it to train it."""
    for _, cell in network.cells_and_names():
        if hasattr(cell, "_backbone"):
            network = cell._backbone
            break
    while "network" in network.name_cells():
        network = network.network
    return network
