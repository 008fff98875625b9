"""Calls of mindspore.dataset with results of MindSpore 2.10, and how they are recorded.

Run in tests/ by an interpreter with MindSpore (CPU), `python -m recorded.dataset_calls` writes
tests/data/observed_dataset.jsonl; dataset/test_observed.py makes the same calls of this package. An
array is recorded as dtype, shape and the CRC-32 of its bytes: values must agree bit for bit.
"""

import io
import itertools
import json
import pathlib
import zlib

import numpy as np

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_dataset.jsonl"


def images():
    """The inputs of the transforms, by name."""
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (4, 5, 3), dtype=np.uint8)
    wide = rng.integers(20, 200, (13, 37, 3), dtype=np.uint8)
    return {
        "rgb": rgb,
        "grey": rgb[:, :, 0],
        "one": rgb[:, :, :1],
        "floats": rgb.astype(np.float32),
        "batch": np.stack([rgb, rgb[::-1]]),
        "ints": rgb.astype(np.int32),
        "wide": wide,
        "doubles": rgb.astype(np.float64),
        "flags": rgb > 100,
        "words": rgb.astype(np.uint16),
        "four": np.dstack([rgb, rgb[:, :, 0]]),
        "text": np.array(["a"]),
        "hot": np.eye(4)[:3],
    }


