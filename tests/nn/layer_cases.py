"""Layers and losses to compare with the original: how each is made, and what it is called with.

`run(ms)` works with either package: it makes every layer with the same weights and returns what it
prints, the names of its parameters, its results and its gradients. This file is also run as a script by
the original's interpreter, and then prints that as JSON.
"""

import json
import re
import sys

import numpy as np

# One line per case: name | constructor | inputs. `T` makes floats of a shape, `I` ints below a bound.
CASES = """
dense | nn.Dense(3, 4) | T(2, 3)
dense_relu | nn.Dense(3, 4, has_bias=False, activation="relu") | T(5, 2, 3)
dense_vector | nn.Dense(3, 4, activation=nn.Tanh()) | T(3)
linear | nn.Linear(3, 4) | T(2, 3)
bidense | nn.BiDense(2, 3, 4) | T(5, 2), T(5, 3)
flatten | nn.Flatten() | T(2, 3, 4)
flatten_some | nn.Flatten(0, 1) | T(2, 3, 4)
norm | nn.Norm(1, True) | T(2, 3)
clip_by_norm | nn.ClipByNorm() | T(2, 3), T(1)
l1 | nn.L1Regularizer(0.5) | T(2, 3)
one_hot | nn.OneHot(depth=4) | I(4, 2, 3)
pad | nn.Pad(((1, 1), (0, 2))) | T(2, 3)
pad_reflect | nn.Pad(((1, 1), (0, 2)), "REFLECT") | T(2, 3)
pad_symmetric | nn.Pad(((1, 1), (2, 2)), "SYMMETRIC") | T(2, 3)
tril | nn.Tril() | T(3, 3)
unflatten | nn.Unflatten(1, (2, 3)) | T(2, 6)
dropout_eval | nn.Dropout(p=0.3) | T(2, 3)
dropout_keep | nn.Dropout(0.4) | T(2, 3)
dropout2d | nn.Dropout2d(0.4) | T(1, 2, 3, 3)
channel_shuffle | nn.ChannelShuffle(2) | T(1, 4, 2, 2)
time_distributed | nn.TimeDistributed(nn.Dense(3, 2), 1) | T(2, 4, 3)
time_joined | nn.TimeDistributed(nn.Dense(3, 2), 1, 0) | T(2, 4, 3)
conv2d | nn.Conv2d(3, 4, 3) | T(2, 3, 6, 5)
conv2d_pad | nn.Conv2d(3, 4, (2, 3), (1, 2), "pad", (1, 0, 2, 1), has_bias=True) | T(2, 3, 6, 5)
conv2d_group | nn.Conv2d(4, 6, 3, 2, "valid", group=2, dilation=1) | T(1, 4, 7, 7)
conv2d_depth | nn.Conv2d(4, 4, 3, group=4, dilation=2) | T(1, 4, 7, 7)
conv1d | nn.Conv1d(3, 4, 3, 2, "pad", 1, has_bias=True) | T(2, 3, 7)
conv1d_same | nn.Conv1d(3, 4, 2, 2) | T(2, 3, 7)
conv3d | nn.Conv3d(2, 3, 2, has_bias=True) | T(1, 2, 3, 4, 3)
conv3d_pad | nn.Conv3d(2, 3, (1, 2, 2), 2, "pad", (1, 0, 1, 1, 0, 0)) | T(1, 2, 3, 4, 3)
conv2d_transpose | nn.Conv2dTranspose(3, 4, 3, 2, has_bias=True) | T(2, 3, 4, 3)
conv2d_transpose_pad | nn.Conv2dTranspose(3, 4, 3, 2, "pad", 1, output_padding=1) | T(2, 3, 4, 3)
conv2d_transpose_valid | nn.Conv2dTranspose(3, 2, (2, 3), (1, 2), "valid") | T(1, 3, 4, 3)
conv1d_transpose | nn.Conv1dTranspose(3, 4, 3, 2, "pad", 1, has_bias=True) | T(2, 3, 4)
conv3d_transpose | nn.Conv3dTranspose(2, 3, 2, 2) | T(1, 2, 2, 3, 2)
batch_norm1d | nn.BatchNorm1d(3) | T(4, 3)
batch_norm2d | nn.BatchNorm2d(3, momentum=0.7) | T(2, 3, 4, 2)
batch_norm2d_train | nn.BatchNorm2d(3).set_train() | T(2, 3, 4, 2)
batch_norm1d_train | nn.BatchNorm1d(3, affine=False).set_train() | T(4, 3, 2)
batch_norm3d_train | nn.BatchNorm3d(2).set_train() | T(2, 2, 2, 3, 2)
layer_norm | nn.LayerNorm((4,)) | T(2, 3, 4)
layer_norm_two | nn.LayerNorm([3, 4], 1, 1) | T(2, 3, 4)
group_norm | nn.GroupNorm(2, 4) | T(2, 4, 3, 2)
embedding | nn.Embedding(5, 3, padding_idx=1) | I(5, 2, 4)
embedding_one_hot | nn.Embedding(5, 3, True) | I(5, 2, 4)
embedding_lookup | nn.EmbeddingLookup(5, 3) | I(5, 2, 4)
multi_field | nn.MultiFieldEmbeddingLookup(5, 3, 2, operator="MEAN") | I(5, 2, 3), T(2, 3), I(2, 2, 3)
max_pool1d | nn.MaxPool1d(3, 2) | T(2, 3, 8)
max_pool2d | nn.MaxPool2d(3, 2, "same") | T(1, 2, 5, 6)
max_pool2d_pad | nn.MaxPool2d(3, 2, "pad", 1) | T(1, 2, 5, 6)
max_pool3d | nn.MaxPool3d(2, 2) | T(1, 2, 4, 4, 4)
avg_pool1d | nn.AvgPool1d(3, 2, "same") | T(2, 3, 8)
avg_pool1d_pad | nn.AvgPool1d(3, 2, "pad", 1) | T(2, 3, 8)
avg_pool2d | nn.AvgPool2d((2, 3), 2) | T(1, 2, 5, 6)
avg_pool2d_same | nn.AvgPool2d(3, 2, "same") | T(1, 2, 5, 6)
avg_pool2d_pad | nn.AvgPool2d(3, 2, "pad", 1, count_include_pad=False) | T(1, 2, 5, 6)
avg_pool3d | nn.AvgPool3d(2, 1, "same") | T(1, 2, 3, 3, 3)
adaptive_avg1d | nn.AdaptiveAvgPool1d(2) | T(1, 2, 4)
adaptive_avg2d | nn.AdaptiveAvgPool2d((2, None)) | T(1, 2, 5, 4)
adaptive_avg3d | nn.AdaptiveAvgPool3d(2) | T(1, 2, 5, 4, 3)
adaptive_max2d | nn.AdaptiveMaxPool2d(2) | T(1, 2, 5, 4)
lp_pool2d | nn.LPPool2d(2, 2) | T(1, 2, 4, 4)
constant_pad2d | nn.ConstantPad2d((1, 0, 2, 1), 1.5) | T(1, 2, 3, 3)
reflection_pad2d | nn.ReflectionPad2d((1, 2, 0, 1)) | T(1, 2, 3, 3)
replication_pad3d | nn.ReplicationPad3d(1) | T(1, 2, 2, 2, 2)
zero_pad2d | nn.ZeroPad2d(1) | T(1, 2, 2, 2)
pixel_shuffle | nn.PixelShuffle(2) | T(1, 4, 2, 3)
pixel_unshuffle | nn.PixelUnshuffle(2) | T(1, 1, 4, 6)
central_crop | nn.CentralCrop(0.6) | T(2, 3, 7, 6)
image_gradients | nn.ImageGradients() | T(1, 2, 3, 3)
log_sum_exp | nn.ReduceLogSumExp((1,), True) | T(2, 3)
matmul | nn.MatMul(False, True) | T(2, 3), T(4, 3)
moments | nn.Moments((0,), True) | T(2, 3)
lgamma | nn.LGamma() | T(2, 3)
prelu | nn.PReLU(3, 0.3) | T(2, 3, 2)
leaky_relu | nn.LeakyReLU(0.3) | T(2, 3)
gelu | nn.GELU() | T(2, 3)
hswish | nn.HSwish() | T(2, 3)
softmax | nn.Softmax(0) | T(2, 3)
log_softmax | nn.LogSoftmax() | T(2, 3)
lstm | nn.LSTM(3, 4) | T(5, 2, 3)
lstm_deep | nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True) | T(2, 5, 3)
lstm_state | nn.LSTM(3, 4, has_bias=False) | T(5, 2, 3), (T(1, 2, 4), T(1, 2, 4))
lstm_lengths | nn.LSTM(3, 4, bidirectional=True) | T(5, 2, 3), None, L(2, 5)
gru | nn.GRU(3, 4) | T(5, 2, 3)
gru_deep | nn.GRU(3, 4, 2, bidirectional=True) | T(5, 2, 3), T(4, 2, 4)
gru_lengths | nn.GRU(3, 4, bidirectional=True) | T(5, 2, 3), None, L(2, 5)
rnn | nn.RNN(3, 4) | T(5, 2, 3)
rnn_relu | nn.RNN(3, 4, 2, nonlinearity="relu", bidirectional=True) | T(5, 2, 3)
rnn_lengths | nn.RNN(3, 4, bidirectional=True) | T(5, 2, 3), None, L(2, 5)
lstm_cell | nn.LSTMCell(3, 4) | T(2, 3), (T(2, 4), T(2, 4))
gru_cell | nn.GRUCell(3, 4) | T(2, 3), T(2, 4)
rnn_cell | nn.RNNCell(3, 4, nonlinearity="relu") | T(2, 3), T(2, 4)
conv_bn_act | nn.Conv2dBnAct(3, 4, 2, has_bn=True, activation="relu") | T(1, 3, 4, 4)
dense_bn_act | nn.DenseBnAct(3, 4, has_bn=True, activation="leakyrelu", alpha=0.5) | T(2, 3)
lrn | nn.LRN(3, bias=2.0) | T(1, 4, 3, 2)
layer_norm_part | nn.LayerNorm((3,), begin_norm_axis=1) | T(4, 2, 3)
attention | nn.MultiheadAttention(4, 2) | T(3, 2, 4), T(5, 2, 4), T(5, 2, 4)
attention_sizes | nn.MultiheadAttention(4, 2, kdim=3, vdim=5, has_bias=False) | T(3, 4), T(5, 3), T(5, 5)
attention_more | nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True) | T(3, 2, 4), T(5, 2, 4), T(5, 2, 4), B(3, 2, 5), True, B(5, 3, 5)
attention_heads | nn.MultiheadAttention(4, 2, batch_first=True) | T(2, 3, 4), T(2, 5, 4), T(2, 5, 4), T(2, 5), True, T(4, 3, 5), False
encoder_layer | nn.TransformerEncoderLayer(4, 2, 8, norm_first=True, activation="gelu") | T(3, 2, 4), B(4, 3, 3)
decoder_layer | nn.TransformerDecoderLayer(4, 2, 8) | T(3, 2, 4), T(5, 2, 4)
encoder | nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, nn.LayerNorm((4,))) | T(3, 2, 4)
transformer | nn.Transformer(4, 2, 1, 2, 8, batch_first=True) | T(2, 3, 4), T(2, 5, 4), None, B(5, 5, 5)
"""

