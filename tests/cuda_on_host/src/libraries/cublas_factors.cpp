/* Triangular solves and batches of small factorisations of the fake cuBLAS, by OpenBLAS. */
#include "cublas.h"

#include <algorithm>
#include <vector>

namespace {

/* Whether an array of pointers lies in device memory; the matrices are checked when used. */
template <class T>
bool has_pointers(T *const *pointers, int count) {
    return has_vector(pointers, count);
}

/* Submits work on each of a batch of matrices; f(i) returns whether they lie in device memory. */
template <class F>
int submit_batch(const cublas_handle *handle, int count, F f) {
    int error = submit(handle->stream, [=] {
        for (int i = 0; i < count; ++i)
            if (!f(i)) return 700;
        return 0;
    });
    return error ? EXECUTION_FAILED : SUCCESS;
}

template <class T>
int solve_triangular(const cublas_handle *handle, int right, int upper, int operation, int unit,
                     int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb) {
    int order = right ? n : m;
    if (!has_matrix(a, order, order, lda) || !has_matrix(b, m, n, ldb)) return EXECUTION_FAILED;
    cublas_scalar<T> alpha_(handle, alpha);
    return cublas_submit(handle, [=] {
        T alpha = alpha_.get();
        openblas<T>::trsm(right ? "R" : "L", upper ? "U" : "L", letter_of(operation),
                          unit ? "U" : "N", &m, &n, &alpha, a, &lda, b, &ldb);
    });
}

template <class T>
int solve_triangulars(const cublas_handle *handle, int right, int upper, int operation, int unit,
                      int m, int n, const T *alpha, const T *const *a, int lda, T *const *b,
                      int ldb, int count) {
    if (!has_pointers(a, count) || !has_pointers(b, count)) return EXECUTION_FAILED;
    cublas_scalar<T> alpha_(handle, alpha);
    int order = right ? n : m;
    return submit_batch(handle, count, [=](int i) {
        if (!has_matrix(a[i], order, order, lda) || !has_matrix(b[i], m, n, ldb)) return false;
        T alpha = alpha_.get();
        openblas<T>::trsm(right ? "R" : "L", upper ? "U" : "L", letter_of(operation),
                          unit ? "U" : "N", &m, &n, &alpha, a[i], &lda, b[i], &ldb);
        return true;
    });
}

/* Without a place for pivots none are chosen. */
template <class T>
int factor_without_pivots(T *a, int n, int lda) {
    for (int k = 0; k < n; ++k) {
        T pivot = a[size_t(k) * lda + k];
        if (pivot == T(0)) return k + 1;
        for (int i = k + 1; i < n; ++i) {
            T factor = a[size_t(k) * lda + i] /= pivot;
            for (int j = k + 1; j < n; ++j)
                a[size_t(j) * lda + i] -= factor * a[size_t(j) * lda + k];
        }
    }
    return 0;
}

template <class T>
int factor_all(const cublas_handle *handle, int n, T *const *a, int lda, int *pivots, int *info,
               int count) {
    if (!has_pointers(a, count) || !has_vector(info, count)) return EXECUTION_FAILED;
    if (pivots && !has_vector(pivots, long(n) * count)) return EXECUTION_FAILED;
    host_count(HOST_factorizations);
    return submit_batch(handle, count, [=](int i) {
        if (!has_matrix(a[i], n, n, lda)) return false;
        if (pivots) openblas<T>::getrf(&n, &n, a[i], &lda, pivots + size_t(n) * i, &info[i]);
        else info[i] = factor_without_pivots(a[i], n, lda);
        return true;
    });
}

std::vector<int> identity_pivots(int n) {
    std::vector<int> pivots(n);
    for (int k = 0; k < n; ++k) pivots[k] = k + 1;
    return pivots;
}

template <class T>
int invert_all(const cublas_handle *handle, int n, const T *const *a, int lda, const int *pivots,
               T *const *c, int ldc, int *info, int count) {
    if (!has_pointers(a, count) || !has_pointers(c, count) || !has_vector(info, count))
        return EXECUTION_FAILED;
    host_count(HOST_factorizations);
    return submit_batch(handle, count, [=](int i) {
        if (!has_matrix(a[i], n, n, lda) || !has_matrix(c[i], n, n, ldc)) return false;
        for (int j = 0; j < n; ++j) std::copy_n(a[i] + size_t(j) * lda, n, c[i] + size_t(j) * ldc);
        std::vector<int> order = identity_pivots(n);
        if (pivots) std::copy_n(pivots + size_t(n) * i, n, order.begin());
        int room = 64 * std::max(n, 1);
        std::vector<T> work(room);
        openblas<T>::getri(&n, c[i], &ldc, order.data(), work.data(), &room, &info[i]);
        return true;
    });
}

/* `info` lies on the host and tells about the arguments only. */
template <class T>
int solve_all(const cublas_handle *handle, int operation, int n, int columns, const T *const *a,
              int lda, const int *pivots, T *const *b, int ldb, int *info, int count) {
    if (!has_pointers(a, count) || !has_pointers(b, count)) return EXECUTION_FAILED;
    *info = 0;
    return submit_batch(handle, count, [=](int i) {
        if (!has_matrix(a[i], n, n, lda) || !has_matrix(b[i], n, columns, ldb)) return false;
        std::vector<int> order = identity_pivots(n);
        if (pivots) std::copy_n(pivots + size_t(n) * i, n, order.begin());
        int wrong;
        openblas<T>::getrs(letter_of(operation), &n, &columns, a[i], &lda, order.data(), b[i], &ldb,
                           &wrong);
        return true;
    });
}

} // namespace

extern "C" {
#define FACTORS(letter, T)                                                                         \
    int cublas##letter##trsm_v2(cublas_handle *handle, int right, int upper, int operation,        \
                                int unit, int m, int n, const T *alpha, const T *a, int lda, T *b, \
                                int ldb) {                                                         \
        return solve_triangular<T>(handle, right, upper, operation, unit, m, n, alpha, a, lda, b,  \
                                   ldb);                                                           \
    }                                                                                              \
    int cublas##letter##trsmBatched(cublas_handle *handle, int right, int upper, int operation,    \
                                    int unit, int m, int n, const T *alpha, const T *const *a,     \
                                    int lda, T *const *b, int ldb, int count) {                    \
        return solve_triangulars<T>(handle, right, upper, operation, unit, m, n, alpha, a, lda, b, \
                                    ldb, count);                                                   \
    }                                                                                              \
    int cublas##letter##getrfBatched(cublas_handle *handle, int n, T *const *a, int lda,           \
                                     int *pivots, int *info, int count) {                          \
        return factor_all<T>(handle, n, a, lda, pivots, info, count);                              \
    }                                                                                              \
    int cublas##letter##getriBatched(cublas_handle *handle, int n, const T *const *a, int lda,     \
                                     const int *pivots, T *const *c, int ldc, int *info,           \
                                     int count) {                                                  \
        return invert_all<T>(handle, n, a, lda, pivots, c, ldc, info, count);                      \
    }                                                                                              \
    int cublas##letter##getrsBatched(cublas_handle *handle, int operation, int n, int columns,     \
                                     const T *const *a, int lda, const int *pivots, T *const *b,   \
                                     int ldb, int *info, int count) {                              \
        return solve_all<T>(handle, operation, n, columns, a, lda, pivots, b, ldb, info, count);   \
    }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, complex32)
FACTORS(Z, complex64)
}
