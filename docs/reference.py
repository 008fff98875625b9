"""A Sphinx extension: the reference pages, written at build time from what the package declares.

Each public module becomes a page that lists every name of its `__all__`, and each name a page with
signature and docstring, classes with their methods. Nothing is written by hand but the list of
modules. Docstrings are plain text with code in backquotes; what reStructuredText would read
otherwise is escaped, and a docstring that Sphinx cannot read fails the build (`-W`).
"""

import importlib
import inspect
import re
from pathlib import Path

from sphinx.ext.napoleon import Config, GoogleDocstring

from mindspore_compat._core.declare.documentation import page_of
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
_trees = {}  # by the options that they were made with
SOURCE = re.compile(r"Source: mindspore\.([\w.]+) of MindSpore 2\.10\.?")


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("html-page-context", share_tree, priority=400)  # before the theme's
    return {"parallel_read_safe": True}


def write_pages(app):
    """Write `reference/<module>.rst` for each public module, `reference/<module>.<name>.rst` for
    each of its names, and the index of the modules."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    modules = {name: module for name in MODULES if (module := module_of(name)) is not None}
    rows = "\n".join(f"   {title_of(name)}" for name in modules)
    pages = {"index": f"API reference\n{'=' * 13}\n\n.. toctree::\n   :maxdepth: 1\n\n{rows}\n"}
    for name, module in modules.items():
        pages |= pages_of(name, module, app.env)
    for name, text in pages.items():
        write_if_changed(folder / f"{name}.rst", text)
    for stale in folder.glob("*.rst"):
        if stale.stem not in pages:
            stale.unlink()


def share_tree(app, pagename, templatename, context, doctree):
    """Let the pages of names, which no tree lists, share the tree of all pages: it is the same, and
    is made for each page otherwise."""
    toctree = context.get("toctree")
    if toctree is not None and "orphan" in app.env.metadata[pagename]:
        context["toctree"] = lambda **options: _shared_tree(toctree, options)


def _shared_tree(toctree, options):
    """What `toctree` makes of these options, made once."""
    key = tuple(sorted(options.items()))
    if key not in _trees:
        _trees[key] = toctree(**options)
    return _trees[key]


def write_if_changed(path, text):
    """Leave an equal file alone, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def module_of(name):
    """The public module of this name that shows names, or None where there is none."""
    path = f"{PACKAGE}.{name}".rstrip(".")
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name and not f"{path}.".startswith(f"{missing.name}."):
            raise
        return None
    return module if names_of(module) else None


def title_of(name):
    """The title and file of a module's page."""
    return f"mindspore.{name}".rstrip(".")


def pages_of(name, module, env):
    """The page of a module and those of its names, as texts by file name."""
    title, pages, rows = title_of(name), {}, []
    for public in names_of(module):
        thing = getattr(module, public)
        if inspect.ismodule(thing):
            path = f"{name}.{public}".lstrip(".")
            link = f":doc:`{public} <{title_of(path)}>`" if path in MODULES else f"`{public}`"
            rows.append((link, "A module."))
            continue
        file = f"{title}.{public}"
        while any(file.lower() == other.lower() for other in pages):
            file += "_"  # file systems may take Abs and abs for one name
        rows.append((f":doc:`{public} <{file}>`", summary_of(thing)))
        pages[file] = "\n\n".join(
            [
                ":orphan:",
                heading(f"{title}.{public}"),
                f"In :doc:`{title}`.",
                f".. py:currentmodule:: {title}",
                entry(module, public, env),
                "",
            ]
        )
    listed = "\n".join(f"{link}\n   {summary}\n" for link, summary in rows)
    intro = body_of(inspect.getdoc(module) or "", env)
    pages[title] = "\n\n".join([heading(title), intro, listed])
    return pages


def heading(title):
    """A title, underlined."""
    return f"{escaped_line(title)}\n{'=' * (len(title) + 1)}"


def summary_of(thing):
    """The first paragraph of a docstring, or what a plain value is."""
    if not callable(thing):
        return f"`{one_line(thing)}`"
    first = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
    return escaped_line(" ".join(first.split())) or "No description."


def names_of(module):
    """What a module shows: its `__all__`, or what it lists and has that is no module."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name in dir(module)
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name, inspect))
    )


def entry(module, name, env):
    """The directive that describes one public name."""
    thing = getattr(module, name)
    if inspect.ismodule(thing):
        return f".. py:data:: {name}\n\n   The module `{name}`."
    if inspect.isclass(thing):
        kind, doc = "exception" if issubclass(thing, BaseException) else "class", thing.__doc__
    elif callable(thing):
        kind, doc = "function", thing.__doc__
    else:
        kind, doc = "data", f"`{one_line(thing)}`"
    text = body_of(with_rules(thing, inspect.cleandoc(doc or "")), env)
    head = name if kind == "data" else name + signature_of(thing)
    parts = [text, *(methods(thing, env) if kind == "class" else ())]
    return f".. py:{kind}:: {head}\n\n{indent(chr(10).join(parts))}"


def methods(cls, env):
    """The directives of the public methods and properties that a class has of its own."""
    found = []
    for name in sorted(vars(cls)):
        thing = inspect.getattr_static(cls, name)
        if name.startswith("_") or name == "construct":
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
    """The docstring, with types and errors from the rules where it does not tell them itself."""
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


def signature_of(thing):
    """The signature without annotations: rules stand in the list of arguments."""
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
    """A default value that prints in one line and without an address in memory."""

    def __new__(cls, value):
        """Leave 'no default' as it is."""
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


def body_of(docstring, env):
    """A docstring as reStructuredText."""
    docstring = SOURCE.sub(lambda found: with_page(found[0], found[1]), docstring)
    return str(
        GoogleDocstring(
            escaped(docstring),
            Config(
                napoleon_custom_sections=env.config.napoleon_custom_sections,
                napoleon_use_ivar=True,
                napoleon_use_param=False,  # types are words, not links to be looked up
                napoleon_use_rtype=False,
            ),
        )
    )


def with_page(text, path):
    """The `Source` of a docstring as the address of the page, where there is one."""
    page = page_of(path)
    return f"Source:\n{page}" if page else text


def escaped(docstring):
    """The text with what reStructuredText gives a meaning escaped, but for code and examples."""
    lines, example, literal = [], False, False
    for line in docstring.splitlines():
        example = line.lstrip().startswith(">>>") or example and bool(line.strip())
        literal = line.endswith("::") or literal and (line.startswith(" ") or not line)
        lines.append(line if example or literal else escaped_line(line))
    return "\n".join(lines)


def escaped_line(line):
    """One line of prose; its code between backquotes and **names** in bold are left alone."""
    parts = re.split(r"(``.*?``|`[^`]*`|(?<![\w*])\*\*\w+\*\*(?![\w*]))", line)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", parts[i])
    return "".join(parts)


def indent(text):
    """Three spaces before every line that holds something."""
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
