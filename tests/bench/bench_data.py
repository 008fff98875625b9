"""Rows per second of data pipelines, with one and two workers, beside the original's.

Run it as `python tests/bench/bench_data.py [INTERPRETER]`, where INTERPRETER is a Python that has
the original. Each library has a process of its own; the two take turns, case by case and round by
round, and the table shows medians: rows per second, processor microseconds per row (which busy
neighbours disturb less, and which leave out worker processes), and the ratio of the rates, ours to
theirs. Nothing is asserted.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROUNDS, WORKERS = 5, (1, 2)
IMAGES, ROWS = 200, 3000


def write_images(folder):
    """Writes JPEG files of 400 x 300 pixels, ten of the files in each of the classes."""
    import cv2

    random = np.random.default_rng(0)
    for number in range(IMAGES):
        coarse = random.integers(0, 256, (30, 40, 3), np.uint8)
        pixels = cv2.resize(coarse, (400, 300), interpolation=cv2.INTER_CUBIC).astype(np.int16)
        pixels += random.integers(-3, 4, pixels.shape, np.int16)
        os.makedirs(f"{folder}/{number // 10}", exist_ok=True)
        cv2.imwrite(f"{folder}/{number // 10}/{number}.jpg", pixels.clip(0, 255).astype(np.uint8))


class _Images:
    """The rows of a GeneratorDataset: images of one size."""

    def __init__(self, height, width, count):
        self.image = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
        self.count = count

    def __getitem__(self, index):
        return (self.image,)

    def __len__(self):
        return self.count


def folder_pipeline(ds, folder, workers):
    """Training's pipeline for ImageNet."""
    vision = ds.vision
    data = ds.ImageFolderDataset(folder, num_parallel_workers=workers)
    return data.map(
        [
            vision.RandomCropDecodeResize(224),
            vision.RandomHorizontalFlip(),
            vision.Normalize([123.7, 116.3, 103.5], [58.4, 57.1, 57.4]),
            vision.HWC2CHW(),
        ],
        "image",
        num_parallel_workers=workers,
    ).repeat(2)


def generated(height, width, size, count):
    """A pipeline that resizes images which Python code gives."""

    def pipeline(ds, folder, workers):
        data = ds.GeneratorDataset(_Images(height, width, count), ["image"])
        return data.map(
            [ds.vision.Resize(size), ds.vision.HWC2CHW()], "image", num_parallel_workers=workers
        )

    return pipeline


def python_pipeline(processes):
    """A pipeline of a cheap Python function, in threads or processes."""

    def pipeline(ds, folder, workers):
        data = ds.GeneratorDataset(_Images(32, 32, ROWS), ["image"])
        return data.map(
            [_halved], "image", num_parallel_workers=workers, python_multiprocessing=processes
        )

    return pipeline


def _halved(image):
    return image // 2


CASES = {
    "image folder, crop, flip, normalize": folder_pipeline,
    "generator 32 x 32, resize": generated(32, 32, (28, 28), ROWS),
    "generator 400 x 300, resize": generated(300, 400, (224, 224), 400),
    "generator, Python function": python_pipeline(False),
    "generator, Python function, processes": python_pipeline(True),
}


def serve(library, folder):
    """Measures the cases that come by standard input: rows per second, microseconds per row."""
    ds = importlib.import_module(f"{library}.dataset")
    for line in sys.stdin:
        case, workers = line.rstrip("\n").split("\t")
        data = CASES[case](ds, folder, int(workers))
        start, used = time.perf_counter(), time.process_time()
        count = sum(1 for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        rate, used = count / (time.perf_counter() - start), time.process_time() - used
        print("MEASURED", rate, used / count * 1e6, flush=True)


class Library:
    """A process that has one of the libraries."""

    def __init__(self, python, library, folder):
        self.process = subprocess.Popen(
            [python, os.path.abspath(__file__), "--serve", library, folder],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def measured(self, case, workers):
        """Rows per second of one epoch, and processor microseconds per row."""
        self.process.stdin.write(f"{case}\t{workers}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("MEASURED"):
                return [float(each) for each in line.split()[1:]]
        raise RuntimeError("the process ended")

    def end(self):
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()


def main():
    theirs = sys.argv[1:2]
    with tempfile.TemporaryDirectory() as folder:
        write_images(folder)
        libraries = [Library(sys.executable, "mindspore_compat", folder)]
        libraries += [Library(python, "mindspore", folder) for python in theirs]
        try:
            print(f"{'':40s} workers{'  rows/s  us/row' * len(libraries)}{'  ratio' * len(theirs)}")
            for case in CASES:
                for workers in WORKERS:
                    _show(
                        f"{case:40s} {workers:7d}",
                        [
                            [each.measured(case, workers) for each in libraries]
                            for _ in range(ROUNDS)
                        ],
                    )
        finally:
            for each in libraries:
                each.end()


def _show(name, rounds):
    """Prints the medians of a case's rounds."""
    medians = np.median(rounds, axis=0)
    told = "".join(f"{rate:8.0f}{used:8.0f}" for rate, used in medians)
    told += "".join(f"{medians[0, 0] / rate:7.2f}" for rate, _ in medians[1:])
    print(name + told, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
    else:
        main()
