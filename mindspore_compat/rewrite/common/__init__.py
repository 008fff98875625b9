"""Settings of `mindspore.rewrite` that libraries change."""
