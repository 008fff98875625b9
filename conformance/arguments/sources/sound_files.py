"""Small files in the formats of sound sources and MATLAB files; see `sources`."""

import io
import struct

import numpy as np


def wav(seed, rate=8000, channels=1, count=20, bits=16):
    """Returns the content of a WAV file of integer samples."""
    rng = np.random.default_rng(seed)
    size = bits // 8
    data = rng.integers(0, 256, count * channels * size, dtype=np.uint8).tobytes()
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * size, channels * size, bits)
    body = (
        b"WAVEfmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def cmu_arctic():
    for name, rate in (("aew", 16000), ("slt", 8000)):
        room = f"cmu_us_{name}_arctic"
        for index, part in enumerate(("a0002", "a0001", "b0539")):
            yield f"{room}/wav/arctic_{part}.wav", wav(index, rate)
        yield (
            f"{room}/etc/txt.done.data",
            (
                '( arctic_a0001 "Author, of the trail." )\n( arctic_a0002 "Not at this case." )\n'
                '( arctic_b0539 "Last" )\n'
            ),
        )


def gtzan():
    for index, name in enumerate(
        ("blues.00029", "blues.00000", "blues.00012", "rock.00099", "rock.00008", "pop.00021")
    ):
        yield f"{name.split('.')[0]}/{name}.wav", wav(index, 22050)
    yield "blues/blues.00030.txt", b"x"


def libri_tts():
    for part, speaker, chapter in (
        ("dev-clean", 116, 288045),
        ("dev-clean", 1255, 74899),
        ("train-other-500", 20, 205),
    ):
        room = f"{part}/{speaker}/{chapter}"
        names = [f"{speaker}_{chapter}_00000{index}_000000" for index in (3, 1)]
        for name in names:
            yield f"{room}/{name}.wav", wav(len(name) + chapter, 24000)
        yield (
            f"{room}/{speaker}_{chapter}.trans.tsv",
            "".join(f"{name}\tMr. {name[-9]},\tMister {name[-9]}\n" for name in names),
        )


def lj_speech():
    for name in ("LJ001-0002", "LJ001-0001"):
        yield f"wavs/{name}.wav", wav(int(name[-1]), 22050)
    yield (
        "metadata.csv",
        (
            "LJ001-0001|Printing, in 1066|Printing, in ten sixty-six\n"
            'LJ001-0002|in being "x"|in being\n'
        ),
    )


def speech_commands():
    for index, name in enumerate(
        (
            "cat/b433eff_nohash_0",
            "cat/5a33edf_nohash_1",
            "dog/b433_nohash_2",
            "_background_noise_/hum",
        )
    ):
        yield f"{name}.wav", wav(index, 16000)
    yield "validation_list.txt", "cat/5a33edf_nohash_1.wav\n"
    yield "testing_list.txt", "dog/b433_nohash_2.wav\n"


def tedlium():
    for part in ("TEDLIUM/train", "TEDLIUM/test", "TEDLIUM/dev", "TEDLIUM3/data"):
        for talk in ("AlGore_2009", "BillGates_2010"):
            head = (
                "NIST_1A\n   1024\nsample_count -i 32000\nsample_rate -i 16000\n"
                "channel_count -i 1\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n"
                "sample_coding -s3 pcm\nend_head\n"
            )
            samples = np.random.default_rng(len(part + talk)).integers(-999, 999, 32000)
            yield (
                f"{part}/sph/{talk}.sph",
                head.ljust(1024).encode() + samples.astype("<i2").tobytes(),
            )
            yield (
                f"{part}/stm/{talk}.stm",
                f"{talk} 1 {talk} 0.5 0.75 <o,f0,male> first of {part[-5:]}\n"
                f"{talk} 1 {talk} 1.0 1.5 <o,f0,male> second\n",
            )


def yes_no():
    for index, name in enumerate(("1_0_0_0_1_1_0_0", "0_1_1_0_1_1_0_1")):
        yield f"{name}.wav", wav(index, 8000, count=7)


def sounds():
    """Returns WAV files of other kinds, in the layout of YesNo."""
    yield "stereo/1_1_1_1_1_1_1_1.wav", wav(1, 8000, 2)
    yield "bytes/1_1_1_1_1_1_1_1.wav", wav(1, 8000, bits=8)
    yield "wide/1_1_1_1_1_1_1_1.wav", wav(1, 8000, bits=32)
    yield "broken/1_1_1_1_1_1_1_1.wav", b"RIFF no sound"


def _mat(**values):
    import scipy.io

    file = io.BytesIO()
    scipy.io.savemat(file, values, do_compression=True)
    return file.getvalue()


def caltech101():
    for name, count in (("Faces", 2), ("ant", 1), ("BACKGROUND_Google", 1)):
        for number in range(1, count + 1):
            yield f"101_ObjectCategories/{name}/image_{number:04d}.jpg"
    for name, count in (("Faces_2", 2), ("ant", 1)):
        for number in range(1, count + 1):
            contour = np.arange(6.0).reshape(2, 3) * number
            yield f"Annotations/{name}/annotation_{number:04d}.mat", _mat(obj_contour=contour)


def flowers102():
    for number in range(1, 7):
        yield f"jpg/image_{number:05d}.jpg"
        yield f"segmim/segmim_{number:05d}.jpg"
    yield "imagelabels.mat", _mat(labels=np.array([[5, 1, 102, 7, 2, 2]]))
    yield (
        "setid.mat",
        _mat(trnid=np.array([[3, 1]]), valid=np.array([[2]]), tstid=np.array([[6, 4, 5]])),
    )


def sbd():
    import scipy.sparse

    for number, name in enumerate(("2008_000002", "2008_000003", "2008_000008")):
        yield f"img/{name}.jpg"
        bounds = np.empty((20, 1), object)
        for index in range(20):
            bounds[index, 0] = scipy.sparse.csc_matrix(
                (np.arange(20).reshape(4, 5) % (index + 2 + number) == 0).astype(np.uint8)
            )
        shape = (np.arange(20).reshape(4, 5) % (3 + number)).astype(np.uint8)
        yield f"cls/{name}.mat", _mat(GTcls={"Boundaries": bounds, "Segmentation": shape})
    yield "train.txt", "2008_000002\n2008_000008\n"
    yield "val.txt", "2008_000003\n"
    yield "train_noval.txt", "2008_000008\n"


def svhn():
    for part, count in (("train", 3), ("test", 2), ("extra", 2)):
        pixels = np.random.default_rng(count).integers(0, 256, (32, 32, 3, count), dtype=np.uint8)
        labels = np.array([[10], [4], [1]], np.uint8)[:count]
        yield f"{part}_32x32.mat", _mat(X=pixels, y=labels)
