"""Makes a varied call on the target, in the worker, and observes the whole outcome: the result,
changes of arguments and Parameters, and for an object that is not called, the results of its
typical use.

Every Parameter of a layer is first set to a wave, so that the result does not depend on random
numbers.
"""

import contextlib
import enum
import functools

import numpy as np

from ..arguments.drawn import SET, follows
from ..arguments.files import Files
from ..arguments.loops import Loops, Note
from ..arguments.waves import wave
from ..arguments.world import World
from ..calls.applying import apply
from ..kinds import steps
from . import states
from .again import Again
from .sharing import Sharing

KEEP = 12  # a Tensor of up to 12 elements is stored; of a larger one 8 elements and two means
KERNEL = [12, 4, 5, 3]  # the shape of a convolution's weight; all axes have different lengths
ROWS = 5  # rows of a dataset that are stored
SEEDS = "3", "3", "4", "11", "2026", "70001"  # the first one is used twice
LEAST = 400  # least number of random numbers whose moments are compared


def drive(worker, case):
    """Returns {"seen": {"result": facts, ...}}. With `probe`, random numbers are left out. With
    `seed`, the facts say whether that argument determines the random numbers. With `ranks`, they
    are the facts of each rank."""
    if "ranks" in case:
        return {"seen": worker.ranks.observed(case)}
    if "seed" in case:
        return {"seen": _by_seed(worker, case, case["seed"])}
    seen = _prepared_for(worker, case)
    if case.get("probe"):
        worker._reset(seed=1)
        seen = _agreed(seen, _prepared_for(worker, case))
    return {"seen": seen}


def _by_seed(worker, case, argument):
    """Returns whether a seed gives the same numbers twice, and whether another seed gives
    others."""
    part = "init" if case.get("init") is not None else "call"

    def seen(seed):
        worker._reset()
        if argument in SET:
            first = [*case.get("first", ()), SET[argument].format(seed)]
            return _prepared_for(worker, {**case, "first": first})
        text = f"sample.generator({seed})" if argument == "generator" else seed
        return _prepared_for(worker, {**case, part: {**case[part], argument: text}})

    with _kept_seed(worker.ms):
        first, second, *others = map(seen, SEEDS)
    return {"the same": str(second == first), "another": str(any(o != first for o in others))}


@contextlib.contextmanager
def _kept_seed(ms):
    """Restores the seed of datasets at the end."""
    config = getattr(ms.dataset, "config", None)
    before = config.get_seed() if config else None
    yield
    if config and config.get_seed() != before:
        config.set_seed(before)


def _prepared_for(worker, case):
    """Returns the observations of a case after its `first` statements, whose effects are undone at
    the end."""
    sample = worker.values.names["sample"]
    loops = Loops(worker.ms, steps.offer(worker).dense)
    sample.played, sample.printed, sample.signalled = loops.played, loops.printed, loops.signalled
    sample.spy = lambda: loops.spy(sample.held)
    sample.changed, sample.orders = _changed_parameters, _orders
    sample.files, sample.held = Files(worker.ms), None
    sample.world = World(worker.ms, "rank" in case)
    worker.values.names["rank"] = case.get("rank", 0)
    sample.hold = lambda value: [setattr(sample, "held", value), value][1]  # for texts after a call
    sample.made = lambda *inputs: worker.values.made(*inputs)  # constructs the object once more
    sample.note, sample.follows = Note, functools.partial(follows, worker.ms)
    sample.generator = lambda seed: _generator(worker.ms, seed)
    with sample.world:
        for text in case.get("first", ()):
            worker.values.build(text)
        if case.get("rank") and "other" in case:  # only rank 0 makes the call
            return {
                name: fact
                for index, text in enumerate(case["other"], 1)
                for name, fact in _done(worker, f"other {index}", str(text), None).items()
            }
        return _seen(worker, case)


def _generator(ms, seed):
    """Returns a generator of random numbers with a seed."""
    generator = ms.Generator()
    generator.manual_seed(seed)
    return generator


def _changed_parameters(distribution, factor=0.5):
    """Returns the parameters of a distribution, each multiplied by a factor."""
    return [value * factor for value in distribution.get_dist_args()]


