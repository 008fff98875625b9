"""Merges safetensors files of ranks that hold slices into files of whole parameters.

`resharding` defines how parameters are cut. Whole parameters are written to "part0.safetensors" and
so on, of about 3 GiB each; "param_name_map.json" maps each name to its file. Values that no
strategy describes, such as the step number, are taken from rank 0 and written to
"hyper_param.safetensors".
"""

import glob
import json
import math
import os
from concurrent.futures import ThreadPoolExecutor

from ... import log
from ..._core import progress
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Any, AsValue, Bool, Int, ListOf, Str, TupleOf
from ..._io import safetensors
from ..._io.files import atomic_write, map_file
from .._utils import _make_directory
from .resharding import Slicing, Strategy, reslice

_Range = (TupleOf(Int) | ListOf(Int)).called("a tuple of ints")
_Answer = AsValue(Str | Bool)

__all__ = ["unified_safetensors"]

_API = "unified_safetensors"
_PART = 3 << 30  # bytes
_SUMS = "accu_grads"  # accumulated gradients are not part of a parameter


@checked
def unified_safetensors(
    src_dir: Str,
    src_strategy_file: Str,
    dst_dir: Str,
    merge_with_redundancy: Bool = True,
    file_suffix: Any = None,
    max_process_num: Int(ge=1) = 64,
    choice_func: Any = None,
    split_dst_file: Any = (),
):
    """Merges the slices saved by ranks into safetensors files of whole parameters.

    Args:
        src_dir (str): the folder with a folder "rank_<number>" per rank; among several files in
            one, the last by name is used.
        src_strategy_file (str): the strategy file that describes how the parameters are cut.
        dst_dir (str): the folder to write to; created if necessary.
        merge_with_redundancy (bool, optional): whether the file of every rank has all its slices.
            Otherwise a slice of several ranks may be in the file of only one of them. A statement
            in the files themselves takes precedence.
        file_suffix (str, optional): the end of the file names before ".safetensors".
        max_process_num (int, optional): the largest number of files written at a time.
        choice_func (callable, optional): takes the name of a parameter and returns a new name, or a
            bool: whether it is a parameter. Other values are written to "hyper_param.safetensors".
        split_dst_file (tuple[int], optional): (number, count): this call is task `number` of
            `count`, from 1. Each task writes some of the files; the first also writes the other
            values.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if there are no such files, or not those that are needed, or also ones of the
            other format; `src_strategy_file` is not a strategy file; `choice_func` returns neither
            a str nor a bool; or there is no file for this task to write.

    Source: mindspore.unified_safetensors of MindSpore 2.10.
    """
    _check_options(choice_func, split_dst_file)
    files = _files_in(src_dir, file_suffix)
    try:
        strategy = Strategy(src_strategy_file)
    except ValueError as error:
        raise ValueError(
            f"For '{_API}', 'src_strategy_file' must be a strategy file: {error}"
        ) from None
    source = _Source(files, strategy, merge_with_redundancy)
    names = _select(source, choice_func)
    sizes = {name: source.size(name) for name in names}
    parts = _divide(sizes)
    task, tasks = split_dst_file or (1, 1)
    least, remainder = divmod(len(parts), tasks)
    first = least * (task - 1) + min(task - 1, remainder)
    part_range = range(first, first + least + (task <= remainder))
    if not part_range:
        raise ValueError(
            f"For '{_API}', 'split_dst_file' must leave files to write, but there are "
            f"{len(parts)} for {tasks} tasks."
        )
    folder = _make_directory(dst_dir, "dst_dir")
    if task == 1:
        others = source.others(names)
        if others:
            safetensors.write(os.path.join(folder, "hyper_param.safetensors"), others)

    def write(number):
        """Writes one file of parameters."""
        safetensors.write(
            os.path.join(folder, f"part{number}.safetensors"),
            [(names[name], source.whole(name)) for name in parts[number]],
        )

    with ThreadPoolExecutor(min(max_process_num, len(part_range))) as pool:
        progress.exhaust(pool.map(write, part_range), "Merging", len(part_range), "files")
    if task == 1:  # last, because it lists the existing files
        metadata = {
            "metadata": {"total_size": sum(sizes.values())},
            "weight_map": {
                names[name]: f"part{number}.safetensors"
                for number, part in enumerate(parts)
                for name in part
            },
        }
        with atomic_write(os.path.join(folder, "param_name_map.json")) as file:
            file.write(json.dumps(metadata, indent=4).encode())


