"""The sums over alignments of connectionist temporal classification (CTC) and of RNN transducers
(RNN-T), as one kernel for each recursion.

ops/_loss/ctc.py and ops/_loss/rnnt.py compute the same with several array functions for each step.
Here each block processes one sequence, and its threads share the states of a step. Two rows of
memory alternate: a step reads the previous states from one and writes its states to the other. No
two threads add to the same element, so results do not depend on the order of threads.
"""

import functools
from math import prod

import numpy

THREADS, MOST_THREADS = 256, 1024
_TYPES = {numpy.dtype(numpy.float32): "float", numpy.dtype(numpy.float64): "double"}
_HEAD = """
typedef {real} T;
typedef long long Long;
#define NONE (T)-1e30
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

__device__ T log_sum(T a, T b) {{
    if (a == b) return a + (T)0.69314718055994530942;
    return (a > b ? a : b) + log1p(exp(-fabs(a - b)));
}}
"""

# States of CTC: the labels, with a blank before each and after the last. The states of a step are
# read from `row` and written to `next`.
_CTC_HEAD = """
#define MERGE {merge}
#define NAME_{name} 1

__device__ Long label_of(const Long* target, int s, Long blank) {{
    return s & 1 ? target[s >> 1] : blank;
}}
__device__ T stay_cost(Long label, Long blank) {{
    return MERGE || label == blank ? (T)0 : NONE;
}}
__device__ T skip_cost(const Long* target, int s, Long blank) {{
    const Long label = label_of(target, s, blank);
    if (s < 2 || label == blank || (MERGE && label == label_of(target, s - 2, blank))) return NONE;
    return 0;
}}
__device__ T emission(const T* logs, Long label, Long classes) {{
    label %= classes;
    return logs[label < 0 ? label + classes : label];
}}
"""
_CTC_ARGUMENTS = (
    "Long blank, Long times, Long count, Long classes, Long longest, int states"  # 2 longest + 1
)
_REACH = """
extern "C" __global__ void __launch_bounds__({most}) {name}(
    const T* logs, const Long* targets, const Long* steps, const Long* lengths, T* rows, T* alpha,
    T* total, {arguments}) {{
    const Long n = blockIdx.x, *target = targets + n * longest;
    const Long final = steps[n] > 0 ? steps[n] - 1 : times - 1, last = 2 * lengths[n] + 1;
    for (Long t = 0; t < times; ++t) {{
        const T* row = rows + (2 * n + (t & 1)) * states;
        T* next = rows + (2 * n + (t + 1 & 1)) * states;
        const T* emitted = logs + (t * count + n) * classes;
        for (int s = threadIdx.x; s < states; s += blockDim.x) {{
            const Long label = label_of(target, s, blank);
            T value = s < 2 ? (T)0 : NONE;
            if (t) {{
                value = log_sum(row[s] + stay_cost(label, blank), s > 0 ? row[s - 1] : NONE);
                const T skipped = (s > 1 ? row[s - 2] : NONE) + skip_cost(target, s, blank);
                value = log_sum(value, skipped);
            }}
            if (t || s < 2) value += emission(emitted, label, classes);
            next[s] = value;
#ifdef NAME_ctc_nll_and_alpha
            const bool counts = t < steps[n] && s < last && value > (T)0.1 * NONE;
            alpha[(n * times + t) * states + s] = counts ? value : -INFINITY;
#elif defined(NAME_ctc_reach)
            alpha[(n * times + t) * states + s] = value;
#endif
        }}
        __syncthreads();
        if (t == final && !threadIdx.x) {{
            const T one = next[last - 1], other = last > 1 ? next[last - 2] : one;
            const Long rest = states - (last > 1 ? 2 : 1);
            T top = one > other || one != one ? one : other;
            if (rest && top < NONE) top = NONE;
            T sum = exp(one - top) + (last > 1 ? exp(other - top) : (T)0);
            if (rest) sum += rest * exp(NONE - top);
            sum = top + log(sum);
            if (steps[n] == 0) sum = last == 1 ? (T)0 : NONE;
#ifndef NAME_ctc_reach
            sum = -sum > (T)-0.1 * NONE ? INFINITY : -sum;
#endif
            total[n] = sum;
        }}
    }}
}}
"""
# Replaces the forward variables by the probabilities that the states are passed at each time.
_SHARES = """
extern "C" __global__ void __launch_bounds__({most}) ctc_shares(
    const T* logs, const Long* targets, const Long* steps, const Long* lengths, T* rows, T* alpha,
    T* total, {arguments}) {{
    const Long n = blockIdx.x, *target = targets + n * longest, last = 2 * lengths[n] + 1;
    const T sum = total[n];
    for (Long t = times - 1; t >= 0; --t) {{
        const T* row = rows + (2 * n + (t + 1 & 1)) * states;
        T* next = rows + (2 * n + (t & 1)) * states;
        const T* emitted = logs + ((t + 1) * count + n) * classes;
        for (int s = threadIdx.x; s < states; s += blockDim.x) {{
            T value = s == last - 1 || s == last - 2 ? (T)0 : NONE;
            if (t < times - 1 && t < steps[n] - 1) {{
                T onward[3];
                for (int i = 0; i < 3; ++i) {{
                    const Long label = s + i < states ? label_of(target, s + i, blank) : blank;
                    onward[i] = s + i < states
                        ? row[s + i] + emission(emitted, label, classes) : NONE;
                    if (!i) onward[0] += stay_cost(label, blank);
                }}
                if (s + 2 < states) onward[2] += skip_cost(target, s + 2, blank);
                value = log_sum(log_sum(onward[0], onward[1]), onward[2]);
            }}
            next[s] = value;
            T* share = alpha + (n * times + t) * states + s;
            const T power = *share + value - sum;
            *share = t < steps[n] && sum > (T)0.1 * NONE ? exp(power > 0 ? (T)0 : power) : (T)0;
        }}
        __syncthreads();
    }}
}}
"""
_COLLECT = """
extern "C" __global__ void __launch_bounds__({threads}) ctc_collect(
    const T* shares, const Long* targets, T* out, {arguments}) {{
    const Long at = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    if (at >= times * count) return;
    const Long t = at / count, n = at - t * count, *target = targets + n * longest;
    const T* share = shares + (n * times + t) * states;
    T* classed = out + at * classes;
    T blanks = 0;
    for (int s = 0; s < states; s += 2) blanks += share[s];
    classed[blank] = blanks;
    for (int s = 1; s < states; s += 2) {{
        const Long label = target[s >> 1] % classes;
        classed[label < 0 ? label + classes : label] += share[s];
    }}
}}
"""
_CTC = {
    "ctc_nll": _REACH,
    "ctc_nll_and_alpha": _REACH,
    "ctc_reach": _REACH,
    "ctc_shares": _SHARES,
    "ctc_collect": _COLLECT,
}

