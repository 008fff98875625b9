/* Handles and parameters of the fake cuSOLVER. Not modelled: tolerances and sweeps of the Jacobi
 * methods, which are others here, and sparse solvers (build.py makes stubs that refuse). */
#include "cusolver.h"

__attribute__((constructor)) static void use_one_thread() { scipy_openblas_set_num_threads(1); }

namespace {

/* Parameters hold nothing; each is a byte of its own. */
int make(void **parameters) {
    *parameters = new char;
    return SUCCESS;
}
int unmake(void *parameters) {
    delete static_cast<char *>(parameters);
    return SUCCESS;
}

} // namespace

extern "C" {
int cusolverDnCreate(cusolver_handle **handle) {
    *handle = new cusolver_handle();
    return SUCCESS;
}
int cusolverDnDestroy(cusolver_handle *handle) {
    delete handle;
    return SUCCESS;
}
int cusolverDnSetStream(cusolver_handle *handle, void *stream) {
    handle->stream = stream;
    return SUCCESS;
}
int cusolverDnGetStream(cusolver_handle *handle, void **stream) {
    *stream = handle->stream;
    return SUCCESS;
}
int cusolverSpCreate(cusolver_handle **handle) { return cusolverDnCreate(handle); }
int cusolverSpDestroy(cusolver_handle *handle) { return cusolverDnDestroy(handle); }
int cusolverSpSetStream(cusolver_handle *handle, void *stream) {
    return cusolverDnSetStream(handle, stream);
}
int cusolverSpGetStream(cusolver_handle *handle, void **stream) {
    return cusolverDnGetStream(handle, stream);
}
int cusolverGetProperty(int which, int *value) {
    const int version[] = {12, 0, 0};
    if (which < 0 || which > 2) return INVALID_VALUE;
    *value = version[which];
    return SUCCESS;
}

int cusolverDnCreateParams(void **parameters) { return make(parameters); }
int cusolverDnDestroyParams(void *parameters) { return unmake(parameters); }
int cusolverDnCreateGesvdjInfo(void **parameters) { return make(parameters); }
int cusolverDnDestroyGesvdjInfo(void *parameters) { return unmake(parameters); }
int cusolverDnCreateSyevjInfo(void **parameters) { return make(parameters); }
int cusolverDnDestroySyevjInfo(void *parameters) { return unmake(parameters); }
int cusolverDnXgesvdjSetTolerance(void *, double) { return SUCCESS; }
int cusolverDnXgesvdjSetMaxSweeps(void *, int) { return SUCCESS; }
int cusolverDnXgesvdjSetSortEig(void *, int) { return SUCCESS; }
int cusolverDnXsyevjSetTolerance(void *, double) { return SUCCESS; }
int cusolverDnXsyevjSetMaxSweeps(void *, int) { return SUCCESS; }
int cusolverDnXsyevjSetSortEig(void *, int) { return SUCCESS; }
}