def _orders(dataset, epochs=12):
    """Returns the number of different orders of a dataset's rows in some epochs."""
    iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return len({str([[str(part) for part in row] for row in iterator]) for _ in range(epochs)})


def _seen(worker, case):
    build = worker.values.build
    given = {name: build(text) for name, text in (case.get("call") or {}).items()}
    name = case.get("of", case["name"])
    last = name.rpartition(".")[2]
    facts, owner = {}, None
    if case.get("owner"):
        owner = worker.opened(build(case["owner"]))
        before = _values_of([("self", owner), *given.items()])
        thing = getattr(owner, last)
        result = apply(thing, given) if case.get("call") is not None else thing
    else:
        thing = worker.resolved(name)
        if case.get("init") is not None:
            thing = _made(worker, case)
            facts.update(_prepared(worker.ms, thing, case))
        before = _values_of([*given.items(), *_parameters_of(thing)])
        worker.values.made = thing
        result = apply(thing, given) if case.get("call") is not None else thing
        if case.get("state"):
            return states.facts_of(thing, observe)
    facts["result"] = _with_use(worker, result)
    _offer_again(worker, thing, given, owner, last)
    subject = owner if owner is not None else thing if case.get("init") is not None else result
    worker.values.names["sample"].state = lambda *names: states.shown(subject, names)
    for index, text in enumerate(case.get("then", ()), 1):
        if index > 1 and _is_dataset(result) and case.get("init") is not None:
            result = _made(worker, case)  # a dataset can be the input of only one other dataset
        facts.update(_done(worker, f"then {index}", str(text), result))
    facts.update(_changed(before))
    if case.get("gradient"):
        facts.update(_gradients(worker.ms, case, thing, given))
    facts.update(_second_call(worker, case, facts, thing, given))
    sample = _moments(result)
    return {**facts, "moments": sample} if sample else facts


def _second_call(worker, case, facts, thing, given):
    """Returns {"second call": facts} if an object gives another result when it is called a second
    time with the same arguments. An object that trains, or has written to a Tensor, is not called
    again. The second result of an object that draws random numbers says nothing."""
    is_object = case.get("init") is not None and case.get("call") is not None
    if not is_object or "then" in case or case.get("train"):
        return {}
    if any(fact.endswith(" after") for fact in facts):
        return {}
    second = _outcome(thing, given)
    if second == facts["result"] or _draws(worker, case, given):
        return {}
    return {"second call": second}


def _outcome(thing, given):
    """Returns the facts of a call's result, or the name of its exception."""
    try:
        return observe(apply(thing, given))
    except Exception as error:  # noqa: BLE001  (the target may raise anything)
        return f"raised {type(error).__name__}"


def _draws(worker, case, given):
    """Returns whether the seed determines the second result of an object."""

    def second(seed):
        worker._reset(seed)
        if config := getattr(worker.ms.dataset, "config", None):
            config.set_seed(seed)
        thing = _made(worker, case)
        _prepared(worker.ms, thing, case)
        _outcome(thing, given)
        return _outcome(thing, given)

    with _kept_seed(worker.ms):
        first, again, *others = map(second, map(int, SEEDS))
        worker._reset()
        return again == first and any(other != first for other in others)


def _offer_again(worker, thing, given, owner, last):
    """Makes `sample.again` available to the texts that are evaluated after the call."""
    sample = worker.values.names["sample"]
    sample.again = Again(worker.ms, thing, given, owner, last)
    sample.in_graph = sample.again.in_graph
    subject = [("self", owner)] if owner is not None else _parameters_of(thing)
    held = [*subject, *given.items()]
    sample.shares = Sharing(
        worker.ms, sample.again, lambda: _values_of(held, arrays=True), _changed, observe
    )


def _made(worker, case):
    """Returns the object of a case, constructed with its arguments."""
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    return worker.opened(apply(worker.resolved(case.get("of", case["name"])), given))


