"""THOR: momentum on gradients that are multiplied by the inverses of two factors per layer.

`thor(net, ...)` replaces layers of the network by layers of layer/thor_layer.py, which collect the
factors, and returns the optimizer. This file damps, inverts and applies the factors; the rest is
Momentum. The flag `thor` marks second-order steps, see train/train_thor.
"""

import math

import numpy as np

from ... import log
from ..._backend import arrays
from ..._backend.block_inverse import (
    between_blocks,
    inverse_blocks,
    inverse_blocks_together,
    shape_of,
    times_blocks,
)
from ..._backend.updates.complete import Unit
from ..._backend.updates.fuse import fuse
from ..._core.context.config import config, get_auto_parallel_context
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Callable,
    CellOf,
    Float,
    Int,
    Number,
    TensorOf,
    checked,
    inf,
)
from ..._core.sharding.staged import flow
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter, ParameterTuple
from ...communication.groups import get_group_size
from ...ops._optimizer.formulas import momentum_update
from ..layer.normalization import LayerNorm
from ..layer.thor_layer import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor, convert
from ..wrap.grad_reducer import DistributedGradReducer
from ._documented import documented
from ._fused import NEXT_STEP, FusedOptimizer
from ._groups import Rate, Scale, read_parameters
from ._rates import as_number, host_parameter
from ._step import Rows

__all__ = ["thor"]

LAYERS = (DenseThor, Conv2dThor, EmbeddingThor, EmbeddingLookupThor)
DIVIDED = ("data_parallel", "hybrid_parallel")


def _all(parameter):
    """Default of `decay_filter`: every parameter decays."""
    return parameter.name not in []


class _Layer:
    """A second-order layer: its factors, their inverses, and how they transform a gradient."""

    def __init__(self, cell, number):
        self.cell = cell
        self.is_table = isinstance(cell, (EmbeddingThor, EmbeddingLookupThor))
        self.is_conv = isinstance(cell, Conv2dThor)
        size_a, size_g = cell.matrix_a.shape[0], cell.matrix_g.shape[0]
        shape_a = (size_a,) if self.is_table else shape_of(size_a)
        self.a = _matrix(f"matrix_a_inv_{number}", shape_a)
        self.g = _matrix(f"matrix_g_inv_{number}", shape_of(size_g))
        self._warned = set()  # names of inverses whose additional damping has been logged

    @property
    def weight(self):
        """The parameter whose gradient the factors multiply."""
        return self.cell.embedding_table if self.is_table else self.cell.weight

    def invert(self, a, g, damping, batch):
        """Damps and inverts the two factors `a` and `g` that the layer collected."""
        shift = math.sqrt(damping / float(self.positions()))
        inverse_g = self._inverse(self.g, g, shift)
        if self.is_table:
            return self.inverse_counts(a, shift, batch), inverse_g
        return self._inverse(self.a, a, shift), inverse_g

    def inverse_counts(self, a, shift, batch):
        """Inverts the diagonal factor of an embedding table."""
        return 1 / (a / batch + shift)

    def _inverse(self, parameter, factor, shift):
        """Inverts a factor; logs once if it needed more damping than requested."""
        inverse, damping = inverse_blocks(factor, shift)
        if damping != shift and parameter.name not in self._warned:
            self._warned.add(parameter.name)
            log.warning(
                f"For 'thor', the factor of '{parameter.name}' is not positive definite with "
                f"{shift:.3g} on its diagonal, the root of the damping; where that is too "
                f"little, more is taken for this factor, now {damping:.3g}."
            )
        return inverse

    def positions(self):
        """Returns the number of positions of a convolution's output, a number or a GPU array; else
        1."""
        if not self.is_conv:
            return 1.0
        return arrays.number_of(self.cell.a_normalizer._array)

    def factors(self, gradient, a, g):
        """Returns the three matrices whose product is the gradient multiplied by both inverses."""
        g = g / self.positions() if self.is_conv else g
        return g, gradient.reshape(gradient.shape[0], -1), a


def _root(xp, damping):
    """Returns the square root of a damping, as a float or in float32."""
    if isinstance(damping, float):
        return math.sqrt(damping)
    return xp.cast(xp.sqrt(damping), "float32")


def _matrix(name, shape):
    return Parameter(Tensor(np.zeros(shape, np.float32)), name=name, requires_grad=False)


