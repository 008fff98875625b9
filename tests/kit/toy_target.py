"""A small implementation of three names, one of which ends the process, and the specs of the names.

The tests of the conformance tool use it in place of MindSpore.
"""

TOY = """
    import os, time
    import numpy as np
    __version__ = "0.1"
    PYNATIVE_MODE = 1

    class Tensor:
        def __init__(self, data, dtype=None):
            self.data = np.asarray(data, dtype or None)
        dtype = property(lambda self: str(self.data.dtype))
        shape = property(lambda self: self.data.shape)
        def asnumpy(self):
            return self.data

    float32, int32, bool_ = "float32", "int32", "bool"

    class Half:
        def __init__(self, rate=0.5):
            if type(rate) is not float:
                raise TypeError("rate")
            if not 0.0 < rate < 1.0:
                raise ValueError("rate")
            self.rate = rate
        def __call__(self, x):
            return Tensor(x.data * np.float32(self.rate))

    def strict(x, limit=3):
        if limit < 0:
            raise ValueError("limit")
        return x

    def fragile(x):
        os._exit(3)
    """
SPECS = {
    "Half": {
        "kind": "class",
        "signature": ["rate=0.5"],
        "call": ["x"],
        "types": {"rate": ["float"]},
        "returns": {"shape": "x"},
        "raises": [
            {"TypeError": {"rate": "not float"}},
            {"ValueError": {"rate": "outside (0.0, 1.0)"}},
        ],
        "use": {"init": [[], {"rate": "0.25"}], "call": [["T('float32', [1.0, 2.0])"], {}]},
    },
    "strict": {
        "kind": "function",
        "signature": ["x", "limit=3"],
        "types": {"limit": ["int"]},
        "raises": [{"ValueError": {"limit": "< 0"}}],
        "use": {"call": [["T('int32', [1, 2])"], {"limit": "2"}]},
    },
    "fragile": {"kind": "function", "signature": ["x"], "use": {"call": [["T('int32', [1])"], {}]}},
}
