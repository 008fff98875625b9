"""`mindspore.dataset.core`: `config` under its longer path, and the limits of numbers."""
