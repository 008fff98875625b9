"""`mindspore.log`: the logger of the package and of scripts that use it.

Environment variables, read at the first message or query:

- `GLOG_v`: lowest level that is written: 0 debug, 1 info, 2 warning (default), 3 error, 4 critical.
- `GLOG_logtostderr`: 1 writes to stderr (default); 0 writes to files below `GLOG_log_dir`.
- `GLOG_log_dir`: that folder; the file is `rank_<RANK_ID>/logs/mindspore.log.<process>` in it.
- `GLOG_stderrthreshold`: with files, messages of this level and above go to stderr too (2).
- `logger_maxBytes`, `logger_backupCount`: the size at which a file is rotated, and the number of
  retained files (50 MiB, 30).

Depends on nothing in the package except the location of its folder.
"""

import logging
import os
import re
import sys
import time
from functools import cache, wraps
from logging.handlers import RotatingFileHandler

__all__ = ["get_level", "get_log_config"]

LEVELS = {
    "0": logging.DEBUG,
    "1": logging.INFO,
    "2": logging.WARNING,
    "3": logging.ERROR,
    "4": logging.CRITICAL,
}
PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__))


def debug(msg, *args, **kwargs):
    """Writes a message of level DEBUG; `args` are merged into `msg` with `%`."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    the_logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """Writes a message of level INFO; `args` are merged into `msg` with `%`."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    the_logger().info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """Writes a message of level WARNING; `args` are merged into `msg` with `%`."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    the_logger().warning(msg, *args, **kwargs)


def error(msg, *args, **kwargs):
    """Writes a message of level ERROR; `args` are merged into `msg` with `%`."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    the_logger().error(msg, *args, **kwargs)


def critical(msg, *args, **kwargs):
    """Writes a message of level CRITICAL; `args` are merged into `msg` with `%`."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    the_logger().critical(msg, *args, **kwargs)


def get_level():
    """Returns the lowest level that is written.

    Returns:
        str, `'0'` (DEBUG), `'1'` (INFO), `'2'` (WARNING), `'3'` (ERROR) or `'4'` (CRITICAL).

    Example:
        >>> from mindspore_compat import log
        >>> log.get_level() in ("0", "1", "2", "3", "4")
        True

    Source: mindspore.log.get_level of MindSpore 2.10.
    """
    return settings()["GLOG_v"]


def get_log_config():
    """Returns the settings of the log as a dict; its keys are the names of environment variables.

    Returns:
        dict, `GLOG_v` and `GLOG_logtostderr`; with log files also `GLOG_log_dir`,
        `logger_maxBytes`, `logger_backupCount` and `GLOG_stderrthreshold`.

    Example:
        >>> from mindspore_compat import log
        >>> sorted(log.get_log_config())[:2]
        ['GLOG_logtostderr', 'GLOG_v']

    Source: mindspore.log.get_log_config of MindSpore 2.10.
    """
    return dict(settings())


def parse_vlog_level(s):
    """Parses the range of verbose levels of a setting such as `VLOG_v`.

    Args:
        s (str): one level, "3", or a range, "(1,3)", either end of which may be omitted.

    Returns:
        tuple, (True, (first, last)); (False, ()) for anything else.
    """
    match = re.fullmatch(r"\s*(-?\d+)\s*", s or "")
    if match:
        return True, (int(match[1]), int(match[1]))
    pair = re.fullmatch(r"\s*\(\s*(-?\d*)\s*,\s*(-?\d*)\s*\)\s*", s or "")
    if not pair or pair[1] == pair[2] == "":
        return False, ()
    return True, (int(pair[1] or 1), int(pair[2]) if pair[2] else float("inf"))


def print_escaped(*values, end="\n", flush=False):
    """Prints values; characters that `sys.stdout` cannot encode are escaped, as in `\\xe9`.

    Args:
        *values: what is printed, with spaces between the values.
        end (str): what follows the values.
        flush (bool): whether the stream is flushed.
    """
    text = " ".join(map(str, values))
    try:
        print(text, end=end, flush=flush)
    except UnicodeEncodeError as error:  # raised before anything is written
        escaped = text.encode(error.encoding, "backslashreplace").decode(error.encoding)
        print(escaped, end=end, flush=flush)


def vlog_print(level, module, file, line, message):
    """Prints a message of a verbose level that the environment variable `VLOG_v` includes.

    Args:
        level (Union[int, str]): the level of the message.
        module (str): the part of the program that logs.
        file (str): the source file.
        line (int): the line in that file.
        message (str): the message.
    """
    is_set, levels = parse_vlog_level(os.environ.get("VLOG_v"))
    if is_set and levels[0] <= int(level) <= levels[1]:
        where = f"{module}({os.getpid()}): [{file}:{line}]"
        print_escaped(f"[V{level}] {where} {message}", flush=True)