# Of whole numbers; or of a table, which the original shows as the slopes of the rows that were read.
NO_GRADIENT = {"one_hot", "embedding_lookup", "multi_field"}


def cases():
    """(name, constructor, inputs) of every line."""
    return [tuple(part.strip() for part in line.split("|")) for line in CASES.strip().splitlines()]


class Makers:
    """What the lines of CASES may call, for one package."""

    def __init__(self, ms):
        self.ms = ms
        self.count = 0

    def floats(self, *shape):
        self.count += 1
        values = np.sin(np.arange(int(np.prod(shape))) * 1.7 + self.count) * 1.3
        return self.ms.Tensor(values.reshape(shape).astype(np.float32))

    def ints(self, bound, *shape):
        self.count += 1
        values = (np.arange(int(np.prod(shape))) * 7 + self.count) % bound
        return self.ms.Tensor(values.reshape(shape).astype(np.int32))

    def lengths(self, *values):
        return self.ms.Tensor(np.array(values, np.int32))

    def flags(self, every, *shape):
        """True at every `every`-th place, but not at the first."""
        values = np.arange(1, int(np.prod(shape)) + 1) % every == 0
        return self.ms.Tensor(values.reshape(shape))

    def scope(self):
        return {"ms": self.ms, "nn": self.ms.nn, "ops": self.ms.ops, "T": self.floats, "I": self.ints,
                "L": self.lengths, "B": self.flags, "np": np}


