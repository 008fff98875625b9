"""TedliumDataset: rows in the order of MindSpore 2.10, whose waveforms are all zeros."""

import numpy as np
import pytest

from mindspore_compat import dataset as ds

pytestmark = pytest.mark.quick

SAMPLES = np.arange(1600) * 37 - 30000
HEADER = """\
NIST_1A
   1024
channel_count -i 1
sample_count -i 1600
sample_rate -i 100
sample_n_bytes -i {width}
sample_byte_format -s2 {order}
sample_coding -s3 {coding}
end_head
"""


def write_talk(part, name, lines, order="01", width=2, coding="pcm"):
    """A talk of SAMPLES, 100 a second."""
    for kind in ("sph", "stm"):
        (part / kind).mkdir(parents=True, exist_ok=True)
    header = HEADER.format(order=order, width=width, coding=coding).encode().ljust(1024)
    samples = SAMPLES.astype("<i2" if order == "01" else ">i2").tobytes()
    (part / "sph" / f"{name}.sph").write_bytes(header + samples)
    (part / "stm" / f"{name}.stm").write_text("".join(f"{line}\n" for line in lines))


def rows_of(*arguments, **options):
    data = ds.TedliumDataset(*map(str, arguments), shuffle=False, **options)
    return list(data.create_dict_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.parametrize("order", ["01", "10"])
def test_a_sentence_is_cut_out_of_its_talk(tmp_path, order):
    lines = [
        "x 1 Anna 0.5 0.58 <o,f0,female> one",
        "x 1 gap 4.001 4.0499 <o,,> two  words",
        "x 1 Anna 0.005 .0951 <o>  three ",
    ]
    write_talk(tmp_path / "data", "x", lines, order)
    rows = rows_of(tmp_path, "release3")
    for row, (first, last) in zip(rows, [(50, 57), (400, 404), (0, 9)], strict=True):
        assert row["waveform"].shape == (1, last - first)
        assert row["waveform"].dtype == np.float32
        assert (
            row["waveform"][0].tolist()
            == (SAMPLES[first:last].astype(np.float32) / np.float32(32767)).tolist()
        )
        assert (row["sample_rate"], row["sample_rate"].dtype) == (100, np.int32)
        assert row["talk_id"] == "x"
    assert [str(row["transcript"]) for row in rows] == ["one", "two  words", " three "]
    assert [str(row["speaker_id"]) for row in rows] == ["Anna", "gap", "Anna"]
    assert [str(row["identifier"]) for row in rows] == ["<o,f0,female>", "<o,,>", "<o>"]


def test_rows_are_in_the_order_of_the_numbers_of_lines_as_text_then_of_talks(tmp_path):
    for part, names in (("dev", "zB"), ("test", "aC"), ("train", "m")):
        for name in names:
            lines = [f"{name} 1 S 0 1 <o> {name}{number}" for number in range(11)]
            write_talk(tmp_path / part, name, lines)
    found = [str(row["transcript"]) for row in rows_of(tmp_path, "release1")]
    order = sorted(map(str, range(11)))
    assert found == [f"{name}{number}" for number in order for name in "BCamz"]
    assert len(rows_of(tmp_path, "release2", "test")) == 22
    assert len(rows_of(tmp_path, "release1", "dev", num_shards=2, shard_id=1)) == 11


@pytest.mark.parametrize(
    "arguments, kind",
    [
        (("nofolder", "release1"), ValueError),
        ((None, "release4"), ValueError),
        ((None, 1), TypeError),
        ((None, "release1", "data"), ValueError),
        ((None, "release3", "train"), ValueError),
        ((None, "release1", None, 1), TypeError),
        ((None, "release1", "dev", ".wav"), RuntimeError),
        ((None, "release1", "train"), RuntimeError),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, arguments, kind):
    write_talk(tmp_path / "dev", "x", ["x 1 S 0 1 <o> a"])
    root, *others = arguments
    with pytest.raises(kind):
        ds.TedliumDataset(root or str(tmp_path), *others).get_dataset_size()


@pytest.mark.parametrize(
    "line, options",
    [
        ("x 1 S 0.00", {}),
        ("x 1 S a b <o> no numbers", {}),
        ("x 1 S 0 200.5 <o> past the end", {}),
        ("y 1 S 0 1 <o> no sound", {}),
        ("x 1 S 0 1 <o> a", {"width": 1}),
        ("x 1 S 0 1 <o> a", {"coding": "alaw"}),
    ],
)
def test_what_is_no_talk_is_refused(tmp_path, line, options):
    write_talk(tmp_path / "data", "x", [line], **options)
    with pytest.raises(RuntimeError):
        rows_of(tmp_path, "release3")
