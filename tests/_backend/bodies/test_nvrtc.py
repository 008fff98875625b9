"""NVRTC compiles every kernel of a training step, of each optimizer and of the hand-written ones.

The tests are skipped if NVRTC is not installed; it needs no GPU (see kit/nvrtc.py).
"""

import numpy as np
import pytest
from fakecupy import kernels as elementwise
from fakecupy import rawkernels
from kit import nvrtc

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend.bodies import row_layout
from mindspore_compat._backend.bodies.multi_tensor import Numbers
from mindspore_compat._backend.bodies.row_kernels import RowKernel
from mindspore_compat._backend.bodies.row_plan import ELEMENT
from mindspore_compat._backend.conv import cuda_kernels
from mindspore_compat._backend.cuda import (
    alignments,
    equal_numbers,
    inside_points,
    scatter_products,
    suppression,
)
from mindspore_compat._backend.updates import factored
from mindspore_compat._backend.updates.fuse import fuse
from mindspore_compat._backend.updates.whole_tensors import TensorPlan
from mindspore_compat.ops._optimizer.formulas import lamb_update
from tests._backend.bodies.test_rows import softmax
from tests._backend.updates.test_fuse import CASES, formula_of, operands
from tests.gpu import networks, steps, test_layers

pytestmark = pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed")
ARCHITECTURES = (70, 80, 90)
FRAME = """
{types}
{preamble}
extern "C" __global__ void {name}(long long count, {arguments}) {{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x) {{
        {references}
        {body};
    }}
}}
"""


def as_cuda(kernel):
    """Returns the CUDA source of an ElementwiseKernel: a loop over its elements, with float for its
    type letters."""
    slots = kernel.in_params + kernel.out_params
    letters = sorted({slot.type for slot in slots if len(slot.type) == 1})
    names = {"float32": "float", "float64": "double", "int64": "long long", "int32": "int"}
    names["uint64"] = "unsigned long long"
    kinds = [names.get(slot.type, slot.type) for slot in slots]
    return FRAME.format(
        types="\n".join(f"typedef float {letter};" for letter in letters),
        name="elementwise",
        preamble=kernel.preamble,
        arguments=", ".join(
            f"{kind}* {slot.name}_at" for kind, slot in zip(kinds, slots, strict=True)
        ),
        references="\n        ".join(
            f"{kind}& {slot.name} = {slot.name}_at[i];"
            for kind, slot in zip(kinds, slots, strict=True)
        ),
        body=kernel.operation,
    )


def run_everything(space):
    """Runs everything that defines kernels: networks, the formula of each optimizer, activations,
    and operators on halves.

    Returns:
        The objects that keep the kernels alive.
    """
    compiled = []
    for name in networks.NAMES:
        steps.counts_of(name)
    for name in steps.OPTIMIZERS:
        steps.updated("LSTM", name)
        steps.counts_of("LSTM", name)
    for case, scalars in CASES.items():
        for dtype in ("float32", "float16"):
            fused = fuse(formula_of(case), ("p", "g") if case == "lamb_direction" else ("g",))
            compiled.append(fused)
            made = list(operands(fused, (3,), dtype).values())
            for rows in (1, 2):
                fused.sweep(
                    [[space.array(array) for array in made] for _ in range(rows)],
                    skip=space.array(False) if rows == 2 else None,
                    **scalars,
                )
    for name, make in test_layers.LAYERS.items():
        test_layers.counted(name, make)
    x = ms.Tensor(np.ones((2, 3), np.float16))
    for activation in (ops.gelu, ops.silu, ops.mish, ops.sigmoid, ops.softmax, ops.log_softmax):
        ms.grad(lambda x, activation=activation: activation(x).sum())(x)
    ms.grad(lambda x: nn.GRU(3, 4)(x)[0].sum())(ms.Tensor(np.ones((5, 2, 3), np.float32)))
    ms.grad(lambda x: nn.LayerNorm((3,), dtype=ms.float16)(x).sum())(x)
    for shape in ((1, 2, 3, 2), (1, 3, 3, 3, 3)):  # images and volumes that are their own grids
        x = ms.Tensor(np.ones(shape, np.float32))
        ms.grad(lambda x: ops.grid_sample(x, x).sum())(x)
    return compiled


