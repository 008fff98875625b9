"""Writes the small files that cases read into the worker's own folder: checkpoints, tables, texts,
images, sounds, and datasets in their publishers' formats.

Argument texts use it as `sample.files.mnist()`. Methods that write files return a path.
"""

import contextlib
import gzip
import json
import pickle
import shutil
import struct
import time
import wave as sound
from pathlib import Path

import numpy as np

from . import messages, sources
from .sources import png

_WORDS = "the cat sat on a mat and saw that dogs run fast over green hills".split()


class Files:
    """The files of one worker."""

    def __init__(self, ms):
        self.ms = ms

    def folder(self, name):
        """Returns a folder of that name."""
        Path(name).mkdir(parents=True, exist_ok=True)
        return name

    @staticmethod
    def names(folder):
        """Returns the names of the files in a folder."""
        return sorted(path.name for path in Path(folder).iterdir() if path.is_file())

    @staticmethod
    def tree(folder):
        """Returns the paths of all files in a folder, relative to it."""
        files = (path for path in Path(folder).rglob("*") if path.is_file())
        return sorted(path.relative_to(folder).as_posix() for path in files)

    @staticmethod
    def dumped(pattern, patience=3.0):
        """Returns the arrays in the files that match a pattern. Waits up to `patience` seconds for
        another thread to finish writing them."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            with contextlib.suppress(OSError, ValueError):
                if arrays := [np.load(path) for path in sorted(Path().glob(pattern))]:
                    return arrays
            time.sleep(0.02)
        return []

    @staticmethod
    def absolute(path):
        """Returns the absolute path."""
        return str(Path(path).resolve())

    @staticmethod
    def clear(folder):
        """Deletes a folder that an earlier case has left."""
        shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def events(folder):
        """Returns the events in the summary files of a folder."""
        files = (path for path in sorted(Path(folder).rglob("*")) if "events" in path.name)
        return [messages.events(path.read_bytes()) for path in files]

    @staticmethod
    def json(path):
        """Returns the content of a JSON file."""
        return json.loads(Path(path).read_text(encoding="utf-8"))

    @staticmethod
    def flip(path, part):
        """Flips the last bit of some bytes of a file."""
        content = Path(path).read_bytes()
        assert content.count(part) == 1
        Path(path).write_bytes(content.replace(part, part[:-1] + bytes([part[-1] ^ 1])))

    @staticmethod
    def count(path, part):
        """Returns how often a file contains some bytes."""
        return Path(path).read_bytes().count(part)

    @staticmethod
    def size(path):
        """Returns the size of a file in bytes."""
        return Path(path).stat().st_size

    @staticmethod
    def png_of(shape):
        """Returns the content of a PNG file with fixed pixels."""
        return png(_bytes(shape, 3))

    @staticmethod
    def packed(folder):
        """Adds compressed copies of the files to a folder, and returns it."""
        for path in [p for p in Path(folder).iterdir() if p.suffix != ".gz"]:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        return folder

    def write(self, path, content):
        """Writes a file with the given content."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    @staticmethod
    def source(form, name=""):
        """Writes the files of a publisher's format (`sources`) into a folder. Returns the folder,
        or the path of one of the files."""
        home = form.partition("/")[0]
        if not Path("sources", home).exists():
            sources.write("sources", [home])
        return "/".join(filter(None, ("sources", form, name)))

    def checkpoint(self, name="sample.ckpt"):
        """Writes a checkpoint of three parameters, two of them of one layer."""
        ms = self.ms
        values = {"a.weight": [[1.0, 2.0], [3.0, 4.0]], "a.bias": [0.5, -0.5], "b.weight": [7.0]}
        parameters = [{"name": k, "data": ms.Tensor(np.float32(v))} for k, v in values.items()]
        ms.save_checkpoint(parameters, name)
        return name

    def slices(self, folder="slices", form="ckpt", suffix=""):
        """Writes the checkpoints of four ranks. Each holds two rows of `w` and the whole of `b`."""
        ms = self.ms
        whole = np.arange(32, dtype=np.float32).reshape(8, 4)
        for rank in range(4):
            self.folder(f"{folder}/rank_{rank}")
            arrays = {"w": whole[2 * rank : 2 * rank + 2], "b": np.float32([1, 2])}
            ms.save_checkpoint(
                [{"name": name, "data": ms.Tensor(values)} for name, values in arrays.items()],
                f"{folder}/rank_{rank}/net{suffix}.{form}",
                format=form,
            )
        return folder

    def strategy(self, name="rows.json", grid=(4,), cut=(0, -1)):
        """Writes a strategy file, which says how `w` is divided over a grid of devices; `b` is not
        divided."""

        def layout(axes):
            known = {"dev_matrix": list(grid), "tensor_map": list(axes)}
            nothing = {"param_split_shape": [], "indices_offset": []}
            shards = {"opt_weight_shard_step": 0, "opt_weight_shard_size": 0}
            return {**known, **nothing, "field": 0, **shards}

        operation = {"parallel_strategy": [{"stage": 0}]}
        items = {"w": layout(cut), "b": layout((-1,))}
        content = {"parallel_strategy_item": {"op": operation}, "parallel_layout_item": items}
        return self.write(name, json.dumps(content))

    def holder(self, shape=(8, 4), name="w"):
        """Returns a layer with `b` and a Parameter into which the slices are loaded."""
        ms = self.ms
        net = ms.nn.Cell()
        net.w = ms.Parameter(ms.Tensor(np.zeros(shape, np.float32)), name=name)
        net.b = ms.Parameter(ms.Tensor(np.zeros(2, np.float32)), name="b")
        return net

    def jieba(self):
        """Writes a model and a dictionary of Chinese words, and returns both paths."""
        impossible, marks = "-3.14e+100", "\u4eca\u5929\u6c14\u597d"
        rows = [
            f"-0.25 {impossible} {impossible} -1.5",
            f"{impossible} -0.5 -0.9 {impossible}",
            f"-0.6 {impossible} {impossible} -0.8",
            f"{impossible} -0.3 -1.25 {impossible}",
            f"-0.7 {impossible} {impossible} -0.65",
            *[",".join(f"{mark}:-2.0" for mark in marks)] * 4,
        ]
        words = {marks[:2]: 30, marks[2:]: 20, marks: 1, **dict.fromkeys(marks, 5)}
        model = "".join(f"{row}\n" for row in rows)
        listed = "".join(f"{word} {count} n\n" for word, count in words.items())
        return self.write("hmm.utf8", model), self.write("mp.utf8", listed)

    @staticmethod
    def onnx(path):
        """Returns the inputs, outputs and constants of an exported graph."""
        return messages.onnx(Path(path).read_bytes())

    def csv(self, name="table.csv", header=False):
        """Writes six rows of an integer, a float and a word."""
        rows = [f"{i},{i * 0.5 - 1},{word}" for i, word in enumerate(_WORDS[:6])]
        return self.write(name, "\n".join((["x,y,z"] if header else []) + rows) + "\n")

    def lines(self, name="lines.txt", count=6):
        """Writes one sentence per line."""
        return self.write(name, "\n".join(self._sentence(i) for i in range(count)) + "\n")

    def _sentence(self, index):
        return " ".join(_WORDS[index % 5 : index % 5 + 3 + index % 4])

    def clue(self, name="clue.json"):
        """Writes rows of the task AFQMC."""
        rows = [
            {
                "sentence1": self._sentence(i),
                "sentence2": self._sentence(i + 2),
                "label": str(i % 2),
            }
            for i in range(5)
        ]
        return self.write(name, "\n".join(map(json.dumps, rows)) + "\n")

    def news(self, columns=3, name="news"):
        """Writes tables of labelled texts: train.csv and test.csv."""
        for part, count in (("train", 5), ("test", 4)):
            rows = [
                ",".join(
                    [f'"{i % 3 + 1}"'] + [f'"{self._sentence(i + c)}"' for c in range(1, columns)]
                )
                for i in range(count)
            ]
            self.write(f"{name}{columns}/{part}.csv", "\n".join(rows) + "\n")
        return f"{name}{columns}"

    def texts(self, *names, name="texts", each=None):
        """Writes a folder of text files that contain sentences; without a number for each file,
        each has its own number of sentences."""
        for index, part in enumerate(names):
            self.lines(f"{name}/{part}", each or 5 + index)
        return name

    def reviews(self, name="reviews"):
        """Writes texts into folders by opinion: train/pos/0_9.txt, ..."""
        for part in ("train", "test"):
            for opinion in ("pos", "neg"):
                for index in range(2):
                    self.write(
                        f"{name}/{part}/{opinion}/{index}_{5 + index}.txt",
                        f"{part} {opinion} {self._sentence(index)}",
                    )
        return name

    def mnist(self, name="mnist", train="train", test="t10k", side=28):
        """Writes images and labels in the IDX format."""
        for part, count in ((train, 5), (test, 4)):
            images = _bytes((count, side, side), len(part))
            labels = np.arange(count, dtype=np.uint8)
            self.write(
                f"{name}/{part}-images-idx3-ubyte",
                struct.pack(">4i", 2051, count, side, side) + images.tobytes(),
            )
            self.write(
                f"{name}/{part}-labels-idx1-ubyte",
                struct.pack(">2i", 2049, count) + labels.tobytes(),
            )
        return name

    def cifar(self, classes=10):
        """Writes binary batches of images of 32 x 32."""
        name = f"cifar{classes}"
        heads = 1 if classes == 10 else 2
        parts = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
        for index, part in enumerate(parts if classes == 10 else ["train", "test"]):
            rows = _bytes((5 + 5 * (index % 2), heads + 3072), index)  # MindSpore reads by fives
            rows[:, :heads] %= 10
            self.write(f"{name}/{part}.bin", rows.tobytes())
        return name

    def pickled(self, classes=10):
        """Writes the same images as pickled batches, the publisher's format for Python."""
        name = f"pickled{classes}"
        keys = [b"labels"] if classes == 10 else [b"fine_labels", b"coarse_labels"]
        parts = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
        for index, part in enumerate(parts if classes == 10 else ["train", "test"]):
            batch = {b"data": _bytes((2, 3072), index)}
            batch.update({key: [(index + k) % classes, k] for k, key in enumerate(keys, 1)})
            self.write(f"{name}/{part}", pickle.dumps(batch, 3))
        return name

    def images(self, name="images"):
        """Writes images into one folder per class."""
        for index, label in enumerate(("bird", "cat", "dog")):
            for number in range(2):
                pixels = _bytes((6 + index, 8, 3), 3 * index + number)
                self.write(f"{name}/{label}/{number}.png", png(pixels))
        return name

    def sounds(self, *names, name="sounds", rate=None):
        """Writes a folder of short sounds; without a rate, each has its own."""
        for index, entry in enumerate(names):
            path = Path(name, entry)
            path.parent.mkdir(parents=True, exist_ok=True)
            with sound.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(rate or 8000 + index)
                file.writeframes((_bytes((40,), index).astype("<i2") * 99).tobytes())
        return name

    def doubled(self):
        """Writes rows in the MindRecord format, three for each number."""
        return self.records("doubled.mindrecord", 3)

    def records(self, name="rows.mindrecord", times=1):
        """Writes rows in the MindRecord format."""
        writer = self.ms.mindrecord.FileWriter(name, 1, overwrite=True)
        fields = {
            "n": {"type": "int32"},
            "name": {"type": "string"},
            "v": {"type": "float32", "shape": [2]},
        }
        writer.add_schema(fields, "rows")
        writer.add_index(["n"])
        writer.write_raw_data(
            [
                {"n": i // times, "name": word, "v": np.float32([i, i * 0.5])}
                for i, word in enumerate(_WORDS[:6])
            ]
        )
        writer.commit()
        return name


def _bytes(shape, phase):
    positions = np.arange(int(np.prod(shape)), dtype=np.int64)
    return (
        ((positions * positions * 31 + positions * 17 + phase * 101) % 251)
        .astype(np.uint8)
        .reshape(shape)
    )