ARRAYS = (
    "rgb",
    "grey",
    "one",
    "floats",
    "batch",
    "ints",
    "wide",
    "doubles",
    "words",
    "four",
    "text",
)
PICTURES = ("rgb_image", "grey_image")
NUMPY_ONLY = """
    vision.Rescale(1 / 255, -0.5) | vision.Rescale(1 / 3, 0) | vision.HWC2CHW() | vision.ToTensor()
    vision.ToTensor(np.float16) | vision.Normalize([10.0, 20.0, 30.0], [2.0, 3.0, 7.0])
    vision.Normalize([10.0], [3.0]) | vision.Normalize([0.5] * 4, [2.0] * 4, is_hwc=True)
    vision.HorizontalFlip() | vision.VerticalFlip() | vision.ToNumpy()
    vision.ToType(np.float16) | vision.Resize((2, 3)) | vision.Resize(7) | vision.Resize((8, 10))
    vision.Resize((2, 3), vision.Inter.NEAREST) | vision.Resize((9, 4), vision.Inter.NEAREST)
    vision.Resize((9, 14), vision.Inter.CUBIC) | vision.Resize((31, 20), vision.Inter.CUBIC)
    vision.Rotate(30, vision.Inter.AREA)
    vision.CenterCrop(2) | vision.Crop((1, 1), (2, 3)) | vision.Crop((3, 3), 3)
    vision.Pad(1, 7) | vision.Pad((1, 2), 7, vision.Border.EDGE) | vision.Pad(1, (1, 2, 3))
    vision.Pad((1, 2, 3, 2), 7, vision.Border.REFLECT) | vision.Pad(2, 7, vision.Border.SYMMETRIC)
    vision.PadToSize((14, 40)) | vision.PadToSize((14, 40), (1, 2), 9) | vision.Erase(1, 1, 2, 2, 7)
    vision.ResizedCrop(1, 1, 2, 3, (4, 4)) | vision.Rotate(30)
    vision.Rotate(30, vision.Inter.LINEAR, fill_value=7) | vision.Rotate(77.5, center=(1, 2))
    vision.Affine(20.0, (0.1, 0.2), 1.2, (5.0, 3.0)) | vision.Affine(-9, (0, 0.3), 0.7, 12.0)
    vision.Affine(20.0, (0.1, 0.2), 1.2, (5.0, 3.0), vision.Inter.LINEAR, 5)
    vision.AdjustBrightness(1.7) | vision.AdjustBrightness(0) | vision.Invert() | vision.Equalize()
    vision.AdjustContrast(1.7) | vision.AutoContrast()
    vision.AutoContrast(10.0, [3, 215]) | vision.Posterize(3) | vision.Solarize((50, 150))
    vision.Solarize(100) | vision.RgbToHsv(True) | vision.HsvToRgb(True)
    vision.RandomHorizontalFlip(1.0) | vision.RandomVerticalFlip(1.0)
"""
PICTURE_ONLY = """
    vision.ToPIL() | vision.ToTensor() | vision.Resize((2, 3)) | vision.Grayscale()
    vision.Resize((2, 3), vision.Inter.ANTIALIAS) | vision.Resize(9, vision.Inter.CUBIC)
    vision.Grayscale(3) | vision.FiveCrop(2) | vision.TenCrop(2) | vision.TenCrop(2, True)
    vision.CenterCrop(2) | vision.CenterCrop((6, 3)) | vision.Pad(1, 7) | vision.Equalize()
    vision.Pad((1, 2), 7, vision.Border.EDGE) | vision.AdjustBrightness(1.7) | vision.Invert()
    vision.AdjustContrast(1.7) | vision.AdjustSaturation(1.7) | vision.AdjustHue(0.2)
    vision.AdjustGamma(0.7, 1.2) | vision.AutoContrast() | vision.HorizontalFlip()
    vision.RandomHorizontalFlip(1.0) | vision.Rescale(1 / 255, 0.0) | vision.RandomGrayscale(1.0)
"""
ARRAY_ALONE = [
    "vision.Grayscale()",
    "vision.FiveCrop(2)",
    "vision.Resize(3, vision.Inter.ANTIALIAS)",
]
OTHERS = """
    vision.Rotate(30, vision.Inter.CUBIC)(rgb) | vision.Rotate(9, vision.Inter.CUBIC)(rgb)
    transforms.TypeCast(ms.float32)(rgb) | transforms.TypeCast(np.int8)(rgb)
    transforms.TypeCast(ms.bool_)(hot) | transforms.TypeCast(ms.int32)(text)
    transforms.OneHot(4)(np.array([1, 3])) | transforms.OneHot(4)(np.array(2))
    transforms.OneHot(4, 0.3)(np.array(1)) | transforms.OneHot(1, 0.3)(np.array(0))
    transforms.OneHot(4)(np.array([4])) | transforms.OneHot(4)(np.array([1.0]))
    transforms.OneHot(4)(np.array([1], np.uint8)) | transforms.Fill(3)(rgb)
    transforms.Fill(300)(rgb)
    transforms.Fill(3.7)(np.arange(3)) | transforms.Fill('ab')(text) | transforms.Fill(3)(text)
    transforms.Slice(slice(1, 3))(np.arange(5)) | transforms.Slice(-1)(np.arange(5))
    transforms.Slice([0, 2])(np.arange(5)) | transforms.Slice(None)(np.arange(5))
    transforms.Slice(Ellipsis, 1)(grey) | transforms.Slice(7)(np.arange(5))
    transforms.Slice(slice(4, 0, -2))(np.arange(5)) | transforms.Slice(0)(np.array(1))
    transforms.Mask(transforms.Relational.EQ, 2)(np.arange(5))
    transforms.Mask(transforms.Relational.GT, 2.5)(np.arange(5))
    transforms.Mask(transforms.Relational.LE, 2, ms.int32)(np.arange(5))
    transforms.Mask(transforms.Relational.NE, 'a')(text)
    transforms.Mask(transforms.Relational.EQ, 1)(text)
    transforms.PadEnd([7], 9)(np.arange(5)) | transforms.PadEnd([3])(np.arange(5))
    transforms.PadEnd([2, 3], 0)(np.arange(5)) | transforms.PadEnd([4], 'zz')(text)
    transforms.PadEnd([4], 1)(text)
    transforms.Concatenate(0, np.array([9]), np.array([8]))(np.arange(3))
    transforms.Concatenate(0, None, np.array([1.5]))(np.arange(3)) | transforms.Duplicate()(grey)
    transforms.Unique()(np.array([[3, 1], [3, 2]])) | transforms.Unique()(np.array([3, 1]))
    transforms.Compose([transforms.Fill(3), lambda x: x + 1])(rgb)
    transforms.RandomApply([transforms.Fill(3)], 1.0)(rgb)
    transforms.RandomApply([transforms.Fill(3)], 0.0)(rgb)
    transforms.RandomChoice([transforms.Fill(3)])(rgb) | transforms.OneHot(4)(np.array([[1, 2]]))
    vision.Rescale(1 / 255, -0.5)(flags) | vision.ToTensor()(flags) | vision.HWC2CHW()(flags)
    vision.Rotate(90, expand=True)(rgb) | vision.Rotate(40, vision.Inter.LINEAR, True)(wide)
    vision.AdjustGamma(0.7, 1.2)(rgb) | vision.AdjustGamma(1.7)(grey)
    vision.AdjustGamma(0.3)(floats)
    vision.AdjustSaturation(0.3)(rgb) | vision.AdjustSaturation(1.4)(wide)
    vision.AdjustSaturation(2.2)(words) | vision.AdjustSaturation(0.5)(grey)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(rgb)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(words)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2RGBA)(rgb)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGRA)(floats)
    vision.ConvertColor(vision.ConvertMode.COLOR_BGRA2RGBA)(four)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGBA2BGR)(four)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)(rgb)
    vision.ConvertColor(vision.ConvertMode.COLOR_BGR2GRAY)(words)
    vision.ConvertColor(vision.ConvertMode.COLOR_GRAY2RGB)(grey)
    vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(ints)
    vision.AdjustHue(0.2)(rgb) | vision.AdjustHue(-0.31)(wide) | vision.SlicePatches(2, 2)(rgb)
    vision.SlicePatches(2, 2, vision.SliceMode.DROP)(wide) | vision.SlicePatches(9, 1)(rgb)
    vision.Perspective([[0, 0], [4, 0], [4, 3], [0, 3]], [[1, 0], [4, 1], [3, 3], [0, 2]])(rgb)
    vision.LinearTransformation(np.eye(60), np.ones(60))(rgb)
    vision.LinearTransformation(np.eye(4), np.ones(4))(rgb)
    vision.NormalizePad([10.0] * 4, [2.0, 3.0, 7.0, 5.0], is_hwc=False)(rgb)
    vision.Normalize([10.0] * 4, [2.0, 3.0, 7.0, 5.0], is_hwc=False)(rgb)
"""
SOURCE = "ds.NumpySlicesDataset(list(range(10)), column_names=['a'], shuffle={})"
PIPELINES = [
    *(SOURCE.format(shuffle) for shuffle in (None, True, False)),
    "ds.NumpySlicesDataset(list(range(10)), shuffle=True, num_samples=4)",
    "ds.NumpySlicesDataset(list(range(10)), num_shards=3, shard_id=1)",
    "ds.NumpySlicesDataset(list(range(10)), num_shards=3, shard_id=2, shuffle=False)",
    *(
        f"ds.NumpySlicesDataset(list(range(10)), sampler=ds.{sampler})"
        for sampler in (
            "RandomSampler()",
            "RandomSampler(True, 8)",
            "RandomSampler(num_samples=3)",
            "SequentialSampler(2, 5)",
            "SubsetSampler([5, 3, 1])",
            "SubsetRandomSampler([5, 3, 1, 0, 9])",
            "WeightedRandomSampler([0.1, 0.2, 0.3, 0.4] * 2, 6)",
            "DistributedSampler(4, 1)",
            "WeightedRandomSampler([0.1, 0.2, 0.3, 0.4] * 2, 6, False)",
            "DistributedSampler(3, 0, False, offset=1)",
        )
    ),
    "ds.NumpySlicesDataset(list(range(10)), sampler=[7, 2, 2])",
    *(
        SOURCE.format(False) + chain
        for chain in (
            ".shuffle(4)",
            ".shuffle(100)",
            ".repeat(2).shuffle(5)",
            ".shuffle(5).repeat(2)",
            ".batch(4)",
            ".batch(4, True)",
            ".batch(4).repeat(2)",
            ".repeat(2).batch(4)",
            ".take(3)",
            ".skip(8)",
            ".skip(20)",
            ".repeat(2).take(15)",
            ".split([7, 3])[0]",
            ".split([7, 3])[1]",
            ".split([0.7, 0.3], randomize=False)[1]",
            ".batch(2).split([3, 2])[0]",
            ".batch(lambda info: info.get_batch_num() + 1)",
            ".batch(4, per_batch_map=lambda c, info: ([x + 10 * info.get_batch_num() for x in c],),"
            " input_columns=['a'])",
            ".filter(lambda x: x > 6)",
            ".map(lambda x: x * 2).shuffle(3)",
            ".map(lambda x: (x, x + 1), output_columns=['p', 'q'])",
            ".map([lambda x: (x, x + 5), lambda x, y: x * y], 'a', 'c')",
            ".concat(ds.NumpySlicesDataset([20, 21], column_names=['a'], shuffle=False))",
            ".zip(ds.NumpySlicesDataset([7, 8, 9], column_names=['b'], shuffle=True))",
        )
    ),
    SOURCE.format(True) + ".take(3)",
    SOURCE.format(True) + ".split([7, 3])[0]",
    "ds.NumpySlicesDataset([[1, 2], [3]], shuffle=False).batch(2)",
    "ds.NumpySlicesDataset([[1, 2], [3]], shuffle=False).padded_batch(2, pad_info={})",
    "ds.NumpySlicesDataset([[1, 2], [3]], shuffle=False)"
    ".padded_batch(2, pad_info={'column_0': ([4], -1)})",
    "ds.GeneratorDataset([np.arange(i) for i in (1, 2, 3, 4, 5, 6)], ['c'], shuffle=False)"
    ".bucket_batch_by_length(['c'], [3, 5], [2, 1, 2], pad_info={'c': ([None], 0)})",
    "ds.GeneratorDataset([10, 11, 12], 'a', batch_sampler=[[0, 1], [2, 0, 1]])",
]
AUGMENTATIONS = """
    vision.RandomHorizontalFlip() | vision.RandomVerticalFlip(0.3) | vision.RandomCrop((10, 12))
    vision.RandomCrop((12, 28), (3, 2)) | vision.RandomCrop((30, 20), None, True)
    vision.CutOut(5, 2)
    vision.RandomResizedCrop((8, 9)) | vision.RandomRotation((10, 60))
    vision.RandomPosterize((2, 7))
    vision.RandomResizedCrop((8, 9), (0.1, 0.9), (0.5, 2.0), vision.Inter.NEAREST)
    vision.RandomColorAdjust(0.4, 0.4, 0.4) | vision.RandomColor((0.2, 1.8))
    vision.RandomInvert(0.4)
    vision.RandomAffine((-20, 30), (-0.1, 0.2, -0.2, 0.1), (0.8, 1.2), (-5, 5, -6, 6))
    vision.RandomSolarize((10, 200)) | vision.RandomEqualize(0.4) | vision.RandomAutoContrast(1.0)
    transforms.RandomApply([vision.HorizontalFlip()], 0.4)
    transforms.RandomChoice([vision.HorizontalFlip(), vision.VerticalFlip(), vision.Invert()])
    vision.RandomSelectSubpolicy([[(vision.HorizontalFlip(), 0.5)], [(vision.Invert(), 0.7)]])
    transforms.Compose([vision.RandomHorizontalFlip(), vision.RandomCrop(9)])
"""