class _Source:
    """The files of all ranks, and how their parameters are cut.

    Args:
        files (dict[int, str]): rank -> file.
        strategy (Strategy): how the parameters are cut.
        complete (bool): whether the file of every rank has all slices of that rank.

    Raises:
        ValueError: if a file is missing or not a safetensors file.
    """

    def __init__(self, files, strategy, complete):
        self._files, self._strategy = files, strategy
        self._headers = {rank: _header(path) for rank, path in files.items()}
        self._complete = self._has_all_slices(complete)
        ranks = range(strategy.ranks * strategy.stage_count())
        missing = [rank for rank in ranks if rank not in files]
        if missing and not (self._complete and self._suffice()):
            raise ValueError(
                f"For '{_API}', 'src_dir' must have the files of all ranks that are "
                f"needed, but those of {missing} are missing."
            )

    def _has_all_slices(self, complete):
        marks = {
            metadata.get("__metadata__", {}).get("remove_redundancy")
            for metadata in self._headers.values()
        }
        for mark, other_value in (("True", False), ("False", True)):
            if mark in marks and complete is not other_value:
                log.warning(
                    "The files say of 'remove_redundancy' %s; 'merge_with_redundancy' is "
                    "taken as %s.",
                    mark,
                    other_value,
                )
                return other_value
        return complete

    def _suffice(self):
        """Returns whether the files suffice to build every whole parameter."""
        return all(
            rank in self._files for name in self._strategy.stages for rank in self._holders(name)
        )

    def names(self):
        """Returns the parameters that both the files and the strategy describe, in the files'
        order."""
        names = dict.fromkeys(
            name for rank in sorted(self._headers) for name in self._headers[rank]
        )
        return [
            name for name in names if name in self._strategy.stages and not name.startswith(_SUMS)
        ]

    def _ranks(self, name):
        """Returns the ranks of the first stage that contains a parameter."""
        first = min(self._strategy.stages[name]) * self._strategy.ranks
        return range(first, first + self._strategy.ranks)

    def _holders(self, name):
        """Returns the ranks whose slices together form the whole parameter."""
        ranks, slicing = self._ranks(name), self._strategy.slicing(name)
        present = (
            None
            if self._complete
            else {rank - ranks.start for rank in ranks if name in self._headers.get(rank, ())}
        )
        try:
            return [ranks.start + rank for rank in slicing.holders(Slicing(), 0, None, present)]
        except ValueError as error:
            raise ValueError(f"For '{_API}', {name!r}: {error}.") from None

    def size(self, name):
        """Returns the size of a whole parameter in bytes."""
        metadata = next(
            self._headers[rank][name]
            for rank in sorted(self._headers)
            if name in self._headers[rank]
        )
        start, stop = metadata["data_offsets"]
        return (stop - start) * math.prod(
            self._strategy.slicing(name).counts(len(metadata["shape"]))
        )

    def whole(self, name):
        """Returns a whole parameter as an array."""
        ranks, slices = self._ranks(name), {}
        for rank in self._holders(name):
            entries, _ = safetensors.read(self._files[rank], accepts=lambda tag: tag == name)
            if not entries:
                raise ValueError(f"For '{_API}', {self._files[rank]!r} must have {name!r}.")
            slices[rank - ranks.start] = entries[0][1]
        try:
            return reslice(slices, self._strategy.slicing(name), Slicing(), 0)
        except ValueError as error:
            raise ValueError(f"For '{_API}', {name!r}: {error}.") from None

    def others(self, names):
        """Returns the values of rank 0 that are not in `names`, as pairs of a name and an array."""
        if 0 not in self._files:
            return []
        entries, _ = safetensors.read(self._files[0], accepts=lambda tag: tag not in names)
        return [(name, array) for name, array, _ in entries]


def _check_options(choice_func, split_dst_file):
    if choice_func is not None and not callable(choice_func):
        raise TypeError(
            f"For '{_API}', 'choice_func' must be callable or None, but got {choice_func!r}."
        )
    _Range.refuse(_API, "split_dst_file", split_dst_file)
    if split_dst_file and (
        len(split_dst_file) != 2 or not 1 <= split_dst_file[0] <= split_dst_file[1]
    ):
        raise ValueError(
            f"For '{_API}', 'split_dst_file' must hold the number of a task, from 1, "
            f"and that of all, but got {split_dst_file!r}."
        )


def _files_in(folder, suffix):
    """Returns the file of each rank.

    Raises:
        ValueError: if there are none, a rank has none of that suffix, or some are of the other
            format.
    """
    pattern = os.path.join(glob.escape(folder), "rank_[0-9]*")
    files = {}
    for node_folder in sorted(glob.glob(pattern)):
        rank, inside = os.path.basename(node_folder)[5:], sorted(os.listdir(node_folder))
        if not rank.isdigit():
            continue
        if any(name.endswith(".ckpt") for name in inside):
            raise ValueError(
                f"For '{_API}', 'src_dir' must have no '.ckpt' files, but {node_folder!r} has."
            )
        ending = f"{'' if suffix is None else suffix}{safetensors.SUFFIX}"
        fit = [name for name in inside if name.endswith(ending)]
        if not fit and suffix is not None:
            raise ValueError(
                f"For '{_API}', {node_folder!r} must have a file that ends with "
                f"{f'{suffix}{safetensors.SUFFIX}'!r}."
            )
        if fit:
            files[int(rank)] = os.path.join(node_folder, fit[-1])
    if not files:
        raise ValueError(
            f"For '{_API}', 'src_dir' must have safetensors files in folders "
            f"'rank_<number>', but {folder!r} has none."
        )
    return files


def _header(path):
    try:
        metadata = safetensors.header(map_file(path))
        return metadata if isinstance(metadata, dict) else {}
    except ValueError as error:
        raise ValueError(f"The file {path} cannot be read as safetensors: {error}.") from None


def _select(source, choice_func):
    """Returns the parameters to write, and their names in the files.

    Raises:
        ValueError: if `choice_func` returns neither a str nor a bool, or there are no parameters.
    """
    names = {}
    for name in source.names():
        answer = True if choice_func is None else choice_func(name)
        _Answer.refuse_part(_API, "'choice_func'", answer, verb="return")
        if answer is not False:
            names[name] = answer if isinstance(answer, str) else name
    if not names:
        raise ValueError(
            f"For '{_API}', there must be parameters to write, but "
            f"'src_strategy_file' and 'choice_func' leave none."
        )
    return names


def _divide(sizes):
    """Divides the names into parts of about equal size: the largest first, into the smallest
    part."""
    count = min(math.ceil(sum(sizes.values()) / _PART), len(sizes))
    parts = [[0, []] for _ in range(max(count, 1))]
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        smallest = min(parts, key=lambda part: part[0])
        smallest[0] += sizes[name]
        smallest[1].append(name)
    return [names for _, names in parts]
