/* What cupy.cuda.cub calls, in place of CuPy's cupy_cub.cu: reductions, scans and histograms as
 * loops. Sums and products go pairwise and round to the element type, as CUB's trees do.
 *
 * Not modelled: CUB's exact order of additions, and its scratch memory (a token byte is asked for).
 */
#include "cupy_cub.h"

#include "element_types.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace {

template <class T>
T plus(T a, T b) {
    return T(value_of(a) + value_of(b));
}
template <class T>
T times(T a, T b) {
    return T(value_of(a) * value_of(b));
}
inline bool plus(bool a, bool b) { return a || b; }
inline bool times(bool a, bool b) { return a && b; }

template <class T>
T smaller(T a, T b) {
    if (is_nan(a)) return a;
    return is_nan(b) || less(b, a) ? b : a;
}
template <class T>
T larger(T a, T b) {
    if (is_nan(a)) return a;
    return is_nan(b) || less(a, b) ? b : a;
}

template <class T>
T combined(int operation, T a, T b) {
    switch (operation) {
    case CUPY_CUB_SUM: return plus(a, b);
    case CUPY_CUB_PROD: return times(a, b);
    case CUPY_CUB_MIN: return smaller(a, b);
    case CUPY_CUB_MAX: return larger(a, b);
    }
    throw std::runtime_error("Unsupported operation");
}

template <class T>
T reduced(int operation, const T *x, size_t count) {
    if (count > 8)
        return combined(operation, reduced(operation, x, count / 2),
                        reduced(operation, x + count / 2, count - count / 2));
    T result = x[0];
    for (size_t i = 1; i < count; ++i) result = combined(operation, result, x[i]);
    return result;
}

template <class T>
T of_nothing(int operation) {
    return operation == CUPY_CUB_PROD ? T(1) : T(0);
}

template <class T>
int place_of_extreme(int operation, const T *x, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count && !is_nan(x[best]); ++i) {
        bool better = operation == CUPY_CUB_ARGMIN ? less(x[i], x[best]) : less(x[best], x[i]);
        if (is_nan(x[i]) || better) best = i;
    }
    return int(best);
}

} // namespace

size_t cub_device_reduce_get_workspace_size(void *, void *, int, cudaStream_t, int, int) {
    return 1;
}

void cub_device_reduce(void *, size_t &, void *in, void *out, int count, cudaStream_t stream,
                       int operation, int type) {
    with_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T *x = static_cast<const T *>(in);
        bool place = operation == CUPY_CUB_ARGMIN || operation == CUPY_CUB_ARGMAX;
        need_device(x, count * sizeof(T));
        need_device(out, place ? sizeof(int) : sizeof(T));
        submit(stream, [=] {
            if (place) *static_cast<int *>(out) = place_of_extreme(operation, x, count);
            else
                *static_cast<T *>(out) =
                    count ? reduced(operation, x, count) : of_nothing<T>(operation);
        });
    });
}

size_t cub_device_segmented_reduce_get_workspace_size(void *, void *, int, int, cudaStream_t, int,
                                                      int) {
    return 1;
}

void cub_device_segmented_reduce(void *, size_t &, void *in, void *out, int segments, int length,
                                 cudaStream_t stream, int operation, int type) {
    with_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T *x = static_cast<const T *>(in);
        T *y = static_cast<T *>(out);
        need_device(x, size_t(segments) * length * sizeof(T));
        need_device(y, segments * sizeof(T));
        submit(stream, [=] {
            for (int i = 0; i < segments; ++i)
                y[i] = length ? reduced(operation, x + size_t(i) * length, length)
                              : of_nothing<T>(operation);
        });
    });
}

size_t cub_device_scan_get_workspace_size(void *, void *, int, cudaStream_t, int, int) { return 1; }

void cub_device_scan(void *, size_t &, void *in, void *out, int count, cudaStream_t stream,
                     int operation, int type) {
    int step = operation == CUPY_CUB_CUMSUM ? CUPY_CUB_SUM : CUPY_CUB_PROD;
    with_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T *x = static_cast<const T *>(in);
        T *y = static_cast<T *>(out);
        need_device(x, count * sizeof(T));
        need_device(y, count * sizeof(T));
        submit(stream, [=] {
            T total = of_nothing<T>(step);
            for (int i = 0; i < count; ++i) y[i] = total = i ? combined(step, total, x[i]) : x[0];
        });
    });
}

size_t cub_device_histogram_range_get_workspace_size(void *, void *, int, void *, size_t,
                                                     cudaStream_t, int) {
    return 1;
}

/* Integers are counted between bounds in double. */
void cub_device_histogram_range(void *, size_t &, void *in, void *out, int bound_count,
                                void *bounds, size_t count, cudaStream_t stream, int type) {
    if (type == 11 || type == 12) throw std::runtime_error("complex dtype is not yet supported");
    with_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<T, std::complex<float>> &&
                      !std::is_same_v<T, std::complex<double>>) {
            using Bound = std::conditional_t<std::is_integral_v<T>, double, T>;
            const T *x = static_cast<const T *>(in);
            const Bound *bound = static_cast<const Bound *>(bounds);
            long long *counts = static_cast<long long *>(out);
            need_device(x, count * sizeof(T));
            need_device(bound, bound_count * sizeof(Bound));
            need_device(counts, (bound_count - 1) * sizeof *counts);
            submit(stream, [=] {
                std::fill(counts, counts + bound_count - 1, 0);
                for (size_t i = 0; i < count; ++i) {
                    const Bound *above = std::upper_bound(
                        bound, bound + bound_count, Bound(x[i]),
                        [](Bound a, Bound b) { return value_of(a) < value_of(b); });
                    if (above > bound && above < bound + bound_count) ++counts[above - bound - 1];
                }
            });
        }
    });
}

size_t cub_device_histogram_even_get_workspace_size(void *, void *, int, int, int, size_t,
                                                    cudaStream_t, int) {
    return 1;
}

void cub_device_histogram_even(void *, size_t &, void *in, void *out, int bound_count, int lower,
                               int upper, size_t count, cudaStream_t stream, int type) {
    with_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
            const T *x = static_cast<const T *>(in);
            long long *counts = static_cast<long long *>(out);
            need_device(x, count * sizeof(T));
            need_device(counts, (bound_count - 1) * sizeof *counts);
            submit(stream, [=] {
                std::fill(counts, counts + bound_count - 1, 0);
                for (size_t i = 0; i < count; ++i) {
                    double place = (double(x[i]) - lower) * (bound_count - 1) / (upper - lower);
                    if (place >= 0 && place < bound_count - 1) ++counts[size_t(place)];
                }
            });
        }
    });
}
