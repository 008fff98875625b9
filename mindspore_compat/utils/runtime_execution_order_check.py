"""Checks whether the ranks of a run call communication operators in an order without deadlock.

`runtime_execution_order_check` reads the files of a finished run, one per rank, and searches for
operators that a member never called, and for cycles: ranks that wait for each other because they
called the same operators in different orders. Findings are logged as errors.
`comm_exec_order_check` compares the ranks of the current run.
"""

import collections
import csv
import os
import re

from .. import log
from .._c_expression import CommExecOrderChecker
from .._core.rules.vocabulary import Str

__all__ = ["comm_exec_order_check", "runtime_execution_order_check"]

_COLUMNS = (
    "index group comm_rank primitive src_rank dest_rank root_rank input_shape input_type "
    "output_shape output_type input_size output_size"
).split()
_FILE = os.path.join("execute_order", "comm_execute_order.csv")
_RANK_FOLDER = re.compile(r"rank_(\w+)")
_PEERS = re.compile(r"\(([\d,]+)\)->\(([\d,]+)\)")  # ranks of Send and Receive
_MEMBERS = re.compile(r"\(([\d,]+)\)")


class ExecuteOrder:
    """One call of a communication operator.

    Args:
        index (str): the number of the call.
        group (str): the name of the group.
        comm_rank (str): the ranks of the group, with spaces between them.
        primitive (str): the name of the operator.
        src_rank (str): the sending rank of a Receive.
        dest_rank (str): the receiving rank of a Send.
        root_rank (str): the root, if the operator has one.
        input_shape (str): the shape of the input.
        output_shape (str): the shape of the result.
    """

    def __init__(
        self,
        index: str,
        group: str,
        comm_rank: str,
        primitive: str,
        src_rank: str = "",
        dest_rank: str = "",
        root_rank: str = "",
        input_shape: str = "",
        output_shape: str = "",
    ):
        self.index, self.group, self.primitive = index, group, primitive
        self.comm_rank = comm_rank.split()
        self.src_rank, self.dest_rank, self.root_rank = src_rank, dest_rank, root_rank
        self.input_shape, self.output_shape = input_shape, output_shape

    def generate_base_key(self, rank: str) -> str:
        """Returns the key of the call, equal for all ranks that take part in it.

        Args:
            rank (str): the rank that calls it.
        """
        if self.primitive == "Send":
            return f"Send_Receive_{self.group}_({rank})->({self.dest_rank})_{self.input_shape}"
        if self.primitive == "Receive":
            return f"Send_Receive_{self.group}_({self.src_rank})->({rank})_{self.output_shape}"
        members = ",".join(self.comm_rank)
        if self.primitive.lower() == "broadcast":
            root = f"rootRank:({self.root_rank})"
            return f"{self.primitive}_{self.group}_commRank:({members})_{root}"
        return f"{self.primitive}_{self.group}_({members})"

    def generate_key(self, rank: str, count: int) -> str:
        """Returns the result of `generate_base_key` with the ordinal `count` of the call."""
        return f"{self.generate_base_key(rank)}_{count}th"


class RankFolderParser:
    """Reads the calls of each rank from the folders rank_0, rank_1, ...

    Args:
        folders (Union[str, list[str]]): such folders, or parents of such folders.

    Raises:
        ValueError: if a folder is not there, or holds no folder of a rank.
    """

    def __init__(self, folders):
        self.folders = [folders] if isinstance(folders, str) else list(folders)
        for folder in self.folders:
            if not os.path.exists(folder):
                raise ValueError(f"Path does not exist: {folder}.")
            if not _rank_folders(folder):
                raise ValueError(f"No rank_x folders found in {folder}.")

    def parse(self):
        """Returns the calls of each rank, as {rank: list of `ExecuteOrder`}; unreadable files are
        skipped with an error in the log.
        """
        calls = {}
        for folder in self.folders:
            for path, rank in _rank_folders(folder):
                _, orders = self.parse_rank_folder(path, rank)
                if orders is not None:
                    calls[rank] = orders
        return calls

    def parse_rank_folder(self, rank_folder_path: str, rank_id: str):
        """Returns the rank and its calls (None if the file is missing or has other columns)."""
        path = os.path.join(rank_folder_path, _FILE)
        try:
            with open(path, encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file)
                if rows.fieldnames != _COLUMNS:
                    log.error("%s is left out: its columns must be %s.", path, _COLUMNS)
                    return rank_id, None
                return rank_id, [_order_of(row) for row in rows]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            log.error("%s is left out: it cannot be read: %s", path, error)
            return rank_id, None


