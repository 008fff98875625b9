"""The spec files: one YAML file per public module, facts only, in a stable order.

`from_page` makes the entry of one name; `save` and `load` write and read entries. An error in a
hand-edited file is reported with file and line.
"""

import hashlib
import re
from pathlib import Path

import yaml

from ..errors import BadInput, text_of
from ..sentences import phrases, promises, ranges
from ..sentences.choices import choices_of
from ..sentences.rules import Clause, Rule
from . import recorder

FOLDER = Path(__file__).parents[1] / "spec"
TABLES = Path(__file__).parents[1] / "data"
KEYS = (
    "same_as",
    "kind",
    "release",
    "platforms",
    "deprecated",
    "signature",
    "overloads",
    "call",
    "inputs",
    "types",
    "ranges",
    "choices",
    "returns",
    "raises",
    "unread",
    "use",
    "apart",
)
KINDS = {"class", "function", "method", "property", "attribute", "value"}
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 100
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def names_of(page):
    """Returns all parameter and input names that the sentences of a page may refer to."""
    names = {a.name for a in (page.signature or []) + (page.call or [])}
    names |= {e.name for e in page.parameters + page.inputs}
    for overload in page.overloads:
        names |= {a.name for a in overload}
    return names


def from_page(page):
    """Returns (spec entry, unread sentences) of a page."""
    if page.same_as:
        return {"same_as": page.same_as}, []
    entry = {"kind": page.kind, "release": page.release}
    if page.platforms:
        entry["platforms"] = page.platforms
    if page.deprecated:
        entry["deprecated"] = True
    if page.signature is not None:
        entry["signature"] = argument_texts(page.signature)
    if page.overloads:
        entry["overloads"] = [argument_texts(o) for o in page.overloads]
    if page.call is not None:
        entry["call"] = argument_texts(page.call)
    if page.inputs:
        entry["inputs"] = {e.name: e.types for e in page.inputs}
    if page.parameters:
        entry["types"] = {e.name: e.types for e in page.parameters}
        stated = {e.name: ranges.range_of(e.name, e.lines, e.types) for e in page.parameters}
        if any(stated.values()):
            entry["ranges"] = {name: rule for name, rule in stated.items() if rule}
    spelt = {e.name: choices_of(e.lines, e.types) for e in page.parameters + page.inputs}
    if any(spelt.values()):
        entry["choices"] = {name: words for name, words in spelt.items() if words}
    promised = promises.promises(page.outputs)
    if promised:
        entry["returns"] = promised
    raised, unread = _rules(page)
    if raised:
        entry["raises"] = raised
    if unread:
        entry["unread"] = [[s.error, s.line] for s in unread]
    used = recorder.calls(page) if page.examples else None
    if used:
        entry["use"] = used
    return {key: entry[key] for key in KEYS if entry.get(key) is not None}, unread


def newer(known, entry):
    """Returns the entry of the newer release among two for one name; if none is stated, the fuller
    one."""
    if known is None:
        return entry
    left, right = (_release(e) for e in (known, entry))
    if left != right:
        return known if left > right else entry
    return known if len(known) >= len(entry) else entry


def _release(entry):
    return tuple(int(n) for n in re.findall(r"\d+", str(entry.get("release") or "")))


def argument_texts(arguments):
    """Returns signature texts, with the bare star before keyword-only arguments."""
    texts, starred = [], False
    for argument in arguments:
        if argument.kind == "keyword" and not starred:
            texts.append("*")
            starred = True
        starred = starred or argument.kind == "args"
        texts.append(str(argument))
    return texts


def _rules(page):
    raised, unread = [], []
    known = names_of(page)
    for sentence in page.raises:
        alternatives = phrases.read_sentence(sentence.error, sentence.text, known, sentence.line)
        if alternatives is None:
            unread.append(sentence)
            continue
        for rule in alternatives:
            item = rule_item(rule)
            if item not in raised:
                raised.append(item)
    return raised, unread


def rule_item(rule):
    """Returns a rule in the form of a spec file."""
    item = {rule.error: {clause.left(): clause.right() for clause in rule.clauses}}
    if rule.verdict:
        item["verdict"] = rule.verdict
    if rule.reason:
        item["reason"] = rule.reason
    return item


def rule_of(item):
    """Returns the rule of a spec item; raises ValueError that explains what is wrong with it."""
    if not isinstance(item, dict):
        raise ValueError("a rule is a mapping of an exception to its clauses")
    errors = [k for k in item if k not in ("verdict", "reason")]
    if len(errors) != 1 or not isinstance(item[errors[0]], dict):
        raise ValueError("a rule names one exception and its clauses")
    if item.get("verdict") not in (None, "agreed", "documented only", "observed only"):
        raise ValueError(f"no such verdict: '{item['verdict']}'")
    pairs = item[errors[0]].items()
    clauses = tuple(Clause.parse(str(left), str(right)) for left, right in pairs)
    return Rule(errors[0], clauses, item.get("verdict"), item.get("reason"))


def module_of(name, facades):
    """Returns the public module whose spec file contains a name."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        if ".".join(parts[:cut]) in facades:
            return ".".join(parts[:cut])
    return "mindspore"


def save(entries, folder=FOLDER):
    """Write entries (name → entry) into one file per module; returns the files."""
    from .wheel import FACADES

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    modules = {}
    for name, entry in entries.items():
        modules.setdefault(module_of(name, FACADES), {})[name] = entry
    written = []
    for module, group in sorted(modules.items()):
        path = folder / f"{module}.yaml"
        path.write_text(text(dict(sorted(group.items()))), encoding="utf-8")
        written.append(path)
    return written


def text(entries):
    """Returns entries in the form of a spec file."""
    return yaml.dump(
        entries,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=160,
        default_flow_style=None,
    )


def load(folder=FOLDER, check=True):
    """Returns all entries of a folder of spec files; BadInput names file and line of an error."""
    entries = {}
    files = sorted(Path(folder).glob("*.yaml"))
    if not files:
        raise BadInput(folder, "no spec files (*.yaml)")
    for path in files:
        entries.update(load_file(path, check))
    return entries


def digest(folder=FOLDER):
    """Returns a short key of the facts in a folder of specs, and of the tables of cases; it changes
    with every release and every edit."""
    sha = hashlib.sha1()
    for path in (*sorted(Path(folder).glob("*.yaml")), *sorted(TABLES.glob("*.yaml"))):
        sha.update(path.name.encode() + path.read_bytes())
    return sha.hexdigest()[:8]


def own_table(path):
    """Returns the contents of one of the tool's own tables."""
    return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Loader)


def load_file(path, check=True):
    """Returns the entries of one file."""
    text = text_of(path)
    try:
        _check_depth(path, text)
        entries = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadInput(
            path, f"is no YAML: {getattr(error, 'problem', error)}", mark and mark.line + 1
        ) from None
    if not isinstance(entries, dict):
        raise BadInput(path, "is no mapping of names to facts", 1)
    if check:
        for name, entry in entries.items():
            try:
                check_entry(entry)
            except (ValueError, TypeError, AttributeError) as error:
                raise BadInput(path, f"{name}: {error}", _line_of(text, name, error)) from None
    return entries


def _check_depth(path, text):
    """Raises BadInput if a text nests so deeply that the library would exhaust the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise BadInput(path, "is nested too deeply", event.start_mark.line + 1)


def check_entry(entry):
    """Raises ValueError if an entry is not a spec."""
    if not isinstance(entry, dict):
        raise ValueError("is no mapping")
    unknown = set(entry) - set(KEYS)
    if unknown:
        raise ValueError(f"unknown key '{sorted(unknown)[0]}'")
    if "same_as" in entry:
        return
    if entry.get("kind") not in KINDS:
        raise ValueError(f"unknown kind '{entry.get('kind')}'")
    for item in entry.get("raises", ()):
        rule_of(item)
    for name, right in entry.get("ranges", {}).items():
        Clause.parse(name, str(right))


def _line_of(text, name, error):
    lines = text.split("\n")
    start = next(
        (i for i, line in enumerate(lines) if line.startswith((f"{name}:", f"'{name}':"))), 0
    )
    word = re.search(r"'([^']+)'", str(error))
    for offset, line in enumerate(lines[start:]):
        if offset and line and not line.startswith((" ", "-")):
            break
        if word and word[1] in line:
            return start + offset + 1
    return start + 1
