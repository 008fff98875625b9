"""Handles of hooks: what registering a hook returns, and what takes it away again."""

import itertools

__all__ = ["HookHandle"]

_numbers = itertools.count(1)


def need_callable(api, hook):
    """Refuses a hook that cannot be called."""
    if not callable(hook):
        raise TypeError(
            f"For '{api}', the hook must be a callable, but got {hook!r} of type "
            f"{type(hook).__name__}."
        )


class HookHandle:
    """A handle of one hook in an ordered dict of hooks.

    Args:
        hooks (OrderedDict): the hooks it belongs to, key to function.
        removed (callable): called after the hook is gone, without arguments.

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
        """Puts `hook` last (or first) into `hooks` and returns its handle."""
        handle = cls(hooks, removed)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def remove(self):
        """Takes the hook away; doing it again does nothing."""
        if self.hooks.pop(self.id, None) is not None and self._removed is not None:
            self._removed()