def _rank_folders(folder):
    """Returns (path, rank) of each folder of a rank: the folder itself, or those in it."""
    own = _RANK_FOLDER.fullmatch(os.path.basename(os.path.normpath(folder)))
    if own:
        return [(folder, own[1])]
    if not os.path.isdir(folder):
        return []
    inside = (
        (os.path.join(folder, name), _RANK_FOLDER.fullmatch(name)) for name in os.listdir(folder)
    )
    return sorted((path, match[1]) for path, match in inside if match and os.path.isdir(path))


def _order_of(row):
    values = {name: row[name] or "" for name in _COLUMNS}
    unused = ("input_type", "output_type", "input_size", "output_size")
    return ExecuteOrder(**{name: text for name, text in values.items() if name not in unused})


def modify_execute_orders(execute_orders_map: dict) -> dict:
    """Names each call by its key and its ordinal on its rank.

    Args:
        execute_orders_map (dict): the calls of each rank, lists of `ExecuteOrder` or None.

    Returns:
        dict, the names in the order of the calls, of each rank.
    """
    names_of_ranks = {}
    for rank, orders in execute_orders_map.items():
        counts = collections.Counter()
        names_of_ranks[rank] = []
        for order in orders or ():
            base = order.generate_base_key(rank)
            counts[base] += 1
            names_of_ranks[rank].append(order.generate_key(rank, counts[base]))
    return names_of_ranks


def parse_and_validate(data: dict, all_rank: bool = True):
    """Logs an error for each call that another member has not made.

    Args:
        data (dict): the names of the calls of each rank (`modify_execute_orders`).
        all_rank (bool): whether `data` should hold all ranks, so that a missing rank is an error,
            too.
    """
    for rank, calls in data.items():
        if not isinstance(calls, list) or not all(isinstance(call, str) for call in calls):
            log.error("The calls of rank %s must be a list of str, but got %r.", rank, calls)
            continue
        for call in calls:
            members = _members(call)
            absent = sorted(members - data.keys())
            if absent and all_rank:
                log.error("Nothing is known of the ranks %s, which take part in %s.", absent, call)
            for member in sorted(members & data.keys()):
                if call not in data[member]:
                    log.error("Rank %s does not call %s, but rank %s does.", member, call, rank)


def _members(call):
    """Returns the ranks that take part in a call, read from its name."""
    peers = _PEERS.search(call)
    if peers:
        return {*peers[1].split(","), *peers[2].split(",")}
    members = _MEMBERS.search(call)
    return set(members[1].split(",")) if members else set()


def detect_cycle_in_graph(ranks_map):
    """Detects calls that wait for each other.

    Args:
        ranks_map (dict): the names of the calls of each rank, in order.

    Returns:
        tuple, the names along the cycle, with the first one repeated at the end, and the list of
        the ranks of its steps; (None, None) without a cycle.
    """
    following, rank_of = collections.defaultdict(list), {}
    for rank, calls in ranks_map.items():
        for step in zip(calls, calls[1:], strict=False):
            following[step[0]].append(step[1])
            rank_of.setdefault(step, rank)
    cycle = _cycle(following)
    if cycle is None:
        return None, None
    steps = zip(cycle, cycle[1:], strict=False)
    return cycle, [f"{rank_of[step]} {step[0]} -> {step[1]}" for step in steps]


