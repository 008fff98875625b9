"""`mindspore.dataset.dataloader`: DataLoader, its datasets and its samplers.

A `DataLoader` reads rows of a dataset in the order of a sampler, in this process or in worker
processes, and collates them into batches of Tensors.
"""

from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import Dataset, IterableDataset, TensorDataset
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from .workers import get_worker_info

__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "TensorDataset",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