def _gradients(ms, case, thing, given):
    """Returns {"gradient of NAME": facts}: the gradient of a weighted sum of the result for each
    float Tensor, and for each Parameter of a layer."""
    texts, last = dict(given), case["name"].rpartition(".")[2]
    if case.get("owner"):
        texts = {"self": thing.__self__ if hasattr(thing, "__self__") else None, **given}
    moving, weights = _moving(texts), _trainable(thing)
    if not moving and not weights:
        return {}

    def forward(*tensors):
        new = _replaced(texts, dict(zip(moving, tensors, strict=True)))
        called = getattr(new.pop("self"), last) if case.get("owner") else thing
        total = 0
        for part in _real_parts(ms, apply(called, new)):
            total = total + (part * ms.Tensor(wave(part.shape)).astype(part.dtype)).sum()
        return total

    positions = tuple(range(len(moving))) or None
    if not moving:
        gradients = [], ms.grad(forward, None, [*weights.values()])()
    elif weights:
        gradients = ms.grad(forward, positions, [*weights.values()])(*moving.values())
    else:
        gradients = ms.grad(forward, positions)(*moving.values()), []
    names = moving, (f"parameter {name}" for name in weights)
    return {
        f"gradient of {name}": observe(part)
        for group, parts in zip(names, map(_listed, gradients), strict=True)
        for name, part in zip(group, parts, strict=True)
    }


def _listed(parts):
    return parts if isinstance(parts, (tuple, list)) else (parts,)


def _trainable(thing):
    """Returns {name: Parameter} of the float Parameters of a layer that are trained."""
    return {n: p for n, p in _parameters_of(thing) if p.requires_grad and _is_float(p)}


def _moving(given):
    """Returns {name: Tensor} of the float Tensors among the arguments. A Tensor in a sequence has
    the key "name[index]". If there are no float Tensors, returns the complex ones."""
    tensors = {}
    for name, value in given.items():
        if isinstance(value, (tuple, list)):
            tensors.update({f"{name}[{i}]": part for i, part in enumerate(value)})
        else:
            tensors[name] = value
    floats = {key: value for key, value in tensors.items() if _is_float(value)}
    return floats or {key: value for key, value in tensors.items() if _is_complex(value)}


def _replaced(given, tensors):
    """Returns the arguments with some Tensors replaced. Keys are those of `_moving`: `x`, or `x[0]`
    for an element of a sequence."""
    new = dict(given)
    for key, tensor in tensors.items():
        name, _, index = key.partition("[")
        if index:
            at, kind = int(index[:-1]), type(new[name])
            new[name] = kind([*new[name][:at], tensor, *new[name][at + 1 :]])
        else:
            new[name] = tensor
    return new


def _parts(result):
    if isinstance(result, (tuple, list)):
        return [part for item in result for part in _parts(item)]
    return [result]


def _real_parts(ms, result):
    """Returns the float Tensors of a result. If it has none, returns the real parts of the complex
    Tensors and their imaginary parts, which are listed twice to get another weight."""
    parts = _parts(result)
    return [p for p in parts if _is_float(p)] or [
        part
        for p in parts
        if _is_complex(p)
        for part in (ms.ops.real(p), ms.ops.imag(p), ms.ops.imag(p))
    ]


def _is_complex(value):
    return _is_tensor(value) and str(value.dtype).lower().startswith("complex")


def _is_float(value):
    return _is_tensor(value) and str(value.dtype).lower().startswith("float")


def _done(worker, name, text, result):
    """Returns {name: facts} of an expression on the result, such as a method call or an attribute,
    or its exception. For many random numbers, "moments of NAME" is added."""
    with worker.values.watching() as tensors:
        try:
            value = worker.values.build(text, it=result)
            facts = {name: _with_use(worker, value)}
        except Exception as error:  # noqa: BLE001
            return {name: f"raised {type(error).__name__}"}
    written = [tensor for tensor, values in tensors if _is_written(tensor, values)]
    if written:
        facts[f"input of {name} after"] = observe(written[0])
    return {**facts, **({f"moments of {name}": m} if (m := _moments(value)) else {})}


