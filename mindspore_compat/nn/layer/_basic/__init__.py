"""Dropout, matrices, and layers around functions of `ops`: the parts of `nn.layer.basic`."""
