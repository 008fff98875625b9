"""Recurrent Primitives that return the gates of every step: DynamicRNN, BasicLSTMCell,
DynamicGRUV2.

Stacked layers whose weights are one vector are in _recurrent/flat_weights.py. The sequences used by
the layers of `nn` are in _recurrent/sequence.py.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import AsValue, Bool, Float, Int, OneOf, Str, TensorOf, checked
from ..._core.tensor import dtype as dtypes
from .._elementwise.cast import cast
from .._rules import Float16Or32, Floats
from .._shape.reshape import expand_dims
from ..primitive import Primitive

Half = TensorOf("float16")
Share = Float(ge=0.0, le=1.0)
SINGLE, HALF = dtypes.to_numpy(dtypes.float32), dtypes.to_numpy(dtypes.float16)


def _sigmoid(xp, x):
    return xp.tanh(0.5 * x) * 0.5 + 0.5


def need_shapes(api, **pairs):
    """Raises a ValueError if a Tensor's shape does not fit the others."""
    for name, (tensor, shape) in pairs.items():
        if tensor is not None and tuple(tensor.shape) != shape:
            raise ValueError(
                f"For '{api}', '{name}' must have the shape {shape}, but got {tuple(tensor.shape)}."
            )


def need_rank(api, **pairs):
    for name, (tensor, rank) in pairs.items():
        if tensor.ndim != rank:
            raise ValueError(
                f"For '{api}', '{name}' must have {rank} axes, but got the shape "
                f"{tuple(tensor.shape)}."
            )


def need_plain(api, settings, plain):
    """Raises a ValueError for a setting other than the only supported value."""
    for name, default in plain.items():
        if settings[name] != default:
            raise ValueError(
                f"For '{api}', '{name}' must be {default!r} when it is called, but got "
                f"{settings[name]!r}."
            )


# One layer, with the gates of every step ----------------------------------------------------------


@op()
def lstm_steps(
    xp, x: Floats, w: Floats, b: Floats, init_h: Floats, init_c: Floats, forget_bias: Float = 0.0
):
    """Runs an LSTM over `x` (T, N, I); the columns of `w` (I + H, 4H) are input, candidate, forget,
    output.

    Returns:
        The states h, the cells c, the gates i, j, f, o and tanh(c), each (T, N, H).
    """
    width = init_h.shape[-1]
    inputs = xp.matmul(x, w[: x.shape[-1]]) + b
    turning, h, c = w[x.shape[-1] :], init_h, init_c
    rows = []
    for t in range(x.shape[0]):
        total = inputs[t] + xp.matmul(h, turning)
        parts = (total[..., at * width : (at + 1) * width] for at in range(4))
        rows.append(xp.pointwise(_lstm_step, *parts, c, forget_bias=forget_bias))
        h, c = rows[-1][:2]
    return _by_column(xp, rows)


def _lstm_step(xp, i, j, f, o, c, *, forget_bias):
    i, j, f, o = _sigmoid(xp, i), xp.tanh(j), _sigmoid(xp, f + forget_bias), _sigmoid(xp, o)
    c = f * c + i * j
    bent = xp.tanh(c)
    return o * bent, c, i, j, f, o, bent


def _by_column(xp, rows):
    """Returns an array over all steps for each of the values that every step has."""
    steps = xp.stack([value for column in zip(*rows) for value in column], 0)
    return tuple(steps[at : at + len(rows)] for at in range(0, len(steps), len(rows)))


