"""AutoParallel: a network with its own settings for training on several devices.

The settings are the same as in `set_auto_parallel_context`. They apply only while the network runs.
`_core/sharding` divides networks.
"""

import os

from .._core.context import config
from .._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Callable,
    Forbid,
    InstanceOf,
    Int,
    OneOf,
    Str,
    checked,
)
from .._core.sharding.network import mesh_of, run_on, running
from .._core.sharding.staged import Staged
from .._core.without_effect import without_effect
from .._io.reading import json_of, reading
from ..communication import get_group_size, get_rank
from ..nn.cell import Cell
from ..train._checkpoint.divisions import write_strategy
from .found_parameters import parameters_of
from .layout import Layout

__all__ = ["AutoParallel"]

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
_SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
_MESSAGES = (
    "AlltoAll",
    "AlltoAllV",
    "MorphAllGather",
    "AllReduce",
    "AllGather",
    "ReduceScatter",
    "MorphReduceScatter",
    "",
)
# Keys of a file for `transformer_opt`, including old names, grouped by the type of their values.
_SPEED_UP = {
    (str, bool): (
        "recompute_comm_overlap",
        "recomputation_communication_overlap",
        "matmul_grad_comm_overlap",
        "grad_matmul_communication_overlap",
    ),
    (str,): ("pp_1f1b_overlap",),
    (int,): (
        "compute_communicate_fusion_level",
        "computation_communication_fusion_level",
        "dataset_broadcast_opt_level",
    ),
    (bool,): (
        "enable_task_opt",
        "enable_communication_fusion",
        "enable_grad_comm_opt",
        "grad_computation_allreduce_overlap",
        "recompute_allgather_overlap_fagrad",
        "grad_fa_allgather_overlap",
        "interleaved_matmul_comm",
        "bias_add_comm_swap",
        "allreduce_and_biasadd_swap",
        "enable_opt_shard_comm_opt",
        "computation_allgather_overlap",
        "enable_begin_end_inline_opt",
        "enable_concat_eliminate_opt",
        "interleaved_layernorm_comm",
        "enable_allreduce_slice_to_reducescatter",
        "enable_interleave_split_concat_branch",
        "enable_interleave_parallel_branch",
        "enable_offloading_packed_experts",
        "enable_flash_attention_load_balance",
    ),
}
_KINDS = {key: kinds for kinds, keys in _SPEED_UP.items() for key in keys}

_json = (
    Forbid("not file_path.startswith('/')", KeyError, "'file_path' must be an absolute path"),
    Forbid("not file_path.endswith('.json')", KeyError, "'file_path' must end in '.json'"),
)


