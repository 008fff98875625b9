"""The metrics: small cases computed by hand, rejected calls, and MindSpore's numbers."""

import json
import math

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn
from mindspore_compat.train import metrics
from mindspore_compat.train.metrics import Metric, get_metrics, rearrange_inputs

PRED = np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])  # classes 1, 0, 0
CLASSES = np.array([1, 0, 1])
IMAGES = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]), np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])
SAMPLES = (np.array([[1, 0, 1], [1, 1, 0]]), np.array([[1, 0, 0], [1, 1, 0]]))
ONE_HOT = np.array([[[0], [1]], [[1], [0]]]), np.array([[[0], [1]], [[0], [1]]])
WORDS = [["the", "cat", "sat"]], [[["the", "cat", "sat", "down"]]]


def measured(name, *batches, options=(), result=()):
    """The result of a metric after some batches."""
    metric = metrics.get_metric_fn(name, *options)
    metric.clear()
    for batch in batches:
        metric.update(*batch)
    return metric.eval(*result)


CASES = [
    ("accuracy", [(PRED, CLASSES)], {}, 2 / 3),
    ("accuracy", [(PRED, CLASSES), (PRED, 1 - CLASSES)], {}, 1 / 2),
    ("accuracy", [SAMPLES], {"options": ["multilabel"]}, 1 / 2),
    ("precision", [(PRED, CLASSES)], {}, [0.5, 1.0]),
    ("precision", [(PRED, np.eye(2)[CLASSES])], {"result": [True]}, 0.75),
    ("precision", [SAMPLES, SAMPLES], {"options": ["multilabel"]}, [0.5, 1, 0.5, 1]),
    ("recall", [(PRED, CLASSES)], {}, [1.0, 0.5]),
    ("recall", [(PRED, CLASSES * 0)], {}, [2 / 3, 0]),
    ("F1", [(PRED, CLASSES)], {}, [2 / 3, 2 / 3]),
    ("loss", [(Tensor(1.0),), (Tensor([2.0, 4.0]),)], {}, 2.0),
    ("mae", [(np.array([1.0, 2]), np.array([2.0, 4]))], {}, 1.5),
    ("mse", [(np.array([1.0, 2]), np.array([2.0, 4]))], {}, 2.5),
    (
        "dice",
        [(np.array([[1.0, 0], [1, 1]]), np.array([[1, 1], [0, 1]]))],
        {"options": [1.0]},
        2 / 7,
    ),
    ("perplexity", [(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([0, 1]))], {}, math.sqrt(8)),
    ("perplexity", [(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([0, 1]))], {"options": [1]}, 4),
    (
        "topk",
        [(np.array([[0.2, 0.5, 0.3], [0.1, 0.3, 0.5]]), np.array([2, 0]))],
        {"options": [2]},
        0.5,
    ),
    ("topk", [(np.array([[0.5, 0.5, 0.5]]), np.array([0]))], {"options": [1]}, 1.0),
    ("topk", [(np.array([[0.2, 0.5, 0.3]]), np.array([[0, 1]]))], {"options": [1]}, 1.0),
    ("bleu_score", [WORDS], {"options": [2]}, math.exp(1 - 4 / 3)),
    ("cosine_similarity", [(np.array([[1.0, 0], [3, 4]]),)], {}, [[0, 0.6], [0.6, 0]]),
    (
        "cosine_similarity",
        [(np.array([[1, 2], [3, 4]]),)],
        {"options": ["dot", "sum", False]},
        [16, 36],
    ),
    ("confusion_matrix", [([1, 0, 1, 0], [1, 0, 0, 0])], {"options": [2]}, [[2, 1], [0, 1]]),
    (
        "confusion_matrix",
        [([1, 0, 1, 0], [1, 0, 0, 0])],
        {"options": [2, "target"]},
        [[2 / 3, 1 / 3], [0, 1]],
    ),
    ("confusion_matrix", [([0.4, 0.6], [0, 0])], {"options": [2, "all"]}, [[0.5, 0.5], [0, 0]]),
    ("confusion_matrix_metric", [ONE_HOT], {"options": [True, "tpr"]}, [0.5]),
    ("confusion_matrix_metric", [ONE_HOT], {"options": [False, "F1_Score"]}, [2 / 3]),
    (
        "confusion_matrix_metric",
        [ONE_HOT],
        {"options": [True, "acc", True, "mean_batch"]},
        [0.5, 0.5],
    ),
    ("hausdorff_distance", [(*IMAGES, 0)], {}, math.sqrt(2)),
    ("hausdorff_distance", [(*IMAGES, 1)], {"options": ["taxicab"]}, 2),
    ("mean_surface_distance", [(*IMAGES, 1)], {}, 1 / 3),
    ("root_mean_square_distance", [(*IMAGES, 1)], {}, 1 / 3),
    ("hausdorff_distance", [(*IMAGES, 3)], {}, math.inf),
]


