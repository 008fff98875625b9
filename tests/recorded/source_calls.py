"""Sources of mindspore.dataset whose rows are known from MindSpore 2.10, and how they are recorded.

In tests/, with an interpreter that has MindSpore (CPU), `PYTHONPATH=.. python -m
recorded.source_calls` writes tests/data/observed_sources.jsonl; dataset/test_sources.py makes the
same sources of this package. A row is a list of columns: text as it is, an array as dtype, shape,
and CRC-32 of its bytes.
"""

import json
import pathlib
import tempfile
import zlib

import numpy as np

from conformance.arguments import sources as source_files

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_sources.jsonl"

# Each source with its arguments besides the folder; the default is `shuffle=False`.
CALLS = {
    "AGNewsDataset": (
        "csv_news",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | dataset_dir=clue | usage='train', num_samples=1 | shuffle=True
        | num_shards=2 | dataset_dir=csv_bad, usage='train' | dataset_dir=csv_bad, usage='test'
        """,
    ),
    "AmazonReviewDataset": (
        "csv_news",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | dataset_dir=clue | usage='train', num_samples=1 | shuffle=True
        | num_shards=2
        """,
    ),
    "CLUEDataset": (
        "clue",
        """
        dataset_files=clue + '/afqmc.json' | dataset_files=[clue + '/afqmc.json'] * 2
        | dataset_files=clue + '/afqmc.json', usage='eval'
        | dataset_files=clue + '/afqmc_test.json', usage='test'
        | dataset_files=clue + '/tnews.json', task='TNEWS'
        | dataset_files=clue + '/tnews_test.json', task='TNEWS', usage='test'
        | dataset_files=clue + '/iflytek.json', task='IFLYTEK'
        | dataset_files=clue + '/iflytek_test.json', task='IFLYTEK', usage='test'
        | dataset_files=clue + '/cmnli.json', task='CMNLI'
        | dataset_files=clue + '/cmnli_test.json', task='CMNLI', usage='test'
        | dataset_files=clue + '/wsc.json', task='WSC'
        | dataset_files=clue + '/wsc_test.json', task='WSC', usage='test'
        | dataset_files=clue + '/csl.json', task='CSL'
        | dataset_files=clue + '/csl_test.json', task='CSL', usage='test'
        | dataset_files=clue + '/afqmc_test.json' | dataset_files=clue + '/broken.json'
        | dataset_files=clue + '/none.json' | dataset_files=[] | dataset_files=1
        | dataset_files=clue + '/afqmc.json', task='x'
        | dataset_files=clue + '/afqmc.json', usage='x'
        | dataset_files=clue + '/afqmc.json', num_shards=2, shard_id=1
        | dataset_files=clue + '/afqmc.json', num_samples=1
        """,
    ),
    "CMUArcticDataset": (
        "cmu_arctic",
        """
        | name='slt' | name='x' | name='bdl' | name=1 | dataset_dir=clue | num_samples=2
        | shuffle=True | sampler=ds.PKSampler(1)
        """,
    ),
    "Caltech101Dataset": (
        "caltech101",
        """
        | target_type='category' | target_type='annotation' | target_type='all' | decode=True
        | target_type='x' | num_samples=2 | shuffle=True | num_shards=2, shard_id=1
        | sampler=ds.SubsetSampler([2, 0])
        """,
    ),
    "Caltech256Dataset": (
        "caltech256",
        """
        | decode=True | sampler=ds.PKSampler(1) | dataset_dir=clue | decode=1
        """,
    ),
    "CelebADataset": (
        "celeba",
        """
        | usage='train' | usage='valid' | usage='test' | usage='bad' | decode=True | usage=None
        | extensions=['.jpg'], usage='train' | usage='train', num_samples=2 | shuffle=True
        | sampler=ds.PKSampler(1) | num_shards=2, shard_id=1 | num_shards=2
        | sampler=ds.SequentialSampler(), shuffle=True | extensions='a' | decode=1 | decrypt=1
        | dataset_dir=clue | dataset_dir=here + '/none' | dataset_dir=1
        """,
    ),
    "CityscapesDataset": (
        "cityscapes",
        """
        | usage='test' | usage='val' | usage='all' | task='semantic' | task='color', decode=True
        | task='polygon' | decode=True | quality_mode='coarse', usage='train_extra'
        | quality_mode='coarse' | quality_mode='coarse', usage='val', task='polygon'
        | quality_mode='coarse', usage='test' | usage='train_extra' | task='x' | usage='x'
        | quality_mode='x' | usage=1 | dataset_dir=clue | shuffle=True, num_samples=3
        """,
    ),
    "CoNLL2000Dataset": (
        "conll2000",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | dataset_dir=clue | usage='train', num_samples=1 | shuffle=True
        | num_shards=2
        """,
    ),
    "CocoDataset": (
        "coco/images",
        """
        annotation_file=coco + '/instances.json'
        | annotation_file=coco + '/instances.json', task='Stuff'
        | annotation_file=coco + '/instances.json', decode=True
        | annotation_file=coco + '/keypoints.json', task='Keypoint'
        | annotation_file=coco + '/panoptic.json', task='Panoptic'
        | annotation_file=coco + '/captions.json', task='Captioning'
        | annotation_file=coco + '/instances.json', task='x'
        | annotation_file=coco + '/instances.json', task=1 | annotation_file=coco + '/none.json'
        | annotation_file=coco + '/broken.json' | annotation_file=coco + '/no_images.json'
        | annotation_file=coco + '/instances.json', extra_metadata=True
        | annotation_file=coco + '/instances.json', decrypt=1
        | annotation_file=coco + '/captions.json'
        | annotation_file=coco + '/instances.json', task='Keypoint'
        | annotation_file=coco + '/instances.json', sampler=ds.PKSampler(1)
        | annotation_file=coco + '/instances.json', num_samples=1
        | annotation_file=coco + '/captions.json', task='Captioning', extra_metadata=True
        """,
    ),
    "DBpediaDataset": (
        "csv_plain",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | usage='train', num_samples=1
        | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True | num_shards=2
        """,
    ),
    "DIV2KDataset": (
        "div2k",
        """
        | usage='valid' | usage='all' | downgrade='unknown', scale=3 | scale=8 | scale=4
        | downgrade='mild', scale=4 | downgrade='wild', scale=4
        | downgrade='difficult', scale=4, decode=True | downgrade='unknown', scale=8
        | downgrade='mild' | scale=5 | scale='a' | usage='test' | downgrade='x' | usage=1
        | dataset_dir=clue
        """,
    ),
    "EMnistDataset": (
        "emnist",
        """
        name='mnist' | name='letters', usage='train' | name='mnist', usage='test'
        | name='letters', usage='all' | name='x' | name='digits' | name='mnist', usage='x'
        | name=1 | name='mnist', sampler=ds.PKSampler(1)
        """,
    ),
    "EnWik9Dataset": (
        "enwik9",
        """
        | num_samples=2 | num_shards=2, shard_id=1, shuffle=False | dataset_dir=clue
        | shuffle=True
        """,
    ),
    "FakeImageDataset": (
        None,
        """
        num_images=3, image_size=(2, 3, 3) | num_images=2, image_size=[9, 7, 1], base_seed=5
        | num_images=20, image_size=(1, 1, 1), num_classes=3, shuffle=True
        | num_images=9, image_size=(1, 1, 1), num_classes=3, sampler=ds.PKSampler(2)
        | num_images=2, image_size=(40, 30, 3), base_seed=-1 | num_images=0 | num_images='a'
        | image_size=(1, 2) | image_size=(0, 2, 3) | image_size=3 | num_classes=0
        | base_seed='a'
        """,
    ),
    "FlickrDataset": (
        "flickr/images",
        """
        annotation_file=flickr + '/tokens.txt'
        | annotation_file=flickr + '/tokens.txt', decode=True
        | annotation_file=flickr + '/few.txt' | annotation_file=flickr + '/odd.txt'
        | annotation_file=flickr + '/none.txt'
        | annotation_file=flickr + '/tokens.txt', decode=1
        | annotation_file=flickr + '/tokens.txt', sampler=ds.PKSampler(1)
        """,
    ),
    "Flowers102Dataset": (
        "flowers102",
        """
        | usage='train' | usage='valid' | usage='test' | usage='all' | task='Segmentation'
        | task='Segmentation', decode=True, usage='train' | decode=True | task='x' | usage='x'
        | dataset_dir=clue | shuffle=True
        """,
    ),
    "Food101Dataset": (
        "food101",
        """
        | usage='train' | usage='test' | usage='all', decode=True | usage='x' | dataset_dir=clue
        | sampler=ds.PKSampler(1)
        """,
    ),
    "GTZANDataset": (
        "gtzan",
        """
        usage='train' | usage='valid' | usage='test' | usage='x' | usage=1 | dataset_dir=clue
        | dataset_dir=speech_commands | usage='train', shuffle=True
        | usage='train', sampler=ds.PKSampler(1)
        """,
    ),
    "IMDBDataset": (
        "imdb",
        """
        | usage='train' | usage='test' | usage='all' | usage='x' | shuffle=True
        | sampler=ds.PKSampler(1) | dataset_dir=clue | num_samples=2
        """,
    ),
    "IWSLT2016Dataset": (
        "iwslt2016",
        """
        | usage='train' | usage='valid' | usage='test' | usage='all'
        | usage='valid', valid_set='dev2010' | usage='test', test_set='tst2010'
        | language_pair=['en', 'fr'], usage='train' | language_pair=('en', 'fr'), usage='train'
        | language_pair=['en', 'fr'], usage='valid' | usage='x' | language_pair=['en', 'xx']
        | language_pair='de' | valid_set='x' | test_set=1 | dataset_dir=clue | num_samples=2
        | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True
        """,
    ),
    "IWSLT2017Dataset": (
        "iwslt2017",
        """
        | usage='train' | usage='valid' | usage='test' | usage='all'
        | language_pair=['it', 'nl'], usage='train' | language_pair=('nl', 'it'), usage='train'
        | usage='x' | language_pair=['en', 'xx'] | language_pair='de' | dataset_dir=clue
        | num_samples=2
        """,
    ),
    "KITTIDataset": (
        "kitti",
        """
        | usage='test' | usage='train', decode=True | usage='x' | dataset_dir=clue
        | sampler=ds.PKSampler(1)
        """,
    ),
    "LFWDataset": (
        "lfw",
        """
        | usage='train' | usage='test' | usage='10fold' | usage='all'
        | image_set='original', usage='test'
        | image_set='deepfunneled', usage='test', decode=True | task='pairs'
        | task='pairs', usage='train' | task='pairs', usage='test'
        | task='pairs', usage='10fold' | task='people', usage='test' | task='x' | usage='x'
        | image_set='x' | dataset_dir=clue | sampler=ds.PKSampler(1)
        | task='pairs', usage='train', decode=True
        """,
    ),
    "LJSpeechDataset": (
        "lj_speech",
        """
        | dataset_dir=clue | num_samples=1 | shuffle=True | sampler=ds.PKSampler(1)
        """,
    ),
    "LSUNDataset": (
        "lsun",
        """
        | usage='train' | usage='test' | usage='valid' | usage='train', classes=['bedroom']
        | usage='train', classes='classroom', decode=True
        | classes=['church_outdoor', 'bedroom'] | usage='x' | classes=['x'] | classes=1
        | usage='valid', classes=['classroom'] | usage='train', sampler=ds.PKSampler(1)
        | dataset_dir=clue
        """,
    ),
    "LibriTTSDataset": (
        "libri_tts",
        """
        | usage='dev-clean' | usage='train-other-500' | usage='all' | usage='test-clean'
        | usage='x' | dataset_dir=clue | num_samples=2 | shuffle=True
        """,
    ),
    "ManifestDataset": (
        "manifest",
        """
        dataset_file=manifest + '/all.manifest'
        | dataset_file=manifest + '/all.manifest', usage='eval'
        | dataset_file=manifest + '/all.manifest', usage='inference'
        | dataset_file=manifest + '/all.manifest', decode=True
        | dataset_file=manifest + '/all.manifest', class_indexing={'dog': 4, 'cat': 2}
        | dataset_file=manifest + '/several.manifest'
        | dataset_file=manifest + '/broken.manifest' | dataset_file=manifest + '/none.manifest'
        | dataset_file=manifest + '/all.manifest', usage='x'
        | dataset_file=manifest + '/all.manifest', class_indexing=1
        | dataset_file=manifest + '/all.manifest', sampler=ds.PKSampler(1)
        | dataset_file=manifest + '/all.manifest', class_indexing={'x': 1}
        """,
    ),
    "Multi30kDataset": (
        "multi30k",
        """
        | usage='train' | usage='valid' | usage='test' | usage='all'
        | language_pair=['de', 'en'], usage='train' | language_pair=('en', 'de'), usage='train'
        | language_pair=['en', 'fr'] | language_pair='de' | usage='x' | dataset_dir=clue
        | num_samples=2 | usage='train', shuffle=True | shuffle=None, usage='train'
        | usage='train', num_shards=2, shard_id=1, shuffle=False
        """,
    ),
    "OmniglotDataset": (
        "omniglot",
        """
        | background=False | decode=True | background=1 | dataset_dir=clue
        | sampler=ds.PKSampler(1)
        """,
    ),
    "PennTreebankDataset": (
        "penn_treebank",
        """
        | usage='train' | usage='test' | usage='valid' | usage='all', shuffle=ds.Shuffle.FILES
        | usage='x' | usage=1 | dataset_dir=clue | usage='train', num_samples=1
        | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True | num_shards=2
        """,
    ),
    "PhotoTourDataset": (
        "phototour",
        """
        name='liberty', num_samples=3 | name='liberty', usage='test'
        | name='notredame_harris', usage='train', num_samples=2 | name='yosemite' | name='x'
        | name='liberty', usage='x' | name='liberty', num_shards=2, shard_id=1, num_samples=2
        | name='liberty', usage='test', sampler=ds.PKSampler(1)
        """,
    ),
    "Places365Dataset": (
        "places365",
        """
        | usage='train-standard' | usage='train-challenge' | usage='val' | usage='x'
        | small=False | decode=True | small=1 | usage='val', small=False, decode=True
        | sampler=ds.PKSampler(1) | dataset_dir=clue
        """,
    ),
    "QMnistDataset": (
        "qmnist",
        """
        usage='train' | usage='train', compat=False | usage='nist'
        | usage='test10k', num_samples=2 | usage='test', num_samples=1 | num_samples=2
        | usage='x' | compat=1, usage='train' | usage='nist', sampler=ds.PKSampler(1)
        """,
    ),
    "RandomDataset": (
        None,
        """
        total_rows=3, schema=numbers | schema=numbers
        | total_rows=2, schema=numbers, columns_list=['label', 'image'] | total_rows='a'
        | columns_list=1 | shuffle=1 | schema=3 | total_rows=0, schema=numbers
        | total_rows=4, schema=numbers, num_shards=2
        """,
    ),
    "RenderedSST2Dataset": (
        "rendered_sst2",
        """
        | usage='train' | usage='val' | usage='test', decode=True | usage='x' | dataset_dir=clue
        | sampler=ds.PKSampler(1)
        """,
    ),
    "SBDataset": (
        "sbd",
        """
        | task='Segmentation' | usage='train' | usage='val' | usage='train_noval' | usage='all'
        | usage='x' | task='x' | decode=True | task='Segmentation', decode=True
        | dataset_dir=clue | shuffle=True
        """,
    ),
    "SBUDataset": (
        "sbu",
        """
        | decode=True | dataset_dir=clue | sampler=ds.PKSampler(1)
        """,
    ),
    "SQuADDataset": (
        "squad",
        """
        | usage='train' | usage='dev' | usage='all' | usage='x' | dataset_dir=clue
        | dataset_dir=squad + '/broken', usage='train'
        | dataset_dir=squad + '/lacking', usage='train' | num_samples=2 | shuffle=True
        """,
    ),
    "SST2Dataset": (
        "sst2",
        """
        | usage='train' | usage='test' | usage='dev' | usage='x' | dataset_dir=clue
        | num_samples=1 | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True
        """,
    ),
    "STL10Dataset": (
        "stl10",
        """
        | usage='train' | usage='test' | usage='unlabeled' | usage='train+unlabeled'
        | usage='all' | usage='x' | dataset_dir=clue | sampler=ds.PKSampler(1)
        """,
    ),
    "SUN397Dataset": (
        "sun397",
        """
        | decode=True | dataset_dir=clue | sampler=ds.PKSampler(1)
        """,
    ),
    "SVHNDataset": (
        "svhn",
        """
        | usage='train' | usage='test' | usage='extra' | usage='all' | usage='x'
        | dataset_dir=clue | shuffle=True
        """,
    ),
    "SemeionDataset": (
        "semeion",
        """
        | num_samples=2 | dataset_dir=clue | sampler=ds.PKSampler(1)
        """,
    ),
    "SogouNewsDataset": (
        "csv_plain",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | usage='train', num_samples=1
        | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True | num_shards=2
        """,
    ),
    "SpeechCommandsDataset": (
        "speech_commands",
        """
        | usage='train' | usage='test' | usage='valid' | usage='all' | usage='x'
        | dataset_dir=clue | shuffle=True
        """,
    ),
    "UDPOSDataset": (
        "udpos",
        """
        | usage='train' | usage='test' | usage='valid' | usage='all', shuffle=ds.Shuffle.FILES
        | usage='x' | usage=1 | dataset_dir=clue | usage='train', num_samples=1 | shuffle=True
        | num_shards=2
        """,
    ),
    "USPSDataset": (
        "usps",
        """
        | usage='train' | usage='test' | usage='all' | usage='x' | usage='train', num_samples=2
        | usage='train', num_shards=2, shard_id=1 | usage='train', shuffle=True
        | shuffle=ds.Shuffle.FILES | dataset_dir=clue
        """,
    ),
    "VOCDataset": (
        "voc",
        """
        | usage='val' | task='Detection' | task='Detection', usage='val', decode=True
        | decode=True | task='Detection', class_indexing={'cat': 5, 'dog': 0}
        | task='Detection', class_indexing={'cat': 5, 'dog': 0, 'train': 9}
        | task='Detection', usage='bad' | task='Detection', usage='worse' | usage='none'
        | task='x' | task=1 | class_indexing={'a': 1} | task='Detection', class_indexing=1
        | task='Detection', extra_metadata=True | extra_metadata=True | decrypt=1
        | extra_metadata=1 | sampler=ds.PKSampler(1) | dataset_dir=clue | num_samples=1
        | usage=1
        """,
    ),
    "WIDERFaceDataset": (
        "widerface",
        """
        | usage='train' | usage='valid' | usage='test' | usage='train', decode=True | usage='x'
        | dataset_dir=clue | usage='train', sampler=ds.PKSampler(1)
        """,
    ),
    "WikiTextDataset": (
        "wiki_text",
        """
        | usage='train' | usage='test' | usage='valid' | usage='all', shuffle=ds.Shuffle.FILES
        | usage='x' | usage=1 | dataset_dir=clue | usage='train', num_samples=1
        | usage='train', num_shards=2, shard_id=1, shuffle=False | shuffle=True | num_shards=2
        """,
    ),
    "YahooAnswersDataset": (
        "csv_answers",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | usage='train', num_samples=1 | shuffle=True | num_shards=2
        """,
    ),
    "YelpReviewDataset": (
        "csv_two",
        """
        | usage='train' | usage='test' | usage='all', shuffle=ds.Shuffle.FILES | usage='x'
        | usage=1 | dataset_dir=clue | usage='train', num_samples=1 | shuffle=True
        | num_shards=2
        """,
    ),
    "YesNoDataset": (
        "yes_no",
        """
        | dataset_dir=clue | num_samples=1 | shuffle=True | dataset_dir=sounds + '/stereo'
        | dataset_dir=sounds + '/broken'
        """,
    ),
}

