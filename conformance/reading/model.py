"""Records shared by the reader, the spec files and the cases: facts, without behaviour except their
text forms.
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
    default: str = None  # Python source of the default; None without a default

    def __str__(self):
        stars = {"args": "*", "kwargs": "**"}.get(self.kind, "")
        return stars + self.name + ("" if self.default is None else f"={self.default}")


@dataclass
class Entry:
    """The page's statement about one parameter, input or output."""

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
    """One `>>>` block: statements, and the printed output after each."""

    steps: list  # [(source, expected output or "", line)]

    @property
    def source(self):
        return "\n".join(step[0] for step in self.steps)


@dataclass
class Page:
    """Everything that one page or docstring states about one public name."""

    name: str
    kind: str  # class | function | method | value
    source: str
    line: int
    signature: list = None  # [Argument]; None if the page shows no signature
    call: list = None  # signature of calling the constructed object, for primitives and layers
    overloads: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: str = ""
    raises: list = field(default_factory=list)
    platforms: list = field(default_factory=list)
    examples: list = field(default_factory=list)
    deprecated: bool = False
    refers: str = None  # the page to which this one refers
    bases: list = field(default_factory=list)
    same_as: str = None
    release: str = None
