"""Parameter rules: accepted values, exception types, wording, comparison, generated checks."""

import ast
import copy
import inspect
import math
import traceback

import numpy as np
import pytest

from mindspore_compat._core.declare.public_api import PUBLIC, public
from mindspore_compat._core.rules import base as frame
from mindspore_compat._core.rules import value_rules, vocabulary
from mindspore_compat._core.rules.vocabulary import (
    Any,
    Bool,
    Callable,
    CellOf,
    DType,
    Float,
    Forbid,
    Init,
    InstanceOf,
    Int,
    ListOf,
    Number,
    OneOf,
    Params,
    Rate,
    Str,
    TensorOf,
    TupleOf,
    checked,
    guard_all,
    inf,
    number,
    real,
    refuse_all,
)
from mindspore_compat._core.tensor import dtype as mstype

pytestmark = pytest.mark.quick

nan = math.nan


class FakeTensor:
    """A substitute for Tensor with the attributes that rules read."""

    def __init__(self, array, name=None):
        self._array = np.asarray(getattr(array, "_array", array))
        self.shape = self._array.shape
        self.dtype = mstype.from_numpy(self._array.dtype)

    def __iter__(self):
        return map(FakeTensor, self._array)

    @property
    def size(self):
        return self._array.size

    @property
    def ndim(self):
        return self._array.ndim

    def asnumpy(self):
        return self._array


class FakeParameter(FakeTensor):
    """A Parameter is a Tensor."""


class FakeCell:
    """A substitute for Cell, Initializer and similar classes."""


class FakeSchedule(FakeCell):
    """A substitute for LearningRateSchedule."""


@pytest.fixture(autouse=True)
def stand_in_types(monkeypatch):
    """Registers small classes of this file in place of Tensor, Cell and others, so that the tests
    load no other part of the package."""
    stand_ins = {
        "Tensor": FakeTensor,
        "Parameter": FakeParameter,
        "Cell": FakeCell,
        "Initializer": FakeCell,
        "LearningRateSchedule": FakeSchedule,
    }
    monkeypatch.setattr(frame, "_registered", stand_ins)


def tensor(dtype="float32", shape=(2,)):
    return FakeTensor(np.ones(shape, mstype.numpy_dtype(dtype)))


