"""Cases about the names that classes and their instances have, as far as subclasses and libraries
can reach them. Real MindSpore's names are facts in `data/members.txt`, by class.

A base class's names are written once. Names in `data/members_apart.yaml` are left out on purpose,
by reason.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data"
KIND = "members"
FACTS, APART = "members.txt", "members_apart.yaml"
_HEAD = """# Names of classes and instances of MindSpore 2.10. [Base] is a base class, [Base()] an
# instance of one; +[Base] stands for its names."""
_LEAST = 3  # classes that make a family
_WIDTH = 100
# Python's own special names, and names that are mangled: private to the file of one class.
_OF_PYTHON = re.compile(
    r"__(module|dict|weakref|doc|annotations|slots|abstractmethods|orig_bases|parameters"
    r"|signature|wrapped|static_attributes|firstlineno|getstate|setstate|members|entries"
    r"|(pybind11|pyx)\w*)__$|_abc_impl$"
)
_MANGLED = re.compile(r"_[A-Z]\w*__\w+$")


def cases_of(name, entry):
    """Yields (label, additional keys of the case) of a class whose names are known."""
    own = facts().get(name)
    if own is None and entry.get("kind") != "class":
        return
    use = (entry.get("use") or {}).get("init")
    yield "", {"init": use and _bound(use), "has": sorted(own or ())}


def _bound(use):
    """Returns the documented arguments of the constructor, by position or name."""
    args, kwargs = use
    return {**{f"*{index}": text for index, text in enumerate(args)}, **kwargs}


def observed(worker, case):
    """Returns the names of a class and of an instance if it can be constructed; or, where names are
    expected, those that are missing."""
    cls = worker.resolved(case["name"])
    thing = cls
    if case.get("init") is not None or not case["name"].startswith("dataset."):
        try:
            thing = worker.make(case["name"], _built(worker, case.get("init") or {}))
        except Exception:  # noqa: BLE001  (the class alone is observed)
            thing = cls
    if case["has"]:
        return {"seen": {"missing": [name for name in case["has"] if not _has(thing, name)]}}
    if not isinstance(cls, type):
        return {"seen": {"names": [], "bases": [], "made": False}}
    names = {*dir(cls), *dir(thing), *getattr(thing, "__dict__", ())} - {*dir(object)}
    names = {n for n in names if isinstance(n, str) and not _OF_PYTHON.match(n)}
    bases = [base.__name__ for base in cls.__mro__[1:-1]]
    names = sorted(n for n in names if not _MANGLED.match(n))
    return {"seen": {"names": names, "bases": bases, "made": thing is not cls}}


def _built(worker, texts):
    return {name: worker.values.build(text) for name, text in texts.items()}


def _has(thing, name):
    try:
        getattr(thing, name)
    except AttributeError:
        return name in vars(type(thing))  # a property that needs further state
    except Exception:  # noqa: BLE001  (a property that refuses is there)
        return True
    return True


def asked(case):
    """Returns the case as a request to record the names."""
    return {**case, "has": []} if case["kind"] == KIND else case


def judge(case, result):
    """Returns the verdict on the names that are missing."""
    seen = result["observed"]
    missing = [name for name in seen.get("missing", ()) if not reason(case["name"], name)]
    if "refused" in seen:
        return {"status": "fail", "expected": "a class"}
    if not missing:
        return {}
    return {"status": "fail", "got": "lacks " + " ".join(missing), "expected": "the names"}


def reason(owner, name):
    """Returns why a name of a class is left out on purpose, or None."""
    for why, listed in apart().items():
        for place, names in listed.items():
            fits = (
                owner == place or place == "all" or place.endswith(".") and owner.startswith(place)
            )
            if fits and name in names.split():
                return why
    return None


@cache
def apart():
    """Returns {reason: {class, beginning of names or "all": names}}."""
    import yaml  # imported here, because workers of the reference may lack it

    return yaml.safe_load((FOLDER / APART).read_text(encoding="utf-8")) or {}


@cache
def facts():
    """Returns {class: set of names}."""
    names_by_class = {}
    if not (FOLDER / FACTS).exists():
        return names_by_class
    text = re.sub(r"\n +", " ", (FOLDER / FACTS).read_text(encoding="utf-8"))
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, listed = line.partition(":")
            words = listed.split()
            families = (names_by_class[word[1:]] for word in words if word.startswith("+"))
            names_by_class[name] = {word for word in words if not word.startswith("+")}.union(
                *families
            )
    return {name: names for name, names in names_by_class.items() if not name.startswith("[")}


def save(results):
    """Writes the facts of (case, result) pairs of a run on the reference without known names."""
    seen = {
        case["name"]: result["observed"]
        for case, result in results
        if case["kind"] == KIND and "names" in result.get("observed", ())
    }
    if seen:
        (FOLDER / FACTS).write_text(text_of(seen), encoding="utf-8")


def text_of(seen):
    """Returns the text of the facts {class: {"names": [...], "bases": [...], "made": bool}}."""
    seen = {name: about for name, about in seen.items() if about["names"]}
    classes = {}
    for about in seen.values():
        bases = [_family(base, about) for base in about["bases"]]
        for index, base in enumerate(bases):
            names, others = classes.setdefault(base, (set(about["names"]), bases[index + 1 :]))
            names &= set(about["names"])
    counts = Counter(_family(base, about) for about in seen.values() for base in about["bases"])
    families = {base: own for base, own in classes.items() if counts[base] >= _LEAST}
    lines = [_HEAD]
    for base in sorted(families, key=lambda base: (len(families[base][1]), base)):
        lines.append(_line(base, *families[base], families))
    for name, about in sorted(seen.items()):
        bases = [_family(base, about) for base in about["bases"]]
        lines.append(_line(name, set(about["names"]), bases, families))
    return "\n".join(lines) + "\n"


def _family(base, about):
    return f"[{base}()]" if about["made"] else f"[{base}]"


def _line(head, names, bases, families):
    """Returns the line of a class: its families, and the names that none of them has."""
    rest, used = set(names), []
    for base in bases:
        own = families.get(base, (set(), []))[0]
        if own & rest and own <= names:
            used.append(f"+{base}")
            rest -= own
    return _wrapped(f"{head}:", used + sorted(rest))


def _wrapped(head, words):
    lines, line = [], head
    for word in words:
        if len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = "  " + word
        else:
            line += " " + word
    return "\n".join([*lines, line])
