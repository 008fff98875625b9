"""Shared parts of the docstrings of sources: arguments and errors."""

from ...._core.declare.templates import template

documented = template(
    """
    num_samples (int, optional): the maximum number of rows of an epoch.
    num_parallel_workers (int, optional): is checked.
    shuffle (bool, optional): whether to shuffle the rows; by default they are shuffled.
    decode (bool, optional): whether to decode images to RGB, which needs OpenCV.
    sampler (Union[Sampler, Iterable], optional): selects the rows and their order.
    num_shards (int, optional): the number of processes that share the rows.
    shard_id (int, optional): the index of this process.
    cache (DatasetCache, optional): caches the rows.
    decrypt (Callable, optional): takes a path and returns the bytes of the file.
    """,
    Raises="""
    TypeError: if an argument is of the wrong type.
    ValueError: if there is no such folder, or a value is out of range.
    RuntimeError: if arguments exclude each other, or need each other; or, when the dataset is
        used, files are missing or not what they should be.
    """,
)

documented_corpus = template(
    """
    usage (str, optional): "train", "test" or "all"; by default all.
    num_samples (int, optional): the maximum number of rows of an epoch.
    num_parallel_workers (int, optional): is checked.
    shuffle (Union[bool, Shuffle], optional): whether to shuffle files and rows, or only
        files.
    num_shards (int, optional): the number of processes that share the rows.
    shard_id (int, optional): the index of this process.
    cache (DatasetCache, optional): caches the rows.
    """,
    Raises="""
    TypeError: if an argument is of the wrong type.
    ValueError: if there is no such folder, or a value is out of range.
    RuntimeError: if only one of `num_shards` and `shard_id` is given; or, when the dataset is
        used, a file is missing or not what it should be.
    """,
)