def _prepared(ms, thing, case):
    """Returns the initial values of a new layer's Parameters, and sets the Parameters to fixed
    values unless the case is `fresh`."""
    facts = {}
    if not hasattr(thing, "get_parameters"):
        return facts
    with contextlib.suppress(AttributeError):
        thing.set_train(bool(case.get("train")))
    held = _parameters_of(thing)
    for name, parameter in held:
        if getattr(parameter, "has_init", False) and hasattr(parameter, "init_data"):
            parameter.init_data()
        values = parameter.asnumpy()
        facts[f"initial {name}"] = observe(parameter)
        is_drawn = not values.size or (values != values.flat[0]).any()
        if is_drawn and "seed" not in case:
            del facts[f"initial {name}"][2:]  # they are drawn
            if sample := _moments(parameter):
                facts[f"moments of initial {name}"] = sample
    if "params" not in case["init"] and not case.get("fresh"):
        for _, parameter in held:
            _fix(ms, parameter)
    return facts


def _fix(ms, parameter):
    """Sets a float Parameter to a wave."""
    values, short = parameter.asnumpy(), _short_name(parameter)
    if values.dtype.kind == "f":
        shift = 0.0 if "var" in short else 0.5
        fixed = wave(values.shape, float(len(short))) - np.float32(shift)
        parameter.set_data(ms.Tensor(fixed.astype(values.dtype), parameter.dtype))


def _parameters_of(thing):
    """Returns [(last part of the name, Parameter)] of a layer. If several Parameters share the last
    part, the earlier ones are listed also under their whole names."""
    if not hasattr(thing, "get_parameters"):
        return []
    parameters = [(_short_name(p), p) for p in thing.get_parameters()]
    last = dict(parameters)
    hidden = [p for short, p in parameters if last[short] is not p and p.name != short]
    return parameters + [(p.name, p) for p in hidden]


def _short_name(parameter):
    return parameter.name.rpartition(".")[2] or parameter.name


def _values_of(held, arrays=False):
    """Returns [(name, Tensor, its values)] for everything that a call may write to. `arrays` adds
    the NumPy arrays."""
    values = []
    for name, value in held:
        if hasattr(value, "get_parameters"):
            values += _values_of([(f"{name}.{key}", p) for key, p in _parameters_of(value)])
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if _is_tensor(part) or (arrays and isinstance(part, np.ndarray)):
                with contextlib.suppress(Exception):
                    values.append((name, part, np.array(_array(part))))
    return values


def _changed(before):
    """Returns {"NAME after": facts} of the Tensors that a call wrote to."""
    facts = {}
    for name, tensor, values in before:
        if _is_written(tensor, values):
            facts[f"{name} after"] = observe(tensor)
    return facts


def _array(value):
    return value.asnumpy() if _is_tensor(value) else value


def _is_written(tensor, values):
    """Returns whether a Tensor no longer has these values."""
    now = np.asarray(_array(tensor))
    same = (now.shape, now.dtype) == (values.shape, values.dtype)
    return not same or now.tobytes() != values.tobytes()


def _with_use(worker, result):
    """Returns the facts of a result. An initializer has no values of its own, so the facts describe
    a Tensor that it filled."""
    kinds = {c.__name__ for c in type(result).__mro__}
    if "Initializer" in kinds:
        shape = [4, 3, 60] if "Dirac" in kinds else [12, 60]  # it needs a kernel
        facts = _filled(worker.ms, result, shape)
        with contextlib.suppress(Exception):  # some fill matrices alone
            facts["kernel"] = _filled(worker.ms, result, KERNEL)
        return facts
    return observe(result)


def _filled(ms, initializer, shape):
    """Returns the facts of a Tensor that an initializer has filled."""
    tensor = ms.common.initializer.initializer(initializer, shape, ms.float32)
    tensor = tensor.init_data() if hasattr(tensor, "init_data") else tensor
    return {"filled": observe(tensor), **({"moments": m} if (m := _moments(tensor)) else {})}


def _rows(dataset):
    """Returns the facts of a dataset: column names, size and the first rows."""
    rows, count = {}, 0
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        if count < ROWS:
            rows[str(count)] = {name: observe(value) for name, value in row.items()}
        count += 1
    return {"columns": list(dataset.get_col_names()), "count": str(count), "rows": rows}