# rule, accepted values, values of the wrong kind, values out of range
CASES = [
    (Int, [0, -3], [1.0, "1", True, None, np.int64(1), [1]], []),
    (Int(ge=1), [1, 5], [1.0, True, None], [0, -1]),
    (Int(gt=0, le=3), [1, 3], [True, "2"], [0, 4]),
    (
        Int(numpy_scalars=True),
        [1, np.int64(3), np.uint8(2)],
        [True, np.bool_(True), 1.0, np.float32(1)],
        [],
    ),
    (Float, [0.5, nan, np.float64(2)], [1, True, "x", None, np.float32(1)], []),
    (Float(gt=0.0, lt=1.0), [0.5, np.float64(0.1)], [1, 0, True, "0.5"], [0.0, 1.0, -0.1, nan]),
    (Float(ge=0.0, le=1.0), [0.0, 1.0], [1], [-0.5, 1.5, nan]),
    (Float(gt=0.0, lt=inf), [1e300], [1], [inf, nan, 0.0]),
    (Float(numpy_scalars=True), [np.float32(1), 1.5], [1, np.int32(1)], []),
    (Number(ge=0), [0, 0.5, 3], [True, "1", None, np.int64(1)], [-1, -0.5, nan]),
    (
        Number(numpy_scalars=True),
        [np.int64(1), np.float32(2), 1, 1.5],
        [True, np.bool_(True), "1"],
        [],
    ),
    (Bool, [True, False], [1, 0, None, "True", np.bool_(True)], []),
    (Str, ["", "a", np.str_("a")], [1, b"a", None], []),
    (Callable, [len, FakeCell], [1, None], []),
    (Any, [1, None, "a"], [], []),
    (
        OneOf("same", "valid"),
        ["same", np.str_("valid")],
        [1, None, b"same", ["same"]],
        ["Same", ""],
    ),
    (OneOf(1, 2), [1, 2], [True, 1.0, "1"], [3]),
    (OneOf("a", 1), ["a", 1], [1.0, None], ["b", 2]),
    (OneOf("a") | None, ["a", None], [1], ["b"]),
    (TupleOf(Int), [(), (1, 2)], [1, [1], (1.0,), (True,), None], []),
    (TupleOf(Int(ge=1), length=2), [(1, 2)], [(1, "2"), [1, 2]], [(1,), (1, 2, 3), (0, 1), ()]),
    (TupleOf(Int, length=(2, 4)), [(1, 2), (1, 2, 3, 4)], [(1, 1.0)], [(1, 2, 3)]),
    (TupleOf(Float, min_length=1), [(1.0,)], [(1,)], [()]),
    (TupleOf(Int, length=2, length_is_kind=True), [(1, 2)], [(1,), (1, 2, 3), (1, "a")], []),
    (TupleOf(TupleOf(Int, length=2)), [((1, 2), (3, 4))], [((1, 2.0),), (1,)], [((1, 2), (3,))]),
    (TupleOf, [(), (1, "a")], [[1]], []),
    (ListOf(Str), [[], ["a"]], [("a",), [1], "a"], []),
    (ListOf(Int | None), [[1, None]], [[1.0]], []),
    (
        Int(ge=1) | TupleOf(Int(ge=1), length=2),
        [1, (1, 2)],
        [1.0, (1, 1.0), "a"],
        [0, (1, 0), (1,)],
    ),
    (Float | None, [1.0, None], [1], []),
    (Float(gt=0.0) | Int(gt=0), [1.0, 1], ["1", True], [0, 0.0, -1]),
    (Int | Bool, [1, True], [1.0], []),
    (TensorOf(), [tensor(), tensor("bool")], [1, None, np.ones(2)], []),
    (
        TensorOf("float16", "float32"),
        [tensor("float16")],
        [tensor("int32"), tensor("float64"), 1],
        [],
    ),
    (
        TensorOf(real),
        [tensor("int8"), tensor("bfloat16")],
        [tensor("bool"), tensor("complex64")],
        [],
    ),
    (TensorOf(number), [tensor("complex64")], [tensor("bool"), 1], []),
    (TensorOf(real, scalars=True), [tensor(), 1, 2.5, True], [tensor("bool"), "1", [1]], []),
    (
        DType,
        [mstype.float32, mstype.bool_, mstype.string],
        ["float32", np.float32, float, None],
        [],
    ),
    (DType("float16", "int32"), [mstype.int32], [mstype.int64, "int32"], []),
    (CellOf, [FakeCell(), FakeSchedule()], [FakeCell, len, None], []),
    (CellOf("LearningRateSchedule"), [FakeSchedule()], [FakeCell()], []),
    (
        Params,
        [[1], (1,), iter([1]), {1}, [{}]],
        [1, FakeCell(), FakeParameter(1.0), "w"],
        [None, [], ()],
    ),
    (
        Rate,
        [
            0.1,
            0,
            True,
            [0.1],
            (1,),
            np.ones(2),
            iter([1]),
            FakeTensor(0.1),
            tensor(),
            FakeSchedule(),
        ],
        ["0.1", None, FakeCell(), len, np.float32(1), np.array(0.1), b"1"],
        [-0.1, -1, nan, inf, tensor(shape=(2, 2))],
    ),
    (InstanceOf(dict), [{}, {"a": 1}], [[], 1, None], []),
    (InstanceOf(int, str).called("a number or a name"), [1, True, "a"], [1.0, b"a", None], []),
    (
        (TupleOf(Str) | ListOf(Str, min_length=1)).called("names"),
        [("a",), ()],
        [("a", 1), "a", None],
        [[]],
    ),
    (Init, ["normal", 1, 0.5, True, tensor(), FakeCell()], [np.ones(2), [1], None], []),
]
NAMES = [f"{number}:{case[0]!r}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize("rule, good, wrong_kind, out_of_range", CASES, ids=NAMES)
def test_acceptance_and_error_kind(rule, good, wrong_kind, out_of_range):
    guard = eval(f"lambda value: {rule.guard('value')}", rule.scope())
    for expected, values in ((None, good), (TypeError, wrong_kind), (ValueError, out_of_range)):
        for value in values:
            assert bool(guard(copy.copy(value))) is (expected is None), (rule, value)
            assert rule.verdict(value) is expected, (rule, value)
            assert bool(rule.accepts(copy.copy(value))) is (expected is None), (rule, value)


@pytest.mark.parametrize("rule, good, wrong_kind, out_of_range", CASES, ids=NAMES)
def test_examples_are_what_they_are_called(rule, good, wrong_kind, out_of_range):
    examples = rule.examples()
    assert examples.good or rule == CellOf("LearningRateSchedule")
    assert examples.type_errors or rule == Any
    assert examples.value_errors or not out_of_range
    for error, values in ((TypeError, examples.type_errors), (ValueError, examples.value_errors)):
        for value in values:
            with pytest.raises(error, match="For 'Api', 'name' must be .*, but got "):
                rule.refuse("Api", "name", value)
    for value in examples.good:
        rule.refuse("Api", "name", value)


@pytest.mark.parametrize("rule", [case[0] for case in CASES], ids=NAMES)
def test_guard_is_one_expression_and_source_makes_it_again(rule):
    ast.parse(rule.guard("x"), mode="eval")
    namespace = vars(vocabulary)
    assert eval(rule.source(), dict(namespace)) == rule
    assert hash(eval(rule.source(), dict(namespace))) == hash(rule)


def test_a_wrong_kind_may_count_as_a_wrong_value():
    rule = vocabulary.AsValue(Number(ge=0.0))
    assert [rule.verdict(each) for each in (1, 0.5, -1, "a", None, True)] == [None] * 2 + [
        ValueError
    ] * 4
    assert rule.examples().type_errors == []
    assert eval(rule.source(), vars(vocabulary).copy()) == rule != vocabulary.AsValue(Number)
    either = rule | OneOf("none")
    assert [either.verdict(each) for each in ("none", 2, "other", -1)] == [None] * 2 + [
        ValueError
    ] * 2
    with pytest.raises(ValueError, match="For 'Api', 'name' must be a number >= 0.0, but got 'a'"):
        rule.refuse("Api", "name", "a")


def test_some_wrong_kinds_may_count_as_wrong_values():
    rule = vocabulary.AsValue(TensorOf("float32"), vocabulary.Plain)
    verdicts = [rule.verdict(each) for each in (tensor("float32"), None, 1, (2,), tensor("int8"))]
    assert verdicts == [None, ValueError, ValueError, ValueError, TypeError]
    again = eval(rule.source(), vars(vocabulary).copy())
    assert again == rule != vocabulary.AsValue(TensorOf("float32"))
    assert vocabulary.AsValue(Int, Float).verdict(1.5) is ValueError
    assert vocabulary.AsValue(Int, Float).verdict("1") is TypeError


@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_a_number_may_be_read_from_a_tensor_without_axes(error):
    rule = vocabulary.ScalarOf(Int(ge=0) | None, error)
    tensors = [FakeTensor(np.array(each)) for each in (3, 1.5, -1, [3])]
    plain = [rule.verdict(each) for each in (2, None, -1, "2")]
    assert plain == [None, None, ValueError, TypeError]
    assert [rule.verdict(each) for each in tensors] == [None, TypeError, ValueError, error]
    assert (rule | None).read(tensors[0]) == 3
    assert eval(rule.source(), vars(vocabulary).copy()) == rule

    @checked
    def doubled(count: rule, name: Str = "x"):
        return 2 * count

    assert doubled(tensors[0]) == doubled(3) == 6
    for wrong, expected in ((tensors[1], TypeError), (tensors[2], ValueError), (tensors[3], error)):
        with pytest.raises(expected, match="For 'doubled', 'count' must be an int >= 0"):
            doubled(wrong)


def test_values_may_count_by_their_truth():
    @checked
    def as_truth(keep: value_rules.Truth = False):
        return keep

    given = (True, 0, "wrong", (), None)
    assert [as_truth(each) for each in given] == [True, False, True, False, False]
    assert value_rules.Truth.verdict("wrong") is None


def test_a_number_may_be_read_from_a_tensor_of_one_element():
    rule = value_rules.ElementOf(Int(ge=0) | None)
    tensors = [FakeTensor(np.array(each)) for each in (3, [1.5], [[-1]], [3, 4])]
    assert [rule.verdict(each) for each in tensors] == [None, None, ValueError, TypeError]
    assert rule.read(tensors[1]) == 1
    assert rule.read(2) == 2 and rule != vocabulary.InTensor(Int(ge=0) | None)


def test_the_first_of_several_may_count():
    rule = value_rules.FirstOf(Int(ge=0)) | None
    given = (3, (3, "x"), [-1], (), ("x",), None)
    assert [rule.verdict(each) for each in given] == [
        None,
        None,
        ValueError,
        TypeError,
        TypeError,
        None,
    ]
    assert rule.read([3, 4]) == 3


def test_a_number_or_tuple_may_be_read_from_a_tensor():
    rule = vocabulary.InTensor(Int(ge=0) | TupleOf(Int, length=2))
    tensors = [FakeTensor(np.array(each)) for each in (3, [3], [1, 2], 1.5, [1, 2, 3], [[3]])]
    assert [rule.read(each) for each in tensors[:3]] == [3, 3, (1, 2)]
    assert [rule.verdict(each) for each in tensors] == [None] * 3 + [TypeError] * 3
    assert vocabulary.InTensor(Int, ValueError).verdict(tensors[4]) is ValueError
    for each in (rule, vocabulary.InTensor(Int, ValueError)):
        assert eval(each.source(), vars(vocabulary).copy()) == each
    assert rule.describe() == "int >= 0 or a tuple of 2 ints, or a Tensor that holds it"
    assert (vocabulary.ScalarOf(Int) | None).describe() == (
        "int, or a Tensor without axes that holds it or None"
    )
    assert (vocabulary.ScalarOf(Int) | None).raises() == [
        ("TypeError", "is not an int or None"),
        ("ValueError", "is a Tensor with axes"),
    ]
    assert vocabulary.InTensor(Int).raises() == [("TypeError", "is not an int")]


def test_a_guard_needs_no_parentheses_around_it():
    for rule, *_ in CASES:
        text = f"not ({rule.guard('x')} and True)"
        assert isinstance(ast.parse(text, mode="eval").body, ast.UnaryOp)
        body = ast.parse(f"{rule.guard('x')} and flag", mode="eval").body
        assert isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And), rule.guard("x")


