"""Model: trains and evaluates a network with its loss, optimizer and metrics.

The order of a run: the callbacks are entered; `on_train_begin`; for each epoch its begin hook, its
steps, an evaluation if one is due, its end hook; `on_train_end`; the callbacks are exited. An
exception exits them immediately, without the end hooks. `_run_step` runs one step; subclasses such
as ModelThor override it. `_run_epoch` and `_sink_epoch` run the steps of an epoch. Evaluation is in
`_evaluation.py`, checks are in `_run_checks.py`.
"""

from .._core import progress
from .._core.context.config import config
from .._core.rules.checked import Forbid, checked
from .._core.rules.value_rules import Nothing
from .._core.rules.vocabulary import Bool, CellOf, Int, ListOf
from .._core.sharding.array import Sharded
from .._core.sharding.staged import Staged
from .._core.without_effect import without_effect
from ..communication.comm_func import broadcast
from ..communication.groups import device_count
from ..nn.wrap import WithEvalCell, WithLossCell
from ._checkpoint.layouts import layouts_of
from ._evaluation import Evaluation
from ._preparation import Preparation
from ._run_checks import (
    _transfer_tensor_to_tuple,  # noqa: F401 - imported from here
    check_dataset_size,
    check_kwargs,
    check_levels,
    check_optimizer,
    check_predict_data,
    check_two_columns,
)
from .amp import build_train_network
from .callback._callback import CallbackManager, InternalCallbackParam, RunContext, set_cur_net
from .callback._step_sync import _StepSync  # noqa: F401 - scripts import it from here
from .dataset_helper import check_dataset, sinks
from .metrics import get_metrics

__all__ = ["Model"]


