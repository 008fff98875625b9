"""One row of the table."""

from typing import NamedTuple

NOTES = "https://gitee.com/mindspore/mindspore/blob/master/RELEASE.md"
PAGES = "https://www.mindspore.cn/docs/en"


class Change(NamedTuple):
    """One change.

    Args:
        release: the first release with today's meaning.
        name: the public name.
        before: the earlier meaning, as a sentence.
        now: today's meaning, as a sentence.
        where: module and attribute, or several, that are replaced.
        old: file and function of this package that give the earlier meaning.
        example: an expression; the tests define `x`, `pairs` and others.
        was: its printed result before, or the name of its error.
        gives: its printed result now, or the name of its error.
        source: the page that describes the change.
    """

    release: str
    name: str
    before: str
    now: str
    where: str
    old: str
    example: str
    was: str
    gives: str
    source: str = NOTES

    @property
    def removes(self):
        """Whether the release removed the name."""
        return self.gives == "AttributeError"
