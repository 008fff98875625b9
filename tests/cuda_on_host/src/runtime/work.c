/* Doing work: at once under a guard that turns faults into errors; counters; messages.
 *
 * On a GPU a fault makes every later call fail; here only the call that did the work fails.
 */
#define _GNU_SOURCE
#include "host.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

/* ---- guarded work --------------------------------------------------------------------------- */

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER; /* one piece of work at a time */
static __thread sigjmp_buf *way_out;
static __thread void *volatile fault_at;
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { FAULTS = sizeof faults / sizeof *faults };
static __thread struct sigaction before[FAULTS];

/* In a thread without guarded work the handler steps aside, and the instruction faults again. */
static void on_fault(int number, siginfo_t *info, void *context) {
    if (!way_out) {
        signal(number, SIG_DFL);
        return;
    }
    fault_at = info->si_addr;
    siglongjmp(*way_out, number);
}

int host_guarded(host_work work, void *argument) {
    if (way_out) return work(argument); /* a graph within a graph */
    pthread_mutex_lock(&device);
    unsigned mode = _mm_getcsr();
    sigjmp_buf here;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < FAULTS; ++i) sigaction(faults[i], &ours, &before[i]);
    int result, fault = sigsetjmp(here, 1);
    if (!fault) {
        way_out = &here;
        result = work(argument);
    } else if (fault == SIGFPE) {
        host_say("a kernel divided an integer by zero; a GPU would go on with any quotient");
        result = cudaErrorLaunchFailure;
    } else {
        struct host_allocation allocation;
        const char *what = host_find(fault_at, &allocation) == HOST_FREED ? "freed" : "unallocated";
        host_say("work touched %s memory at %p", what, fault_at);
        result = cudaErrorIllegalAddress;
    }
    way_out = NULL;
    _mm_setcsr(mode); /* a kernel that faulted did not */
    for (int i = 0; i < FAULTS; ++i) sigaction(faults[i], &before[i], NULL);
    pthread_mutex_unlock(&device);
    return result;
}

/* ---- errors and messages -------------------------------------------------------------------- */

static __thread cudaError_t last;

int host_error(int error) {
    if (error) last = error;
    return error;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

void host_say(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "cuda_on_host: %s\n", text);
}

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define ERROR(name, text) {name, #name, text}
    ERROR(cudaSuccess, "no error"),
    ERROR(cudaErrorInvalidValue, "invalid argument"),
    ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR(cudaErrorNotReady, "device not ready"),
    ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR(cudaErrorHostMemoryAlreadyRegistered,
          "part or all of the requested memory range is already mapped"),
    ERROR(cudaErrorHostMemoryNotRegistered,
          "pointer does not correspond to a registered memory region"),
    ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR(cudaErrorNotSupported, "operation not supported"),
    ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR(cudaErrorStreamCaptureInvalidated,
          "operation failed due to a previous error during capture"),
    ERROR(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR(cudaErrorStreamCaptureIsolation,
          "dependency created on uncaptured work in another stream"),
    ERROR(cudaErrorStreamCaptureImplicit,
          "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(cudaErrorCapturedEvent,
          "operation not permitted on an event last recorded in a capturing stream"),
    ERROR(cudaErrorStreamCaptureWrongThread,
          "attempt to terminate a thread-local capture sequence from another thread"),
#undef ERROR
};

static int entry_of(cudaError_t error) {
    for (int i = 0; i < (int)(sizeof errors / sizeof *errors); ++i)
        if (errors[i].code == (int)error) return i;
    return -1;
}

const char *cudaGetErrorName(cudaError_t error) {
    int at = entry_of(error);
    return at < 0 ? "cudaErrorUnknown" : errors[at].name;
}

const char *cudaGetErrorString(cudaError_t error) {
    int at = entry_of(error);
    return at < 0 ? "unknown error" : errors[at].text;
}

/* ---- counters, which the Python side reads and resets by number ----------------------------- */

static long counters[HOST_COUNTER_COUNT];
static const char *const counter_names[] = {
#define X(name) #name,
    HOST_COUNTERS(X)
#undef X
};

void host_count(enum host_counter counter) {
    __atomic_add_fetch(&counters[counter], 1, __ATOMIC_RELAXED);
}

int host_counter_count(void) { return HOST_COUNTER_COUNT; }
const char *host_counter_name(int counter) { return counter_names[counter]; }
long host_counter_value(int counter) { return counters[counter]; }

/* A function of a library that a generated stub stands for was called. */
void host_unmodelled(const char *function) {
    host_count(HOST_unmodelled);
    host_say("%s is not modelled", function);
}
