"""ModelCheckpoint, which writes checkpoints during training; its CheckpointConfig; and
CheckpointManager, which deletes old files.

`train.serialization` writes the files themselves.
"""

import os
import re
import time
from typing import NamedTuple

from ... import log
from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Any, Bool, CellOf, InstanceOf, Int, OneOf, Str
from ..._core.tensor.tensor import Tensor
from ..._io.files import remove, remove_abandoned
from .._checkpoint import background
from .._checkpoint import saving as checkpoint_saving
from .._utils import _make_directory, documented_as_value_error
from ._callback import Callback, set_cur_net

__all__ = ["CheckpointConfig", "CheckpointManager", "ModelCheckpoint"]

_COUNTED = ("epoch_num", "step_num")


class CheckpointConfig:
    """Configures ModelCheckpoint: when to save, which files to keep, and how to write them.

    Args:
        save_checkpoint_steps (int): the steps between two files; 0 or None for never.
        save_checkpoint_seconds (int): the seconds between two files; ignored unless
            `save_checkpoint_steps` is 0 or None.
        keep_checkpoint_max (int): the largest number of files. 0 or None leaves the choice to
            `keep_checkpoint_per_n_minutes`, or keeps one file if that is 0 or None as well.
        keep_checkpoint_per_n_minutes (int): of the files written within this number of minutes,
            keep the first and the last; ignored unless `keep_checkpoint_max` is 0 or None.
        integrated_save (bool): see `save_checkpoint`.
        async_save (Union[bool, str]): whether to write in the background: True or "thread", or
            "process".
        saved_network (Cell): the network to save instead of the trained one.
        append_info (list): additional values to save: "epoch_num", "step_num" and one dict of
            numbers and Tensors by name.
        enc_key (bytes): the encryption key.
        enc_mode (str): the encryption mode: "AES-GCM", "AES-CBC" or "SM4-CBC".
        exception_save (bool): whether to write a file, "..._breakpoint", if an exception ends the
            training.
        crc_check (bool): whether to store a checksum; see `save_checkpoint`.
        remove_redundancy (bool): see `save_checkpoint`.
        format (str): "ckpt" or "safetensors".
        **kwargs: further options of MindSpore, which have no effect.

    Raises:
        ValueError: if an argument is of the wrong type, a number negative, or encryption requested
            for a format without it.

    Example:
        >>> import mindspore_compat as ms
        >>> config = ms.CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3)
        >>> config.save_checkpoint_steps, config.keep_checkpoint_max
        (100, 3)

    Source: mindspore.train.CheckpointConfig of MindSpore 2.10.
    """

    @documented_as_value_error
    @checked(
        Forbid(
            "not (save_checkpoint_steps or save_checkpoint_seconds or keep_checkpoint_max"
            " or keep_checkpoint_per_n_minutes)",
            ValueError,
            "one of 'save_checkpoint_steps', 'save_checkpoint_seconds', 'keep_checkpoint_max' and "
            "'keep_checkpoint_per_n_minutes' must be neither 0 nor None",
        )
    )
    def __init__(
        self,
        save_checkpoint_steps: Int(ge=0) | None = 1,
        save_checkpoint_seconds: Int(ge=0) | None = 0,
        keep_checkpoint_max: Int(ge=0) | None = 5,
        keep_checkpoint_per_n_minutes: Int(ge=0) | None = 0,
        integrated_save: Bool = True,
        async_save: Bool | OneOf("thread", "process") = False,
        saved_network: CellOf = None,
        append_info: Any = None,
        enc_key: Any = None,
        enc_mode: Str = "AES-GCM",
        exception_save: Bool = False,
        crc_check: Bool = False,
        remove_redundancy: Bool = False,
        format: Str = "ckpt",
        **kwargs,
    ):
        checkpoint_saving.check_key("CheckpointConfig", "enc", enc_key, enc_mode, format)
        self._save_checkpoint_steps = save_checkpoint_steps
        self._save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_per_n_minutes = keep_checkpoint_per_n_minutes
        if keep_checkpoint_max:
            self._keep_checkpoint_per_n_minutes = None
        elif not keep_checkpoint_per_n_minutes:
            self._keep_checkpoint_max = 1
        self._integrated_save = integrated_save
        self._async_save = async_save
        self._saved_network = saved_network
        self._append_dict = _append_dict(append_info)
        self._enc_key = enc_key
        self._enc_mode = enc_mode
        self.exception_save = exception_save
        self._crc_check = crc_check
        self._remove_redundancy = remove_redundancy
        self._format = format
        self._map_param_inc = bool(kwargs.get("incremental", False))
        self._enable_redundance = kwargs.get("enable_redundance", False)

    save_checkpoint_steps = property(
        lambda self: self._save_checkpoint_steps, doc="After how many steps a file is written."
    )
    save_checkpoint_seconds = property(
        lambda self: self._save_checkpoint_seconds, doc="After how many seconds a file is written."
    )
    keep_checkpoint_max = property(
        lambda self: self._keep_checkpoint_max, doc="How many files are retained."
    )
    keep_checkpoint_per_n_minutes = property(
        lambda self: self._keep_checkpoint_per_n_minutes,
        doc="In how many minutes two files are retained.",
    )
    integrated_save = property(lambda self: self._integrated_save, doc="See `save_checkpoint`.")
    async_save = property(
        lambda self: self._async_save, doc="Whether, or how, files are written in the background."
    )
    saved_network = property(
        lambda self: self._saved_network,
        doc="What is saved instead of the network that is trained.",
    )
    enc_key = property(lambda self: self._enc_key, doc="The key to encrypt with.")
    enc_mode = property(lambda self: self._enc_mode, doc="How files are encrypted.")
    crc_check = property(lambda self: self._crc_check, doc="Whether a checksum is stored.")
    remove_redundancy = property(
        lambda self: self._remove_redundancy, doc="Whether values that ranks share are saved once."
    )
    format = property(lambda self: self._format, doc='"ckpt" or "safetensors".')
    append_dict = property(lambda self: self._append_dict, doc="What else is saved, by name.")
    map_param_inc = property(lambda self: self._map_param_inc, doc="An option of MindSpore.")
    enable_redundance = property(lambda self: self._enable_redundance, doc="Another such option.")

    def get_checkpoint_policy(self):
        """Returns a dict that says when files are written and which files are kept."""
        return {
            "save_checkpoint_steps": self._save_checkpoint_steps,
            "save_checkpoint_seconds": self._save_checkpoint_seconds,
            "keep_checkpoint_max": self._keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": self._keep_checkpoint_per_n_minutes,
            "saved_network": self._saved_network,
        }


