"""HookHandle: the handle that registering a hook returns, and that removes the hook."""

import itertools

__all__ = ["HookHandle"]

_numbers = itertools.count(1)


def need_callable(api, hook):
    """Raises TypeError unless a hook is callable."""
    if not callable(hook):
        raise TypeError(
            f"For '{api}', the hook must be a callable, but got {hook!r} of type "
            f"{type(hook).__name__}."
        )


class HookHandle:
    """A handle of one hook in an ordered dict of hooks.

    Args:
        hooks (OrderedDict): the dict of the hook, key to function.
        removed (callable): called without arguments after the hook is removed.

    Examples:
        >>> from collections import OrderedDict
        >>> from mindspore_compat.common.hook import HookHandle
        >>> hooks = OrderedDict()
        >>> handle = HookHandle.add(hooks, print)
        >>> handle.remove()
        >>> len(hooks)
        0
    """

    def __init__(self, hooks, removed=None):
        self.hooks = hooks
        self.id = next(_numbers)
        self._removed = removed

    @classmethod
    def add(cls, hooks, hook, prepend=False, removed=None):
        """Appends `hook` to `hooks` (or inserts it first), and returns its handle."""
        handle = cls(hooks, removed)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def remove(self):
        """Removes the hook; repeated calls have no effect."""
        if self.hooks.pop(self.id, None) is not None and self._removed is not None:
            self._removed()
