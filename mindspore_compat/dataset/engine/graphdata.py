"""GraphData: reads a graph of nodes and edges from MindRecord files and samples neighbours.

MindSpore 2.10 no longer has this class; scripts for graph networks for releases up to 2.2 use it.
`LocalGraph` answers queries from memory; processes that share a graph communicate by
`graphdata_server`. The docstring of `LocalGraph` describes the rows of the files.
"""

from enum import Enum

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, Number, OneOf, Str
from ..._core.without_effect import without_effect
from ..._io.mindrecord import Records
from ..._io.reading import reading
from .._rules import INT32_MAX, AnInstance, Workers
from . import config
from .graphdata_server import Client, serve
from .twister import Twister

__all__ = ["GraphData", "OutputFormat", "SamplingStrategy"]

NOBODY = -1  # stands for a missing node


class SamplingStrategy(Enum):
    """The sampling of neighbours: with equal weights, or by the weights of their edges.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> [strategy.name for strategy in ds.SamplingStrategy]
        ['RANDOM', 'EDGE_WEIGHT']
    """

    RANDOM = 0
    EDGE_WEIGHT = 1


class OutputFormat(Enum):
    """The format of neighbours: one row per node, pairs, or offsets and a list of all neighbours.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> [layout.name for layout in ds.OutputFormat]
        ['NORMAL', 'COO', 'CSR']
    """

    NORMAL = 0
    COO = 1
    CSR = 2


