/* The driver (libcuda): modules that g++ compiled, and launches of their kernels.
 *
 * A launch is refused where the device's limits or the kernel's launch bounds are exceeded, and
 * where a pointer or array among its arguments does not lie in memory that a kernel may touch.
 *
 * Not modelled: registers (every kernel may have 1024 threads), the limit of static shared memory,
 * occupancy, cooperative launches, linking of several images, contexts other than one.
 */
#define _GNU_SOURCE
#include "../kernels/host_kernel.h"
#include "../runtime/host.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

enum {
    SHARED_WITHOUT_OPT_IN = 48 << 10,
    SHARED_AT_MOST = 227 << 10,
    FLUSH_SUBNORMALS = 0x8040, /* of results and operands, in the register MXCSR */
};

struct function {
    char *name;
    const struct host_kernel *kernel;
    int flushes;
    int most_dynamic_shared;
};

struct module {
    void *library;
};

static char the_context[64];

/* ---- modules -------------------------------------------------------------------------------- */

/* The size of an ELF image whose section headers come last, as in what g++ links. */
static size_t image_size(const unsigned char *image) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    if (memcmp(image, ELFMAG, SELFMAG)) {
        host_say("an image is not one of the host compiler's (PTX or a GPU's code?)");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/cuda_on_host_XXXXXX.so", folder ? folder : "/tmp");
    int file = mkstemps(path, 3);
    size_t size = image_size(image);
    int complete = file >= 0 && write(file, image, size) == (ssize_t)size;
    if (file >= 0) close(file);
    void *library = complete ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) host_say("a compiled kernel cannot be loaded: %s", complete ? dlerror() : path);
    unlink(path);
    if (!library) return CUDA_ERROR_INVALID_IMAGE;
    struct module *handle = calloc(1, sizeof *handle);
    handle->library = library;
    *module = (CUmodule)handle;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *image = calloc(1, size + sizeof(Elf64_Ehdr));
    size_t got = fread(image, 1, size, file);
    fclose(file);
    CUresult result =
        got == (size_t)size ? cuModuleLoadData(module, image) : CUDA_ERROR_INVALID_IMAGE;
    free(image);
    return result;
}

