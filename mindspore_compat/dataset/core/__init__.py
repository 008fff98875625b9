"""`mindspore.dataset.core`: `config` under a longer path, and the limits of number types."""
