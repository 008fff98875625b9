/* Handles of cuSPARSE. Not modelled: sparse matrices (build.py makes stubs that refuse). */
#include <stdlib.h>

enum { SUCCESS = 0 };

struct handle {
    void *stream;
};

int cusparseCreate(struct handle **handle) {
    *handle = calloc(1, sizeof **handle);
    return SUCCESS;
}

int cusparseDestroy(struct handle *handle) {
    free(handle);
    return SUCCESS;
}

int cusparseGetVersion(struct handle *handle, int *version) {
    *version = 12600;
    return SUCCESS;
}

int cusparseSetStream(struct handle *handle, void *stream) {
    handle->stream = stream;
    return SUCCESS;
}

int cusparseGetStream(struct handle *handle, void **stream) {
    *stream = handle->stream;
    return SUCCESS;
}

const char *cusparseGetErrorName(int error) {
    return error == SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_NOT_SUPPORTED";
}

const char *cusparseGetErrorString(int error) {
    return error == SUCCESS ? "success" : "not supported on the host";
}
