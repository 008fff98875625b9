"""OnRequestExit: ends a run when it is requested from outside."""

import os
import signal

from ... import log
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, Str
from ..._io.reading import json_of, reading
from ...communication.groups import get_rank
from .._checkpoint import loading, saving
from .._utils import _make_directory, documented_as_value_error
from ._callback import Callback

__all__ = ["OnRequestExit"]


class OnRequestExit(Callback):
    """Ends a run after the current step, and saves the network, on a signal or a request in a file.

    The request is a signal to the process, or "GracefulExit": 1 in a JSON file. The saved file is
    `<directory>/rank_<rank>/<file_name>_train.ckpt`, or "..._eval.ckpt" in an evaluation. If the
    file exists when a run begins, the run loads it. An evaluation without its own file loads the
    training's.

    Args:
        save_ckpt (bool): whether to save a checkpoint.
        save_mindir (bool): whether to export the network's graph too; there is no such graph here,
            so a warning is logged.
        file_name (str): the prefix of the file name.
        directory (str): the directory to write to.
        config_file (str): the JSON file to check before each step.
        sig (int): the signal.

    Raises:
        ValueError: if an argument is of the wrong type, or the signal cannot be caught.

    Examples:
        >>> from mindspore_compat.train import OnRequestExit
        >>> callback = OnRequestExit(save_mindir=False, file_name="lenet")

    Source: mindspore.train.OnRequestExit of MindSpore 2.10.
    """

    @documented_as_value_error
    @checked
    def __init__(
        self,
        save_ckpt: Bool = True,
        save_mindir: Bool = True,
        file_name: Str = "Net",
        directory: Str = "./",
        config_file=None,
        sig: Int = signal.SIGTERM,
    ):
        super().__init__()
        if sig in (signal.SIGKILL, signal.SIGSTOP):
            raise ValueError(
                f"For 'OnRequestExit', 'sig' must be a signal that can be caught, but got {sig!r}."
            )
        self.save_ckpt = save_ckpt
        self.save_mindir = save_mindir
        self.sig = sig
        self.exit = False
        self.remote_config_file = config_file
        folder = _make_directory(os.path.join(directory, f"rank_{get_rank()}"), "directory")
        self.train_name = os.path.join(folder, f"{file_name}_train")
        self.eval_name = os.path.join(folder, f"{file_name}_eval")
        self._saved = False
        self._before = None

    def __exit__(self, *err):
        """Restores the previous handler of the signal."""
        if self._before is not None:
            signal.signal(self.sig, self._before)
            self._before = None

    def on_train_begin(self, run_context):
        """Installs the signal handler, and loads the file that a stopped training saved."""
        self._wait_for_signal()
        self._load(run_context.original_args().train_network, [self.train_name])

    def on_train_step_begin(self, run_context):
        """Checks the JSON file."""
        self._look_at_file()

    def on_train_step_end(self, run_context):
        """Saves the network and ends the training, if requested."""
        if self.exit:
            self._save(run_context.original_args().train_network, self.train_name)
            run_context.request_stop()

    def on_train_epoch_end(self, run_context):
        """Ends the training, if requested."""
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context):
        """Saves the network if the run was asked to end and it has not been saved yet."""
        if self.exit:
            self._save(run_context.original_args().train_network, self.train_name)

    def on_eval_begin(self, run_context):
        """Installs the signal handler, and loads the file that a stopped run saved."""
        self._wait_for_signal()
        self._load(run_context.original_args().eval_network, [self.eval_name, self.train_name])

    def on_eval_step_begin(self, run_context):
        """Checks the JSON file."""
        self._look_at_file()

    def on_eval_step_end(self, run_context):
        """Ends the evaluation, if requested."""
        if self.exit:
            run_context.request_stop()

    def on_eval_end(self, run_context):
        """Saves the network if the run was asked to end."""
        if self.exit:
            self._save(run_context.original_args().eval_network, self.eval_name)

    def _wait_for_signal(self):
        """Installs the signal handler; the previous one is restored when the run ends."""
        self.exit = self._saved = False
        self._before = signal.signal(self.sig, self._handle_signal)

    def _handle_signal(self, signum, frame):
        """Signal handler: records the request."""
        log.info("Signal %s asks the run to end.", signum)
        self.exit = True

    def _look_at_file(self):
        """Records a request in the JSON file."""
        if self.remote_config_file is not None and os.path.isfile(self.remote_config_file):
            with reading(self.remote_config_file):
                request = json_of(self.remote_config_file).get("GracefulExit", 0)
            self.exit = self.exit or request == 1

    def _load(self, network, paths):
        """Loads the first existing checkpoint, if checkpoints are saved."""
        files = [f"{path}.ckpt" for path in paths if os.path.isfile(f"{path}.ckpt")]
        if self.save_ckpt and files:
            loading.load_checkpoint(files[0], network)

    def _save(self, network, path):
        """Saves the requested files, once."""
        if self._saved:
            return
        self._saved = True
        if self.save_ckpt:
            saving.save_checkpoint(network, f"{path}.ckpt")
        if self.save_mindir:
            log.warning(
                "For 'OnRequestExit', no '.mindir' file is written: a network has no graph here."
            )