SENTENCES = (
    "Hello  World, 你好!",
    "",
    " a\tb\n",
    "don't [UNK] stop [MASK]x",
    "ÀÉ ß Straße",
    "unaffable bc w world",
)
TOKENIZERS = """
    tx.UnicodeCharTokenizer(True) | tx.WhitespaceTokenizer() | tx.WhitespaceTokenizer(True)
    tx.BasicTokenizer() | tx.BasicTokenizer(False, True) | tx.BasicTokenizer(with_offsets=True)
    tx.BasicTokenizer(False, False, tx.NormalizeForm.NFKD, False) | tx.BertTokenizer(vocab)
    tx.BertTokenizer(vocab, with_offsets=True) | tx.CaseFold() | tx.NormalizeUTF8()
    tx.NormalizeUTF8(tx.NormalizeForm.NFD) | tx.RegexReplace('[a-z]+', '#')
    tx.RegexReplace('[a-z]+', '#', False) | tx.RegexTokenizer('[ ,]', ',')
    tx.RegexTokenizer('[ ]+', '[ ]+', True) | tx.PythonTokenizer(lambda text: text.split(' '))
"""
TEXTS = """
    vocab.vocab() | vocab.tokens_to_ids('a') | vocab.tokens_to_ids(['a', 'zz'])
    vocab.ids_to_tokens(1) | vocab.ids_to_tokens([1, 99]) | vocab.ids_to_tokens(-1)
    vocab.tokens_to_ids(3) | vocab.ids_to_tokens('a') | tx.Vocab.from_list(['a', 'a'])
    tx.Vocab.from_list(['a'], ['b', 'b']) | tx.Vocab.from_list(['a'], ['a'])
    tx.Vocab.from_list(['a'], ['b'], False).vocab() | tx.Vocab.from_list([1])
    tx.Vocab.from_dict({'a': 3}).vocab() | tx.Vocab.from_dict({'a': -3})
    tx.Vocab.from_dict({'a': 'b'}) | tx.Vocab.from_dict([1]) | tx.Vocab.from_file('/nope')
    tx.Vocab.from_dataset(tokens()).vocab() | tx.Vocab.from_dataset(tokens(), ['w']).vocab()
    tx.Vocab.from_dataset(tokens(), freq_range=(2, None)).vocab()
    tx.Vocab.from_dataset(tokens(), freq_range=(None, 2)).vocab()
    tx.Vocab.from_dataset(tokens(), top_k=2, special_tokens=['<p>']).vocab()
    tx.Vocab.from_dataset(tokens(), top_k=2, special_tokens=['p'], special_first=False).vocab()
    tx.Vocab.from_dataset(tokens(), top_k=0) | tx.Vocab.from_dataset(tokens(), freq_range=(-1, 2))
    tx.Lookup(vocab)(np.array(['a', 'bc'])) | tx.Lookup(vocab, '[UNK]')(np.array([['zz', 'a']]))
    tx.Lookup(vocab)(np.array(['zz'])) | tx.Lookup(vocab, 'qq')(np.array(['a'])) | tx.Lookup(3)
    tx.Lookup(vocab, None, ms.int64)(np.array('a')) | tx.Lookup(vocab)(np.array([1]))
    tx.ToNumber(ms.int32)(np.array(['1', '-2'])) | tx.ToNumber(ms.float16)(np.array(['1', '-2.5']))
    tx.ToNumber(ms.int32)(np.array(['1.5'])) | tx.ToNumber(ms.int32)(np.array(['x']))
    tx.ToNumber(ms.int8)(np.array(['300'])) | tx.ToNumber(ms.float32)(np.array(['1e3', ' 2']))
    tx.WordpieceTokenizer(vocab)(np.array(['unaffable', 'bc', 'zz', '你']))
    tx.WordpieceTokenizer(vocab, unknown_token='')(np.array(['zz', 'a']))
    tx.WordpieceTokenizer(vocab, max_bytes_per_token=3)(np.array(['unaffable']))
    tx.WordpieceTokenizer(vocab, with_offsets=True)(np.array(['unaffable', 'bc']))
    tx.WhitespaceTokenizer()(np.array(['a b'])) | tx.WhitespaceTokenizer()(np.array(3))
    tx.Truncate(2)(np.array(['a', 'b', 'c'])) | tx.Truncate(2)(np.arange(6).reshape(2, 3))
    tx.Truncate(-1) | tx.TruncateSequencePair(3)(np.arange(3), np.arange(5))
    tx.TruncateSequencePair(5)(np.array(['a', 'b', 'c']), np.array(['d', 'e', 'f', 'g']))
    tx.AddToken('[CLS]')(np.array(['a', 'b'])) | tx.AddToken('z', False)(np.array(['a', 'b']))
    tx.AddToken('z')(np.array([['a', 'b'], ['c', 'd']])) | tx.AddToken('z')(np.array('a'))
    tx.SlidingWindow(2)(np.arange(4)) | tx.SlidingWindow(9)(np.arange(4))
    tx.SlidingWindow(2, -1)(np.array(['a', 'b', 'c'])) | tx.SlidingWindow(2, 1)(np.arange(4))
    tx.Ngram(2)(np.array(['a', 'b', 'c'])) | tx.Ngram([2, 3, 4])(np.array(['a', 'b', 'c']))
    tx.Ngram([2], ('_', 5), ('-', 1), '+')(np.array(['a', 'b', 'c'])) | tx.Ngram(0)
    tx.Ngram(2, ('a', -1)) | tx.Ngram(2)(np.arange(3)) | tx.to_str(np.array([b'a', b'\\xc3\\xa4']))
    tx.to_bytes(np.array(['a', 'ä'])) | tx.to_str(np.arange(2))
"""


