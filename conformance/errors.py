"""The two ways in which a run can end early. Nothing else lives here."""


class BadInput(Exception):
    """Input that cannot be used: one line naming the file, the place in it, and what is wrong
    there.

    The command line prints it and ends with exit status 2.
    """

    def __init__(self, source, what, place=None):
        self.source, self.what, self.place = str(source), what, place
        super().__init__(f"{source}{'' if place is None else f':{place}'}: {what}")


class TargetBroken(BadInput):
    """The implementation under test cannot be imported at all."""
