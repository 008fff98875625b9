"""Prior and posterior distributions of weights, and how layers create and compare them."""

from .... import ops
from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import (
    InstanceOf,
    Int,
    LayerDType,
    ListOf,
    Number,
    Str,
    TupleOf,
    checked,
)
from ...._core.tensor.dtype import float32
from ....common.initializer import Normal as NormalInit
from ....common.initializer import initializer
from ....common.parameter import Parameter
from ...cell import Cell
from ..distribution.normal import Normal

__all__ = ["NormalPrior", "NormalPosterior"]

Std = Number(gt=0)
Shape = ListOf(Int(ge=0)) | TupleOf(Int(ge=0))


@public("nn.probability.bnn_layers.NormalPrior")
class NormalPrior(Cell):
    """Normal prior distribution of weights.

    Args:
        dtype (mindspore.dtype): the type of samples, a float.
        mean (Union[int, float]): the mean.
        std (Union[int, float]): the standard deviation, above 0.

    Inputs:
        - **inputs** - the name of a method of the distribution, such as 'prob', and its arguments.

    Raises:
        TypeError: if `dtype` is not a float, or `mean` or `std` not a number.
        ValueError: if `std` is not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.bnn_layers import NormalPrior
        >>> print(NormalPrior(mean=1.0)("mean"))
        1.0

    Source: mindspore.nn.probability.bnn_layers.NormalPrior of MindSpore 2.10.
    """

    @checked
    def __init__(self, dtype: LayerDType = float32, mean: Number = 0, std: Std = 0.1):
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs):
        """Calls a method of the distribution by name."""
        return self.normal(*inputs)


@public("nn.probability.bnn_layers.NormalPosterior")
class NormalPosterior(Cell):
    """Normal posterior distribution of weights: a learnt mean and standard deviation per weight.

    The standard deviation is log(1 + exp(u)), where u is the second parameter.

    Args:
        name (str): the prefix of the names of the parameters.
        shape (Union[list, tuple]): the shape of the weights.
        dtype (mindspore.dtype): the type of the parameters.
        loc_mean (Union[int, float]): the mean of the normal distribution of the initial means.
        loc_std (Union[int, float]): its standard deviation, above 0.
        untransformed_scale_mean (Union[int, float]): the mean of the distribution of the initial u.
        untransformed_scale_std (Union[int, float]): its standard deviation, above 0.

    Inputs:
        - **inputs** - the name of a method of the distribution, such as 'sample', and its
          arguments.

    Raises:
        TypeError: if an argument is of the wrong type, or a standard deviation not above 0.

    Examples:
        >>> from mindspore_compat.nn.probability.bnn_layers import NormalPosterior
        >>> NormalPosterior("weight", [4, 3])("sample").shape
        (4, 3)

    Source: mindspore.nn.probability.bnn_layers.NormalPosterior of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        name: Str,
        shape: Shape,
        dtype: LayerDType = float32,
        loc_mean: Number = 0,
        loc_std: Number = 0.1,
        untransformed_scale_mean: Number = -5,
        untransformed_scale_std: Number = 0.1,
    ):
        super().__init__()
        for key, value in (
            ("loc_std", loc_std),
            ("untransformed_scale_std", untransformed_scale_std),
        ):
            if not value > 0:
                raise TypeError(
                    f"For 'NormalPosterior', '{key}' must be a number above 0, but got {value}."
                )
        shape = tuple(shape)
        self.mean = Parameter(
            initializer(NormalInit(loc_std, loc_mean), shape, dtype), f"{name}_mean"
        )
        self.untransformed_std = Parameter(
            initializer(
                NormalInit(untransformed_scale_std, untransformed_scale_mean), shape, dtype
            ),
            f"{name}_untransformed_std",
        )
        self.normal = Normal()

    def std_trans(self, std_pre):
        """Returns the standard deviation log(1 + exp(std_pre)) of a Tensor."""
        return -ops.logsigmoid(-std_pre)

    def construct(self, *inputs):
        """Calls a method of the distribution by name."""
        if inputs and inputs[0] == "get_dist_type":
            return self.normal(*inputs)
        return self.normal(*inputs, mean=self.mean, sd=self.std_trans(self.untransformed_std))


def normal_post_fn(name, shape):
    """Creates the NormalPosterior of weights with the name `name` and the shape `shape`."""
    return NormalPosterior(name, shape)


def made_prior(api, key, source):
    """Returns a prior given as a Cell or as a function that returns one; rejects one that is not
    normal."""
    prior = source
    if not isinstance(source, Cell):
        if not callable(source):
            raise TypeError(
                f"For '{api}', '{key}' must be a Cell or a function that returns one, "
                f"but got {type(source).__name__}."
            )
        prior = source()
    if not isinstance(prior, Normal) and not isinstance(getattr(prior, "normal", None), Normal):
        raise TypeError(
            f"For '{api}', '{key}' must give a normal distribution, but got {type(prior).__name__}."
        )
    return prior


def made_posterior(api, key, source, name, shape):
    """Returns the posterior that a function creates; rejects it unless it is a NormalPosterior."""
    if isinstance(source, Cell) or not callable(source):
        raise TypeError(
            f"For '{api}', '{key}' must be a function that returns a NormalPosterior, "
            f"but got {type(source).__name__}."
        )
    posterior = source(name=name, shape=shape)
    InstanceOf(NormalPosterior).refuse_part(api, f"'{key}'", posterior, verb="return")
    return posterior


class Variational:
    """Mixin of layers with sampled weights: the posteriors, and their divergence from the
    priors."""

    def _set_up_distributions(self, shape, priors, posteriors):
        """Creates the distributions of the weight, of shape `shape`, and with `has_bias` of the
        bias. `priors` and `posteriors` are pairs (for the weight, for the bias)."""
        class_name = type(self).__name__
        parts = [("weight", shape)] + [("bias", shape[:1])] * self.has_bias
        for (part, size), prior, posterior in zip(parts, priors, posteriors, strict=False):
            setattr(self, f"{part}_prior", made_prior(class_name, f"{part}_prior_fn", prior))
            setattr(
                self,
                f"{part}_posterior",
                made_posterior(class_name, f"{part}_posterior_fn", posterior, f"bnn_{part}", size),
            )

    def _drawn_bias(self):
        return self.bias_posterior("sample") if self.has_bias else None

    def _divergence(self, prior, posterior):
        learnt = posterior("get_dist_args")
        return prior("kl_loss", posterior("get_dist_type"), *learnt).sum()

    def compute_kl_loss(self):
        """Returns the KL divergence from the priors to the posteriors, summed over all weights, as
        a 0-d Tensor."""
        loss = self._divergence(self.weight_prior, self.weight_posterior)
        if self.has_bias:
            loss = loss + self._divergence(self.bias_prior, self.bias_posterior)
        return loss
