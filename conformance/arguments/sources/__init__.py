"""Small files in the formats that the sources of mindspore.dataset read; `write(folder)` makes
them.

Pictures are real PNG files whatever their names, with pixels derived from their path.
"""

import hashlib
import inspect
import json
import pathlib
import struct
import zlib

import numpy as np

from . import record_files, sound_files, text_files


def picture(name, width=5, height=4, channels=3):
    """Returns the content of a PNG file."""
    pixels = b""
    while len(pixels) < height * width * channels:
        pixels += hashlib.sha256(name.encode() + pixels).digest()
    rows = np.frombuffer(pixels, np.uint8, height * width * channels)
    return png(rows.reshape(height, width, channels))


def png(pixels):
    """Returns an array of bytes as the content of a PNG file."""
    height, width, channels = pixels.shape

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">2I5B", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def celeba():
    flags = ("1 -1 -1", "-1  1 -1", "1 1 1", "-1 -1 -1", "1 -1 1")
    names = [f"{number:06d}.{'png' if number == 5 else 'jpg'}" for number in range(1, 6)]
    yield from names
    yield (
        "list_attr_celeba.txt",
        "5\n A B C \n"
        + "".join(f"{name}  {flag_line}\n" for name, flag_line in zip(names, flags, strict=True)),
    )
    yield (
        "list_eval_partition.txt",
        "".join(f"{name} {part}\n" for name, part in zip(names, (0, 0, 1, 2, 0), strict=True)),
    )


def cityscapes():
    def task(kind, part, city, number):
        stem = f"{kind}/{part}/{city}/{city}_00000{number}_000019_{kind}_"
        yield from (f"{stem}{ending}.png" for ending in ("color", "instanceIds", "labelIds"))
        yield f"{stem}polygons.json", json.dumps({"imgHeight": number, "c": city, "é": [1, 2.5]})

    for part, city in (
        ("train", "aachen"),
        ("train", "bochum"),
        ("val", "ulm"),
        ("test", "berlin"),
    ):
        for number in range(2):
            yield f"leftImg8bit/{part}/{city}/{city}_00000{number}_000019_leftImg8bit.png"
            yield from task("gtFine", part, city, number)
            if city in ("aachen", "ulm"):
                yield from task("gtCoarse", part, city, number)
    yield "leftImg8bit/train_extra/augsburg/augsburg_000000_000019_leftImg8bit.png"
    yield from task("gtCoarse", "train_extra", "augsburg", 0)


def places365():
    yield "categories_places365.txt", "/a/airfield 0\n/b/bar 1\n/c/cafe 2\n"
    yield "places365_train_standard.txt", "/a/airfield/1.jpg 0\n/b/bar/2.jpg 1\n/c/cafe/3.jpg 2\n"
    yield "places365_train_challenge.txt", "/a/airfield/1.jpg 0\n/b/bar/2.jpg 1\n"
    yield "places365_val.txt", "Places365_val_00000001.jpg 2\nPlaces365_val_00000002.jpg 0\n"
    for size in ("256", "large"):
        for kind in ("standard", "challenge"):
            yield from (
                f"data_{size}_{kind}/{name}.jpg" for name in ("a/airfield/1", "b/bar/2", "c/cafe/3")
            )
        yield from (f"val_{size}/Places365_val_0000000{number}.jpg" for number in (1, 2))


def div2k():
    for part, numbers in (("train", (1, 2, 3)), ("valid", (801, 802))):
        for number in numbers:
            yield f"DIV2K_{part}_HR/{number:04d}.png"
            for scale in (2, 3, 4):
                for kind in ("bicubic", "unknown"):
                    yield f"DIV2K_{part}_LR_{kind}/X{scale}/{number:04d}x{scale}.png"
            for kind in ("mild", "difficult", "wild"):
                yield f"DIV2K_{part}_LR_{kind}/{number:04d}x4{kind[0]}.png"
            yield f"DIV2K_{part}_LR_x8/{number:04d}x8.png"


