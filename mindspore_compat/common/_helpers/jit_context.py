"""JitContext: the context that a script passes to the functions of a graph that it runs itself.

Nothing in this package reads it. Scripts that trace functions in MindSpore's manner set a
context and read it.
"""

from ..._core.rules.vocabulary import InstanceOf

__all__ = ["JitContext", "jit_context", "set_jit_context"]
_current = [None]


class JitContext:
    """State of one traced function: whether it is compiled, its phase, arguments and result.

    A subclass defines `run_op`, which receives a Primitive, its result and its inputs.
    """

    def __init__(self):
        self._compiled = False
        self._phase = None
        self.result = None
        self.args = None

    def run_op(self, prim, prim_res, *args):
        """Records one operation; a subclass defines it.

        Raises:
            AttributeError: if the subclass does not define it.
        """
        raise AttributeError(
            "For 'JitContext', 'run_op' must be defined by a subclass, but is not."
        )

    @property
    def compiled(self):
        """Whether the function is compiled."""
        return self._compiled

    @compiled.setter
    def compiled(self, value):
        self._compiled = _of_type("compiled", value, bool)

    @property
    def phase(self):
        """The name of the graph; None until it is set."""
        return self._phase

    @phase.setter
    def phase(self, value):
        self._phase = _of_type("phase", value, str)


def _of_type(name, value, kind):
    InstanceOf(kind).refuse("JitContext", name, value)
    return value


def set_jit_context(new_jit_context):
    """Sets the JitContext, or None, that `jit_context` returns."""
    _current[0] = new_jit_context


def jit_context():
    """Returns the JitContext set last, or None."""
    return _current[0]
