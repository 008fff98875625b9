"""Writes `data/values_apart.yaml`: the calls whose recorded outcome is not a reference, by reason.

A call is listed only if this package differs from real MindSpore. Of several facts, only the one
that differs is excluded. A difference without a known reason is undecided.
"""

import re

import yaml

from ..calls.stored import APART, load
from ..running import answers
from . import repeats, shown

UNDECIDED = "not decided yet: nobody has compared it with the page"
# A reason, and the labels and differences to which it applies: (label, expected, got).
_RULES = (
    ("no page says what becomes of NaN and infinity here", re.compile(r"with nan"), None),
    (
        "the page does not describe an input of this shape",
        re.compile(r"\b(?:0-d|one element|empty|one row|batch|longer|wider|none)'*$"),
        None,
    ),
    (
        "the page does not name this dtype for the input",
        re.compile(r" as \w+'*$|=ms\.\w+'*$"),
        None,
    ),
    (
        "the page allows no such value, or does not mention it",
        None,
        re.compile(r"Error: |NotImplemented"),
    ),
    (
        "values together that the page does not describe",
        re.compile(r"together \d+, -?\d+'*$|, \w+=[^,]*$"),
        None,
    ),
)


# Reasons for calls: (the call, a name or NAME::LABEL; how the difference of a fact begins).
_OF_CALLS = (
    (
        "the other triangle means nothing",
        r"(?:Tensor|mint)\.triangular_solve::once more",
        r"then \d: 1: values",
    ),
    (
        "numbers for which PyTorch overflows or has NaN",
        r"(?:mint\.nn\.functional\.kl_div|mint\.nn\.KLDivLoss|ops\.LARSUpdate|ops\.SoftMarginLoss"
        r"|ops\.soft_margin_loss)::once more",
        r"then [234]: values",
    ),
    ("the kind of a callable", r"ops\.GradOperation::another weights", r"result: text"),
    (
        "MindSpore computes in the input's dtype on a CPU",
        r"mint\.linalg\.(?:matrix_)?norm::dtype=.*|ops\.csr_softmax::dtype=.*",
        r"result: |$",
    ),
    ("the gradient has the result's dtype", r"numpy\.trace::dtype=.*", r"gradient of a: dtype"),
    (
        "MindSpore accepts shapes and lengths that mean nothing",
        r"numpy\.(?:tensordot::axes=2|ravel_multi_index::dims=\(-1, 0\)) as stated",
        r"",
    ),
    (
        "mint.sign, whose page this name refers to, refuses the dtype",
        r"Tensor\.sign_::self as int8",
        r"",
    ),
    ("an integer divided by 0", r"numpy\.divmod::x2=False as stated", r"result: "),
    (
        "the page refuses an axis that occurs twice",
        r"numpy\.apply_over_axes::axes=\(0, 0\) as stated",
        r"",
    ),
    ("MindSpore shows an object without its parts", r"RowTensor::another \w+", r"result: text"),
    ("the page asks for sorted rows", r"ops\.coo_add::another x[12]", r"result: indices"),
    ("the kernel computes with fewer digits", r"nn\.RNN::.*", r"gradient of .*: values"),
    ("the rows of a sparse gradient", r"nn\.MultiFieldEmbeddingLookup::.*", r"gradient of param"),
    ("a float32 gradient of a float16 Parameter", r"nn\.Conv3dTranspose::.*", r"gradient of param"),
    *(*repeats.REASONS, *shown.REASONS),
    (
        "MindSpore's gradient of a lower triangle contradicts that of an upper one",
        r"(?:Tensor|ops)\.(?:cholesky_inverse|CholeskyInverse)::call 1",
        r"gradient of \w+: values",
    ),
    (
        "the other triangle means nothing",
        r"(?:Tensor|ops)\.(?:cholesky_inverse|CholeskyInverse)::call 2",
        r"gradient of \w+: values",
    ),
    ("MindSpore gives this argument no gradient", r"ops\.Zeta::call 1.*", r"gradient of x: values"),
    (
        "MindSpore keeps an argument in the form, or under the name, that it was given",
        r"ops\.(?:Conv2D|Softmax|Squeeze|TensorScatterElements)::.* in attributes",
        r"then 1: (?:kernel_size|axis|reduce): ",
    ),
    (
        "signs and order of vectors are free",
        r"Tensor\.svd|ops\.[Ss]vd|mint\.linalg\.qr|scipy\.linalg\.eigh",
        r"result: 1: values",
    ),
    (
        "the order of eigenvalues is free",
        r"ops\.(?:Eig|eig|eigvals)|scipy\.linalg\.eigh::a as complex64",
        r"result: (?:[01]: )?values",
    ),
    (
        "the vectors that are not computed have no shape",
        r"ops\.Svd::compute_uv=False|ops\.Eig::(?:as ops\.eig|compute_v=False|together 3, -1)",
        r"result: 1: shape",
    ),
    (
        "a gradient through an in-place write",
        r"Tensor\.(?:div|exp|mul|remainder)_|ops\.(?i:assign_?(?:add|sub))",
        r"gradient of (?:self|other|value): values",
    ),
    (
        "a gradient through an in-place write",
        r"ops\.(?:Scatter(?:Nd)?|scatter_(?:nd_)?)(?i:max|min|update)",
        r"gradient of updates: values",
    ),
    (
        "no page defines the gradient where an index repeats",
        r"Tensor\.scatter_(?:div|mul)|ops\.(?:TensorScatter|tensor_scatter_)(?i:div|mul)",
        r"gradient of updates: values",
    ),
    (
        "the kernel writes to its input, which no page says",
        r"(?:Tensor|mint)\.index_add",
        r"(?:self|input) after: missing",
    ),
    (
        "the kernel leaves its results unwritten",
        r"ops\.(?:Adam|AdamWeightDecay|BatchNorm|Fused\w+|SGD|SparseApplyAdagradV2"
        r"|Apply(?:AdagradDA|CenteredRMSProp|Ftrl|ProximalGradientDescent|RMSProp))",
        r"result: ",
    ),
    (
        "a distribution whose moments vary from sample to sample",
        r"Tensor\.(?:cauchy|log_normal)|ops\.LogNormalReverse|dataset\.vision\.RandAugment"
        r"|nn\.probability\.distribution\.(?:Cauchy|TransformedDistribution)",
        r"moments",
    ),
    (
        "only one triangle of the input means anything",
        r"(?:Tensor|ops)\.(?:Cholesky|cholesky_)(?i:inverse|solve)",
        r"(?:result|gradient of \w+): values",
    ),
    (
        "the kernel computes with fewer digits",
        r"(?:Tensor|numpy|ops|nn|mint\.nn)\.[tT]anh",
        r"gradient of \w+: values",
    ),
    (
        "the kernel reads memory of another image",
        r"dataset\.vision\.(?:NormalizePad::(?:(?:mean|std) .*|use [12456])"
        r"|AdjustHue::(?:hue_factor=.*'|use 2))",
        r"result: values",
    ),
    (
        "an unstable filter, or one at the edge of float32",
        r"dataset\.audio\.(?:\w+Biquad::(?:sample_rate=-?[123]|central_freq=(?:0\.7|1\.0|100\.25"
        r"|-?[123])|cutoff_freq=2|gain=50\.0|together 8, -1)'?"
        r"|(?:Filtfilt|LFilter)::(?:[ab]_coeffs .*|clamp=False'?|use [12]))",
        r"result: values",
    ),
    (
        "tables computed in float32 by another formula",
        r"dataset\.audio\.(?:LFCC|MFCC|MelScale|\w+_fbanks)"
        r"::(?:sample_rate=(?:[13]|\d+99|\d+01)'?|f_min=7998\.0)",
        r"result: values",
    ),
    (
        "tables computed in float32 by another formula",
        r"dataset\.audio\.Vad::search_time=0\.01",
        r"result: shape",
    ),
    (
        "random numbers of a seed",
        r"(?:Tensor|mint|ops)\.(?i:bernoulli|multinomial|dropout(?:[123]d)?)"
        r"|ops\.(?i:log_?uniform_?candidate_?sampler)",
        r"(?:result: (?:0: )?|gradient of input: )values",
    ),
    (
        "no page promises the order of the rows of several files",
        r"dataset\.(?:YesNo|GTZAN|AGNews|AmazonReview|DBpedia|SogouNews|YahooAnswers|YelpReview|PennTreebank"
        r"|WikiText|IWSLT201[67]|SQuAD|UDPOS|USPS|TFRecord)Dataset",
        r"result: rows: ",
    ),
    (
        "MindSpore stacks arrays of different ranks, which its NumPy refuses",
        r"OcclusionSensitivity",
        r"then \d+: ",
    ),
    ("MindSpore returns zeros", r"dataset\.TedliumDataset", r"result: rows: \d: waveform"),
    (
        "what the fourth result holds without additional_output, no page says",
        r"ops\.add_layer_norm",
        r"result: 3: values|gradient of x[12]: values",
    ),
    (
        "the other triangle means nothing",
        r"mint\.triangular_solve",
        r"result: 1: values|gradient of A: values",
    ),
    (
        "a state that MindSpore keeps without training",
        r"nn\.(?:Dense|Embedding|EmbeddingLookup)Thor",
        r"matrix_a after: missing",
    ),
    (
        "the kernel leaves a state below 0 as it is, which no page says",
        r"ops\.SGD",
        r"stat after: values",
    ),
    ("files of an earlier run are in the folder", r"train\.ModelCheckpoint", r"then 2: 2: "),
    ("few channels are drawn", r"(?:mint\.nn\.functional|ops)\.dropout[123]d", r"moments"),
    (
        "the kernel does not clamp at amin",
        r"dataset\.audio\.AmplitudeToDB::(?:amin=2\.0|together (?:4, 0|8, -1))'?",
        r"result: values",
    ),
    (
        "0 log 0 is NaN in PyTorch",
        r"mint\.nn\.(?:functional\.kl_div|KLDivLoss)",
        r"gradient of target: values",
    ),
    (
        "0 log 0 is NaN in PyTorch",
        r"mint\.nn\.(?:functional\.kl_div|KLDivLoss)::target of both signs",
        r"result: values",
    ),
    (
        "MindSpore's own attributes, which no page lists",
        r"JitConfig|SymbolTree\.create|dataset\.serialize|parallel\.auto_parallel\.AutoParallel",
        r"(?:result|then \d+): .*(?:count|missing)",
    ),
    (
        "a state that serves acceleration alone",
        r"boost\.BoostTrainOneStep(?:WithLossScale)?Cell",
        r"initial (?:accumulation_step|step|sync_tensor): missing",
    ),
    (
        "half precision is rounded elsewhere",
        r"Model::(?:amp_level='(?:O1|O3|auto)''?|call 4)",
        r"then [26]: \d: values",
    ),
    (
        "MindSpore does not accelerate this on a CPU, although its page says so",
        r"(?:Model|build_train_network)::boost_level='O[12]'(?:'?| as stated)"
        r"|boost\.(?:FreezeOpt|GradientFreeze|ParameterProcess)::call 1",
        r"",
    ),
    (
        "MindSpore counts no rows, or all of them, for a sampler of its own",
        r"dataset\.\w*Sampler",
        r"then 2: kind of result",
    ),
    (
        "a number of a device that is not there",
        r"get_(?:device|stream)_limit|hal\.is_initialized",
        r"result: (?:\w+_core_num: values|text)",
    ),
    (
        "MindSpore counts no local ranks",
        r"communication\.(?:init|get_local_rank_size)",
        r"(?:result|then 4): values",
    ),
    (
        "a generator of its own",
        r"get_rng_state|ops\.NonDeterministicInts|ops\.normal::shape shape=\(1, 1\)"
        r"|common\.initializer\.TruncatedNormal::(?:a=0\.3|b=-0\.5)",
        r"result: (?:filled: )?values|moments",
    ),
    (
        "bytes that the kernel never wrote",
        r"ops\.(?:StridedSlice|strided_slice)::new_axis_mask=1|ops\.max_pool3d::dilation=3",
        r"result: (?:1: )?values",
    ),
    ("ties may be ordered in any way", r"ops\.TopK::sorted=False", r"result: 0: values"),
    (
        "the page asks for sorted rows",
        r"ops\.(?:Upper|Lower)Bound::sorted_x reversed",
        r"result: values",
    ),
    (
        "the text of MindSpore's C++ library",
        r"dataset\.Schema(?:\.to_json)?",
        r"(?:result|then [235]): text",
    ),
    (
        "MindSpore does not notice overflows on a CPU",
        r"nn\.TrainOneStepWithLossScaleCell::call [12]",
        r"then [238]: ",
    ),
    ("MindSpore's events cannot be made under this path", r"Event::call 1", r""),
    ("MindSpore measures no time between events on a CPU", r"(?:hal\.)?Event", r"then 7: text"),
    (
        "MindSpore has no such mode on a CPU",
        r"data_sink|experimental\.MapParameter|(?:Model|build_train_network)::call [23]",
        r"",
    ),
    ("MindSpore needs the source of a function", r"(?:jit|no_inline|lazy_inline)::.*", r""),
    (
        "MindSpore's own names for the parts of a network",
        r"SymbolTree\.create|Node\.create_call_cell|Profiler|hal\.set_cur_stream",
        r"then \d+: ",
    ),
    (
        "another function of MindSpore has this path, and returns nothing",
        r"train\.load_distributed_checkpoint",
        r"(?:result|then 3): ",
    ),
    (
        "any rank that holds the slice may be named",
        r"(?:parallel\.)?rank_list_for_(?:transform|convert)",
        r"(?:result|then 1): ",
    ),
    ("MindSpore does not notice the signal on a CPU", r"train\.OnRequestExit", r"then \d+: "),
    (
        "MindSpore repeats a special token in lower case",
        r"dataset\.text\.(?:Basic|Bert)Tokenizer::(?:lower_case|keep_whitespace|with_offsets|call)"
        r".*",
        r"result: ",
    ),
    (
        "the value is as near as float32 to the least change",
        r"train\.EarlyStopping::min_delta=(?:0\.2'|-0\.5)",
        r"then 2: count",
    ),
    (
        "MindSpore also counts a graph, or no events without a process",
        r"train\.(?:SummaryCollector|summary\.SummaryRecord)",
        r"then 2: ",
    ),
    (
        "an unused Parameter, which no page describes",
        r"nn\.probability\.bnn_layers\.ConvReparam",
        r"moments",
    ),
    (
        "parameters that are no probabilities, or of a type that the page does not name",
        r"nn\.probability\.distribution\.(?:Categorical|Bernoulli)",
        r"then (?:1|2)0: ",
    ),
    (
        "MindSpore leaves out a Tensor in a dict, which its page allows",
        r"save_checkpoint::call 5'",
        r"then 1: not expected: y",
    ),
    (
        "MindSpore scales another row than the one that is too long",
        r"nn\.MultiFieldEmbeddingLookup::call 3.*",
        r"(?:result|gradient of input_values): values",
    ),
    (
        "a table in half precision, which no page says",
        r"nn\.EmbeddingLookupThor::(?:call [125]|three times)",
        r"(?:initial embedding_table|result|then [12]): (?:dtype|values)",
    ),
    (
        "MindSpore runs the function before it looks at the positions",
        r"ops\.(?:grad|value_and_grad)::sens_param=True.*",
        r"then 1: text",
    ),
    ("no page differentiates an optimizer", r"nn\.Optimizer\.decay_weight", r"gradient of .*"),
    ("a name of the exporter's own", r"onnx\.export", r"then 1: outputs: "),
    (
        "MindSpore allows a dataset one consumer, which no page says",
        r"dataset\.NumpySlicesDataset",
        r"then 21: text",
    ),
    (
        "MindSpore allows a dataset one consumer, which no page says",
        r"dataset\.zip::three times|dataset\.\w+Sampler::twice over.*",
        r"then \d+: (?:text|kind of result)",
    ),
    (
        "MindSpore keeps the step of the previous file, so a second training saves none",
        r"train\.ModelCheckpoint::twice over.*",
        r"then \d+: (?:weight|bias|global_step): values",
    ),
    (
        "MindSpore renames Parameters when another layer takes their optimizer",
        r"boost\.GradientFreeze::twice over.*",
        r"then \d+: 0: 0: text",
    ),
    (
        "MindSpore refuses a plain number, which its page allows",
        r"experimental\.optim\.lr_scheduler\.CosineAnnealingWarmRestarts::twice over.*",
        r"then 3: ",
    ),
    (
        "an attribute of MindSpore hides the method that its page has",
        r"dataset\.FakeImageDataset",
        r"then 3: text",
    ),
    (
        "half precision is rounded elsewhere",
        r"build_train_network::(?:level='O1''?|call 6)",
        r"then \d+: ",
    ),
    (
        "MindSpore's status of an overflow is a number",
        r"nn\.TrainOneStepWithLossScaleCell::call [23]",
        r"then 4: text",
    ),
    (
        "MindSpore cannot run these layers in lower precision on a CPU",
        r"amp\.(?:auto|custom)_mixed_precision",
        r"",
    ),
    ("the kernel computes with fewer digits", r"ops\.LSTM", r"result: |gradient of \w+: values"),
    (
        "an eps above 0.5 leaves no number between its bounds",
        r"(?:Tensor\.|ops\.)[lL]ogit::eps=0\.7",
        r"",
    ),
    (
        "zero apart from rounding",
        r"numpy\.blackman|ops\.matrix_norm::ord=-2|nn\.MatInverse"
        r"|scipy\.optimize\.minimize::x0 large'?",
        r"(?:result: (?:4: )?|gradient of a: |then [25]: )values",
    ),
    (
        "the quotient is as near as float32 to an integer",
        r"numpy\.divmod::x2=0\.3",
        r"result: 0: values",
    ),
    (
        "MindSpore underflows or overflows where the result is finite",
        r"nn\.probability\.distribution\.Normal|numpy\.logaddexp|ops\.LARSUpdate::norm_\w+ large"
        r"|ops\.logspace::dtype=ms\.float64 in .*",
        r"(?:then \d+|result): values",
    ),
    (
        "signs and order of vectors are free",
        r"(?:Tensor\.|ops\.)[sS]vd",
        r"gradient of \w+: values",
    ),
    (
        "0 times NaN is NaN in MindSpore's gradient",
        r"(?:Tensor|ops)\.nanmean",
        r"gradient of \w+: values",
    ),
    (
        "numbers that are drawn",
        r"dataset\.(?:RandomDataset|dataloader\.DataLoader)",
        r"(?:result|then 1): ",
    ),
    ("the label of a folder, which no page says", r"dataset\.Caltech101Dataset", r"then 1: "),
    (
        "parameters that are no probabilities, or of a type that the page does not name",
        r"nn\.probability\.distribution\.Categorical",
        r"then 2\d: ",
    ),
    (
        "MindSpore refuses a confusion matrix of these shapes",
        r"ConfusionMatrixMetric",
        r"then \d+: text",
    ),
    (
        "MindSpore's text shows the parts of a layer, which no page describes",
        r"nn\.probability\.bnn_layers\.(?:Conv|Dense|DenseLocal)Reparam",
        r"then 4: text",
    ),
    (
        "MindSpore refuses a plain number, which its page allows",
        r"nn\.probability\.distribution\.(?:Beta|Gamma)::call 4",
        r"",
    ),
    (
        "the page gives the result the dtype of the argument; MindSpore computes in float32",
        r"nn\.probability\.(?:bnn_layers\.NormalPosterior::call 8"
        r"|distribution\.Categorical::(?:call 4|probs probs=\[0\.5, 0\.3, 0\.2\]))",
        r"then \d: dtype",
    ),
    (
        "an inner method of a layer, which no page describes",
        r"nn\.SequentialCell::call [68]",
        r"then (?:2|53): text",
    ),
    (
        "a number as a Tensor of one element, or of an integer type",
        r"scipy\.optimize\.line_search::(?:(?:old_)?old_fval one element|xk as int32)'?",
        r"",
    ),
    (
        "the function of a negative number is not defined",
        r"ops\.(?:Bessel|bessel_)(?i:[ky][01]e?)::x (?:large|of both signs|with nan)",
        r"result: values",
    ),
)


