"""GraphData: queries on a graph in MindRecord files, samples, servers, rejected calls."""

import socket
import threading
import time

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import GraphData, OutputFormat, SamplingStrategy
from mindspore_compat.mindrecord import FileWriter

# Nodes 0 to 3 are of type 1, nodes 10 and 11 of type 2. No edge begins at 11.
EDGES = [(0, 1), (0, 2), (1, 2), (2, 0), (2, 3), (3, 0), (3, 10), (3, 11), (10, 0)]
FIELDS = {
    "first_id": {"type": "int64"},
    "second_id": {"type": "int64"},
    "third_id": {"type": "int64"},
    "type": {"type": "int32"},
    "attribute": {"type": "string"},
    "weight": {"type": "float32"},
    "node_feature_index": {"type": "int32", "shape": [-1]},
    "edge_feature_index": {"type": "int32", "shape": [-1]},
    "node_feature_1": {"type": "float32", "shape": [-1]},
    "node_feature_2": {"type": "int32", "shape": [-1]},
    "edge_feature_1": {"type": "float32", "shape": [-1]},
}


def row(attribute, number, kind, ends=(0, 0), weight=1.0):
    """One row of a file: a node or an edge; node 3 has no feature 2."""
    is_node = attribute == "n"
    features = [-1] if not is_node else [1] if number == 3 else [1, 2]
    return {
        "first_id": number,
        "second_id": ends[0],
        "third_id": ends[1],
        "type": kind,
        "attribute": attribute,
        "weight": weight,
        "node_feature_index": np.array(features, np.int32),
        "edge_feature_index": np.array([-1 if is_node else 1], np.int32),
        "node_feature_1": np.array([number, 0.5], np.float32) * is_node,
        "node_feature_2": np.array([10 * number * is_node], np.int32),
        "edge_feature_1": np.array([number / 4], np.float32),
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("graph") / "graph.mindrecord")
    writer = FileWriter(path)
    writer.add_schema(FIELDS)
    rows = [row("n", number, 1 if number < 10 else 2) for number in (0, 1, 2, 3, 10, 11)]
    rows += [
        row("e", 100 + index, 5, ends, 9.0 if ends == (0, 2) else 1.0)
        for index, ends in enumerate(EDGES)
    ]
    writer.write_raw_data(rows)
    writer.commit()
    return path


@pytest.fixture
def graph(path):
    ds.config.set_seed(7)
    return GraphData(path)


def test_nodes_and_edges(graph):
    assert graph.get_all_nodes(1).tolist() == [0, 1, 2, 3]
    assert graph.get_all_nodes(node_type=2).tolist() == [10, 11]
    assert graph.get_all_edges(5).tolist() == list(range(100, 109))
    assert graph.get_all_nodes(1).dtype == graph.get_all_edges(5).dtype == np.int32
    assert graph.get_nodes_from_edges([100, 106]).tolist() == [[0, 1], [3, 10]]
    assert graph.get_edges_from_nodes([(3, 10), (0, 1)]).tolist() == [106, 100]
    assert graph.get_edges_from_nodes(np.array([[2, 0]])).tolist() == [103]


def test_all_neighbors_in_each_form(graph):
    nodes = [0, 1, 2, 3, 11]
    assert graph.get_all_neighbors(nodes, 1).tolist() == [
        [0, 1, 2],
        [1, 2, -1],
        [2, 0, 3],
        [3, 0, -1],
        [11, -1, -1],
    ]
    pairs = graph.get_all_neighbors(np.array(nodes), 1, OutputFormat.COO)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2], [2, 0], [2, 3], [3, 0]]
    starts, others = graph.get_all_neighbors(nodes, 1, output_format=OutputFormat.CSR)
    assert (starts.tolist(), others.tolist()) == ([0, 2, 3, 5, 6], [1, 2, 2, 0, 3, 0])
    assert graph.get_all_neighbors([11], 2, OutputFormat.COO).shape == (0, 2)


def test_features(graph):
    first, second = graph.get_node_feature([3, 1], [1, 2])
    assert first.tolist() == [[3, 0.5], [1, 0.5]] and first.dtype == np.float32
    assert second.tolist() == [0, 10] and second.dtype == np.int32
    (shaped,) = graph.get_node_feature(np.array([[0, 1], [10, -1]]), [2])
    assert shaped.tolist() == [[0, 10], [100, 0]]
    assert graph.get_edge_feature([104, 100], [1])[0].tolist() == [26, 25]


def test_a_network_is_made_of_a_graph_as_scripts_do_it(graph):
    nodes = graph.get_all_nodes(1).tolist()
    features, labels = graph.get_node_feature(nodes, [1, 2])
    assert features.shape == (4, 2) and labels.shape == (4,)
    indices = {node: index for index, node in enumerate(nodes)}
    near = graph.get_all_neighbors(nodes, 1)
    linked = np.zeros((4, 4), int)
    for (row, column), value in np.ndenumerate(near):
        if value >= 0 and column > 0:
            linked[indices[near[row, 0]], indices[value]] = 1
    assert linked.tolist() == [[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0]]


