"""The number of devices of a kind."""

from .. import hal


def counted(target):
    """Counts devices; for none, raises a RuntimeError instead of the ValueError of
    `hal.device_count`.
    """
    if not hal.is_available(target):
        raise RuntimeError(
            f"For 'device_count', there must be a device of target {target}, but none computes "
            "here."
        )
    return hal.device_count(target)
