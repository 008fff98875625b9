"""Methods of Tensor that have several signatures, or concern its storage."""