@pytest.mark.parametrize(
    "rule, words",
    [
        (Float(gt=0.0, lt=1.0), "float in (0.0, 1.0)"),
        (Int(ge=1), "int >= 1"),
        (Int, "int"),
        (Number(ge=0, lt=inf), "number in [0, inf)"),
        (Bool | None, "bool or None"),
        (OneOf("same", "valid"), "one of 'same', 'valid'"),
        (Int(ge=1) | TupleOf(Int(ge=1), length=2), "int >= 1 or a tuple of 2 ints >= 1"),
        (TensorOf("float32", "float16"), "Tensor of dtype float16 or float32"),
        (TensorOf(real), "Tensor of a real dtype"),
        (ListOf(Str), "list of strs"),
        (InstanceOf(int, list, bytes), "int, a list or bytes"),
        (InstanceOf(bool, int).called("a number") | None, "number or None"),
        (TupleOf(Int | None, min_length=1), "tuple of at least 1 (an int or None)"),
    ],
)
def test_words(rule, words):
    assert rule.describe() == words


def test_messages():
    with pytest.raises(ValueError) as caught:
        Float(gt=0.0, lt=1.0).refuse("Adam", "beta1", 1.0)
    assert str(caught.value) == "For 'Adam', 'beta1' must be a float in (0.0, 1.0), but got 1.0."
    with pytest.raises(TypeError) as caught:
        Float(gt=0.0, lt=1.0).refuse("Adam", "beta1", 1)
    assert str(caught.value) == (
        "For 'Adam', 'beta1' must be a float in (0.0, 1.0), but got 1 of type int."
    )
    with pytest.raises(TypeError, match=r"but got None\.$"):
        Float.refuse("Adam", "beta1", None)
    with pytest.raises(TypeError, match=r"a FakeTensor of shape \(2,\) and dtype Int32\.$"):
        TensorOf("float32").refuse("Adam", "x", tensor("int32"))
    with pytest.raises(TypeError) as caught:
        Int.refuse("Adam", "x", "long " * 1000)
    assert len(str(caught.value)) < 300


