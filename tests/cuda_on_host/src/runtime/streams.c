/* Streams, events, and the rules of stream capture.
 *
 * Streams do not run beside each other: work is done when submitted, so a missing dependency
 * between two streams goes unnoticed, except that a capture must join the streams it forked.
 * Times between events are those of the host.
 *
 * A stream under capture belongs to one capture. How much of each of its streams another stream of
 * the capture waits for is a vector of counts ("clock"), as events carry it from stream to stream.
 */
#define _GNU_SOURCE
#include "streams.h"

#include "graphs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STREAMS_OF_A_CAPTURE = 32 };
enum { STREAM_MARK = 0x5712ea3, EVENT_MARK = 0xe7e27 };

struct clock {
    unsigned done[STREAMS_OF_A_CAPTURE];
};

struct capture;

struct stream {
    int mark; /* STREAM_MARK until destroyed */
    unsigned flags;
    int priority;
    struct capture *capture;
    int index; /* within the capture */
    struct clock clock;
};

struct capture {
    struct stream *streams[STREAMS_OF_A_CAPTURE]; /* the first began it */
    int count, invalid;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    struct graph *graph;
    struct capture *next;
};

struct event {
    int mark;
    unsigned flags;
    int recorded, captured;
    struct capture *capture; /* NULL once that capture has ended */
    struct clock clock;
    struct timespec time;
    struct event *next, *previous;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *captures;
static struct event *events;
static struct stream legacy = {.mark = STREAM_MARK};

static struct stream *named(cudaStream_t handle) {
    if (handle == NULL || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return &legacy;
    struct stream *stream = (struct stream *)handle;
    return stream->mark == STREAM_MARK ? stream : NULL;
}

static int blocking(const struct stream *stream) {
    return !(stream->flags & cudaStreamNonBlocking);
}

/* ---- what captures forbid ------------------------------------------------------------------- */

static cudaError_t spoil(struct capture *capture, cudaError_t error) {
    capture->invalid = 1;
    return host_error(error);
}

/* The legacy stream waits for all blocking streams, so it cannot be used while one is captured. */
static cudaError_t legacy_use(void) {
    for (struct capture *c = captures; c; c = c->next)
        for (int i = 0; i < c->count; ++i)
            if (blocking(c->streams[i])) return spoil(c, cudaErrorStreamCaptureImplicit);
    return cudaSuccess;
}

static cudaError_t enter(struct stream *stream) {
    if (!stream) return host_error(cudaErrorInvalidResourceHandle);
    if (stream == &legacy) return legacy_use();
    if (stream->capture && stream->capture->invalid)
        return host_error(cudaErrorStreamCaptureInvalidated);
    return cudaSuccess;
}

cudaError_t enter_stream(cudaStream_t handle) {
    pthread_mutex_lock(&lock);
    cudaError_t result = enter(named(handle));
    pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t unsafe_call(void) {
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c && !result; c = c->next) {
        int own = pthread_equal(c->thread, pthread_self());
        if (c->mode == cudaStreamCaptureModeGlobal ||
            (c->mode == cudaStreamCaptureModeThreadLocal && own))
            result = spoil(c, cudaErrorStreamCaptureUnsupported);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t wait_for_device(void) {
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c; c = c->next)
        result = spoil(c, cudaErrorStreamCaptureUnsupported);
    pthread_mutex_unlock(&lock);
    return result;
}

int host_capture_state(void *handle) {
    pthread_mutex_lock(&lock);
    struct stream *stream = named(handle);
    int state = !stream || !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
    pthread_mutex_unlock(&lock);
    return state;
}

static cudaError_t do_or_keep(void *handle, host_work work, const void *argument, size_t size,
                              int guarded) {
    pthread_mutex_lock(&lock);
    struct stream *stream = named(handle);
    cudaError_t refused = enter(stream);
    int captured = !refused && stream->capture;
    if (captured) {
        graph_append(stream->capture->graph, work, argument, size, guarded);
        ++stream->clock.done[stream->index];
    }
    pthread_mutex_unlock(&lock);
    if (refused || captured) return refused;
    return host_error(guarded ? host_guarded(work, (void *)argument) : work((void *)argument));
}

int host_submit(void *handle, host_work work, const void *argument, size_t size) {
    return do_or_keep(handle, work, argument, size, 1);
}

/* ---- streams -------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *handle, unsigned flags, int priority) {
    struct stream *stream = calloc(1, sizeof *stream);
    stream->mark = STREAM_MARK;
    stream->flags = flags;
    stream->priority = priority;
    *handle = (cudaStream_t)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags) {
    return cudaStreamCreateWithPriority(handle, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *handle) {
    return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}

/* A destroyed stream keeps its place, so that a later use of it is recognised. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    struct stream *stream = named(handle);
    if (!stream || stream == &legacy) return host_error(cudaErrorInvalidResourceHandle);
    if (stream->capture) return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
    stream->mark = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    struct stream *stream = named(handle);
    if (!stream) return host_error(cudaErrorInvalidResourceHandle);
    *flags = stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    struct stream *stream = named(handle);
    if (!stream) return host_error(cudaErrorInvalidResourceHandle);
    *priority = stream->priority;
    return cudaSuccess;
}

static cudaError_t idle(cudaStream_t handle) {
    pthread_mutex_lock(&lock);
    struct stream *stream = named(handle);
    cudaError_t result = stream && stream->capture
                             ? spoil(stream->capture, cudaErrorStreamCaptureUnsupported)
                             : enter(stream);
    pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    cudaError_t result = idle(handle);
    if (!result) host_count(HOST_synchronizations);
    return result;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) { return idle(handle); }

struct callback {
    cudaStreamCallback_t with_stream;
    cudaHostFn_t plain;
    cudaStream_t stream;
    void *data;
};

static int call_back(void *argument) {
    struct callback *callback = argument;
    if (callback->plain) callback->plain(callback->data);
    else callback->with_stream(callback->stream, cudaSuccess, callback->data);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void *data,
                                  unsigned flags) {
    cudaError_t refused = idle(handle); /* callbacks of this kind cannot be captured */
    if (refused) return refused;
    struct callback callback = {.with_stream = function, .stream = handle, .data = data};
    return call_back(&callback);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
    struct callback callback = {.plain = function, .data = data};
    return do_or_keep(handle, call_back, &callback, sizeof callback, 0);
}

/* ---- events --------------------------------------------------------------------------------- */

static struct event *known(cudaEvent_t handle) {
    struct event *event = (struct event *)handle;
    return event && event->mark == EVENT_MARK ? event : NULL;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags) {
    struct event *event = calloc(1, sizeof *event);
    event->mark = EVENT_MARK;
    event->flags = flags;
    pthread_mutex_lock(&lock);
    event->next = events;
    if (events) events->previous = event;
    events = event;
    pthread_mutex_unlock(&lock);
    *handle = (cudaEvent_t)event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *handle) {
    return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    struct event *event = known(handle);
    if (!event) return host_error(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    if (event->next) event->next->previous = event->previous;
    if (event->previous) event->previous->next = event->next;
    else events = event->next;
    pthread_mutex_unlock(&lock);
    event->mark = 0;
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
    struct event *event = known(handle);
    if (!event) return host_error(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    struct stream *stream = named(stream_handle);
    cudaError_t refused = enter(stream);
    if (!refused) {
        event->recorded = 1;
        event->capture = stream->capture;
        event->captured = stream->capture != NULL;
        event->clock = stream->clock;
        clock_gettime(CLOCK_MONOTONIC, &event->time);
    }
    pthread_mutex_unlock(&lock);
    return refused;
}

static cudaError_t passed(cudaEvent_t handle) {
    struct event *event = known(handle);
    if (!event) return host_error(cudaErrorInvalidResourceHandle);
    if (!event->captured) return cudaSuccess;
    return event->capture ? spoil(event->capture, cudaErrorCapturedEvent)
                          : host_error(cudaErrorCapturedEvent);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) { return passed(handle); }

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    cudaError_t result = passed(handle);
    if (!result) host_count(HOST_synchronizations);
    return result;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    struct event *first = known(start), *second = known(end);
    if (!first || !second || !first->recorded || !second->recorded || first->captured ||
        second->captured || ((first->flags | second->flags) & cudaEventDisableTiming))
        return host_error(cudaErrorInvalidResourceHandle);
    *milliseconds = (second->time.tv_sec - first->time.tv_sec) * 1e3 +
                    (second->time.tv_nsec - first->time.tv_nsec) * 1e-6;
    return cudaSuccess;
}

/* Takes a stream into a capture as one more that its end must join. */
static cudaError_t join(struct stream *stream, struct capture *capture) {
    if (capture->count == STREAMS_OF_A_CAPTURE) return spoil(capture, cudaErrorNotSupported);
    stream->capture = capture;
    stream->index = capture->count;
    memset(&stream->clock, 0, sizeof stream->clock);
    capture->streams[capture->count++] = stream;
    return cudaSuccess;
}

static cudaError_t wait_for(struct stream *stream, const struct event *event) {
    if (!stream->capture && !event->captured) return cudaSuccess;
    if (event->captured && !event->capture) return host_error(cudaErrorCapturedEvent);
    if (stream == &legacy) return spoil(event->capture, cudaErrorStreamCaptureImplicit);
    if (!stream->capture) {
        cudaError_t full = join(stream, event->capture);
        if (full) return full;
    }
    if (stream->capture != event->capture)
        return spoil(stream->capture, cudaErrorStreamCaptureIsolation);
    for (int i = 0; i < STREAMS_OF_A_CAPTURE; ++i)
        if (event->clock.done[i] > stream->clock.done[i])
            stream->clock.done[i] = event->clock.done[i];
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned flags) {
    struct event *event = known(handle);
    if (!event) return host_error(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    struct stream *stream = named(stream_handle);
    cudaError_t result = enter(stream);
    if (!result) result = wait_for(stream, event);
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- capture -------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    struct stream *stream = named(handle);
    if (!stream) return host_error(cudaErrorInvalidResourceHandle);
    if (stream == &legacy) return host_error(cudaErrorStreamCaptureUnsupported);
    if (stream->capture) return host_error(cudaErrorIllegalState);
    struct capture *capture = calloc(1, sizeof *capture);
    capture->mode = mode;
    capture->thread = pthread_self();
    capture->graph = graph_new();
    pthread_mutex_lock(&lock);
    join(stream, capture);
    capture->next = captures;
    captures = capture;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static cudaError_t verdict(const struct capture *capture) {
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    const struct stream *origin = capture->streams[0];
    for (int i = 1; i < capture->count; ++i)
        if (origin->clock.done[i] != capture->streams[i]->clock.done[i])
            return cudaErrorStreamCaptureUnjoined;
    return cudaSuccess;
}

/* Sets free the streams and events of a capture. */
static void end(struct capture *capture) {
    for (int i = 0; i < capture->count; ++i) capture->streams[i]->capture = NULL;
    for (struct event *event = events; event; event = event->next)
        if (event->capture == capture) event->capture = NULL;
    struct capture **place = &captures;
    while (*place != capture) place = &(*place)->next;
    *place = capture->next;
    free(capture);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    *graph = NULL;
    struct stream *stream = named(handle);
    if (!stream) return host_error(cudaErrorInvalidResourceHandle);
    struct capture *capture = stream->capture;
    if (!capture) return host_error(cudaErrorIllegalState);
    if (capture->streams[0] != stream) return spoil(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->mode != cudaStreamCaptureModeRelaxed &&
        !pthread_equal(capture->thread, pthread_self()))
        return spoil(capture, cudaErrorStreamCaptureWrongThread);
    pthread_mutex_lock(&lock);
    cudaError_t result = verdict(capture);
    struct graph *work = capture->graph;
    end(capture);
    pthread_mutex_unlock(&lock);
    if (result) {
        graph_release(work);
        return host_error(result);
    }
    *graph = (cudaGraph_t)work;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    static const enum cudaStreamCaptureStatus statuses[] = {cudaStreamCaptureStatusNone,
                                                            cudaStreamCaptureStatusActive,
                                                            cudaStreamCaptureStatusInvalidated};
    pthread_mutex_lock(&lock);
    struct stream *stream = named(handle);
    cudaError_t result = cudaSuccess;
    if (!stream) result = host_error(cudaErrorInvalidResourceHandle);
    for (struct capture *c = captures; c && stream == &legacy; c = c->next)
        if (blocking(c->streams[0])) result = host_error(cudaErrorStreamCaptureImplicit);
    pthread_mutex_unlock(&lock);
    *status = statuses[host_capture_state(handle)];
    return result;
}
