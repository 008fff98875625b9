/* The one device: an H200 by its limits, with the memory of the host and no peers.
 *
 * Attributes that nobody asked for yet are zero. Not modelled: textures, surfaces, arrays and
 * handles for other processes (build.py makes stubs that refuse).
 */
#define _GNU_SOURCE
#include "host.h"
#include "streams.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 13000 };

static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrMultiProcessorCount, 132},
    {cudaDevAttrL2CacheSize, 60 << 20},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6016},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
};

static int attribute_value(enum cudaDeviceAttr attribute) {
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
        if (attributes[i].attribute == attribute) return attributes[i].value;
    return 0;
}

static cudaError_t known_device(int device) {
    return device == 0 ? cudaSuccess : host_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    *value = attribute_value(attribute);
    return known_device(device);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    size_t unused, total;
    memset(properties, 0, sizeof *properties);
    cudaMemGetInfo(&unused, &total);
    strcpy(properties->name, "CUDA on host (no GPU)");
    properties->totalGlobalMem = total;
    properties->major = attribute_value(cudaDevAttrComputeCapabilityMajor);
    properties->minor = attribute_value(cudaDevAttrComputeCapabilityMinor);
    properties->multiProcessorCount = attribute_value(cudaDevAttrMultiProcessorCount);
    properties->warpSize = attribute_value(cudaDevAttrWarpSize);
    properties->maxThreadsPerBlock = attribute_value(cudaDevAttrMaxThreadsPerBlock);
    properties->maxThreadsPerMultiProcessor =
        attribute_value(cudaDevAttrMaxThreadsPerMultiProcessor);
    properties->sharedMemPerBlock = attribute_value(cudaDevAttrMaxSharedMemoryPerBlock);
    properties->sharedMemPerBlockOptin = attribute_value(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    properties->sharedMemPerMultiprocessor =
        attribute_value(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    properties->regsPerBlock = attribute_value(cudaDevAttrMaxRegistersPerBlock);
    properties->l2CacheSize = attribute_value(cudaDevAttrL2CacheSize);
    properties->memoryBusWidth = attribute_value(cudaDevAttrGlobalMemoryBusWidth);
    properties->totalConstMem = attribute_value(cudaDevAttrTotalConstantMemory);
    for (int axis = 0; axis < 3; ++axis) {
        properties->maxThreadsDim[axis] = attribute_value(cudaDevAttrMaxBlockDimX + axis);
        properties->maxGridSize[axis] = attribute_value(cudaDevAttrMaxGridDimX + axis);
    }
    properties->unifiedAddressing = properties->managedMemory = properties->concurrentKernels = 1;
    return known_device(device);
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return known_device(device); }

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int size, int device) {
    snprintf(bus, size, "0000:00:00.0");
    return known_device(device);
}

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t refused = wait_for_device();
    if (!refused) host_count(HOST_synchronizations);
    return refused;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = 0;
    cudaError_t wrong = known_device(device);
    return wrong ? wrong : known_device(peer);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return host_error(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return host_error(cudaErrorPeerAccessNotEnabled);
}

static size_t limits[16];

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    if ((size_t)limit >= sizeof limits / sizeof *limits) return host_error(cudaErrorInvalidValue);
    *value = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    if ((size_t)limit >= sizeof limits / sizeof *limits) return host_error(cudaErrorInvalidValue);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
