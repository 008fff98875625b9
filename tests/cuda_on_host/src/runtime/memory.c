/* Device, managed and pinned memory: mappings of this process, kept in a table by address.
 *
 * An allocation ends at a page that cannot be touched, so running over its end by more than the
 * 512 bytes of its rounding faults. Freed memory cannot be touched at all and stays known as freed
 * until many others have been freed after it. New memory is filled with HOST_FRESH.
 *
 * Not modelled: fragmentation, more than one device, residency of managed memory, memory pools
 * other than the default one. The device has as much memory as the host.
 */
#define _GNU_SOURCE
#include "host.h"
#include "streams.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDING = 512, KEPT_FREED = 2048 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_allocation *table; /* ordered by base */
static size_t count, room;
static size_t bytes_used;
static char *freed[KEPT_FREED]; /* a ring of the freed allocations that are still in the table */
static size_t freed_next;

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }
static size_t total_bytes(void) { return (size_t)sysconf(_SC_PHYS_PAGES) * page(); }

/* ---- the table ------------------------------------------------------------------------------ */

/* The number of allocations whose base is at or before `pointer`. */
static size_t position(const char *pointer) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].base <= pointer) low = middle + 1;
        else high = middle;
    }
    return low;
}

static struct host_allocation *holder(const void *pointer) {
    size_t after = position(pointer);
    if (!after) return NULL;
    struct host_allocation *allocation = &table[after - 1];
    return (const char *)pointer < allocation->base + allocation->size ? allocation : NULL;
}

static void insert(struct host_allocation entry) {
    if (count == room) {
        room = room ? 2 * room : 256;
        table = realloc(table, room * sizeof *table);
    }
    size_t at = position(entry.base);
    memmove(table + at + 1, table + at, (count - at) * sizeof *table);
    table[at] = entry;
    ++count;
}

static void drop(struct host_allocation *entry) {
    size_t at = (size_t)(entry - table);
    memmove(table + at, table + at + 1, (count - at - 1) * sizeof *table);
    --count;
}

enum host_kind host_find(const void *pointer, struct host_allocation *allocation) {
    pthread_mutex_lock(&lock);
    struct host_allocation *entry = holder(pointer);
    if (entry) *allocation = *entry;
    pthread_mutex_unlock(&lock);
    return entry ? allocation->kind : HOST_UNKNOWN;
}

int host_reachable(const void *pointer, size_t size) {
    struct host_allocation allocation;
    enum host_kind kind = host_find(pointer, &allocation);
    if (kind == HOST_UNKNOWN || kind == HOST_FREED) return 0;
    return size <= (size_t)(allocation.base + allocation.size - (const char *)pointer);
}

void host_adopt(void *pointer, size_t size, enum host_kind kind) {
    pthread_mutex_lock(&lock);
    insert((struct host_allocation){pointer, size, kind, NULL, 0});
    pthread_mutex_unlock(&lock);
}

void host_disown(void *pointer) {
    pthread_mutex_lock(&lock);
    struct host_allocation *entry = holder(pointer);
    if (entry && entry->base == pointer && !entry->mapping) drop(entry);
    pthread_mutex_unlock(&lock);
}

void host_fill(void *pointer, unsigned pattern, size_t size) {
    uint64_t wide = pattern * 0x0001000100010001ull;
    char *at = pointer;
    size_t whole = size / 8;
    for (size_t i = 0; i < whole; ++i) memcpy(at + 8 * i, &wide, 8);
    memcpy(at + 8 * whole, &wide, size % 8);
}

/* ---- allocation and freeing ----------------------------------------------------------------- */

/* Fills all of an allocation, or the two ends of a huge one, whose pages would all become used. */
static void poison(char *base, size_t size) {
    const size_t whole = (size_t)512 << 20, end = (size_t)1 << 20;
    if (size <= whole) {
        host_fill(base, HOST_FRESH, size);
    } else {
        host_fill(base, HOST_FRESH, end);
        host_fill(base + size - end, HOST_FRESH, end);
    }
}

