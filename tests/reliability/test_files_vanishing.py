"""Files that are deleted or replaced just before they are opened."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import attack  # noqa: E402  (found through the line above)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds memory as Linux can")
NAMES = ("mind_dataset", "file_reader", "checkpoint summed.ckpt", "tfrecord plain", "line_reader")


class Change:
    """Changes a file of a folder before it is opened for the `at`-th time."""

    def __init__(self):
        self.folder = None
        sys.addaudithook(self)

    def __call__(self, event, arguments):
        if self.folder is None or event != "open" or not isinstance(arguments[0], (str, bytes)):
            return
        path = pathlib.Path(os.fsdecode(arguments[0]))
        if path.parent == self.folder and path.is_file():
            self.count += 1
            if self.count == self.at:
                os.unlink(path)
                self.change(path)

    def reads(self, reader, folder, at, change):
        """Returns the outcome of a read, or None if the file was not opened that often."""
        self.at, self.count, self.change, self.folder = at, 0, change, folder
        try:
            verdict = attack.judged(lambda: reader.read(folder), folder, reader.raises)
        finally:
            self.folder = None
        return verdict if self.count >= at else None


@pytest.fixture(scope="module")
def changing():
    return Change()


@pytest.mark.parametrize(
    "change",
    [lambda path: None, os.mkdir, lambda path: os.symlink(path, path), pathlib.Path.touch],
    ids=["vanishes", "folder", "link to itself", "empty"],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_changes_is_refused_by_name(name, change, changing, tmp_path):
    reader, verdicts = attack.readers()[name], []
    while not verdicts or verdicts[-1] is not None:
        folder = tmp_path / str(len(verdicts))
        folder.mkdir()
        reader.make(folder)
        verdicts.append(changing.reads(reader, folder, len(verdicts) + 1, change))
        shutil.rmtree(folder)
    assert len(verdicts) > 1 and set(verdicts[:-1]) <= {"refused", "read"}


LISTS = {
    "CMUArcticDataset": "etc/txt.done.data' names it at line",
    "CelebADataset 1": "list_attr_celeba.txt' names it at line",
    "CocoDataset 4": "captions.json' names it",
    "Flowers102Dataset": "setid.mat' names it",
    "FlickrDataset": "tokens.txt' names it",
    "Food101Dataset": "train.txt' names it at line",
    "LFWDataset": "peopleDevTrain.txt' cannot be read at line",
    "LFWDataset 1": ".txt' names it at line",
    "tedlium": "x.stm' names it at line 1",
    "LJSpeechDataset": "metadata.csv' names it at line",
    "LibriTTSDataset": "116_288045.trans.tsv' names it at line",
    "ManifestDataset": "all.manifest' names it at line",
    "PhotoTourDataset 1": "m50_100000_100000_0.txt' names it at line",
    "Places365Dataset": "places365_train_standard.txt' names it at line",
    "SBDataset 1": ".txt' names it at line",
    "VOCDataset": "Segmentation/train.txt' names it at line",
    "VOCDataset 1": "Main/train.txt' names it at line",
    "WIDERFaceDataset": "wider_face_train_bbx_gt.txt' names it at line",
}


@pytest.mark.parametrize("name", LISTS)
def test_the_error_of_a_missing_file_has_the_list_that_names_it(name, tmp_path):
    reader = attack.readers()[name]
    reader.make(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.suffix in (".jpg", ".png", ".bmp", ".wav", ".sph", ".xml", ".JPEG"):
            path.unlink()
    with pytest.raises(RuntimeError) as caught:
        reader.read(tmp_path)
    assert LISTS[name] in str(caught.value)
