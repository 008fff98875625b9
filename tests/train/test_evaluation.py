"""The result of `Model.eval`: a dict with the value of each metric."""

import copy
import json
import pickle

import numpy as np
import pytest
from train.runs import At, Compare, Descent, Line, SquaredError, batches

from mindspore_compat.train import Metric, Model


def test_evaluation_gives_metrics_by_name_in_order():
    net = Line()
    model = Model(net, SquaredError(), metrics={"mse", "mae"})
    assert model.eval(batches(2)) == {"mae": pytest.approx(4.5), "mse": pytest.approx(7.5)}
    assert repr(model.eval(batches(2))) == "{'mae': 4.5, 'mse': 7.5}"


def test_results_of_an_evaluation_are_a_plain_dict_of_numpy_numbers():
    seen = []
    model = Model(Line(), SquaredError(), metrics={"mse", "mae"})
    hook = At(on_eval_end=lambda context: seen.append(context.original_args().metrics))
    found = model.eval(batches(2), hook)
    assert type(found) is dict and seen[0] is found
    assert isinstance(found["mae"], np.float64) and found["mae"].item() == 4.5
    assert pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found)
    assert json.dumps(found) == '{"mae": 4.5, "mse": 7.5}'


def test_metrics_get_all_outputs_without_indexes():
    class Counting(Metric):
        def clear(self):
            self.counts = []

        def update(self, *inputs):
            self.counts.append(len(inputs))

        def eval(self):
            return self.counts

    model = Model(Descent(), eval_network=Compare(), metrics={"n": Counting()})
    assert model.eval(batches(2)) == {"n": [3, 3]}
