"""Data that SummaryCollector saves for a loss landscape: checkpoints of the training, and a file
that describes them. The settings are checked here.
"""

import json
import os

from ... import log
from ..._core.rules.vocabulary import InstanceOf
from ..._io.files import READ_ONLY, atomic_write
from .._checkpoint.saving import save_checkpoint
from .._utils import _make_directory, check_value_type

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
    """Rejects invalid settings of a landscape.

    Args:
        api (str): the name in the error.
        settings (dict): the keys of `DEFAULTS`; all but "intervals" may be missing.

    Raises:
        TypeError: if a value is of the wrong type, or "intervals" is missing.
        ValueError: if a key is unknown or a value out of range.
    """
    check_keys(api, "collect_landscape", settings, DEFAULTS)
    metadata = {**DEFAULTS, "intervals": None, **settings}
    check_value_type("landscape_size", metadata["landscape_size"], int)
    if not 3 <= metadata["landscape_size"] <= 256:
        raise ValueError(
            f"For '{api}', 'landscape_size' must be an int in [3, 256], but got "
            f"{metadata['landscape_size']}."
        )
    check_value_type("unit", metadata["unit"], str)
    if metadata["unit"] not in _UNITS:
        raise ValueError(
            f"For '{api}', 'unit' must be one of {_UNITS}, but got {metadata['unit']!r}."
        )
    check_value_type("num_samples", metadata["num_samples"], int)
    check_value_type("create_landscape", metadata["create_landscape"], dict)
    check_keys(api, "create_landscape", metadata["create_landscape"], _KINDS)
    for name, value in metadata["create_landscape"].items():
        check_value_type(name, value, bool)
    _check_intervals(api, metadata["intervals"])


def check_keys(api, name, settings, names):
    """Rejects a dict with unknown keys.

    Raises:
        ValueError: if a key is not in `names`.
    """
    unknown = set(settings) - set(names)
    if unknown:
        raise ValueError(
            f"For '{api}', the keys {unknown} of `{name}` are unsupported; they must be among "
            f"{list(names)}."
        )


def _check_intervals(api, intervals):
    check_value_type("intervals", intervals, list)
    for interval in intervals:
        check_value_type("each interval in intervals", interval, list)
        if len(interval) < 3:
            raise ValueError(
                f"For '{api}', each list in 'intervals' must have at least three "
                f"numbers, but got {interval}."
            )
        for number in interval:
            InstanceOf(int).called("ints").refuse_part(
                api, "each list in 'intervals'", number, verb="hold"
            )


class LandscapeData:
    """Writes the checkpoints of the steps or epochs that the settings select.

    Args:
        summary_dir (str): the folder in which the folder of the files is created.
        settings (dict): see `check_settings`.
    """

    def __init__(self, summary_dir, settings):
        self._settings = {**DEFAULTS, **settings}
        self._folder = _make_directory(os.path.join(summary_dir, FOLDER))
        self._files = {}

    def save(self, cb_params, unit):
        """Saves the network after a step or an epoch if it is selected; `unit` states which one
        ended."""
        number = cb_params.cur_epoch_num if unit == "epoch" else cb_params.cur_step_num
        is_due = any(number in interval for interval in self._settings["intervals"])
        if unit != self._settings["unit"] or not is_due:
            return
        network = backbone_of(cb_params.train_network)
        path = os.path.join(self._folder, f"{type(network).__name__}_{number}_{unit}.ckpt")
        if os.path.isfile(path):  # the file of an earlier training stays
            self._files[str(number)] = path
            return
        values = [{"name": param.name, "data": param} for param in network.get_parameters()]
        try:
            save_checkpoint(values, path)
            self._files[str(number)] = path
        except OSError as error:
            log.error("The network of %s %d is not saved: %s", unit, number, error)

    def finish(self, steps_per_epoch):
        """Writes the file that describes the training, unless it exists."""
        path = os.path.join(self._folder, METADATA)
        if os.path.isfile(path):
            return
        metadata = {
            "epoch_group": dict(enumerate(self._settings["intervals"])),
            "model_params_file_map": self._files,
            "step_per_epoch": steps_per_epoch,
            **{
                name: self._settings[name]
                for name in ("unit", "num_samples", "landscape_size", "create_landscape")
            },
        }
        write_metadata(path, metadata)


def write_metadata(path, metadata):
    """Writes the file that describes a training; only its owner can read it."""
    with atomic_write(path, READ_ONLY) as file:
        file.write(json.dumps(metadata).encode())


def backbone_of(network):
    """Returns the network inside a training step."""
    for _, cell in network.cells_and_names():
        if hasattr(cell, "_backbone"):
            network = cell._backbone
            break
    while "network" in network.name_cells():
        network = network.network
    return network
