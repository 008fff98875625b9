"""Hooks of a Cell: functions called before and after `construct`, and on gradients in the backward
pass.

A backward hook receives the gradients of a Cell's inputs together with the gradients of its
outputs. Two tape nodes collect them: one after the outputs records the gradients that arrive, and
one before the inputs has the gradients that leave and calls the hook.
"""

import warnings
from collections import OrderedDict

from ..._core.gradients.custom import custom_gradient
from ..._core.tensor.tensor import Tensor
from ...common.hook import HookHandle, need_callable


class Hooks:
    """The part of Cell that stores hooks and calls them."""

    _forward_pre_hook = None  # each an OrderedDict once there is a hook: id -> function
    _forward_hook = None
    _backward_pre_hook = None
    _backward_hook = None
    _cell_with_kwargs = frozenset()  # ids of forward hooks that also get the keyword arguments
    _cell_always_called = frozenset()  # ids of forward hooks called even after an exception

    def _cell_add_hook(self, kind, hook, prepend=False, with_kwargs=False, always_call=False):
        need_callable(kind.replace("_", "register_", 1), hook)
        if self.__dict__.get(kind) is None:
            self.__dict__[kind] = OrderedDict()
        handle = HookHandle.add(self.__dict__[kind], hook, prepend, self._cell_choose_path)
        if with_kwargs:
            self.__dict__["_cell_with_kwargs"] = self._cell_with_kwargs | {handle.id}
        if always_call:
            self.__dict__["_cell_always_called"] = self._cell_always_called | {handle.id}
        self._cell_choose_path()
        return handle

    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False):
        """Calls `hook_fn(cell, args)` before every `construct`.

        Args:
            hook_fn (callable): may return new inputs: a tuple, or one value. With `with_kwargs` it
                is called as `hook_fn(cell, args, kwargs)` and returns None or `(args, kwargs)`.
            prepend (bool): whether to call it before the existing hooks.
            with_kwargs (bool): whether to pass the keyword arguments.

        Returns:
            HookHandle, whose `remove()` removes the hook.

        Raises:
            TypeError: if `hook_fn` is not callable.
        """
        return self._cell_add_hook("_forward_pre_hook", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False
    ):
        """Calls `hook_fn(cell, args, output)` after every `construct`.

        Args:
            hook_fn (callable): may return a new output. With `with_kwargs` it is called as
                `hook_fn(cell, args, kwargs, output)`.
            prepend (bool): whether to call it before the existing hooks.
            with_kwargs (bool): whether to pass the keyword arguments.
            always_call (bool): whether to call it, with None for the output, when `construct`
                raises.

        Returns:
            HookHandle, whose `remove()` removes the hook.

        Raises:
            TypeError: if `hook_fn` is not callable.
        """
        return self._cell_add_hook("_forward_hook", hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn):
        """Calls `hook_fn(cell, grad_output)` with the gradients of the outputs before the backward
        pass.

        Args:
            hook_fn (callable): may return other gradients: a tuple, or one Tensor.

        Returns:
            HookHandle, whose `remove()` removes the hook.

        Raises:
            TypeError: if `hook_fn` is not callable.
        """
        return self._cell_add_hook("_backward_pre_hook", hook_fn)

    def register_backward_hook(self, hook_fn):
        """Calls `hook_fn(cell, grad_input, grad_output)` after the backward pass of the Cell.

        Args:
            hook_fn (callable): may return other gradients of the inputs: a tuple, or one Tensor.

        Returns:
            HookHandle, whose `remove()` removes the hook.

        Raises:
            TypeError: if `hook_fn` is not callable, or returns the wrong number of gradients.
        """
        return self._cell_add_hook("_backward_hook", hook_fn)

    # Calling them ---------------------------------------------------------------------------------

    def _cell_has_hooks(self):
        """Returns whether a call runs a function before or after `construct`."""
        return (
            self._forward_pre_hook
            or self._forward_hook
            or self._backward_pre_hook
            or self._backward_hook
        )

    def _run_construct(self, *args, **kwargs):
        """Runs `construct` in the float type of this Cell, with the hooks before and after it, and
        returns the output. A subclass may override it; a Cell without hooks and without
        recomputation does not call it.
        """
        output, called = None, set()

        def run(*args, **kwargs):
            nonlocal output
            output = self._cell_run(*args, **kwargs)
            if self._forward_hook:
                output = self._run_forward_hook(args, kwargs, output, called)
            return output

        try:
            if self._forward_pre_hook:
                args, kwargs = self._run_forward_pre_hook(args, kwargs)
            if self._backward_hook or self._backward_pre_hook:
                return self._cell_run_watched(run, args, kwargs)
            return run(*args, **kwargs)
        except Exception:
            self._cell_hooks_after_error(args, kwargs, output, called)
            raise

    def _run_forward_pre_hook(self, args, kwargs):
        """Calls the hooks before `construct`, and returns the arguments as the hooks leave them. A
        subclass may override it.
        """
        for key, hook in list(self._forward_pre_hook.items()):
            if key in self._cell_with_kwargs:
                result = hook(self, args, kwargs)
                if result is not None:
                    if not isinstance(result, tuple) or len(result) != 2:
                        raise RuntimeError(
                            f"A forward pre-hook with 'with_kwargs' must return "
                            f"None or (args, kwargs), but got {result!r}."
                        )
                    args, kwargs = result
            else:
                result = hook(self, args)
                if result is not None:
                    args = result if isinstance(result, tuple) else (result,)
        return args, kwargs

    def _run_forward_hook(self, args, kwargs, output, called_always_called_hook_set):
        """Calls the hooks after `construct`, and returns the output as the hooks leave it. A
        subclass may override it.

        Args:
            called_always_called_hook_set (set): receives the ids of the hooks with `always_call`
                that have run.
        """
        for key, hook in list(self._forward_hook.items()):
            if key in self._cell_always_called:
                called_always_called_hook_set.add(key)
            result = self._cell_call_forward_hook(key, hook, args, kwargs, output)
            output = output if result is None else result
        return output

    def _cell_call_forward_hook(self, key, hook, args, kwargs, output):
        if key in self._cell_with_kwargs:
            return hook(self, args, kwargs, output)
        return hook(self, args, output)

    def _cell_hooks_after_error(self, args, kwargs, output, called):
        """Calls the hooks with `always_call` that have not run, after an exception; exceptions of
        these hooks become warnings."""
        for key, hook in list((self._forward_hook or {}).items()):
            if key not in self._cell_always_called or key in called:
                continue
            try:
                self._cell_call_forward_hook(key, hook, args, kwargs, output)
            except Exception as error:  # the exception under way must not be replaced
                warnings.warn(
                    f"The forward hook {hook!r} raised {error!r} while another exception "
                    "was handled.",
                    stacklevel=2,
                )

    def _cell_run_watched(self, function, args, kwargs):
        """Runs `function` between the two tape nodes that give the gradients to the backward
        hooks."""
        arrived = []
        inputs = tuple(a for a in args if isinstance(a, Tensor))
        live = [t._node is not None for t in inputs]
        if self._backward_hook and any(live):
            args = self._cell_watch_inputs(args, inputs, live, arrived)
        output = function(*args, **kwargs)
        is_sequence = isinstance(output, (tuple, list))
        outputs = tuple(output) if is_sequence else (output,)
        if not all(isinstance(o, Tensor) for o in outputs):
            return output
        outputs = self._cell_watch_outputs(outputs, arrived, None if any(live) else len(args))
        return type(output)(outputs) if is_sequence else outputs[0]

    def _cell_watch_inputs(self, args, inputs, live, arrived):
        def pull(given, out, grad_outputs):
            grad_outputs = grad_outputs if isinstance(grad_outputs, tuple) else (grad_outputs,)
            grads = tuple(s if is_live else None for s, is_live in zip(grad_outputs, live))
            return self._cell_call_backward_hooks(grads, arrived.pop() if arrived else (None,))

        watched_inputs = custom_gradient(_identity, pull, inputs)
        watched_inputs = iter(
            watched_inputs if isinstance(watched_inputs, tuple) else (watched_inputs,)
        )
        return tuple(next(watched_inputs) if isinstance(a, Tensor) else a for a in args)

    def _cell_watch_outputs(self, outputs, arrived, count):
        """Records the gradients of the outputs; calls the hooks here if no input has a gradient."""

        def pull(given, out, grad_outputs):
            grad_outputs = grad_outputs if isinstance(grad_outputs, tuple) else (grad_outputs,)
            for hook in list((self._backward_pre_hook or {}).values()):
                result = hook(self, grad_outputs)
                grad_outputs = (
                    grad_outputs
                    if result is None
                    else _as_tuple(result, len(grad_outputs), "output")
                )
            if self._backward_hook:
                if count is None:
                    arrived.append(grad_outputs)
                else:
                    self._cell_call_backward_hooks((None,) * count, grad_outputs)
            return grad_outputs

        watched_outputs = custom_gradient(_identity, pull, outputs)
        return watched_outputs if isinstance(watched_outputs, tuple) else (watched_outputs,)

    def _cell_call_backward_hooks(self, grads, arrived):
        for hook in list((self._backward_hook or {}).values()):
            result = hook(self, grads, arrived)
            grads = grads if result is None else _as_tuple(result, len(grads), "input")
        return grads


def _identity(*tensors):
    return tensors if len(tensors) != 1 else tensors[0]


def _as_tuple(gradients, count, noun):
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    if len(gradients) != count:
        raise TypeError(
            f"A backward hook must return {count} gradients of the {noun}s, but got "
            f"{len(gradients)}."
        )
    return gradients
