"""mindyolo: create YOLOv8, train it for two steps, save, load, predict, keep the best boxes."""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindyolo.models import create_loss, create_model
from mindyolo.optim import create_group_param, create_optimizer
from mindyolo.utils.config import Config
from mindyolo.utils.metrics import non_max_suppression
from mindyolo.utils.train_step_factory import create_train_step_fn, get_loss_scaler

ms.set_context(mode=int(sys.argv[1]))
rng = np.random.RandomState(0)
SIZE, CLASSES = 64, 3
NETWORK = {
    "model_name": "yolov8",
    "nc": CLASSES,
    "reg_max": 16,
    "stride": [8, 16, 32],
    "depth_multiple": 0.33,
    "width_multiple": 0.125,
    "max_channels": 1024,
    "backbone": [
        [-1, 1, "ConvNormAct", [64, 3, 2]],
        [-1, 1, "ConvNormAct", [128, 3, 2]],
        [-1, 3, "C2f", [128, True]],
        [-1, 1, "ConvNormAct", [256, 3, 2]],
        [-1, 3, "C2f", [256, True]],
        [-1, 1, "ConvNormAct", [512, 3, 2]],
        [-1, 3, "C2f", [512, True]],
        [-1, 1, "ConvNormAct", [1024, 3, 2]],
        [-1, 1, "SPPF", [1024, 5]],
    ],
    "head": [
        [-1, 1, "Upsample", ["None", 2, "nearest"]],
        [[-1, 6], 1, "Concat", [1]],
        [-1, 3, "C2f", [512]],
        [-1, 1, "Upsample", ["None", 2, "nearest"]],
        [[-1, 4], 1, "Concat", [1]],
        [-1, 3, "C2f", [256]],
        [[14, 11, 8], 1, "YOLOv8Head", ["nc", "reg_max", "stride"]],
    ],
}


def network():
    return create_model("yolov8", Config(NETWORK), num_classes=CLASSES, sync_bn=False)


net = network()
for parameter in net.trainable_params():
    if parameter.ndim == 4:
        deviation = np.sqrt(2 / np.prod(parameter.shape[1:]))
        values = rng.randn(*parameter.shape) * deviation
        parameter.set_data(Tensor(values.astype(np.float32)))
images = rng.rand(2, 3, SIZE, SIZE).astype(np.float32)
labels = np.array(  # image, class, and the box: its centre, width and height
    [
        [[0, 1, 0.5, 0.5, 0.5, 0.5], [0, 2, 0.3, 0.7, 0.3, 0.2], [0, 0, 0, 0, 0, 0]],
        [[1, 0, 0.4, 0.4, 0.6, 0.3], [1, 1, 0.6, 0.2, 0.2, 0.2], [1, 2, 0.8, 0.8, 0.2, 0.3]],
    ],
    np.float32,
)
loss_fn = create_loss(
    "YOLOv8Loss", box=7.5, cls=0.5, dfl=1.5, reg_max=16, nc=CLASSES, stride=NETWORK["stride"]
)
groups = create_group_param(
    params=net.trainable_params(),
    gp_weight_decay=5e-4,
    total_batch_size=2,
    group_param="yolov8",
    lr_init=0.001,
    start_factor=1.0,
    end_factor=0.01,
    warmup_bias_lr=0.001,
    epochs=2,
    steps_per_epoch=2,
    warmup_epochs=1,
    min_warmup_step=1,
    accumulate=1,
)
optimizer = create_optimizer(
    params=groups, optimizer="momentum", momentum=0.9, nesterov=False, loss_scale=1.0
)
step = create_train_step_fn(
    task="detect",
    network=net,
    loss_fn=loss_fn,
    optimizer=optimizer,
    loss_ratio=1.0,
    scaler=get_loss_scaler("static", 1024),
    reducer=ms.ops.functional.identity,
    ms_jit=int(sys.argv[1]) == ms.GRAPH_MODE,
)
net.set_train(True)
losses, finite = [], []
for _ in range(2):
    _, items, _, grads_finite = step(Tensor(images), Tensor(labels), True)
    losses.append(items.asnumpy().tolist())
    finite.append(bool(grads_finite))
ms.save_checkpoint(net, "net.ckpt")
loaded = network()
ms.load_param_into_net(loaded, ms.load_checkpoint("net.ckpt"))
net.set_train(False)
loaded.set_train(False)
predicted = [cell(Tensor(images))[0].asnumpy() for cell in (net, loaded)]
boxes = non_max_suppression(predicted[0], conf_thres=0.001, iou_thres=0.6, multi_label=True)
result = {
    "losses": sum(losses, []),
    "finite": all(finite),
    "shape": list(predicted[0].shape),
    "mean": float(predicted[0].mean()),
    "same": bool((predicted[0] == predicted[1]).all()),
    "boxes": [len(found) for found in boxes],
}
print("RESULT", json.dumps(result))