def fill(ms, cell):
    """Gives the parameters of a Cell values that do not depend on the package."""
    for at, param in enumerate(cell.get_parameters()):
        values = np.cos(np.arange(param.size) * 0.7 + at) * 0.4
        if "variance" in param.name:
            values = values * 0 + 1.5
        param.set_data(ms.Tensor(values.reshape(param.shape).astype(np.float32)))


def numbers(value):
    """Nested results as lists of numbers."""
    if isinstance(value, (tuple, list)):
        return [numbers(each) for each in value]
    return np.asarray(value.asnumpy(), np.float64).tolist()


def total(ms, value, at=0):
    """A weighted sum of everything in a result, for the gradient."""
    if isinstance(value, (tuple, list)):
        parts = [total(ms, each, at + i) for i, each in enumerate(value)]
        return sum(parts[1:], parts[0])
    weights = np.cos(np.arange(value.size) * 0.3 + at).reshape(value.shape)
    return (value.astype(ms.float32) * ms.Tensor(weights.astype(np.float32))).sum()


def gradients(ms, cell, inputs):
    """Gradients of the sum for the float inputs and the trainable parameters."""
    places = tuple(i for i, x in enumerate(inputs)
                   if isinstance(x, ms.Tensor) and x.dtype == ms.float32)
    weights = cell.trainable_params() if hasattr(cell, "trainable_params") else []

    def loss(*inputs):
        return total(ms, cell(*inputs))

    if not places and not weights:
        return []
    if not weights:
        return numbers(ms.grad(loss, places)(*inputs))
    if not places:
        return numbers(ms.grad(loss, None, weights)(*inputs))
    return numbers(ms.grad(loss, places, weights)(*inputs))


def run_case(ms, constructor, inputs, gradient=True):
    """What one layer prints, its parameters, its results and its gradients."""
    makers = Makers(ms)
    cell = eval(constructor, makers.scope())
    given = eval(f"({inputs},)", makers.scope())
    found = {"repr": re.sub(r"<.*?>", "<...>", repr(cell)),
             "parameters": [[name, p.name, list(p.shape), str(p.dtype), p.requires_grad]
                            for name, p in cell.parameters_and_names()]}
    fill(ms, cell)
    found["result"] = numbers(cell(*given))
    found["after"] = [numbers(p) for p in cell.get_parameters() if not p.requires_grad]
    if gradient:
        found["gradient"] = gradients(ms, cell, given)
    return found


def run(ms, lines):
    """All cases, by name; a refusal stands for its results."""
    found = {}
    for name, constructor, inputs in lines:
        try:
            found[name] = run_case(ms, constructor, inputs, name not in NO_GRADIENT)
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
    return found


if __name__ == "__main__":
    import mindspore

    print(json.dumps(run(mindspore, json.loads(sys.argv[1]) if len(sys.argv) > 1 else cases())))
