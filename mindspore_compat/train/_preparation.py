"""Prepares a run of a Model: checks, the mode of the networks, the iterator over the batches.

Subclasses of Model override these methods, which have MindSpore's names.
"""

import weakref

from ._run_checks import check_callbacks_of_fit
from .callback._callback import as_list
from .dataset_helper import DatasetHelper


class Preparation:
    """The part of Model that prepares a run; `Model.__init__` sets the attributes that it reads."""

    @staticmethod
    def _transform_callbacks(callbacks):
        """Returns the callbacks of a run as a list."""
        return as_list(callbacks)

    @staticmethod
    def _check_methods_for_custom_callbacks(callbacks, current_mode):
        """Rejects, for `fit`, callbacks that define hooks of older releases (`step_begin`), which
        `fit` does not call."""
        if current_mode == "fit":
            check_callbacks_of_fit(as_list(callbacks))

    def _exec_preprocess(
        self, is_train, dataset, dataset_sink_mode, sink_size=-1, epoch_num=1, dataset_helper=None
    ):
        """Sets the mode of a network before a run; returns the iterator over the batches, and the
        network."""
        network = self._train_network if is_train else self._eval_network
        self._set_mode(network, is_train)
        if dataset_helper is None:
            dataset_helper = DatasetHelper(dataset, dataset_sink_mode, sink_size, epoch_num)
        return dataset_helper, network

    def _check_reuse_dataset(self, dataset):
        """Rejects a dataset with which another Model has been trained, as MindSpore does."""
        owner = getattr(dataset, "_trained_model", None)
        owner = owner and owner()
        if owner is not None and owner is not self:
            raise RuntimeError(
                "For 'Model.train', the dataset has been used to train another "
                "Model; make a new dataset."
            )
        dataset._trained_model = weakref.ref(self)

    def _check_network_mode(self, network, is_train):
        """Sets the mode of a network, if an evaluation or a prediction came in between."""
        if self._backbone_is_train != is_train:
            self._set_mode(network, is_train)

    def _set_mode(self, network, is_train):
        """Switches the training mode of a network on or off. All networks share their layers, so
        one call suffices.
        """
        network.set_train(is_train)
        self._backbone_is_train = is_train

    @staticmethod
    def _flush_from_cache(cb_params):
        """Moves Parameters that a device caches to the host, after a training."""
        for parameter in cb_params.train_network.get_parameters():
            if parameter.cache_enable:
                parameter.flush_from_cache()
