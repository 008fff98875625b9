"""How many devices of a kind compute here."""

from .. import hal


def counted(target):
    """The number of devices; for none a RuntimeError, where `hal.device_count` has a ValueError."""
    if not hal.is_available(target):
        raise RuntimeError(
            f"For 'device_count', there must be a device of target {target}, but none computes "
            "here."
        )
    return hal.device_count(target)
