/* Handles and descriptors of the fake cuDNN. */
#include "fake_cudnn.h"

#include <algorithm>
#include <cstdio>

namespace {

/* Copies sizes that are positive and have fewer elements in all than cuDNN's limit. */
cudnnStatus_t copy_sizes(int count, const int *from, int *to) {
    long elements = 1;
    for (int axis = 0; axis < count; ++axis) {
        if (from[axis] < 1) return CUDNN_STATUS_BAD_PARAM;
        if ((elements *= from[axis]) >= MOST_ELEMENTS) return CUDNN_STATUS_NOT_SUPPORTED;
        to[axis] = from[axis];
    }
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {
size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
size_t cudnnGetCudartVersion(void) { return CUDART_VERSION; }
const char *cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "a status that this fake does not return";
    }
}

/* A handle allocates memory of the device, which cannot be captured. */
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
    void *memory;
    if (cudaMalloc(&memory, 1) != cudaSuccess) return CUDNN_STATUS_INTERNAL_ERROR;
    cudaFree(memory);
    *handle = new cudnnContext();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensor) {
    *tensor = new cudnnTensorStruct();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
    delete tensor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int count, const int size[], const int step[]) {
    if (!bytes_of(type)) return CUDNN_STATUS_NOT_SUPPORTED;
    if (count < 3 || count > MOST_DIMENSIONS) return CUDNN_STATUS_NOT_SUPPORTED;
    if (cudnnStatus_t status = copy_sizes(count, size, tensor->size)) return status;
    if (std::any_of(step, step + count, [](int n) { return n < 1; })) return CUDNN_STATUS_BAD_PARAM;
    std::copy_n(step, count, tensor->step);
    tensor->type = type;
    tensor->count = count;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filter) {
    *filter = new cudnnFilterStruct();
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
    delete filter;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int count, const int size[]) {
    if (!bytes_of(type)) return CUDNN_STATUS_NOT_SUPPORTED;
    if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (count < 4 || count > MOST_DIMENSIONS) return CUDNN_STATUS_NOT_SUPPORTED;
    if (cudnnStatus_t status = copy_sizes(count, size, filter->size)) return status;
    filter->type = type;
    filter->format = format;
    filter->count = count;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convolution) {
    *convolution = new cudnnConvolutionStruct();
    (*convolution)->groups = 1;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
    delete convolution;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convolution, int count,
                                              const int pad[], const int stride[],
                                              const int dilation[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
    if (count < 2 || count > MOST_DIMENSIONS - 2) return CUDNN_STATUS_NOT_SUPPORTED;
    for (int axis = 0; axis < count; ++axis)
        if (pad[axis] < 0 || stride[axis] < 1 || dilation[axis] < 1) return CUDNN_STATUS_BAD_PARAM;
    if (mode != CUDNN_CONVOLUTION && mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_BAD_PARAM;
    if (compute != CUDNN_DATA_FLOAT && compute != CUDNN_DATA_DOUBLE && compute != CUDNN_DATA_HALF)
        return CUDNN_STATUS_BAD_PARAM;
    std::copy_n(pad, count, convolution->pad);
    std::copy_n(stride, count, convolution->stride);
    std::copy_n(dilation, count, convolution->dilation);
    convolution->count = count;
    convolution->mode = mode;
    convolution->compute = compute;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
    if (groups < 1) return CUDNN_STATUS_BAD_PARAM;
    convolution->groups = groups;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
    if (math < CUDNN_DEFAULT_MATH || math > CUDNN_FMA_MATH) return CUDNN_STATUS_BAD_PARAM;
    convolution->math = math;
    return CUDNN_STATUS_SUCCESS;
}
}