def voc():
    def box(name, at, more=""):
        left, top, right, bottom = at
        return (
            f"<object><name>{name}</name>{more}<bndbox><xmin>{left}</xmin><ymin>{top}</ymin>"
            f"<xmax>{right}</xmax><ymax>{bottom}</ymax></bndbox></object>"
        )

    flags = "<difficult>1</difficult><truncated>1</truncated>"
    objects = {
        "1": box("dog", (1, 2, 3, 4), flags) + box("cat", (1, 1, 5, 4)),
        "2": box("train", (2.5, 1, 4, 4)),
        "3": box("cat", (1, 1, 2, 2), flags),
    }
    for name, elements in objects.items():
        yield f"JPEGImages/{name}.jpg"
        yield f"SegmentationClass/{name}.png"
        yield (
            f"Annotations/{name}.xml",
            (f"<annotation><filename>{name}.jpg</filename>{elements}</annotation>"),
        )
    yield "ImageSets/Segmentation/train.txt", "1\n3\n"
    yield "ImageSets/Segmentation/val.txt", "2\n"
    yield "ImageSets/Main/train.txt", "1\n2\n"
    yield "ImageSets/Main/val.txt", "3\n"
    yield "ImageSets/Main/bad.txt", "4\n"
    yield "JPEGImages/4.jpg"
    yield "Annotations/4.xml", "<annotation></annotation>"
    yield "ImageSets/Main/worse.txt", "5\n"
    yield "JPEGImages/5.jpg"
    yield "Annotations/5.xml", "<annotation><object><name>a</name></object></annotation>"


def coco():
    yield from (f"images/{number:03d}.jpg" for number in range(1, 5))
    images = [
        {"id": number, "file_name": f"{number:03d}.jpg", "height": 4, "width": 5}
        for number in (3, 1, 2)
    ]
    kinds = [
        {"id": 7, "name": "cat", "supercategory": "animal", "isthing": 1},
        {"id": 2, "name": "dog", "supercategory": "animal", "isthing": 0},
    ]

    def one(number, image, kind, **more):
        return {
            "id": number,
            "image_id": image,
            "category_id": kind,
            "iscrowd": int(isinstance(more.get("segmentation"), dict)),
            "area": 6.5,
            "bbox": [1.5, 2, number, 4],
            **more,
        }

    boxes = [
        one(1, 1, 7, segmentation=[[1, 2, 3, 4, 5, 6], [7, 8, 9.5, 1]]),
        one(2, 3, 2, segmentation=[[1, 2, 3, 4]]),
        one(3, 1, 2, segmentation={"counts": [3, 4, 5], "size": [4, 5]}),
    ]
    yield (
        "instances.json",
        json.dumps({"images": images, "annotations": boxes, "categories": kinds}),
    )
    points = [
        one(1, 1, 7, keypoints=[1, 2, 2, 3, 4, 1], num_keypoints=2),
        one(2, 3, 7, keypoints=[5, 6, 0, 0, 0, 0], num_keypoints=1),
    ]
    yield (
        "keypoints.json",
        json.dumps({"images": images, "annotations": points, "categories": kinds}),
    )
    parts = [
        {
            "image_id": 1,
            "file_name": "001.png",
            "segments_info": [
                {"id": 5, "category_id": 7, "iscrowd": 0, "bbox": [1, 2, 3, 4], "area": 12},
                {"id": 6, "category_id": 2, "iscrowd": 1, "bbox": [0, 0, 1, 1], "area": 1},
            ],
        }
    ]
    yield "panoptic.json", json.dumps({"images": images, "annotations": parts, "categories": kinds})
    words = [
        {"id": 1, "image_id": 2, "caption": "one dog"},
        {"id": 2, "image_id": 2, "caption": "è"},
        {"id": 3, "image_id": 3, "caption": "x"},
    ]
    yield "captions.json", json.dumps({"images": images, "annotations": words})
    yield "no_images.json", json.dumps({"annotations": boxes, "categories": kinds})
    yield "broken.json", "{"


def caltech256():
    yield from (
        "001.ak47/001_0001.jpg",
        "001.ak47/001_0002.jpg",
        "002.flag/002_0002.jpg",
        "002.flag/002_0001.jpg",
        "010.cup/010_0001.png",
    )
    yield "002.flag/notes.txt", "x"


def idx(array_bytes, kind, *shape):
    return struct.pack(f">{1 + len(shape)}I", kind * 256 + len(shape), *shape) + array_bytes


def emnist():
    for split in ("mnist", "letters"):
        for part, count in (("train", 3), ("test", 2)):
            pixels = bytes((7 * index + count) % 256 for index in range(count * 784))
            stem = f"emnist-{split}-{part}"
            yield f"{stem}-images-idx3-ubyte", idx(pixels, 8, count, 28, 28)
            yield f"{stem}-labels-idx1-ubyte", idx(bytes(range(count)), 8, count)


