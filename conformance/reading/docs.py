"""Parses an API page or docstring into a `Page`: signature, parameters, Raises sentences,
platforms, examples.

`read(source)` takes a wheel folder, a tree of `.rst` pages, or saved text pages, and yields pages.
`phrases.py` parses the sentences.
"""

import re
from pathlib import Path

from ..errors import BadInput, text_of
from . import signatures
from .model import Entry, Example, Page, Sentence
from .sections import heading, lines_of, split, unglue
from .wheel import Wheel

_ITEM = re.compile(
    r"^(?:[-*•。,.]\s*)*"  # bullets, or remnants of a lost line break
    r"(?P<name>\*{0,4}`{0,2}\*{0,2}[A-Za-z_]\w*`{0,2}\*{0,4}(?:\s*[,/、]\s*\*{0,2}\w+\*{0,2})*)\s*"
    r"(?:[((](?P<type>.*?)[))])?\s*"
    r"(?P<sep>:(?!\w*:`)|:| - | – | — |-\s|–\s)\s*(?P<text>.*)$"
)
_BARE_ITEM = re.compile(
    r"^(?:[-*•]\s+)(?P<name>\*\*\w+\*\*)\s*[((](?P<type>.*)[))]\s*(?P<sep>)(?P<text>.*)$"
)
_RAISE = re.compile(
    r"^(?:[-*•]\s+)?(?:\*\*)?(?P<error>[A-Z]\w*(?:Error|Exception|Warning)|Exception)(?:\*\*)?"
    r"\s*(?::|:|-|–|—)\s*(?P<text>.*)$"
)
_PAGE = re.compile(
    r"^(?:\.\. py:(?P<role>class|function|method|property|attribute)::\s*|[-•]?\s*(?P<word>class "
    r"|property )?)"
    r"(?P<name>mindspore\.[\w.]+)\s*\((?P<args>.*)\)\s*(?:\[.*\])?$"
)
_METHOD = re.compile(
    r"^\.\. py:(?P<role>method|property|attribute)::\s*(?P<name>[\w.]+)(?:\((?P<args>.*)\))?"
)
_PLATFORM = re.compile(r"Ascend|GPU|CPU")
_REFER = re.compile(
    r"(?:[Rr]efer to|for more details|参考|详情请|更多详情).*?:(?:func|class"
    r"|meth):`~?\.?(?:mindspore\.)?([\w.]+)`",
    re.S,
)
_REFER_BACK = re.compile(
    r":(?:func|class|meth):`~?\.?(?:mindspore\.)?([\w.]+)`[^.]*for (?:more )?details", re.S
)
_DEFAULT = re.compile(
    r"(?:Default(?:\s+value)?(?:\s+is)?\s*:?|默认值?\s*[为是]?\s*[::]?|缺省值\s*[::]?)"
    r"\s*(?:``|`|\")?\s*([^`。;;\s][^`。;;]*?)\s*(?:``|`|[.。]\s|[.。]$|•|;|$)"
)


def read(source):
    """Yield a Page for every public name of a source; BadInput names the file and the location."""
    path = Path(source).expanduser()
    if not path.exists():
        raise BadInput(path, "no such file or folder")
    if path.is_dir() and not ((path / "__init__.py").exists() or (path / "mindspore").is_dir()):
        paths = sorted(path.rglob("*.rst")) + sorted(path.rglob("*.txt"))
        if not paths:
            raise BadInput(path, "neither a mindspore package nor a tree of .rst or .txt pages")
        for page in paths:
            yield from read_text(page, strict=len(paths) == 1)
    elif path.is_dir():
        yield from read_wheel(Wheel(path))
    elif path.suffix == ".whl":
        yield from read_packed(path)
    else:
        yield from read_text(path)


def read_packed(path):
    """Yield the pages of a .whl file, unpacked into a temporary folder of its own."""
    import tempfile

    from .wheel import unpack

    with tempfile.TemporaryDirectory() as folder:
        unpack(path, folder)
        yield from read_wheel(Wheel(Path(folder) / "mindspore"))


def read_wheel(wheel):
    """Yield a Page for every public name of a wheel."""
    for public in wheel.public():
        page = Page(
            public.name,
            _kind(public),
            str(public.path),
            public.line,
            same_as=public.same_as,
            release=wheel.release,
        )
        signatures.from_source(page, public, wheel)
        if public.doc:
            fill(page, lines_of(public.doc, public.line), styled=True)
        yield page


def _kind(public):
    if public.owner is not None:
        return "property" if _is_property(public.definition.node) else "method"
    return public.definition.kind


def _is_property(node):
    return any(
        getattr(d, "id", getattr(d, "attr", "")) in ("property", "cached_property")
        for d in getattr(node, "decorator_list", ())
    )


def read_text(path, strict=True):
    """Yield the pages of one saved page: a .rst source, or text as a browser shows it."""
    text = text_of(path)
    starts, lines = _starts(lines_of(text))
    if not starts:
        if strict:
            raise BadInput(path, "no API page: no line shows a signature of a mindspore name", 1)
        return
    for (first, page), (last, _) in zip(starts, starts[1:] + [(len(lines), None)], strict=False):
        page.source = str(path)
        release = re.search(r"\b(?:blob/r|^r)(\d+\.\d+(?:\.\w+)?)\b", text, re.M)
        page.release = release[1] if release else None
        fill(page, lines[first + 1 : last], styled=False)
        yield page