@pytest.mark.parametrize("name, batches, given, expected", CASES)
def test_small_cases(name, batches, given, expected):
    close(measured(name, *batches, **given), expected, atol=0)


@pytest.mark.parametrize("name", ["accuracy", "precision", "recall", "F1"])
def test_tensors_lists_and_arrays_are_the_same(name):
    expected = measured(name, (PRED, CLASSES))
    for convert in (Tensor, np.ndarray.tolist):
        close(measured(name, (convert(PRED), convert(CLASSES))), expected, atol=0)


def test_roc_curves():
    found = measured("roc", (np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1])))
    assert [each.tolist() for each in found] == [
        [0, 0, 0.5, 0.5, 1],
        [0, 0.5, 0.5, 1, 1],
        [1.8, 0.8, 0.4, 0.35, 0.1],
    ]
    assert metrics.auc(*found[:2]) == 0.75
    rates = measured("roc", (np.eye(3), np.arange(3)), options=[3])[0]
    assert [each.tolist() for each in rates] == [[0, 0, 1]] * 3
    metric = metrics.ROC()
    metric.update([0.1, 0.4], [0, 1])
    assert (metric.class_num, metric.pos_label) == (1, 1)


@pytest.mark.parametrize(
    "x, y, reorder, area",
    [([0, 1], [1, 3], False, 2.0), ([1, 0], [1, 3], False, 2.0), ([0, 2, 1], [0, 2, 1], True, 2.0)],
)
def test_areas(x, y, reorder, area):
    assert metrics.auc(np.array(x), np.array(y), reorder) == area


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("a", "b"), TypeError),
        (([0], [1]), ValueError),
        (([0, 1], [0, 1, 2]), ValueError),
        (([0, 2, 1], [0, 1, 2]), ValueError),
        (([[0, 1]], [[0, 1]]), ValueError),
    ],
)
def test_what_auc_refuses(arguments, error):
    with pytest.raises(error, match="For 'auc'"):
        metrics.auc(*arguments)


def test_occlusion_of_each_point():
    net = nn.Dense(4, 2, weight_init=Tensor(np.ones((2, 4), np.float32)), has_bias=False)
    image = np.array([[0.5, 1, 1.5, 2]], np.float32)
    for batch in (1, 128):
        metric = metrics.OcclusionSensitivity(margin=1, n_batch=batch)
        metric.update(net, image, np.array(1))
        assert metric.eval().tolist() == [0.5, 1.5, 2.5, 3.5]
    metric = metrics.OcclusionSensitivity(margin=[1], b_box=[1, 2])
    metric.update(net, image, np.array(1))
    assert metric.eval().tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    "name",
    sorted(
        {
            "acc",
            "precision",
            "F1",
            "loss",
            "mae",
            "dice",
            "perplexity",
            "roc",
            "bleu_score",
            "cosine_similarity",
            "hausdorff_distance",
            "occlusion_sensitivity",
        }
    ),
)
def test_nothing_measured_has_no_result(name):
    with pytest.raises(RuntimeError, match="update"):
        metrics.get_metric_fn(name).eval()


@pytest.mark.parametrize(
    "name, inputs, error",
    [
        ("accuracy", (PRED,), ValueError),
        ("accuracy", (PRED, CLASSES, CLASSES), ValueError),
        ("accuracy", (PRED, CLASSES[:2]), ValueError),
        ("accuracy", (1, CLASSES), TypeError),
        ("precision", (PRED, CLASSES + 5), ValueError),
        ("loss", (np.ones((2, 2)),), ValueError),
        ("loss", (0.5,), TypeError),
        ("mae", (PRED, CLASSES), ValueError),
        ("dice", (PRED, CLASSES), ValueError),
        ("perplexity", (PRED, PRED), RuntimeError),
        ("perplexity", (PRED, CLASSES + 2), ValueError),
        ("top_1_accuracy", (PRED, [1]), ValueError),
        ("top_5_accuracy", (PRED, CLASSES), ValueError),
        ("roc", (PRED, CLASSES), ValueError),
        ("bleu_score", ([["a"]], []), ValueError),
        ("cosine_similarity", (np.ones(3),), ValueError),
        ("hausdorff_distance", (*IMAGES, "a"), TypeError),
        ("hausdorff_distance", (*IMAGES, 9), ValueError),
        ("mean_surface_distance", (IMAGES[0], IMAGES[1][:2], 0), ValueError),
        ("root_mean_square_distance", IMAGES, ValueError),
    ],
)
def test_what_an_update_refuses(name, inputs, error):
    metric = metrics.get_metric_fn(name)
    with pytest.raises(error, match=f"For '{type(metric).__name__}"):
        metric.update(*inputs)


