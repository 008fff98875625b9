"""Data pipelines and checkpoints of `python -m tests.bench`, for MindSpore's API.

A step is one epoch, or one file written or read. It returns the number of rows or parameters.
"""

import os
import tempfile

import numpy as np

WORKERS = (1, 2)
IMAGES = 200


def write_images(folder):
    """Writes JPEG files of 400 x 300 pixels, ten of the files in each of the classes."""
    from PIL import Image

    random = np.random.default_rng(0)
    for number in range(IMAGES):
        coarse = random.integers(0, 256, (30, 40, 3), np.uint8)
        pixels = np.asarray(Image.fromarray(coarse).resize((400, 300)), np.int16)
        pixels = pixels + random.integers(-3, 4, pixels.shape, np.int16)
        os.makedirs(f"{folder}/{number // 10}", exist_ok=True)
        image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
        image.save(f"{folder}/{number // 10}/{number}.jpg")


def epochs(pipeline):
    """Returns a step: all rows of a pipeline."""
    return lambda: sum(1 for _ in pipeline.create_tuple_iterator(num_epochs=1, output_numpy=True))


def image_folder(workers):
    """Returns a case: the training pipeline for ImageNet."""

    def case(ms):
        vision, folder = ms.dataset.vision, tempfile.TemporaryDirectory()
        write_images(folder.name)
        files = ms.dataset.ImageFolderDataset(folder.name, num_parallel_workers=workers)
        operations = [
            vision.RandomCropDecodeResize(224),
            vision.RandomHorizontalFlip(),
            vision.Normalize([123.7, 116.3, 103.5], [58.4, 57.1, 57.4]),
            vision.HWC2CHW(),
        ]
        step = epochs(files.map(operations, "image", num_parallel_workers=workers))
        return lambda _folder=folder: step()  # the folder lives as long as the step

    return case


class _Images:
    """The rows of a GeneratorDataset: images of one size."""

    def __init__(self, height, width, count):
        self.image = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
        self.count = count

    def __getitem__(self, index):
        return (self.image,)

    def __len__(self):
        return self.count


def resized(height, width, size, count, workers):
    """Returns a case: images from Python code, resized."""

    def case(ms):
        vision = ms.dataset.vision
        data = ms.dataset.GeneratorDataset(_Images(height, width, count), ["image"])
        operations = [vision.Resize(size), vision.HWC2CHW()]
        return epochs(data.map(operations, "image", num_parallel_workers=workers))

    return case


def _halved(image):
    return image // 2


def halved(workers, processes):
    """Returns a case: a cheap Python function, in threads or processes."""

    def case(ms):
        data = ms.dataset.GeneratorDataset(_Images(32, 32, 3000), ["image"])
        options = {"num_parallel_workers": workers, "python_multiprocessing": processes}
        return epochs(data.map([_halved], "image", **options))

    return case


def _values(ms):
    """Returns the parameters of a network of 25 million elements in 100 tensors, for a
    checkpoint."""
    random = np.random.default_rng(0)
    return [
        {"name": f"p{number}", "data": ms.Tensor(random.random(250_000, np.float32))}
        for number in range(100)
    ]


def save(ms):
    values, folder = _values(ms), tempfile.TemporaryDirectory()

    def step():
        ms.save_checkpoint(values, f"{folder.name}/net.ckpt")
        return len(values)

    return step


def load(ms):
    folder = tempfile.TemporaryDirectory()
    ms.save_checkpoint(_values(ms), f"{folder.name}/net.ckpt")
    return lambda: len(ms.load_checkpoint(f"{folder.name}/net.ckpt"))


def _with_workers():
    for number in WORKERS:
        name = f"{number} worker{'s' if number > 1 else ''}"
        yield f"200 files, crop, flip, normalize; {name}", image_folder(number)
        yield f"3,000 of 32 x 32, resize; {name}", resized(32, 32, (28, 28), 3000, number)
        yield f"400 of 400 x 300, resize; {name}", resized(300, 400, (224, 224), 400, number)
        yield f"3,000 rows, Python function; {name}", halved(number, False)
        yield f"3,000 rows, processes; {name}", halved(number, True)


CASES = {**dict(_with_workers()), "save 100 MB": save, "load 100 MB": load}
