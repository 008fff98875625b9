"""Sources of mindspore.dataset whose rows are known from MindSpore 2.10, and how they are told.

`python tests/source_calls.py` run by an interpreter with the original (CPU) writes
tests/data/observed_sources.jsonl; dataset/test_sources.py makes the same sources of this package.
A row is a list of columns: text as it is, of an array the dtype, shape and CRC-32 of its bytes.
"""

import json
import pathlib
import tempfile
import zlib

import numpy as np
import source_files

FILE = pathlib.Path(__file__).parent / "data" / "observed_sources.jsonl"

# Each source with arguments beside the folder of its files; `shuffle=False` where nothing is said.
CALLS = {
    "CelebADataset": (
        "celeba",
        """
        | usage='train' | usage='valid' | usage='test' | usage='bad' | decode=True | usage=None
        | extensions=['.jpg'], usage='train' | usage='train', num_samples=2 | shuffle=True
        | sampler=ds.PKSampler(1) | num_shards=2, shard_id=1 | num_shards=2
        | sampler=ds.SequentialSampler(), shuffle=True | extensions='a' | decode=1 | decrypt=1
        | dataset_dir=here + '/clue' | dataset_dir=here + '/none' | dataset_dir=1""",
    ),
    "CityscapesDataset": (
        "cityscapes",
        """
        | usage='test' | usage='val' | usage='all' | task='semantic' | task='color', decode=True
        | task='polygon' | decode=True | quality_mode='coarse', usage='train_extra'
        | quality_mode='coarse' | quality_mode='coarse', usage='val', task='polygon'
        | quality_mode='coarse', usage='test' | usage='train_extra' | task='x' | usage='x'
        | quality_mode='x' | usage=1 | dataset_dir=here + '/clue' | shuffle=True, num_samples=3""",
    ),
    "Places365Dataset": (
        "places365",
        """
        | usage='train-standard' | usage='train-challenge' | usage='val' | usage='x' | small=False
        | decode=True | small=1 | usage='val', small=False, decode=True
        | sampler=ds.PKSampler(1) | dataset_dir=here + '/clue'""",
    ),
    "DIV2KDataset": (
        "div2k",
        """
        | usage='valid' | usage='all' | downgrade='unknown', scale=3 | scale=8 | scale=4
        | downgrade='mild', scale=4 | downgrade='wild', scale=4
        | downgrade='difficult', scale=4, decode=True | downgrade='unknown', scale=8
        | downgrade='mild' | scale=5 | scale='a' | usage='test' | downgrade='x' | usage=1
        | dataset_dir=here + '/clue'""",
    ),
    "FakeImageDataset": (
        None,
        """
        num_images=3, image_size=(2, 3, 3) | num_images=2, image_size=[9, 7, 1], base_seed=5
        | num_images=20, image_size=(1, 1, 1), num_classes=3, shuffle=True
        | num_images=9, image_size=(1, 1, 1), num_classes=3, sampler=ds.PKSampler(2)
        | num_images=2, image_size=(40, 30, 3), base_seed=-1
        | num_images=0 | num_images='a' | image_size=(1, 2) | image_size=(0, 2, 3) | image_size=3
        | num_classes=0 | base_seed='a'""",
    ),
    "CLUEDataset": (
        "clue",
        """
        dataset_files=here + '/clue/afqmc.json' | dataset_files=[here + '/clue/afqmc.json'] * 2
        | dataset_files=here + '/clue/afqmc.json', usage='eval'
        | dataset_files=here + '/clue/afqmc_test.json', usage='test'
        | dataset_files=here + '/clue/tnews.json', task='TNEWS'
        | dataset_files=here + '/clue/tnews_test.json', task='TNEWS', usage='test'
        | dataset_files=here + '/clue/iflytek.json', task='IFLYTEK'
        | dataset_files=here + '/clue/iflytek_test.json', task='IFLYTEK', usage='test'
        | dataset_files=here + '/clue/cmnli.json', task='CMNLI'
        | dataset_files=here + '/clue/cmnli_test.json', task='CMNLI', usage='test'
        | dataset_files=here + '/clue/wsc.json', task='WSC'
        | dataset_files=here + '/clue/wsc_test.json', task='WSC', usage='test'
        | dataset_files=here + '/clue/csl.json', task='CSL'
        | dataset_files=here + '/clue/csl_test.json', task='CSL', usage='test'
        | dataset_files=here + '/clue/afqmc_test.json' | dataset_files=here + '/clue/broken.json'
        | dataset_files=here + '/clue/none.json' | dataset_files=[] | dataset_files=1
        | dataset_files=here + '/clue/afqmc.json', task='x'
        | dataset_files=here + '/clue/afqmc.json', usage='x'
        | dataset_files=here + '/clue/afqmc.json', num_shards=2, shard_id=1
        | dataset_files=here + '/clue/afqmc.json', num_samples=1""",
    ),
}


def calls():
    """(source, arguments) of each call, as text."""
    for name, (form, arguments) in CALLS.items():
        for each in arguments.split("|"):
            each = " ".join(each.split())
            if form is not None and "dataset_dir" not in each and "dataset_files" not in each:
                each = f"dataset_dir=here + '/{form}'" + (f", {each}" if each else "")
            if not any(word in each for word in ("shuffle", "sampler", "num_shards=2,")):
                each += ", shuffle=False"
            yield name, each


def told(value):
    """A column of a row, as it is kept."""
    if value.dtype.kind in "SU":
        return value.tolist()
    data = np.ascontiguousarray(value)
    return [value.dtype.name, list(value.shape), zlib.crc32(data.tobytes())]


def outcome(ds, name, arguments, here):
    """The columns, size, class numbers and rows of a source; or the name of an error."""
    ds.config.set_seed(3)
    ds.config.set_num_parallel_workers(1)
    try:
        data = eval(f"ds.{name}({arguments})", {"ds": ds, "here": str(here)})
        rows = [
            [told(column) for column in row]
            for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]
        return [data.get_col_names(), data.get_dataset_size(), rows]
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    import mindspore.dataset

    with tempfile.TemporaryDirectory() as folder:
        source_files.write(folder)
        lines = [
            json.dumps([*each, outcome(mindspore.dataset, *each, folder)], ensure_ascii=False)
            for each in calls()
        ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