class ThorGpu(FusedOptimizer):
    """The optimizer that `thor` returns; see there for its arguments."""

    update = fuse(momentum_update)
    links = False
    skips = True
    states = (("moments", "moments", "zeros"),)
    _takes_divided = False  # the factors belong to a whole layer
    sens_scale = None  # the factor of the loss, if the training step passes it

    def __init__(
        self,
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay=0.0,
        loss_scale=1.0,
        batch_size=32,
        use_nesterov=False,
        decay_filter=_all,
        split_indices=None,
        enable_clip_grad=False,
        frequency=100,
    ):
        super().__init__(learning_rate, _trainable(net), 0.0, loss_scale)
        self.thor = True
        self.momentum = host_parameter(np.float32(momentum), "momentum")
        self.use_nesterov = use_nesterov
        self.batch_size = float(batch_size)
        self.frequency = frequency
        self.enable_clip_grad = bool(enable_clip_grad)
        self.split_indices = split_indices
        self.weight_decay = float(weight_decay)
        self.decay_flags = tuple(bool(decay_filter(parameter)) for parameter in self.parameters)
        self.damping = damping if isinstance(damping, Tensor) else Tensor(float(damping))
        self._dampings_on_gpu = None
        self._dampings = arrays.to_host(self.damping._array).astype(np.float64).reshape(-1)
        self._make_states()
        self._find_layers(net)
        self.cov_step = host_parameter(np.zeros(1, np.int32), "cov_step")
        self.cov_step.requires_grad = False
        self.matrix_a = ParameterTuple(layer.a for layer in self._layers)
        self.matrix_g = ParameterTuple(layer.g for layer in self._layers)
        self.net = net
        self._make_reducers()

    def _find_layers(self, net):
        """Records which parameters belong to second-order layers and which to layer norms."""
        cells = [cell for _, cell in net.cells_and_names()]
        trained = {id(parameter): index for index, parameter in enumerate(self.parameters)}
        layers = [cell for cell in cells if isinstance(cell, LAYERS)]
        self._layers = [_Layer(cell, number) for number, cell in enumerate(layers)]
        self._layer_of = {
            trained[id(layer.weight)]: layer
            for layer in self._layers
            if id(layer.weight) in trained
        }
        self._norms = {
            trained[id(parameter)]
            for cell in cells
            if isinstance(cell, LayerNorm)
            for parameter in (cell.gamma, cell.beta)
            if id(parameter) in trained
        }
        self.matrix_a_cov = ParameterTuple(cell.matrix_a for cell in layers)
        self.matrix_g_cov = ParameterTuple(cell.matrix_g for cell in layers)
        convolutions = [cell for cell in layers if isinstance(cell, Conv2dThor)]
        self.a_normalizer = ParameterTuple(cell.a_normalizer for cell in convolutions)
        self.g_normalizer = ParameterTuple(cell.g_normalizer for cell in convolutions)

    def _make_reducers(self):
        """Creates the reducers that average factors over processes, in groups that end at
        `split_indices`."""
        self.parallel_mode = get_auto_parallel_context("parallel_mode")
        self.is_distributed = self.parallel_mode in DIVIDED and get_group_size() > 1
        self._groups = []
        if self.is_distributed:
            last = len(self._layers) - 1
            ends = sorted({*(self.split_indices or ()), last})
            starts = [0, *(end + 1 for end in ends)]
            self._groups = [slice(start, end + 1) for start, end in zip(starts, ends, strict=False)]

    def get_frequency(self):
        """Returns the number of steps between two updates of the factors and inverses."""
        return self.frequency

    def scalars(self, lr):
        """Returns the scalars of `momentum_update`."""
        return {"lr": lr, "momentum": as_number(self.momentum), "nesterov": self.use_nesterov}

    def _scalars_of(self, plan):
        rates = zip(plan.settings, self._rate_numbers(), strict=True)
        return {setting: self.scalars(rate) for setting, rate in rates}

    def _gradient_arrays(self, gradients):
        """Returns the gradients as Momentum gets them; fresh inverses are stored with the
        update."""
        if flow.stages is not None:
            raise RuntimeError(
                "For 'thor', the network must not be divided into pipeline stages: its factors are "
                "those of a whole batch, and a stage sees one micro-batch at a time."
            )
        grads = super()._gradient_arrays(gradients)
        damping = self._damping_now()
        inverses = self._inverses(damping)
        results = self._precondition([self._unscale(gradient) for gradient in grads], inverses)
        results = [self._finish(index, gradient, damping) for index, gradient in enumerate(results)]
        self.__dict__["_fresh"] = [
            (parameter, self._new_value(parameter, new))
            for layer, found_inverses in (inverses.items() if self.thor else ())
            for parameter, new in zip((layer.a, layer.g), found_inverses, strict=True)
        ]
        return results

    def _damping_now(self):
        """Returns the damping of this step: a float, or a GPU array if the step may be skipped."""
        if self._skip is not None:
            self._on_gpu(self.cov_step)
        step, last = self._as_scalar(self.cov_step), self._dampings.size - 1
        if isinstance(step, float):
            return float(self._dampings[min(int(step), last)])
        xp = arrays.space_of(step)
        if self._dampings_on_gpu is None:
            self._dampings_on_gpu = xp.asarray(self._dampings)
        return xp.take(self._dampings_on_gpu, xp.minimum(step, last))

    def _new_value(self, parameter, new):
        """Returns the value of a Parameter after this step, which is the old one if the step is
        skipped."""
        if self._skip is None:
            return new
        return arrays.space_of(new).where(self._skip, self._on_gpu(parameter), new)

    def _inverses(self, damping):
        """Returns the inverses by layer: new ones in a second-order step, else the stored ones."""
        if not self.thor:
            return {layer: (layer.a._array, layer.g._array) for layer in self._layers}
        factors_a = [cell_matrix._array for cell_matrix in self.matrix_a_cov]
        factors_g = [cell_matrix._array for cell_matrix in self.matrix_g_cov]
        factors_a = self._average(self.matrix_a_cov, factors_a)
        factors_g = self._average(self.matrix_g_cov, factors_g)
        loss_scale = self.loss_scale if self.sens_scale is None else self.sens_scale
        scale = (self.batch_size / loss_scale) ** 2
        factors_g = [factor * scale for factor in factors_g]
        factors = list(zip(self._layers, factors_a, factors_g, strict=True))
        inverses = self._inverses_together(factors, damping)
        if inverses is not None:
            return inverses
        return {layer: layer.invert(a, g, damping, self.batch_size) for layer, a, g in factors}

    def _inverses_together(self, factors, damping):
        """Computes the inverses of all layers at once, in kernels that the host does not wait for.
        More damping is therefore not logged. Returns None for factors on the host."""
        matrices = []
        for layer, a, g in factors:
            matrices.append((g, damping, layer.positions()))
            if not layer.is_table:
                matrices.append((a, damping, layer.positions()))
        inverses = inverse_blocks_together(matrices)
        if inverses is None:
            return None
        inverses, result = iter(inverses), {}
        for layer, a, _ in factors:
            xp, inverse_g = arrays.space_of(a), next(inverses)
            if layer.is_table:
                inverse_a = layer.inverse_counts(a, _root(xp, damping), self.batch_size)
            else:
                inverse_a = next(inverses)
            result[layer] = inverse_a, inverse_g
        return result

    def _average(self, parameters, factors):
        """Returns the factors averaged over processes."""
        for part in self._groups:
            reduce = DistributedGradReducer(parameters[part], mean=True)
            factors[part] = [
                average._array
                for average in reduce(tuple(Tensor._wrap(factor) for factor in factors[part]))
            ]
        return factors

    def _unscale(self, gradient):
        """Returns a gradient as a float32 array, divided by the loss scale."""
        gradient = gradient.whole() if type(gradient) is Rows else gradient
        gradient = arrays.space_of(gradient).cast(gradient, "float32")
        return gradient * (1.0 / self.loss_scale) if self.need_scale else gradient

    def _precondition(self, gradients, inverses):
        """Multiplies the gradients of second-order layers by both inverses; returns all
        gradients."""
        triples = {}
        for index, layer in self._layer_of.items():
            a, g = inverses[layer]
            if layer.is_table:
                gradients[index] = times_blocks(a[:, None] * gradients[index], g)
            else:
                triples[index] = layer.factors(gradients[index], a, g)
        for index, product in zip(triples, between_blocks(list(triples.values())), strict=True):
            gradients[index] = product.reshape(gradients[index].shape)
        return gradients

    def _finish(self, index, gradient, damping):
        """Finishes one gradient after the inverses: divides it for a norm layer, decays and clips
        it."""
        weight = self.parameters[index]._array
        xp = arrays.space_of(weight)
        if index in self._norms:
            gradient = gradient / (gradient * gradient / self.batch_size + _root(xp, damping))
        if self.weight_decay > 0 and self.decay_flags[index]:
            gradient = gradient + self.weight_decay * weight
        if self.enable_clip_grad:
            gradient = gradient / xp.maximum(xp.whole_norm(gradient), 1.0)
        return gradient

    def after_step(self):
        """Returns the array of the step count that the damping depends on, with its new value."""
        return [(self.cov_step._array, self.cov_step._array + 1)]

    def _end_units(self):
        """Returns the units (groups of writes) that end a step: they store the fresh inverses and
        update the counters.
        """
        fresh = self.__dict__.pop("_fresh")
        parameters, values = map(list, zip(*fresh, strict=True)) if fresh else ([], [])
        names = ["_array"] * len(fresh)
        return [*super()._end_units(), Unit(lambda: (setattr, parameters, names, values))]

    def after_step_unless(self, flag):
        """Returns the units that add 1 to both step counts on the GPU. They write nothing if `flag`
        is true.
        """
        return NEXT_STEP.units(
            [[self._on_gpu(parameter)] for parameter in (self.global_step, self.cov_step)], flag
        )