def test_the_number_of_classes_stays():
    metric = metrics.Accuracy()
    metric.update(PRED, CLASSES)
    with pytest.raises(ValueError, match="as many classes"):
        metric.update(np.ones((2, 3)), np.array([0, 1]))


@pytest.mark.parametrize(
    "name, options, error",
    [
        ("accuracy", ["x"], TypeError),
        ("topk", [0], ValueError),
        ("topk", [1.0], TypeError),
        ("dice", [1], TypeError),
        ("dice", [-1.0], ValueError),
        ("perplexity", ["a"], TypeError),
        ("roc", ["a"], TypeError),
        ("bleu_score", [5], ValueError),
        ("bleu_score", [4, 1], TypeError),
        ("cosine_similarity", ["x"], ValueError),
        ("cosine_similarity", ["dot", "none", 1], TypeError),
        ("confusion_matrix", ["a"], TypeError),
        ("confusion_matrix", [2, "x"], ValueError),
        ("confusion_matrix", [2, "all", 1], TypeError),
        ("confusion_matrix_metric", [1], TypeError),
        ("confusion_matrix_metric", [True, "x"], ValueError),
        ("confusion_matrix_metric", [True, "acc", True, "x"], ValueError),
        ("hausdorff_distance", ["x"], ValueError),
        ("hausdorff_distance", ["taxicab", 5], TypeError),
        ("mean_surface_distance", [1], TypeError),
        ("occlusion_sensitivity", [0], TypeError),
        ("occlusion_sensitivity", [0.0, 1.0], TypeError),
    ],
)
def test_what_a_metric_refuses(name, options, error):
    with pytest.raises(error, match="For '"):
        metrics.get_metric_fn(name, *options)


@pytest.mark.parametrize("beta, error", [(0, ValueError), (-1, ValueError), ("1", TypeError)])
def test_what_fbeta_refuses(beta, error):
    with pytest.raises(error, match="For 'Fbeta', 'beta'"):
        metrics.Fbeta(beta)


# Names and the base


def test_names_are_sorted_and_known():
    names = metrics.names()
    assert len(names) == 23 and names == sorted(names)
    with pytest.raises(KeyError, match="'name'"):
        metrics.get_metric_fn("no such metric")


def test_a_set_of_names_gives_metrics():
    assert list(get_metrics({"mse", "acc"})) == ["acc", "mse"]
    assert get_metrics(None) is None


def test_indexes_choose_inputs():
    metric = metrics.Accuracy().set_indexes([2, 0])
    metric.update(CLASSES, "not looked at", PRED)
    assert metric.eval() == 2 / 3
    assert metric.indexes == [2, 0]
    for wrong in (1, [1.0], (1,), None):
        with pytest.raises(ValueError, match="'indexes'"):
            metric.set_indexes(wrong)


def test_a_metric_of_ones_own():
    class Count(Metric):
        def clear(self):
            self.count = 0

        @rearrange_inputs
        def update(self, *inputs):
            self.count += len(inputs)

        def eval(self):
            return self.count

    metric = Count()
    metric.clear()
    metric.update(1, 2)
    assert metric.eval() == 2
    with pytest.raises(TypeError):
        Metric()


# MindSpore's numbers

