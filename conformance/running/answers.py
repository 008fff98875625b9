"""Recorded answers of real MindSpore, and how they determine the result of a case.

`answers/<module>.json.gz` has, per case, a digest of the question, the status and the observation:
exception names, dtypes, shapes, numbers. A run therefore needs no MindSpore for comparison.
`judge` takes a worker's result, which is based on the documentation alone, and returns the final
result:

1. What real MindSpore accepts must be accepted, whatever the page says.
2. What both the page and MindSpore reject must raise the documented exception. If the page names
   two for one call, MindSpore's is accepted too.
3. If MindSpore fails with another exception, the documented one is expected.
4. If MindSpore breaks a promise of the page, the promise is not expected of others either, except
   for rejections.
"""

import functools
import itertools
import json
import re
from pathlib import Path

from ..errors import BadInput
from ..kinds import members, unstated
from ..kinds.cases import LOST, ODD, UNCHANGED, all_cases, digest
from ..reading import packed
from ..reading.specs import module_of, own_table
from ..reading.wheel import FACADES

FOLDER = Path(__file__).parents[1] / "answers"
COARSE_CALLS = Path(__file__).parents[1] / "data" / "coarse.yaml"
SUFFIX = ".json.gz"
DRIVEN = (
    "steps",
    "options",
    *unstated.KINDS,
)  # the outcome is observed, whatever it is, and judged here
_DELIBERATE = ("TypeError", "ValueError", "KeyError")  # other exceptions are accidents
# Tolerances of float results: MindSpore computes in float32, in another order. They are smaller
# than the errors of half precision, so that a result that was rounded to it is seen.
RELATIVE, ABSOLUTE = 2e-4, 2e-5
SCALED = 1e-4  # relative to the largest number, of varied calls and of steps
COARSE = 5e-4  # likewise, for the calls of coarse.yaml
HALVES = 4e-3  # likewise, if an argument has half precision
TINY = 1e-9  # absolute, for rounding errors of terms that cancel
_HALF = {"float16": 2e-2, "bfloat16": 5e-2}

# Names with random numbers that no page mentions; only dtype and shape are compared.
_DRAWN = re.compile(
    r"(?i)rand|normal(?!i[sz])|(?<!map)uniform|laplace|gumbel|multinomial|candidate_?sampler"
    r"|sampled_?softmax|non_?deterministic|sample_?distorted|rng_state"
)