@without_effect("dataset.GraphData(num_parallel_workers)", "a graph answers in the caller's thread")
class GraphData:
    """A graph of typed nodes and edges with features, read from MindRecord files.

    An edge leads from its first node to its second node; the second is a neighbour of the first,
    but not vice versa. Nodes and edges are int32 numbers; -1 stands for a missing one.

    A server has neither authentication nor encryption: everyone who can reach its port can query
    the graph, but nothing else.

    Args:
        dataset_file (str): one of the files.
        num_parallel_workers (int, optional): is checked.
        working_mode (str, optional): "local" answers queries from this process's memory; "server"
            reads the files and serves `num_client` other processes; "client" queries a server.
        hostname (str, optional): the host of the server.
        port (int, optional): the port of the server, in [1024, 65535].
        num_client (int, optional): the number of clients of a server, in [1, 255].
        auto_shutdown (bool, optional): whether a server stops after all clients have disconnected;
            otherwise it runs forever.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a value is out of range, or the file is missing or not a MindRecord file.
        RuntimeError: if its rows do not form a graph, or the server cannot be reached.

    Source: mindspore.dataset.GraphData of MindSpore 2.2.
    """

    @checked(Forbid("hostname == ''", ValueError, "'hostname' must not be empty"))
    def __init__(
        self,
        dataset_file: Str,
        num_parallel_workers: Workers = None,
        working_mode: OneOf("local", "client", "server") = "local",
        hostname: Str = "127.0.0.1",
        port: Int(ge=1024, le=65535) = 50051,
        num_client: Int(ge=1, le=255) = 1,
        auto_shutdown: Bool = True,
    ):
        self._working_mode, self.data_format = working_mode, "mindrecord"
        if working_mode == "client":
            self._graph = Client(hostname, port)
            return
        self._graph = LocalGraph(dataset_file)
        if working_mode == "server":
            serve(self._graph, hostname, port, num_client, auto_shutdown)

    def _ask(self, question, *arguments):
        if self._working_mode == "server":
            raise RuntimeError(
                f"For '{question}', the graph must be asked by clients, but this is their server."
            )
        return getattr(self._graph, question)(*arguments)

    @checked
    def get_all_nodes(self, node_type: Int):
        """Returns the numbers of all nodes of a type, as a one-dimensional array.

        Raises:
            RuntimeError: if there is no such type.
        """
        return self._ask("all_nodes", node_type)

    @checked
    def get_all_edges(self, edge_type: Int):
        """Returns the numbers of all edges of a type, as a one-dimensional array.

        Raises:
            RuntimeError: if there is no such type.
        """
        return self._ask("all_edges", edge_type)

    def get_nodes_from_edges(self, edge_list):
        """Returns the two nodes of each edge, of shape (number of edges, 2).

        Args:
            edge_list (Union[list, numpy.ndarray]): the edges.
        """
        return self._ask("ends", _numbers("get_nodes_from_edges", "edge_list", edge_list))

    def get_edges_from_nodes(self, node_list):
        """Returns the edges between pairs of nodes, as a one-dimensional array.

        Args:
            node_list (Union[list, numpy.ndarray]): pairs of nodes, as tuples or rows.
        """
        api = "get_edges_from_nodes"
        InstanceOf(list, np.ndarray).called("a list or an array of pairs").refuse(
            api, "node_list", node_list
        )
        pairs = [
            _numbers(api, "node_list", list(pair) if isinstance(pair, tuple) else pair)
            for pair in node_list
        ]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"For '{api}', 'node_list' must hold pairs, but got {node_list!r}.")
        return self._ask("between", np.array(pairs))

    @checked
    def get_all_neighbors(
        self,
        node_list,
        neighbor_type: Int,
        output_format: AnInstance(OutputFormat) = OutputFormat.NORMAL,
    ):
        """Returns all neighbours of one type, for the given nodes.

        Args:
            node_list (Union[list, numpy.ndarray]): the nodes.
            neighbor_type (int): the type of the neighbours.
            output_format (OutputFormat, optional): NORMAL: one row per node with the node and its
                neighbours, padded with -1. COO: one row (node, neighbour) per neighbour. CSR: two
                arrays, the offsets of each node's neighbours and the neighbours.

        Returns:
            numpy.ndarray, or a pair of them.
        """
        nodes = _numbers("get_all_neighbors", "node_list", node_list)
        neighbors = self._ask("neighbors", nodes, neighbor_type)
        if output_format is OutputFormat.NORMAL:
            return _fill([[node, *near] for node, near in zip(nodes.tolist(), neighbors)])
        if output_format is OutputFormat.COO:
            pairs = [
                (node, neighbor)
                for node, near in zip(nodes.tolist(), neighbors)
                for neighbor in near
            ]
            return np.array(pairs, np.int32).reshape(-1, 2)
        counts = [len(near) for near in neighbors]
        starts = np.cumsum([0, *counts[:-1]]).astype(np.int32)
        return starts, np.array([neighbor for near in neighbors for neighbor in near], np.int32)

    @checked
    def get_sampled_neighbors(
        self,
        node_list,
        neighbor_nums,
        neighbor_types,
        strategy: AnInstance(SamplingStrategy) = SamplingStrategy.RANDOM,
    ):
        """Samples neighbours of nodes, neighbours of these, and so on.

        Args:
            node_list (Union[list, numpy.ndarray]): the nodes.
            neighbor_nums (Union[list, numpy.ndarray]): the number of neighbours at each step, for
                one to six steps.
            neighbor_types (Union[list, numpy.ndarray]): the type at each step.
            strategy (SamplingStrategy, optional): RANDOM samples all neighbours before it repeats
                any; EDGE_WEIGHT samples by weight, with replacement.

        Returns:
            numpy.ndarray, one row per node: the node, its neighbours, their neighbours, ...
        """
        api = "get_sampled_neighbors"
        nodes = _numbers(api, "node_list", node_list)
        counts = _numbers(api, "neighbor_nums", neighbor_nums)
        types = _numbers(api, "neighbor_types", neighbor_types)
        if len(counts) > 6 or len(types) != len(counts):
            raise ValueError(
                f"For '{api}', 'neighbor_nums' and 'neighbor_types' must have one to "
                f"six entries and as many, but got {neighbor_nums!r} and "
                f"{neighbor_types!r}."
            )
        if counts.min() < 1:
            raise ValueError(
                f"For '{api}', 'neighbor_nums' must be positive, but got {neighbor_nums!r}."
            )
        return self._ask("sampled", nodes, counts, types, strategy.value)

    @checked
    def get_neg_sampled_neighbors(
        self, node_list, neg_neighbor_num: Int(ge=1, le=INT32_MAX), neg_neighbor_type: Int
    ):
        """Samples negative neighbours: nodes of a type that are not neighbours.

        Args:
            node_list (Union[list, numpy.ndarray]): the nodes.
            neg_neighbor_num (int): the number of samples per node.
            neg_neighbor_type (int): the type of the sampled nodes.

        Returns:
            numpy.ndarray, one row per node: the node and its samples.
        """
        nodes = _numbers("get_neg_sampled_neighbors", "node_list", node_list)
        return self._ask("strangers", nodes, neg_neighbor_num, neg_neighbor_type)

    def get_node_feature(self, node_list, feature_types):
        """Returns features of nodes.

        Args:
            node_list (Union[list, numpy.ndarray]): the nodes, of any shape; the features of -1 are
                zeros.
            feature_types (Union[list, numpy.ndarray]): the types of the features.

        Returns:
            list[numpy.ndarray], for each type an array whose shape is that of `node_list` followed
            by that of the feature, without axes of length 1.
        """
        api = "get_node_feature"
        return self._ask(
            "features",
            "node",
            _numbers(api, "node_list", node_list, None),
            _numbers(api, "feature_types", feature_types),
        )

    def get_edge_feature(self, edge_list, feature_types):
        """Returns features of edges, like `get_node_feature` for nodes.

        Args:
            edge_list (Union[list, numpy.ndarray]): the edges.
            feature_types (Union[list, numpy.ndarray]): the types of the features.
        """
        api = "get_edge_feature"
        return self._ask(
            "features",
            "edge",
            _numbers(api, "edge_list", edge_list, None),
            _numbers(api, "feature_types", feature_types),
        )

    def graph_info(self):
        """Returns a dict of the types of nodes, edges and features, and their numbers."""
        return self._ask("info")

    @checked(
        Forbid(
            "step_home_param <= 0 or step_away_param <= 0",
            ValueError,
            "'step_home_param' and 'step_away_param' must be positive",
        )
    )
    def random_walk(
        self,
        target_nodes,
        meta_path,
        step_home_param: Number = 1.0,
        step_away_param: Number = 1.0,
        default_node: Int = NOBODY,
    ):
        """Performs random walks along neighbours, as in node2vec.

        Args:
            target_nodes (Union[list, numpy.ndarray]): the start nodes of the walks.
            meta_path (Union[list, numpy.ndarray]): the type of the node at each step.
            step_home_param (float, optional): the return parameter: the larger, the less likely is
                a step back.
            step_away_param (float, optional): the in-out parameter: the larger, the less likely is
                a step to a node that is not a neighbour of the previous one.
            default_node (int, optional): the node that fills the remaining steps of a walk that
                cannot continue.

        Returns:
            numpy.ndarray, one row per walk.

        Source: Grover and Leskovec, "node2vec: Scalable Feature Learning for Networks" (2016).
        """
        api = "random_walk"
        return self._ask(
            "walks",
            _numbers(api, "target_nodes", target_nodes),
            _numbers(api, "meta_path", meta_path),
            float(step_home_param),
            float(step_away_param),
            default_node,
        )


