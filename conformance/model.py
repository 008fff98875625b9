"""The records shared by the reader, the spec files and the cases: facts, and no behaviour beyond
their text forms.
"""

from dataclasses import dataclass, field


@dataclass
class Line:
    """One line of a documentation page, with the line number in its file."""

    number: int
    indent: int
    text: str


@dataclass
class Argument:
    """One parameter of a signature. `kind` is one of `positional`, `keyword`, `args`, `kwargs`."""

    name: str
    kind: str = "positional"
    default: str = None  # Python source of the default, None where there is none

    def __str__(self):
        stars = {"args": "*", "kwargs": "**"}.get(self.kind, "")
        return stars + self.name + ("" if self.default is None else f"={self.default}")


@dataclass
class Entry:
    """What a page says of one parameter, input or output."""

    name: str
    types: list = field(default_factory=list)
    optional: bool = False
    default: str = None
    lines: list = field(default_factory=list, repr=False)


@dataclass
class Sentence:
    """One line of a Raises section."""

    error: str
    text: str
    line: int


@dataclass
class Example:
    """One `>>>` block: statements, and the printed output that follows each."""

    steps: list  # [(source, expected output or "", line)]

    @property
    def source(self):
        return "\n".join(step[0] for step in self.steps)


@dataclass
class Page:
    """Everything that one page or docstring promises about one public name."""

    name: str
    kind: str  # class | function | method | value
    source: str
    line: int
    signature: list = None  # [Argument], None where the page shows none
    call: list = None  # signature of calling the made object, for primitives and layers
    overloads: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: str = ""
    raises: list = field(default_factory=list)
    platforms: list = field(default_factory=list)
    examples: list = field(default_factory=list)
    deprecated: bool = False
    refers: str = None  # the page to which this one sends its reader
    bases: list = field(default_factory=list)
    same_as: str = None
    language: str = "en"
    release: str = None