class Model(Preparation, Evaluation):
    """Trains, evaluates and applies a network.

    Args:
        network (Cell): the network. Without `loss_fn` its output is the loss; also without
            `optimizer`, calling it is a whole training step.
        loss_fn (Cell): the loss, called with the network's output and the labels.
        optimizer (Cell): the optimizer.
        metrics (Union[dict, set]): the metrics of `eval`: names (see `names`), or Metrics by name.
        eval_network (Cell): the network for `eval`; by default built from `network` and `loss_fn`.
        eval_indexes (list[int]): positions of loss, prediction and label among the outputs of
            `eval_network`; by default each metric receives all outputs.
        amp_level (str): the mixed precision, "O0", "O1", "O2", "O3" or "auto", see
            `amp.auto_mixed_precision`.
        boost_level (str): "O0", "O1" or "O2"; without effect.
        **kwargs: `loss_scale_manager` (LossScaleManager or None), `keep_batchnorm_fp32` (bool or
            None, by `amp_level`), `boost_config_dict` and `acc_level` (stored, without effect).

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `kwargs` has another key, a level is unknown, `eval_indexes` is not a list of
            three, mixed precision or loss scaling is requested without an optimizer, or metrics
            without a loss and without `eval_network`.
        KeyError: if a metric's name is unknown.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.train import Model
        >>> net = nn.Dense(4, 3)
        >>> model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        ...               nn.Momentum(net.trainable_params(), 0.1, 0.9), metrics={"accuracy"})

    Source: mindspore.train.Model of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        network: CellOf,
        loss_fn: CellOf | Nothing = None,
        optimizer: CellOf | Nothing = None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        boost_level="O0",
        **kwargs,
    ):
        check_optimizer(optimizer)
        check_levels(optimizer, amp_level, boost_level)
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._check_kwargs(kwargs)
        self._process_amp_args(kwargs)
        self._amp_level = amp_level
        self._boost_level = boost_level
        self._metrics = metrics
        self._metric_fns = None
        self._eval_network = None
        self._eval_indexes = None
        self._parallel_mode = config.parallel.parallel_mode
        self._device_number = device_count()
        self._parameter_broadcast = config.parallel.parameter_broadcast
        self._backbone_is_train = True
        self._current_epoch_num = 0
        self._current_step_num = 0
        self.epoch_iter = 0
        self._train_network = self._build_train_network()
        self._build_eval_network(metrics, eval_network, eval_indexes)
        self._predict_network = self._build_predict_network()

    def _check_kwargs(self, kwargs):
        """Checks the keywords of a Model beyond its signature; subclasses allow more."""
        check_kwargs(self._optimizer, kwargs)

    def _process_amp_args(self, kwargs):
        """Stores the keywords that concern mixed precision."""
        self._loss_scale_manager_set = "loss_scale_manager" in kwargs
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._keep_bn_fp32 = kwargs.get("keep_batchnorm_fp32")

    # The networks ---------------------------------------------------------------------------------

    @property
    def train_network(self):
        """The network whose call is one training step."""
        return self._train_network

    @property
    def predict_network(self):
        """The network that `predict` runs."""
        return self._predict_network

    @property
    def eval_network(self):
        """The network that `eval` runs; None without metrics."""
        return self._eval_network

    def _build_train_network(self):
        """Builds the network with loss, gradient and optimizer, as far as they are given."""
        if self._optimizer is None:
            if self._loss_fn is None:
                return self._network
            return WithLossCell(self._network, self._loss_fn)
        options = {}
        if self._loss_scale_manager_set:
            options["loss_scale_manager"] = self._loss_scale_manager
        if self._keep_bn_fp32 is not None:
            options["keep_batchnorm_fp32"] = self._keep_bn_fp32
        return build_train_network(
            self._network,
            self._optimizer,
            self._loss_fn,
            level=self._amp_level,
            boost_level=self._boost_level,
            **options,
        )

    def _build_eval_network(self, metrics, eval_network, eval_indexes):
        """Sets up the metrics and the network whose outputs they measure."""
        self._metric_fns = get_metrics(metrics)
        if not self._metric_fns:
            return
        if eval_network is not None:
            CellOf.refuse("Model", "eval_network", eval_network)
            self._eval_network = eval_network
            self._eval_indexes = _need_three(eval_indexes)
            return
        if self._loss_fn is None:
            raise ValueError(
                "For 'Model', 'metrics' need a 'loss_fn' or an 'eval_network', but got neither."
            )
        in_float32 = self._amp_level in ("O2", "O3", "auto")
        self._eval_network = WithEvalCell(self._network, self._loss_fn, in_float32)
        self._eval_indexes = [0, 1, 2]

    def _build_predict_network(self):
        """Returns the network for `predict`, which is the given one."""
        return self._network

    # Training -------------------------------------------------------------------------------------

    @checked(
        Forbid("sink_size == 0", reason="'sink_size' must be -1 or positive"),
        Forbid("initial_epoch >= epoch", reason="'epoch' must be above 'initial_epoch'"),
    )
    def train(
        self,
        epoch: Int(ge=1),
        train_dataset,
        callbacks=None,
        dataset_sink_mode: Bool = False,
        sink_size: Int(ge=-1) = -1,
        initial_epoch: Int(ge=0) = 0,
    ):
        """Trains the network.

        Data sinking takes place only in graph mode on a GPU or Ascend device target. As in
        MindSpore, no callback is called between the steps of an epoch then.

        Args:
            epoch (int): the number of the last epoch.
            train_dataset (Dataset): the data: with `loss_fn` one input and one label per sample,
                otherwise the inputs of the network.
            callbacks (Union[Callback, list[Callback]]): the callbacks of the run.
            dataset_sink_mode (bool): whether to sink the data.
            sink_size (int): the number of steps of an epoch with sinking, whatever the size of the
                dataset; -1 for one pass over the data.
            initial_epoch (int): the number of epochs already completed.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a number is out of range, the dataset is empty or does not have two
                columns where there is a `loss_fn`.
            RuntimeError: if the dataset has been used to train another Model.
        """
        check_dataset("Model.train", "train_dataset", train_dataset)
        self._check_methods_for_custom_callbacks(callbacks, "train")
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch)

    @checked(
        Forbid("sink_size == 0", reason="'sink_size' must be -1 or positive"),
        Forbid("initial_epoch >= epoch", reason="'epoch' must be above 'initial_epoch'"),
        Forbid(
            "type(valid_frequency) is int and valid_frequency == 0",
            reason="'valid_frequency' must not be 0",
        ),
    )
    def fit(
        self,
        epoch: Int(ge=1),
        train_dataset,
        valid_dataset=None,
        valid_frequency: Int | Bool | ListOf = 1,
        callbacks=None,
        dataset_sink_mode: Bool = False,
        valid_dataset_sink_mode: Bool = False,
        sink_size: Int(ge=-1) = -1,
        initial_epoch: Int(ge=0) = 0,
    ):
        """Trains the network, and evaluates it between epochs.

        Args:
            epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch: see `train`.
            valid_dataset (Dataset): the data to evaluate with; None for no evaluation.
            valid_frequency (Union[int, list[int]]): the number of epochs between two evaluations,
                or a list of the epochs to evaluate after.
            callbacks (Union[Callback, list[Callback]]): the callbacks of the run. User-defined
                callbacks may define only hooks that begin with "on_train" or "on_eval".
            valid_dataset_sink_mode (bool): whether to sink the data of the evaluation.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: as `train`; if there are no metrics to evaluate, or a callback defines older
                hooks.
            RuntimeError: if the dataset has been used to train another Model.
        """
        check_dataset("Model.fit", "train_dataset", train_dataset)
        if valid_dataset is not None:
            check_dataset("Model.fit", "valid_dataset", valid_dataset)
            self._need_metrics("fit")
        self._check_methods_for_custom_callbacks(callbacks, "fit")
        self._train(
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            valid_dataset,
            valid_frequency,
            valid_dataset_sink_mode,
        )

    def _train(
        self,
        epoch,
        train_dataset,
        callbacks=None,
        dataset_sink_mode=True,
        sink_size=-1,
        initial_epoch=0,
        valid_dataset=None,
        valid_frequency=1,
        valid_dataset_sink_mode=True,
    ):
        """Runs a training for `train` and `fit`."""
        callbacks = self._transform_callbacks(callbacks)
        sinking = sinks(dataset_sink_mode)
        steps = check_dataset_size(train_dataset, sink_size if dataset_sink_mode else -1)
        cb_params = self._training_params(
            epoch - initial_epoch, train_dataset, callbacks, sinking, steps
        )
        valid_infos = (
            None
            if valid_dataset is None
            else (valid_dataset, valid_frequency, valid_dataset_sink_mode)
        )
        set_cur_net(self._train_network)
        if self._parameter_broadcast and self._device_number > 1:
            for param in self._train_network.get_parameters():
                if type(param._array) not in (Sharded, Staged):
                    param.set_data(broadcast(param))
        with CallbackManager(callbacks) as manager:
            self._check_reuse_dataset(train_dataset)
            if sinking:
                self._train_dataset_sink_process(
                    epoch, train_dataset, manager, cb_params, sink_size, initial_epoch, valid_infos
                )
            else:
                self._train_process(
                    epoch, train_dataset, manager, cb_params, initial_epoch, valid_infos
                )

    def _training_params(self, epochs, train_dataset, callbacks, sinking, steps):
        """Returns the parameters that a training passes to its callbacks,
        `RunContext.original_args()`."""
        return InternalCallbackParam(
            network=self._network,
            train_network=self._train_network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            loss_scale_mananger=self._loss_scale_manager,
            train_dataset=train_dataset,
            train_dataset_element=None,
            list_callback=callbacks,
            epoch_num=epochs,
            batch_num=steps,
            cur_step_num=0,
            initial_step=None,
            mode="train",
            dataset_sink_mode=sinking,
            parallel_mode=self._parallel_mode,
            device_number=self._device_number,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
        )

    def _train_process(
        self,
        epoch,
        train_dataset,
        list_callback=None,
        cb_params=None,
        initial_epoch=0,
        valid_infos=None,
    ):
        """Runs the epochs of a training without sinking, batch by batch."""
        helper, _ = self._exec_preprocess(
            is_train=True,
            dataset=train_dataset,
            dataset_sink_mode=False,
            epoch_num=epoch - initial_epoch,
        )
        self._run_epochs(
            self._run_epoch, helper, epoch, initial_epoch, list_callback, cb_params, valid_infos
        )

    def _train_dataset_sink_process(
        self,
        epoch,
        train_dataset,
        list_callback=None,
        cb_params=None,
        sink_size=-1,
        initial_epoch=0,
        valid_infos=None,
    ):
        """Runs the epochs of a training with sinking: `sink_size` batches per epoch."""
        helper, _ = self._exec_preprocess(
            is_train=True,
            dataset=train_dataset,
            dataset_sink_mode=True,
            sink_size=sink_size,
            epoch_num=epoch - initial_epoch,
        )
        self._run_epochs(
            self._sink_epoch, helper, epoch, initial_epoch, list_callback, cb_params, valid_infos
        )

    def _run_epochs(
        self, run_epoch, helper, epoch, initial_epoch, list_callback, cb_params, valid_infos
    ):
        """Calls `run_epoch` once for each epoch, with the hooks around it."""
        context = RunContext(cb_params)
        list_callback.on_train_begin(context)
        steps = cb_params.batch_num * (epoch - initial_epoch)
        with helper, progress.bar("", steps) as bar:
            for number in range(initial_epoch + 1, epoch + 1):
                bar.label = f"Epoch {number}/{epoch}"
                cb_params.cur_epoch_num = self._current_epoch_num = number
                cb_params.pop("metrics", None)
                cb_params.pop("eval_results", None)
                list_callback.on_train_epoch_begin(context)
                run_epoch(helper, list_callback, context, bar)
                self._eval_during_train(valid_infos, cb_params, list_callback)
                self._flush_from_cache(cb_params)
                list_callback.on_train_epoch_end(context)
                if context.get_stop_requested():
                    break
        list_callback.on_train_end(context)

    def _run_epoch(self, helper, list_callback, context, bar):
        """Runs one epoch, batch by batch."""
        cb_params = context.original_args()
        for inputs in helper:
            if self._loss_fn is not None:
                check_two_columns(inputs)
            cb_params.cur_step_num += 1
            cb_params.train_dataset_element = inputs
            self._current_step_num = cb_params.cur_step_num
            list_callback.on_train_step_begin(context)
            cb_params.net_outputs = self._run_step(inputs)
            self._note_overflow(cb_params.net_outputs)
            list_callback.on_train_step_end(context)
            bar.advance()
            if context.get_stop_requested():
                break

    def _sink_epoch(self, helper, list_callback, context, bar):
        """Runs one epoch without callbacks between its steps."""
        cb_params = context.original_args()
        list_callback.on_train_step_begin(context)
        for inputs in helper.next_batches(helper.sink_size()):
            if self._loss_fn is not None:
                check_two_columns(inputs)
            cb_params.cur_step_num += 1
            cb_params.sunk_element = inputs
            self._current_step_num = cb_params.cur_step_num
            cb_params.net_outputs = self._run_step(inputs)
            self._note_overflow(cb_params.net_outputs)
            bar.advance()
        list_callback.on_train_step_end(context)

    def _run_step(self, inputs):
        """Runs one training step on a batch, a list of Tensors; returns the network's outputs."""
        self._check_network_mode(self._train_network, True)
        return self._train_network(*inputs)

    def _note_overflow(self, outputs):
        """Reports an overflow to a loss scale manager that skips such updates."""
        manager = self._loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager._note_overflow(outputs[1])

    # Evaluation -----------------------------------------------------------------------------------

    @without_effect("train.Model.eval(dataset_sink_mode)", "batches are taken when they are needed")
    @checked
    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode: Bool = False):
        """Evaluates the metrics on a dataset.

        Args:
            valid_dataset (Dataset): the data.
            callbacks (Union[Callback, list[Callback]]): the callbacks of the run.
            dataset_sink_mode (bool): whether to sink the data; without effect here.

        Returns:
            dict, the metrics' values by their names.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if there are no metrics, or the dataset is empty.
        """
        check_dataset("Model.eval", "valid_dataset", valid_dataset)
        self._need_metrics("eval")
        self._check_methods_for_custom_callbacks(callbacks, "eval")
        callbacks = self._transform_callbacks(callbacks)
        cb_params = InternalCallbackParam(network=self._network, list_callback=callbacks)
        self._set_evaluation_params(cb_params, valid_dataset)
        self._clear_metrics()
        set_cur_net(self._eval_network)
        with CallbackManager(callbacks) as manager:
            return self._eval_process(valid_dataset, manager, cb_params)

    # Inference ------------------------------------------------------------------------------------

    def predict(self, *predict_data, backend=None, config=None):
        """Runs the prediction network on inputs.

        Args:
            *predict_data (Union[Tensor, list, tuple, dict, int, float, str]): the inputs of the
                network.
            backend (str): "lite" selects another runtime in MindSpore; without effect here.
            config (dict): the settings of that runtime.

        Returns:
            The outputs of the network.

        Raises:
            TypeError: if an input is of the wrong type.
            ValueError: if `backend` is neither None nor "lite".
        """
        if backend not in (None, "lite"):
            raise ValueError(
                f"For 'Model.predict', 'backend' must be 'lite' or None, but got {backend!r}."
            )
        check_predict_data(predict_data)
        self._check_network_mode(self._predict_network, False)
        return self._predict_network(*predict_data)

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False):
        """Returns how the parameters of the prediction network are divided over processes. With
        several processes the network runs once on the inputs, and its parameters stay divided.

        Args:
            *predict_data (Union[Tensor, list, tuple, dict, int, float, str]): the inputs of the
                network.
            skip_backend_compile (bool): accepted; nothing is compiled here.

        Returns:
            dict, parameter name -> layout, for `load_distributed_checkpoint`.

        Raises:
            TypeError: if an argument is of the wrong type.
            RuntimeError: if execution is not in graph mode, or neither the network is an
                AutoParallel nor the parallel mode "semi_auto_parallel" or "auto_parallel".
        """
        Bool.refuse("Model.infer_predict_layout", "skip_backend_compile", skip_backend_compile)
        check_predict_data(predict_data)
        network = self._predict_network
        return layouts_of(
            "infer_predict_layout", self._network, network, lambda: self.predict(*predict_data)
        )

    @checked(
        Forbid("sink_size == 0", reason="'sink_size' must be -1 or positive"),
        Forbid("not dataset_sink_mode", reason="'dataset_sink_mode' must be True"),
    )
    def infer_train_layout(
        self, train_dataset, dataset_sink_mode: Bool = True, sink_size: Int(ge=-1) = -1
    ):
        """Returns how the parameters of the training step are divided; with several processes one
        step runs on a batch of the dataset, and its changes are undone.

        Args:
            train_dataset, sink_size: see `train`.
            dataset_sink_mode (bool): must be True, as in MindSpore.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if `sink_size` is 0 or below -1, or `dataset_sink_mode` False.
            RuntimeError: as `infer_predict_layout`.
        """
        check_dataset("Model.infer_train_layout", "train_dataset", train_dataset)
        network = self._train_network

        def run():
            self._set_mode(network, True)
            network(*next(train_dataset.create_tuple_iterator(num_epochs=1)))

        return layouts_of("infer_train_layout", self._network, network, run)

    @without_effect("train.Model.build", "nothing is compiled")
    @checked(Forbid("sink_size == 0", reason="'sink_size' must be -1 or positive"))
    def build(
        self,
        train_dataset=None,
        valid_dataset=None,
        sink_size: Int(ge=-1) = -1,
        epoch: Int(ge=1) = 1,
        sink_mode: Bool = True,
    ):
        """Checks the arguments of a run; nothing is compiled here.

        Args:
            train_dataset, epoch, sink_size, sink_mode: see `train`.
            valid_dataset (Dataset): the data for `eval`.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if a number is out of range, or there are no metrics for `valid_dataset`.
        """
        if train_dataset is not None:
            check_dataset("Model.build", "train_dataset", train_dataset)
        if valid_dataset is not None:
            check_dataset("Model.build", "valid_dataset", valid_dataset)
            self._need_metrics("build")

    _init = build  # the name under which subclasses call it


def _need_three(indexes):
    """Returns the positions of loss, prediction and label among the outputs of an evaluation, or
    None."""
    if indexes is None or isinstance(indexes, list) and len(indexes) == 3:
        return indexes
    raise ValueError(
        f"For 'Model', 'eval_indexes' must be a list of three ints or None, but got {indexes!r}."
    )
