"""Readers of word vectors, dictionaries, videos, pipelines, strategies and files of callbacks.

Those that need PyAV or SentencePiece are in the table only where these are installed.
"""

import contextlib
import functools
import json
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from readers_files import _mindrecord
from registry import READERS, Reader, reader

# Text ---------------------------------------------------------------------------------------------

_VECTORS = "three 3\nday 1 2.5 -3e2\nnight 0 4 5\nday 6 7 8\n"


def _vector_files(folder):
    for name in ("words.txt", "glove.6B.txt", "words.vec"):
        (folder / name).write_text(_VECTORS, "utf-8")


def _vectors(kind, name):
    def read(folder):
        from mindspore_compat.dataset import text

        vectors = getattr(text, kind).from_file(str(folder / name))
        text.ToVectors(vectors)(["day", "other"])

    return read


for _kind, _name in (
    ("Vectors", "words.txt"),
    ("GloVe", "glove.6B.txt"),
    ("FastText", "words.vec"),
    ("CharNGram", "words.txt"),
):
    READERS[f"vectors {_kind}"] = Reader(_vector_files, _vectors(_kind, _name))


def _dictionaries(folder):
    (folder / "words.txt").write_text("今天 9 t\n天气 5 n\n天 5 n\n好 8 a\n", "utf-8")
    model = ["-1 -99 -99 -1", *["-1 -1 -1 -1"] * 4, *["天:-1,好:-2"] * 4]
    (folder / "model.txt").write_text("# a comment\n" + "\n".join(model) + "\n", "utf-8")
    (folder / "more.txt").write_text("今天天气 3\n气\n", "utf-8")


@reader(_dictionaries)
def _jieba(folder):
    from mindspore_compat.dataset import text

    paths = str(folder / "model.txt"), str(folder / "words.txt")
    cutter = text.JiebaTokenizer(*paths)
    cutter.add_dict(str(folder / "more.txt"))
    with contextlib.suppress(RuntimeError):  # what a damaged model tells of a text
        cutter("今天天气好")


@functools.lru_cache(maxsize=1)
def _pieces():
    from mindspore_compat.dataset import text

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n".join(f"the day {number} was a good day" for number in range(40)))
        vocab = text.SentencePieceVocab.from_file(
            [str(path)], 26, 0.9995, text.SentencePieceModel.UNIGRAM, {}
        )
        text.SentencePieceVocab.save_model(vocab, folder, "m.model")
        return (Path(folder) / "m.model").read_bytes()


def _piece_files(folder):
    (folder / "m.model").write_bytes(_pieces())


def _sentence_pieces(folder):
    from mindspore_compat.dataset import text

    kind = text.SPieceTokenizerOutType.STRING
    text.SentencePieceTokenizer(str(folder / "m.model"), kind)("a good day")


if find_spec("sentencepiece"):
    reader(_piece_files)(_sentence_pieces)


# Sound and video ----------------------------------------------------------------------------------


def _talks(folder):
    header = (
        "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 200\nsample_rate -i 100\n"
        "sample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_coding -s3 pcm\nend_head\n"
    )
    for kind in ("sph", "stm"):
        (folder / "data" / kind).mkdir(parents=True)
    samples = np.arange(200, dtype="<i2").tobytes()
    (folder / "data" / "sph" / "x.sph").write_bytes(header.encode().ljust(1024) + samples)
    lines = "x 1 Anna 0.5 0.58 <o,f0,female> one\nx 1 gap 1.0 1.5 <o,,> two  words\n"
    (folder / "data" / "stm" / "x.stm").write_text(lines)


@reader(_talks)
def _tedlium(folder):
    import mindspore_compat.dataset as ds

    data = ds.TedliumDataset(str(folder), "release3", shuffle=False)
    list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@functools.lru_cache(maxsize=2)
def _clip(kind, codec, pixels):
    import av

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/clip.{kind}"
        with av.open(path, "w") as file:
            video = file.add_stream(codec, rate=10)
            video.width, video.height, video.pix_fmt = 16, 16, pixels
            for index in range(4):
                planes = ((np.arange(24 * 16) * (index + 3)) % 220 + 16).astype(np.uint8)
                frame = av.VideoFrame.from_ndarray(planes.reshape(24, 16), format="yuv420p")
                file.mux(video.encode(frame.reformat(format=pixels)))
            file.mux(video.encode())
        return Path(path).read_bytes()


def _clips(folder):
    (folder / "clip.avi").write_bytes(_clip("avi", "mpeg4", "yuv420p"))
    (folder / "clip.mkv").write_bytes(_clip("mkv", "rawvideo", "yuv420p"))


def _video(name):
    def read(folder):
        from mindspore_compat.dataset import vision

        vision.read_video_timestamps(str(folder / name))
        vision.read_video(str(folder / name))
        vision.VideoDecoder(str(folder / name)).get_frames_at([])

    return read


for _kind in ("avi", "mkv") if find_spec("av") else ():
    READERS[f"video {_kind}"] = Reader(_clips, _video(f"clip.{_kind}"), targets=(f"clip.{_kind}",))


# Pipelines and encrypted rows ---------------------------------------------------------------------


def _pipeline(folder):
    import mindspore_compat.dataset as ds

    data = ds.NumpySlicesDataset(
        (np.arange(12, dtype=np.float32).reshape(4, 3), [1, 2, 3, 4]),
        ["x", "y"],
        sampler=ds.SequentialSampler(),
    )
    data = data.map(ds.transforms.TypeCast(np.float64), "x").batch(2).repeat(2)
    ds.serialize(data, str(folder / "pipeline.json"))


@reader(_pipeline)
def _deserialize(folder):
    import mindspore_compat.dataset as ds

    ds.deserialize(json_filepath=str(folder / "pipeline.json"))


