"""BackupAndRestore: lets an interrupted training resume from its last backup."""

import os

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Int, Str
from ..._io.files import remove
from .._checkpoint import loading, saving
from .._utils import _make_directory, documented_as_value_error
from ._callback import Callback

__all__ = ["BackupAndRestore"]


class BackupAndRestore(Callback):
    """Backs up the parameters after epochs, and restores them when a training begins.

    Args:
        backup_dir (str): the directory of the file, "backup.ckpt".
        save_freq (Union[str, int]): "epoch", or the number of epochs between two backups.
        delete_checkpoint (bool): whether to delete the file when the training ends.

    Raises:
        ValueError: if an argument is of the wrong type, `backup_dir` blank or `save_freq` not
            positive.

    Examples:
        >>> from mindspore_compat.train import BackupAndRestore
        >>> callback = BackupAndRestore("backup", save_freq=2)

    Source: mindspore.train.BackupAndRestore of MindSpore 2.10.
    """

    @documented_as_value_error
    @checked
    def __init__(self, backup_dir: Str, save_freq="epoch", delete_checkpoint: Bool = True):
        super().__init__()
        if save_freq != "epoch":
            _check_frequency(save_freq)
        folder = _make_directory(backup_dir, "backup_dir")
        self.backup_file = os.path.join(folder, "backup.ckpt")
        self.save_freq = save_freq
        self.delete_checkpoint = delete_checkpoint

    def on_train_begin(self, run_context):
        """Loads the backup if there is one."""
        if os.path.isfile(self.backup_file):
            parameters = loading.load_checkpoint(self.backup_file)
            loading.load_param_into_net(run_context.original_args().train_network, parameters)

    def on_train_epoch_end(self, run_context):
        """Saves the parameters if a backup is due after this epoch."""
        cb_params = run_context.original_args()
        if self.save_freq == "epoch" or cb_params.cur_epoch_num % self.save_freq == 0:
            saving.save_checkpoint(cb_params.train_network, self.backup_file)

    def on_train_end(self, run_context):
        """Deletes the backup, if requested."""
        if self.delete_checkpoint and os.path.isfile(self.backup_file):
            remove(self.backup_file)


@checked
def _check_frequency(save_freq: Int(ge=1)):
    """Rejects a number of epochs that is not positive."""
