"""mindcv: create a model, train it for three steps, evaluate, save, load, predict."""

import json
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindcv.loss import create_loss
from mindcv.models import create_model, list_models
from mindcv.optim import create_optimizer
from mindcv.scheduler import create_scheduler
from mindcv.utils import create_trainer
from mindspore import Tensor, nn

ms.set_context(mode=int(sys.argv[1]))
rng = np.random.RandomState(0)


class Losses(ms.Callback):
    def __init__(self):
        self.found = []

    def step_end(self, run_context):
        outputs = run_context.original_args().net_outputs
        loss = outputs[0] if isinstance(outputs, tuple) else outputs
        self.found.append(float(loss.asnumpy()))


net = create_model("resnet18", num_classes=4)
for parameter in net.trainable_params():
    if parameter.ndim > 1:
        deviation = np.sqrt(1 / np.prod(parameter.shape[1:]))
        values = rng.randn(*parameter.shape) * deviation
        parameter.set_data(Tensor(values.astype(np.float32)))
images = rng.randn(24, 3, 64, 64).astype(np.float32)
labels = np.arange(24, dtype=np.int32) % 4
data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(8)
rates = create_scheduler(
    3, scheduler="cosine_decay", lr=1e-4, min_lr=1e-5, warmup_epochs=0, decay_epochs=1
)
optimizer = create_optimizer(
    net.trainable_params(), opt="momentum", lr=rates, weight_decay=1e-4, momentum=0.9
)
model = create_trainer(
    net,
    create_loss("CE", label_smoothing=0.1),
    optimizer,
    metrics={"accuracy": nn.Accuracy()},
    amp_level="O0",
    amp_cast_list=None,
    loss_scale_type="fixed",
    loss_scale=1.0,
)
losses = Losses()
model.train(1, data, callbacks=[losses], dataset_sink_mode=False)
accuracy = model.eval(data, dataset_sink_mode=False)["accuracy"]
ms.save_checkpoint(net, "net.ckpt")
loaded = create_model("resnet18", num_classes=4, checkpoint_path="net.ckpt")
net.set_train(False)
loaded.set_train(False)
predicted = [cell(Tensor(images[:2])).asnumpy() for cell in (net, loaded)]
result = {
    "listed": len(list_models("swin*")),
    "losses": losses.found,
    "accuracy": accuracy,
    "same": bool((predicted[0] == predicted[1]).all()),
}
print("RESULT", json.dumps(result))