# The steps of a transducer from a point (t, u): a blank to t + 1, a label to u + 1, the last blank.
_RNNT_HEAD = """
struct Steps { T blank, label, end; Long which; };
__device__ Steps steps_from(
    const T* logs, const Long* labels, Long blank, Long t, int u, Long steps, Long length) {{
    Steps out;
    const T of_blank = logs[blank];
    out.which = u < length ? labels[u] : 0;
    out.blank = t < steps - 1 && u <= length ? of_blank : NONE;
    out.label = t < steps && u < length ? logs[out.which] : NONE;
    out.end = t == steps - 1 && u == length ? of_blank : NONE;
    return out;
}}
"""
_RNNT_ARGUMENTS = "Long blank, Long times, int positions, Long classes"
_RNNT_FRAME = """
extern "C" __global__ void __launch_bounds__({most}) {name}(
    const T* logs, const Long* labels, const Long* steps, const Long* lengths, {given},
    {arguments}) {{
    const Long n = blockIdx.x, first = n * times;
    const Long* own = labels + n * (positions - 1);
    for (Long step = 0; step < times + positions - 1; ++step) {{
        const Long d = {diagonal};
        for (int u = threadIdx.x; u < positions; u += blockDim.x) {{
            const Long t = d - u, at = (first + t) * positions + u;
            if (t < 0 || t >= times) continue;
            const Steps go = steps_from(
                logs + at * classes, own, blank, t, u, steps[n], lengths[n]);
            {body}
        }}
        __syncthreads();
    }}
}}
"""
_FINISH = """
            const T onward = t + 1 < times ? beta[at + positions] : NONE;
            const T upward = u + 1 < positions ? beta[at + 1] : NONE;
            T value = log_sum(log_sum(go.blank + onward, go.label + upward), go.end);
            beta[at] = value < NONE ? NONE : value;
"""
_PASS = """
            T value = u ? NONE : (T)0;
            if (d) {{
                T before = t ? alpha[at - positions] : NONE, below = u ? alpha[at - 1] : NONE;
                if (t) before += steps_from(logs + (at - positions) * classes, own, blank, t - 1, u,
                                            steps[n], lengths[n]).blank;
                if (u) below += steps_from(logs + (at - 1) * classes, own, blank, t, u - 1,
                                           steps[n], lengths[n]).label;
                value = log_sum(before, below);
                value = value < NONE ? NONE : value;
            }}
            alpha[at] = value;
            const T total = beta[first * positions];
            const T onward = t + 1 < times ? beta[at + positions] : NONE;
            const T upward = u + 1 < positions ? beta[at + 1] : NONE;
            out[at * classes + blank] +=
                exp(value + go.blank + onward - total) + exp(value + go.end - total);
            out[at * classes + go.which] += exp(value + go.label + upward - total);
"""
_RNNT = {
    "rnnt_finish": ("T* beta", "times + positions - 2 - step", _FINISH),
    "rnnt_pass": ("const T* beta, T* alpha, T* out", "step", _PASS),
}