def test_raises_rows():
    assert Float(gt=0.0, lt=1.0).raises() == [
        ("TypeError", "is not a float"),
        ("ValueError", "is not a float in (0.0, 1.0)"),
    ]
    assert Bool.raises() == [("TypeError", "is not a bool")]
    assert Any.raises() == []


def test_rules_compare_by_meaning():
    assert Int(ge=1) == Int(ge=1) != Int(gt=0)
    assert Int != Float and Int(ge=1) != Float(ge=1)
    assert (Int | None) == (None | Int) and (Int | Float) == (Float | Int)
    assert (Int | Int) == Int
    assert len({Int(ge=1), Int(ge=1), TupleOf(Int), TupleOf(Int)}) == 2
    assert len({TensorOf(real), TensorOf(real), TensorOf(number)}) == 2
    assert TupleOf(Int) != ListOf(Int)
    with pytest.raises(TypeError):
        Int | 3


def test_an_unregistered_class_is_named(monkeypatch):
    monkeypatch.setattr(frame, "_registered", {})
    with pytest.raises(LookupError, match="Cell"):
        CellOf.verdict(1)
    vocabulary.register_type("Cell", FakeCell)
    assert frame.type_named("Cell") is FakeCell


# checked ------------------------------------------------------------------------------------------


class Base:
    """A base whose constructor is checked too."""

    @checked
    def __init__(self, rate: Rate = 0.1):
        self.rate = rate