def split(text):
    """The calls of a table, separated by line ends and bars."""
    return [
        call.strip() for line in text.splitlines() for call in line.split(" | ") if call.strip()
    ]


def calls():
    """(kind, call) of everything that is recorded."""
    for transform, name in itertools.product(split(NUMPY_ONLY), ARRAYS):
        yield "array", f"{transform}({name})"
    for transform, name in itertools.product(split(PICTURE_ONLY), PICTURES):
        yield "picture", f"{transform}({name})"
    for transform, name in itertools.product(ARRAY_ALONE, ("rgb", "grey")):
        yield "array", f"{transform}({name})"
    for call in split(OTHERS):
        yield "array", call
    for call in PIPELINES:
        yield "pipeline", call
    for call in split(AUGMENTATIONS):
        yield "augmentation", call
    for transform, sentence in itertools.product(split(TOKENIZERS), SENTENCES):
        yield "text", f"{transform}(np.array({sentence!r}))"
    for call in split(TEXTS):
        yield "text", call


def names(ms):
    """The names that calls may use, with `mindspore` as the package; includes Pillow images if it
    is installed."""
    import mindspore.dataset as ds
    from mindspore.dataset import text, transforms, vision

    found = {
        "ms": ms,
        "np": np,
        "ds": ds,
        "transforms": transforms,
        "vision": vision,
        "tx": text,
        **images(),
    }
    found["vocab"] = text.Vocab.from_list(
        [
            "a",
            "b",
            "##c",
            "bc",
            "un",
            "##aff",
            "##able",
            "[UNK]",
            "你",
            "好",
            ",",
            "hello",
            "world",
            "w",
            "##orld",
        ],
        special_tokens=["<pad>"],
    )
    found["tokens"] = lambda: ds.NumpySlicesDataset(
        [["a", "b", "b"], ["c", "c", "c"], ["a", "d", "e"]], ["w"], shuffle=False
    )
    try:
        from PIL import Image
    except ImportError:
        return found
    made = {f"{name}_image": Image.fromarray(found[name]) for name in ("rgb", "grey")}
    return {**found, **made}