def _cycle(following):
    """Returns the first cycle in a depth-first search; None if there is none.

    It uses an explicit stack, because a run has more calls than Python has frames.
    """
    visited = set()
    for start in list(following):
        path, index_in_path, rest = [], {}, [iter((start,))]
        while rest:
            node = next(rest[-1], None)
            if node is None:
                rest.pop()
                if path:
                    left = path.pop()
                    del index_in_path[left]
                    visited.add(left)
            elif node in index_in_path:
                return [*path[index_in_path[node] :], node]
            elif node not in visited:
                index_in_path[node] = len(path)
                path.append(node)
                rest.append(iter(following.get(node, ())))
    return None


def output_cycle_results(cycle_path, cycle_ranks):
    """Logs a cycle (`detect_cycle_in_graph`) as an error, if there is one."""
    if cycle_path:
        log.error("Calls wait for each other: %s", " -> ".join(cycle_path))
        for step in cycle_ranks:
            log.error("Rank %s", step)


def determine_all_rank(folders_):
    """Returns whether folders probably contain all ranks: True unless there are several folders,
    None if `folders_` is neither a str nor a list of them.
    """
    if isinstance(folders_, str):
        return True
    if (
        isinstance(folders_, list)
        and folders_
        and all(isinstance(folder, str) for folder in folders_)
    ):
        return len(folders_) == 1
    return None


def runtime_execution_order_check(folders_, all_rank=None):
    """Checks the files of a run for communication operators whose order leads to a deadlock.

    Each folder of a rank, "rank_0" and so on, holds "execute_order/comm_execute_order.csv". Errors
    are written to the log.

    Args:
        folders_ (Union[str, list[str]]): folders of ranks, or a folder that holds them.
        all_rank (bool, optional): whether they are all ranks of the run; by default they are,
            unless several folders are given.

    Raises:
        ValueError: if a folder is not there, or holds no folder of a rank.

    Examples:
        >>> from mindspore_compat.utils import runtime_execution_order_check
        >>> runtime_execution_order_check("path/to/run")  # doctest: +SKIP

    Source: mindspore.utils.runtime_execution_order_check of MindSpore 2.10.
    """
    all_rank = determine_all_rank(folders_) if all_rank is None else all_rank
    names_of_ranks = modify_execute_orders(RankFolderParser(folders_).parse())
    if not names_of_ranks:
        log.error("There are no calls of ranks in %s.", folders_)
        return
    parse_and_validate(names_of_ranks, all_rank)
    output_cycle_results(*detect_cycle_in_graph(names_of_ranks))


_collecting = False


def comm_exec_order_check(action):
    """Starts recording the collectives of this run, or stops and compares the ranks.

    An action out of turn is an error in the log.

    Args:
        action (str): "start" or "end".

    Raises:
        TypeError: if `action` is not a str.
        ValueError: if `action` is another.
        RuntimeError: with "end", members of a group have called different numbers of
            collectives.

    Examples:
        >>> from mindspore_compat.utils import comm_exec_order_check
        >>> comm_exec_order_check("start")
        >>> comm_exec_order_check("end")

    Source: mindspore.utils.comm_exec_order_check of MindSpore 2.10.
    """
    global _collecting
    Str.refuse("comm_exec_order_check", "action", action)
    if action not in ("start", "end"):
        raise ValueError(
            f"For 'comm_exec_order_check', 'action' must be 'start' or 'end', but got {action!r}."
        )
    if (action == "start") == _collecting:
        fault = "called twice" if _collecting else "called before the 'start' action"
        log.error(f"The '{action}' action cannot be {fault}.")
        return
    _collecting = not _collecting
    checker = CommExecOrderChecker.get_instance()
    if _collecting:
        checker.start_collect_exec_order()
    else:
        checker.stop_collect_exec_order()