@lstm_steps.vjp_joint
def lstm_steps_vjp(xp, g, x, w, init_h, init_c, out):
    """Returns gradients of the input, the weight, the bias, the first state and the first cell."""
    h, c, *gates = out
    before, cells = _before(xp, h, init_h), _before(xp, c, init_c)
    weight_t = xp.swapaxes(w[x.shape[-1] :], 0, 1)
    flow = cell_flow = xp.zeros_like(init_h)
    by_step = []
    for t in range(x.shape[0] - 1, -1, -1):
        values = (cells, *gates, *g)
        *grads, cell_flow = xp.pointwise(
            _lstm_step_vjp, flow, cell_flow, *(value[t] for value in values)
        )
        by_step.append(xp.concatenate(grads, -1))
        flow = xp.matmul(by_step[-1], weight_t)
    grads = xp.stack(by_step[::-1], 0)
    weight = _weight_vjp(xp, xp.concatenate([x, before], -1), grads)
    back = xp.matmul(grads, xp.swapaxes(w[: x.shape[-1]], 0, 1))
    return back, weight, xp.sum(grads, (0, 1)), flow, cell_flow


def _lstm_step_vjp(
    xp, flow, cell_flow, before, i, j, f, o, bent, to_h, to_c, to_i, to_j, to_f, to_o, to_bent
):
    """Returns the gradients of the sums before the gates of a step, and of the cell before it."""
    into = to_h + flow
    cell = (into * o + to_bent) * (1 - bent * bent) + to_c + cell_flow
    return (
        (cell * j + to_i) * i * (1 - i),
        (cell * i + to_j) * (1 - j * j),
        (cell * before + to_f) * f * (1 - f),
        (into * bent + to_o) * o * (1 - o),
        cell * f,
    )


def _before(xp, states, first):
    """Returns the states before each step."""
    return xp.concatenate([xp.expand_dims(first, 0), states[:-1]], 0)


def _weight_vjp(xp, inputs, grads):
    """Returns the gradient of a weight that multiplies `inputs` from the right, summed over all
    steps."""
    rows = xp.reshape(inputs, (-1, inputs.shape[-1]))
    return xp.matmul(xp.swapaxes(rows, 0, 1), xp.reshape(grads, (-1, grads.shape[-1])))