def outcome(kind, call, known):
    """The outcome of a call: ["error", exception name], or the result as `as_json` writes it."""
    known["ds"].config.set_seed(1)
    known["ds"].config.set_num_parallel_workers(1)
    try:
        found = eval(call, {**known})
        if kind == "pipeline":
            return [
                [[as_json(each, True) for each in row] for row in epoch]
                for epoch in epochs(found, 3)
            ]
        if kind == "augmentation":
            several = np.stack([known["wide"]] * 8)
            rows = known["ds"].NumpySlicesDataset(several, ["image"], shuffle=False)
            return [as_json(row[0]) for row in epochs(rows.map(found, ["image"]), 1)[0]]
        if kind == "text":
            found = sorted(map(list, found.items())) if isinstance(found, dict) else found
            return [plain(each) for each in (found if isinstance(found, tuple) else [found])]
        return [as_json(each) for each in (found if isinstance(found, (tuple, list)) else [found])]
    except Exception as error:
        return ["error", type(error).__name__]


def epochs(dataset, count):
    """The rows of some epochs of one iterator."""
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [list(iterator) for _ in range(count)]


def as_json(value, whole=False):
    """A result in a form that JSON can hold; `whole` gives the values themselves."""
    array = np.ascontiguousarray(value)
    if whole:
        return [array.dtype.str, np.asarray(value).tolist()]
    kind = "" if isinstance(value, np.ndarray) else type(value).__name__
    return [kind, array.dtype.str, list(np.shape(value)), zlib.crc32(array.tobytes())]


def plain(value):
    """A result of text: its dtype, and the values in a form that JSON can hold."""
    array = np.asarray(value)
    values = array.view(np.uint8) if array.dtype.kind == "S" else array
    return [array.dtype.str, values.tolist()] if isinstance(value, np.ndarray) else value


def record():
    """Write what comes of every call."""
    import mindspore

    known = names(mindspore)
    lines = io.StringIO()
    for kind, call in calls():
        lines.write(json.dumps([kind, call, outcome(kind, call, known)]) + "\n")
    FILE.write_text(lines.getvalue())


if __name__ == "__main__":
    record()