/* Modules stay loaded: a captured graph may still launch their kernels. */
CUresult cuModuleUnload(CUmodule module) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    char symbol[4096];
    snprintf(symbol, sizeof symbol, "host_kernel_%s", name);
    void *library = ((struct module *)module)->library;
    const struct host_kernel *kernel = dlsym(library, symbol);
    if (!kernel) return CUDA_ERROR_NOT_FOUND;
    struct function *handle = calloc(1, sizeof *handle);
    const int *flushes = dlsym(library, "host_flushes_subnormals");
    handle->name = strdup(name);
    handle->kernel = kernel;
    handle->flushes = flushes && *flushes;
    *function = (CUfunction)handle;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, CUmodule module,
                              const char *name) {
    void *address = dlsym(((struct module *)module)->library, name);
    Dl_info place;
    const ElfW(Sym) *symbol = NULL;
    if (!address || !dladdr1(address, &place, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return CUDA_ERROR_NOT_FOUND;
    struct host_allocation allocation;
    if (!host_find(address, &allocation)) host_adopt(address, symbol->st_size, HOST_DEVICE);
    *pointer = (CUdeviceptr)address;
    if (size) *size = symbol->st_size;
    return CUDA_SUCCESS;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* A launch as a node of a graph can hold it: the arguments follow, each at a multiple of 16. */
struct packed_launch {
    const struct function *function;
    unsigned grid[3], block[3];
    size_t shared_size;
    _Alignas(16) char arguments[];
};

static size_t padded(size_t size) { return (size + 15) / 16 * 16; }

/* CuPy's CArray: pointer, size, then as many extents and as many strides in bytes. */
static int array_is_reachable(const char *argument, const struct host_parameter *parameter) {
    const char *pointer;
    ptrdiff_t size, extents[2 * 32], low = 0, high = 0;
    memcpy(&pointer, argument, sizeof pointer);
    memcpy(&size, argument + sizeof pointer, sizeof size);
    if (size == 0) return 1;
    unsigned dimensions = parameter->dimensions;
    if (dimensions > 32) return 1;
    memcpy(extents, argument + sizeof pointer + sizeof size, 2 * dimensions * sizeof *extents);
    for (unsigned i = 0; i < dimensions; ++i) {
        ptrdiff_t reach = (extents[i] - 1) * extents[dimensions + i];
        if (reach < 0) low += reach;
        else high += reach;
    }
    return host_reachable(pointer + low, high - low + parameter->item_size);
}

static int pointer_is_reachable(const char *argument) {
    const void *pointer;
    memcpy(&pointer, argument, sizeof pointer);
    struct host_allocation allocation;
    if (!pointer || host_reachable(pointer, 1)) return 1;
    /* The end of an allocation is where an empty array behind it points. */
    enum host_kind before = host_find((const char *)pointer - 1, &allocation);
    return before != HOST_UNKNOWN && before != HOST_FREED;
}

static int arguments_are_reachable(const struct function *function, const char *arguments) {
    const struct host_kernel *kernel = function->kernel;
    for (unsigned i = 0; i < kernel->parameter_count; ++i) {
        const struct host_parameter *parameter = &kernel->parameters[i];
        int reachable = 1;
        if (parameter->kind == HOST_POINTER) reachable = pointer_is_reachable(arguments);
        if (parameter->kind == HOST_ARRAY) reachable = array_is_reachable(arguments, parameter);
        if (!reachable) {
            host_say("%s: argument %u points to memory of the host, freed, or too small",
                     function->name, i);
            return 0;
        }
        arguments += padded(parameter->size);
    }
    return 1;
}

/* Dynamic shared memory ends at a page that cannot be touched. */
static char *shared_memory(size_t size) {
    static char *end;
    if (!end) {
        size_t page = sysconf(_SC_PAGESIZE), room = (SHARED_AT_MOST + page - 1) / page * page;
        char *mapping =
            mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(mapping + room, page, PROT_NONE);
        end = mapping + room;
    }
    return end - padded(size);
}

static int run(void *argument) {
    struct packed_launch *packed = argument;
    const struct function *function = packed->function;
    const struct host_kernel *kernel = function->kernel;
    if (!arguments_are_reachable(function, packed->arguments)) return cudaErrorIllegalAddress;
    void *parameters[kernel->parameter_count + 1];
    char *at = packed->arguments;
    for (unsigned i = 0; i < kernel->parameter_count; ++i) {
        parameters[i] = at;
        at += padded(kernel->parameters[i].size);
    }
    const char *order = getenv("CUDA_ON_HOST_REVERSED");
    struct host_launch launch = {.shared = shared_memory(packed->shared_size),
                                 .shared_size = packed->shared_size,
                                 .reversed = order && *order == '1'};
    memcpy(launch.grid, packed->grid, sizeof launch.grid);
    memcpy(launch.block, packed->block, sizeof launch.block);
    unsigned mode = _mm_getcsr();
    if (function->flushes) _mm_setcsr(mode | FLUSH_SUBNORMALS);
    int result = kernel->run(&launch, parameters);
    _mm_setcsr(mode);
    return result;
}

static CUresult check_dimensions(const struct function *function, const unsigned *grid,
                                 const unsigned *block, unsigned shared) {
    unsigned long threads = (unsigned long)block[0] * block[1] * block[2];
    unsigned bound = function->kernel->most_threads;
    if (!threads || !grid[0] || !grid[1] || !grid[2]) return CUDA_ERROR_INVALID_VALUE;
    if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    if (grid[0] > 2147483647u || grid[1] > 65535 || grid[2] > 65535)
        return CUDA_ERROR_INVALID_VALUE;
    if (bound && threads > bound) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    unsigned most = function->most_dynamic_shared > SHARED_WITHOUT_OPT_IN
                        ? (unsigned)function->most_dynamic_shared
                        : SHARED_WITHOUT_OPT_IN;
    return shared > most ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **parameters, void **extra) {
    const struct function *function = (const struct function *)handle;
    const struct host_kernel *kernel = function->kernel;
    unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    CUresult refused = check_dimensions(function, grid, block, shared);
    if (refused) return refused;
    if (extra) return CUDA_ERROR_NOT_SUPPORTED;
    size_t size = sizeof(struct packed_launch);
    for (unsigned i = 0; i < kernel->parameter_count; ++i)
        size += padded(kernel->parameters[i].size);
    struct packed_launch *packed = calloc(1, size);
    packed->function = function;
    packed->shared_size = shared;
    memcpy(packed->grid, grid, sizeof grid);
    memcpy(packed->block, block, sizeof block);
    char *at = packed->arguments;
    for (unsigned i = 0; i < kernel->parameter_count; ++i) {
        memcpy(at, parameters[i], kernel->parameters[i].size);
        at += padded(kernel->parameters[i].size);
    }
    host_count(HOST_launches);
    int result = arguments_are_reachable(function, packed->arguments) ? 0 : cudaErrorIllegalAddress;
    if (!result) result = host_submit(stream, run, packed, size);
    if (result) host_say("launch of %s: %s", function->name, cudaGetErrorString(result));
    free(packed);
    return (CUresult)result; /* these errors have the same numbers in both APIs */
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **parameters) {
    host_unmodelled(__func__);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- attributes of functions ---------------------------------------------------------------- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
    const struct function *function = (const struct function *)handle;
    unsigned bound = function->kernel->most_threads;
    *value = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = bound ? bound : 1024;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        *value =
            function->most_dynamic_shared ? function->most_dynamic_shared : SHARED_WITHOUT_OPT_IN;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
    struct function *function = (struct function *)handle;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
    if (value < 0 || value > SHARED_AT_MOST) return CUDA_ERROR_INVALID_VALUE;
    function->most_dynamic_shared = value;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared) {
    *blocks = block_size > 0 && block_size <= 1024 ? 2048 / block_size : 0;
    if (*blocks > 32) *blocks = 32;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = 2 * 132;
    return CUDA_SUCCESS;
}

/* ---- contexts, errors ----------------------------------------------------------------------- */

CUresult cuInit(unsigned flags) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
    return CUDA_SUCCESS;
}

/* NVRTC asks whether a driver offers it anything. */
CUresult cuGetExportTable(const void **table, const CUuuid *which) {
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = (CUcontext)the_context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) { return CUDA_SUCCESS; }

CUresult cuCtxGetDevice(CUdevice *number) {
    *number = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice number) {
    return cuCtxGetCurrent(context);
}

CUresult cuCtxDestroy_v2(CUcontext context) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) { return CUDA_SUCCESS; }

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) { return cuCtxGetCurrent(context); }