class Adam(Base):
    """A constructor with every kind of parameter."""

    @checked(
        Forbid("use_lazy and use_offload"), Forbid("beta1 > beta2", ValueError, "betas must rise")
    )
    def __init__(
        self,
        params: Params,
        learning_rate=0.1,
        beta1: Float(gt=0.0, lt=1.0) = 0.9,
        beta2: Float(gt=0.0, lt=1.0) = 0.999,
        use_lazy: Bool = False,
        use_offload: Bool = False,
        *rest,
        mode: OneOf("a", "b") = None,
        **more,
    ):
        """Keeps what it is given."""
        super().__init__(learning_rate)
        self.given = (params, learning_rate, beta1, beta2, rest, mode, more)


class UserAdam(Adam):
    """A user's subclass; errors contain its name."""


def test_checked_passes_everything_on():
    assert Adam([1]).given == ([1], 0.1, 0.9, 0.999, (), None, {})
    made = Adam([1], 0.2, 0.5, 0.6, False, False, 7, 8, mode="a", extra=9)
    assert made.given == ([1], 0.2, 0.5, 0.6, (7, 8), "a", {"extra": 9})


def test_checked_keeps_the_signature():
    found = inspect.signature(Adam.__init__)
    assert list(found.parameters)[:3] == ["self", "params", "learning_rate"]
    assert found.parameters["beta2"].default == 0.999
    Adam([1])
    assert inspect.signature(Adam.__init__) == found
    assert Adam.__init__.__wrapped__.__name__ == "__init__"
    assert Adam.__init__.__doc__ == "Keeps what it is given."
    assert Adam.__init__.__module__ == __name__


