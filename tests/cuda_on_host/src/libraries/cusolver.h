/* What the files of the fake cuSOLVER share. Each function is LAPACK's from OpenBLAS, on matrices
 * in device memory; it takes work space of its own, so one element of CuPy's suffices.
 */
#pragma once

#include "library.h"

#include <algorithm>
#include <vector>

enum cusolver_status { SUCCESS = 0, INVALID_VALUE = 3, EXECUTION_FAILED = 6, NOT_SUPPORTED = 9 };
enum { WITHOUT_VECTORS, WITH_VECTORS };
enum { WORK_ELEMENTS = 1 };

struct cusolver_handle {
    void *stream;
};

inline const char *triangle(int fill) { return fill ? "U" : "L"; }

/* Calls f(work, size) of LAPACK for the size that it wants, then with as much. */
template <class T, class F>
void with_work(F f) {
    T answer = 0;
    int size = -1;
    f(&answer, &size);
    size = std::max(1, int(std::real(answer)));
    std::vector<T> work(size);
    f(work.data(), &size);
}

/* Submits a factorisation. */
template <class F>
int factorize(const cusolver_handle *handle, F f) {
    host_count(HOST_factorizations);
    int error = submit(handle->stream, [=] {
        f();
        return 0;
    });
    return error ? EXECUTION_FAILED : SUCCESS;
}

/* The same for a batch; f(i) returns whether its matrices lie in device memory. */
template <class F>
int factorize_each(const cusolver_handle *handle, int count, F f) {
    host_count(HOST_factorizations);
    int error = submit(handle->stream, [=] {
        for (int i = 0; i < count; ++i)
            if (!f(i)) return 700;
        return 0;
    });
    return error ? EXECUTION_FAILED : SUCCESS;
}
