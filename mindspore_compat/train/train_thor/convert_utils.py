"""Converts a network, and a Model, for training with THOR."""

from ..._core.rules.vocabulary import CellOf, InstanceOf, checked
from ...nn.layer.thor_layer import convert
from ...nn.optim.thor import ThorGpu
from ...nn.wrap import TrainOneStepCell
from ..model import Model
from .model_thor import ModelThor

__all__ = ["ConvertModelUtils", "ConvertNetUtils"]


class ConvertNetUtils:
    """Converts layers of a network to layers that collect the factors of THOR.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3))
        >>> ms.train.ConvertNetUtils().convert_to_thor_net(net)
        >>> type(net[0]).__name__
        'DenseThor'

    Source: mindspore.train.ConvertNetUtils of MindSpore 2.10.
    """

    @checked
    def convert_to_thor_net(self, net: CellOf):
        """Replaces trainable Dense, Conv2d, Embedding and EmbeddingLookup layers within `net`.

        Args:
            net (Cell): the network, which is changed in place; parameters keep their names and
                values.
        """
        convert(net)


class ConvertModelUtils:
    """Converts a Model to one that trains with THOR.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn
        >>> net, loss = nn.SequentialCell(nn.Dense(2, 1)), nn.MSELoss()
        >>> rate = ms.Tensor([0.1])
        >>> optimizer = nn.thor(net, rate, rate, momentum=0.9, frequency=2)
        >>> model = ms.Model(net, loss, optimizer)
        >>> made = ms.ConvertModelUtils.convert_to_thor_model(
        ...     model, network=net, loss_fn=loss, optimizer=optimizer)
        >>> type(made).__name__
        'ModelThor'

    Source: mindspore.ConvertModelUtils of MindSpore 2.10.
    """

    @staticmethod
    def convert_to_thor_model(
        model,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        amp_level="O0",
        loss_scale_manager=None,
        keep_batchnorm_fp32=False,
    ):
        """Creates a Model whose steps compute factors and inverses only every `frequency` steps.

        Args:
            model (Model): the Model to convert.
            network (Cell): the network, or a training step that contains it and its optimizer.
            loss_fn (Cell): the loss.
            optimizer (Cell): the optimizer that `nn.thor` returned.
            metrics (Union[dict, set]): the metrics.
            amp_level (str): the mixed precision, see `amp.auto_mixed_precision`.
            loss_scale_manager (LossScaleManager): the manager of the loss scale.
            keep_batchnorm_fp32 (bool): whether batch norm stays in float32.

        Returns:
            Model, a new one; `model` itself if `optimizer` is not THOR's.

        Raises:
            TypeError: if `model` is not a Model.

        Examples:
            >>> import mindspore_compat as ms
            >>> from mindspore_compat import nn
            >>> net = nn.SequentialCell(nn.Dense(2, 3))
            >>> rate = ms.Tensor([4e-4, 1e-4], ms.float32)
            >>> optimizer = nn.thor(net, rate, rate, 0.9, frequency=4)
            >>> model = ms.Model(net, nn.MSELoss(), optimizer)
            >>> model = ms.ConvertModelUtils.convert_to_thor_model(
            ...     model, network=net, loss_fn=nn.MSELoss(), optimizer=optimizer)
        """
        InstanceOf(Model).refuse("convert_to_thor_model", "model", model)
        if not isinstance(optimizer, ThorGpu):
            return model
        if isinstance(network, TrainOneStepCell):
            return ModelThor(network=network)
        return ModelThor(
            network=network,
            loss_fn=loss_fn,
            optimizer=optimizer,
            metrics=metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )
