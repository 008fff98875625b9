"""A Sphinx extension that writes the reference pages at build time from the package's declarations.

Each public module gets a page that lists its `__all__`, and each name a page with signature and
docstring; classes show their methods. Only the list of modules is written by hand. Docstrings are
plain text with code in backquotes. Characters that reStructuredText would interpret are escaped,
and a docstring that Sphinx cannot read fails the build (`-W`).
"""

import importlib
import inspect
import re
from pathlib import Path

import formulas
import links
import pictures
import topics
from groups import group_of
from sphinx.ext.napoleon import Config, GoogleDocstring

from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat._core.rules.vocabulary import rules_of

PACKAGE = "mindspore_compat"
MODULES = [
    "",
    "common.initializer",
    "nn",
    "nn.probability.distribution",
    "nn.probability.bijector",
    "nn.probability.bnn_layers",
    "ops",
    "mint",
    "mint.nn",
    "mint.nn.functional",
    "mint.optim",
    "mint.linalg",
    "mint.special",
    "mint.distributed",
    "numpy",
    "numpy.fft",
    "scipy.linalg",
    "scipy.optimize",
    "amp",
    "train",
    "dataset",
    "dataset.transforms",
    "dataset.vision",
    "dataset.text",
    "dataset.audio",
    "mindrecord",
    "communication",
    "communication.comm_func",
    "parallel",
    "profiler",
    "rewrite",
    "runtime",
    "hal",
    "experimental",
    "experimental.optim",
    "experimental.optim.lr_scheduler",
    "boost",
    "context",
    "log",
]
GROUPS = {}  # module's page -> group -> its names, each with its page
GROUP_OF = {}  # page of a name -> (module's page, group)
_files = {}  # public path -> its page
_pictures = {}  # public path -> (file, what it shows)
# The page of MindSpore, which is linked below the title.
SOURCE = re.compile(
    r"^Source: mindspore\.[\w.]+ of MindSpore 2\.10\.?\n?|^Source:\n +https://www\.mindspore\.cn/\S+\n?",
    re.MULTILINE,
)
PARAMETER = re.compile(r"^ +(?=\w+ \()(\w+)|(?<=\*\*)(\w+)(?=\*\*)", re.M)  # in Args or Inputs
SECTION = re.compile(
    r"^(Args|Inputs|Shapes|Returns|Raises|Examples?|Source|Note|See Also|Forms):", re.M
)


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("build-finished", links.copy_sources)
    return {"parallel_read_safe": True}


def write_pages(app):
    """Write `reference/<module>.rst` for each public module, `reference/<module>.<name>.rst` for
    each of its names, and the index of the modules."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    modules = {name: module for name in MODULES if (module := module_of(name)) is not None}
    rows = "\n".join(f"   {title_of(name)}" for name in modules)
    for name, module in modules.items():
        files = files_of(name, module)
        _files.update({f"{name}.{public}".lstrip("."): file for public, file in files.items()})
    _pictures.update(pictures.write_all(folder, write_if_changed))
    pages = {"index": f"API reference\n{'=' * 13}\n\n.. toctree::\n   :maxdepth: 1\n\n{rows}\n"}
    for name, module in modules.items():
        pages |= pages_of(name, module, app.env)
    for name, text in pages.items():
        write_if_changed(folder / f"{name}.rst", text)
    for stale in folder.glob("*.rst"):
        if stale.stem not in pages:
            stale.unlink()


def write_if_changed(path, text):
    """Write a file only if its text differs, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def module_of(name):
    """The public module of this name; None if there is none, or if it has no names."""
    path = f"{PACKAGE}.{name}".rstrip(".")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name and not f"{path}.".startswith(f"{missing.name}."):
            raise
        return None
    return module if names_of(module) else None


def title_of(name):
    """The title of a module's page, which is also its file name."""
    return f"mindspore.{name}".rstrip(".")


