"""Makes cases from specs: does the name exist, is its signature right, are invalid calls rejected
and valid variations accepted, do gradients match finite differences, do dtypes and shapes match the
promised ones, do the documentation's examples print what they should.

A case is a plain dict, so that it can be sent to a worker as JSON. If the documentation and
MindSpore differ, recorded answers of real MindSpore (`answers.py`) decide.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from ..calls import bad, good, odd, stored
from ..calls.call import Call
from ..reading import signatures, specs
from . import members, scenarios, unstated

KINDS = (
    "exists",
    "signature",
    "accepts",
    "raises",
    "promises",
    "gradient",
    "steps",
    "options",
    "values",
    *unstated.KINDS,
    members.KIND,
    "example",
)
EITHER_ERROR = Path(__file__).parents[1] / "data" / "either_error.yaml"
_FORBIDDEN = re.compile(r", forbidden by (\w+): ")  # in the label of a call (`varied.forbidden`)
LOST = ("crash", "hang", "killed")  # statuses of a case that ended its worker
ODD = "odd"  # run only on request: no page states the expected outcome
UNCHANGED = "as documented"
# Further keys of cases with several steps or a changed argument.
DRIVEN = (
    "script",
    "train",
    "as_made",
    "attributes",
    "scale",
    "overflows",
    "spoilt",
    "numbers",
    "converted",
    "later",
    "code",
    "path",
)
DIFFERENTIABLE = ("ops.", "nn.", "mint.", "numpy.", "Tensor.")
_NOT_SMOOTH = re.compile(
    r"(?i)random|dropout|argm|sort|topk|multinomial|bernoulli|poisson|normal(?!i[sz])"
    r"|uniform|inplace|_$|(?<!l)(?<!di)gamma(?!\w*inc)"
    r"|shuffle|rint|round|floor|ceil|sign$|"
    r"rand|hist|unique|nonzero|init|seed|print|assign|scatter_nd_update|Optim|Sample|assert"
    r"|summary|nextafter|laplace"
)


def area_of(name):
    """Returns the part of the API that contains a name: its public module."""
    from ..reading.wheel import FACADES

    return specs.module_of(name, FACADES)


def of_entry(name, entry, kinds=KINDS):
    """Returns all cases of one name, in the order in which they are run."""
    case_list = []
    base = {"name": name, "area": area_of(name), "platforms": entry.get("platforms", [])}
    apart = {label: reason for reason, labels in entry.get("apart", {}).items() for label in labels}

    def add(kind, label, **more):
        if kind in kinds:
            why = apart.get(label if kind == ODD else f"{kind}::{label}")
            case_list.append(
                {
                    "id": f"{name}::{kind}" + (f"::{label}" if label else ""),
                    "kind": kind,
                    **base,
                    **more,
                    **({"apart": why} if why else {}),
                }
            )

    add("exists", "")
    if "same_as" in entry:
        return case_list
    if entry.get("signature") is not None and entry["kind"] in ("class", "function", "method"):
        add("signature", "", expect=entry["signature"], overloads=entry.get("overloads", []))
    for label, more in scenarios.steps(name, entry):
        add("steps", label, **more)
    for label, more in scenarios.options(name, entry):
        add("options", label, **more)
    for kind, label, more in scenarios.unstated(name, entry):
        add(kind, label, **more)
    for label, more in members.cases_of(name, entry):
        add(members.KIND, label, **more)
    if "values" in kinds:
        for label, more in stored.cases_of(name, entry):
            if "refused" in more["wanted"]:
                others = _other_refusals(f"{name}::{label}", more["wanted"]["refused"], entry)
                more = {**more, "errors": [*others, *more.get("errors", ())]}
            add("values", label, **more)
    call = call_of(entry)
    if call is None:
        return case_list
    add("accepts", "example", **_text(call))
    _refusals(entry, call, add)
    if ODD in kinds:
        for label, variant in [(UNCHANGED, call), *odd.neighbours(call)]:
            add(ODD, label, **_text(variant))
    if "gradients" in entry.get("inputs", {}):
        variant = call.init if call.init is not None else call.call
        add("accepts", "step", init=variant, call={"gradients": "sample.gradients()"}, owner=None)
        return case_list
    if entry.get("returns") and (call.call is not None):
        for what, other in entry["returns"].items():
            if other in (call.call or {}):
                add("promises", what, **_text(call), expect={what: other})
    if _maybe_smooth(name, call):
        for order in (1, 2):
            add("gradient", f"order{order}", **_text(call), order=order)
    return case_list


def _refusals(entry, call, add):
    seen, allowed = set(), contradicted(entry)
    for item in entry.get("raises", ()):
        rule = specs.rule_of(item)
        if rule.verdict == "observed only" or any(
            c.test in ("state", "unsupported", "invalid") for c in rule.clauses
        ):
            continue
        if any(s.name == "platform" for c in rule.clauses for s in c.subjects):
            continue
        for label, variant in bad.offend(rule, call):
            if label not in seen and not _is_allowed(rule, variant, allowed):
                seen.add(label)
                add(
                    "raises",
                    f"{label}→{rule.error}",
                    **_text(variant),
                    expect=rule.error,
                    rule=str(rule),
                    **other_errors(entry, rule, variant),
                )
        for label, variant in good.spare(rule, call):
            if label not in seen:
                seen.add(label)
                if (
                    variant.init != call.init
                ):  # the construction alone: the example's inputs suit only its own options
                    variant.call = None
                add("accepts", label, **_text(variant), rule=str(rule), errors=errors_of(entry))


def errors_of(entry):
    """Returns the exceptions that the page names."""
    return sorted({specs.rule_of(item).error for item in entry.get("raises", ())})


@cache
def _ambiguous():
    """Returns the IDs of the refused calls for which a page names two exceptions."""
    return {key for keys in specs.own_table(EITHER_ERROR).values() for key in keys}


def _other_refusals(key, error, entry):
    """Returns the exceptions that are accepted in place of the reference's: those of the page, if
    the reference's is none of them, or if the call breaks several sentences. If the call was made
    to break one sentence, the exception of that sentence is always accepted."""
    named, broken = errors_of(entry), _FORBIDDEN.search(key)
    if error not in named or key in _ambiguous():
        return named
    return [broken[1]] if broken else []


def other_errors(entry, rule, call):
    """Returns {"also": exceptions} that other sentences of the page name for the same call."""
    others = (specs.rule_of(item) for item in entry["raises"])
    errors = {
        other.error
        for other in others
        if other.error != rule.error
        and other.verdict != "observed only"
        and all(bad.speaks_of_size(c, call) and bad.holds(c, call) for c in other.clauses)
    }
    return {"also": sorted(errors)} if errors else {}


_PLAIN = {"int", "float", "bool", "str", "tuple", "list"}


def contradicted(entry):
    """Returns {parameter: types} that one sentence of a page forbids, and another sentence or the
    parameter's own line allows.
    """
    said, kinds_by_name = {}, {}
    for item in entry.get("raises", ()):
        for clause in specs.rule_of(item).clauses:
            if clause.test == "not":
                for subject in clause.subjects:
                    if not subject.facets:
                        said.setdefault(subject.name, []).append(set(clause.operands))
    for name, kinds in said.items():
        own = {t.split("[")[0] for t in entry.get("types", {}).get(name, [])} & _PLAIN
        for kind in kinds:
            others = own or set().union(*(k for k in kinds if k is not kind))
            vague = kind & {"Number", "real", "Tensor"} or _wider(kind, others)
            if others - kind - {"None"} and not vague:
                kinds_by_name.setdefault(name, set()).update(others - kind)
    return kinds_by_name


def _wider(kind, others):
    """Returns whether a sentence is only less precise than another, as "not tuple" is compared with
    tuple[int]."""
    plain = {re.split(r"[\[{]", k)[0] for k in kind}
    return {re.split(r"[\[{]", k)[0] for k in others} <= plain


def _is_allowed(rule, variant, allowed):
    if rule.error != "TypeError":
        return False
    for subject in rule.clauses[0].subjects:
        kinds = allowed.get(subject.name)
        if kinds and type(variant.value(subject.name)).__name__ in kinds:
            return True
    return False


def _text(call):
    texts = {"init": call.init, "call": call.call, "owner": call.owner}
    given, names = list(call.call or {}), list(call.call_names)
    if set(given) <= set(names) and given != names[: len(given)]:
        texts["by_name"] = True  # it omits an argument before another
    return texts


def call_of(entry):
    """Returns the call of the documented example, arguments by parameter name; None if the spec has
    none.
    """
    use = entry.get("use")
    if not use:
        return None
    signature = signatures.parse(entry.get("signature") or [])
    inner = signatures.parse(entry.get("call") or list(entry.get("inputs", {})))
    call = Call(
        types={**entry.get("types", {}), **entry.get("inputs", {})},
        defaults={a: d for a, _, d in signature if d is not None},
    )
    if "init" in use:
        call.init = _bind(use["init"], signature)
        call.init_names = tuple(a for a, k, _ in signature if k not in ("args", "kwargs"))
        if "call" in use:
            call.call = _bind(use["call"], inner)
            call.call_names = tuple(a for a, k, _ in inner if k not in ("args", "kwargs"))
    elif "call" in use:
        call.call = _bind(use["call"], signature)
        call.call_names = tuple(a for a, k, _ in signature if k not in ("args", "kwargs"))
        call.owner = use.get("self")
    return call


def _bind(used, signature):
    """Returns arguments by name; positions without a name in the signature keep their numbers
    ("*0")."""
    args, kwargs = used
    names = [a for a, kind, _ in signature if kind == "positional"]
    bound = {}
    for index, text in enumerate(args):
        bound[names[index] if index < len(names) else f"*{index}"] = text
    if any(k.startswith("*") for k in bound) and names:
        bound = (
            {f"*{i}": t for i, t in enumerate(args)}
            if any(kind == "args" for _, kind, _ in signature) and not names
            else bound
        )
    bound.update(kwargs)
    return bound


def _maybe_smooth(name, call):
    """Returns whether a gradient can be tested: a float Tensor goes in, and the name is neither
    random nor a rounding function.
    """
    if (
        call.call is None
        or not name.startswith(DIFFERENTIABLE)
        or _NOT_SMOOTH.search(name.rsplit(".", 1)[-1])
    ):
        return False
    if any("Parameter" in t for parameter in call.call for t in call.types.get(parameter, ())):
        return False  # updated in place, so not a function of the inputs
    texts = list(call.call.values()) + [call.owner or ""]
    return any(re.match(r"T\('(float32|float64|float16)'", t) for t in texts)


def of_page(page, entry):
    """Returns the example cases of a page. They contain the example's code, so they are made from
    the source and never stored.
    """
    case_list = []
    for index, example in enumerate(page.examples):
        case_list.append(
            {
                "id": f"{page.name}::example" + (f"::{index + 1}" if index else ""),
                "kind": "example",
                "name": page.name,
                "area": area_of(page.name),
                "platforms": entry.get("platforms", []),
                "steps": [list(s) for s in example.steps],
                "where": f"{page.source}:{page.line}",
            }
        )
    return case_list


def all_cases(entries, kinds=KINDS, areas=(), names=()):
    """Returns the cases of many names; `areas` are module names or prefixes of names."""
    for name, entry in sorted(entries.items()):
        if names and name not in names:
            continue
        if areas and not any(_is_in(name, area) for area in areas):
            continue
        yield from of_entry(name, entry, kinds)


def unknown(entries, areas):
    """Returns the areas that are neither a name nor the beginning of one."""
    return [a for a in areas if not any(_is_in(name, a) for name in entries)]


def _is_in(name, area):
    return name == area or name.startswith(area + ".") or area_of(name) == area


def digest(case):
    """Returns a short key of a case, so that a stored answer is not used for a changed case."""
    keys = ("name", "kind", "init", "call", "owner", "expect", "order", "steps")
    question = repr([case.get(k) for k in keys] + [case[k] for k in DRIVEN if k in case])
    return hashlib.sha1(question.encode()).hexdigest()[:8]
