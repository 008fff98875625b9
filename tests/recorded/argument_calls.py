"""Calls with odd arguments whose outcome is known from MindSpore 2.10, and how it is recorded.

In tests/, with an interpreter that has MindSpore (CPU), `python -m recorded.argument_calls`
writes tests/data/observed_arguments.json; test_odd_arguments.py makes the same calls of this
package. An outcome is "accepted" or the name of an exception.
"""

import importlib
import json
import os
import pathlib
import tempfile

import numpy as np

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_arguments.json"

# Calls, and values that take the place of `?` in them.
CALLS = {
    "ds.GeneratorDataset(rows, ['x'], num_parallel_workers=?)": "None, 1, 0, 'a', []",
    "ds.NumpySlicesDataset([1, 2], num_parallel_workers=?)": "None, 1, 0, 'a', []",
    "ds.audio.LFCC(dct_type=?)": "2, None, True, 'a', 0.5, (), {}, object()",
    "ds.audio.MFCC(dct_type=?)": "2, 0, 3",  # others are TypeErrors by the page
    "ds.audio.linear_fbanks(20, ?, 4000., 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.linear_fbanks(20, 0., ?, 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.melscale_fbanks(20, ?, 4000., 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.melscale_fbanks(20, 0., ?, 10, 8000)": "0, -1, 10., 'a', None",
    "ds.transforms.TypeCast(?)": "T([1.0]), 'int8', 1, None, ()",
    "ds.vision.ToType(?)": "T([1.0]), 'int8', 1, None, ()",
    "ds.vision.RandomErasing(value=?)": "0, -1, 256, 'a', None, True, 0.5, {}, object()",
    "ds.text.Ngram(?)": "2, [1, 2], []",
    "ds.text.RegexTokenizer(?)": "'a', None, 1, [], object()",
    "ds.text.BertTokenizer(?)": "vocab, None, 1, [], object()",
    "ds.text.WordpieceTokenizer(?)": "vocab, None, 1, [], object()",
    "ds.vision.TenCrop(2, ?)": "True, None, 1, 'a', []",
    "nn.BatchNorm1d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None",
    "nn.BatchNorm2d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None, T(0.5), T(2.0)",
    "nn.BatchNorm3d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None",
    # flags of which only the truth value is read, if anything
    "nn.AvgPool1d(2, ceil_mode=?)": "True, False, None, [], '', 1, 'a', 0.5, np.array([1, 2])",
    "nn.AvgPool1d(2, count_include_pad=?)": "True, False, None, [], 1, 'a', (0.5,)",
    "nn.AvgPool2d(2, ceil_mode=?)": "True, False, None, [], '', 1, 'a', 0.5, np.array([1, 2])",
    "nn.AvgPool2d(2, count_include_pad=?)": "True, False, None, [], 1, 'a', (0.5,)",
    "nn.AvgPool2d(2, divisor_override=?)": "1, -2, 0.5, None, True",
    "nn.MultiheadAttention(4, 2, add_bias_kv=?)": "True, None, 'a', 0.5, [], np.array([1, 2])",
    "nn.MultiheadAttention(4, 2, add_zero_attn=?)": "True, None, 'a', 0.5, []",
    "nn.MultiheadAttention(4, 2, batch_first=?)": "True, None, 'a', 0.5, []",
    "nn.TransformerEncoderLayer(4, 2, norm_first=?)": "True, None, 'a', 0.5, []",
    "ms.train.auc(np.array([0., 1.]), np.array([0., 1.]), reorder=?)": "True, None, 2, (2, 2)",
    "nn.AvgPool3d(2, count_include_pad=?)": "True, None, 1, 'a', (0.5,)",
    "nn.BatchNorm2d(3, gamma_init=?)": "np.float32(1), np.int64(1), np.ones(3), 'a', None",
    "nn.TimeDistributed(nn.ReLU(), 1)(?)": "1j, [1.0], range(2)",
    "nn.ChannelShuffle(1)(?)": "1j, [1.0], 2",
    "nn.Unflatten(0, (1, 1))(?)": "1j, [1.0], 2",
    # settings that only mode "pad" has
    "nn.MaxPool1d(2, padding=?)": "0, 0.0, False, 1, (0,), 'a', None, 1.5, T(0)",
    "nn.MaxPool2d(2, padding=?)": "0, 0.0, False, 1, (0, 0), 'a', None, 1.5, T(0)",
    "nn.MaxPool2d(2, dilation=?)": "1, True, 2, (1, 1), None, 'a', 0.5",
    "nn.MaxPool1d(2, pad_mode='pad', ceil_mode=?)": "True, None, 1, 'a', []",
    "nn.MaxPool1d(2, pad_mode='pad', dilation=?)": "2, (1,), (1, 1), True, 'a', [], (True,)",
    "nn.MaxPool2d(2, pad_mode='pad', ceil_mode=?)": "True, None, 1, 'a', []",
    "nn.MaxPool3d(2, pad_mode='pad', ceil_mode=?)": "True, None, 1, 'a', []",
    "nn.MaxPool3d(2, pad_mode='pad', return_indices=True, ceil_mode=?)": "True, None, 1, 'a'",
    # settings that are read later
    "mint.nn.Dropout(?)": "0.5, -1, 'a', None, [1]",
    "mint.nn.Dropout2d(?)": "0.5, -1, 'a', None, [1]",
    "mint.nn.Dropout(0.5, inplace=?)": "True, 1, 'a', None",
    "mint.nn.MaxPool2d(?)": "2, -1, 'a', None, [1], (1, 'a')",
    "mint.nn.MaxPool2d(2, ceil_mode=?)": "True, 1, 'a', None",
    "ms.runtime.StreamLimitCtx(ms.runtime.Stream(), ?)": "1, 'a', None, 0.5",
    "ms.jit(?)": "None, 1, 'a', []",
    "ms.jit(abs, backend=?)": "'', 'ms_backend', 'a', None, 1",
    "nn.Adam(weights, ?)": "0.1, [], (), {}, [0.1], -1, None, T([[1.0]])",
    "ms.Model(nn.ReLU(), loss_fn=?)": "None, nn.L1Loss(), [], False, '', {}",
    "ms.Model(nn.ReLU(), optimizer=?)": "None, [], False, '', 1, 'a'",
    "ms.Model(nn.ReLU(), eval_network=?)": "None, [], 1, 'a'",
    "ms.parallel.parameter_broadcast(?, {})": "nn.ReLU(), 1, 'a', None",
    "ms.parallel.parameter_broadcast(nn.ReLU(), {'w': []}, ?)": "0, 'a', None",
    "mint.nn.UpsamplingNearest2d(?)": "(2, 2), 2, 'a', None, (1, 1, 1)",
    "mint.nn.UpsamplingBilinear2d(?)": "(2, 2), 2, 'a', None, (1, 1, 1)",
    "mint.nn.UpsamplingBilinear2d(scale_factor=?)": "[2.0, 2.0], 2, 'a', None, [1.0]",
    "mint.nn.Upsample(2, align_corners=?)": "True, None, 'a', 1",
    "optim.ASGD(weights, alpha=?)": "0.5, 'a', None, [1]",
    "optim.Rprop(weights, step_sizes=?)": "(1e-6, 50), 1, 'a', None, [1]",
    "schedulers.CyclicLR(optim.SGD(weights, lr=0.1), 0.1, 0.2, gamma=?)": "0.5, 'a', None, [1]",
    "plateau(mode=?)": "'min', 'a', 1, None, ()",
    "plateau(threshold_mode=?)": "'rel', 'a', 1, None, ()",
    "plateau(patience=?)": "1, 0.5, 'a', None, [1]",
    "plateau(cooldown=?)": "1, 0.5, 'a', None, [1]",
    "plateau(threshold=?)": "1, 0.5, 'a', None, [1]",
    "plateau(eps=?)": "1, 0.5, 'a', None, [1]",
    "ms.train.EarlyStopping(baseline=?)": "1, 0.5, None, 'a', [1], ()",
    "ms.train.OnRequestExit(config_file=?)": "'a', None, 1, [1]",
    "ms.train.SummaryCollector('.', num_process=?)": "1, 'a', None, [1], 0.5",
    "ds.dataloader.DataLoader(rows, collate_fn=?)": "None, abs, 1, 'a', [1]",
    "ds.dataloader.DataLoader(rows, worker_init_fn=?)": "None, abs, 1, 'a', [1]",
    "ds.dataloader.DataLoader(rows, prefetch_factor=?)": "None, 1, 'a', [1]",
    "ds.dataloader.DataLoader(rows, multiprocessing_context=?)": "None, 1, 'a', [1]",
    # a wrong type is a ValueError
    "nn.MultiheadAttention(4, 2, kdim=?)": "None, 4, 0, 3.0, 'a', []",
    "nn.MultiheadAttention(?, 2)": "4, 3, 3.0, True, np.float32(1), T(1)",
    "ms.JitConfig(exc_mode=?)": "'auto', 'a', 1, None, []",
    "ms.JitConfig(jit_syntax_level=?)": "'LAX', 'a', 1, None, []",
    "ms.JitConfig(debug_level=?)": "'DEBUG', 'a', 1, None, []",
    "ms.JitConfig(infer_boost=?)": "'on', '', 'a', 1, None, []",
    "nn.Jvp(?)(T([1.0]), T([1.0]))": "nn.ReLU(), 1, 'a', None",
    "ms.amp.build_train_network(nn.ReLU(), nn.SGD(weights), boost_level=?)": "'a', 1, None",
    # dtypes for which MindSpore has no kernel
    "ops.sort(of(ms.?, 3))": "float32, float16, int8, uint8, uint16, uint64, bfloat16",
    "ops.argsort(of(ms.?, 3))": "float32, int8, uint8, uint32, bfloat16",
    "ops.msort(of(ms.?, 3))": "float32, int8, uint8, uint32, bfloat16",
    "ops.avg_pool2d(of(ms.?, 1, 1, 4, 4))": "float32, float16, float64, bfloat16, int32",
    "ops.max_pool2d(of(ms.?, 1, 1, 4, 4), 2)": "float32, float16, int32, bfloat16",
    "ops.adaptive_max_pool3d(of(ms.?, 1, 1, 4, 4, 4), (2, 2, 2))": "float32, int32, bfloat16",
    "ops.dropout2d(of(ms.?, 1, 1, 4, 4))": "float32, int8, int32, uint8, uint16, bool_",
    "ops.sgn(of(ms.?, 3))": "float32, int32, int8, uint8, uint16",
    "ops.gather_elements(of(ms.float32, 3), 0, of(ms.?, 3) * 0)": "int32, int64, int8, int16",
    "ops.one_hot(of(ms.?, 3), 2)": "int32, int64, uint8, int8, float32",
    "ops.inverse(of(ms.?, 1, 1))": "float16, int32",
    "ops.matrix_power(of(ms.?, 1, 1), 2)": "float32, int32, float16, bfloat16, uint16, uint8",
    "ops.celu(of(ms.?, 3))": "float32, float16, float64, bfloat16, int32",
    "ops.softsign(of(ms.?, 3))": "float32, float16, float64, bfloat16, int32",
    "ops.bessel_j0(of(ms.?, 3))": "float32, float16, float64, bfloat16, int32",
    "ops.digamma(of(ms.?, 3))": "float32, float16, float64, bfloat16, int32",
    "ops.lgamma(of(ms.?, 3))": "float32, float16, int32, bfloat16, int64",
    "ops.index_fill(of(ms.float32, 3), 0, of(ms.?, 1), 1.0)": "int32, int64",
    "ops.diff(of(ms.?, 3))": "float32, int8, uint8, uint16, uint64",
    # sequences and numbers of the wrong type
    "ops.tile(of(ms.float32, 2, 3), ?)": "(2, 1), [2, 1], (2, 'a')",
    "of(ms.float32, 2, 3).tile(?)": "(2, 1), [2, 1]",
    "of(ms.float32, 2, 3).tile(dims=?)": "(2, 1), [2, 1], 2",
    "ops.vector_norm(of(ms.float32, 2, 3), ?)": "2, 'a', None, True, 1j",
    "ops.randint(0, 5, ?)": "(2, 3), [2, 3], 2, None",
    # arguments that are not checked before use, or only for their truth value
    "ds.ImageFolderDataset('.', decrypt=?)": "None, abs, 1, 'a'",
    "ds.ImageFolderDataset('.', decode=?)": "None, True, 1, 'a'",
    "ds.CelebADataset('.', usage=?)": "'train', 'a', 1, None, [], ()",
    "ds.CelebADataset('.', extensions=?)": "['a'], [1], 1, None, ()",
    "ds.TedliumDataset('.', 'release1', extensions=?)": "None, '.sph', 1, [1], ''",
    "ds.FakeImageDataset(base_seed=?)": "None, 2**40, 1.5, 'a'",
    "ds.RandomDataset(3, columns_list=?)": "[1], ['a'], 1, 'a', None",
    "ds.NumpySlicesDataset([1, 2], sampler=[1], shuffle=?)": "True, False, None",
    "ds.NumpySlicesDataset([1, 2], sampler=ds.SequentialSampler(), shuffle=?)": "True, False, None",
    "ds.NumpySlicesDataset([1, 2], sampler=[1], num_shards=2, shard_id=?)": "0, None",
    "ds.audio.DCShift(0.5, ?)(np.ones(4))": "float('inf'), 2.0**40, None, 'a'",
    "ds.WeightedRandomSampler(?)": "True, 1j, [True], ['a'], None, [1.0]",
    "mint.nn.Conv1d(2, 3, 1, padding_mode=?)": "[], 'a', {}, 1",
    "mint.nn.Conv2d(2, 3, 1, padding_mode=?)": "[], 'a', {}, 1, ['a'], set()",
    "mint.nn.Conv3d(2, 3, 1, padding_mode=?)": "[], 'a', {}, 1, np.ones(2)",
    "mint.nn.PReLU(init=?)": "None, 'a', [1]",
    "nn.PReLUExt(init=?)": "None, True, 'a', [1, 2], {}, T([1, 2]), b'a'",
    "nn.PReLUExt(?)": "0, T(0.5), 1, 0.5, 'a'",
    "nn.DynamicLossScaleUpdateCell(8, 2, ?)": "True, [1, 2], (), 2**40, 1j, 'a', {}, float('nan')",
    "nn.DynamicLossScaleUpdateCell(8, ?, 2)": "True, [1, 2], (), 1j, 'a', {}",
    "nn.OneHot(on_value=?)(T([0, 1]))": "1j, None",
    "nn.OneHot(off_value=?)(T([0, 1]))": "1j, None, 'a'",
    "nn.ASGD(weights, lambd=?)": "float('inf'), 1",
    "nn.ASGD(weights, alpha=?)": "float('inf'), 1",
    "nn.ASGD(weights, t0=?)": "float('inf'), 1",
    "nn.Adam(?)": "'', b'', T([]), 'a', ()",
    "nn.SGD(?)": "'', b'', T([]), 'a', ()",
    "nn.EmbeddingLookupThor(10, 4, manual_shapes=?)": "1, [1], 'a', None",
    "ops.ConfusionMatrix(?)": "0, 'a', None, 2.5, np.int64(1), T(1)",
    "ops.SpaceToBatch(2, ?)": "[], [[0, 0]], [[0, 0], [0, 0]], {}, 'a'",
    "ops.BatchToSpace(2, ?)": "[], [[0, 0]], [[0, 0], [0, 0]], {}, 'a'",
    "ms.get_auto_parallel_context(?)": "[], (), (1, 2), {}, 'a', 1, set()",
    "ms.get_ps_context(?)": "[], (), (1, 2), {}, 'a', 1, set()",
    "T([1.0], device=?)": "[], {}, 'a', 1, 'CPU'",
    "ms.parallel.Layout((2, 4), ('a', 'b'), ?)": (
        "[1, 2], [], [True] * 8, list(range(8)), [1.0] * 8"
    ),
    "ds.CLUEDataset('a', task=?)": "'AFQMC', 1, [None], {}",
    "ds.CLUEDataset('a', usage=?)": "'train', 1, [None], {}",
    "ds.VOCDataset('.', extra_metadata=?)": "True, 1, 'a', None",
    "ds.VOCDataset('.', decode=?)": "True, None",
    "ds.CocoDataset('.', '.', extra_metadata=?)": "True, 1, 'a', None",
    "ds.Flowers102Dataset('.', task=?)": "None, 'a'",
    "ds.Flowers102Dataset('.', usage=?)": "None, 'a'",
    "ds.SBDataset('.', task=?)": "None, 1, 'a'",
    "ds.ManifestDataset('a', usage=?)": "None, 'train'",
    "ds.Food101Dataset('.', decode=?)": "None, 1",
    "ds.KITTIDataset('.', decode=?)": "None, 1",
    "ds.SUN397Dataset('.', decode=?)": "None, 1",
    "ds.TFRecordDataset('a', columns_list=?)": "[1], 1, None",
    "ds.TextFileDataset(here, shuffle=?)": "None, True, 1, 'a'",
    "ds.CSVDataset(here, shuffle=?)": "None, True, 1, 'a'",
    "ds.USPSDataset('.', shuffle=?)": "None, True, 1, 'a'",
    "ms.train.SummaryRecord('.', num_process=?).close()": "1, 'a', None, 0.5",
    "ms.ckpt_to_safetensors(saved('a.ckpt'), processes_num=?)": "1, 'a', None, 0.5",
    "ms.safetensors_to_ckpt(saved('a.safetensors'), processes_num=?)": (
        "1, 'a', None, 0.5, True, np.int64(1)"
    ),
    "ds.SubsetSampler(?)": "True, b'a', [True], 'a', [1.0]",
    "ds.SubsetRandomSampler(?)": "True, b'a', [True], 'a', [1.0]",
    "ds.dataloader.DistributedSampler(rows, 1, 0, seed=?)": "True, False, 1.0, 'a'",
    "ds.dataloader.DistributedSampler(rows, 1, rank=?)": "False, True, 0.0, 'a'",
    "ds.dataloader.DistributedSampler(rows, num_replicas=?, rank=0)": "True, 1.0, 'a', 0",
    "ds.vision.Affine(0, [0, 0], 1.0, shear=?)": "np.float32(1.5), np.int64(1), 'a', True",
    "ms.common.initializer.initializer('ones', ?)": (
        "'', {}, 1, (1, 2), T(1), object(), (1, 'a'), 2.5"
    ),
    "ms.common.initializer.initializer(T([1.0, 2.0]), ?)": "None, 2.5, 1, T(1), (2,), [2], 'a'",
    "schedulers.CosineAnnealingLR(optim.SGD(weights, lr=0.1), T_max=?)": (
        "0, -1, True, 1.0, 'a', None"
    ),
    "schedulers.CosineAnnealingLR(optim.SGD(weights, lr=0.1), 2, eta_min=?)": "True, 1, 'a', None",
    "schedulers.LambdaLR(optim.SGD(weights, lr=0.1), ?)": "[0.5, 0.5], [abs, 1], [1], 1, [], [abs]",
    "plateau(min_lr=?)": "'a', {}, ms.float32, 0.5, True, T(0.5), object(), [0.5], None",
    "ds.RandomDataset(total_rows=?)": "-1, 2**40, 1.5, 'a'",
    "ds.audio.Spectrogram(n_fft=2)(?)": "(0.1, -1.0), T([0.1, 1.0, 2.0, 3.0]), [1.0, 2.0], None",
    "ds.audio.Biquad(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)(?)": (
        "(0.1, -1.0), T([0.1, 1.0, 2.0, 3.0]), [1.0, 2.0], None"
    ),
    "ds.audio.SpectralCentroid(8, n_fft=2)(?)": (
        "(0.1, -1.0), T([0.1, 1.0, 2.0, 3.0]), [1.0, 2.0], None"
    ),
    "ds.serialize(ds.NumpySlicesDataset([1]), ?)": "{}, None, '', 0, [], False, 'a.json'",
    "ds.dataloader.TensorDataset(?)": "np.ones((2, 2)), T([1])",
    # kinds of other errors
    "nn.get_activation(?)": "'relu', 'a', 1, None, [], {}",
    "ms.lazy_inline(?)": "None, 1, 'a', []",
    # the number of axes that a kernel pads
    "ops.MirrorPad()(of(ms.float32, *(1,) * ?, 3), T([[0, 0]] * ? + [[1, 1]]))": "3, 4, 5",
    "nn.ReflectionPad1d(1)(of(ms.float32, *(1,) * ?, 3))": "1, 4, 5",
    "nn.ReflectionPad3d(1)(of(ms.float32, *(1,) * ?, 3, 3, 3))": "1, 2, 3",
    "ops.PadV3('reflect')(of(ms.float32, *(1,) * ?, 3), (1, 1))": "1, 2, 3",
    "ops.PadV3('edge')(of(ms.float32, *(1,) * ?, 3, 3, 3), (1, 1, 1, 1, 1, 1))": "1, 2, 3",
    "ops.pad(of(ms.float32, *(1,) * ?, 3), (1, 1), 'reflect')": "0, 1, 2, 3",
    "ops.pad(of(ms.float32, *(1,) * ?, 3), (1, 1), 'circular')": "0, 1, 2, 3",
    "ops.pad(of(ms.float32, *(1,) * ?, 3, 3, 3), (1, 1, 1, 1, 1, 1), 'reflect')": "1, 2",
    "ops.Pad(?)(of(ms.float32, 2, 3))": "((1, 1),), ((1, 1), (0, 0)), ([1, 1], [1, 1])",
    "ops.repeat_elements(of(ms.float32, *(1,) * ?), 2)": "7, 8",
    "ops.repeat_interleave(of(ms.float32, *(1,) * ?), 2, 0)": "7, 8",
    # bounds that mix Tensors and numbers, or that exceed the input
    "ops.clamp(T([1., 2.]), ?, T([1., 2.]))": "1, 1.0, None, T([1., 2.])",
    "ops.clip(T([1., 2.]), ?)": "T([[1., 2.], [3., 4.]]), T([1.])",
    "mint.clamp(T([1., 2.]), ?, T(2.))": "1.0, T([[1., 2.]]), None",
    "mint.clip(T([1., 2.]), T([1., 2.]), ?)": "1, None",
    "T([1., 2.]).clamp(?, T([1., 2.]))": "1, None",
    # ints that int64 cannot hold
    "ops.mul(T([1., 2.]), ?)": "2**70, 2**63, 2**63-1, -2**63, -2**63-1",
    "ops.le(T([1, 2]), ?)": "2**70, 2**63, 2**62",
    "ops.Sub()(?, T([1.]))": "2**70, 2**40",
    "ops.where(T([True]), T([1.]), ?)": "2**70, 2**40",
    "mint.sub(T([1.]), ?)": "2**70, 2**40",
    "T([1., 2.]).__ne__(?)": "2**70, 2**63, 2**40",
    "ops.full_like(T([1., 2.]), ?)": "2**63, 2**40",
    "T([1, 2], ms.int32).sub(T([1, 1], ms.int32), alpha=?)": "2**31, -2**33, 2**63-1, True, 0",
    "T([1, 2], ms.int8).add(T([1, 1], ms.int8), alpha=?)": "300, -200",
    "T(1.).approximate_equal(T(1.), ?)": "np.ones((2, 2)), None, 1, True, [1], 1j, 0.1",
    "ops.norm(of(ms.float32, 3, 3), ord=?)": "True, False, np.bool_(True), 1",
    "ops.norm(of(ms.float32, 3), ord=?)": "True, False, 1",
    "T([1., 2.]).norm(ord=?)": "True, 1",
    "nn.MultiFieldEmbeddingLookup(4, 3, 2, feature_num_list=?)": "[0.5], (1, 2), 'a', 3",
    "nn.FractionalMaxPool2d(2, output_ratio=?)(of(ms.float32, 1, 1, 5, 5))": "[0.5, 0.5], 0.5",
    "nn.Range(?, 5)()": "True, False",
    "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), ?)": "True, False, 1.0",
    "ds.text.TruncateSequencePair(?)([1, 2], [4, 5])": "T(3), np.int64(3), np.int8(2), True, 2.0",
    "ds.Schema().parse_columns(?)": "({'name': 'a', 'type': 'int8'},), []",
    # an axis twice, or none
    "ops.sum(of(ms.float32, 2, 3), ?)": "(0, 0), (1, -1), (0, 1)",
    "T([[1.0]]).mean(?)": "(0, 0), (0, 1)",
    "T([[True]]).all(?)": "(0, 0), [0, -2]",
    "T([[1.0]]).amax(?)": "(0, 0), [0, -2]",
    "T([[1.0]]).nansum(?)": "(0, 0), (0, 1)",
    "T([[1.0]]).count_nonzero(?)": "(0, 0), (0, 1)",
    "ops.ReduceMax()(of(ms.float32, 2, 3), ?)": "(0, 0), (1, -1)",
    "ops.logsumexp(of(ms.float32, 2, 3), ?)": "(0, 0), (0, 1)",
    "ops.nanmean(of(ms.float32, 2, 3), ?)": "(0, 0), (0, 1)",
    "ops.std(of(ms.float32, 2, 3), ?)": "(0, 0), (0, 1)",
    "ops.var_mean(of(ms.float32, 2, 3), ?)": "(0, 0), (0, 1)",
    "ops.Argmax(?)(of(ms.float32))": "-1, 0",
    "ops.Argmin(?)(of(ms.float32))": "-1, 0",
    "ms.numpy.argmax(of(ms.float32), ?)": "0, 5, None",
    "of(ms.float32, *(1,) * ?).cauchy()": "0, 1",
    "ops.Randperm(3)(of(ms.int32, *(1,) * ?))": "0",
    # dtypes
    "mint.inverse(of(?, 1, 1))": "ms.int8, ms.float16, ms.complex64",
    "mint.scatter(of(ms.float32, 1), 0, T([[0]]), of(?, 1, 1))": "ms.int32, ms.int64",
    # what is read of a value before it is checked
    "mint.nn.functional.one_hot(?)": "None, 1, [1], 'a'",
    "mint.bernoulli(T([0.5]), generator=?)": "0, 1, 'a'",
    "ds.NumpySlicesDataset([1, 2]).add_sampler(?)": "[1], 1, 'a', range(2), None",
    "ms.load_checkpoint_async(?)": "1, None, [], range(2)",
    "ms.safetensors_to_ckpt(?)": "None, [0.5], 3, b'a', ''",
    "ops.Broadcast(?)": "np.int32(1), 1, 'a'",
    "ops.ComputeAccidentalHits(?)": "np.int64(2), 2, 0.5",
    "ops.AlltoAllVC(transpose=?)": "np.array([1, 2]), None, True",
    "ds.Schema().add_column(?, ms.int32)": "'', 'a', 1",
    "ds.dataloader.default_collate(?)": "(1, 'a'), (1.0, 'a'), (1.0, 2), ('a', 'b')",
    "nn.AvgPool3d(2, divisor_override=?)": "-0.5, 0.5, 1",
    "nn.Dense(1, 1).to_empty(device=?)": "3, [], 'a', 'CPU', None",
    # infinite settings
    "nn.Momentum(weights, 0.1, ?)": "np.inf, -1.0",
    "nn.SGD(weights, 0.1, momentum=?)": "np.inf, -1.0",
    "mint.optim.AdamW(weights, eps=?)": "np.inf, -1.0",
}


