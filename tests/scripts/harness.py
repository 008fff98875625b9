"""Helpers of a case on a public script, with real MindSpore and with this package.

A case builds a network of a script, sets its weights from the names of its parameters, passes it
synthetic inputs, and trains it for a step or two. The record of a run is small: losses, mean and
deviation of each output, and how far the weights have moved. The records of real MindSpore
therefore fit a JSON file, and comparing needs no real MindSpore. `runner.py` runs and compares.
"""

import importlib.abc
import importlib.machinery
import sys
import types
import zlib
from unittest import mock

import numpy as np

# Packages that scripts import for reading images or printing, which no network here needs.
ABSENT = set(
    "Bio Levenshtein SimpleITK absl addict albumentations bert4keras biopandas colorlog cv2 "
    "datasets dgl easydict editdistance einops faiss ftfy fvcore g2p_en gensim gym h5py hydra "
    "ijson imageio imgaug inflect iopath jieba kaldi_io lanms librosa lmdb loguru lpips "
    "matplotlib mindelec mindinsight mindsponge mindspore_gl mindspore_hub mmcv moxing munch "
    "networkx nibabel nltk numpy_indexed ogb omegaconf open3d openpyxl pandas "
    "prettytable psutil pyclipper pycocotools pydicom pypinyin python_speech_features "
    "pytorch_msssim pyworld rapidfuzz rdkit regex requests seaborn sentencepiece seqeval "
    "shapely six skimage sklearn soundfile tabulate tensorboard tensorboardX tensorflow "
    "termcolor tgt thop timm toml torch torchvision tqdm transformers trimesh unidecode wandb "
    "xlrd zhconv".split()
)


class Settings(dict):
    """A dict whose items are attributes as well, nested dicts alike."""

    def __init__(self, items=(), **more):
        super().__init__()
        for key, value in dict(items or {}, **more).items():
            self[key] = value

    def __setitem__(self, key, value):
        if isinstance(value, dict) and not isinstance(value, Settings):
            value = Settings(value)
        super().__setitem__(key, value)

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    __setattr__ = __setitem__