def _append_dict(append_info):
    """Returns `append_info` as a dict, with counted values set to 0; None for nothing."""
    if append_info is None or append_info == []:
        return None
    InstanceOf(list).called("a list or None").refuse("CheckpointConfig", "append_info", append_info)
    result = {}
    dicts = [entry for entry in append_info if isinstance(entry, dict)]
    if len(dicts) > 1:
        raise TypeError(
            f"For 'CheckpointConfig', 'append_info' must have one dict at most, but "
            f"got {len(dicts)}."
        )
    for entry in append_info:
        if isinstance(entry, dict):
            result.update(entry)
        elif not isinstance(entry, str):
            raise TypeError(
                f"For 'CheckpointConfig', 'append_info' must hold strs and a dict, but "
                f"got {entry!r} of type {type(entry).__name__}."
            )
        elif entry not in _COUNTED:
            raise ValueError(
                f"For 'CheckpointConfig', 'append_info' must hold 'epoch_num', "
                f"'step_num' or a dict, but got {entry!r}."
            )
        else:
            result[entry] = 0
    for key, value in result.items():
        if not isinstance(key, str) or not isinstance(value, (int, float, str, Tensor)):
            raise TypeError(
                f"For 'CheckpointConfig', the dict in 'append_info' must have strs as "
                f"keys and numbers or Tensors as values, but got {key!r}: {value!r}."
            )
    return result