/* Most errors have the same number in the runtime's API, and their names differ in style only. */
CUresult cuGetErrorString(CUresult error, const char **text) {
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
    static const struct {
        CUresult code;
        const char *name;
    } names[] = {
#define ERROR(code) {code, #code}
        ERROR(CUDA_SUCCESS),
        ERROR(CUDA_ERROR_INVALID_VALUE),
        ERROR(CUDA_ERROR_OUT_OF_MEMORY),
        ERROR(CUDA_ERROR_INVALID_IMAGE),
        ERROR(CUDA_ERROR_FILE_NOT_FOUND),
        ERROR(CUDA_ERROR_INVALID_HANDLE),
        ERROR(CUDA_ERROR_NOT_FOUND),
        ERROR(CUDA_ERROR_ILLEGAL_ADDRESS),
        ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
        ERROR(CUDA_ERROR_LAUNCH_FAILED),
        ERROR(CUDA_ERROR_NOT_SUPPORTED),
        ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
        ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
#undef ERROR
    };
    *name = "CUDA_ERROR_UNKNOWN";
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].code == error) *name = names[i].name;
    return CUDA_SUCCESS;
}

/* ---- linking, which CuPy tries for cooperative kernels and device-side launches ------------- */

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
    host_unmodelled(__func__);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned count, CUjit_option *options, void **values) {
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values) {
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size) {
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuLinkDestroy(CUlinkState state) { return CUDA_SUCCESS; }