@contextlib.contextmanager
def _encrypted():
    from mindspore_compat import mindrecord

    mindrecord.set_enc_key("0123456789012345")
    try:
        yield
    finally:
        mindrecord.set_enc_key(None)


def _locked_rows(folder):
    with _encrypted():
        _mindrecord(folder)


@reader(_locked_rows, targets=("rows.mindrecord", "rows.mindrecord.db"))
def _encrypted_mindrecord(folder):
    from mindspore_compat.mindrecord import FileReader

    with _encrypted():
        rows = FileReader(str(folder / "rows.mindrecord"))
        list(rows.get_next())
        rows.close()


# Strategies and slices ----------------------------------------------------------------------------


def _strategies(folder):
    from mindspore_compat._io.protobuf import bytes_field, int_field, varint

    def dims(number, values):
        return bytes_field(number, bytes_field(1, b"".join(map(varint, values))))

    layout = dims(1, [2, 4]) + dims(2, [1, 0]) + dims(3, ()) + dims(4, ()) + int_field(5, 0)
    layout += int_field(6, 0) + int_field(7, 0)
    operation = bytes_field(1, "op") + bytes_field(2, int_field(1, 1))
    parameter = bytes_field(1, "w") + bytes_field(2, layout)
    content = int_field(1, 1) + bytes_field(2, operation) + bytes_field(3, parameter)
    item = {"dev_matrix": [2, 4], "tensor_map": [1, 0], "field": 0}
    item.update(opt_weight_shard_step=0, opt_weight_shard_size=0, param_split_shape=[])
    described = {
        "current_stage": 1,
        "parallel_strategy_item": {"op": {"stage": 1}},
        "parallel_layout_item": {"w": item},
    }
    for kind, bytes_ in (("ckpt", content), ("json", json.dumps(described).encode())):
        (folder / kind).mkdir()
        (folder / kind / f"s.{kind}").write_bytes(bytes_)
    (folder / "groups").write_bytes(bytes_field(2, bytes_field(1, b"".join(map(varint, [0, 4])))))


def _strategy(kind):
    def read(folder):
        import mindspore_compat as ms

        path = str(folder / kind / f"s.{kind}")
        ms.build_searched_strategy(path)
        ms.rank_list_for_transform(0, path, path)
        with tempfile.TemporaryDirectory() as out:
            ms.merge_pipeline_strategys(str(folder / kind), f"{out}/merged.{kind}")

    return read


for _kind in ("ckpt", "json"):
    READERS[f"strategy {_kind}"] = Reader(_strategies, _strategy(_kind))


@reader(_strategies)
def _groups(folder):
    import mindspore_compat as ms

    ms.restore_group_info_list(str(folder / "groups"))


def _network():
    from mindspore_compat import nn

    return nn.Dense(3, 2)


def _unified(folder):
    import mindspore_compat as ms
    from mindspore_compat import Tensor

    values = {"weight": np.ones((2, 3), np.float32), "bias": np.zeros(2, np.float32)}
    for number, (name, value) in enumerate(values.items()):
        file = str(folder / f"part{number}.safetensors")
        ms.save_checkpoint([{"name": name, "data": Tensor(value)}], file, format="safetensors")
    homes = {"weight_map": {"weight": "part0.safetensors", "bias": "part1.safetensors"}}
    (folder / "param_name_map.json").write_text(json.dumps(homes))


@reader(_unified, targets=("part0.safetensors", "part1.safetensors"))
def _unified_folder(folder):
    import mindspore_compat as ms

    ms.load_distributed_checkpoint(
        _network(), unified_safetensors_dir=str(folder), format="safetensors"
    )


def _convertible(folder):
    import mindspore_compat as ms

    ms.save_checkpoint(_network(), str(folder / "a.ckpt"))
    ms.save_checkpoint(_network(), str(folder / "b.safetensors"), format="safetensors")


@reader(_convertible, targets=("a.ckpt", "b.safetensors"))
def _converting(folder):
    import mindspore_compat as ms

    with tempfile.TemporaryDirectory() as out:
        ms.ckpt_to_safetensors(str(folder / "a.ckpt"), out)
        ms.safetensors_to_ckpt(str(folder / "b.safetensors"), out)


# Files of callbacks -------------------------------------------------------------------------------


def _requests(folder):
    (folder / "exit.json").write_text(json.dumps({"GracefulExit": 1}))
    (folder / "profiler_config.json").write_text(
        json.dumps({"start_step": 2, "stop_step": 3, "prof_path": "./data"})
    )


@reader(_requests)
def _request_to_exit(folder):
    import mindspore_compat as ms

    callback = ms.train.OnRequestExit(config_file=str(folder / "exit.json"))
    callback.on_eval_step_begin(None)


@reader(_requests)
def _dynamic_profiler(folder):
    import mindspore_compat as ms

    ms.profiler.DynamicProfilerMonitor(str(folder), str(folder / "results"))


def _landscapes(folder):
    import mindspore_compat as ms

    room = folder / "ckpt_dir"
    room.mkdir()
    files = {str(number): str(room / f"{number}.ckpt") for number in (1, 2, 3)}
    for path in files.values():
        ms.save_checkpoint(_network(), path)
    metadata = {
        "epoch_group": {"0": [1, 2, 3]},
        "model_params_file_map": files,
        "step_per_epoch": 4,
        "unit": "step",
        "num_samples": 4,
        "landscape_size": 3,
        "create_landscape": {"train": False, "result": True},
    }
    (room / "train_metadata.json").write_text(json.dumps(metadata))


@reader(_landscapes, (ValueError, TypeError))
def _landscape(folder):
    from mindspore_compat.train import SummaryLandscape

    landscape = SummaryLandscape(str(folder))
    list(landscape._planes(landscape._metadata(None)))