class ThorAscend(ThorGpu):
    """The optimizer that `thor` returns for the device target Ascend; it computes the same."""


def _trainable(net):
    return [parameter for parameter in net.get_parameters() if parameter.requires_grad]


@public("nn.thor")
@checked
@documented
def thor(
    net: CellOf,
    learning_rate: TensorOf(),
    damping: TensorOf() | Number(ge=0.0, lt=inf),
    momentum: Float(ge=0.0, lt=inf),
    weight_decay: Number(ge=0.0, lt=inf) | Bool = 0.0,
    loss_scale: Scale = 1.0,
    batch_size: Number(ge=0.0, lt=inf) | Bool = 32,
    use_nesterov: Bool = False,
    decay_filter: Callable = _all,
    split_indices: Any = None,
    enable_clip_grad: Any = False,
    frequency: Int(ge=2) = 100,
):
    """Creates a THOR optimizer (second order), and prepares the network for it.

    It replaces trainable Dense, Conv2d, Embedding and EmbeddingLookup layers within `net` by layers
    that collect two second moments: A of their inputs, and G of the gradients at their outputs. The
    gradients of these layers become (G + sqrt(damping) I)^-1 g (A + sqrt(damping) I)^-1, in blocks
    of 128; then momentum is applied. With small batches, rounding may leave a damped factor that is
    not positive definite. It is then damped more, which is logged once per factor. Without a Model
    made by `ConvertModelUtils`, every step computes new inverses.

    Args:
        net (Cell): the network, which is changed in place.
        learning_rate (Tensor): one learning rate per step; the last one stays.
        damping (Tensor): one damping per step; the last one stays.
        weight_decay (int, float): the weight decay.
        batch_size (int): the size of a batch.
        use_nesterov (bool): whether to use Nesterov momentum.
        decay_filter (function): takes a parameter and returns whether it decays.
        split_indices (list): the indices of layers that end the groups in which factors are
            averaged over processes, one message per group.
        enable_clip_grad (bool): whether to clip each gradient to norm 1.
        frequency (int): the steps between two updates of the inverses, with a converted Model.

    Inputs:
        - **gradients** (tuple[Tensor]) - the gradients of the trainable parameters, in their order.

    Raises:
        ValueError: if `net` has nothing to train, or `learning_rate` more than one axis.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn
        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
        >>> rate = ms.Tensor([4e-4, 1e-4], ms.float32)
        >>> optimizer = nn.thor(net, learning_rate=rate, damping=rate, momentum=0.9, frequency=4)
        >>> type(net[0]).__name__
        'DenseThor'

    Source: mindspore.nn.thor of MindSpore 2.10.
    """
    Rate.refuse("thor", "learning_rate", learning_rate)
    if not loss_scale > 0:
        raise ValueError(f"For 'thor', 'loss_scale' must be a number > 0, but got {loss_scale}.")
    for name, value in (("learning_rate", learning_rate), ("damping", damping)):
        if isinstance(value, Tensor) and not (value.size and (value >= 0).all()):
            raise ValueError(
                f"For 'thor', '{name}' must hold numbers >= 0, at least one, but got {value!r}."
            )
    # Calls that may fail come before the network is changed.
    for setting in read_parameters("thor", _trainable(net))[0]:
        decay_filter(setting.parameter)
    convert(net)
    optimizer_class = ThorAscend if config.device_target == "Ascend" else ThorGpu
    return optimizer_class(
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay,
        loss_scale,
        batch_size,
        use_nesterov,
        decay_filter,
        split_indices,
        enable_clip_grad,
        frequency,
    )
