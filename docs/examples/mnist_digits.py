"""Five thousand handwritten digits in the four files of MNIST, without a download.

`write_mnist(folder)` unpacks digits.npz, next to this file, into

    train-images-idx3-ubyte  train-labels-idx1-ubyte    4,000 digits for training
    t10k-images-idx3-ubyte   t10k-labels-idx1-ubyte     1,000 digits for testing

so that `mindspore.dataset.MnistDataset(folder, "train")` reads them like the original MNIST. The
digits are shuffled with a fixed seed, so the files are always the same. As a script, it takes the
folder as its argument. digits.LICENSE.txt names the source of the digits.
"""

import os
import pathlib
import struct
import sys

import numpy as np

DIGITS = pathlib.Path(__file__).with_name("digits.npz")
TRAINING = 4000


def write_mnist(folder):
    """Write the four files into a folder, unless they exist; return the folder.

    A file is renamed once it is complete, so an interrupted run leaves no partial file.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with np.load(DIGITS) as digits:
        images, labels = digits["images"], digits["labels"]
    order = np.random.default_rng(2024).permutation(len(labels))
    for part, chosen in (("train", order[:TRAINING]), ("t10k", order[TRAINING:])):
        _write_idx(folder / f"{part}-images-idx3-ubyte", images[chosen])
        _write_idx(folder / f"{part}-labels-idx1-ubyte", labels[chosen])
    return str(folder)


def _write_idx(path, array):
    """Write a uint8 array in IDX format: magic number, shape, bytes."""
    header = struct.pack(f">{1 + array.ndim}I", 2048 + array.ndim, *array.shape)
    content = header + array.tobytes()
    if path.exists() and path.read_bytes() == content:
        return
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    unfinished.write_bytes(content)
    unfinished.replace(path)


if __name__ == "__main__":
    print(write_mnist(sys.argv[1] if len(sys.argv) > 1 else "mnist"))