class _Begun(NamedTuple):
    """A file being written: its writer (None if it is complete), its path, the run's `cb_params`,
    its step, and the files to delete once it is complete."""

    saving: object
    path: str
    cb_params: object
    step: int
    surplus: list


class ModelCheckpoint(Callback):
    """Saves checkpoints during training and at its end.

    Old files are deleted only when a new one is completely on disk, so for a moment there is one
    more than `keep_checkpoint_max`; with `async_save`, until the end of a later step. If a file
    cannot be deleted, a warning is logged. A failure in the background is raised at the end of a
    later step.

    The files are named `<prefix>-<epoch>_<step of the epoch>.ckpt`. If there are such files from an
    earlier training, "_1", "_2", ... is appended to the prefix. MindSpore's graph mode also
    writes "<prefix>-graph.meta"; there is no such graph here.

    Args:
        prefix (Union[str, Callable]): the prefix of the file names, without "/"; or a function that
            takes the run's `cb_params` and returns a complete name.
        directory (Union[str, Callable]): the directory to write to, by default the working
            directory at construction; or a function as for `prefix`.
        config (CheckpointConfig): when to write and how.

    Raises:
        ValueError: if `prefix` is neither a function nor a str without "/", or `directory` is
            neither a function nor a str, or blank.
        TypeError: if `config` is of the wrong type.

    Examples:
        >>> from mindspore_compat.train import CheckpointConfig, ModelCheckpoint
        >>> every_hundred = CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3)
        >>> callback = ModelCheckpoint("lenet", "checkpoints", every_hundred)

    Source: mindspore.train.ModelCheckpoint of MindSpore 2.10.
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        super().__init__()
        if not callable(prefix) and (not isinstance(prefix, str) or "/" in prefix):
            raise ValueError(
                f"For 'ModelCheckpoint', 'prefix' must be callable or a str without "
                f"'/', but got {prefix!r}."
            )
        (InstanceOf(CheckpointConfig) | None).refuse("ModelCheckpoint", "config", config)
        self._prefix = self._exception_prefix = prefix
        self._directory = directory
        if directory is None:
            self._directory = os.getcwd()
        elif not callable(directory):
            if not isinstance(directory, str):
                raise ValueError(
                    f"For 'ModelCheckpoint', 'directory' must be callable or a str, but got "
                    f"{directory!r} of type {type(directory).__name__}."
                )
            self._directory = _make_directory(directory, "directory")
        self._config = config or CheckpointConfig()
        self._manager = CheckpointManager(self._config.format)
        self._prefix_is_free = callable(prefix)
        self._append_dict = dict(self._config.append_dict or {})
        self._append_epoch_num = self._append_dict.get("epoch_num", 0)
        self._append_step_num = self._append_dict.get("step_num", 0)
        self._need_flush_from_cache = False
        self._latest_ckpt_file_name = ""
        self._last_triggered_step = 0
        self._last_time = self._period_start = time.time()
        self._cb_params = self._begun = None

    @property
    def latest_ckpt_file_name(self):
        """The path of the last complete file."""
        return self._latest_ckpt_file_name

    @property
    def _get_save_checkpoint_steps(self):
        """Returns the number of steps between two files."""
        return self._config.save_checkpoint_steps

    @property
    def _get_last_trigger_step(self):
        """Returns the step after which the last file was written."""
        return self._last_triggered_step

    def __exit__(self, *err):
        if err[0] is not None and self._config.exception_save and self._cb_params is not None:
            name = f"{self._file_name(self._cb_params)}_breakpoint"
            self._save_breakpoint(os.path.join(self._folder(self._cb_params), name))
        self._cb_params = None

    def _save_breakpoint(self, path):
        """Writes a file when an exception ends the training; an error in writing does not hide
        it."""
        for step in (self._settle, lambda: self._write(self._cb_params, path), self._settle):
            try:
                step()
            except OSError as error:
                log.error("When an exception ended the training: %s", error)

    def on_train_begin(self, run_context):
        """Stores the run's parameters, and resets the last step."""
        self._cb_params = run_context.original_args()
        self._last_triggered_step = 0
        super().on_train_begin(run_context)

    def step_end(self, run_context):
        """Writes a file if one is due."""
        cb_params = run_context.original_args()
        if self._begun is not None and not self._begun.saving.is_alive():
            self._settle()
        self._find_free_prefix(cb_params)
        self._save_ckpt(cb_params)

    def end(self, run_context):
        """Writes the last file unless the last step wrote one, and waits until it is complete."""
        cb_params = run_context.original_args()
        self._find_free_prefix(cb_params)
        self._save_ckpt(cb_params, force_to_save=True)
        self._settle()

    def _check_save_ckpt(self, cb_params, force_to_save):
        """Returns whether a file is due."""
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if force_to_save:
            return True
        if steps:
            return cb_params.cur_step_num >= self._last_triggered_step + steps
        return bool(seconds) and time.time() - self._last_time > seconds

    def _save_ckpt(self, cb_params, force_to_save=False):
        """Writes a file if one is due and, once it is complete, deletes the surplus ones."""
        if cb_params.cur_step_num == self._last_triggered_step:
            return
        if not self._check_save_ckpt(cb_params, force_to_save):
            return
        self._settle()
        folder = self._folder(cb_params)
        path = os.path.join(folder, self._file_name(cb_params))
        self._last_triggered_step = cb_params.cur_step_num
        self._last_time = time.time()
        self._write(cb_params, path, self._surplus(folder))

    def _write(self, cb_params, path, surplus=()):
        """Writes the values to a file, or starts a background writer."""
        config = self._config
        network = (
            config.saved_network if config.saved_network is not None else cb_params.train_network
        )
        set_cur_net(network)
        info = None
        if self._append_dict:
            self._append_dict_content(cb_params.get("cur_epoch_num", 0), cb_params.cur_step_num)
            info = dict(self._append_dict)
        path = f"{path}.{config.format}"
        options = (
            {"format": "safetensors"}
            if config.format == "safetensors"
            else {"enc_key": config.enc_key, "enc_mode": config.enc_mode, "format": config.format}
        )
        if config._remove_redundancy:
            options["remove_redundancy"] = True
        checkpoint_saving.save_checkpoint(
            network,
            path,
            config.integrated_save,
            config.async_save,
            info,
            crc_check=config.crc_check,
            **options,
        )
        saving = background.latest()
        self._begun = _Begun(saving, path, cb_params, cb_params.cur_step_num, surplus)
        if saving is None:
            self._settle()

    def _append_dict_content(self, epoch_num, step_num):
        """Updates the counts among the additional values that are saved, `append_info`.

        Args:
            epoch_num (int): the epochs of this training until now.
            step_num (int): its steps until now.
        """
        counts = {
            "epoch_num": self._append_epoch_num + epoch_num,
            "step_num": self._append_step_num + step_num,
        }
        self._append_dict.update(
            {name: count for name, count in counts.items() if name in self._append_dict}
        )

    def _settle(self):
        """Waits for the last file; then reports it and deletes the surplus files."""
        pending, self._begun = self._begun, None
        if pending is None:
            return
        if pending.saving is not None:
            pending.saving.result()
        self._manager.add(pending.path)
        self._latest_ckpt_file_name = pending.cb_params.latest_ckpt_file = pending.path
        pending.cb_params.last_save_ckpt_step = pending.step
        for path in pending.surplus:
            if path != pending.path:
                self._manager.remove_ckpoint_file(path)

    def _folder(self, cb_params):
        """Returns the directory to write to."""
        return (
            _make_directory(self._directory(cb_params))
            if callable(self._directory)
            else (self._directory)
        )

    def _file_name(self, cb_params):
        """Returns the file name for the current step, without its suffix."""
        if callable(self._prefix):
            return self._prefix(cb_params)
        step = (cb_params.cur_step_num - 1) % cb_params.batch_num + 1
        return f"{self._prefix}-{cb_params.get('cur_epoch_num', 1)}_{step}"

    def _find_free_prefix(self, cb_params):
        """Appends a number to the prefix if files of an earlier training have the same prefix, and
        removes temporary files that it left; once per callback.
        """
        if not self._prefix_is_free:
            names = rf"{re.escape(self._prefix)}(?:_\d+)?-.*\.(?:ckpt|safetensors)"
            remove_abandoned(self._folder(cb_params), names)
            self._prefix = _chg_ckpt_file_name_if_same_exist(self._folder(cb_params), self._prefix)
            self._prefix_is_free = True

    def _surplus(self, folder):
        """Returns the files to delete once another file exists."""
        limit, minutes = (
            self._config.keep_checkpoint_max,
            self._config.keep_checkpoint_per_n_minutes,
        )
        if not callable(self._prefix):
            self._manager.update_ckpoint_filelist(folder, self._prefix)
        if limit:
            return self._manager.ckpoint_filelist[: max(0, self._manager.ckpoint_num - limit + 1)]
        if minutes and time.time() - self._period_start < minutes * 60:
            return self._manager.written_within(minutes, self._period_start)[1:]
        self._period_start = time.time()
        return []