def qmnist():
    for stem, count in (("qmnist-train", 3), ("qmnist-test", 10003), ("xnist", 2)):
        pixels = bytes((7 * index + count) % 256 for index in range(784)) * count
        labels = b"".join(
            struct.pack(">8I", number % 10, *range(number, number + 7)) for number in range(count)
        )
        yield f"{stem}-images-idx3-ubyte", idx(pixels, 8, count, 28, 28)
        yield f"{stem}-labels-idx2-int", idx(labels, 12, count, 8)


def flickr():
    yield from (f"images/{name}.jpg" for name in ("b", "a"))
    yield (
        "tokens.txt",
        "".join(
            f"{name}.jpg#{index}\t{name} is, here {index} .\n"
            for name in ("b", "a")
            for index in range(5)
        ),
    )
    yield "few.txt", "b.jpg#0\tonly one\n"
    yield "odd.txt", "b.jpg no tab\n"


def food101():
    for name in ("pie", "cake"):
        yield from (f"images/{name}/{number}.jpg" for number in (12, 3, 45))
    yield "meta/train.txt", "pie/12\npie/3\ncake/45\n"
    yield "meta/test.txt", "cake/3\ncake/12\n"
    yield "meta/classes.txt", "cake\npie\n"


def kitti():
    for number in (1, 0):
        yield f"data_object_image_2/training/image_2/00000{number}.png"
        yield f"data_object_image_2/testing/image_2/00000{number}.png"
    yield (
        "data_object_label_2/training/label_2/000000.txt",
        ("Pedestrian 0.0 0 -0.20 712.40 143.00 810.73 307.92 1.89 0.48 1.2 1.84 1.47 8.41 0.01\n"),
    )
    yield (
        "data_object_label_2/training/label_2/000001.txt",
        (
            "Truck 0.00 0 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56\n"
            "Car 0.00 2 1.85 387.63 181.54 423.81 203.12 1.67 1.87 3.69 -16.53 2.39 58.49 1.57\n"
            "DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10\n"
        ),
    )


def lfw():
    people = {"Aaron_E": 1, "Bob_F": 3, "Cid_G": 2}
    for image_set in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
        for name, count in people.items():
            yield from (
                f"{image_set}/{name}/{name}_{number:04d}.jpg" for number in range(1, count + 1)
            )
    yield "lfw-names.txt", "".join(f"{name}\t{count}\n" for name, count in people.items())
    yield "peopleDevTrain.txt", "2\nAaron_E\t1\nBob_F\t3\n"
    yield "peopleDevTest.txt", "1\nCid_G\t2\n"
    yield "people.txt", "2\n1\nBob_F\t3\n2\nAaron_E\t1\nCid_G\t2\n"
    yield "pairsDevTrain.txt", "1\nBob_F\t1\t3\nAaron_E\t1\tBob_F\t2\n"
    yield "pairsDevTest.txt", "1\nCid_G\t1\t2\nCid_G\t1\tBob_F\t1\n"
    yield (
        "pairs.txt",
        ("2\t1\nBob_F\t1\t2\nAaron_E\t1\tBob_F\t2\nCid_G\t1\t2\nCid_G\t2\tAaron_E\t1\n"),
    )


def lsun():
    for folder in (
        "bedroom_train",
        "bedroom_val",
        "church_outdoor_train",
        "church_outdoor_val",
        "classroom_train",
        "test",
    ):
        yield from (f"{folder}/{number}.jpg" for number in (2, 1))


def manifest():
    rows = [
        ("train/1.JPEG", "train", "cat"),
        ("train/2.JPEG", "train", "dog"),
        ("eval/1.JPEG", "eval", "cat"),
        ("train/3.JPEG", "train", "ant"),
    ]
    yield from (path for path, _, _ in rows)

    def lines(folder):
        return "".join(
            json.dumps(
                {
                    "source": f"{folder}/{path}",
                    "usage": usage.upper(),
                    "id": "1",
                    "annotation": [{"name": name, "type": "modelarts/image_classification"}],
                }
            )
            + "\n"
            for path, usage, name in rows
        )

    def several(folder):
        return (
            json.dumps(
                {
                    "source": f"{folder}/train/1.JPEG",
                    "usage": "train",
                    "annotation": [
                        {"name": name, "type": "modelarts/image_classification"}
                        for name in ("cat", "dog")
                    ],
                }
            )
            + "\n"
        )

    yield "all.manifest", lines
    yield "several.manifest", several
    yield "broken.manifest", "{nope\n"


