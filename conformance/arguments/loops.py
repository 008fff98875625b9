"""Functions for argument texts that simulate a training loop for a callback and capture its output.

Their names are `sample.played(callback, values)`, `sample.printed(action)` and `sample.spy()`.
"""

import contextlib
import io
import re
import signal

_TIME = re.compile(r"\d+\.\d+(?= (?:ms|seconds))|\d{4}-\d\d-\d\d[ -]\d\d:\d\d:\d\d\S*")
_NUMBER = re.compile(r"\d+\.\d+")


class Note(dict):
    """The values that a training loop passes to its callbacks."""

    __getattr__ = dict.get


class Loops:
    """The functions for one target; `net` returns the network that is trained."""

    def __init__(self, ms, net):
        self.ms, self.net = ms, net

    def played(self, callback, values, monitor="eval_loss", **attributes):
        """Tells a callback about one epoch for each value of the monitored quantity. Returns the
        optimizer's learning rate, the weight, and whether a stop is requested, for each epoch.
        """
        net = self.net()
        optimizer = self.ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
        note = Note(network=net, train_network=net, optimizer=optimizer, **attributes)
        context = self.ms.train.RunContext(note)
        callback.on_train_begin(context)
        seen = []
        for epoch, value in enumerate(values, 1):
            note.update(cur_epoch_num=epoch, cur_step_num=3 * epoch, batch_num=3, epoch_num=9)
            note["eval_results"] = {monitor: value}
            note["net_outputs"] = self.ms.Tensor(value, self.ms.float32)
            net.weight.set_data(self.ms.ops.full_like(net.weight, float(epoch)))
            callback.on_train_epoch_begin(context)
            callback.on_train_epoch_end(context)
            rate = float(optimizer.learning_rate.asnumpy())
            weight = float(net.weight.asnumpy()[0, 0])
            seen.append((rate, weight, context.get_stop_requested()))
            if context.get_stop_requested():
                break
        callback.on_train_end(context)
        return [*seen, float(net.weight.asnumpy()[0, 0])]

    def spy(self, held):
        """Returns a layer that notes the dtype of each input in a list."""

        class Spy(self.ms.nn.Cell):
            """Passes its input on."""

            def construct(self, x):
                held.append(str(x.dtype))
                return x

        return Spy()

    @staticmethod
    def printed(action):
        """Returns the lines that an action prints, without its times and with rounded numbers."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            action()
        lines = (_TIME.sub("#", line.strip()) for line in text.getvalue().splitlines())
        return [_NUMBER.sub(lambda n: f"{float(n[0]):.3g}", line) for line in lines]

    @staticmethod
    def signalled(number=signal.SIGTERM):
        """Sends a signal to this process."""
        signal.raise_signal(number)