class LocalGraph:
    """A graph in memory.

    Each row of the files is a node ("attribute" is "n") or an edge ("e"), with its number in
    "first_id" and its "type"; an edge leads from the node "second_id" to "third_id", with an
    optional "weight". "node_feature_index" lists the features of a node: feature k is in the field
    "node_feature_k". The features of edges are in "edge_feature_index" and "edge_feature_k".

    Args:
        path (str): one of the files.

    Raises:
        RuntimeError: if the rows are something else.
    """

    def __init__(self, path):
        records = Records(path)
        fields = {"first_id", "second_id", "third_id", "type", "attribute"}
        missing = sorted(fields - records.schema.keys())
        if missing:
            raise RuntimeError(
                f"For 'GraphData', the rows of {path!r} must have the fields "
                f"{', '.join(sorted(fields))}, but lack {', '.join(missing)}."
            )
        self.nodes, self.edges = {}, {}  # number: type; number: (type, from, to)
        self.near = {}  # node: {type: [(node, weight)]}
        self.edge_of = {}  # (from, to): number
        self.feature_values = {"node": {}, "edge": {}}  # feature: {number: array}
        self.random = Twister(config.next_seed())
        with reading(path):
            rows = [records.row(index, list(records.schema)) for index in range(len(records))]
            for row in rows:
                self._add_node(row) if row["attribute"] == "n" else None
            for row in rows:
                self._add_edge(row) if row["attribute"] == "e" else None

    def _add_node(self, row):
        self.nodes[int(row["first_id"])] = int(row["type"])
        self._keep("node", row)

    def _add_edge(self, row):
        number, start, end = (
            int(row[f"{position}_id"]) for position in ("first", "second", "third")
        )
        for node in (start, end):
            self._check_node(node)
        self.edges[number] = int(row["type"]), start, end
        self.edge_of[start, end] = number
        near = self.near.setdefault(start, {}).setdefault(self.nodes[end], [])
        near.append((end, float(row.get("weight", 1.0))))
        self._keep("edge", row)

    def _keep(self, kind, row):
        for feature in np.ravel(row.get(f"{kind}_feature_index", ())).tolist():
            if feature > 0:
                of_type = self.feature_values[kind].setdefault(feature, {})
                of_type[int(row["first_id"])] = np.asarray(row[f"{kind}_feature_{feature}"])

    def _check_node(self, node):
        if node not in self.nodes:
            raise RuntimeError(f"The graph has no node {node}.")

    # The queries of GraphData ---------------------------------------------------------------------

    def all_nodes(self, kind):
        numbers = [node for node, its in self.nodes.items() if its == kind]
        return _of_type("node", kind, numbers)

    def all_edges(self, kind):
        numbers = [edge for edge, (its, _, _) in self.edges.items() if its == kind]
        return _of_type("edge", kind, numbers)

    def ends(self, edges):
        unknown = [edge for edge in edges.tolist() if edge not in self.edges]
        if unknown:
            raise RuntimeError(f"The graph has no edge {unknown[0]}.")
        return np.array([self.edges[edge][1:] for edge in edges.tolist()], np.int32)

    def between(self, pairs):
        unknown = [tuple(pair) for pair in pairs.tolist() if tuple(pair) not in self.edge_of]
        if unknown:
            raise RuntimeError(f"The graph has no edge between the nodes {unknown[0]}.")
        return np.array([self.edge_of[tuple(pair)] for pair in pairs.tolist()], np.int32)

    def neighbors(self, nodes, kind):
        self._known_type(kind)
        for node in nodes.tolist():
            self._check_node(node)
        return [[other for other, _ in self._near(node, kind)] for node in nodes.tolist()]

    def _near(self, node, kind):
        return self.near.get(node, {}).get(kind, [])

    def _known_type(self, kind):
        if kind not in self.nodes.values():
            raise RuntimeError(f"The graph has no nodes of type {kind}.")

    def sampled(self, nodes, counts, types, strategy):
        for kind in types.tolist():
            self._known_type(kind)
        by_weight = strategy == SamplingStrategy.EDGE_WEIGHT.value
        rows = []
        for node in nodes.tolist():
            self._check_node(node)
            row, last = [node], [node]
            for count, kind in zip(counts.tolist(), types.tolist(), strict=True):
                last = [
                    neighbor
                    for previous in last
                    for neighbor in self._draw(self._near(previous, kind), count, by_weight)
                ]
                row += last
            rows.append(row)
        return np.array(rows, np.int32)

    def _draw(self, near, count, by_weight):
        if not near:
            return [NOBODY] * count
        if by_weight:
            indices = self.random.draw_weighted([weight for _, weight in near], count)
            return [near[index][0] for index in indices]
        return self._rounds([other for other, _ in near], count)

    def _rounds(self, nodes, count):
        """Returns `count` nodes: all in random order, then all in another random order, and so
        on."""
        out = []
        while len(out) < count:
            out += self.random.shuffle(list(nodes))
        return out[:count]

    def strangers(self, nodes, count, kind):
        candidates = self.all_nodes(kind).tolist()
        rows = []
        for node in nodes.tolist():
            self._check_node(node)
            near = {other for other, _ in self._near(node, kind)}
            far = [other for other in candidates if other not in near and other != node]
            rows.append([node, *(self._rounds(far, count) if far else [NOBODY] * count)])
        return np.array(rows, np.int32)

    def features(self, kind, numbers, types):
        return [self._feature(kind, numbers, feature) for feature in types.tolist()]

    def _feature(self, kind, numbers, feature):
        if feature not in self.feature_values[kind]:
            raise RuntimeError(
                f"The graph has no feature {feature} of {kind}s; there are "
                f"{sorted(self.feature_values[kind])}."
            )
        all_numbers = self.nodes if kind == "node" else self.edges
        of_type = self.feature_values[kind][feature]
        nothing = np.zeros_like(next(iter(of_type.values())))
        unknown = [
            number
            for number in numbers.reshape(-1).tolist()
            if number != NOBODY and number not in all_numbers
        ]
        if unknown:
            raise RuntimeError(f"The graph has no {kind} {unknown[0]}.")
        rows = [of_type.get(number, nothing) for number in numbers.reshape(-1).tolist()]
        return np.stack(rows).reshape(*numbers.shape, *nothing.shape).squeeze()

    def info(self):
        summary = {}
        for kind, types in (
            ("node", list(self.nodes.values())),
            ("edge", [its for its, _, _ in self.edges.values()]),
        ):
            summary[f"{kind}_type"] = sorted(set(types))
            summary[f"{kind}_num"] = {type_: types.count(type_) for type_ in sorted(set(types))}
            summary[f"{kind}_feature_type"] = sorted(self.feature_values[kind])
        return summary

    def walks(self, nodes, path, home, away, default):
        for kind in path.tolist():
            self._known_type(kind)
        return np.array(
            [self._walk(node, path.tolist(), home, away, default) for node in nodes.tolist()],
            np.int32,
        )

    def _walk(self, node, path, home, away, default):
        self._check_node(node)
        row, before = [node], None
        for kind in path:
            near = self._near(row[-1], kind)
            if not near:
                break
            weights = [weight * self._bias(other, before, home, away) for other, weight in near]
            before, choice = row[-1], self.random.draw_weighted(weights, 1)[0]
            row.append(near[choice][0])
        return row + [default] * (len(path) + 1 - len(row))

    def _bias(self, node, before, home, away):
        if before is None:
            return 1.0
        if node == before:
            return 1.0 / home
        near = any(node == other for other, _ in self._near(before, self.nodes[node]))
        return 1.0 if near else 1.0 / away


def _of_type(thing, kind, numbers):
    if not numbers:
        raise RuntimeError(f"The graph has no {thing}s of type {kind}.")
    return np.array(numbers, np.int32)


def _fill(rows):
    """Pads rows with -1 to equal length."""
    longest = max(map(len, rows))
    return np.array([row + [NOBODY] * (longest - len(row)) for row in rows], np.int32)


def _numbers(api, name, values, axes=1):
    """Converts integers to an array and checks it.

    Raises:
        TypeError: if they are not integers.
        ValueError: if there are none, or the number of axes is wrong.
    """
    InstanceOf(list, np.ndarray).called("a list or an array of ints").refuse(api, name, values)
    try:
        numbers = np.array(values)
    except ValueError as error:
        raise ValueError(
            f"For '{api}', '{name}' must have rows of equal length, but got {values!r}."
        ) from error
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"For '{api}', '{name}' must hold ints, but got {values!r}.")
    if not numbers.size or axes is not None and numbers.ndim != axes:
        raise ValueError(
            f"For '{api}', '{name}' must hold at least one number"
            f"{'' if axes is None else f' and have {axes} axis'}, but got {values!r}."
        )
    return numbers.astype(np.int64)
