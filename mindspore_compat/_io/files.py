"""Files as a whole: one that replaces another only when it is complete; one mapped into memory."""

import contextlib
import mmap
import os
import threading


@contextlib.contextmanager
def replacing(path):
    """A path to write to, whose file takes the place of `path` when the block ends well.

    A reader never meets half a file, and a failure leaves the old one. The new file is readable by
    its owner only, and not writable, as the original leaves its checkpoints.
    """
    part = f"{path}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        yield part
        os.chmod(part, 0o400)
        if os.name == "nt" and os.path.exists(path):
            os.chmod(path, 0o600)  # Windows replaces no file that is read-only
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(part)
        raise


def mapped(path):
    """The bytes of a file, mapped into memory; unmapped when nothing refers to them any more."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