class _LogActionOnce:
    """Decorates a function so that only its first call logs warnings.

    Args:
        logger (object): the logger; its `warning` is silenced during later calls.
        key (str): functions of one key are silent after the first call of any of them.
        no_warning (bool): True where the first call is silent too. Default: False.

    Example:
        >>> import mindspore_compat.log as logger
        >>> @logger._LogActionOnce(logger=logger, key="half")
        ... def half(x):
        ...     logger.warning("this rounds")
        ...     return x // 2
        >>> half(4), half(6)
        (2, 3)
    """

    is_logged = {}

    def __init__(self, logger, key, no_warning=False):
        self.logger = logger
        self.key = key
        self.no_warning = no_warning

    def __call__(self, function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            if not self.no_warning and self.key not in self.is_logged:
                self.is_logged[self.key] = True
                return function(*args, **kwargs)
            spoken = self.logger.warning
            self.logger.warning = lambda *args, **kwargs: None
            try:
                return function(*args, **kwargs)
            finally:
                self.logger.warning = spoken

        return wrapper


@cache
def settings():
    """Returns the environment's settings, checked; they are read once per process.

    Raises:
        ValueError: If a level is not one of 0 to 4, or a variable does not hold what it should.
    """
    values = {
        "GLOG_v": level_from("GLOG_v"),
        "GLOG_logtostderr": os.environ.get("GLOG_logtostderr", "1"),
    }
    if values["GLOG_logtostderr"] not in ("0", "1"):
        raise ValueError(
            "The environment variable 'GLOG_logtostderr' must be 0 or 1, but got "
            f"{values['GLOG_logtostderr']}."
        )
    if values["GLOG_logtostderr"] == "1":
        return values
    folder = os.environ.get("GLOG_log_dir")
    if not folder:
        raise ValueError(
            "The environment variable 'GLOG_log_dir' must name a folder when "
            "'GLOG_logtostderr' is 0."
        )
    rank = os.environ.get("RANK_ID", "0")
    values["GLOG_log_dir"] = os.path.join(os.path.realpath(folder), f"rank_{rank}", "logs")
    values["logger_maxBytes"] = count_from("logger_maxBytes", 50 * 1024 * 1024)
    values["logger_backupCount"] = count_from("logger_backupCount", 30)
    values["GLOG_stderrthreshold"] = level_from("GLOG_stderrthreshold")
    return values


def level_from(variable):
    """Returns one of the five levels, read from the environment."""
    level = os.environ.get(variable, "2")
    if level not in LEVELS:
        raise ValueError(
            f"The environment variable '{variable}' must be 0 (DEBUG), 1 (INFO), "
            f"2 (WARNING), 3 (ERROR) or 4 (CRITICAL), but got {level}."
        )
    return level


def count_from(variable, default):
    """Returns a number of bytes or files, read from the environment."""
    text = os.environ.get(variable, str(default))
    if not text.isdigit():
        raise ValueError(
            f"The environment variable '{variable}' must be a number that is not "
            f"negative, but got {text}."
        )
    return int(text)


class Layout(logging.Formatter):
    """Formats messages as [LEVEL] ME(process:thread,process name):date and time [file:line]
    message."""

    def __init__(self):
        super().__init__(
            "[%(levelname)s] ME(%(process)d:%(thread)d,%(processName)s):%(asctime)s "
            "[%(location)s:%(lineno)d] %(message)s"
        )

    def format(self, record):
        """Shortens the path of a file of the package to start at the package's folder."""
        location = record.pathname
        if location.startswith(PACKAGE_FOLDER + os.sep):
            location = os.path.relpath(location, os.path.dirname(PACKAGE_FOLDER))
        record.location = location
        return super().format(record)

    def formatTime(self, record, datefmt=None):
        """Returns the date and time with milliseconds, and three zeros for microseconds."""
        day = time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime(record.created))
        return f"{day}.{int(record.msecs):03d}.000"


class CurrentStderr(logging.StreamHandler):
    """Writes to the current `sys.stderr` at the time of the message."""

    def __init__(self):
        logging.Handler.__init__(self)

    @property
    def stream(self):
        """The stream to write to."""
        return sys.stderr


@cache
def the_logger():
    """Returns the logger behind the functions above, with its handlers."""
    options = settings()
    logger = logging.getLogger("ME")
    logger.propagate = False
    logger.setLevel(LEVELS[options["GLOG_v"]])
    to_stderr = CurrentStderr()
    to_stderr.setFormatter(Layout())
    logger.addHandler(to_stderr)
    if options["GLOG_logtostderr"] == "0":
        to_stderr.setLevel(LEVELS[options["GLOG_stderrthreshold"]])
        logger.addHandler(file_handler(options))
    return logger


_get_logger = the_logger  # the name that projects import


def file_handler(options):
    """Returns the handler that writes and rotates the file of this process, readable by its owner
    only."""
    os.makedirs(options["GLOG_log_dir"], mode=0o700, exist_ok=True)
    name = os.path.join(options["GLOG_log_dir"], f"mindspore.log.{os.getpid()}")
    handler = RotatingFileHandler(
        name,
        maxBytes=options["logger_maxBytes"],
        backupCount=options["logger_backupCount"],
        encoding="utf-8",
    )
    os.chmod(name, 0o600)
    handler.setFormatter(Layout())
    return handler
