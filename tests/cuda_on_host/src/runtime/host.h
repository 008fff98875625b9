/* What the files of the runtime (libcudart) share, and what the other fakes ask of it:
 * the table of memory, submission of work to streams, and counters.
 *
 * "Device" memory is memory of this process. Work is done by the thread that submits it, before
 * the call returns, unless its stream is being captured.
 */
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory --------------------------------------------------------------------------------- */

enum host_kind { HOST_UNKNOWN, HOST_DEVICE, HOST_MANAGED, HOST_PINNED, HOST_FREED };

struct host_allocation {
    char *base;
    size_t size;
    enum host_kind kind;
    char *mapping; /* what to unmap; NULL for memory that others own (registered, module globals) */
    size_t mapped;
};

/* Copies the allocation that holds `pointer` to *allocation and returns its kind; HOST_UNKNOWN where
 * none does. */
enum host_kind host_find(const void *pointer, struct host_allocation *allocation);
/* Whether a kernel may touch all of [pointer, pointer + size): device, managed or pinned memory. */
int host_reachable(const void *pointer, size_t size);
/* Enters memory that others own into the table (a module's globals), and removes it. */
void host_adopt(void *pointer, size_t size, enum host_kind kind);
void host_disown(void *pointer);

/* New and freed memory is filled with these 16-bit patterns: NaN as float16, bfloat16, float32 and
 * float64, and far out of range as an integer. The Python side uses the same ones. */
#define HOST_FRESH 0xFFF5u
#define HOST_STALE 0xFFFDu
void host_fill(void *pointer, unsigned pattern, size_t size);

/* ---- work on streams ------------------------------------------------------------------------ */

/* Work gets its argument and returns a cudaError_t. */
typedef int (*host_work)(void *argument);

/* Does work now, or keeps it with a copy of its argument if the stream is being captured.
 * Returns a cudaError_t: that of the work, or of the stream's state. */
int host_submit(void *stream, host_work work, const void *argument, size_t size);
/* Does work now, alone; a fault of memory or a division by zero in it becomes an error. */
int host_guarded(host_work work, void *argument);
/* 0: not captured, 1: captured, 2: captured, but the capture is invalid. */
int host_capture_state(void *stream);
/* Sets the calling thread's last error, and returns it. */
int host_error(int error);
/* A line on stderr about something that this fake does not do or that went wrong. */
void host_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- counters ------------------------------------------------------------------------------- */

#define HOST_COUNTERS(X)           \
    X(launches)                    \
    X(synchronizations)            \
    X(host_to_device)              \
    X(device_to_host)              \
    X(device_to_device)            \
    X(fills)                       \
    X(allocations)                 \
    X(frees)                       \
    X(pinned_allocations)          \
    X(graph_launches)              \
    X(graph_nodes)                 \
    X(captured_pageable_copies)    \
    X(matrix_products)             \
    X(convolutions)                \
    X(recurrences)                 \
    X(factorizations)              \
    X(transforms)                  \
    X(algorithms)                  \
    X(unmodelled)
enum host_counter {
#define X(name) HOST_##name,
    HOST_COUNTERS(X)
#undef X
    HOST_COUNTER_COUNT
};
void host_count(enum host_counter counter);
/* A function that this fake lacks was called: counts it, and says so. */
void host_unmodelled(const char *function);

#ifdef __cplusplus
}
#endif