def omniglot():
    for part in ("background", "evaluation"):
        for alphabet, character in (
            ("Greek", "character02"),
            ("Greek", "character01"),
            ("Latin", "character01"),
        ):
            yield from (
                f"images_{part}/{alphabet}/{character}/{number:02d}.png" for number in (2, 1)
            )


def phototour():
    pixels = b"".join(
        bytes([(row // 64 * 16 + column // 64) % 251 for column in range(1024)])
        for row in range(1024)
    )
    palette = b"".join(bytes([level, level, level, 0]) for level in range(256))
    header = struct.pack(
        "<2sIHHIIiiHHIIiiII",
        b"BM",
        1078 + len(pixels),
        0,
        0,
        1078,
        40,
        1024,
        -1024,
        1,
        8,
        0,
        len(pixels),
        0,
        0,
        256,
        0,
    )
    for name in ("liberty", "notredame_harris"):
        yield f"{name}/patches0000.bmp", header + palette + pixels
        yield f"{name}/info.txt", "".join(f"{number // 3} 0\n" for number in range(300))
        yield f"{name}/m50_100000_100000_0.txt", "0 1 0 3 1 0 0\n7 2 0 255 9 0 0\n"


def rendered_sst2():
    for part in ("train", "valid", "test"):
        for kind in ("positive", "negative"):
            yield from (f"{part}/{kind}/{number:04d}.png" for number in (2, 1))


def sbu():
    yield from (f"sbu_images/m_3326_359630350{number}_3ce4c20529.jpg" for number in (5, 6))
    yield (
        "SBU_captioned_photo_dataset_urls.txt",
        "".join(
            f"http://static.flickr.com/3326/359630350{number}_3ce4c20529.jpg\n"
            for number in (5, 7, 6)
        ),
    )
    yield "SBU_captioned_photo_dataset_captions.txt", "first one\nsecond\n third, \n"


def semeion():
    rows = []
    for label in (0, 7, 3):
        pixels = [f"{float((index * (label + 1)) % 3 == 0):.4f}" for index in range(256)]
        rows.append(" ".join([*pixels, *(str(int(index == label)) for index in range(10))]) + " \n")
    yield "semeion.data", "".join(rows)


def stl10():
    size = 96 * 96 * 3
    for part, count in (("train", 2), ("test", 1), ("unlabeled", 2)):
        yield (
            f"{part}_X.bin",
            b"".join(
                bytes((index * 3 + number) % 256 for index in range(size))
                for number in range(count)
            ),
        )
        if part != "unlabeled":
            yield f"{part}_y.bin", bytes(range(4, 4 + count))


def sun397():
    yield "ClassName.txt", "/a/abbey\n/a/apartment/outdoor\n/b/badlands\n"
    for folder in ("a/abbey", "a/apartment/outdoor", "b/badlands"):
        yield from (f"{folder}/sun_{name}.jpg" for name in "ba")


def usps():
    def line(label):
        values = " ".join(f"{index}:{(index * label % 21) / 10 - 1:.4f}" for index in range(1, 257))
        return f"{label} {values} \n"

    yield "usps", "".join(map(line, (7, 10, 1)))
    yield "usps.t", "".join(map(line, (2, 5)))


def widerface():
    for part in ("train", "val", "test"):
        yield from (f"WIDER_{part}/images/0--Parade/{name}.jpg" for name in ("b", "a"))
    for part in ("train", "val"):
        yield (
            f"wider_face_split/wider_face_{part}_bbx_gt.txt",
            (
                "0--Parade/b.jpg\n2\n449 330 122 149 0 0 0 0 0 0 \n361 98 263 339 1 0 2 0 1 0 \n"
                "0--Parade/a.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n"
            ),
        )
    yield "wider_face_split/wider_face_test_filelist.txt", "0--Parade/b.jpg\n0--Parade/a.jpg\n"


FORMS = {
    name: form
    for name, form in {
        **vars(text_files),
        **vars(sound_files),
        **vars(record_files),
        **globals(),
    }.items()
    if inspect.isgeneratorfunction(form) and not name.startswith("_")
}


def write(folder, forms=FORMS):
    """Writes the files of some forms, by default of all, each form into a folder of its name."""
    for name in forms:
        for item in FORMS[name]():
            path, content = (item, picture(item)) if isinstance(item, str) else item
            content = content(f"{folder}/{name}") if callable(content) else content
            path = pathlib.Path(folder) / name / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