class AutoParallel(Cell):
    """Runs a network with its own settings for training on several devices.

    A call applies the settings, runs the network, and restores the previous settings. With one
    process, the network runs as usual. With several processes it runs divided: the results, the
    loss and the gradients are those of one process that sees the data of all. Each process gives
    its share of the data along the first axis, or as `dataset_strategy` says. Operations and Cells
    with a strategy (`Primitive.shard`, `Cell.shard`, `ops.reshard`) are divided by it, all others
    follow the placement of their inputs. Results that are divided along their first axis come back
    as this process's share, others whole.

    Args:
        network (Union[Cell, Callable]): the outermost network, or a function.
        parallel_mode (str, optional): how MindSpore divides operators: "semi_auto",
            "sharding_propagation" or "recursive_programming". Default: ``"semi_auto"``.

    Inputs:
        - **\\*args**, **\\*\\*kwargs** - the inputs of the network.

    Outputs:
        The outputs of the network.

    Raises:
        ValueError: if `parallel_mode` is unknown; when called: `network` cannot be called.
        KeyError: when called: a key of what `comm_fusion` was given is unknown.
        RuntimeError: when called by one of several processes: a strategy does not divide an axis
            or the number of processes.

    Source: mindspore.parallel.auto_parallel.AutoParallel of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, nn
        >>> from mindspore_compat.parallel.auto_parallel import AutoParallel
        >>> net = AutoParallel(nn.Dense(3, 2), parallel_mode="semi_auto")
        >>> net.enable_gradients_mean()
        >>> net.dataset_strategy("data_parallel")
        >>> net(Tensor(np.ones((4, 3), np.float32))).shape
        (4, 2)
    """

    _cell_captures_itself = True  # what is divided is not recorded

    @checked(
        Forbid(
            f"parallel_mode not in {_MODES}",
            ValueError,
            f"'parallel_mode' must be one of {', '.join(_MODES)}",
        )
    )
    def __init__(self, network: Any, parallel_mode: Any = "semi_auto"):
        super().__init__(auto_prefix=False)
        self.network = network
        self._parallel_mode = parallel_mode
        self._global_rank, self._device_num = get_rank(), get_group_size()
        self._init_param_in_compile = True
        self._load_strategy_file_path = self._save_strategy_file_path = ""
        self._only_trainable_params = True
        self._load_operator_strategy_file = self._save_operator_strategy_file = ""
        self._dataset_strategy_config, self._full_batch = "data_parallel", False
        self._optimizer_config = None
        self._pipeline_stages = 1
        self._pipeline_config = {"pipeline_interleave": False, "pipeline_scheduler": "1f1b"}
        self._pipeline_result_broadcast = False
        self._comm_fusion_config = {}
        self._force_fp32_communication = False
        self._group_ckpt_save_file = ""
        self._dump_local_norm, self._dump_local_norm_path = False, ""
        self._dump_device_local_norm = False
        self._gradients_mean, self._gradient_fp32_sync = False, True
        self._loss_repeated_mean = True
        self._transformer_opt_config = None
        self._divided = None  # what the strategy file says

    def construct(self, *args, **kwargs):
        """Runs the network under its settings."""
        AsValue(Callable).refuse("AutoParallel", "network", self.network)
        before = dict(vars(config.config.parallel))
        try:
            config.reset_auto_parallel_context()
            settings = self._context()
            config.put_parallel(
                config.config.parallel.change("set_auto_parallel_context", settings)
            )
            mesh = None if running.space is not None else mesh_of(self._pipeline_stages)
            if mesh is None:
                return self.network(*args, **kwargs)
            data = "full_batch" if self._full_batch else self._dataset_strategy_config
            out = run_on(mesh, data, self.network, args, kwargs, self.network)
            if self._save_strategy_file_path:
                self._save_strategy(mesh)
            return out
        finally:
            vars(config.config.parallel).update(before)

    def _save_strategy(self, mesh):
        """Writes the division of the parameters to a file, if it has changed."""
        parameters = parameters_of(self.network, self._only_trainable_params)
        parameters = [p for p in parameters if type(p._array) is not Staged]
        divided = {p.name: getattr(p._array, "dims", None) for p in parameters}
        if divided != self._divided:
            stage = self._global_rank // mesh.size
            write_strategy(self._save_strategy_file_path, parameters, mesh, stage)
            self._divided = divided

    def _context(self):
        """Returns the settings in the form of `set_auto_parallel_context`."""
        mode, search = "semi_auto_parallel", "recursive_programming"
        if self._device_num == 1:
            mode = "stand_alone"
        elif self._parallel_mode != "semi_auto":
            mode, search = "auto_parallel", self._parallel_mode
        strategy = self._dataset_strategy_config
        settings = {
            "auto_parallel_new_interface": True,
            "parallel_mode": mode,
            "search_mode": search,
            "device_num": self._device_num,
            "global_rank": self._global_rank,
            "init_param_in_compile": self._init_param_in_compile,
            "comm_fusion": self._comm_fusion_config,
            "strategy_ckpt_load_file": self._load_strategy_file_path,
            "strategy_ckpt_save_file": self._save_strategy_file_path,
            "strategy_ckpt_config": {
                "load_file": self._load_strategy_file_path,
                "save_file": self._save_strategy_file_path,
                "only_trainable_params": self._only_trainable_params,
            },
            "force_fp32_communication": self._force_fp32_communication,
            "enable_alltoall": True,
            "group_ckpt_save_file": self._group_ckpt_save_file,
            "dump_local_norm": self._dump_local_norm,
            "dump_local_norm_path": self._dump_local_norm_path,
            "dump_device_local_norm": self._dump_device_local_norm,
            "gradients_mean": self._gradients_mean,
            "gradient_fp32_sync": self._gradient_fp32_sync,
            "loss_repeated_mean": self._loss_repeated_mean,
            "pipeline_stages": self._pipeline_stages,
            "enable_parallel_optimizer": self._optimizer_config is not None,
        }
        if self._full_batch:
            settings["full_batch"] = True
        elif isinstance(strategy, str) or not any(isinstance(item, Layout) for item in strategy):
            settings["dataset_strategy"] = strategy
        if self._pipeline_stages > 1:
            settings["pipeline_result_broadcast"] = self._pipeline_result_broadcast
            settings["pipeline_config"] = self._pipeline_config
        if self._optimizer_config is not None:
            settings["parallel_optimizer_config"] = self._optimizer_config
        return settings

    # Files ----------------------------------------------------------------------------------------

    @checked
    def load_param_strategy_file(self, file_path: Str):
        """Sets the file that describes how parameters are divided.

        Args:
            file_path (str): its path.
        """
        self._load_strategy_file_path = file_path

    @checked
    def save_param_strategy_file(self, file_path: Str):
        """Sets the file that describes how parameters are divided. Each process writes it after a
        run in which the division has changed; `load_distributed_checkpoint`,
        `transform_checkpoints` and their relatives read it.

        Args:
            file_path (str): its path; JSON if it ends with ".json", else protobuf.
        """
        self._save_strategy_file_path = file_path

    def disable_strategy_file_only_for_trainable_params(self):
        """Includes parameters that are not trained in these files, such as the states of an
        optimizer."""
        self._only_trainable_params = False

    @without_effect(
        "parallel.auto_parallel.AutoParallel.load_operator_strategy_file",
        "the network's own strategies divide the operators",
    )
    @checked(*_json)
    def load_operator_strategy_file(self, file_path: Str):
        """Sets the file that says how operators are divided, in the mode "sharding_propagation".

        Args:
            file_path (str): an absolute path that ends in ".json".

        Raises:
            KeyError: if `file_path` is not such a path.
        """
        self._load_operator_strategy_file = file_path

    @without_effect(
        "parallel.auto_parallel.AutoParallel.save_operator_strategy_file",
        "the chosen divisions are printed instead",
    )
    @checked(*_json)
    def save_operator_strategy_file(self, file_path: Str):
        """Sets the file for the division of operators, which is not written here.

        Args:
            file_path (str): an absolute path that ends in ".json".

        Raises:
            KeyError: if `file_path` is not such a path.
        """
        self._save_operator_strategy_file = file_path

    @without_effect(
        "parallel.auto_parallel.AutoParallel.set_group_ckpt_save_file",
        "checkpoint strategy files hold what a restart needs",
    )
    @checked
    def set_group_ckpt_save_file(self, file_path: Str):
        """Sets the file for the groups of processes, which is not written here.

        Args:
            file_path (str): its path.
        """
        self._group_ckpt_save_file = file_path

    # Division -------------------------------------------------------------------------------------

    @without_effect(
        "parallel.auto_parallel.AutoParallel.no_init_parameters_in_compile", "nothing is compiled"
    )
    def no_init_parameters_in_compile(self):
        """Disables the initialization of parameters when the network is compiled."""
        self._init_param_in_compile = False

    def dataset_strategy(self, config):
        """Sets how data is divided among the processes.

        Args:
            config (Union[str, tuple]): "data_parallel", each process sees its share of a batch;
                "full_batch", each sees all of it; or for each input a tuple of ints, into how many
                parts its axes are divided, or a Layout.

        Raises:
            TypeError: if it, or an element of it, has the wrong type.
            ValueError: if `config` is None or another str.
        """
        _check_strategy(config)
        self._full_batch = config == "full_batch"
        self._dataset_strategy_config = config

    @checked(
        Forbid(
            "not isinstance(shard_size, int) or shard_size <= 0 and shard_size != -1",
            ValueError,
            "'shard_size' must be a positive int or -1",
        ),
        Forbid(
            "not isinstance(threshold, int) or threshold < 0",
            ValueError,
            "'threshold' must be an int that is not negative",
        ),
        Forbid(
            "optimizer_level not in ('level1', 'level2', 'level3')",
            ValueError,
            "'optimizer_level' must be 'level1', 'level2' or 'level3'",
        ),
    )
    def hsdp(self, shard_size: Any = -1, threshold: Any = 64, optimizer_level: Any = "level1"):
        """Divides weights, gradients and the optimizer's states among the processes that hold the
        same weights.

        Each process keeps a part along the first axis, where that can be divided, and updates it.
        The weights are gathered when the network needs them.

        Args:
            shard_size (int, optional): how many processes share a weight at most; -1, or a number
                that does not divide the number of those that hold it, for all of them.
            threshold (int, optional): the size in KB below which a parameter is not divided.
            optimizer_level (str, optional): "level1" and "level2" keep the gathered weights until
                the step ends, "level3" gathers them for each use, also in the backward pass.

        Raises:
            ValueError: if an argument has an invalid value.
        """
        options = {
            "parallel_optimizer_threshold": int(threshold),
            "optimizer_level": optimizer_level,
        }
        if shard_size != -1:
            options["optimizer_weight_shard_size"] = int(shard_size)
        self._optimizer_config = options

    @without_effect(
        "parallel.auto_parallel.AutoParallel.pipeline(output_broadcast)",
        "results come to all processes",
    )
    @checked
    def pipeline(
        self,
        stages: Int(ge=1) = 1,
        output_broadcast: Bool = False,
        interleave: Bool = False,
        scheduler: OneOf(*_SCHEDULERS) = "1f1b",
    ):
        """Divides the processes into the stages of a pipeline. A Cell with a `pipeline_stage` runs
        on the processes of its stage, and only they hold its parameters. Other Cells run where
        their inputs are. A network is trained within `nn.PipelineCell`, which cuts a batch into
        micro-batches. The guide on parallel training shows the schedules.

        Args:
            stages (int, optional): the number of stages. Default: ``1``.
            output_broadcast (bool, optional): whether the last stage's result goes to the others.
            interleave (bool, optional): whether each stage has several segments of the network,
                which Cells name by `pipeline_segment`. Without such names, a segment ends where
                the stages of the Cells, in the order of their definition, start over.
            scheduler (str, optional): "gpipe", "1f1b", or "seqpipe", "seqvpp", "seqsmartvpp" or
                "zero_bubble_v", which run as "1f1b".

        The network raises a RuntimeError when called if the stages do not divide the number of
        processes, a `pipeline_stage` is too large, a stage or segment has no Cell, or there are
        fewer micro-batches than stages.
        """
        self._pipeline_stages, self._pipeline_result_broadcast = stages, output_broadcast
        self._pipeline_config = {"pipeline_interleave": interleave, "pipeline_scheduler": scheduler}

    def get_pipeline_stages(self):
        """Returns the number of stages."""
        return self._pipeline_stages

    # Gradients and messages -----------------------------------------------------------------------

    @without_effect(
        "parallel.auto_parallel.AutoParallel.comm_fusion", "messages are cut by size alone"
    )
    def comm_fusion(self, config):
        """Sets how messages are fused.

        Args:
            config (dict): "openstate", a bool; "allreduce", "allgather" and "reducescatter", each a
                dict of "mode" ("auto", "size", for "allreduce" also "index") and "config".

        Raises:
            TypeError: if `config` is not a dict.
        """
        if config is not None:
            InstanceOf(dict).refuse("comm_fusion", "config", config)
        self._comm_fusion_config = config or {}

    @without_effect(
        "parallel.auto_parallel.AutoParallel.enable_fp32_communication",
        "low-precision gradients are summed in float32 in any case",
    )
    def enable_fp32_communication(self):
        """Communicates sums as float32; low-precision gradients always travel as float32."""
        self._force_fp32_communication = True

    def enable_gradients_mean(self):
        """Averages gradients over the processes instead of summing them."""
        self._gradients_mean = True

    @without_effect(
        "parallel.auto_parallel.AutoParallel.disable_gradient_fp32_sync",
        "low-precision gradients are summed in float32 in any case",
    )
    def disable_gradient_fp32_sync(self):
        """Disables the cast of gradients to float32 before they are summed; low-precision gradients
        are still cast."""
        self._gradient_fp32_sync = False

    @without_effect(
        "parallel.auto_parallel.AutoParallel.disable_loss_repeated_mean",
        "a loss that several processes compute is counted once",
    )
    def disable_loss_repeated_mean(self):
        """Disables the averaging of a loss that several processes compute identically."""
        self._loss_repeated_mean = False

    @without_effect("parallel.auto_parallel.AutoParallel.print_local_norm")
    def print_local_norm(self):
        """Requests the norms of gradients before they are summed."""
        self._dump_local_norm = True

    @without_effect("parallel.auto_parallel.AutoParallel.dump_local_norm")
    @checked
    def dump_local_norm(self, file_path: Str):
        """Requests that these norms are written to a file.

        Args:
            file_path (str): its path.
        """
        self._dump_local_norm, self._dump_local_norm_path = True, file_path

    @without_effect("parallel.auto_parallel.AutoParallel.enable_device_local_norm")
    def enable_device_local_norm(self):
        """Requests the norm of all gradients of a device."""
        self._dump_device_local_norm = True

    @without_effect(
        "parallel.auto_parallel.AutoParallel.transformer_opt",
        "exchanges are not reordered by a file of settings",
    )
    def transformer_opt(self, file_path):
        """Sets the file of settings that make MindSpore's parallel training faster.

        Args:
            file_path (Union[str, None]): the path of a JSON file with an object; None or "" for
                none.

        Raises:
            TypeError: if `file_path` is something else.
            ValueError: if there is no such file, it is not a JSON, a key is unknown or a value
                wrong.
        """
        (Str | None).refuse("transformer_opt", "file_path", file_path)
        if file_path:
            _check_speed_up(file_path)
        self._transformer_opt_config = file_path


