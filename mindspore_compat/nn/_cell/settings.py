"""Settings of a Cell for a graph compiler or a parallel planner.

MindSpore reads them when it compiles a graph. Here a network runs as it is written, so a setting
is checked and stored, and can be read back. Some have an effect: `recompute` saves memory by
computing activations again, and `shard` and `pipeline_stage` divide a network over processes.
"""

import inspect

from ..._core.context.config import GRAPH_MODE, config
from ..._core.dynamic_shape import misfit
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, OneOf, Str
from ..._core.sharding.network import is_wanted, run_part
from ..._core.sharding.stage_cells import Plan
from ..._core.sharding.strategies import Declared, are_strategies, refuse_strategies
from ..._core.without_effect import without_effect
from ...common.api import _cell_graph_executor

_Prefetch = (OneOf("Auto") | Int(ge=0)).called("'Auto' or an int >= 0")


class Settings:
    """The part of Cell that stores settings for a compiler."""

    _phase = "train"
    _bprop_debug = False
    _recompute = False
    _cell_inputs_set = None
    _cell_strategies = None  # how `shard` divides it
    compile_phase = None
    current_phase = ""
    compiled = False
    cell_type = None

    @property
    def phase(self):
        """'train' after `set_train()`, 'predict' after `set_train(False)`, or what was assigned."""
        return self._phase

    @phase.setter
    def phase(self, value):
        Str.refuse("Cell", "phase", value)
        self.__dict__["_phase"] = value

    @property
    def bprop_debug(self):
        """Whether a custom `bprop` is checked step by step."""
        return self._bprop_debug

    @without_effect("nn.Cell.bprop_debug")
    @bprop_debug.setter
    def bprop_debug(self, value):
        Bool.refuse("Cell", "bprop_debug", value)
        self.__dict__["_bprop_debug"] = value

    @property
    def jit_config_dict(self):
        """The options given by `set_jit_config`."""
        return self.__dict__.get("_jit_config_dict", {})

    @property
    def parameter_layout_dict(self):
        """The layout of parameters over devices, by name."""
        return self.__dict__.get("_parameter_layout_dict", {})

    @without_effect("nn.Cell.parameter_layout_dict", "each Parameter holds its own layout")
    @parameter_layout_dict.setter
    def parameter_layout_dict(self, value):
        InstanceOf(dict).refuse("Cell", "parameter_layout_dict", value)
        self.__dict__["_parameter_layout_dict"] = value

    @property
    def pipeline_stage(self):
        """The pipeline stage of this Cell, once assigned: only the processes of this stage run the
        Cell and hold its parameters."""
        return self._cell_stage("pipeline_stage")

    @pipeline_stage.setter
    def pipeline_stage(self, value):
        self._cell_set_stage("pipeline_stage", value)
        self.__dict__["_cell_staged"] = True
        self._cell_choose_path()

    @property
    def pipeline_segment(self):
        """The pipeline segment of this Cell, once assigned: where stages are interleaved
        (`pipeline_interleave`), a batch runs through segment 0 of all stages, then through segment
        1 of all stages, and so on."""
        return self._cell_stage("pipeline_segment")

    @pipeline_segment.setter
    def pipeline_segment(self, value):
        self._cell_set_stage("pipeline_segment", value)

    def _cell_stage(self, name):
        if f"_{name}" not in self.__dict__:
            raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")
        return self.__dict__[f"_{name}"]

    def _cell_set_stage(self, name, value):
        Int(ge=0).refuse("Cell", name, value)
        self.__dict__[f"_{name}"] = value
        Plan.outdate()
        for member in self.get_parameters():
            member._note_stage(value)

    @without_effect("nn.Cell.set_jit_config", "a network runs the same with any")
    def set_jit_config(self, jit_config):
        """Stores the options of a JitConfig. They do not change how the network runs.

        Raises:
            TypeError: if `jit_config` is not a JitConfig.
        """
        options = getattr(jit_config, "jit_config_dict", None)
        if not isinstance(options, dict):
            raise TypeError(
                f"For 'set_jit_config', 'jit_config' must be a JitConfig, but got "
                f"{jit_config!r} of type {type(jit_config).__name__}."
            )
        self.__dict__["_jit_config_dict"] = options

    @without_effect("nn.Cell.set_boost")
    def set_boost(self, boost_type):
        """Stores the flag of MindSpore's acceleration "less_bn", the only one, on this Cell and
        all its sub-cells.

        Args:
            boost_type (str): "less_bn".

        Raises:
            ValueError: if there is no such acceleration.
        """
        if boost_type != "less_bn":
            raise ValueError(
                f"For 'set_boost', 'boost_type' must be 'less_bn', but got {boost_type!r}."
            )
        return self.add_flags_recursive(less_bn=True)

    @without_effect("nn.Cell.set_comm_fusion", "messages are cut by size alone")
    def set_comm_fusion(self, fusion_type, recurse=True):
        """Sets `comm_fusion` of the trainable parameters.

        Args:
            fusion_type (int): the group, at least 0.
            recurse (bool): whether to go into sub-cells.

        Returns:
            Cell, itself.

        Raises:
            TypeError: if `fusion_type` is not an int.
            ValueError: if it is negative.
        """
        Int(ge=0).refuse("set_comm_fusion", "fusion_type", fusion_type)
        for param in self.trainable_params(recurse):
            param._param_info.comm_fusion = fusion_type
        return self

    @without_effect("nn.Cell.update_cell_type")
    def update_cell_type(self, cell_type):
        """Stores the kind of this Cell, "quant" or "second-order"."""
        self.cell_type = cell_type

    @without_effect("nn.Cell.remove_redundant_parameters", "every parameter is needed")
    def remove_redundant_parameters(self):
        """Does nothing: MindSpore removes parameters that only other devices need."""

    @without_effect("nn.Cell.set_data_parallel", "there is no planner to ask")
    def set_data_parallel(self):
        """Does nothing: it requests data parallelism from an automatic planner, which does not
        exist here."""

    @without_effect("nn.Cell.offload", "activations stay where they are")
    def offload(self, backward_prefetch="Auto"):
        """Requests that activations move to the host. It has no effect: arrays stay where they are.

        Raises:
            TypeError: if `backward_prefetch` is neither a str nor an int.
            ValueError: if it is another str than 'Auto', or a negative int.
        """
        _Prefetch.refuse("offload", "backward_prefetch", backward_prefetch)

    def recompute(
        self,
        *,
        use_reentrant=True,
        output_recompute=False,
        early_stop=True,
        context_fn=None,
        **kwargs,
    ):
        """Recomputes the activations of this Cell in the backward pass instead of storing them.

        Args:
            use_reentrant (bool): accepted; the tape needs no choice.
            output_recompute (bool): accepted; outputs are kept in memory, since later operations
                hold them.
            early_stop (bool): accepted.
            context_fn (callable): returns two context managers, for the first and the second run;
                needs `use_reentrant=False`.
            **kwargs: mp_comm_recompute, parallel_optimizer_comm_recompute and
                recompute_slice_activation (bools), accepted: communication is repeated with the
                operations that need it.

        Raises:
            TypeError: if a flag is not a bool, or `context_fn` not callable.
            ValueError: if a keyword is unknown, or `context_fn` is given with `use_reentrant`.
        """
        flags = {
            "use_reentrant": use_reentrant,
            "output_recompute": output_recompute,
            "early_stop": early_stop,
        }
        accepted_names = (
            "mp_comm_recompute",
            "parallel_optimizer_comm_recompute",
            "recompute_slice_activation",
        )
        for name in kwargs:
            if name not in accepted_names:
                raise ValueError(
                    f"For 'recompute', the keyword '{name}' must be one of {accepted_names}."
                )
        for name, value in {**flags, **kwargs}.items():
            Bool.refuse("recompute", name, value)
        if context_fn is not None:
            if not callable(context_fn):
                raise TypeError(
                    f"For 'recompute', 'context_fn' must be a callable, but got "
                    f"{context_fn!r} of type {type(context_fn).__name__}."
                )
            if use_reentrant:
                raise ValueError("For 'recompute', 'context_fn' needs 'use_reentrant=False'.")
        if kwargs.get("parallel_optimizer_comm_recompute"):
            for member in self.trainable_params():
                member._param_info.parallel_optimizer_comm_recompute = True
        self.__dict__["_recompute"] = context_fn or True
        self._cell_choose_path()

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None):
        """Divides the Cell over processes if the parallel mode is "semi_auto_parallel" or
        "auto_parallel"; in other modes it runs undivided.

        Args:
            in_strategy (tuple): for each input a Layout or the numbers of parts of its axes; None
                for one that stays as it is.
            out_strategy (Union[None, tuple]): the same for each output.
            parameter_plan (Union[None, dict]): the same for parameters, by their name within the
                Cell ("layer.weight") or their own; other names are ignored.

        Returns:
            Cell, itself. A call raises a RuntimeError if a strategy does not divide an axis or the
            number of processes.

        Raises:
            TypeError: if the parallel mode divides networks, and a strategy is not a tuple or the
                plan not a dict. In other modes such arguments are ignored.
        """
        strategies = in_strategy, out_strategy, parameter_plan
        if is_wanted() or are_strategies(*strategies):
            refuse_strategies(*strategies)
            self.__dict__["_cell_strategies"] = strategies
            Declared.outdate()
            self._cell_choose_path()
        return self

    def _cell_divided(self, args, kwargs):
        """Runs the call, divided as `shard` has said."""
        if self._cell_strategies is not None:
            return run_part(
                self,
                lambda *args: self._cell_inside(args, kwargs),
                args,
                {**dict(self.parameters_and_names()), **self.parameters_dict()},
                self._cell_strategies,
            )
        return self._cell_inside(args, kwargs)

    def set_inputs(self, *inputs, **kwargs):
        """Stores the inputs that a graph is compiled for. In graph mode the Cell rejects other
        inputs.

        Args:
            *inputs: all inputs in order; Tensors may have lengths that are not known, as
                `Tensor(shape=(None, 3), dtype=float32)` has; or
            **kwargs: some of them, by their names in `construct`.

        Raises:
            ValueError: if both are given, or `construct` has no such input.
        """
        if inputs and kwargs:
            raise ValueError(
                "For 'set_inputs', the inputs must be given by position or by name, but got both."
            )
        names = list(inspect.signature(self.construct).parameters)
        for name in kwargs:
            if name not in names:
                raise ValueError(
                    f"For 'set_inputs', the name of an input must be one of {names}, "
                    f"but got {name!r}."
                )
        self.__dict__["_cell_inputs_set"] = inputs or (
            tuple(kwargs.get(n) for n in names) if kwargs else None
        )
        self._cell_choose_path()

    def _cell_check_inputs(self, args, kwargs):
        """In graph mode, rejects inputs that differ from those given to `set_inputs`.

        Raises:
            TypeError: if one is not a Tensor, or has another dtype.
            ValueError: if one has other lengths.
        """
        if config.mode != GRAPH_MODE:
            return
        names, lengths = list(inspect.signature(self.construct).parameters), {}
        for index, expected in enumerate(self._cell_inputs_set):
            name = names[index] if index < len(names) else f"input {index}"
            if index >= len(args) and name not in kwargs:
                continue
            wrong = misfit(expected, args[index] if index < len(args) else kwargs[name], lengths)
            if wrong is not None:
                raise type(wrong)(
                    f"For '{type(self).__name__}', '{name}' {wrong}, as 'set_inputs' requires."
                )

    def get_inputs(self):
        """Returns the inputs given to `set_inputs`, or None."""
        return self._cell_inputs_set

    def compile(self, *args, **kwargs):
        """Checks that `construct` accepts these inputs, and sets `current_phase`, a name for the
        Cell and its inputs; there is nothing to compile.

        Raises:
            TypeError: if `construct` does not accept them.
        """
        try:
            inspect.signature(self.construct).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"For '{type(self).__name__}', 'construct' cannot take these inputs: {error}."
            ) from None
        phase = "train" if self.training else "predict"
        name, _ = _cell_graph_executor.compile(self, *args, phase=phase, **kwargs)
        self.__dict__["current_phase"] = name

    def compile_and_run(self, *args, **kwargs):
        """Runs the Cell."""
        return self(*args, **kwargs)

    def get_func_graph_proto(self):
        """Returns None, since no graph is compiled."""
        return None
