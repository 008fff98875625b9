/* Recurrent layers of the fake cuDNN, by plain loops: one layer in one or both directions, on sequences
 * of one length.
 *
 * The weight space holds the matrices of the input and of the state for each direction, and then both
 * biases of each. The reserve space holds ROW values of each step, sequence and direction. The forward
 * pass writes the gates after their activations, and the cell. The gradient of the data replaces them
 * by the gradients of the gates, which the gradient of the weights reads; so it can be computed once.
 *
 * Not modelled: several layers, dropout, projections, sequences of different lengths.
 */
#include "fake_cudnn.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <type_traits>
#include <vector>

namespace {

using Network = cudnnRNNDescriptor_t;
using Data = cudnnRNNDataDescriptor_t;
using Tensor = cudnnTensorDescriptor_t;
constexpr int ROW = 5; /* values of a unit in the reserve space: up to four gates, and the cell */

int gates_of(cudnnRNNMode_t cell) {
    return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1;
}

struct Problem {
    cudnnRNNMode_t cell;
    cudnnDataType_t type;
    bool has_bias, tf32;
    int steps, batch, input, hidden, directions;

    size_t gates() const { return gates_of(cell) * size_t(hidden); }
    size_t matrices() const { return gates() * (input + hidden); } /* of one direction */
    size_t weights() const {
        return directions * (matrices() + (has_bias ? 2 * gates() : 0));
    }
    size_t rows() const { return size_t(steps) * batch; }
    size_t x() const { return rows() * input; }
    size_t y() const { return rows() * hidden * directions; }
    size_t states() const { return size_t(directions) * batch * hidden; }
    size_t saved() const { return rows() * directions * hidden * ROW; }
    size_t saved_bytes() const { return saved() * (type == CUDNN_DATA_DOUBLE ? 8 : 4); }
};

constexpr size_t WORKSPACE = 256;

/* The addresses of a call; what a pass does not use is null. */
struct Arrays {
    const void *x, *y, *hx, *cx, *weights, *dy, *dhy, *dcy;
    void *out, *hy, *cy, *grad, *dhx, *dcx, *reserve;
};

/* An array that is read as values of type Sum and, where it is written, stored as T. */
template <class T, class Sum>
std::vector<Sum> read(const void *data, size_t count, bool tf32 = false) {
    std::vector<Sum> values(count);
    auto from = static_cast<const T *>(data);
    for (size_t i = 0; data && i < count; ++i) {
        values[i] = Sum(from[i]);
        if constexpr (std::is_same_v<T, float>)
            if (tf32) values[i] = to_tf32(values[i]);
    }
    return values;
}
template <class T, class Sum>
void write(const std::vector<Sum> &values, void *data) {
    for (size_t i = 0; data && i < values.size(); ++i) static_cast<T *>(data)[i] = T(values[i]);
}

template <class Sum>
Sum sigmoid(Sum x) {
    return 1 / (1 + std::exp(-x));
}

/* One direction of a layer: where its parts lie in arrays that hold those of both. */
template <class T, class Sum>
struct Direction {
    const Problem &p;
    int at;
    size_t hidden = p.hidden, gates = p.gates();