def _check_strategy(strategy):
    api = "dataset_strategy"
    if (
        strategy is None
        or isinstance(strategy, str)
        and strategy not in ("full_batch", "data_parallel")
    ):
        raise ValueError(
            f"For '{api}', 'config' must be 'full_batch', 'data_parallel' or a tuple, "
            f"but got {strategy!r}."
        )
    if isinstance(strategy, str):
        return
    InstanceOf(tuple).called("a str or a tuple").refuse(api, "config", strategy)
    for item in strategy:
        InstanceOf(tuple, Layout).called("tuples or Layouts").refuse_part(
            api, "'config'", item, verb="hold"
        )
        for parts in item if isinstance(item, tuple) else ():
            InstanceOf(int).called("ints").refuse_part(
                api, "the tuples in 'config'", parts, verb="hold"
            )


def _check_speed_up(path):
    api = "transformer_opt"
    if not os.path.exists(path):
        raise ValueError(f"For '{api}', 'file_path' must be a file that exists, but got {path!r}.")
    with reading(path, ValueError, "is no JSON file of settings", api):
        content = json_of(path)
        if not isinstance(content, dict):
            raise ValueError(
                f"For '{api}', {path!r} must hold an object, but it holds {content!r}."
            )
        for key, value in content.items():
            if key not in _KINDS:
                raise ValueError(
                    f"For '{api}', the key must be one of {', '.join(_KINDS)}, but got {key!r}."
                )
            if not isinstance(value, _KINDS[key]):
                names = " or ".join(kind.__name__ for kind in _KINDS[key])
                raise ValueError(f"For '{api}', {key!r} must be a {names}, but got {value!r}.")
            if isinstance(value, str) and set(value.split(",")) - set(_MESSAGES):
                raise ValueError(
                    f"For '{api}', {key!r} must name some of "
                    f"{', '.join(filter(None, _MESSAGES))}, but got {value!r}."
                )
