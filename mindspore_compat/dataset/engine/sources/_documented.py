"""What the docstrings of sources share: arguments and errors."""

from ...._core.declare.templates import template

documented = template(
    """
    num_samples (int, optional): how many rows an epoch has at most.
    num_parallel_workers (int, optional): is checked.
    shuffle (bool, optional): whether the order is random; by default it is.
    decode (bool, optional): whether images are decoded to RGB, which needs OpenCV.
    sampler (Union[Sampler, Iterable], optional): which rows are read, in which order.
    num_shards (int, optional): how many processes share the rows.
    shard_id (int, optional): which of them this is.
    cache (DatasetCache, optional): keeps the rows.
    decrypt (Callable, optional): takes a path and returns the bytes of the file.
    """,
    Raises="""
    TypeError: an argument is of the wrong type.
    ValueError: there is no such folder, or a value is out of range.
    RuntimeError: arguments exclude each other, or need each other; or, when the dataset is
        used, files are missing or not what they should be.
    """,
)

documented_corpus = template(
    """
    usage (str, optional): "train", "test" or "all"; by default all.
    num_samples (int, optional): how many rows an epoch has at most.
    num_parallel_workers (int, optional): is checked.
    shuffle (Union[bool, Shuffle], optional): whether files and rows are shuffled, or files
        alone.
    num_shards (int, optional): how many processes share the rows.
    shard_id (int, optional): which of them this is.
    cache (DatasetCache, optional): keeps the rows.
    """,
    Raises="""
    TypeError: an argument is of the wrong type.
    ValueError: there is no such folder, or a value is out of range.
    RuntimeError: only one of `num_shards` and `shard_id` is given; or, when the dataset is
        used, a file is missing or not what it should be.
    """,
)