@functools.cache
def _kernel(module, name, dtype, merge=True):
    head = _HEAD.format(real=_TYPES[dtype])
    if name in _CTC:
        head += _CTC_HEAD.format(merge=int(merge), name=name)
        sizes = {"most": MOST_THREADS, "threads": THREADS, "arguments": _CTC_ARGUMENTS}
        return module.RawKernel(head + _CTC[name].format(name=name, **sizes), name)
    given, diagonal, body = _RNNT[name]
    text = _RNNT_FRAME.format(
        most=MOST_THREADS,
        name=name,
        given=given,
        arguments=_RNNT_ARGUMENTS,
        diagonal=diagonal,
        body=body,
    )
    return module.RawKernel(head + _RNNT_HEAD + text, name)


def takes(space, logs):
    """Returns True if there are kernels for log probabilities of this dtype and shape."""
    return space.kernels is not None and logs.dtype in _TYPES and logs.size > 0


class Ctc:
    """The recursions of CTC for a batch of sequences.

    Args:
        module: CuPy.
        logs: log probabilities (times, count, classes).
        targets, steps, lengths: the labels (count, longest), the number of times and of labels.
        blank (int), merge (bool): as for `xp.ctc_nll`.
    """

    def __init__(self, module, logs, targets, steps, lengths, blank, merge=True):
        self._module, self._merge = module, merge
        self._logs = module.ascontiguousarray(logs)
        self._given = [_integers(module, array) for array in (targets, steps, lengths)]
        self._states = 2 * targets.shape[1] + 1
        sizes = map(numpy.int64, (blank, *logs.shape, targets.shape[1]))
        self._sizes = (*sizes, numpy.int32(self._states))

    def nll(self):
        """Returns minus the log probabilities of the targets, (count,)."""
        return self._run("ctc_nll", None)[1]

    def nll_and_alpha(self):
        """Returns `nll()` and the forward variables (count, times, states), -infinity behind the
        ends."""
        alpha = self._room()
        return self._run("ctc_nll_and_alpha", alpha)[1], alpha

    def occupation(self):
        """Returns the probability that each class is emitted at each time, in the shape of the log
        probabilities."""
        alpha, out = self._room(), self._module.zeros(self._logs.shape, self._logs.dtype)
        rows, total = self._run("ctc_reach", alpha)
        self._launch("ctc_shares", self._logs, *self._given, rows, alpha, total)
        kernel = _kernel(self._module, "ctc_collect", self._logs.dtype, self._merge)
        blocks = -(-prod(self._logs.shape[:2]) // THREADS)
        kernel((blocks,), (THREADS,), (alpha, self._given[0], out, *self._sizes))
        return out

    def _room(self):
        times, count, _ = self._logs.shape
        return self._module.empty((count, times, self._states), self._logs.dtype)

    def _run(self, name, alpha):
        """Runs the forward recursion. Returns its memory, and a number for each sequence."""
        empty, dtype, count = self._module.empty, self._logs.dtype, self._logs.shape[1]
        rows, total = empty((count, 2, self._states), dtype), empty(count, dtype)
        self._launch(name, self._logs, *self._given, rows, rows if alpha is None else alpha, total)
        return rows, total

    def _launch(self, name, *arrays):
        kernel = _kernel(self._module, name, self._logs.dtype, self._merge)
        kernel((self._logs.shape[1],), (_threads(self._states),), (*arrays, *self._sizes))


def rnnt_nll(module, logs, labels, steps, lengths, blank):
    """Returns minus the log probabilities of labels (B, U - 1) under (B, T, U, V), (B,)."""
    return -_finish(module, logs, labels, steps, lengths, blank)[0][:, 0, 0]


def rnnt_occupation(module, logs, labels, steps, lengths, blank):
    """Returns the probability that each class is emitted at each point, (B, T, U, V)."""
    beta, given, sizes = _finish(module, logs, labels, steps, lengths, blank)
    out = module.zeros(logs.shape, logs.dtype)
    arrays = (*given, beta, module.empty(beta.shape, beta.dtype), out)
    kernel = _kernel(module, "rnnt_pass", logs.dtype)
    kernel((len(logs),), (_threads(logs.shape[2]),), (*arrays, *sizes))
    return out


def _finish(module, logs, labels, steps, lengths, blank):
    """Returns the log probabilities of finishing from each point, (B, T, U), and the arguments of
    the kernel: its first arrays, and the sizes."""
    given = [module.ascontiguousarray(logs)]
    given += [_integers(module, array) for array in (labels, steps, lengths)]
    _, times, positions, classes = logs.shape
    sizes = *map(numpy.int64, (blank, times)), numpy.int32(positions), numpy.int64(classes)
    beta = module.empty(logs.shape[:3], logs.dtype)
    kernel = _kernel(module, "rnnt_finish", logs.dtype)
    kernel((len(logs),), (_threads(positions),), (*given, beta, *sizes))
    return beta, given, sizes


def _integers(module, array):
    return module.ascontiguousarray(array.astype(numpy.int64, copy=False))


def _threads(states):
    """Returns the number of threads of a block: whole warps."""
    return min(-(-states // 32) * 32, MOST_THREADS)