def pages_of(name, module, env):
    """The page of a module and the pages of its names: a dict from file name to text."""
    title, pages, rows, files = title_of(name), {}, {}, files_of(name, module)
    for public in names_of(module):
        thing = getattr(module, public)
        if inspect.ismodule(thing):
            path = f"{name}.{public}".lstrip(".")
            link = f":doc:`{public} <{title_of(path)}>`" if path in MODULES else f"`{public}`"
            rows.setdefault("Modules", []).append((link, "A module."))
            continue
        file = files[public]
        group_title = group_of(name, public, thing)
        listed = rows.setdefault(group_title, [])
        listed.append((f":doc:`{public} <{file}>`", summary_of(thing)))
        GROUPS.setdefault(title, {}).setdefault(group_title, []).append((public, file))
        GROUP_OF[file] = title, group_title
        pages[file] = "\n\n".join(
            [
                ":orphan:",
                heading(f"{title}.{public}"),
                links.line_of(title, name, public, thing),
                f".. py:currentmodule:: {title}",
                entry(name, module, public, env),
                *differences(f"{name}.{public}".lstrip(".")),
                "",
            ]
        )
    intro = body_of(inspect.getdoc(module) or "", env)
    groups = [group(each, rows[each]) for each in sorted(rows)]
    pages[title] = "\n\n".join([heading(title), topics.index_of(name, module), intro, *groups])
    return pages


def group(title, rows):
    """A part of the page of a module: names with their first sentences, under a title if any."""
    listed = "\n".join(f"{link}\n   {summary}\n" for link, summary in rows)
    return f"{title}\n{'-' * len(title)}\n\n{listed}" if title else listed


def files_of(name, module):
    """The page of each public name of a module, without modules."""
    files = {}
    for public in names_of(module):
        if not inspect.ismodule(getattr(module, public)):
            file = f"{title_of(name)}.{public}"
            while any(file.lower() == other.lower() for other in files.values()):
                file += "_"  # Abs and abs are one name on some file systems
            files[public] = file
    return files


def heading(title):
    """A title, underlined."""
    return f"{escaped_line(title)}\n{'=' * (len(title) + 1)}"


def summary_of(thing):
    """The first paragraph of a docstring, or the `repr` of a plain value."""
    if not callable(thing):
        return f"`{one_line(thing)}`"
    first = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
    return escaped_line(" ".join(first.split())) or "No description."


def names_of(module):
    """The public names of a module: its `__all__`, or else all names that are not modules."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name in dir(module)
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name, inspect))
    )


def differences(path):
    """The list of cases in which a name differs from MindSpore; nothing if there are none."""
    listed = [f"{what}\n   {why}" for what, why in links.differences_of(path)]
    return [".. rubric:: Differences from MindSpore", *listed] if listed else []


def picture(path):
    """The picture of a public name, if there is one."""
    if path not in _pictures:
        return []
    file, shows = _pictures[path]
    return [f".. figure:: {file}\n   :alt: {shows.replace('`', '')}\n\n   {shows}"]


def entry(area, module, name, env):
    """The directive that describes one public name."""
    path = f"{area}.{name}".lstrip(".")
    thing = getattr(module, name)
    if inspect.ismodule(thing):
        return f".. py:data:: {name}\n\n   The module `{name}`."
    if inspect.isclass(thing):
        kind, doc = "exception" if issubclass(thing, BaseException) else "class", thing.__doc__
    elif callable(thing):
        kind, doc = "function", thing.__doc__
    else:
        kind, doc = "data", f"`{one_line(thing)}`"
    names = parameters_of(area, name, thing) if callable(thing) else ()
    text = body_of(with_rules(thing, inspect.cleandoc(doc or "")), env, names)
    head = name if kind == "data" else name + signature_of(thing)
    parts = [text, *picture(path), *(methods(path, thing, env) if kind == "class" else ())]
    index = topics.index_of(path, thing)
    return f"{index}.. py:{kind}:: {head}\n\n{indent((chr(10) * 2).join(parts))}"


def methods(path, cls, env):
    """The directives of the public methods and properties that a class defines itself, without
    those that exist for this package only."""
    found = []
    for name in sorted(vars(cls)):
        thing = inspect.getattr_static(cls, name)
        if name.startswith("_") or name == "construct" or links.is_of_package(path, name):
            continue
        if isinstance(thing, property):
            doc, head = inspect.getdoc(thing.fget), f".. py:property:: {name}"
        elif callable(getattr(cls, name)) and not inspect.isclass(thing):
            method = getattr(cls, name)
            doc, head = inspect.getdoc(method), f".. py:method:: {name}{signature_of(method)}"
        else:
            continue
        if doc:
            found.append(f"\n{head}\n\n{indent(body_of(doc, env))}\n")
    return found


def with_rules(thing, doc):
    """The docstring, with missing types and errors added from the rules."""
    maker = thing.__init__ if inspect.isclass(thing) else thing
    rules = rules_of(maker) if hasattr(maker, "relations") else {}
    raised = []
    for name, rule in rules.items():
        doc = re.sub(rf"^    {name}:", f"    {name} ({rule.describe()}):", doc, flags=re.MULTILINE)
        raised += [
            f"    {error}: if `{name}` {phrase}."
            for error, phrase in rule.raises()
            if not re.search(rf"    {error}:.*\b{name}\b", doc)
        ]
    if not raised:
        return doc
    if "\nRaises:\n" not in doc:
        return doc + "\n\nRaises:\n" + "\n".join(raised)
    return doc.replace("\nRaises:\n", "\nRaises:\n" + "\n".join(raised) + "\n", 1)


def parameters_of(area, name, thing):
    """The names of the parameters of a function or class, and of the body of an operator."""
    declared = DECLARED.get(area, {}).get(name)
    names = [*inspect.signature(declared[0].body).parameters] if declared else []
    try:
        return [*names, *inspect.signature(thing).parameters]
    except (TypeError, ValueError):
        return names


def signature_of(thing):
    """The signature without annotations; the list of arguments has the rules."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    parameters = [
        parameter.replace(annotation=parameter.empty, default=readable(parameter.default))
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


