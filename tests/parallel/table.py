"""The table of sharded networks: every way to shard each network over 2, 4 and 8 ranks."""

from typing import NamedTuple

NETWORKS = "MLP", "LeNet", "ResNet", "Bert", "GPT"  # classes of networks.py
LEVELS = None, "level1", "level2", "level3"
SCHEDULES = "1f1b", "gpipe"
DATA = "data_parallel", "full_batch"


class Division(NamedTuple):
    """How a network is divided.

    Attributes:
        stages (int): the number of pipeline stages.
        dp (int): the number of shares of the data, within a stage.
        mp (int): the number of parts of each layer, within a stage.
        level (str): the level of the parallel optimizer; "states" for the mode "data_parallel" with
            divided states, None for none.
        schedule (str): the schedule of the stages; None for one stage.
        data (str): "full_batch" if all ranks get the whole batch, "data_parallel" if each gets its
            share.
    """

    stages: int
    dp: int
    mp: int
    level: str = None
    schedule: str = None
    data: str = "data_parallel"

    @property
    def ranks(self):
        return self.stages * self.dp * self.mp

    @property
    def parts(self):
        """The number of parts in which the ranks of a stage hold a weight that all can divide."""
        is_shared = self.level in LEVELS[1:]
        return self.ranks // self.stages if is_shared else self.mp

    def __str__(self):
        names = f"{self.stages} x {self.dp} x {self.mp}", self.level, self.schedule, self.data
        return " ".join(filter(None, names))


def divisions(ranks, network):
    """Returns all divisions of a network over a number of ranks; for 8 ranks only a selection."""
    if ranks == 8:
        return [
            Division(1, 4, 2, "level3", data="full_batch"),
            Division(2, 2, 2, "level1", "1f1b", "full_batch"),
            Division(4, 2, 1, None, "gpipe"),
        ]
    counts = [count for count in (1, 2, 4) if ranks % count == 0]
    several = [
        Division(stages, dp, mp, level, schedule, data)
        for stages in counts
        for dp in counts
        for mp in counts
        if stages * dp * mp == ranks
        for schedule in (SCHEDULES if stages > 1 else (None,))
        for level in (LEVELS if dp * mp > 1 else (None,))
        for data in DATA
        # Divided layers need the whole batch. Without them, ranks with the whole batch would be
        # copies.
        if data == "full_batch" or mp == 1
        if data == "data_parallel" or mp > 1 or (dp > 1 and level)
    ]
    # The mode "data_parallel" normalizes each share by itself.
    return several + ([Division(1, ranks, 1, "states")] if network != "ResNet" else [])
