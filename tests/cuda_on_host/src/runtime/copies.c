/* Copies between and fills of memory, checked: each side must lie in memory of the kind that the
 * copy's direction names, and inside one allocation.
 *
 * Not modelled: arrays, textures and three-dimensional copies (build.py makes stubs that refuse),
 * and copies that would still run when the call returns.
 */
#include "host.h"
#include "streams.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* One copy or, for a copy of rows, one of several. */
struct copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height;
    enum cudaMemcpyKind kind;
};

struct fill {
    void *pointer;
    int value;
    size_t size;
};

static size_t extent(size_t pitch, size_t width, size_t height) {
    return height ? pitch * (height - 1) + width : 0;
}

/* Whether a side of a copy lies where its direction says. */
static int lies(const void *pointer, size_t size, int on_device) {
    struct host_allocation allocation;
    enum host_kind kind = host_find(pointer, &allocation);
    if (kind == HOST_FREED) return 0;
    if (on_device)
        return (kind == HOST_DEVICE || kind == HOST_MANAGED) && host_reachable(pointer, size);
    return kind != HOST_DEVICE && (kind == HOST_UNKNOWN || host_reachable(pointer, size));
}

static int either(const void *pointer, size_t size) {
    return lies(pointer, size, 1) || lies(pointer, size, 0);
}

static cudaError_t checked(const struct copy *copy) {
    size_t to = extent(copy->to_pitch, copy->width, copy->height);
    size_t from = extent(copy->from_pitch, copy->width, copy->height);
    int right;
    switch (copy->kind) {
    case cudaMemcpyHostToHost: right = lies(copy->to, to, 0) && lies(copy->from, from, 0); break;
    case cudaMemcpyHostToDevice: right = lies(copy->to, to, 1) && lies(copy->from, from, 0); break;
    case cudaMemcpyDeviceToHost: right = lies(copy->to, to, 0) && lies(copy->from, from, 1); break;
    case cudaMemcpyDeviceToDevice:
        right = lies(copy->to, to, 1) && lies(copy->from, from, 1);
        break;
    case cudaMemcpyDefault: right = either(copy->to, to) && either(copy->from, from); break;
    default: return host_error(cudaErrorInvalidMemcpyDirection);
    }
    if (right) return cudaSuccess;
    host_say("copy of kind %d from %p to %p: memory of the wrong kind, freed, or too small",
             copy->kind, (const void *)copy->from, (void *)copy->to);
    return host_error(cudaErrorInvalidValue);
}

static int copy_rows(void *argument) {
    struct copy *copy = argument;
    cudaError_t wrong = checked(copy);
    if (wrong) return wrong;
    for (size_t row = 0; row < copy->height; ++row)
        memmove(copy->to + row * copy->to_pitch, copy->from + row * copy->from_pitch, copy->width);
    return cudaSuccess;
}

static void count_copy(const struct copy *copy) {
    int to = lies(copy->to, 1, 1), from = lies(copy->from, 1, 1);
    if (to && from) host_count(HOST_device_to_device);
    else if (to) host_count(HOST_host_to_device);
    else if (from) host_count(HOST_device_to_host);
}

static int pageable(const void *pointer) {
    struct host_allocation allocation;
    return host_find(pointer, &allocation) == HOST_UNKNOWN;
}

static cudaError_t copy_async(struct copy copy, cudaStream_t stream) {
    if (!copy.width || !copy.height) return enter_stream(stream);
    cudaError_t wrong = checked(&copy);
    if (wrong) return wrong;
    count_copy(&copy);
    if (host_capture_state(stream) && (pageable(copy.to) || pageable(copy.from)))
        host_count(HOST_captured_pageable_copies);
    return host_submit(stream, copy_rows, &copy, sizeof copy);
}

/* A synchronous call works on the legacy stream, and is unsafe while a stream is captured. */
static cudaError_t copy_now(struct copy copy) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    return copy_async(copy, NULL);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    return copy_now((struct copy){to, from, size, size, size, 1, kind});
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy_async((struct copy){to, from, size, size, size, 1, kind}, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return host_error(cudaErrorInvalidPitchValue);
    return copy_now((struct copy){to, from, to_pitch, from_pitch, width, height, kind});
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    if (width > to_pitch || width > from_pitch) return host_error(cudaErrorInvalidPitchValue);
    return copy_async((struct copy){to, from, to_pitch, from_pitch, width, height, kind}, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t size) {
    return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
}

static int fill_bytes(void *argument) {
    struct fill *fill = argument;
    if (!lies(fill->pointer, fill->size, 1)) return host_error(cudaErrorInvalidValue);
    memset(fill->pointer, fill->value, fill->size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
    struct fill fill = {pointer, value, size};
    if (!size) return enter_stream(stream);
    if (!lies(pointer, size, 1)) return host_error(cudaErrorInvalidValue);
    host_count(HOST_fills);
    return host_submit(stream, fill_bytes, &fill, sizeof fill);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
    cudaError_t refused = unsafe_call();
    return refused ? refused : cudaMemsetAsync(pointer, value, size, NULL);
}