def test_graph_info(graph):
    assert graph.graph_info() == {
        "node_type": [1, 2],
        "node_num": {1: 4, 2: 2},
        "node_feature_type": [1, 2],
        "edge_type": [5],
        "edge_num": {5: 9},
        "edge_feature_type": [1],
    }


def test_sampled_neighbors_are_neighbors_of_neighbors(graph):
    found = graph.get_sampled_neighbors([0, 3, 11], [3, 2], [1, 1])
    assert found.shape == (3, 1 + 3 + 6) and found.dtype == np.int32
    near = {node: {end for start, end in EDGES if start == node and end < 10} for node in range(12)}
    for first, *others in found.tolist():
        assert all(each in (near[first] or {-1}) for each in others[:3])
        for index, each in enumerate(others[:3]):
            reached = others[3 + 2 * index : 5 + 2 * index]
            assert all(end in (near.get(each) or {-1}) for end in reached)
    assert set(found[0, 1:3].tolist()) == {1, 2}  # none comes twice before all came
    assert found[2].tolist() == [11] + [-1] * 9


def test_sampling_by_weight(graph):
    drawn = graph.get_sampled_neighbors([0], [1000], [1], SamplingStrategy.EDGE_WEIGHT)[0, 1:]
    assert set(drawn.tolist()) == {1, 2}
    assert 850 < np.count_nonzero(drawn == 2) < 950  # nine of ten
    assert graph.get_sampled_neighbors([3], [2], [1]).tolist() == [[3, 0, 0]]


def test_a_seed_repeats_the_draws(path):
    drawn = []
    for _ in range(2):
        ds.config.set_seed(11)
        drawn.append(GraphData(path).get_sampled_neighbors([0, 2], [2, 2], [1, 1]).tolist())
    assert drawn[0] == drawn[1]


def test_strangers_are_no_neighbors(graph):
    found = graph.get_neg_sampled_neighbors([0, 1, 3], 4, 1)
    assert found.shape == (3, 5)
    assert set(found[0, 1:].tolist()) == {3}
    assert set(found[1, 1:].tolist()) == {0, 3}
    assert graph.get_neg_sampled_neighbors([3], 2, 2).tolist() == [[3, -1, -1]]


def test_walks(graph):
    found = graph.random_walk([1, 3, 11], [1, 1, 1])
    assert found.shape == (3, 4) and found[:, 0].tolist() == [1, 3, 11]
    for walk in found[:2].tolist():
        assert all(step in EDGES for step in zip(walk, walk[1:]))
    assert found[2].tolist() == [11, -1, -1, -1]
    assert graph.random_walk([11], [1], default_node=-5).tolist() == [[11, -5]]
    assert graph.random_walk(np.array([3] * 5), [2])[:, 1].tolist().count(0) == 0


def test_walks_go_home_or_away(graph):
    """From 0 a walk reaches 2. It then returns to 0, or goes on to 3, which is farther from 0."""

    def shares(**parameters):
        walks = graph.random_walk([0] * 600, [1, 1, 1], **parameters)
        passed = walks[(walks[:, 1] == 2)]
        return np.mean(passed[:, 2] == 0)

    assert shares(step_home_param=0.01) > 0.95
    assert shares(step_home_param=100.0) < 0.05
    assert shares(step_away_param=100.0) > 0.95


def test_clients_ask_a_server(path, graph):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = threading.Thread(target=GraphData, args=(path, None, "server", "127.0.0.1", port, 2))
    server.start()
    for _ in range(100):
        try:
            clients = [GraphData(path, working_mode="client", port=port)]
            break
        except RuntimeError:
            time.sleep(0.05)
    clients.append(GraphData(path, working_mode="client", port=port))
    for client in clients:
        assert client.get_all_nodes(1).tolist() == [0, 1, 2, 3]
        assert client.get_node_feature([3], [1])[0].dtype == np.float32
        assert client.graph_info() == graph.graph_info()
        assert client.get_all_neighbors([0], 1, OutputFormat.CSR)[1].tolist() == [1, 2]
        assert client.get_sampled_neighbors([0], [2], [1]).shape == (1, 3)
        assert client.random_walk([0], [1]).shape == (1, 2)
        with pytest.raises(RuntimeError, match="no nodes of type 9"):
            client.get_all_nodes(9)
    clients[0]._graph._socket.close()
    assert server.is_alive()
    clients[1]._graph._socket.close()
    server.join(10)
    assert not server.is_alive()
    with pytest.raises(RuntimeError, match="no server"):
        GraphData(path, working_mode="client", port=port)