@public("ops.DynamicRNN")
class DynamicRNN(Primitive):
    """Runs an LSTM over a sequence of T steps of N rows, and returns its gates, too.

    The sums before the gates are `[x, h] @ w + b`, whose 4H columns are i, j, f, o. Then `i, f, o =
    sigmoid(...)`, `j = tanh(...)`, `c = f c + i j`, `h = o tanh(c)`, computed in float32.

    Args:
        cell_type (str): must be "LSTM".
        direction (str): must be "UNIDIRECTIONAL".
        cell_depth (int): the number of layers; must be 1 when called.
        use_peephole (bool): whether gates depend on the cell; must be False when called.
        keep_prob (float): in [0, 1]; must be 1.0 when called.
        cell_clip (float): the bound of the cell; must be negative, for none, when called.
        num_proj (int): the size of a projection; must be 0 when called.
        time_major (bool): whether steps are the first axis; must be True.
        activation (str): must be "tanh".
        forget_bias (float): added before the forget gate.
        is_training (bool): whether gradients are needed; the results are the same.

    Inputs:
        `x` (T, N, I) float16; `w` (I + H, 4H) float16; `b` (4H) float16 or float32; `seq_length`,
        must be None; `init_h` and `init_c` (1, N, H) float16.

    Returns:
        Eight Tensors (T, N, H): y, output_h, output_c, i, j, f, o, tanh(c). output_h is float16,
        the others have the dtype of `b`.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if a setting is out of range or not supported, `seq_length` is given, or shapes
            do not fit.

    Example:
        >>> half = lambda *shape: ms.ops.ones(shape, ms.float16)
        >>> states = half(1, 1, 4), half(1, 1, 4)
        >>> outputs = ms.ops.DynamicRNN()(half(2, 1, 3), half(7, 16), half(16), None, *states)
        >>> [output.shape for output in outputs[:3]]
        [(2, 1, 4), (2, 1, 4), (2, 1, 4)]

    Source: mindspore.ops.DynamicRNN of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        cell_type: OneOf("LSTM") = "LSTM",
        direction: OneOf("UNIDIRECTIONAL") = "UNIDIRECTIONAL",
        cell_depth: Int = 1,
        use_peephole: Bool = False,
        keep_prob: Share = 1.0,
        cell_clip: Float = -1.0,
        num_proj: Int(ge=0) = 0,
        time_major: Bool = True,
        activation: OneOf("tanh") = "tanh",
        forget_bias: Float = 0.0,
        is_training: Bool = True,
    ):
        super().__init__("DynamicRNN")
        if not time_major:
            raise ValueError("For 'DynamicRNN', 'time_major' must be True, but got False.")
        self.cell_type, self.direction, self.cell_depth = cell_type, direction, cell_depth
        self.use_peephole, self.keep_prob, self.cell_clip = use_peephole, keep_prob, cell_clip
        self.num_proj, self.time_major, self.activation = num_proj, time_major, activation
        self.forget_bias, self.is_training = forget_bias, is_training

    @checked
    def __call__(
        self,
        x: Half,
        w: Half,
        b: Float16Or32,
        seq_length: TensorOf() | None,
        init_h: Half,
        init_c: Half,
    ):
        need_plain(
            self.name,
            vars(self),
            {"cell_depth": 1, "use_peephole": False, "keep_prob": 1.0, "num_proj": 0},
        )
        if self.cell_clip >= 0:
            raise ValueError(
                f"For '{self.name}', 'cell_clip' must be negative when it is called, "
                f"but got {self.cell_clip!r}."
            )
        if seq_length is not None:
            raise ValueError(f"For '{self.name}', 'seq_length' must be None.")
        need_rank(self.name, x=(x, 3), w=(w, 2), init_h=(init_h, 3))
        rows, width = x.shape[1], init_h.shape[2]
        need_shapes(
            self.name,
            w=(w, (x.shape[2] + width, 4 * width)),
            b=(b, (4 * width,)),
            init_h=(init_h, (1, rows, width)),
            init_c=(init_c, (1, rows, width)),
        )
        single = [cast.run(tensor, SINGLE) for tensor in (x, w, b, init_h[0], init_c[0])]
        h, *others = lstm_steps.run(*single, self.forget_bias)
        y, *others = (cast.run(tensor, b._array.dtype) for tensor in (h, *others))
        return (y, cast.run(h, HALF), *others)


@public("ops.BasicLSTMCell")
class BasicLSTMCell(Primitive):
    """Computes one step of an LSTM; `ops.DynamicRNN` runs a whole sequence.

    Args:
        keep_prob (float): in [0, 1]; must be 1.0 when called.
        forget_bias (float): added before the forget gate.
        state_is_tuple (bool): whether cell and state are two Tensors; must be True when called.
        activation (str): must be "tanh".

    Inputs:
        `x` (N, I), `h` and `c` (N, H), `w` (I + H, 4H), `b` (4H), all float16 or float32.

    Returns:
        Seven Tensors (N, H): the cell, the state, i, j, f, o and tanh of the cell. The state has
        the dtype of `h`, the others have the dtype of `c`.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if a setting is out of range or not supported, or shapes do not fit.

    Example:
        >>> x, h, c = (ms.ops.ones(shape) for shape in ((1, 2), (1, 3), (1, 3)))
        >>> w, b = ms.ops.zeros((5, 12)), ms.ops.zeros(12)
        >>> cell, state, *gates = ms.ops.BasicLSTMCell()(x, h, c, w, b)
        >>> print(cell, len(gates))
        [[0.7310586 0.7310586 0.7310586]] 5

    Source: mindspore.ops.BasicLSTMCell of MindSpore 1.1, whose name 2.10 keeps.
    """

    @checked
    def __init__(
        self,
        keep_prob: Share = 1.0,
        forget_bias: Float = 1.0,
        state_is_tuple: Bool = True,
        activation: AsValue(OneOf("tanh")) = "tanh",
    ):
        super().__init__("BasicLSTMCell")
        self.keep_prob, self.forget_bias = keep_prob, forget_bias
        self.state_is_tuple, self.activation = state_is_tuple, activation

    @checked
    def __call__(
        self, x: Float16Or32, h: Float16Or32, c: Float16Or32, w: Float16Or32, b: Float16Or32
    ):
        need_plain(self.name, vars(self), {"keep_prob": 1.0, "state_is_tuple": True})
        need_rank(self.name, x=(x, 2), h=(h, 2), w=(w, 2))
        shape = (x.shape[0], h.shape[1])
        need_shapes(
            self.name,
            h=(h, shape),
            c=(c, shape),
            b=(b, (4 * shape[1],)),
            w=(w, (x.shape[1] + shape[1], 4 * shape[1])),
        )
        single = [cast.run(tensor, SINGLE) for tensor in (x, w, b, h, c)]
        out = lstm_steps.run(expand_dims.run(single[0], 0), *single[1:], self.forget_bias)
        state, cell, *gates = (cast.run(tensor[0], c._array.dtype) for tensor in out)
        return (cell, cast.run(state, h._array.dtype), *gates)


@op()
def gru_steps(
    xp,
    x: Floats,
    weight_input: Floats,
    weight_hidden: Floats,
    init_h: Floats,
    bias_input: Floats = None,
    bias_hidden: Floats = None,
    gate_order: Str = "rzh",
    reset_after: Bool = True,
):
    """Runs a GRU over `x` (T, N, I); the columns of the weights are the gates in `gate_order`.

    Returns:
        The states, then the update and reset gates, the candidate and its recurrent part,
        each (T, N, H).
    """
    width = init_h.shape[-1]
    at_r, at_z = (0, width) if gate_order == "rzh" else (width, 0)
    inputs = _plus(xp.matmul(x, weight_input), bias_input)
    step = _step_resetting_product if reset_after else _step_resetting_state
    h, rows = init_h, []
    for t in range(x.shape[0]):
        parts = [inputs[t][..., at : at + width] for at in (at_r, at_z, 2 * width)]
        rows.append(step(xp, parts, h, weight_hidden, bias_hidden, (at_r, at_z)))
        h = rows[-1][0]
    return _by_column(xp, rows)


def _step_resetting_product(xp, inputs, h, weight, bias, places):
    width, sums = h.shape[-1], _plus(xp.matmul(h, weight), bias)
    r, z, inner = (sums[..., at : at + width] for at in (*places, 2 * width))
    return xp.pointwise(_gru_step, *inputs, r, z, inner, h)


def _gru_step(xp, in_r, in_z, in_n, r, z, inner, h):
    r, z = _sigmoid(xp, in_r + r), _sigmoid(xp, in_z + z)
    n = xp.tanh(in_n + r * inner)
    return n + z * (h - n), z, r, n, inner


def _step_resetting_state(xp, inputs, h, weight, bias, places):
    in_r, in_z, in_n = inputs
    width = h.shape[-1]
    gates_bias, new_bias = (None, None) if bias is None else (bias[: 2 * width], bias[2 * width :])
    sums = _plus(xp.matmul(h, weight[:, : 2 * width]), gates_bias)
    r, z = (sums[..., at : at + width] for at in places)
    r, z, reset = xp.pointwise(_gru_gates, in_r, in_z, r, z, h)
    inner = _plus(xp.matmul(reset, weight[:, 2 * width :]), new_bias)
    h, n = xp.pointwise(_gru_state, in_n, inner, z, h)
    return h, z, r, n, inner


def _gru_gates(xp, in_r, in_z, r, z, h):
    r, z = _sigmoid(xp, in_r + r), _sigmoid(xp, in_z + z)
    return r, z, r * h


def _gru_state(xp, in_n, inner, z, h):
    n = xp.tanh(in_n + inner)
    return n + z * (h - n), n


@gru_steps.vjp_joint
def gru_steps_vjp(
    xp,
    g,
    x,
    weight_input,
    weight_hidden,
    init_h,
    bias_input,
    bias_hidden,
    gate_order,
    reset_after,
    out,
):
    """Returns gradients of the input, both weights, the first state and both biases."""
    before, width = _before(xp, out[0], init_h), init_h.shape[-1]
    product = 3 * width if reset_after else 2 * width  # columns that multiply the state itself
    weight_t = xp.swapaxes(weight_hidden, 0, 1)
    step_vjp = _step_resetting_product_vjp if reset_after else _step_resetting_state_vjp
    flow, by_step, by_state = xp.zeros_like(init_h), [], []
    for t in range(x.shape[0] - 1, -1, -1):
        values = [value[t] for value in (before, *out[1:], *g)]
        to_r, to_z, to_n, state, direct = step_vjp(xp, flow, values, weight_t[2 * width :])
        pair = [to_r, to_z] if gate_order == "rzh" else [to_z, to_r]
        by_step.append(xp.concatenate([*pair, to_n], -1))
        by_state.append(xp.concatenate([*pair, state], -1))
        flow = direct + xp.matmul(by_state[-1][..., :product], weight_t[:product])
    by_input, by_state = (
        xp.stack(grads_of_steps[::-1], 0) for grads_of_steps in (by_step, by_state)
    )
    hidden = _weight_vjp(xp, before, by_state[..., :product])
    if not reset_after:
        new = _weight_vjp(xp, out[2] * before, by_state[..., product:])
        hidden = xp.concatenate([hidden, new], -1)
    return (
        xp.matmul(by_input, xp.swapaxes(weight_input, 0, 1)),
        _weight_vjp(xp, x, by_input),
        hidden,
        flow,
        None if bias_input is None else xp.sum(by_input, (0, 1)),
        None if bias_hidden is None else xp.sum(by_state, (0, 1)),
    )


def _step_resetting_product_vjp(xp, flow, values, new_weight_t):
    """Returns the gradients of the sums before the three gates, of the candidate's recurrent part,
    and of the state apart from its products."""
    return xp.pointwise(_gru_step_vjp, flow, *values)


def _gru_step_vjp(xp, flow, before, z, r, n, inner, to_h, to_z, to_r, to_n, to_inner):
    into = to_h + flow
    grad_out = (into * (1 - z) + to_n) * (1 - n * n)
    return (
        (to_r + grad_out * inner) * r * (1 - r),
        (into * (before - n) + to_z) * z * (1 - z),
        grad_out,
        to_inner + grad_out * r,
        into * z,
    )


def _step_resetting_state_vjp(xp, flow, values, new_weight_t):
    """Returns the same gradients as `_step_resetting_product_vjp`. The product of the state and the
    candidate's weight is included.
    """
    before, z, r, n, _, to_h, to_z, to_r, to_n, to_inner = values
    to_z, to_n, state, direct = xp.pointwise(
        _gru_state_vjp, flow, before, z, n, to_h, to_z, to_n, to_inner
    )
    back = xp.matmul(state, new_weight_t)
    to_r, direct = xp.pointwise(_gru_reset_vjp, back, before, r, to_r, direct)
    return to_r, to_z, to_n, state, direct


def _gru_state_vjp(xp, flow, before, z, n, to_h, to_z, to_n, to_inner):
    into = to_h + flow
    grad_out = (into * (1 - z) + to_n) * (1 - n * n)
    to_z = (into * (before - n) + to_z) * z * (1 - z)
    return to_z, grad_out, to_inner + grad_out, into * z


def _gru_reset_vjp(xp, back, before, r, to_r, direct):
    return (to_r + back * before) * r * (1 - r), direct + back * r


def _plus(x, bias):
    return x if bias is None else x + bias


PLAIN_GRU = {"cell_depth": 1, "keep_prob": 1.0, "num_proj": 0, "time_major": True}


@public("ops.DynamicGRUV2")
class DynamicGRUV2(Primitive):
    """Runs a GRU over a sequence of T steps of N rows, and returns its gates, too.

    `r, z = sigmoid(...)`, `n = tanh(x W_n + b_n + r (h V_n + c_n))`, `h = (1 - z) n + z h`,
    computed in float32.

    Args:
        direction (str): must be "UNIDIRECTIONAL".
        cell_depth (int): the number of layers; must be 1 when called.
        keep_prob (float): in [0, 1]; must be 1.0 when called.
        cell_clip (float): the bound of the state; must be negative, for none, when called.
        num_proj (int): the size of a projection; must be 0 when called.
        time_major (bool): whether steps are the first axis; must be True when called.
        activation (str): must be "tanh".
        gate_order (str): the order of the gates in the columns of weights and biases: "rzh" for
            reset, update, new; "zrh" for update, reset, new.
        reset_after (bool): False to apply the reset gate to the state before its product with the
            weight.
        is_training (bool): whether gradients are needed; the results are the same.

    Inputs:
        `x` (T, N, I), `weight_input` (I, 3H) and `weight_hidden` (H, 3H), all float16; `bias_input`
        and `bias_hidden` (3H), each may be None; `seq_length`, must be None; `init_h` (N, H)
        float16 or float32, of the dtype of the biases.

    Returns:
        Six Tensors (T, N, H) of the dtype of the biases (without biases, of `init_h`): y, output_h,
        update, reset, new, and the recurrent part of new.

    Raises:
        TypeError: if a setting or an input has the wrong type or dtype.
        ValueError: if a setting is out of range or not supported, `seq_length` is given, or shapes
            do not fit.

    Example:
        >>> half = lambda *shape: ms.ops.ones(shape, ms.float16)
        >>> x, weights, state = half(2, 1, 3), (half(3, 12), half(4, 12)), half(1, 4)
        >>> outputs = ms.ops.DynamicGRUV2()(x, *weights, None, None, None, state)
        >>> outputs[0].shape, outputs[0].dtype
        ((2, 1, 4), mindspore.float16)

    Source: mindspore.ops.DynamicGRUV2 of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        direction: AsValue(OneOf("UNIDIRECTIONAL")) = "UNIDIRECTIONAL",
        cell_depth: Int = 1,
        keep_prob: Share = 1.0,
        cell_clip: Float = -1.0,
        num_proj: Int(ge=0) = 0,
        time_major: Bool = True,
        activation: AsValue(OneOf("tanh")) = "tanh",
        gate_order: OneOf("rzh", "zrh") = "rzh",
        reset_after: Bool = True,
        is_training: Bool = True,
    ):
        super().__init__("DynamicGRUV2")
        self.direction, self.cell_depth, self.keep_prob = direction, cell_depth, keep_prob
        self.cell_clip, self.num_proj, self.time_major = cell_clip, num_proj, time_major
        self.activation, self.gate_order = activation, gate_order
        self.reset_after, self.is_training = reset_after, is_training

    @checked
    def __call__(
        self,
        x: Half,
        weight_input: Half,
        weight_hidden: Half,
        bias_input: Float16Or32 | None,
        bias_hidden: Float16Or32 | None,
        seq_length: TensorOf() | None,
        init_h: Float16Or32,
    ):
        need_plain(self.name, vars(self), PLAIN_GRU)
        if self.cell_clip >= 0:
            raise ValueError(
                f"For '{self.name}', 'cell_clip' must be negative when it is called, "
                f"but got {self.cell_clip!r}."
            )
        if seq_length is not None:
            raise ValueError(f"For '{self.name}', 'seq_length' must be None.")
        need_rank(self.name, x=(x, 3), init_h=(init_h, 2))
        width = init_h.shape[1]
        need_shapes(
            self.name,
            weight_input=(weight_input, (x.shape[2], 3 * width)),
            weight_hidden=(weight_hidden, (width, 3 * width)),
            bias_input=(bias_input, (3 * width,)),
            bias_hidden=(bias_hidden, (3 * width,)),
            init_h=(init_h, (x.shape[1], width)),
        )
        kind = next(tensor for tensor in (bias_input, bias_hidden, init_h) if tensor is not None)
        single = [
            None if tensor is None else cast.run(tensor, SINGLE)
            for tensor in (x, weight_input, weight_hidden, init_h, bias_input, bias_hidden)
        ]
        out = gru_steps.run(*single, self.gate_order, self.reset_after)
        out = tuple(cast.run(tensor, kind._array.dtype) for tensor in out)
        return (out[0], *out)
