"""A Sphinx extension: the tree at the left of each page, and the list of versions.

The tree shows the groups of the module that a page belongs to, and on the page of a name also the
names of its group:

    API reference
      mindspore
      mindspore.nn
        Activation layers
        Convolution layers
          Conv1d
          Conv2d
      mindspore.ops

Pages of names are in no `toctree` of Sphinx, which would put all of them on every page. The groups
are added to the tree here instead.

The list of versions: folders of built pages that lie side by side know each other. Each has a
`versions.js` with all of them, and a build writes it into each again. It is a script since a
browser reads no other data of pages that were opened as files.
"""

import functools
import html
import json
import re
from pathlib import Path

import reference
from docutils.nodes import make_id

INDEX = "reference/index"


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", add_groups, priority=400)  # before the theme's
    app.connect("html-page-context", mark_name, priority=600)  # after the theme's
    app.connect("build-finished", write_versions)
    return {"parallel_read_safe": True}


def add_groups(app, pagename, templatename, context, doctree):
    """Replace the tree of the pages of the reference by one with the groups of the module."""
    toctree = context.get("toctree")
    folder, _, file = pagename.rpartition("/")
    if toctree is None or folder != "reference" or pagename == INDEX:
        return
    module, title = reference.GROUP_OF.get(file, (file, None))
    context["toctree"] = functools.partial(_tree, toctree, app.builder, module, title)


_trees = {}  # (module, group, options) -> the tree, equal for all names of the group


def _tree(toctree, builder, module, title, **options):
    key = module, title, *sorted(options.items())
    if title is None or key not in _trees:
        _trees[key] = with_groups(toctree(**options), builder, module, title)
    return _trees[key]


def mark_name(app, pagename, templatename, context, doctree):
    """Mark the name whose page it is. The theme reads a tree once, so equal trees cost little."""
    file = pagename.rpartition("/")[2]
    if file in reference.GROUP_OF and "furo_navigation_tree" in context:
        entry = f'<li class="toctree-l4"><a class="reference internal" href="{file}.html"'
        marked = entry.replace("toctree-l4", "toctree-l4 current current-page")
        tree = context["furo_navigation_tree"].replace(" current-page", "", 1)
        context["furo_navigation_tree"] = tree.replace(entry, marked, 1)


def with_groups(tree, builder, module, title):
    """The tree with the groups of a module below its entry; those on the way are current."""
    here = f"reference/{module}"
    if title is not None:  # the page of a name, which Sphinx finds nowhere in the tree
        tree = _current(tree, builder.get_relative_uri(here, INDEX))
        tree = _current(tree, builder.get_relative_uri(here, here) or f"{module}.html")
    entry = re.compile(rf'(<li class="[^"]*"><a [^>]*>{re.escape(module)}</a>)(</li>)')
    return entry.sub(lambda found: f"{found[1]}{_groups(module, title)}{found[2]}", tree, count=1)


def _current(tree, target):
    """The tree with the entry of one page marked as current."""
    link = re.compile(rf'<li class="(toctree-l\d)(?=">\s*<a [^>]*href="{re.escape(target)}")')
    return link.sub(r'<li class="\1 current', tree, count=1)


def _groups(module, title):
    """The list of the groups of a module as HTML, with the names of one group."""
    items = []
    for group, names in sorted(reference.GROUPS.get(module, {}).items()):
        names = "".join(_item(4, file, name) for name, file in names) if group == title else ""
        below = f"<ul>{names}</ul>" if names else ""
        items.append(_item(3, f"{module}.html#{make_id(group)}", group, below))
    return f"<ul>{''.join(items)}</ul>" if len(items) > 1 else ""


def _item(level, target, text, below=""):
    target = target if "#" in target else f"{target}.html"
    kind = f"toctree-l{level} current" if below else f"toctree-l{level}"
    link = f'<a class="reference internal" href="{target}">{html.escape(text)}</a>'
    return f'<li class="{kind}">{link}{below}</li>'


def write_versions(app, error):
    """Write `versions.js` into this folder and those beside it that have one."""
    if error or app.builder.format != "html":
        return
    here = Path(app.outdir)
    here.joinpath("versions.js").touch()
    folders = [file.parent for file in sorted(here.parent.glob("*/versions.js"))]
    versions = {folder.name: version_of(folder) for folder in folders}
    for folder in folders:
        text = f"const pages = {json.dumps({'here': folder.name, 'versions': versions})};\n"
        reference.write_if_changed(folder / "versions.js", text)


def version_of(folder):
    """The version of built pages, from their inventory."""
    with open(folder / "objects.inv", "rb") as inventory:
        lines = [inventory.readline().decode().strip() for _ in range(3)]
    return lines[2].removeprefix("# Version: ")