static cudaError_t allocate(void **pointer, size_t size, enum host_kind kind) {
    *pointer = NULL;
    if (!size) return cudaSuccess;
    size_t rounded = (size + ROUNDING - 1) / ROUNDING * ROUNDING;
    size_t body = (rounded + page() - 1) / page() * page();
    pthread_mutex_lock(&lock);
    int fits = kind == HOST_PINNED || rounded <= total_bytes() - bytes_used;
    if (fits && kind != HOST_PINNED) bytes_used += rounded;
    pthread_mutex_unlock(&lock);
    char *mapping = MAP_FAILED;
    if (fits) {
        mapping = mmap(NULL, body + page(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapping != MAP_FAILED && mprotect(mapping + body, page(), PROT_NONE)) {
            munmap(mapping, body + page());
            mapping = MAP_FAILED;
        }
    }
    if (mapping == MAP_FAILED) {
        pthread_mutex_lock(&lock);
        if (fits && kind != HOST_PINNED) bytes_used -= rounded;
        pthread_mutex_unlock(&lock);
        return host_error(cudaErrorMemoryAllocation);
    }
    char *base = mapping + body - rounded;
    poison(base, rounded);
    pthread_mutex_lock(&lock);
    insert((struct host_allocation){base, rounded, kind, mapping, body + page()});
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return cudaSuccess;
}

/* Makes an allocation untouchable, gives its pages back, and forgets the one freed longest ago. */
static cudaError_t release(void *pointer, int pinned) {
    if (!pointer) return cudaSuccess;
    pthread_mutex_lock(&lock);
    struct host_allocation *entry = holder(pointer);
    if (!entry || entry->base != pointer || !entry->mapping || entry->kind == HOST_FREED ||
        (entry->kind == HOST_PINNED) != pinned) {
        pthread_mutex_unlock(&lock);
        return host_error(cudaErrorInvalidValue);
    }
    if (!pinned) bytes_used -= entry->size;
    entry->kind = HOST_FREED;
    mmap(entry->mapping, entry->mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    char *oldest = freed[freed_next];
    freed[freed_next] = pointer;
    freed_next = (freed_next + 1) % KEPT_FREED;
    struct host_allocation *gone = oldest ? holder(oldest) : NULL;
    if (gone) {
        munmap(gone->mapping, gone->mapped);
        drop(gone);
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    host_count(HOST_allocations);
    return allocate(pointer, size, HOST_DEVICE);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    host_count(HOST_allocations);
    return allocate(pointer, size, HOST_MANAGED);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    cudaError_t refused = enter_stream(stream);
    if (refused) return refused;
    host_count(HOST_allocations);
    return allocate(pointer, size, HOST_DEVICE);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    return cudaMallocAsync(pointer, size, stream);
}

cudaError_t cudaFree(void *pointer) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    host_count(HOST_frees);
    return release(pointer, 0);
}

/* What a graph allocates and frees stays allocated: its memory must last for every replay. */
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    cudaError_t refused = enter_stream(stream);
    if (refused) return refused;
    host_count(HOST_frees);
    return host_capture_state(stream) ? cudaSuccess : release(pointer, 0);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    host_count(HOST_pinned_allocations);
    return allocate(pointer, size, HOST_PINNED);
}

cudaError_t cudaFreeHost(void *pointer) {
    cudaError_t refused = unsafe_call();
    if (refused) return refused;
    return release(pointer, 1);
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
    struct host_allocation allocation;
    if (!pointer || !size) return host_error(cudaErrorInvalidValue);
    if (host_find(pointer, &allocation)) return host_error(cudaErrorHostMemoryAlreadyRegistered);
    host_adopt(pointer, size, HOST_PINNED);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) {
    struct host_allocation allocation;
    if (host_find(pointer, &allocation) != HOST_PINNED || allocation.mapping)
        return host_error(cudaErrorHostMemoryNotRegistered);
    host_disown(pointer);
    return cudaSuccess;
}

/* ---- questions about memory ----------------------------------------------------------------- */

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total) {
    *total = total_bytes();
    pthread_mutex_lock(&lock);
    *unused = *total - bytes_used;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    static const enum cudaMemoryType types[] = {
        [HOST_UNKNOWN] = cudaMemoryTypeUnregistered, [HOST_DEVICE] = cudaMemoryTypeDevice,
        [HOST_MANAGED] = cudaMemoryTypeManaged,      [HOST_PINNED] = cudaMemoryTypeHost,
        [HOST_FREED] = cudaMemoryTypeUnregistered,
    };
    struct host_allocation allocation;
    enum host_kind kind = host_find(pointer, &allocation);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = types[kind];
    attributes->device = attributes->type == cudaMemoryTypeUnregistered ? cudaInvalidDeviceId : 0;
    if (attributes->type != cudaMemoryTypeUnregistered) attributes->devicePointer = (void *)pointer;
    if (attributes->type != cudaMemoryTypeDevice) attributes->hostPointer = (void *)pointer;
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    return host_reachable(pointer, size) ? cudaSuccess : host_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    cudaError_t refused = enter_stream(stream);
    if (refused) return refused;
    return host_reachable(pointer, size) ? cudaSuccess : host_error(cudaErrorInvalidValue);
}

/* ---- the one memory pool: an allocator of the runtime's own would be behind it -------------- */

static cudaMemPool_t the_pool(void) {
    static char place;
    return (cudaMemPool_t)&place;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    *pool = the_pool();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    *pool = the_pool();
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return pool == the_pool() ? cudaSuccess : host_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least) { return cudaSuccess; }

static uint64_t release_threshold;

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    pthread_mutex_lock(&lock);
    uint64_t wide = attribute == cudaMemPoolAttrReleaseThreshold ? release_threshold : bytes_used;
    pthread_mutex_unlock(&lock);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies) *(int *)value = 1;
    else *(uint64_t *)value = wide;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    if (attribute == cudaMemPoolAttrReleaseThreshold) release_threshold = *(uint64_t *)value;
    return cudaSuccess;
}
