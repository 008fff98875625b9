"""mindarmour: attack a network, and evaluate the attack."""

import json
import sys

import mindspore as ms
import numpy as np
from mindarmour.adv_robustness.attacks import FastGradientSignMethod, ProjectedGradientDescent
from mindarmour.adv_robustness.evaluations import AttackEvaluate
from mindspore import Tensor, nn

ms.set_context(mode=int(sys.argv[1]))
rng = np.random.RandomState(0)


def dense(inputs, outputs):
    weight = Tensor(rng.randn(outputs, inputs).astype(np.float32) * 0.4)
    return nn.Dense(inputs, outputs, weight_init=weight, bias_init="zeros")


net = nn.SequentialCell(dense(6, 8), nn.ReLU(), dense(8, 3))
x = rng.rand(6, 6).astype(np.float32)
labels = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2]]
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=False)
signs = FastGradientSignMethod(net, eps=0.3, loss_fn=loss).generate(x, labels)
steps = ProjectedGradientDescent(net, eps=0.3, nb_iter=3, loss_fn=loss).generate(x, labels)
evaluated = AttackEvaluate(x, labels, signs, net(Tensor(signs)).asnumpy())
result = {
    "signs": signs.ravel()[:12].tolist(),
    "steps": steps.ravel()[:12].tolist(),
    "misclassified": float(evaluated.mis_classification_rate()),
}
print("RESULT", json.dumps(result))