_PLACES = ("dataset_dir", "dataset_file", "dataset_files")


def calls():
    """(source, arguments) of each call, as text."""
    for name, (form, arguments) in CALLS.items():
        for each in arguments.split("|"):
            each = " ".join(each.split())
            if form is not None and not any(word in each for word in _PLACES):
                each = f"dataset_dir=here + '/{form}'" + (f", {each}" if each else "")
            if not any(word in each for word in ("shuffle", "sampler", "num_shards=2,")):
                each += ", shuffle=False"
            yield name, each


def as_json(value):
    """A column of a row, as it is recorded."""
    if value.dtype.kind in "SU":
        return value.tolist()
    data = np.ascontiguousarray(value)
    return [value.dtype.name, list(value.shape), zlib.crc32(data.tobytes())]


def outcome(ds, name, arguments, here):
    """The columns, size, class numbers and rows of a source; or the name of an error."""
    ds.config.set_seed(3)
    ds.config.set_num_parallel_workers(1)
    try:
        known = {form: f"{here}/{form}" for form in source_files.FORMS}
        known["numbers"] = ds.Schema()
        for column, kind, shape in (
            ("image", "uint8", [2]),
            ("label", "int32", [1]),
            ("more", "float64", [2, 3]),
        ):
            known["numbers"].add_column(column, kind, shape)
        data = eval(f"ds.{name}({arguments})", {"ds": ds, "here": str(here), **known})
        rows = [
            [as_json(column) for column in row]
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