def _starts(lines):
    """Returns the starts of the pages in a file: (index, Page with its signature)."""
    starts = []
    for index, line in enumerate(lines):
        match = _PAGE.match(line.text)
        if match:
            name = match["name"].removeprefix("mindspore.")
            if starts and starts[-1][1].name == name:
                continue
            kind = match["role"] or ("class" if match["word"] else "function")
            page = Page(name, kind, "", line.number)
            page.signature = signatures.from_text(match["args"])
            starts.append((index, page))
            continue
        match = _METHOD.match(line.text)
        if match and starts:
            owner = starts[0][1].name
            page = Page(f"{owner}.{match['name'].split('.')[-1]}", match["role"], "", line.number)
            page.signature = signatures.from_text(match["args"] or "")
            starts.append((index, page))
    return starts, lines


def fill(page, lines, styled):
    """Read the sections of a page into it."""
    sections = split(lines, styled)
    page.parameters = _entries(sections.get("args", ())) + _entries(sections.get("keywords", ()))
    page.inputs = _entries(sections.get("inputs", ()))
    page.outputs = _prose(sections.get("outputs") or sections.get("returns") or ())
    page.raises = list(_raises(sections.get("raises", ())))
    page.platforms = _platforms(sections.get("platforms", ()))
    page.examples = _examples(lines if not sections.get("examples") else sections["examples"])
    head = " ".join(line.text for line in sections["head"])
    match = _REFER.search(head) or _REFER_BACK.search(head)
    page.refers = match[1] if match else None
    page.deprecated = bool(
        re.search(r"\bis deprecated|\.\. deprecated|已弃用|将废弃", head)
        or any("Deprecated" in line.text for line in sections.get("platforms", ()))
    )
    return page


def _prose(lines):
    return " ".join(line.text for line in lines if line.text).strip()


def _platforms(lines):
    platforms = []
    for line in lines:
        if heading(line) or line.text.startswith(">>>"):
            break
        platforms += _PLATFORM.findall(line.text)
    return list(dict.fromkeys(platforms))


def _entries(lines):
    """Returns the items of an Args or Inputs section."""
    entries, depth = [], None
    lines = list(_rejoin(lines))
    for line in lines:
        if not line.text:
            continue
        match = _ITEM.match(line.text) or _BARE_ITEM.match(line.text)
        if depth is None and match:
            depth = line.indent
        if match and line.indent <= depth and (match["type"] or line.text[0] not in "-•"):
            for name in re.findall(r"[A-Za-z_]\w*", match["name"]):
                entries.append(_entry(name, match))
        if entries:
            entries[-1].lines.append(line.text)
    for entry in entries:
        _finish(entry)
    return entries


def _rejoin(lines):
    """Undo what browsers do to literals: a value on a separate line, the next item after its full
    stop.
    """
    for line in lines:
        if line.text.startswith("。") and _ITEM.match(line.text):
            line.text = line.text.lstrip("。")
        yield line


def _entry(name, match):
    kind = (match["type"] or "").strip()
    optional = bool(re.search(r",?\s*(optional|可选)", kind))
    kind = re.sub(r",?\s*(optional|可选).*$", "", kind)
    return Entry(name, types=signatures.types_of(kind), optional=optional)


def _finish(entry):
    text = " ".join(entry.lines)
    defaults = _DEFAULT.findall(text)
    if defaults:
        entry.default = defaults[-1].strip().rstrip(".,")


def _raises(lines):
    """Returns the sentences of a Raises section, with continuation lines joined."""
    current, depth = None, 0
    for line in lines:
        if not line.text or heading(line):
            continue
        match = _RAISE.match(line.text)
        if match:
            if current:
                yield current
            current, depth = (
                Sentence(match["error"], match["text"].strip(), line.number),
                line.indent,
            )
        elif current:
            if current.text and line.text[:2] in ("- ", "* ") and line.indent <= depth:
                yield current
                current = None
            else:
                current.text = f"{current.text} {line.text}".strip()
    if current:
        yield current


def _examples(lines):
    """Returns the `>>>` blocks of a section as one Example: statements with their printed
    output."""
    steps, source, output, start = [], [], [], 0
    base = None

    def close():
        if source:
            text = "\n".join(source)
            if text.strip():
                steps.append((text, _dedent(output), start))
        source.clear()
        output.clear()

    open_block = False
    for line in unglue(lines):
        text = line.text
        if text == ">>>" or text.startswith(">>> "):
            close()
            start, base, open_block = line.number, line.indent, True
            source.append(text[4:])
        elif open_block and source and not output and (text == "..." or text.startswith("... ")):
            source.append(text[4:])
        elif open_block and source:
            if not text or (line.indent < base and not output):
                open_block = bool(text) and False
                continue
            output.append((line.indent, text))
    close()
    return [Example(steps)] if steps else []


def _dedent(output):
    if not output:
        return ""
    low = min(indent for indent, _ in output)
    return "\n".join(" " * (indent - low) + text for indent, text in output)