    Sum rounded(Sum value) const {
        if constexpr (std::is_same_v<T, float>) return p.tf32 ? to_tf32(value) : value;
        return value;
    }
    size_t time(int step) const { return at ? p.steps - 1 - step : step; }
    size_t state(size_t n) const { return (at * p.batch + n) * hidden; }
    size_t out(size_t t, size_t n) const {
        return ((t * p.batch + n) * p.directions + at) * hidden;
    }
    size_t x(size_t t, size_t n) const { return (t * p.batch + n) * p.input; }
    size_t saved(size_t t, size_t n) const { return out(t, n) * ROW; }
    size_t by_input() const { return at * p.matrices(); }
    size_t by_state() const { return by_input() + gates * p.input; }
    size_t bias() const { return p.directions * p.matrices() + at * 2 * gates; }
};

template <class Sum>
Sum dot(const Sum *x, const Sum *y, size_t count) {
    Sum sum = 0;
    for (size_t i = 0; i < count; ++i) sum += x[i] * y[i];
    return sum;
}

template <class T, class Sum>
void forward(const Problem &p, const Arrays &a) {
    auto x = read<T, Sum>(a.x, p.x(), p.tf32), w = read<T, Sum>(a.weights, p.weights());
    auto h = read<T, Sum>(a.hx, p.states()), c = read<T, Sum>(a.cx, p.states());
    std::vector<Sum> y(p.y()), saved(p.saved()), from_x(p.gates()), from_h(p.gates());
    for (size_t i = 0; i < p.directions * p.matrices(); ++i)
        w[i] = Direction<T, Sum>{p, 0}.rounded(w[i]);
    for (int at = 0; at < p.directions; ++at) {
        Direction<T, Sum> d{p, at};
        size_t hidden = d.hidden;
        for (int step = 0; step < p.steps; ++step)
            for (int n = 0; n < p.batch; ++n) {
                size_t t = d.time(step);
                Sum *state = &h[d.state(n)], *cell = &c[d.state(n)];
                Sum *s = &saved[d.saved(t, n)], *out = &y[d.out(t, n)];
                std::vector<Sum> before(state, state + hidden);
                for (Sum &value : before) value = d.rounded(value);
                for (size_t g = 0; g < d.gates; ++g) {
                    from_x[g] = dot(&x[d.x(t, n)], &w[d.by_input() + g * p.input], p.input);
                    from_h[g] = dot(before.data(), &w[d.by_state() + g * hidden], hidden);
                    if (p.has_bias) {
                        from_x[g] += w[d.bias() + g];
                        from_h[g] += w[d.bias() + d.gates + g];
                    }
                }
                for (size_t j = 0; j < hidden; ++j) {
                    auto sum = [&](int g) { return from_x[g * hidden + j] + from_h[g * hidden + j]; };
                    auto keep = [&](int g, Sum value) { return s[g * hidden + j] = value; };
                    if (p.cell == CUDNN_LSTM) {
                        Sum i = keep(0, sigmoid(sum(0))), f = keep(1, sigmoid(sum(1)));
                        Sum g = keep(2, std::tanh(sum(2))), o = keep(3, sigmoid(sum(3)));
                        cell[j] = keep(4, f * cell[j] + i * g);
                        out[j] = o * std::tanh(cell[j]);
                    } else if (p.cell == CUDNN_GRU) {
                        Sum r = keep(0, sigmoid(sum(0))), z = keep(1, sigmoid(sum(1)));
                        Sum inner = keep(3, from_h[2 * hidden + j]);
                        Sum candidate = keep(2, std::tanh(from_x[2 * hidden + j] + r * inner));
                        out[j] = (1 - z) * candidate + z * state[j];
                    } else {
                        Sum value = sum(0);
                        out[j] = p.cell == CUDNN_RNN_TANH ? std::tanh(value) : value < 0 ? 0 : value;
                    }
                    out[j] = Sum(T(out[j]));
                }
                for (size_t j = 0; j < hidden; ++j) state[j] = out[j];
            }
    }
    write<T>(y, a.out);
    write<T>(h, a.hy);
    write<T>(c, a.cy);
    write<Sum>(saved, a.reserve);
}

template <class T, class Sum>
void data_gradient(const Problem &p, const Arrays &a) {
    auto w = read<T, Sum>(a.weights, p.weights(), p.tf32), y = read<T, Sum>(a.y, p.y());
    auto dy = read<T, Sum>(a.dy, p.y()), saved = read<Sum, Sum>(a.reserve, p.saved());
    auto hx = read<T, Sum>(a.hx, p.states()), cx = read<T, Sum>(a.cx, p.states());
    auto flow = read<T, Sum>(a.dhy, p.states()), cells = read<T, Sum>(a.dcy, p.states());
    std::vector<Sum> dx(p.x());
    for (int at = 0; at < p.directions; ++at) {
        Direction<T, Sum> d{p, at};
        size_t hidden = d.hidden;
        for (int step = p.steps - 1; step >= 0; --step)
            for (int n = 0; n < p.batch; ++n) {
                size_t t = d.time(step), first = d.state(n);
                Sum *s = &saved[d.saved(t, n)], *dh = &flow[first], *dc = &cells[first];
                const Sum *before = step ? &y[d.out(d.time(step - 1), n)] : &hx[first];
                const Sum *old = step ? &saved[d.saved(d.time(step - 1), n) + 4 * hidden] : &cx[first];
                std::vector<Sum> direct(hidden);
                for (size_t j = 0; j < hidden; ++j) {
                    Sum into = dy[d.out(t, n) + j] + dh[j];
                    auto gate = [&](int g) -> Sum & { return s[g * hidden + j]; };
                    if (p.cell == CUDNN_LSTM) {
                        Sum i = gate(0), f = gate(1), g = gate(2), o = gate(3);
                        Sum bent = std::tanh(gate(4)), to = into * o * (1 - bent * bent) + dc[j];
                        gate(0) = to * g * i * (1 - i);
                        gate(1) = to * old[j] * f * (1 - f);
                        gate(2) = to * i * (1 - g * g);
                        gate(3) = into * bent * o * (1 - o);
                        dc[j] = to * f;
                    } else if (p.cell == CUDNN_GRU) {
                        Sum r = gate(0), z = gate(1), m = gate(2), inner = gate(3);
                        Sum to = into * (1 - z) * (1 - m * m);
                        gate(0) = to * inner * r * (1 - r);
                        gate(1) = into * (before[j] - m) * z * (1 - z);
                        gate(2) = to;
                        gate(3) = to * r;
                        direct[j] = into * z;
                    } else {
                        Sum value = y[d.out(t, n) + j];
                        gate(0) = p.cell == CUDNN_RNN_TANH ? into * (1 - value * value)
                                                           : value > 0 ? into : 0;
                    }
                }
                for (size_t j = 0; j < hidden; ++j) dh[j] = direct[j];
                for (size_t g = 0; g < d.gates; ++g) {
                    bool is_candidate = p.cell == CUDNN_GRU && g >= 2 * hidden;
                    Sum by_x = d.rounded(s[g]), by_h = d.rounded(s[is_candidate ? g + hidden : g]);
                    for (size_t i = 0; i < size_t(p.input); ++i)
                        dx[d.x(t, n) + i] += by_x * w[d.by_input() + g * p.input + i];
                    for (size_t i = 0; i < hidden; ++i)
                        dh[i] += by_h * w[d.by_state() + g * hidden + i];
                }
            }
    }
    write<T>(dx, a.out);
    write<T>(flow, a.dhx);
    write<T>(cells, a.dcx);
    write<Sum>(saved, a.reserve);
}

template <class T, class Sum>
void weight_gradient(const Problem &p, const Arrays &a) {
    auto x = read<T, Sum>(a.x, p.x(), p.tf32), hx = read<T, Sum>(a.hx, p.states(), p.tf32);
    auto y = read<T, Sum>(a.y, p.y(), p.tf32), saved = read<Sum, Sum>(a.reserve, p.saved());
    auto grad = read<T, Sum>(a.grad, p.weights());
    for (int at = 0; at < p.directions; ++at) {
        Direction<T, Sum> d{p, at};
        size_t hidden = d.hidden;
        for (int step = 0; step < p.steps; ++step)
            for (int n = 0; n < p.batch; ++n) {
                size_t t = d.time(step);
                const Sum *s = &saved[d.saved(t, n)];
                const Sum *before = step ? &y[d.out(d.time(step - 1), n)] : &hx[d.state(n)];
                for (size_t g = 0; g < d.gates; ++g) {
                    bool is_candidate = p.cell == CUDNN_GRU && g >= 2 * hidden;
                    Sum by_x = s[g], by_h = s[is_candidate ? g + hidden : g];
                    if (p.has_bias) {
                        grad[d.bias() + g] += by_x;
                        grad[d.bias() + d.gates + g] += by_h;
                    }
                    by_x = d.rounded(by_x), by_h = d.rounded(by_h);
                    for (size_t i = 0; i < size_t(p.input); ++i)
                        grad[d.by_input() + g * p.input + i] += by_x * x[d.x(t, n) + i];
                    for (size_t i = 0; i < hidden; ++i)
                        grad[d.by_state() + g * hidden + i] += by_h * before[i];
                }
            }
    }
    write<T>(grad, a.grad);
}

enum Pass { FORWARD, DATA_GRADIENT, WEIGHT_GRADIENT };

template <class T, class Sum>
void compute(Pass pass, const Problem &p, const Arrays &a) {
    if (pass == FORWARD) forward<T, Sum>(p, a);
    if (pass == DATA_GRADIENT) data_gradient<T, Sum>(p, a);
    if (pass == WEIGHT_GRADIENT) weight_gradient<T, Sum>(p, a);
}

/* ---- checks ---------------------------------------------------------------------------------- */

cudnnStatus_t problem_of(Network rnn, Data x, Problem &p) {
    if (!rnn->set || !x->set || x->type != rnn->type || x->width != rnn->input)
        return CUDNN_STATUS_BAD_PARAM;
    p = {rnn->cell, rnn->type,  rnn->has_bias, rnn->tf32,      x->steps,
         x->batch,  rnn->input, rnn->hidden,   rnn->directions};
    return CUDNN_STATUS_SUCCESS;
}

bool describes_states(Tensor h, const Problem &p) {
    return h && h->count == 3 && h->type == p.type && h->size[0] == p.directions &&
           h->size[1] == p.batch && h->size[2] == p.hidden && h->step[2] == 1 &&
           h->step[1] == p.hidden && h->step[0] == p.batch * p.hidden;
}

bool describes_outputs(Data y, const Problem &p) {
    return y && y->set && y->type == p.type && y->steps == p.steps && y->batch == p.batch &&
           y->width == p.hidden * p.directions;
}

/* Whether `count` elements lie in device memory, aligned. */
bool holds(const void *data, size_t count, const Problem &p) {
    return data && reinterpret_cast<uintptr_t>(data) % ALIGNMENT == 0 &&
           host_reachable(data, count * bytes_of(p.type));
}
bool may_hold(const void *data, size_t count, const Problem &p) {
    return !data || holds(data, count, p);
}

struct Spaces {
    size_t weights, work;
    void *workspace;
    size_t reserve;
};

cudnnStatus_t run(Pass pass, cudnnHandle_t handle, const Problem &p, const Spaces &spaces,
                  const Arrays &a, bool saves) {
    size_t width = bytes_of(p.type);
    if (spaces.weights != p.weights() * width || spaces.work < WORKSPACE)
        return CUDNN_STATUS_BAD_PARAM;
    if (saves && spaces.reserve < p.saved_bytes()) return CUDNN_STATUS_BAD_PARAM;
    bool in_memory = host_reachable(spaces.workspace, WORKSPACE) &&
                     (!saves || host_reachable(a.reserve, p.saved_bytes()));
    if (pass != DATA_GRADIENT) in_memory = in_memory && holds(a.x, p.x(), p);
    if (pass == FORWARD) in_memory = in_memory && holds(a.out, p.y(), p);
    if (pass == DATA_GRADIENT)
        in_memory = in_memory && holds(a.dy, p.y(), p) && holds(a.out, p.x(), p);
    if (pass != FORWARD) in_memory = in_memory && holds(a.y, p.y(), p);
    in_memory = in_memory && holds(pass == WEIGHT_GRADIENT ? a.grad : a.weights, p.weights(), p);
    for (const void *state : {a.hx, a.cx, a.dhy, a.dcy})
        in_memory = in_memory && may_hold(state, p.states(), p);
    for (void *state : {a.hy, a.cy, a.dhx, a.dcx})
        in_memory = in_memory && may_hold(state, p.states(), p);
    if (!in_memory) return CUDNN_STATUS_EXECUTION_FAILED;
    host_count(HOST_recurrences);
    int error = submit(handle->stream, [=] {
        host_fill(spaces.workspace, HOST_STALE, WORKSPACE); /* nothing may lie there */
        Arrays arrays = a;
        if (!saves) arrays.reserve = nullptr;
        switch (p.type) {
        case CUDNN_DATA_DOUBLE: compute<double, double>(pass, p, arrays); break;
        case CUDNN_DATA_HALF: compute<__half, float>(pass, p, arrays); break;
        case CUDNN_DATA_BFLOAT16: compute<__nv_bfloat16, float>(pass, p, arrays); break;
        default: compute<float, float>(pass, p, arrays);
        }
        return 0;
    });
    return error ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {
cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t *dropout) {
    *dropout = new cudnnDropoutStruct();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
    delete dropout;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t,
                                        float probability, void *, size_t, unsigned long long) {
    if (probability != 0) return CUDNN_STATUS_NOT_SUPPORTED;
    dropout->set = true;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDescriptor(Network *rnn) {
    *rnn = new cudnnRNNStruct();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(Network rnn) {
    delete rnn;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(Network rnn, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
                                       cudnnDataType_t precision, cudnnMathType_t math,
                                       int32_t input, int32_t hidden, int32_t projected,
                                       int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       uint32_t flags) {
    if (!dropout || !dropout->set || input < 1 || hidden < 1) return CUDNN_STATUS_BAD_PARAM;
    if (projected != 0 && projected != hidden) return CUDNN_STATUS_NOT_SUPPORTED;
    if (algorithm != CUDNN_RNN_ALGO_STANDARD || input_mode != CUDNN_LINEAR_INPUT || layers != 1 ||
        flags != CUDNN_RNN_PADDED_IO_ENABLED || !bytes_of(type))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (bias != CUDNN_RNN_NO_BIAS && bias != CUDNN_RNN_DOUBLE_BIAS)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (precision != (type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT))
        return CUDNN_STATUS_NOT_SUPPORTED;
    *rnn = {true,
            cell,
            bias == CUDNN_RNN_DOUBLE_BIAS,
            type == CUDNN_DATA_FLOAT && math != CUDNN_FMA_MATH,
            direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
            input,
            hidden,
            type};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(Data *data) {
    *data = new cudnnRNNDataStruct();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(Data data) {
    delete data;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(Data data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch,
                                        int width, const int lengths[], void *) {
    if (steps < 1 || batch < 1 || width < 1) return CUDNN_STATUS_BAD_PARAM;
    if (!bytes_of(type) || layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int n = 0; n < batch; ++n)
        if (lengths[n] != steps) return CUDNN_STATUS_NOT_SUPPORTED;
    *data = {true, type, steps, batch, width};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, Network rnn, size_t *size) {
    if (!rnn->set) return CUDNN_STATUS_BAD_PARAM;
    Problem p{rnn->cell, rnn->type,  rnn->has_bias, rnn->tf32,      1,
              1,         rnn->input, rnn->hidden,   rnn->directions};
    *size = p.weights() * bytes_of(p.type);
    return CUDNN_STATUS_SUCCESS;
}

/* The first half of the linear layers multiplies the input, the second the state. */
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, Network rnn, int32_t layer, size_t,
                                      const void *weights, int32_t linear, Tensor matrix,
                                      void **matrix_address, Tensor bias, void **bias_address) {
    if (!rnn->set || !matrix || !bias) return CUDNN_STATUS_BAD_PARAM;
    Problem p{rnn->cell, rnn->type,  rnn->has_bias, rnn->tf32,      1,
              1,         rnn->input, rnn->hidden,   rnn->directions};
    int gates = gates_of(p.cell);
    if (layer < 0 || layer >= p.directions || linear < 0 || linear >= 2 * gates)
        return CUDNN_STATUS_BAD_PARAM;
    Direction<float, float> d{p, layer};
    bool of_state = linear >= gates;
    size_t row = size_t(linear - of_state * gates) * p.hidden;
    size_t at = of_state ? d.by_state() + row * p.hidden : d.by_input() + row * p.input;
    char *start = static_cast<char *>(const_cast<void *>(weights));
    *matrix_address = start + at * bytes_of(p.type);
    size_t bias_at = d.bias() + of_state * d.gates + row;
    *bias_address = p.has_bias ? start + bias_at * bytes_of(p.type) : nullptr;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, Network rnn, cudnnForwardMode_t mode,
                                        Data x, size_t *work, size_t *reserve) {
    Problem p;
    if (cudnnStatus_t status = problem_of(rnn, x, p)) return status;
    *work = WORKSPACE;
    if (reserve) *reserve = mode == CUDNN_FWD_MODE_TRAINING ? p.saved_bytes() : 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, Network rnn, cudnnForwardMode_t mode,
                              const int32_t[], Data xd, const void *x, Data yd, void *y, Tensor hd,
                              const void *hx, void *hy, Tensor cd, const void *cx, void *cy,
                              size_t weight_size, const void *weights, size_t work,
                              void *workspace, size_t reserve_size, void *reserve) {
    Problem p;
    if (cudnnStatus_t status = problem_of(rnn, xd, p)) return status;
    if (!describes_outputs(yd, p) || !describes_states(hd, p)) return CUDNN_STATUS_BAD_PARAM;
    if (p.cell == CUDNN_LSTM && !describes_states(cd, p)) return CUDNN_STATUS_BAD_PARAM;
    Arrays a{};
    a.x = x, a.out = y, a.hx = hx, a.hy = hy, a.cx = cx, a.cy = cy;
    a.weights = weights, a.reserve = reserve;
    return run(FORWARD, handle, p, {weight_size, work, workspace, reserve_size}, a,
               mode == CUDNN_FWD_MODE_TRAINING);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, Network rnn, const int32_t[], Data yd,
                                      const void *y, const void *dy, Data xd, void *dx, Tensor hd,
                                      const void *hx, const void *dhy, void *dhx, Tensor cd,
                                      const void *cx, const void *dcy, void *dcx,
                                      size_t weight_size, const void *weights, size_t work,
                                      void *workspace, size_t reserve_size, void *reserve) {
    Problem p;
    if (cudnnStatus_t status = problem_of(rnn, xd, p)) return status;
    if (!describes_outputs(yd, p) || !describes_states(hd, p)) return CUDNN_STATUS_BAD_PARAM;
    if (p.cell == CUDNN_LSTM && !describes_states(cd, p)) return CUDNN_STATUS_BAD_PARAM;
    Arrays a{};
    a.y = y, a.dy = dy, a.out = dx, a.hx = hx, a.dhy = dhy, a.dhx = dhx;
    a.cx = cx, a.dcy = dcy, a.dcx = dcx, a.weights = weights, a.reserve = reserve;
    return run(DATA_GRADIENT, handle, p, {weight_size, work, workspace, reserve_size}, a, true);
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, Network rnn, cudnnWgradMode_t mode,
                                         const int32_t[], Data xd, const void *x, Tensor hd,
                                         const void *hx, Data yd, const void *y,
                                         size_t weight_size, void *grad, size_t work,
                                         void *workspace, size_t reserve_size, void *reserve) {
    Problem p;
    if (mode != CUDNN_WGRAD_MODE_ADD) return CUDNN_STATUS_BAD_PARAM;
    if (cudnnStatus_t status = problem_of(rnn, xd, p)) return status;
    if (!describes_outputs(yd, p) || !describes_states(hd, p)) return CUDNN_STATUS_BAD_PARAM;
    Arrays a{};
    a.x = x, a.y = y, a.hx = hx, a.grad = grad, a.reserve = reserve;
    return run(WEIGHT_GRADIENT, handle, p, {weight_size, work, workspace, reserve_size}, a, true);
}
}
