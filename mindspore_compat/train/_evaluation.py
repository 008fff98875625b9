"""Evaluation of a Model: the pass over the data, and the metrics.

`Model.eval` and, between the epochs of a training, `Model.fit` use it.
"""

import functools

import numpy as np

from .._core import progress
from ._run_checks import check_dataset_size, check_outputs
from .callback._callback import CallbackManager, RunContext, as_list
from .metrics import Loss

_EVAL_RESTORES = (
    "mode",
    "cur_step_num",
    "batch_num",
    "dataset_sink_mode",
    "net_outputs",
    "list_callback",
    "network",
)


class Evaluation:
    """The part of Model that evaluates; `Model.__init__` sets the attributes that it reads."""

    def _set_evaluation_params(self, cb_params, valid_dataset):
        """Writes the parameters of an evaluation for callbacks into `cb_params`."""
        cb_params.update(
            eval_network=self._eval_network,
            valid_dataset=valid_dataset,
            mode="eval",
            cur_step_num=0,
            batch_num=check_dataset_size(valid_dataset),
            dataset_sink_mode=False,
        )

    def _need_metrics(self, method):
        if not self._metric_fns:
            raise ValueError(
                f"For 'Model.{method}', the Model must have 'metrics', but got {self._metrics!r}."
            )

    @staticmethod
    def _should_eval(epoch, validation_freq):
        """Returns whether an evaluation is due after an epoch."""
        if isinstance(validation_freq, int):
            return epoch % validation_freq == 0
        return epoch in validation_freq

    def _eval_during_train(self, valid_infos, cb_params, list_callback):
        """Runs the evaluation after an epoch of `fit`, if one is due."""
        if valid_infos is None:
            return
        valid_dataset, frequency, _ = valid_infos
        if not self._should_eval(cb_params.cur_epoch_num, frequency):
            return
        restored = {name: cb_params[name] for name in _EVAL_RESTORES if name in cb_params}
        self._set_evaluation_params(cb_params, valid_dataset)
        self._clear_metrics()
        taking_part = [
            callback
            for callback in as_list(cb_params.list_callback)
            if callback.__class__ not in _in_training_only()
        ]
        with CallbackManager(taking_part) as manager:
            self._eval_process(valid_dataset, manager, cb_params, add_eval_loss=True)
        cb_params.update(restored)

    def _eval_process(self, valid_dataset, list_callback=None, cb_params=None, add_eval_loss=False):
        """Runs an evaluation over the data, and returns the metrics."""
        context = RunContext(cb_params)
        list_callback.on_eval_begin(context)
        helper, _ = self._exec_preprocess(False, valid_dataset, False)
        list_callback.on_eval_epoch_begin(context)
        with helper, progress.bar("Evaluation", cb_params.batch_num) as bar:
            for inputs in helper:
                cb_params.cur_step_num += 1
                cb_params.eval_dataset_element = inputs
                list_callback.on_eval_step_begin(context)
                self._check_network_mode(self._eval_network, False)
                outputs = self._eval_network(*inputs)
                cb_params.net_outputs = outputs
                list_callback.on_eval_step_end(context)
                self._update_metrics(outputs)
                bar.advance()
                if context.get_stop_requested():
                    break
        list_callback.on_eval_epoch_end(context)
        cb_params.metrics = self._get_metrics()
        if add_eval_loss:
            cb_params.eval_results = self._results_with_loss(cb_params.metrics, outputs)
        list_callback.on_eval_end(context)
        return cb_params.metrics

    def _eval_dataset_sink_process(
        self, valid_dataset, list_callback=None, cb_params=None, add_eval_loss=False
    ):
        """Runs an evaluation in sink mode, which is the same as without sinking here."""
        return self._eval_process(valid_dataset, list_callback, cb_params, add_eval_loss)

    def _results_with_loss(self, metrics, outputs):
        """Returns the metrics and, as in MindSpore, the loss of the last batch as
        "eval_loss"."""
        outputs = check_outputs(outputs)
        measured = Loss()
        measured.update(outputs[self._eval_indexes[0] if self._eval_indexes else 0])
        return {**metrics, "eval_loss": _shown_plainly(measured.eval())}

    def _clear_metrics(self):
        """Resets all metrics."""
        for metric in self._metric_fns.values():
            metric.clear()

    def _update_metrics(self, outputs):
        """Updates the metrics with the outputs for one batch."""
        outputs = check_outputs(outputs, 3 if self._eval_indexes is not None else 0)
        for metric in self._metric_fns.values():
            metric.update(*self._measured_by(metric, outputs))

    def _measured_by(self, metric, outputs):
        """Returns the inputs of a metric: the loss, or prediction and label; all outputs if there
        are no indexes."""
        if self._eval_indexes is None:
            return outputs
        loss, *others = self._eval_indexes
        return [outputs[index] for index in ([loss] if isinstance(metric, Loss) else others)]

    def _get_metrics(self):
        """Returns the values of all metrics by name."""
        return {name: _shown_plainly(metric.eval()) for name, metric in self._metric_fns.items()}


def _shown_plainly(value):
    """Returns the value of a metric; a NumPy number prints as `0.5` in a dict, as with NumPy 1."""
    if not isinstance(value, (np.floating, np.integer)):
        return value
    return _plain_number(type(value))(value)


@functools.cache
def _plain_number(dtype):
    """Returns a subclass of a NumPy number type that differs only in `repr`."""
    return type(dtype.__name__, (dtype,), {"__repr__": dtype.__str__, "__slots__": ()})


def _in_training_only():
    """Returns the callbacks of this package that skip the evaluations of `fit`: all but
    TimeMonitor."""
    from . import callback

    return {
        getattr(callback, name)
        for name in callback.__all__
        if name not in ("Callback", "RunContext", "TimeMonitor", "CheckpointConfig")
    }