REFUSED = [
    (lambda graph: graph.get_all_nodes("a"), TypeError),
    (lambda graph: graph.get_all_nodes(9), RuntimeError),
    (lambda graph: graph.get_all_edges(1.5), TypeError),
    (lambda graph: graph.get_all_edges(9), RuntimeError),
    (lambda graph: graph.get_nodes_from_edges(100), TypeError),
    (lambda graph: graph.get_nodes_from_edges([1]), RuntimeError),
    (lambda graph: graph.get_nodes_from_edges([]), ValueError),
    (lambda graph: graph.get_edges_from_nodes([(0, 11)]), RuntimeError),
    (lambda graph: graph.get_edges_from_nodes([(0, 1, 2)]), ValueError),
    (lambda graph: graph.get_edges_from_nodes("a"), TypeError),
    (lambda graph: graph.get_all_neighbors([0.5], 1), TypeError),
    (lambda graph: graph.get_all_neighbors([0], "1"), TypeError),
    (lambda graph: graph.get_all_neighbors([0], 1, 0), TypeError),
    (lambda graph: graph.get_all_neighbors([77], 1), RuntimeError),
    (lambda graph: graph.get_sampled_neighbors([0], [1] * 7, [1] * 7), ValueError),
    (lambda graph: graph.get_sampled_neighbors([0], [1], [1, 1]), ValueError),
    (lambda graph: graph.get_sampled_neighbors([0], [0], [1]), ValueError),
    (lambda graph: graph.get_sampled_neighbors([0], 2, [1]), TypeError),
    (lambda graph: graph.get_sampled_neighbors([0], [2], [1], "random"), TypeError),
    (lambda graph: graph.get_neg_sampled_neighbors([0], 0, 1), ValueError),
    (lambda graph: graph.get_neg_sampled_neighbors([0], "a", 1), TypeError),
    (lambda graph: graph.get_neg_sampled_neighbors([0], 1, 9), RuntimeError),
    (lambda graph: graph.get_node_feature([0], [9]), RuntimeError),
    (lambda graph: graph.get_node_feature([77], [1]), RuntimeError),
    (lambda graph: graph.get_node_feature([[0], [0, 1]], [1]), ValueError),
    (lambda graph: graph.get_edge_feature([1], [1]), RuntimeError),
    (lambda graph: graph.random_walk([0], [1], 0.0), ValueError),
    (lambda graph: graph.random_walk([0], [1], "a"), TypeError),
    (lambda graph: graph.random_walk([0], [9]), RuntimeError),
    (lambda graph: graph.random_walk([0], [1], default_node=0.5), TypeError),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_refused_questions(graph, index):
    ask, error = REFUSED[index]
    with pytest.raises(error):
        ask(graph)


@pytest.mark.parametrize(
    "given, error",
    [
        ({"dataset_file": 1}, TypeError),
        ({"num_parallel_workers": 0}, ValueError),
        ({"working_mode": "x"}, ValueError),
        ({"hostname": 1}, TypeError),
        ({"hostname": ""}, ValueError),
        ({"port": 80}, ValueError),
        ({"port": "a"}, TypeError),
        ({"num_client": 0}, ValueError),
        ({"num_client": 256}, ValueError),
        ({"auto_shutdown": 1}, TypeError),
    ],
)
def test_wrong_settings(path, given, error):
    with pytest.raises(error, match=next(iter(given))):
        GraphData(**{"dataset_file": path, **given})


@pytest.mark.parametrize(
    "wrong, message",
    [
        (row("e", 7, 5, (0, 9)), "The graph has no node 9"),
        ({**row("n", 1, 1), "node_feature_index": np.array([32], np.int32)}, "node_feature_32"),
    ],
    ids=["node", "feature"],
)
def test_a_graph_that_contradicts_itself_is_refused_by_name(tmp_path, wrong, message):
    writer = FileWriter(str(tmp_path / "wrong.mindrecord"))
    writer.add_schema(FIELDS)
    writer.write_raw_data([row("n", 0, 1), wrong])
    writer.commit()
    with pytest.raises(RuntimeError, match=rf"wrong\.mindrecord' cannot be read: .*{message}"):
        GraphData(str(tmp_path / "wrong.mindrecord"))


def test_files_of_something_else_are_refused(tmp_path):
    path = str(tmp_path / "rows.mindrecord")
    writer = FileWriter(path)
    writer.add_schema({"k": {"type": "int32"}})
    writer.write_raw_data([{"k": 1}])
    writer.commit()
    with pytest.raises(RuntimeError, match="lack attribute, first_id"):
        GraphData(path)
    with pytest.raises((RuntimeError, ValueError), match="none.mindrecord"):
        GraphData(str(tmp_path / "none.mindrecord"))