# Reasons that follow from the expected value: (difference, expected value).
_EXPECTED = (
    (
        "MindSpore gives this argument no gradient",
        r"gradient of.*values",
        r"\[\"\w+\", \[[\d, ]*\], \[(?:-?0\.0(?:, )?)+\]\]",
    ),
    (
        "the name of a class that no page mentions",
        r".*text",
        r"\"'?(?:_\w+|\w+Obj|Mindrecord\w+|Schedule|builtin_\w+|Layer|Profile)'?\"",
    ),
)


def reason_of(case, difference, expected="", got=""):
    """Returns the reason why a fact differs, or why a call is refused, from the rules above; None
    if no rule applies."""
    name, label = case["name"], case["id"].split("::", 2)[2]
    for reason, part, value in _EXPECTED:
        if re.fullmatch(part, difference) and re.fullmatch(value, str(expected)):
            return reason
    for reason, call, part in _OF_CALLS:
        is_call = any(re.fullmatch(call, key) for key in (name, f"{name}::{label}"))
        if is_call and re.match(part, difference):
            return reason
    label += repeats.kind_of(case, difference)
    for reason, labels, refusal in _RULES:
        if labels is not None and labels.search(label):
            return reason
        if refusal is not None and refusal.search(str(got)):
            return reason
    return None