class readable:
    """A default value that prints on one line and without a memory address."""

    def __new__(cls, value):
        """Return 'no default' unchanged."""
        return value if value is inspect.Parameter.empty else super().__new__(cls)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        text = one_line(self.value)
        return getattr(self.value, "__name__", "...") if " at 0x" in text else text


def one_line(value):
    """`repr`, on one line, at most 70 characters of it."""
    text = " ".join(repr(value).split()).replace("`", "'")
    return text if len(text) <= 70 else text[:67] + "..."


def body_of(docstring, env, parameters=()):
    """A docstring as reStructuredText; `parameters` are names that formulas may have."""
    docstring = with_formulas(SOURCE.sub("", docstring), parameters)
    return str(
        GoogleDocstring(
            escaped(docstring, parameters),
            Config(
                napoleon_custom_sections=env.config.napoleon_custom_sections,
                napoleon_use_ivar=True,
                napoleon_use_param=False,  # types are words, not links to be looked up
                napoleon_use_rtype=False,
            ),
        )
    )


def with_formulas(docstring, parameters):
    """A docstring with the formulas of its first part, before `Args` and others, as mathematics."""
    parameters = {*parameters, *map("".join, PARAMETER.findall(docstring))}
    section = SECTION.search(docstring)
    end = section.start() if section else len(docstring)
    paragraphs = [
        part
        if re.match(r"\s*(>>>|[-*] |\|)", part) or "::" in part or "\n " in part
        else formulas.typeset(part, parameters)
        for part in docstring[:end].strip().split("\n\n")
    ]
    return "\n\n".join([*paragraphs, docstring[end:]])


def link_of(code, parameters=()):
    """Code in backquotes, as a link if it is the name of a page or of a method on one."""
    name = code.strip("`").removeprefix("mindspore.").removeprefix("ms.")
    owner = name.rpartition(".")[0]
    is_name = name in _files and (owner or name[:1].isupper() and name not in parameters)
    if is_name or owner in _files and owner.rpartition(".")[2][:1].isupper():
        return f":py:obj:`{code.strip('`')} <mindspore.{name}>`"
    return code


def escaped(docstring, parameters=()):
    """The text with reStructuredText's special characters escaped, except in code and examples.
    Names in backquotes are links to their pages."""
    lines, example, literal = [], False, False
    for line in docstring.splitlines():
        example = line.lstrip().startswith(">>>") or example and bool(line.strip())
        literal = line.endswith("::") or literal and (line.startswith(" ") or not line)
        lines.append(line if example or literal else escaped_line(line, parameters))
    return "\n".join(lines)


def escaped_line(line, parameters=()):
    """One line of prose, escaped except for code in backquotes and **names** in bold."""
    parts = re.split(r"(:math:`[^`]*`|``.*?``|`[^`]*`|(?<![\w*])\*\*\w+\*\*(?![\w*]))", line)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", parts[i])
    for i in range(1, len(parts), 2):
        if re.fullmatch(r"`[\w.]+`", parts[i]):
            parts[i] = link_of(parts[i], parameters)
    return "".join(parts)


def indent(text):
    """Indent every line that is not empty by three spaces."""
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