class AbsentPackages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import finder that returns mocks for the packages in `ABSENT`. It is last, so that
    installed packages are found first."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ABSENT:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        if spec.name == "easydict":
            module.EasyDict = Settings
        elif spec.name == "addict":
            module.Dict = Settings
        else:
            module.__getattr__ = self.attribute
        return module

    @staticmethod
    def attribute(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return mock.MagicMock(name=name)

    def exec_module(self, module):
        pass


class Kit:
    """The tools of a case: MindSpore, synthetic inputs and weights, and the record that it
    fills."""

    def __init__(self, ms, root, noise=0.0):
        self.ms, self.root, self.noise = ms, root, noise
        self.made = 0
        self.initial = {}
        self.record = {}

    def rng(self, key):
        return np.random.RandomState(zlib.crc32(str(key).encode()) & 0x7FFFFFFF)

    def next_rng(self):
        self.made += 1
        return self.rng(self.made)

    # Inputs.
    def tensor(self, values, dtype=None):
        values = np.asarray(values)
        return self.ms.Tensor(values if dtype is None else values.astype(dtype))

    def randn(self, *shape, dtype="float32"):
        return self.tensor(self.next_rng().randn(*shape), dtype)

    def rand(self, *shape, dtype="float32"):
        return self.tensor(self.next_rng().rand(*shape), dtype)

    def randint(self, below, *shape, dtype="int32"):
        return self.tensor(self.next_rng().randint(0, below, shape), dtype)

    def ones(self, *shape, dtype="float32"):
        return self.tensor(np.ones(shape), dtype)

    def zeros(self, *shape, dtype="float32"):
        return self.tensor(np.zeros(shape), dtype)

    # Networks.
    def init(self, net):
        """Sets every weight from its parameter's name and records names, shapes and dtypes."""
        text = []
        for parameter in sorted(net.get_parameters(), key=lambda p: p.name):
            text.append(f"{parameter.name} {tuple(parameter.shape)} {parameter.dtype}")
            if "Float" in str(parameter.dtype):
                values = self.weight(parameter.name, tuple(parameter.shape))
                self.initial[parameter.name] = values
                parameter.set_data(self.ms.Tensor(values, parameter.dtype))
        self.record.setdefault("parameters", []).extend(text)
        return self.without_dropout(net)

    def weight(self, name, shape):
        drawn = self.rng("p:" + name).random_sample(shape) * 2 - 1
        if name.endswith("moving_variance"):
            drawn = 1.1 + 0.1 * drawn
        elif name.endswith("gamma"):
            drawn = 1 + 0.1 * drawn
        elif len(shape) < 2 or "embed" in name.lower():
            drawn = 0.1 * drawn
        else:
            drawn = drawn * (3 / max(1.0, float(np.prod(shape[1:])))) ** 0.5
        if self.noise:
            drawn = drawn * (1 + self.noise * self.rng("n:" + name).randn(*shape))
        return np.asarray(drawn, "float32")

    def without_dropout(self, net):
        """Disables dropout, because implementations draw different masks."""
        for _, cell in net.cells_and_names():
            if type(cell).__name__.startswith("Dropout"):
                for name, value in (("p", 0.0), ("keep_prob", 1.0)):
                    if isinstance(getattr(cell, name, None), float):
                        setattr(cell, name, value)
        return net

    # The record.
    def out(self, value, key="out"):
        """Records an output; of nested outputs each, up to a dozen."""
        if isinstance(value, dict):
            for name in value:
                self.out(value[name], f"{key}.{name}")
        elif isinstance(value, (tuple, list)):
            for index, item in enumerate(value):
                self.out(item, f"{key}.{index}")
        elif value is not None and len(self.record.setdefault("outputs", {})) < 12:
            self.record["outputs"][key] = summary(value)
        return value

    def losses(self, step, times, *inputs):
        for _ in range(times):
            loss = step(*inputs)
            while isinstance(loss, (tuple, list)):
                loss = loss[0]
            value = np.asarray(loss.asnumpy() if hasattr(loss, "asnumpy") else loss)
            self.record.setdefault("losses", []).append(short(value.astype("float64").mean()))

    def weights(self, net):
        """Records the changes of the weights in training, summed in groups by their names."""
        groups = {}
        for parameter in net.get_parameters():
            if parameter.name in self.initial:
                moved = np.asarray(parameter.asnumpy()).astype("float64")
                moved -= self.initial[parameter.name]
                group = groups.setdefault(zlib.crc32(parameter.name.encode()) % 4, [0.0, 0.0])
                group[0] += float(np.abs(moved).sum())
                group[1] += float(moved.sum())
        self.record["moved"] = {str(k): [short(x) for x in v] for k, v in sorted(groups.items())}

    def settings(self, items=(), **more):
        return Settings(items, **more)

    def module(self, name, **attributes):
        """Adds a module of this name for a script that imports it."""
        module = types.ModuleType(name)
        module.__dict__.update(attributes)
        sys.modules[name] = module
        return module


def short(value):
    """Rounds a number to six digits; returns the name of a number that is not finite."""
    value = float(value)
    return float(f"{value:.6g}") if np.isfinite(value) else str(value)


def summary(value):
    """Shape, dtype, mean, spread and first numbers of an output."""
    values = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
    if values.dtype.kind == "c":
        values = np.stack([values.real, values.imag])
    if values.dtype.kind not in "fiub":
        return [list(values.shape), str(values.dtype)]
    flat = values.astype("float64").reshape(-1)
    finite = flat[np.isfinite(flat)]
    numbers = [finite.mean(), finite.std()] if finite.size else [0.0, 0.0]
    return [
        list(values.shape),
        str(values.dtype),
        int(flat.size - finite.size),
        *(short(x) for x in numbers),
        *(short(x) for x in flat[:3]),
    ]


# If the script has no loss, the network is trained with log(1 + mean(out ** 2)).


def float_paths(value, path=()):
    """The paths of the float Tensors in nested outputs."""
    if isinstance(value, dict):
        return [p for name in value for p in float_paths(value[name], (*path, name))]
    if isinstance(value, (tuple, list)):
        return [p for i, item in enumerate(value) for p in float_paths(item, (*path, i))]
    return [path] if "Float" in str(getattr(value, "dtype", "")) else []


def with_made_loss(ms, net, paths):
    """A Cell that reduces all float outputs of `net` to one number."""
    ops = ms.ops

    class MadeLoss(ms.nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.net = net
            self.paths = tuple(paths)

        def construct(self, *inputs):
            found = self.net(*inputs)
            total = 0.0
            for path in self.paths:
                out = found
                for index in path:
                    out = out[index]
                out = ops.cast(out, ms.float32)
                total = total + ops.log(ops.reduce_mean(ops.square(out)) + 1.0)
            return total

    return MadeLoss()


def train(kit, net, inputs, steps=2):
    """Runs the forward pass, then steps of Momentum with the synthetic loss."""
    nn = kit.ms.nn
    net.set_train(False)
    found = kit.out(net(*inputs))
    paths = float_paths(found)
    parameters = net.trainable_params()
    if not paths or not parameters:
        return
    made = with_made_loss(kit.ms, net, paths)
    step = nn.TrainOneStepCell(made, nn.Momentum(parameters, 1e-3, 0.9))
    step.set_train()
    kit.losses(step, steps, *inputs)
    kit.weights(net)
