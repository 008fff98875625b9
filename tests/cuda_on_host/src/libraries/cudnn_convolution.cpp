/* Convolution of the fake cuDNN and both gradients, by plain loops: 16-bit types are summed in
 * float32, and TF32 rounds the factors to its 10 bits unless the descriptor asks for FMA.
 *
 * The heuristics list algorithms that a caller has to pass over, in front of those that it may use: one
 * that needs 8 GiB, one that adds in no fixed order, and one that is not supported.
 *
 * Not modelled: the order of sums, half-precision sums, true convolution (mirrored filters), data
 * that does not lie packed in one of the two layouts.
 */
#include "fake_cudnn.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace {

using Image = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using Convolution = cudnnConvolutionDescriptor_t;
using Sizes = std::array<int, 3>;
constexpr size_t HUGE_WORKSPACE = size_t(8) << 30;

/* All that a convolution is computed from, in three spatial dimensions. */
struct Problem {
    cudnnDataType_t type;
    int batch, channels, filters, groups;
    Sizes size, kernel, out, pad, stride, dilation;
    bool last, tf32; /* whether channels are last; whether factors are rounded */

    size_t area() const { return size_t(size[0]) * size[1] * size[2]; }
    size_t positions() const { return size_t(kernel[0]) * kernel[1] * kernel[2]; }
    size_t windows() const { return size_t(out[0]) * out[1] * out[2]; }
    size_t input() const { return batch * channels * area(); }
    size_t output() const { return batch * filters * windows(); }
    size_t weights() const { return filters * size_t(channels / groups) * positions(); }
};

/* Spatial values of two or three dimensions as those of three. */
Sizes three(int count, const int *values, int fill) {
    Sizes result = {fill, fill, fill};
    std::copy_n(values, count, result.begin() + (3 - count));
    return result;
}

bool is_packed(Image image, bool last) {
    int step[MOST_DIMENSIONS];
    packed_steps(image->count, image->size, last, step);
    for (int axis = 0; axis < image->count; ++axis)
        if (image->size[axis] > 1 && image->step[axis] != step[axis]) return false;
    return true;
}

/* Checks the descriptors against each other, and makes a problem of them. */
cudnnStatus_t problem_of(Image x, Filter w, Convolution c, Image y, Problem &p) {
    if (!x->count || !y->count || !w->count || !c->count) return CUDNN_STATUS_BAD_PARAM;
    int count = c->count;
    if (x->count != count + 2 || y->count != count + 2 || w->count != count + 2)
        return CUDNN_STATUS_BAD_PARAM;
    if (x->type != w->type || x->type != y->type) return CUDNN_STATUS_BAD_PARAM;
    if (c->compute != (x->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (c->mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_NOT_SUPPORTED;
    if (x->size[1] != w->size[1] * c->groups || w->size[0] % c->groups)
        return CUDNN_STATUS_BAD_PARAM;
    if (y->size[0] != x->size[0] || y->size[1] != w->size[0]) return CUDNN_STATUS_BAD_PARAM;
    for (int axis = 0; axis < count; ++axis) {
        int extent = c->dilation[axis] * (w->size[2 + axis] - 1) + 1;
        int room = x->size[2 + axis] + 2 * c->pad[axis] - extent;
        if (room < 0 || y->size[2 + axis] != room / c->stride[axis] + 1)
            return CUDNN_STATUS_BAD_PARAM;
    }
    bool last = w->format == CUDNN_TENSOR_NHWC;
    if (!is_packed(x, last) || !is_packed(y, last)) return CUDNN_STATUS_NOT_SUPPORTED;
    if (last && x->type == CUDNN_DATA_DOUBLE) return CUDNN_STATUS_NOT_SUPPORTED;
    p = {x->type,
         x->size[0],
         x->size[1],
         w->size[0],
         c->groups,
         three(count, x->size + 2, 1),
         three(count, w->size + 2, 1),
         three(count, y->size + 2, 1),
         three(count, c->pad, 0),
         three(count, c->stride, 1),
         three(count, c->dilation, 1),
         last,
         x->type == CUDNN_DATA_FLOAT && c->math != CUDNN_FMA_MATH};
    return CUDNN_STATUS_SUCCESS;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Calls f(place in memory, place with channels second) for every element of (outer, channels,
 * spatial). */
template <class F>
void for_each(int outer, int channels, size_t spatial, bool last, F f) {
    for (size_t i = 0; i < size_t(outer); ++i)
        for (size_t c = 0; c < size_t(channels); ++c)
            for (size_t s = 0; s < spatial; ++s) {
                size_t second = (i * channels + c) * spatial + s;
                f(last ? (i * spatial + s) * channels + c : second, second);
            }
}

template <class T, class Sum>
std::vector<Sum> read(const void *data, int outer, int channels, size_t spatial, const Problem &p) {
    std::vector<Sum> result(size_t(outer) * channels * spatial);
    auto from = static_cast<const T *>(data);
    for_each(outer, channels, spatial, p.last, [&](size_t in_memory, size_t second) {
        Sum value = Sum(from[in_memory]);
        if constexpr (std::is_same_v<T, float>)
            if (p.tf32) value = to_tf32(value);
        result[second] = value;
    });
    return result;
}

template <class T, class Sum>
void write(const std::vector<Sum> &values, void *data, int outer, int channels, size_t spatial,
           const Problem &p) {
    auto to = static_cast<T *>(data);
    for_each(outer, channels, spatial, p.last,
             [&](size_t in_memory, size_t second) { to[in_memory] = T(values[second]); });
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* The windows along the last axis that meet the input at a kernel position. */
struct Range {
    int first, stop, start; /* windows, and where in the input the first one lies */
};
Range range(const Problem &p, int axis, int position) {
    int offset = position * p.dilation[axis] - p.pad[axis], stride = p.stride[axis];
    int first = offset < 0 ? (-offset + stride - 1) / stride : 0;
    int last = p.size[axis] - 1 - offset;
    int stop = last < 0 ? 0 : std::min(p.out[axis], last / stride + 1);
    return {first, stop, first * stride + offset};
}

/* Calls f(input row, weight, output row, windows) for every row of windows and kernel position that
 * meet; places count elements. */
template <class F>
void for_each_row(const Problem &p, F f) {
    int per_group = p.channels / p.groups, filters = p.filters / p.groups;
    for (size_t n = 0; n < size_t(p.batch); ++n)
        for (size_t k = 0; k < size_t(p.filters); ++k)
            for (size_t c = 0; c < size_t(per_group); ++c) {
                size_t channel = n * p.channels + k / filters * per_group + c;
                size_t weight = (k * per_group + c) * p.positions(), plane = n * p.filters + k;
                for (int a = 0; a < p.kernel[0]; ++a)
                    for (int b = 0; b < p.kernel[1]; ++b)
                        for (int d = 0; d < p.kernel[2]; ++d, ++weight) {
                            Range ra = range(p, 0, a), rb = range(p, 1, b), rd = range(p, 2, d);
                            if (rd.first >= rd.stop) continue;
                            for (int i = ra.first; i < ra.stop; ++i)
                                for (int j = rb.first; j < rb.stop; ++j) {
                                    size_t row = ra.start + (i - ra.first) * p.stride[0];
                                    row = row * p.size[1] + rb.start + (j - rb.first) * p.stride[1];
                                    size_t in = channel * p.area() + row * p.size[2] + rd.start;
                                    size_t out = (plane * p.out[0] + i) * p.out[1] + j;
                                    f(in, weight, out * p.out[2] + rd.first, rd.stop - rd.first);
                                }
                        }
            }
}

enum Pass { FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT };

template <class T, class Sum>
void convolve(Pass pass, const Problem &p, const void *one, const void *two, void *result) {
    int per_group = p.channels / p.groups, stride = p.stride[2];
    auto image = [&](const void *data) {
        return read<T, Sum>(data, p.batch, p.channels, p.area(), p);
    };
    auto windows = [&](const void *data) {
        return read<T, Sum>(data, p.batch, p.filters, p.windows(), p);
    };
    auto weights = [&](const void *data) {
        return read<T, Sum>(data, p.filters, per_group, p.positions(), p);
    };
    if (pass == FORWARD) {
        auto x = image(one), w = weights(two);
        std::vector<Sum> y(p.output());
        for_each_row(p, [&](size_t in, size_t weight, size_t out, int count) {
            for (int i = 0; i < count; ++i) y[out + i] += w[weight] * x[in + size_t(i) * stride];
        });
        write<T>(y, result, p.batch, p.filters, p.windows(), p);
    } else if (pass == INPUT_GRADIENT) {
        auto w = weights(one), dy = windows(two);
        std::vector<Sum> dx(p.input());
        for_each_row(p, [&](size_t in, size_t weight, size_t out, int count) {
            for (int i = 0; i < count; ++i) dx[in + size_t(i) * stride] += w[weight] * dy[out + i];
        });
        write<T>(dx, result, p.batch, p.channels, p.area(), p);
    } else {
        auto x = image(one), dy = windows(two);
        std::vector<Sum> dw(p.weights());
        for_each_row(p, [&](size_t in, size_t weight, size_t out, int count) {
            Sum sum = 0;
            for (int i = 0; i < count; ++i) sum += x[in + size_t(i) * stride] * dy[out + i];
            dw[weight] += sum;
        });
        write<T>(dw, result, p.filters, per_group, p.positions(), p);
    }
}

/* ---- algorithms ------------------------------------------------------------------------------ */

struct Algorithms { /* of a pass, as the heuristics list them */
    int huge, unordered, unsupported, with_workspace, without;
};
Algorithms algorithms_of(Pass pass) {
    switch (pass) {
    case FORWARD:
        return {CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, -1, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT,
                CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM};
    case INPUT_GRADIENT:
        return {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED,
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD,
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, -1};
    default:
        return {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, -1};
    }
}

cudnnStatus_t workspace_of(Pass pass, const Problem &p, int algorithm, size_t &size) {
    Algorithms all = algorithms_of(pass);
    if (algorithm < 0 || algorithm == all.unsupported) return CUDNN_STATUS_NOT_SUPPORTED;
    if (algorithm == all.huge) size = HUGE_WORKSPACE;
    else if (algorithm == all.with_workspace) size = p.weights() * bytes_of(p.type) + 64;
    else if (algorithm == all.unordered || algorithm == all.without) size = 0;
    else return CUDNN_STATUS_NOT_SUPPORTED;
    return CUDNN_STATUS_SUCCESS;
}

template <class Perf>
cudnnStatus_t list_algorithms(Pass pass, Image x, Filter w, Convolution c, Image y, int most,
                              int *returned, Perf *results) {
    Problem p;
    if (cudnnStatus_t status = problem_of(x, w, c, y, p)) return status;
    Algorithms all = algorithms_of(pass);
    *returned = 0;
    for (int algorithm : {all.huge, all.unordered, all.with_workspace, all.without, all.unsupported}) {
        if (algorithm < 0 || *returned >= most) continue;
        Perf &perf = results[(*returned)++];
        perf = Perf();
        perf.algo = decltype(perf.algo)(algorithm);
        perf.status = workspace_of(pass, p, algorithm, perf.memory);
        perf.time = perf.status ? -1 : float(*returned);
        perf.determinism =
            algorithm == all.unordered ? CUDNN_NON_DETERMINISTIC : CUDNN_DETERMINISTIC;
        perf.mathType = c->math;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t find_workspace(Pass pass, Image x, Filter w, Convolution c, Image y, int algorithm,
                             size_t *size) {
    Problem p;
    if (cudnnStatus_t status = problem_of(x, w, c, y, p)) return status;
    return workspace_of(pass, p, algorithm, *size);
}

template <class Sum>
bool is_plain(const void *alpha, const void *beta) {
    return *static_cast<const Sum *>(alpha) == 1 && *static_cast<const Sum *>(beta) == 0;
}

/* What a call has besides descriptors. */
struct Call {
    cudnnHandle_t handle;
    const void *alpha, *one, *two;
    int algorithm;
    void *workspace;
    size_t workspace_size;
    const void *beta;
    void *result;
};

bool in_memory(const void *pointer, size_t elements, const Problem &p) {
    return reinterpret_cast<uintptr_t>(pointer) % ALIGNMENT == 0 &&
           host_reachable(pointer, elements * bytes_of(p.type));
}

cudnnStatus_t run(Pass pass, Image x, Filter w, Convolution c, Image y, const Call &call) {
    Problem p;
    size_t needed = 0;
    if (cudnnStatus_t status = problem_of(x, w, c, y, p)) return status;
    if (cudnnStatus_t status = workspace_of(pass, p, call.algorithm, needed)) return status;
    bool plain = p.type == CUDNN_DATA_DOUBLE ? is_plain<double>(call.alpha, call.beta)
                                             : is_plain<float>(call.alpha, call.beta);
    if (!plain) return CUDNN_STATUS_NOT_SUPPORTED;
    if (call.workspace_size < needed) return CUDNN_STATUS_BAD_PARAM;
    if (needed && !host_reachable(call.workspace, needed)) return CUDNN_STATUS_EXECUTION_FAILED;
    size_t sizes[][3] = {{p.input(), p.weights(), p.output()},
                         {p.weights(), p.output(), p.input()},
                         {p.input(), p.output(), p.weights()}};
    const size_t *size = sizes[pass];
    if (!in_memory(call.one, size[0], p) || !in_memory(call.two, size[1], p) ||
        !in_memory(call.result, size[2], p))
        return CUDNN_STATUS_EXECUTION_FAILED;
    host_count(HOST_convolutions);
    int error = submit(call.handle->stream, [=] {
        if (needed) host_fill(call.workspace, HOST_STALE, needed); /* nothing may lie there */
        switch (p.type) {
        case CUDNN_DATA_DOUBLE:
            convolve<double, double>(pass, p, call.one, call.two, call.result);
            break;
        case CUDNN_DATA_HALF:
            convolve<__half, float>(pass, p, call.one, call.two, call.result);
            break;
        case CUDNN_DATA_BFLOAT16:
            convolve<__nv_bfloat16, float>(pass, p, call.one, call.two, call.result);
            break;
        default: convolve<float, float>(pass, p, call.one, call.two, call.result);
        }
        return 0;
    });
    return error ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const Image x, const Filter w,
                                                     const Convolution c, const Image y,
                                                     const int most, int *returned,
                                                     cudnnConvolutionFwdAlgoPerf_t *results) {
    return list_algorithms(FORWARD, x, w, c, y, most, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const Filter w, const Image dy, const Convolution c, const Image dx,
    const int most, int *returned, cudnnConvolutionBwdDataAlgoPerf_t *results) {
    return list_algorithms(INPUT_GRADIENT, dx, w, c, dy, most, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const Image x, const Image dy, const Convolution c, const Filter dw,
    const int most, int *returned, cudnnConvolutionBwdFilterAlgoPerf_t *results) {
    return list_algorithms(WEIGHT_GRADIENT, x, dw, c, dy, most, returned, results);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, const Image x, const Filter w,
                                                      const Convolution c, const Image y,
                                                      cudnnConvolutionFwdAlgo_t algorithm,
                                                      size_t *size) {
    return find_workspace(FORWARD, x, w, c, y, algorithm, size);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const Filter w, const Image dy, const Convolution c, const Image dx,
    cudnnConvolutionBwdDataAlgo_t algorithm, size_t *size) {
    return find_workspace(INPUT_GRADIENT, dx, w, c, dy, algorithm, size);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const Image x, const Image dy, const Convolution c, const Filter dw,
    cudnnConvolutionBwdFilterAlgo_t algorithm, size_t *size) {
    return find_workspace(WEIGHT_GRADIENT, x, dw, c, dy, algorithm, size);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const Image x_,
                                      const void *x, const Filter w_, const void *w,
                                      const Convolution c, cudnnConvolutionFwdAlgo_t algorithm,
                                      void *workspace, size_t workspace_size, const void *beta,
                                      const Image y_, void *y) {
    return run(FORWARD, x_, w_, c, y_,
               {handle, alpha, x, w, algorithm, workspace, workspace_size, beta, y});
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           const Filter w_, const void *w, const Image dy_,
                                           const void *dy, const Convolution c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                           void *workspace, size_t workspace_size,
                                           const void *beta, const Image dx_, void *dx) {
    return run(INPUT_GRADIENT, dx_, w_, c, dy_,
               {handle, alpha, w, dy, algorithm, workspace, workspace_size, beta, dx});
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const Image x_, const void *x, const Image dy_,
                                             const void *dy, const Convolution c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void *workspace, size_t workspace_size,
                                             const void *beta, const Filter dw_, void *dw) {
    return run(WEIGHT_GRADIENT, x_, dw_, c, dy_,
               {handle, alpha, x, dy, algorithm, workspace, workspace_size, beta, dw});
}
}
