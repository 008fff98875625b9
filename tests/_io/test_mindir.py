"""MindIR messages: a round trip, and damaged files."""

import math

import ml_dtypes
import numpy
import pytest

from mindspore_compat._io import mindir


def round_trip(message):
    written = b"".join(bytes(piece) for piece in mindir.pieces(message))
    return mindir.parse(memoryview(written), message.kind)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -7,
        1 << 40,
        0.5,
        "text",
        "",
        None,
        (),
        (1, -2),
        [True, 0.5, "x"],
        ((1, 2), (3,)),
        numpy.arange(6, dtype="f").reshape(2, 3),
        numpy.array(2.5),
        numpy.arange(3, dtype=ml_dtypes.bfloat16),
        numpy.array([True, False]),
    ],
    ids=repr,
)
def test_values_come_back(value):
    found = mindir.value_of(round_trip(mindir.attribute("a", value)))
    if isinstance(value, numpy.ndarray):
        assert found.dtype == value.dtype and found.shape == value.shape and (found == value).all()
    else:
        assert found == value and type(found) is type(value)


def test_a_message_keeps_its_fields_and_their_order():
    node = mindir.Message(
        "Node",
        input=["x", "y"],
        output=["z"],
        name="z",
        op_type="Add",
        attribute=[mindir.attribute("k", 3)],
    )
    graph = mindir.Message(
        "Graph",
        node=[node],
        name="g",
        parameter=[mindir.tensor(numpy.ones(5000, "f"), "w", ref_key="w")],
    )
    model = mindir.Message(
        "Model",
        graph=graph,
        little_endian=True,
        mind_ir_version=3,
        user_info=[mindir.Message("Pair", key="a", value="b")],
    )
    found = round_trip(model)
    assert (found.mind_ir_version, found.little_endian, found.producer_name) == (3, True, None)
    assert found.graph.node[0].input == ["x", "y"] and found.graph.node[0].op_type == "Add"
    assert mindir.array_of(found.graph.parameter[0]).sum() == 5000
    assert found.user_info[0].value == "b"


@pytest.mark.parametrize("broken", [b"\x3a\x05ab", b"\x08\x01", b"garbage" * 20])
def test_what_is_no_model_is_refused(broken):
    with pytest.raises(ValueError):
        mindir.parse(memoryview(broken))


def test_a_tensor_of_the_wrong_length_is_refused():
    message = mindir.tensor(numpy.ones(3, "f"), "w")
    message.dims = [4]
    with pytest.raises(ValueError, match="'w' has 12 bytes"):
        mindir.array_of(message)
    message.data_type = 99
    with pytest.raises(ValueError, match="99"):
        mindir.array_of(message)


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(TypeError):
        mindir.attribute("a", object())
    with pytest.raises(TypeError):
        mindir.tensor(numpy.array(["text"]))
    with pytest.raises(AttributeError):
        mindir.Message("Node", inputs=[])
    found = mindir.value_of(round_trip(mindir.attribute("a", 1e-5)))
    assert math.isclose(found, 1e-5, rel_tol=1e-6)  # a float32
