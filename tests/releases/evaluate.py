"""Prints the results of all examples of the table of changes, as JSON: run by `test_changes.py`."""

import json
import os
import sys
import tempfile

import numpy as np

import mindspore_compat as ms
import mindspore_compat.dataset as ds
import mindspore_compat.dataset.vision as vision  # noqa: F401 - examples use it
from mindspore_compat import Tensor, nn, ops  # noqa: F401
from mindspore_compat._releases.changes import CHANGES

x = Tensor(np.array([[1.0, 5.0], [3.0, 2.0]], np.float32))
wide = Tensor(np.ones((1, 4), np.float32))
half = Tensor(np.array([0.5, 0.5], np.float32))
image = Tensor(np.ones((1, 1, 4, 4), np.float32))
picture = np.zeros((4, 4, 3), np.uint8)
box = np.array([[0, 0, 1, 1]], np.float32)


def stacked_array():
    array = nn.TensorArray(ms.int64, ())
    array.write(1, 2)
    return array.stack()


def popped_from_queue():
    queue = nn.TensorsQueue(ms.float32, ((2,),), size=1)
    queue.put((half,))
    return queue.pop()[0] if int(queue.size()) == 1 else queue.size()


class TwoLayers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(1, 1)
        self.fc2 = nn.Dense(1, 1)


def names_without(prefix):
    path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
    ms.save_checkpoint(TwoLayers(), path)
    try:
        return sorted(ms.load_checkpoint(path, filter_prefix=prefix))
    except ValueError:  # nothing is left
        return []


def write_numbers(results):
    """Writes a MindRecord file of the numbers 0 to 4; returns its path."""
    path = os.path.join(tempfile.mkdtemp(), "numbers.mindrecord")
    writer = ms.mindrecord.FileWriter(path)
    results["set_header_size"] = writer.set_header_size(1 << 24)
    results["set_page_size"] = writer.set_page_size(1 << 25)
    results["add_schema"] = writer.add_schema({"number": {"type": "int32"}})
    results["add_index"] = writer.add_index(["number"])
    results["write_raw_data"] = writer.write_raw_data([{"number": i} for i in range(5)])
    results["commit"] = writer.commit()
    return path


def result_of_writer(name):
    results = {}
    write_numbers(results)
    return results[name]


def result_of_converter():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "table.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b\n1,2\n")
    return ms.mindrecord.CsvToMR(path, os.path.join(folder, "table.mindrecord")).transform()


def rows_of_shard():
    data = ds.MindDataset(write_numbers({}), shuffle=False, num_shards=2, shard_id=1)
    return [int(number) for (number,) in data.create_tuple_iterator(output_numpy=True)]


def pairs():
    """A dataset of two columns."""
    rows = {"a": np.array([[1, 2], [3, 4]]), "b": np.array([5, 6])}
    return ds.NumpySlicesDataset(rows, shuffle=False)


class Untrained(ms.Model):
    """Keeps how `train` was called."""

    def _train(self, epoch, train_dataset, callbacks, dataset_sink_mode, *others):
        self.sinking = dataset_sink_mode


def model_and_data():
    network = nn.Dense(1, 1)
    data = {"x": np.ones((3, 1), np.float32), "y": np.ones((3, 1), np.float32)}
    optimizer = nn.SGD(network.trainable_params(), 0.1)
    return ms.Model(network, nn.MSELoss(), optimizer), ds.NumpySlicesDataset(data).batch(1)


def sinking_of_training():
    model = Untrained(nn.ReLU())
    model.train(1, pairs())
    return model.sinking


def first_word_of_time():
    import contextlib
    import io

    model, data = model_and_data()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        model.train(1, data, callbacks=[ms.train.TimeMonitor()], dataset_sink_mode=False)
    return printed.getvalue().split()[0]


def first_argument_of_hook(name):
    found = []
    cell = nn.ReLU()
    getattr(cell, name)(lambda first, *rest: found.append(type(first).__name__))
    ms.grad(cell)(Tensor([1.0]))
    return found[0]


def result(example):
    try:
        return " ".join(str(eval(example)).split())
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder  # of the examples' files
        results = {f"{each.release} {each.name}": result(each.example) for each in CHANGES}
    json.dump(results, sys.stdout)