def save(results, folder=FOLDER):
    """Store (case, result) pairs of a run on the reference, one line per case.

    Answers for names, or kinds of cases, that were not run stay unchanged.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    modules = {}
    for case, result in results:
        if not is_stored(case):
            continue
        fact = [digest(case), result["status"], result.get("observed", _exception(result))]
        modules.setdefault(module_of(case["name"], FACADES), {})[case["id"]] = fact
    judged = {f"{case['name']}::{case['kind']}" for case, _ in results}
    for module, new in modules.items():
        path = folder / f"{module}{SUFFIX}"
        old = json.loads(packed.read(path)) if path.exists() else {}
        stored = {k: fact for k, fact in old.items() if "::".join(k.split("::")[:2]) not in judged}
        stored.update(new)
        lines = [
            f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(stored[key], ensure_ascii=False)}"
            for key in sorted(stored)
        ]
        packed.write(path, "{\n" + ",\n".join(lines) + "\n}\n")


def is_stored(case):
    """Returns True if real MindSpore's answer to a case is stored, which it is unless a formula,
    the case itself or the table of names determines the answer."""
    return "formula" not in case and case["kind"] not in ("values", members.KIND)


def _exception(result):
    return result.get("got", "").split(":")[0]


def load(folder=FOLDER):
    """Returns {case id: [digest, status, observed]} of all stored answers."""
    by_id = {}
    for path in sorted(Path(folder).glob(f"*{SUFFIX}")):
        try:
            by_id.update(json.loads(packed.read(path)))
        except (ValueError, TypeError, RecursionError) as error:
            raise BadInput(
                path, f"is no JSON of answers: {error}", getattr(error, "lineno", None)
            ) from None
    return by_id


def answer_to(case, answers):
    """Returns the stored answer to exactly this question, or None."""
    answer = answers.get(case["id"])
    return answer if answer and answer[0] == digest(case) else None


def judge(case, result, answers):
    """Returns the final result of a case: the worker's, or the one that follows from the stored
    answer of MindSpore.
    """
    answer = answer_to(case, answers)
    if case["kind"] == "values" and result["status"] == "pass":
        return {**result, **_judge_values(case, result)}
    if case["kind"] == members.KIND and result["status"] == "pass":
        return {**result, **members.judge(case, result)}
    if case["kind"] in DRIVEN and result["status"] == "pass":
        return {**result, **_judge_driven(case, result, answer)}
    if answer is None or result["status"] in (*LOST, "absent"):
        both = answer is not None and answer[1] == result["status"] == "hang"
        return {**result, "status": "skip"} if both else result
    if case["kind"] == ODD and not is_sound(case, answers):
        return {**result, "status": "skip", "got": "real MindSpore cannot run the unchanged call"}
    base = failing_base(case, answers)
    if base and result["status"] == "fail":
        return {
            **result,
            "status": "skip",
            "got": f"the example's own call does not run on real MindSpore ({base}), so "
            f"nothing follows from this one",
        }
    _, status, observed = answer
    settle = {
        "raises": _judge_refusal,
        "accepts": _judge_result,
        "promises": _judge_promise,
        "gradient": _judge_gradient,
        "odd": _judge_odd,
        "example": _judge_unkept,
        "signature": _judge_unkept,
        "exists": _judge_unkept,
    }[case["kind"]]
    return {**result, **settle(case, result, status, observed)}


def failing_base(case, answers):
    """Returns the exception of real MindSpore for the documented call that a rejecting or promising
    case changes, if it rejects both calls; None if the call runs, or only lacks a kernel.
    """
    base = answers.get(f"{case['name']}::accepts::example")
    if case["kind"] not in ("raises", "promises") or base is None or base[1] == "pass":
        return None
    answer = answer_to(case, answers)
    return None if base[2] == "no kernel" or answer is None or answer[1] == "pass" else base[2]


def _judge_driven(case, result, answer):
    """Judges steps and options by the formula, otherwise by MindSpore's answer or rejection."""
    seen, wanted = result["observed"], result.get("wanted")
    if wanted is None and "formula" not in case:
        if answer is None or answer[1] != "pass" or _fails_by_accident(answer[2]):
            return {"status": "skip", "got": "real MindSpore gives no answer on a CPU"}
        wanted = answer[2]
    refusals = (wanted or {}).get("refused"), seen.get("refused")
    if any(refusals):
        verdict = _refusals_differ(case, *refusals)
    else:
        difference = differ(wanted, seen, scaled=True)
        got, expected = part_at(seen, difference), part_at(wanted, difference)
        verdict = difference and {"difference": difference, "got": got, "expected": expected}
    if not verdict:
        return {}
    if "apart" in case:
        return {**verdict, "status": "skip", "got": case["apart"]}
    return {"status": "fail", **verdict}


def _judge_values(case, result):
    """Judges a varied call by the facts that the reference gave."""
    seen, wanted = result["observed"], case["wanted"]
    if "refused" in wanted:
        verdict = _refusals_differ(case, wanted["refused"], seen.get("refused"))
    elif "refused" in seen:
        verdict = {"expected": f"accepted, as by {case.get('by', 'real MindSpore')}"}
    else:
        difference = (
            facts_differ(case, None, wanted, seen)
            or _superfluous(wanted, seen)
            or _overwritten(case, seen)
            or _unrepeated(case, seen)
        )
        got, expected = part_at(seen, difference), part_at(wanted, difference)
        verdict = difference and {"difference": difference, "got": got, "expected": expected}
    if not verdict:
        return {}
    if seen.get("refused") == "no kernel":
        return {**verdict, "status": "no kernel"}
    if "apart" in case:
        return {**verdict, "status": "skip", "got": case["apart"]}
    return {"status": "fail", **verdict}


def facts_differ(case, fact, wanted, seen):
    """Returns the first difference between the facts of a varied call, or in one of them; None if
    they agree."""
    if fact is not None:
        wanted = {fact: wanted}
    if _is_seeded(case):
        wanted = _without_numbers(wanted)
    texts = str([case.get("init"), case.get("call"), case.get("owner")])
    precision = "half" if "float16" in texts else "coarse" if _is_coarse(case) else True
    return differ(wanted, seen, scaled=precision)


@functools.cache
def _coarse():
    return re.compile("|".join(itertools.chain(*own_table(COARSE_CALLS).values())))


def _is_coarse(case):
    return _coarse().match(case.get("id", "")) is not None


_STRUCTURE = {"count", "rows", "filled", "pixels", "strings", "shape"}  # parts that are not items


def _superfluous(wanted, seen):
    """Returns a text that names the items that only the observed dict has, not the reference's;
    None if there are none."""
    for fact, part in wanted.items():
        if isinstance(part, dict) and not _STRUCTURE & part.keys():
            more = [
                key for key in seen[fact] if key not in {*part, *_STRUCTURE} and not key.isdecimal()
            ]
            if more:
                return f"{fact}: not expected: {', '.join(more)}"
    return None


# Names that write to a Tensor according to their pages, but not in MindSpore on a CPU.
_WRITES = re.compile(r".*_|Tensor\.(?:cauchy|log_normal)")


# Expressions after a call that write to their inputs.
_WRITE = re.compile(r"\w_\(|[Aa]ssign|Scatter|set_data|__setitem__|out=|sample\.shares")
_UPDATING = re.compile(r"nn\.DynamicLossScaleUpdateCell")  # objects that update their inputs
# References whose outcomes do not record which Tensors a call wrote to.
_TELL_LESS = ("pytorch", "its page")


def _overwritten(case, seen):
    """Returns the first argument or Parameter to which a call wrote although the reference did not;
    None without one. If a part of the reference's outcome is not stored, only the inputs of the
    texts after the call are compared."""
    known, texts = case.get("seen", case["wanted"]), case.get("then", ())
    if _WRITES.fullmatch(case["name"]):
        return None
    held = set()
    if not _UPDATING.fullmatch(case.get("of", case["name"])):
        held = {f"input of then {n}" for n, t in enumerate(texts, 1) if not _WRITE.search(str(t))}
    parts = {"result", *(f"then {n}" for n, _ in enumerate(texts, 1))}
    if case.get("by") not in _TELL_LESS and parts <= known.keys():
        held |= {"self", *(case.get("call") or {})}
        held |= {fact.removeprefix("initial ") for fact in known if fact.startswith("initial ")}
    for name in held:
        if f"{name} after" in seen and f"{name} after" not in known:
            return f"{name} after: not expected"
    return None


def _unrepeated(case, seen):
    """Returns a text if an object gave another result when it was called a second time, and the
    reference's result does not depend on chance; None otherwise."""
    wanted = case["wanted"]
    if "second call" not in seen or "second call" in case.get("seen", wanted):
        return None
    if not _has_values(wanted.get("result")):
        return None
    close = differ(seen["result"], seen["second call"], scaled=True) is None
    return None if close or _is_seeded(case) else "second call: not the first result"


def _has_values(seen):
    """Returns whether all Tensors of an observation have stored numbers or texts, and there is
    one."""
    if isinstance(seen, dict):
        parts = [part for key, part in seen.items() if key != "count"]
        return "strings" in seen or bool(parts) and all(map(_has_values, parts))
    return is_tensor(seen) and len(seen) > 2


_SEED = re.compile(r"(?i)seed\d?$|generator$")


def _is_seeded(case):
    """Returns True if a seed argument of the call determines its random numbers. No page says which
    numbers those are."""
    given = {**(case.get("init") or {}), **(case.get("call") or {})}
    return any(_SEED.search(name) for name in given) or ".manual_seed(" in str(given)


def _without_numbers(seen):
    if isinstance(seen, dict):
        return {key: _without_numbers(part) for key, part in seen.items()}
    return seen[:2] if isinstance(seen, list) and seen[0] != "moments" else seen


def _fails_by_accident(observed):
    """Returns whether MindSpore fails with an exception that no documentation would name."""
    return observed.get("refused", _DELIBERATE[0]) not in _DELIBERATE


def _refusals_differ(case, wanted, got):
    """Returns None if both sides reject with the same exception or one that the page names.

    A value of a type that the page does not list may be rejected even if MindSpore accepts it.
    """
    if wanted is None:
        if case.get("unlisted") and got in _DELIBERATE:
            return None
        return {"expected": "accepted, as by real MindSpore or the documented formula"}
    if got is not None and got in (wanted, *case.get("errors", ())):
        return None
    expectation = {"expected": f"{wanted}, as of real MindSpore"}
    return expectation if got else {**expectation, "got": "accepted"}


def part_at(seen, difference):
    """Returns the part of an observation that a difference names: "after 2: moment1.weight:
    values"."""
    for key in difference.split(": ") if difference else ():
        if not isinstance(seen, dict) or key not in seen:
            break
        seen = seen[key]
    return _short(seen)


def _judge_refusal(case, result, status, observed):
    verdict = _refusal(case, result, observed)
    if "apart" in case and {**result, **verdict}["status"] != "pass":
        return {"status": "skip", "got": case["apart"]}
    return verdict


def _refusal(case, result, observed):
    """Judges a rejection by MindSpore's outcome, apart from the reasons in the spec."""
    if observed in case.get("also", ()) and result.get("observed") == observed:
        return {"status": "pass"}  # two sentences forbid it; MindSpore raises this exception
    if observed != "accepted":
        return {}
    if result.get("observed") == "accepted":
        return {"status": "pass", "expected": "accepted, as by real MindSpore"}
    return {
        "status": "fail",
        "expected": f"accepted, as by real MindSpore (documented: {case['expect']})",
    }


def _judge_result(case, result, status, observed):
    if result["status"] != "pass" and "apart" in case:
        return {"status": "skip", "got": case["apart"]}
    if status != "pass":
        if result.get("observed") in case.get("errors", ()):  # not confirmed by MindSpore
            return {"status": "skip", "got": f"{result['got']}; another sentence may forbid it"}
        if result["status"] == "pass" or observed == "no kernel":
            return {}
        return {"status": "skip", "got": f"refused here and by real MindSpore ({observed})"}
    if result["status"] != "pass":
        return {"expected": "accepted, as by real MindSpore"}
    drawn = _DRAWN.search(case["name"].rpartition(".")[2])
    difference = differ(observed, result.get("observed"), values=not drawn)
    if not difference:
        return {}
    if "apart" in case:
        return {"status": "skip", "got": case["apart"], "expected": _short(observed)}
    return {
        "status": "fail",
        "got": _short(result.get("observed")),
        "expected": _short(observed),
        "difference": difference,
    }


def _judge_promise(case, result, status, observed):
    if status == "pass" or result.get("observed") == observed:
        return {"status": "pass"} if result.get("observed") == observed and status == "fail" else {}
    return (
        {"status": "skip", "got": "real MindSpore does not keep it either"}
        if status in LOST or result["status"] != "pass"
        else {}
    )


def _judge_gradient(case, result, status, observed):
    mine = result.get("observed")
    if status == "pass" or result["status"] != "fail":
        return {}
    if isinstance(mine, float):
        agrees = isinstance(observed, float) and abs(mine - observed) <= 2e-2 * max(
            abs(observed), 1e-2
        )
        return (
            {"status": "pass", "expected": f"gradient {observed}, as of real MindSpore"}
            if agrees
            else {}
        )
    return {
        "status": "skip",
        "got": f"no gradient here nor on real MindSpore: {result.get('got', '')}",
    }


def is_sound(case, answers):
    """Returns whether real MindSpore accepts the documented call that an odd case changes."""
    base = answers.get(f"{case['name']}::{ODD}::{UNCHANGED}")
    return base is not None and base[2] == "accepted"


def refused(entries, areas, recorded, case_list=()):
    """Yields the odd cases in which real MindSpore refuses a call by an exception that pages name:
    those of some areas, or all. If a case of the list makes the same call and the page asks for
    another exception, the page decides, and the odd case is left out."""
    stated = {_call_of(case): case["expect"] for case in case_list if case["kind"] == "raises"}
    for case in all_cases(entries, (ODD,), areas):
        answer = answer_to(case, recorded)
        if answer is None or bare(answer[2]) not in _DELIBERATE:
            continue
        agrees = stated.get(_call_of(case), bare(answer[2])) == bare(answer[2])
        if agrees and "apart" not in case and is_sound(case, recorded):
            yield case


def _call_of(case):
    """Returns the name and the argument texts of a case, as a key."""
    return json.dumps([case.get(part) for part in ("name", "init", "call", "owner")])


def bare(observed):
    """Returns an outcome without the note "(no kernel)"."""
    return str(observed).removesuffix(" (no kernel)")