def reasons_of(case, result):
    """Returns {key: reason} for a call that differs: one entry per fact that differs, or a single
    one for the whole call if it is refused or all facts differ for the same reason."""
    name, _, label = case["id"].split("::", 2)
    whole, wanted = f"{case.get('of', name)}::{label}", case["wanted"]
    seen = result.get("observed")
    if not isinstance(seen, dict) or "refused" in seen or "refused" in wanted:
        return {whole: reason_of(case, "", result.get("expected", ""), result.get("got", ""))}
    reasons = {}
    for fact, part in wanted.items():
        difference = answers.facts_differ(case, fact, part, seen)
        if difference:
            shown = (answers.part_at(side, difference) for side in (wanted, seen))
            reasons[f"{whole}::{fact}"] = reason_of(case, difference, *shown)
    if len(reasons) == len(wanted) and len(set(reasons.values())) == 1:
        return {whole: next(iter(reasons.values()))}
    return reasons


# Reasons that involve chance: values that are equal in one run may differ in the next.
_CHANCE = re.compile(
    r"random|drawn|moments|never wrote|not initialized|unwritten|generator|memory|by chance"
)


def write(judged):
    """Lists the differences found in a run of `whole` cases. Entries that no longer differ are
    removed, unless they agree by chance, and so are entries of calls that are no longer stored.

    Returns the differences that no rule explains. They keep the reason that was entered by hand, or
    are listed as undecided.
    """
    listed = yaml.safe_load(APART.read_text(encoding="utf-8")) or {}
    before = {key: why for why, keys in listed.items() for key in keys if _is_stored(key)}
    reasons_by_key, left = dict(before), []
    for case, result in judged:
        if "of" in case or result["status"] not in ("pass", "fail"):
            continue
        name, _, label = case["id"].split("::", 2)
        keys = [f"{name}::{label}", *(f"{name}::{label}::{fact}" for fact in case["wanted"])]
        known = {key: before[key] for key in keys if key in before}
        for key, why in known.items():
            if not _CHANCE.search(why):
                del reasons_by_key[key]
        reasons = reasons_of(case, result) if result["status"] == "fail" else {}
        for key, reason in reasons.items():
            listed_before = known.get(key) or next(iter(known.values()), UNDECIDED)
            reasons_by_key[key] = reason or listed_before
        if UNDECIDED in map(reasons_by_key.get, reasons):
            left.append((case, result))
    by_reason = {}
    for key, why in sorted(reasons_by_key.items()):
        by_reason.setdefault(why, []).append(key)
    text = yaml.safe_dump(by_reason, width=100)
    head = "# Outcomes that are no reference, by reason (varied/settle.py): NAME::LABEL[::FACT].\n"
    APART.write_text(head + text, encoding="utf-8")
    return left


def _is_stored(key):
    """Returns True if the call of a listed outcome is still stored."""
    name, _, rest = key.partition("::")
    return any(rest == label or rest.startswith(f"{label}::") for label in load().get(name, ()))
