"""Multi-head attention: a part of `nn.layer.transformer`."""
