/* Fourier transforms of cuFFT in any shape and stride, computed in double: factors up to 13
 * directly, other lengths as convolutions (Bluestein).
 *
 * Not modelled: half precision, several GPUs, callbacks, and cuFFT's errors of rounding.
 */
#include "library.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace {

enum {
    SUCCESS = 0,
    INVALID_PLAN = 1,
    INVALID_TYPE = 3,
    EXEC_FAILED = 6,
    INVALID_SIZE = 8,
    NOT_SUPPORTED = 16
};
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };

using Vector = std::vector<complex64>;

/* ---- transforms of one line, in place ------------------------------------------------------- */

complex64 root(long k, long n, int sign) {
    double angle = 2 * M_PI * double(k % n) / double(n);
    return {std::cos(angle), sign * std::sin(angle)};
}

long factor_of(long n) {
    for (long p : {4, 2, 3, 5, 7, 11, 13})
        if (n % p == 0) return p;
    return n;
}

void transform(Vector &x, int sign);

/* Any length as a convolution of a power of two. */
void transform_by_convolution(Vector &x, int sign) {
    long n = x.size(), length = 1;
    while (length < 2 * n - 1) length *= 2;
    Vector chirp(n), a(length), b(length);
    for (long k = 0; k < n; ++k) chirp[k] = root(k * k % (2 * n), 2 * n, sign);
    for (long k = 0; k < n; ++k) {
        a[k] = x[k] * chirp[k];
        b[k] = b[(length - k) % length] = std::conj(chirp[k]);
    }
    transform(a, -1);
    transform(b, -1);
    for (long k = 0; k < length; ++k) a[k] *= b[k];
    transform(a, 1);
    for (long k = 0; k < n; ++k) x[k] = a[k] * chirp[k] / double(length);
}

void transform(Vector &x, int sign) {
    long n = x.size();
    if (n <= 1) return;
    long p = factor_of(n), m = n / p;
    if (p > 13) return transform_by_convolution(x, sign);
    std::vector<Vector> parts(p, Vector(m));
    for (long r = 0; r < p; ++r) {
        for (long j = 0; j < m; ++j) parts[r][j] = x[j * p + r];
        transform(parts[r], sign);
    }
    for (long k = 0; k < m; ++k) {
        complex64 turned[13];
        for (long r = 0; r < p; ++r) turned[r] = parts[r][k] * root(r * k, n, sign);
        for (long q = 0; q < p; ++q) {
            complex64 sum = turned[0];
            for (long r = 1; r < p; ++r) sum += turned[r] * root(r * q, p, sign);
            x[k + q * m] = sum;
        }
    }
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* Where the elements of a batch lie, as cuFFT's "advanced layout" says. */
struct Layout {
    std::vector<long> embed; /* extents of storage */
    long stride, distance;
};

struct Plan {
    void *stream = nullptr;
    int type = 0;
    long batch = 0;
    std::vector<long> shape;
    Layout in, out;
};

std::map<int, Plan> plans;

Plan *plan_of(int handle) {
    auto entry = plans.find(handle);
    return entry == plans.end() ? nullptr : &entry->second;
}

long product(const std::vector<long> &factors) {
    long result = 1;
    for (long factor : factors) result *= factor;
    return result;
}

/* The extents of complex data: half of the last axis for real transforms. */
std::vector<long> halved(std::vector<long> shape) {
    shape.back() = shape.back() / 2 + 1;
    return shape;
}

template <class I>
Layout layout_of(const I *embed, long stride, long distance, const std::vector<long> &shape) {
    if (!embed) return {shape, 1, product(shape)};
    return {std::vector<long>(embed, embed + shape.size()), stride, distance};
}

template <class I>
int make(int handle, int rank, const I *n, const I *in, long in_stride, long in_distance,
         const I *out, long out_stride, long out_distance, int type, long batch, size_t *size) {
    Plan *plan = plan_of(handle);
    if (!plan) return INVALID_PLAN;
    plan->type = type;
    plan->batch = batch;
    plan->shape.assign(n, n + rank);
    for (long extent : plan->shape)
        if (extent < 1) return INVALID_SIZE;
    bool to_real = type == C2R || type == Z2D, from_real = type == R2C || type == D2Z;
    plan->in = layout_of(in, in_stride, in_distance, to_real ? halved(plan->shape) : plan->shape);
    plan->out =
        layout_of(out, out_stride, out_distance, from_real ? halved(plan->shape) : plan->shape);
    *size = 1;
    return SUCCESS;
}

/* The offset of the i-th element of `shape` in storage. */
size_t place(long i, const std::vector<long> &shape, const Layout &layout) {
    long offset = 0, step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        offset += i % shape[axis] * step;
        i /= shape[axis];
        step *= layout.embed[axis];
    }
    return offset * layout.stride;
}

size_t reach(const std::vector<long> &shape, const Layout &layout, long batch) {
    return place(product(shape) - 1, shape, layout) + (batch - 1) * layout.distance + 1;
}

/* Transforms a full grid along all of its axes. */
void transform_grid(Vector &grid, const std::vector<long> &shape, int sign) {
    long inner = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        long n = shape[axis], outer = grid.size() / (n * inner);
        Vector line(n);
        for (long o = 0; o < outer; ++o)
            for (long i = 0; i < inner; ++i) {
                for (long k = 0; k < n; ++k) line[k] = grid[(o * n + k) * inner + i];
                transform(line, sign);
                for (long k = 0; k < n; ++k) grid[(o * n + k) * inner + i] = line[k];
            }
        inner *= n;
    }
}

/* The whole grid from the half that is stored of a spectrum of real data. */
Vector whole_of(const Vector &half, const std::vector<long> &shape) {
    std::vector<long> stored = halved(shape);
    Vector grid(product(shape));
    for (size_t i = 0; i < grid.size(); ++i) {
        long rest = i, at = 0, mirrored = 0, step = 1;
        bool missing = long(i) % shape.back() >= stored.back();
        for (size_t axis = shape.size(); axis-- > 0;) {
            long k = rest % shape[axis];
            rest /= shape[axis];
            at += k * step;
            mirrored += (shape[axis] - k) % shape[axis] * step;
            step *= stored[axis];
        }
        grid[i] = missing ? std::conj(half[mirrored]) : half[at];
    }
    return grid;
}

template <class T>
complex64 widened(T x) {
    return complex64(x);
}
template <class T>
void store(complex64 value, T *to) {
    *to = T(value.real());
}
template <class T>
void store(complex64 value, std::complex<T> *to) {
    *to = std::complex<T>(T(value.real()), T(value.imag()));
}

template <class In, class Out>
int execute(int handle, const In *in, Out *out, int sign) {
    Plan *plan = plan_of(handle);
    if (!plan) return INVALID_PLAN;
    constexpr bool from_real = std::is_same_v<In, real_of<In>>,
                   to_real = std::is_same_v<Out, real_of<Out>>;
    const std::vector<long> in_shape = to_real ? halved(plan->shape) : plan->shape;
    const std::vector<long> out_shape = from_real ? halved(plan->shape) : plan->shape;
    if (!host_reachable(in, reach(in_shape, plan->in, plan->batch) * sizeof(In)) ||
        !host_reachable(out, reach(out_shape, plan->out, plan->batch) * sizeof(Out)))
        return EXEC_FAILED;
    host_count(HOST_transforms);
    const Plan *own = new Plan(*plan); /* a graph may outlive the plan */
    int error = submit(plan->stream, [=] {
        const std::vector<long> in_shape = to_real ? halved(own->shape) : own->shape;
        const std::vector<long> out_shape = from_real ? halved(own->shape) : own->shape;
        for (long b = 0; b < own->batch; ++b) {
            Vector grid(product(in_shape));
            for (size_t i = 0; i < grid.size(); ++i)
                grid[i] = widened(in[place(i, in_shape, own->in) + b * own->in.distance]);
            if (to_real) grid = whole_of(grid, own->shape);
            transform_grid(grid, own->shape, sign);
            long last = out_shape.back(), full = own->shape.back();
            for (long i = 0; i < product(out_shape); ++i)
                store(grid[i / last * full + i % last],
                      out + place(i, out_shape, own->out) + b * own->out.distance);
        }
        return 0;
    });
    if (!host_capture_state(plan->stream)) delete own;
    return error ? EXEC_FAILED : SUCCESS;
}

int type_of(int in, int out) {
    if (in == C_32F && out == C_32F) return C2C;
    if (in == C_64F && out == C_64F) return Z2Z;
    if (in == R_32F && out == C_32F) return R2C;
    if (in == R_64F && out == C_64F) return D2Z;
    if (in == C_32F && out == R_32F) return C2R;
    if (in == C_64F && out == R_64F) return Z2D;
    return 0;
}

} // namespace

extern "C" {
int cufftCreate(int *handle) {
    static int next = 1;
    *handle = next++;
    plans[*handle];
    return SUCCESS;
}
int cufftDestroy(int handle) { return plans.erase(handle) ? SUCCESS : INVALID_PLAN; }
int cufftGetVersion(int *version) {
    *version = 12000;
    return SUCCESS;
}
int cufftSetAutoAllocation(int, int) { return SUCCESS; }
int cufftSetWorkArea(int, void *) { return SUCCESS; }
int cufftXtSetWorkArea(int, void **) { return SUCCESS; }
int cufftSetStream(int handle, void *stream) {
    Plan *plan = plan_of(handle);
    if (!plan) return INVALID_PLAN;
    plan->stream = stream;
    return SUCCESS;
}
int cufftMakePlan1d(int handle, int n, int type, int batch, size_t *size) {
    return make<int>(handle, 1, &n, nullptr, 1, n, nullptr, 1, n, type, batch, size);
}
int cufftMakePlanMany(int handle, int rank, int *n, int *in, int in_stride, int in_distance,
                      int *out, int out_stride, int out_distance, int type, int batch,
                      size_t *size) {
    return make<int>(handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance,
                     type, batch, size);
}
int cufftXtMakePlanMany(int handle, int rank, long long *n, long long *in, long long in_stride,
                        long long in_distance, int in_type, long long *out, long long out_stride,
                        long long out_distance, int out_type, long long batch, size_t *size, int) {
    int type = type_of(in_type, out_type);
    if (!type) return NOT_SUPPORTED;
    return make<long long>(handle, rank, n, in, in_stride, in_distance, out, out_stride,
                           out_distance, type, batch, size);
}
int cufftExecC2C(int handle, complex32 *in, complex32 *out, int sign) {
    return execute(handle, in, out, sign);
}
int cufftExecZ2Z(int handle, complex64 *in, complex64 *out, int sign) {
    return execute(handle, in, out, sign);
}
int cufftExecR2C(int handle, float *in, complex32 *out) { return execute(handle, in, out, -1); }
int cufftExecD2Z(int handle, double *in, complex64 *out) { return execute(handle, in, out, -1); }
int cufftExecC2R(int handle, complex32 *in, float *out) { return execute(handle, in, out, 1); }
int cufftExecZ2D(int handle, complex64 *in, double *out) { return execute(handle, in, out, 1); }
int cufftXtExec(int handle, void *in, void *out, int sign) {
    Plan *plan = plan_of(handle);
    if (!plan) return INVALID_PLAN;
    switch (plan->type) {
    case C2C: return cufftExecC2C(handle, (complex32 *)in, (complex32 *)out, sign);
    case Z2Z: return cufftExecZ2Z(handle, (complex64 *)in, (complex64 *)out, sign);
    case R2C: return cufftExecR2C(handle, (float *)in, (complex32 *)out);
    case D2Z: return cufftExecD2Z(handle, (double *)in, (complex64 *)out);
    case C2R: return cufftExecC2R(handle, (complex32 *)in, (float *)out);
    case Z2D: return cufftExecZ2D(handle, (complex64 *)in, (double *)out);
    }
    return INVALID_TYPE;
}
}