QUESTIONS = """
import json, sys
import numpy as np
from {package} import Tensor
from {package}.train import metrics as M
r = np.random.RandomState(7)
p, q = r.rand(8, 5).astype("f"), r.rand(8, 5).astype("f")
y, z = r.permutation(8) % 5, r.permutation(8) % 5
m, n = r.randint(0, 2, (4, 6)), r.randint(0, 2, (4, 6))
a, b = r.randint(0, 3, (7, 9)), r.randint(0, 3, (7, 9))
v, w = (r.rand(4, 5, 6) > .4).astype(int), (r.rand(4, 5, 6) > .5).astype(int)
h, k = r.randint(0, 2, (3, 2, 7)), r.randint(0, 2, (3, 7))
k = np.stack([1 - k, k], 1)
words = [[list("abcde"), list("bca")], [[list("abcd"), list("bcdea")], [list("cab")]]]
answers = {{}}
def ask(name, batches, options=(), result=()):
    metric = M.get_metric_fn(name, *options)
    metric.clear()
    for batch in batches:     # copies, for MindSpore writes into labels
        metric.update(*(np.copy(each) if isinstance(each, np.ndarray) else each for each in batch))
    found = metric.eval(*result)
    found = list(found) if isinstance(found, tuple) else found
    answers[" ".join(map(str, (name, *options, *result, len(batches))))] = json.loads(
        json.dumps(found, default=lambda each: each.tolist()))
for name in ("acc", "precision", "recall", "F1", "top_1_accuracy", "top_5_accuracy"):
    ask(name, [(Tensor(p), Tensor(y)), (q, z)])
for name in ("acc", "precision", "recall"):
    ask(name, [(m, n), (n, m)], ["multilabel"])
ask("F1", [(p, y)], result=[True])
ask("topk", [(p, y), (q, z)], [3])
ask("loss", [(Tensor(p[0]),), (Tensor(q[0, 0]),)])
ask("mae", [(p, q), (q, p * 2)])
ask("mse", [(p, q), (q, p * 2)])
ask("dice", [(p, (q > .5) * 1), (q, (p > .5) * 1)])
ask("perplexity", [(p + .1, y), (q + .1, z)])
ask("perplexity", [(p + .1, y)], [2])
ask("roc", [(p[:5], np.arange(5))], [5])     # MindSpore manages as many samples as classes only
ask("roc", [(p[:, 0], y), (q[:, 0], z)], [None, 2])
for size in (1, 2, 3):
    for smooth in (False, True):
        ask("bleu_score", [words, words], [size, smooth])
for kind in ("cosine", "dot"):
    for reduction in ("none", "sum", "mean"):
        for zero in (False, True):
            ask("cosine_similarity", [(p,)], [kind, reduction, zero])
for norm in ("no_norm", "target", "prediction", "all"):
    ask("confusion_matrix", [(p, y), (q, z)], [5, norm])
for skip in (False, True):
    for name in ("sensitivity", "tnr", "ppv", "npv", "fnr", "fpr", "fdr", "for", "pt", "csi", "acc",
                 "ba", "f1", "mcc", "fm", "bm", "mk"):
        ask("confusion_matrix_metric", [(h, k), (h[::-1], k)], [skip, name])
        for how in ("mean", "sum"):
            ask("confusion_matrix_metric", [(h, k), (h[::-1], k)], [skip, name, True, how])
for metric in ("euclidean", "chessboard", "taxicab"):
    for images in ((a, b, 1), (a, b, 2), (v, w, 1)):
        for options in ([metric], [metric, 60.0], [metric, None, True]):
            ask("hausdorff_distance", [images], options)
        for symmetric in (False, True):
            ask("mean_surface_distance", [images], [symmetric, metric])
            ask("root_mean_square_distance", [images], [symmetric, metric])
print("ANSWERS" + json.dumps(answers))
"""


def answers_in(text):
    return json.loads(text.partition("ANSWERS")[2].splitlines()[0])


def test_the_originals_numbers(oracle, capsys):
    theirs = answers_in(oracle(QUESTIONS.format(package="mindspore")))
    exec(compile(QUESTIONS.format(package="mindspore_compat"), "questions", "exec"), {})
    ours = answers_in(capsys.readouterr().out)
    assert ours.keys() == theirs.keys()
    wrong = [name for name in ours if not same(ours[name], theirs[name])]
    assert wrong == []


def same(ours, theirs):
    """Whether nested lists of numbers agree."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return np.isclose(float(ours), float(theirs), rtol=1e-5, atol=1e-7, equal_nan=True)


def test_a_call_is_the_result_of_one_batch():
    metric = metrics.MAE()
    metric.update(np.array([9.0]), np.array([0.0]))
    assert metric(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == 1.5
    with pytest.raises(ValueError):
        metrics.Loss()(1.0, 2.0)


def test_a_confusion_matrix_that_was_given_does_not_change():
    metric = metrics.ConfusionMatrix(2)
    metric.update(np.array([1, 0]), np.array([1, 1]))
    found = metric.eval()
    metric.update(np.array([1, 0]), np.array([1, 1]))
    assert found.tolist() == [[0, 0], [1, 1]] and metric.eval().tolist() == [[0, 0], [2, 2]]


@pytest.mark.parametrize("method", ["clear", "eval", "update"])
def test_methods_that_a_metric_must_define(method):
    with pytest.raises(NotImplementedError, match=f"a subclass must define '{method}'"):
        getattr(Metric, method)(None)


def test_an_area_is_a_float64_whatever_the_points_are():
    points = np.array([0, 0.5, 1], np.float32)
    assert type(metrics.auc(points, points)) is np.float64


def test_a_translation_without_a_common_run_scores_zero_also_when_smoothed():
    words = ([["a", "b", "c", "d"]], [[["a", "b", "x", "d"]]])
    for smooth in (False, True):
        assert measured("bleu_score", words, options=[3, smooth]) == 0
