"""Parameters, structs and constants that are passed to cuDNN agree with NVIDIA's headers, and the
right library is loaded."""

import contextlib
import ctypes
import importlib.util
import re
import types
from pathlib import Path

import pytest

from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cudnn, recurrent

INTEGERS = {"int", "cudnnDataType_t", "cudnnTensorFormat_t", "cudnnConvolutionMode_t"} | {
    *("cudnnRNNAlgo_t", "cudnnRNNMode_t", "cudnnRNNBiasMode_t", "cudnnDirectionMode_t"),
    *("cudnnRNNInputMode_t", "cudnnRNNDataLayout_t", "cudnnForwardMode_t", "cudnnWgradMode_t"),
    *(
        "int32_t",
        "cudnnMathType_t",
        "cudnnStatus_t",
        "cudnnDeterminism_t",
        "cudnnConvolutionFwdAlgo_t",
    ),
    *("cudnnConvolutionBwdDataAlgo_t", "cudnnConvolutionBwdFilterAlgo_t"),
}
POINTERS = {"cudnnHandle_t", "cudaStream_t", "cudnnTensorDescriptor_t", "cudnnFilterDescriptor_t"}
POINTERS |= {"cudnnConvolutionDescriptor_t", "cudnnDropoutDescriptor_t"}
POINTERS |= {"cudnnRNNDescriptor_t", "cudnnRNNDataDescriptor_t"}
OTHERS = {
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "uint32_t": ctypes.c_uint,
    "unsigned long long": ctypes.c_ulonglong,
}


def _folders():
    for package, part in (("simulated_cuda", "cudnn"), ("nvidia", "cudnn/include")):
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations if spec else ():
            yield Path(folder, part)


@pytest.fixture(scope="module")
def header():
    """NVIDIA's declarations, without comments."""
    folder = next((folder for folder in _folders() if (folder / "cudnn_cnn.h").exists()), None)
    if folder is None:
        pytest.skip("the headers of cuDNN are not installed")
    names = ("cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h")
    text = "".join((folder / name).read_text("utf-8") for name in names)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def _kind(declaration):
    """Returns the ctypes type of a parameter or struct member, such as `const int dims[]`."""
    if "*" in declaration or declaration.endswith("[]"):
        return ctypes.c_void_p
    name = " ".join(word for word in declaration.split()[:-1] if word != "const")
    if name in INTEGERS:
        return ctypes.c_int
    return ctypes.c_void_p if name in POINTERS else OTHERS[name]


@pytest.mark.parametrize("name", cudnn.FUNCTIONS)
def test_parameters_are_those_of_the_header(header, name):
    declared = re.search(rf"cudnnStatus_t CUDNNWINAPI\s+{name}\(([^;]*)\);", header)
    parameters = [" ".join(text.split()) for text in declared[1].split(",")]
    assert tuple(map(_kind, parameters)) == cudnn.FUNCTIONS[name]


@pytest.mark.parametrize("name", ["Fwd", "BwdData", "BwdFilter"])
def test_the_struct_of_an_algorithm_is_that_of_the_header(header, name):
    body = re.search(rf"cudnnConvolution{name}AlgoPerfStruct \{{([^}}]*)\}}", header)[1]
    members = [" ".join(text.split()) for text in body.split(";")[:-1]]
    assert members.pop() == "int reserved[3]"
    named = [(member.split()[-1], _kind(member)) for member in members]
    assert [*named, ("reserved", ctypes.c_int * 3)] == cudnn.Performance._fields_


