/* What the files of the fake cuDNN share: what its handles and descriptors hold, behind the types of
 * NVIDIA's header, against which every function is compiled.
 *
 * Descriptors are checked when they are set and again when they are used. What cuDNN would refuse as
 * wrong is CUDNN_STATUS_BAD_PARAM, what it has no algorithm for CUDNN_STATUS_NOT_SUPPORTED; memory
 * that is not the device's is CUDNN_STATUS_EXECUTION_FAILED.
 */
#pragma once

#include "library.h"

#include <cudnn.h>

#include <cstdint>
#include <cstring>

constexpr int MOST_DIMENSIONS = 5; /* batch, channels and three spatial ones */
constexpr long MOST_ELEMENTS = 1L << 31;
constexpr size_t ALIGNMENT = 16; /* bytes, of what kernels read in vectors */

struct cudnnContext {
    cudaStream_t stream;
};

struct cudnnTensorStruct {
    cudnnDataType_t type;
    int count; /* of dimensions; 0 until the descriptor is set */
    int size[MOST_DIMENSIONS];
    int step[MOST_DIMENSIONS];
};

struct cudnnFilterStruct {
    cudnnDataType_t type;
    cudnnTensorFormat_t format;
    int count;
    int size[MOST_DIMENSIONS];
};

struct cudnnConvolutionStruct {
    int count; /* of spatial dimensions */
    int pad[MOST_DIMENSIONS], stride[MOST_DIMENSIONS], dilation[MOST_DIMENSIONS];
    cudnnConvolutionMode_t mode;
    cudnnDataType_t compute;
    cudnnMathType_t math;
    int groups;
};

struct cudnnDropoutStruct {
    bool set;
};

struct cudnnRNNStruct {
    bool set;
    cudnnRNNMode_t cell;
    bool has_bias, tf32;
    int directions, input, hidden;
    cudnnDataType_t type;
};

struct cudnnRNNDataStruct {
    bool set;
    cudnnDataType_t type;
    int steps, batch, width;
};

inline float to_tf32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000) != 0x7f800000) bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

inline size_t bytes_of(cudnnDataType_t type) {
    switch (type) {
    case CUDNN_DATA_FLOAT: return 4;
    case CUDNN_DATA_DOUBLE: return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16: return 2;
    default: return 0;
    }
}

/* The steps of dimensions that lie in memory without gaps, channels second or last. */
inline void packed_steps(int count, const int *size, bool channels_last, int *step) {
    int next = 1;
    if (channels_last) step[1] = 1, next = size[1];
    for (int axis = count - 1; axis >= 0; --axis)
        if (axis != 1 || !channels_last) step[axis] = next, next *= size[axis];
}