def _judge_odd(case, result, status, observed):
    wanted = {"expected": f"{bare(observed)}, as of real MindSpore"}
    if bare(result["observed"]) == bare(observed):
        return {"status": "pass", **wanted}
    if "apart" in case:
        return {"status": "skip", "got": f"{result['got']}; {case['apart']}", **wanted}
    return {"status": "fail", **wanted}


def _judge_unkept(case, result, status, observed):
    if "apart" in case and result["status"] == "fail":
        return {"status": "skip", "got": case["apart"]}
    if status in ("pass", "skip") or result["status"] == "pass":  # skip: it shows no signature
        return {}
    return {"status": "skip", "got": f"not kept by real MindSpore either: {result.get('got', '')}"}


def differ(wanted, got, values=True, scaled=False):
    """Returns None if two observations agree, else a text that describes the first difference, such
    as one in structure, dtype or values.

    `scaled` compares numbers relative to the largest one of their Tensor, however small that is,
    at SCALED, or if it is "coarse" or "half" at that tolerance.
    """
    if is_tensor(wanted):
        return _tensors_differ(wanted, got, values, scaled)
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return "kind of result"
        for key, part in wanted.items():
            what = differ(part, got[key], values, scaled) if key in got else "missing"
            if what:
                return f"{key}: {what}"
        return None
    if isinstance(wanted, list):
        if not isinstance(got, list) or is_tensor(got) or len(got) != len(wanted):
            return "number of results"
        parts = (differ(w, g, values, scaled) for w, g in zip(wanted, got, strict=True))
        return next(filter(None, parts), None)
    if isinstance(wanted, str) and scaled:
        return None if wanted == got else "text"
    return "flag" if isinstance(wanted, bool) and wanted is not got else None


def is_tensor(seen):
    """Returns whether an observation is [dtype, shape, numbers] instead of a list of results."""
    whole = isinstance(seen, list) and len(seen) in (2, 3)
    return (
        whole and isinstance(seen[0], str) and isinstance(seen[1], list) and not _is_text(seen[1])
    )


def _is_text(shape):
    return any(not isinstance(n, int) for n in shape)


def _tensors_differ(wanted, got, values, scaled):
    if not is_tensor(got):
        return "kind of result"
    if wanted[0].lower() != got[0].lower():
        return "dtype"
    if wanted[1] != got[1]:
        return "shape"
    if wanted[0] == "moments":
        return None if _alike(wanted[2], got[2]) else "moments of random numbers"
    if not values:
        return None
    if len(wanted) > 2 and len(got) == 2:
        return "values, which hang on chance"
    if len(wanted) > 2 and not _close(wanted[2], got[2], wanted[0].lower(), scaled):
        return "values"
    return None


def _alike(wanted, got):
    """Returns True if two samples of several hundred numbers may have the same distribution."""
    (mean, deviation), (other_mean, other) = wanted, got
    near = abs(mean - other_mean) <= 0.25 * max(deviation, other) + 1e-4
    return near and abs(deviation - other) <= 0.25 * max(deviation, 1e-4)


def _close(wanted, got, dtype, scaled=False):
    """Returns whether numbers agree within the tolerance of their dtype."""
    loose = _HALF.get(dtype, RELATIVE)
    if isinstance(wanted, dict):  # means of a large result, compared at its scale
        tolerance = max(ABSOLUTE, loose * abs(wanted["size"]))
        return all(a == got[key] or abs(a - got[key]) <= tolerance for key, a in wanted.items())
    least = loose * _largest(wanted) if dtype in _HALF else ABSOLUTE
    if scaled and dtype not in _HALF:
        share = {"half": HALVES, "coarse": COARSE}.get(scaled, SCALED)
        least, loose = max(share * _largest(wanted), TINY), 0.0
    for a, b in zip(wanted, got, strict=True):
        if isinstance(a, str) or isinstance(b, str):
            a, b = complex(a), complex(b)
            if a != a or b != b or abs(a) == float("inf"):
                if str(a) != str(b):
                    return False
                continue
        if abs(a - b) > max(least, loose * abs(a)):
            return False
    return True


def _largest(numbers):
    """Returns the magnitude of the largest finite number, which is the scale of rounding errors in
    one result."""
    sizes = [abs(complex(number)) for number in numbers]
    return max((size for size in sizes if size < float("inf")), default=0.0)


def _short(observed):
    text = json.dumps(observed, ensure_ascii=False)
    return text if len(text) < 400 else text[:397] + "..."