def test_numbers_are_those_of_the_header(header):
    types_of_data = ("DATA_FLOAT", "DATA_DOUBLE", "DATA_HALF", "DATA_BFLOAT16")
    numbers = {
        **dict(zip(types_of_data, cudnn.TYPES.values(), strict=True)),
        "TENSOR_NCHW": cudnn.CHANNELS_SECOND,
        "TENSOR_NHWC": cudnn.CHANNELS_LAST,
        "CROSS_CORRELATION": cudnn.CROSS_CORRELATION,
        "DEFAULT_MATH": cudnn.DEFAULT_MATH,
        "TENSOR_OP_MATH": cudnn.TENSOR_OP_MATH,
        "FMA_MATH": cudnn.FMA_MATH,
        "DETERMINISTIC": cudnn.DETERMINISTIC,
        **{f"RNN_{kind.upper()}": recurrent.KINDS[kind][0] for kind in ("relu", "tanh")},
        **{kind.upper(): recurrent.KINDS[kind][0] for kind in ("lstm", "gru")},
        "RNN_ALGO_STANDARD": recurrent.STANDARD,
        "LINEAR_INPUT": recurrent.LINEAR_INPUT,
        "RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED": recurrent.STEPS_FIRST,
        "RNN_NO_BIAS": recurrent.NO_BIAS,
        "RNN_DOUBLE_BIAS": recurrent.TWO_BIASES,
        "UNIDIRECTIONAL": 0,
        "BIDIRECTIONAL": 1,
        "FWD_MODE_INFERENCE": recurrent.INFERENCE,
        "FWD_MODE_TRAINING": recurrent.TRAINING,
        "WGRAD_MODE_ADD": recurrent.ADD_TO_GRADIENT,
        "STATUS_NOT_SUPPORTED": cudnn.NOT_SUPPORTED[0],
        "STATUS_INTERNAL_ERROR": cudnn.NOT_SUPPORTED[-1] + 1,
    }
    for name, number in numbers.items():
        declared = re.search(rf"\bCUDNN_{name}\s*=\s*(\d+)", header)
        assert declared and int(declared[1]) == number, name
    counts = re.findall(r"_ALGO_COUNT\s*=\s*(\d+)", header)
    assert max(map(int, counts)) <= cudnn.MOST_ALGORITHMS


def _module(cublas=True, hip=False, version=13000):
    runtime = types.SimpleNamespace(is_hip=hip, runtimeGetVersion=lambda: version)
    return types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=runtime, cublas=cublas or None))


def test_there_is_none_without_cuda():
    assert cudnn.load(_module(cublas=False)) is None
    assert cudnn.load(_module(hip=True)) is None


def test_there_is_none_where_no_file_is(monkeypatch):
    monkeypatch.setattr(cudnn, "NAMES", ("libcudnn_missing.so", "cudnn_missing.dll"))
    assert cudnn.load(_module()) is None


def test_the_package_is_searched(monkeypatch, tmp_path):
    spec = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(cudnn.importlib.util, "find_spec", lambda name: spec)
    paths = [Path(path) for path in cudnn._paths()]
    assert tmp_path / "lib" / cudnn.NAMES[0] in paths and tmp_path / "bin" / cudnn.NAMES[1] in paths


@pytest.fixture(scope="module")
def on_host():
    """Returns the library without a device: NVIDIA's if it is installed, otherwise a fake."""
    for path in cudnn._paths():
        with contextlib.suppress(OSError):
            return cudnn.Library(types.SimpleNamespace(cuda=None), ctypes.CDLL(path))
    pytest.skip("there is no cuDNN")


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("dtype", cudnn.TYPES, ids=str)
def test_the_library_takes_our_descriptors(on_host, dtype, channels_last):
    for shape, kernel in (
        ((2, 4, 9, 8), (3, 2)),
        ((2, 4, 1, 9), (1, 3)),
        ((2, 4, 3, 9, 8), (2,) * 3),
    ):
        axes = len(kernel)
        on_host.images(shape, dtype, channels_last)
        on_host.filters((6, 2, *kernel), dtype, channels_last)
        for math in (cudnn.DEFAULT_MATH, cudnn.TENSOR_OP_MATH, cudnn.FMA_MATH):
            on_host.convolution((1,) * axes, (2,) * axes, (1,) * axes, 2, dtype, math)


def test_the_library_refuses_sizes_by_name(on_host):
    with pytest.raises(cudnn.Refused, match="BAD_PARAM"):
        on_host.images((2, 0, 3, 3), cudnn.FLOAT32, False)
    with pytest.raises(cudnn.Refused, match="NOT_SUPPORTED"):
        on_host.images((1, 1, 1 << 16, 1 << 15), cudnn.FLOAT32, False)


@pytest.mark.parametrize("space", ["cupy"], indirect=True)
@pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes")
class TestLibrary:
    """The library that is there."""

    def test_it_has_to_be_for_the_same_cuda(self, space):
        if cudnn.load(space.module) is None:
            pytest.skip("there is no cuDNN")
        version = space.module.cuda.runtime.runtimeGetVersion()
        assert cudnn.load(_module(version=version)) is not None
        assert cudnn.load(_module(version=version + 1000)) is None

    def test_it_has_to_have_all_functions(self, space, monkeypatch):
        monkeypatch.setitem(cudnn.FUNCTIONS, "cudnnNoSuchFunction", ())
        assert cudnn.load(space.module) is None
