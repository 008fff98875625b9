"""Small files in the forms that the sources of mindspore.dataset read; `write(folder)` makes them.

Pictures are real PNG files whatever their names, with pixels that follow from their path.
"""

import json
import pathlib
import struct
import zlib


def picture(name, width=5, height=4, channels=3):
    """The content of a PNG file."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    first = zlib.crc32(name.encode())
    rows = b"".join(
        b"\0"
        + bytes(
            (first + 37 * (row * width * channels + place)) % 256
            for place in range(width * channels)
        )
        for row in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
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
        + "".join(f"{name}  {each}\n" for name, each in zip(names, flags, strict=True)),
    )
    yield (
        "list_eval_partition.txt",
        "".join(f"{name} {part}\n" for name, part in zip(names, (0, 0, 1, 2, 0), strict=True)),
    )


def cityscapes():
    def task(kind, part, city, number):
        stem = f"{kind}/{part}/{city}/{city}_00000{number}_000019_{kind}_"
        yield from (f"{stem}{each}.png" for each in ("color", "instanceIds", "labelIds"))
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


def clue():
    tasks = {
        "afqmc": [
            {"sentence1": "蚂蚁", "sentence2": "b c", "label": "0"},
            {"sentence1": "d", "sentence2": "e", "label": "1"},
        ],
        "afqmc_test": [{"id": 0, "sentence1": "a", "sentence2": "b"}],
        "tnews": [
            {"label": "102", "label_desc": "n", "sentence": "s1", "keywords": "k,k2"},
            {"label": "103", "label_desc": "x", "sentence": "s2", "keywords": ""},
        ],
        "tnews_test": [{"id": 3, "keywords": "k", "sentence": "s"}],
        "iflytek": [{"label": "11", "label_des": "d", "sentence": "s1"}],
        "iflytek_test": [{"id": 9, "sentence": "s1"}],
        "cmnli": [{"sentence1": "a", "sentence2": "b", "label": "neutral"}],
        "cmnli_test": [{"id": 2, "sentence1": "a", "sentence2": "b"}],
        "csl": [{"id": 1, "abst": "a", "keyword": ["水体", "b"], "label": "0"}],
        "csl_test": [{"id": 1, "abst": "a", "keyword": ["k"]}],
    }
    target = {"span2_index": 37, "span1_index": 5, "span1_text": "床", "span2_text": "它"}
    tasks["wsc"] = [{"target": target, "idx": 261, "label": "false", "text": "t"}]
    tasks["wsc_test"] = [{"target": target, "idx": 261, "text": "t"}]
    for name, rows in tasks.items():
        yield f"{name}.json", "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    yield "broken.json", "{nope\n"


FORMS = {form.__name__: form for form in (celeba, cityscapes, clue, div2k, places365)}


def write(folder):
    """Makes the files of all forms, each form's in a folder of its name."""
    for name, form in FORMS.items():
        for each in form():
            path, content = (each, picture(each)) if isinstance(each, str) else each
            path = pathlib.Path(folder) / name / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