def observe(value):
    """Returns the facts of any result. Tensors and arrays are reduced to a small fixed number of
    numbers."""
    if _is_tensor(value):
        return _array_facts(str(value.dtype), np.asarray(value.asnumpy()))
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "USOT":
            return {"strings": [_text(str(v)) for v in value.reshape(-1).tolist()[:KEEP]]}
        return _array_facts(f"array {value.dtype}", value)
    if hasattr(value, "getbands") and hasattr(value, "tobytes"):
        return {"image": _text(value.mode), "pixels": observe(np.asarray(value))}
    if isinstance(value, np.generic) and value.dtype.kind in "fiubc":
        return _array_facts(f"scalar {value.dtype}", np.asarray(value))
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, (int, float, complex)):
        plain = next(kind for kind in (int, float, complex) if isinstance(value, kind))
        kind = type(value) if isinstance(value, enum.Enum) else plain
        return [kind.__name__, [], [_number(value)]]
    if isinstance(value, dict):
        return {str(key): observe(part) for key, part in list(value.items())[:KEEP]}
    if isinstance(value, (tuple, list)):
        return {"count": str(len(value)), **{str(i): observe(v) for i, v in enumerate(value[:8])}}
    if isinstance(value, str):
        return _text(value)
    return _object_facts(value)


def _object_facts(value):
    if _is_dataset(value):
        return _rows(value)
    parts = [p for p in ("indptr", "indices", "values", "shape") if hasattr(value, p)]
    if "values" in parts and "shape" in parts:
        return {part: observe(getattr(value, part)) for part in parts}
    if type(value).__module__.endswith(("dtype", "typing")):
        return _text(str(value))
    return type(value).__name__


def _is_dataset(value):
    kinds = {c.__name__ for c in type(value).__mro__}
    return "Dataset" in kinds and hasattr(value, "create_dict_iterator")


def _array_facts(dtype, values):
    fact = [dtype, list(map(int, values.shape))]
    if values.dtype.name == "bfloat16" or values.dtype.kind == "V":
        try:
            values = values.astype(np.float32)
        except (TypeError, ValueError):
            return fact
    if values.dtype.kind not in "fiubc":
        return fact
    flat = values.reshape(-1)
    if flat.size <= KEEP:
        return [*fact, [_number(v) for v in flat.tolist()]]
    picks = flat[np.linspace(0, flat.size - 1, 8).astype(np.int64)]
    real = (np.abs(flat) if flat.dtype.kind == "c" else flat).astype(np.float64)
    means = [0.0, 0.0]
    if np.isfinite(real).all():
        means = [real.mean(), (real * np.cos(np.arange(real.size))).mean()]
    return [*fact, [_number(v) for v in [*picks.tolist(), *map(float, means)]]]


def _moments(value):
    """Returns the mean and standard deviation of an array of at least LEAST elements; None
    otherwise."""
    if not _is_tensor(value) and not isinstance(value, np.ndarray):
        return None
    values = np.asarray(value.asnumpy() if _is_tensor(value) else value)
    if values.size < LEAST or values.dtype.kind not in "fiub":
        return None
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        return None
    return ["moments", [2], [_number(float(values.mean())), _number(float(values.std()))]]


def _number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, complex) or value != value or abs(value) == float("inf"):
        return repr(value)
    return float(f"{value:.6g}")


def _text(value):
    """Returns a short text unchanged, and the digest of a longer one."""
    from ..kinds.observations import observe as of_text

    return of_text(value)


def _is_tensor(value):
    return hasattr(value, "asnumpy") and hasattr(value, "shape") and hasattr(value, "dtype")


def _agreed(first, second):
    """Returns the facts of two runs with different seeds, with numbers only where both agree."""
    if isinstance(first, dict) and isinstance(second, dict):
        return {k: _agreed(part, second[k]) for k, part in first.items() if k in second}
    if first == second:
        return first
    if not isinstance(first, list) or not isinstance(first[0], str) or first[0] == "moments":
        return first if isinstance(first, list) and first[:1] == ["moments"] else "varies"
    return first[:2] if isinstance(second, list) and first[:2] == second[:2] else "varies"