class CheckpointManager:
    """Manages the checkpoint files of one training, oldest first, and deletes old ones.

    Args:
        format (str): the suffix of their names, without the dot.
    """

    def __init__(self, format="ckpt"):
        self._format = format
        self._ckpoint_filelist = []

    @property
    def ckpoint_filelist(self):
        """The paths of the files, oldest first."""
        return self._ckpoint_filelist

    @property
    def ckpoint_num(self):
        """The number of files."""
        return len(self._ckpoint_filelist)

    def add(self, path):
        """Adds a file as the newest."""
        if path in self._ckpoint_filelist:
            self._ckpoint_filelist.remove(path)
        self._ckpoint_filelist.append(path)

    def update_ckpoint_filelist(self, directory, prefix):
        """Finds the files with a prefix in a directory; known files keep their order."""
        pattern = re.compile(rf"{re.escape(prefix)}-\d+_\d+\.{self._format}")
        paths = {
            os.path.join(directory, name)
            for name in os.listdir(directory)
            if pattern.fullmatch(name)
        }
        listed_paths = [path for path in self._ckpoint_filelist if path in paths]
        self._ckpoint_filelist = (
            sorted(paths - set(listed_paths), key=os.path.getmtime) + listed_paths
        )

    def remove_ckpoint_file(self, file_name):
        """Deletes a file if it exists, and removes it from the list. A failure logs a warning."""
        if file_name in self._ckpoint_filelist:
            self._ckpoint_filelist.remove(file_name)
        try:
            remove(file_name)
        except FileNotFoundError:
            return
        except OSError as error:
            log.warning("An old checkpoint cannot be deleted: %s", error)

    def remove_oldest_ckpoint_file(self):
        """Deletes the oldest file."""
        if self._ckpoint_filelist:
            self.remove_ckpoint_file(self._ckpoint_filelist[0])

    def keep_one_ckpoint_per_minutes(self, minutes, cur_time):
        """Deletes all but the first of the files written within some minutes.

        Args:
            minutes (int): the number of minutes.
            cur_time (float): the start, as returned by `time.time()`.
        """
        for path in self.written_within(minutes, cur_time)[1:]:
            self.remove_ckpoint_file(path)

    def written_within(self, minutes, cur_time):
        """Returns the files written within some minutes, oldest first."""
        return [
            path
            for path in self._ckpoint_filelist
            if os.path.exists(path)
            and cur_time <= os.path.getmtime(path) + 1 <= cur_time + 60 * minutes + 1
        ]


def _chg_ckpt_file_name_if_same_exist(directory, prefix, exception=False):
    """Returns the prefix with the number after the largest existing one: "a", "a_1", "a_2", ..."""
    pattern = re.compile(
        rf"{re.escape(prefix)}(?:_(\d+))?"
        r"-(?:\d+_\d+\.(?:ckpt|safetensors)|graph\.meta)"
    )
    matches = [pattern.fullmatch(name) for name in os.listdir(directory)]
    numbers = [int(match[1] or 0) for match in matches if match]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix
