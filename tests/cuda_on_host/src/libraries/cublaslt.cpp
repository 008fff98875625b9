/* The fake cuBLASLt: one product with a vector added to each column of the result's transpose, by
 * the fake cuBLAS.
 *
 * Not modelled: batches, other epilogues than a bias, orders other than by column, algorithms. Half
 * types are rounded before the vector is added and after.
 */
#include "cublas.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <dlfcn.h>

namespace {

using Product = int (*)(cublas_handle *, int, int, int, int, int, const void *, const void *, int,
                        int, const void *, int, int, const void *, void *, int, int, int, int);

/* The fake cuBLAS is loaded later than this library. */
Product product() {
    static auto found = reinterpret_cast<Product>(dlsym(RTLD_DEFAULT, "cublasGemmEx"));
    return found;
}

enum { R_32F = 0, R_16F = 2, R_16BF = 14 };
enum { TRANSA = 3, TRANSB = 4, EPILOGUE = 7, BIAS_POINTER = 8 };
enum { EPILOGUE_DEFAULT = 1, EPILOGUE_BIAS = 4 };
enum { MAX_WORKSPACE = 1, REDUCTION_MASK = 3, ALIGNMENT_A = 5, ALIGNMENT_D = 8 };

struct Description {
    int compute, scale, transposed[2], epilogue;
    void *bias;
};
struct Layout {
    int type;
    uint64_t rows, columns;
    int64_t leading;
};
struct Preference {
    uint64_t workspace;
    uint32_t reductions, alignment[4];
};
struct Heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

template <class T>
int store(T &place, const void *value, size_t size) {
    if (size != sizeof place) return INVALID_VALUE;
    memcpy(&place, value, size);
    return SUCCESS;
}

bool fits(const Description &d, const Layout &a, const Layout &b, const Layout &c) {
    bool ta = d.transposed[0], tb = d.transposed[1];
    uint64_t m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns;
    uint64_t inner = tb ? b.columns : b.rows, n = tb ? b.rows : b.columns;
    return m == c.rows && n == c.columns && k == inner && a.type == b.type && a.type == c.type &&
           a.leading >= (int64_t)a.rows && b.leading >= (int64_t)b.rows &&
           c.leading >= (int64_t)c.rows;
}

bool supported(const Description &d, const Layout &c) {
    return (c.type == R_32F || c.type == R_16F || c.type == R_16BF) && d.scale == R_32F &&
           (d.epilogue == EPILOGUE_DEFAULT || d.epilogue == EPILOGUE_BIAS);
}

template <class T>
int add_to_columns(void *stream, const void *bias, void *c, Layout layout) {
    auto vector = static_cast<const T *>(bias);
    auto matrix = static_cast<T *>(c);
    if (!has_vector(vector, layout.rows)) return EXECUTION_FAILED;
    int error = submit(stream, [=] {
        for (uint64_t j = 0; j < layout.columns; ++j)
            for (uint64_t i = 0; i < layout.rows; ++i) {
                T &element = matrix[j * layout.leading + i];
                element = T(float(element) + float(vector[i]));
            }
        return 0;
    });
    return error ? EXECUTION_FAILED : SUCCESS;
}

} // namespace

extern "C" {
int cublasLtCreate(void **handle) {
    *handle = new char;
    return SUCCESS;
}
int cublasLtDestroy(void *handle) {
    delete static_cast<char *>(handle);
    return SUCCESS;
}
int cublasLtMatmulDescCreate(Description **made, int compute, int scale) {
    *made = new Description{compute, scale, {0, 0}, EPILOGUE_DEFAULT, nullptr};
    return SUCCESS;
}
int cublasLtMatmulDescDestroy(Description *description) {
    delete description;
    return SUCCESS;
}
int cublasLtMatmulDescSetAttribute(Description *d, int attribute, const void *value, size_t size) {
    switch (attribute) {
    case TRANSA:
    case TRANSB: return store(d->transposed[attribute - TRANSA], value, size);
    case EPILOGUE: return store(d->epilogue, value, size);
    case BIAS_POINTER: return store(d->bias, value, size);
    }
    return NOT_SUPPORTED;
}
int cublasLtMatrixLayoutCreate(Layout **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading) {
    *made = new Layout{type, rows, columns, leading};
    return SUCCESS;
}
int cublasLtMatrixLayoutDestroy(Layout *layout) {
    delete layout;
    return SUCCESS;
}
int cublasLtMatmulPreferenceCreate(Preference **made) {
    *made = new Preference{0, 7, {256, 256, 256, 256}};
    return SUCCESS;
}
int cublasLtMatmulPreferenceDestroy(Preference *preference) {
    delete preference;
    return SUCCESS;
}
int cublasLtMatmulPreferenceSetAttribute(Preference *p, int attribute, const void *value,
                                         size_t size) {
    if (attribute == MAX_WORKSPACE) return store(p->workspace, value, size);
    if (attribute == REDUCTION_MASK) return store(p->reductions, value, size);
    if (attribute >= ALIGNMENT_A && attribute <= ALIGNMENT_D)
        return store(p->alignment[attribute - ALIGNMENT_A], value, size);
    return NOT_SUPPORTED;
}
/* The algorithm holds the alignment that it relies on. */
int cublasLtMatmulAlgoGetHeuristic(void *, const Description *d, const Layout *a, const Layout *b,
                                   const Layout *c, const Layout *, const Preference *p, int count,
                                   Heuristic *results, int *returned) {
    *returned = 0;
    if (count < 1 || !fits(*d, *a, *b, *c)) return INVALID_VALUE;
    if (!supported(*d, *c)) return NOT_SUPPORTED;
    *results = Heuristic{};
    results->algorithm[0] = p->alignment[0];
    *returned = 1;
    return SUCCESS;
}
int cublasLtMatmul(void *, const Description *d, const void *alpha, const void *a, const Layout *la,
                   const void *b, const Layout *lb, const void *beta, const void *c, const Layout *,
                   void *out, const Layout *lc, const uint64_t *algorithm, void *workspace,
                   size_t size, void *stream) {
    if (!fits(*d, *la, *lb, *lc) || c != out || !algorithm) return INVALID_VALUE;
    if (!supported(*d, *lc)) return NOT_SUPPORTED;
    if (size && !host_reachable(workspace, size)) return INVALID_VALUE;
    for (const void *pointer : {a, b, c, (const void *)d->bias})
        if ((uintptr_t)pointer % *algorithm) return NOT_SUPPORTED;
    cublas_handle handle = {stream, 0, 0};
    int k = d->transposed[0] ? la->rows : la->columns;
    int status = product()(&handle, d->transposed[0], d->transposed[1], lc->rows, lc->columns, k,
                           alpha, a, la->type, la->leading, b, lb->type, lb->leading, beta, out,
                           lc->type, lc->leading, d->compute, -1);
    if (status || d->epilogue != EPILOGUE_BIAS) return status;
    switch (lc->type) {
    case R_32F: return add_to_columns<float>(stream, d->bias, out, *lc);
    case R_16F: return add_to_columns<__half>(stream, d->bias, out, *lc);
    default: return add_to_columns<__nv_bfloat16>(stream, d->bias, out, *lc);
    }
}
}