def calls():
    """Yields the text of each call."""
    for call, values in CALLS.items():
        for value in _parts(values):
            yield call.replace("?", value)


def _parts(text):
    """Splits a text at the commas outside brackets."""
    depth, start = 0, 0
    for i, letter in enumerate(text + ","):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            yield text[start:i].strip()
            start = i + 1


def names(ms):
    """Returns the names that the calls may use."""
    for part in ("dataset.audio", "dataset.dataloader", "experimental.optim"):
        importlib.import_module(f"{ms.__name__}.{part}")
    return {
        "ms": ms,
        "nn": ms.nn,
        "ops": ms.ops,
        "mint": ms.mint,
        "ds": ms.dataset,
        "np": np,
        "T": ms.Tensor,
        "rows": [np.array([1])],
        "of": lambda dtype, *shape: ms.Tensor(np.ones(shape), ms.float32).astype(dtype),
        "optim": ms.experimental.optim,
        "schedulers": ms.experimental.optim.lr_scheduler,
        "plateau": lambda **options: _plateau(ms, options),
        "weights": [ms.Parameter(ms.Tensor([1.0]), name="weight")],
        "vocab": ms.dataset.text.Vocab.from_list(["a", "b"]),
        "here": __file__,
        "saved": lambda name: _saved(ms, name),
    }


def _saved(ms, name):
    """Writes a checkpoint, and returns the name of its file."""
    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    form = name.rpartition(".")[2]
    ms.save_checkpoint([{"name": "weight", "data": weight}], name, format=form)
    return name


def _plateau(ms, options):
    """Returns a ReduceLROnPlateau with these options."""
    optim = ms.experimental.optim
    weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    return optim.lr_scheduler.ReduceLROnPlateau(optim.SGD([weight], lr=0.1), **options)


def outcome(call, known):
    """Returns "accepted" or the name of the exception that a call raises."""
    try:
        result = eval(call, known)
        for part in result if isinstance(result, tuple) else (result,):
            if hasattr(part, "asnumpy"):
                part.asnumpy()
    except Exception as error:
        kinds = (kind.__name__ for kind in type(error).__mro__)
        return next(kind for kind in kinds if not kind.startswith("Param"))
    return "accepted"


if __name__ == "__main__":
    import mindspore

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        known = names(mindspore)
        found = {call: outcome(call, known) for call in calls()}
    FILE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