@pytest.mark.parametrize(
    "arguments, error, start",
    [
        (
            dict(beta1=1.0),
            ValueError,
            "For 'Adam', 'beta1' must be a float in (0.0, 1.0), but got 1.0.",
        ),
        (dict(beta1=1), TypeError, "For 'Adam', 'beta1'"),
        (dict(beta1=2.0, use_lazy=1), TypeError, "For 'Adam', 'use_lazy'"),
        (dict(beta1=2.0, beta2=2.0), ValueError, "For 'Adam', 'beta1'"),
        (
            dict(use_lazy=True, use_offload=True),
            ValueError,
            "For 'Adam', 'use_lazy and use_offload' must not hold, but got use_lazy=True, "
            "use_offload=True.",
        ),
        (
            dict(beta1=0.9, beta2=0.5),
            ValueError,
            "For 'Adam', betas must rise, but got beta1=0.9, beta2=0.5.",
        ),
        (
            dict(mode="c"),
            ValueError,
            "For 'Adam', 'mode' must be one of 'a', 'b' or None, but got 'c'.",
        ),
        (dict(learning_rate=-1.0), ValueError, "For 'Adam', 'rate'"),
    ],
)
def test_checked_refuses(arguments, error, start):
    with pytest.raises(error) as caught:
        Adam([1], **arguments)
    assert str(caught.value).startswith(start)


def test_a_subclass_is_named():
    with pytest.raises(ValueError, match="For 'UserAdam', 'beta1'"):
        UserAdam([1], beta1=1.0)
    with pytest.raises(ValueError, match="For 'UserAdam', 'rate'"):
        UserAdam([1], -1.0)


def test_missing_arguments_read_like_pythons():
    missing = r"__init__\(\) missing 1 required positional argument: 'params'"
    with pytest.raises(TypeError, match=missing):
        Adam()


def test_a_checked_function():
    @checked
    def clip(x: TensorOf(real), low: Number | None = None, *, type: Str = "soft", len: Int = 3):
        return low, type, len

    for _ in range(2):
        assert clip(tensor(), 1) == (1, "soft", 3)
        with pytest.raises(TypeError, match="For 'clip', 'type' must be a str, but got 1 of"):
            clip(tensor(), type=1)
        with pytest.raises(TypeError, match="takes from 1 to 2 positional"):
            clip(tensor(), 1, 2)


def test_a_checked_method_names_its_class():
    class Sampler:
        @checked
        def draw(self, count: Int(ge=1), /, scale: Float = 1.0):
            return count * scale

    assert Sampler().draw(2) == 2.0
    with pytest.raises(ValueError, match="For 'Sampler', 'count'"):
        Sampler().draw(0)


def test_text_annotations_are_resolved():
    def plain(x: "Int(ge=1)"):
        return x

    assert checked(plain)(1) == 1
    with pytest.raises(ValueError):
        checked(plain)(0)


def test_a_rule_on_star_arguments_is_refused():
    def plain(*items: Int):
        return items

    with pytest.raises(TypeError, match="cannot have a rule"):
        checked(plain)(1)


def test_the_written_source_is_in_tracebacks():
    def plain(x: Int):
        return 1 // x

    try:
        checked(plain)(0)
    except ZeroDivisionError as error:
        lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
    assert "return _function(x)" in lines


def test_guard_all_and_refuse_all():
    both = {"type": Str, "x": Int(ge=0), "anything": Any}
    expression, scope = guard_all(both)
    accept = eval(f"lambda type, x, anything: {expression}", scope)
    assert accept("a", 1, None) and not accept(1, 1, None) and not accept("a", -1, None)
    with pytest.raises(TypeError, match="'type'"):
        refuse_all("f", both, (1, -1, None))
    with pytest.raises(ValueError, match="'x'"):
        refuse_all("f", both, {"type": "a", "x": -1, "anything": 0})
    assert guard_all({})[0] == "True"


def test_errors_tell_the_public_name():
    def inner_name(x: Int):
        return x

    shown = public("ops._shown_by_a_test", "mint.another")(checked(inner_name))
    try:
        assert shown.__name__ == "_shown_by_a_test"
        with pytest.raises(TypeError, match="^For '_shown_by_a_test', 'x' must be an int"):
            shown("1")
    finally:
        del PUBLIC["ops"]["_shown_by_a_test"], PUBLIC["mint"]["another"]