@pytest.mark.nightly
@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_every_kernel_compiles(space):
    compiled = run_everything(space)
    texts = {
        kernel.name + str(number): kernel.code for number, kernel in enumerate(rawkernels.EVERY)
    }
    texts |= {
        kernel.name + str(number): as_cuda(kernel)
        for number, kernel in enumerate(elementwise.EVERY)
    }
    texts |= {
        f"{name} of {kind}": cuda_kernels.source(name, kind)
        for name in cuda_kernels.KERNELS
        for kind in cuda_kernels.DTYPES
    }
    assert compiled and len(texts) > 120
    wrong = {
        f"{name}, sm_{architecture}": found
        for architecture in set(ARCHITECTURES) & set(nvrtc.architectures())
        for name, text in texts.items()
        if (found := nvrtc.complaint(text, architecture))
    }
    assert not wrong, "\n".join(f"{name}: {text[:600]}" for name, text in wrong.items())


@pytest.mark.parametrize("averages", [True, False])
def test_a_block_of_adafactor_has_registers_for_all_its_threads(averages):
    """The case that needs the most registers: scalars on the device, which are read in float64."""
    device = np.zeros((), np.float64)
    names = "lr", "decay", "beta1", "taken", "decay_rate", "eps", "least", "clip", "scale"
    numbers = Numbers(dict.fromkeys(names, device), np.ndarray)
    flags = True, True, True, averages, averages
    texts = factored._texts((np.dtype(np.float64),) * factored.KINDS, flags, numbers)
    for architecture in set(ARCHITECTURES) & set(nvrtc.architectures()):
        for text in texts.values():
            assert nvrtc.registers(text, architecture) * 2 * factored.THREADS <= 1 << 16


class Texts:
    """An array library whose kernels are their texts."""

    @staticmethod
    def RawKernel(text, name):
        return text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blocks_of_recursions_have_registers_for_all_their_threads(dtype):
    names = [*alignments._CTC, *alignments._RNNT]
    texts = {name: alignments._kernel(Texts, name, np.dtype(dtype)) for name in names}
    texts["survivors"] = suppression._kernel(Texts)
    for architecture in set(ARCHITECTURES) & set(nvrtc.architectures()):
        for name, text in texts.items():
            assert not nvrtc.complaint(text, architecture), name
            assert nvrtc.registers(text, architecture) * alignments.MOST_THREADS <= 1 << 16, name


@pytest.mark.parametrize("index", ["int", "long long"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kernels_with_indices_of_both_sizes_compile(dtype, index):
    texts = {
        (name, last): inside_points._kernel(Texts, name, np.dtype(dtype), index, last, False)
        for name in inside_points._KERNELS
        for last in ((None,) if name == "slope_inside" else (True, False))
    }
    texts |= {name: equal_numbers._kernel(Texts, name, index) for name in ("meet", "first")}
    texts |= {
        (how, kind): scatter_products._kernel(Texts, kind, how)
        for how in scatter_products._SIGNS
        for kind in scatter_products._TYPES
    }
    for architecture in set(ARCHITECTURES) & set(nvrtc.architectures()):
        for name, text in texts.items():
            assert not nvrtc.complaint(text, architecture), name


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("length", [512, 4096, 50256])
def test_a_thread_loads_several_packs_before_it_uses_one(length, dtype):
    """Tests rows that belong to a warp, rows that belong to a block, and rows that are read
    again."""
    problem = row_layout.Problem((1, 4096, length), (np.dtype(dtype),), 1, True, 0, False, False)
    layout = row_layout.choose(problem).layout
    signature = softmax, (ELEMENT,), (ELEMENT,), (np.dtype(dtype),), {"axis": None}, ()
    names = nvrtc.instructions(RowKernel(*signature, layout).text, 90)
    first_use = min(names.index(name) for name in names if name.startswith(("SHFL", "shfl")))
    wide = ("LDG.E.128", "ld.global.v4", "ld.global.v2.b64", "ld.global.nc.v4")
    loads = [name for name in names[:first_use] if name.startswith(wide)]
    assert len(loads) >= 4
    assert not any(name.startswith(("LDL", "STL")) for name in names)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_an_update_with_norms_loads_packs(dtype):
    dtypes = (np.dtype(dtype),) * 2 + (np.dtype("float32"),) * 2
    scalars = ("lr", "beta1", "beta2", "eps", "correct1", "correct2")
    numbers = Numbers(dict.fromkeys(scalars, 1.0), np.ndarray)
    plan = TensorPlan(lamb_update, [0, 2, 3], dtypes, {"decay": None}, numbers)
    for text in (plan.sums_text(), plan.update_text()):
        names = nvrtc.instructions(text, 90)
        wide = [name for name in names if name.startswith(("LDG.E.128", "ld.global.v"))]
        assert len(wide) >= 4 and nvrtc.registers(text, 90) <= 128


def test_a_wrong_text_is_found():
    assert "undefined" in nvrtc.complaint("__global__ void f() { x = 1; }", 80)
