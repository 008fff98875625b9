"""AutoBoost: changes networks, optimizers and steps as requested by a level or a dict."""

from collections.abc import Hashable

from .._core.rules.checked import checked
from .._core.rules.vocabulary import CellOf, InstanceOf, OneOf
from .base import OptimizerProcess, ParameterProcess
from .grad_freeze import GradientFreeze
from .less_batch_normalization import LessBN

__all__ = ["AutoBoost"]

_MODES = ("auto", "manual", "enable_all", "disable_all")
_FEATURES = (
    "less_bn",
    "grad_freeze",
    "adasum",
    "grad_accumulation",
    "dim_reduce",
    "loss_scale_group",
)
_ABSENT = ("dim_reduce", "loss_scale_group")
_LEVELS = {"O0": (), "O1": ("less_bn", "grad_freeze"), "O2": ("less_bn", "grad_freeze", "adasum")}
_SETTINGS = {  # section of the dict -> setting -> attribute
    "common": {"gradient_split_groups": "gradient_groups", "device_number": "device_number"},
    "less_bn": {"fn_flag": "_fn_flag", "gc_flag": "_gc_flag"},
    "grad_freeze": {
        "param_groups": "_param_groups",
        "freeze_type": "_freeze_type",
        "freeze_p": "_freeze_p",
        "total_steps": "_total_steps",
    },
    "grad_accumulation": {"grad_accumulation_step": "grad_accumulation_step"},
}


class AutoBoost:
    """Changes a network and its optimizer as requested by a level or a dict.

    It is a singleton: the first call makes it, and later calls return the same object.

    "O1" has `less_bn` and `grad_freeze`, "O2" also `adasum`, "O0" nothing. `dim_reduce` and
    `loss_scale_group`, whose arithmetic is not documented, are refused.

    Args:
        level (str, optional): "O0", "O1" or "O2".
        boost_config_dict (dict, optional): sections of settings. "boost" holds `mode`: "auto" uses
            the level, "manual" modifies it by the other entries (`less_bn`, `grad_freeze`,
            `adasum`, `grad_accumulation`), "enable_all" and "disable_all" request all or nothing.
            "common" holds `gradient_split_groups` and `device_number`; "less_bn" `fn_flag` and
            `gc_flag`; "grad_freeze" `param_groups`, `freeze_type`, `freeze_p` and `total_steps`;
            "grad_accumulation" `grad_accumulation_step`.

    Raises:
        TypeError: if `boost_config_dict` or a section of it is not a dict.
        ValueError: if the level or mode is unknown, or what is requested is not here.

    Examples:
        >>> from mindspore_compat.boost import AutoBoost
        >>> boost = AutoBoost("O0", {"boost": {"mode": "auto"}})
        >>> boost.boost_config["adasum"]
        False

    Source: mindspore.boost.AutoBoost of MindSpore 2.10.
    """

    _instance = None

    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            network = super().__new__(cls)
            network._settle(*args, **kwargs)
            cls._instance = network
        return cls._instance

    def __init__(self, level="O0", boost_config_dict=""):
        """Stores the settings of the first call."""
        InstanceOf(Hashable).refuse("AutoBoost", "level", level)

    @checked
    def _settle(self, level: OneOf("O0", "O1", "O2") = "O0", boost_config_dict=""):
        self.level, self.boost_config_dict = level, boost_config_dict
        self._fn_flag = self._gc_flag = True
        self._param_groups, self._freeze_type, self._freeze_p = 10, 1, 0.7
        self._total_steps = 65536
        self.gradient_groups, self.device_number = None, 8
        self.grad_accumulation_step = 1
        sections = _check_settings(boost_config_dict or {})
        self.boost_config = _read_requests(level, sections.get("boost", {}))
        for section, names in _SETTINGS.items():
            for name, value in sections.get(section, {}).items():
                if name in names:
                    setattr(self, names[name], value)
        self._param_processer = ParameterProcess()

    @checked
    def network_auto_process_train(self, network: CellOf, optimizer: CellOf):
        """Changes a network and its optimizer for training.

        Args:
            network (Cell): the network.
            optimizer (Optimizer): its optimizer.

        Returns:
            tuple[Cell, Cell], the network, in a LessBN with `less_bn`, and the optimizer, a
            FreezeOpt with `grad_freeze`.

        Raises:
            TypeError: if an argument is not a Cell.
        """
        if self.boost_config["less_bn"]:
            network = LessBN(network, fn_flag=self._fn_flag)
            process = OptimizerProcess(optimizer)
            if self.gradient_groups:
                self._param_processer.assign_parameter_group(
                    network.trainable_params(), list(self.gradient_groups)
                )
            process.origin_params = self._param_processer.generate_group_params(
                network.trainable_params(), process.origin_params
            )
            if self._gc_flag:
                process.add_grad_centralization(network)
            optimizer = process.generate_new_optimizer()
        if self.boost_config["grad_freeze"]:
            freeze = GradientFreeze(
                self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
            )
            network, optimizer = freeze.freeze_generate(network, optimizer)
        return network, optimizer

    @checked
    def network_auto_process_eval(self, network: CellOf):
        """Prepares a network for evaluation.

        Args:
            network (Cell): the network.

        Returns:
            Cell, the network; with `less_bn`, a LessBN around it, whose layers are not replaced.

        Raises:
            TypeError: if `network` is not a Cell.
        """
        return LessBN(network) if self.boost_config["less_bn"] else network


def _check_settings(settings):
    sections = {"boost_config_dict": settings, **(settings if isinstance(settings, dict) else {})}
    for name, section in sections.items():
        InstanceOf(dict).refuse("AutoBoost", name, section)
    return settings


def _read_requests(level, section):
    """Returns whether each feature is requested."""
    mode = section.get("mode", "auto")
    if mode not in _MODES:
        raise ValueError(
            f"For 'AutoBoost', 'mode' must be one of {', '.join(_MODES)}, but got {mode!r}."
        )
    if mode in ("enable_all", "disable_all"):
        features = dict.fromkeys(_FEATURES, mode == "enable_all")
    else:
        features = {name: name in _LEVELS[level] for name in _FEATURES}
    if mode == "manual":
        features.update({name: section[name] for name in _FEATURES if name in section})
    for name in _ABSENT:
        if features[name]:
            raise ValueError(
                f"For 'AutoBoost', '{name}' must be False, because no page states its arithmetic, "
                f"but got {features[name]!r}."
            )
    return features
