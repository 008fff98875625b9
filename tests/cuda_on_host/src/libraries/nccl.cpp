/* NCCL with one rank: collectives are copies to oneself, and sends meet the receive of their group.
 *
 * Not modelled: more than one rank, which is refused, and groups that are launched together.
 */
#include "library.h"

#include <cstdio>
#include <cstring>

namespace {

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
enum { TYPES = 12 };
const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

struct Communicator {
    const void *sent;
    size_t sent_bytes;
};

int copy(void *stream, const void *from, void *to, size_t count, int type) {
    if (type < 0 || type >= TYPES) return INVALID_ARGUMENT;
    size_t bytes = count * sizes[type];
    if (bytes && (!host_reachable(from, bytes) || !host_reachable(to, bytes)))
        return INVALID_ARGUMENT;
    host_count(HOST_launches);
    int error = submit(stream, [=] {
        if (bytes && from != to) memmove(to, from, bytes);
        return 0;
    });
    return error ? SYSTEM_ERROR : SUCCESS;
}

} // namespace

extern "C" {
struct ncclUniqueId {
    char internal[128];
};

int ncclGetVersion(int *version) {
    *version = 22707;
    return SUCCESS;
}
int ncclGetUniqueId(ncclUniqueId *id) {
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "cuda_on_host");
    return SUCCESS;
}
const char *ncclGetErrorString(int error) {
    return error == SUCCESS ? "no error" : "error of the one-rank stand-in for NCCL";
}
int ncclCommInitRankConfig(Communicator **communicator, int ranks, ncclUniqueId, int rank, void *) {
    if (ranks != 1 || rank != 0) return INVALID_ARGUMENT;
    *communicator = new Communicator();
    return SUCCESS;
}
int ncclCommInitRank(Communicator **communicator, int ranks, ncclUniqueId id, int rank) {
    return ncclCommInitRankConfig(communicator, ranks, id, rank, nullptr);
}
int ncclCommInitAll(Communicator **communicators, int count, const int *) {
    return ncclCommInitRankConfig(communicators, count, {}, 0, nullptr);
}
int ncclCommSplit(Communicator *, int colour, int, Communicator **communicator, void *) {
    *communicator = colour < 0 ? nullptr : new Communicator();
    return SUCCESS;
}
int ncclCommDestroy(Communicator *communicator) {
    delete communicator;
    return SUCCESS;
}
int ncclCommAbort(Communicator *communicator) { return ncclCommDestroy(communicator); }
int ncclCommGetAsyncError(Communicator *, int *error) {
    *error = SUCCESS;
    return SUCCESS;
}
int ncclCommCount(Communicator *, int *count) {
    *count = 1;
    return SUCCESS;
}
int ncclCommCuDevice(Communicator *, int *device) {
    *device = 0;
    return SUCCESS;
}
int ncclCommUserRank(Communicator *, int *rank) {
    *rank = 0;
    return SUCCESS;
}
int ncclGroupStart() { return SUCCESS; }
int ncclGroupEnd() { return SUCCESS; }

int ncclAllReduce(const void *from, void *to, size_t count, int type, int, Communicator *,
                  void *stream) {
    return copy(stream, from, to, count, type);
}
int ncclReduce(const void *from, void *to, size_t count, int type, int, int root, Communicator *,
               void *stream) {
    return root ? INVALID_ARGUMENT : copy(stream, from, to, count, type);
}
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, Communicator *,
                  void *stream) {
    return root ? INVALID_ARGUMENT : copy(stream, from, to, count, type);
}
int ncclBcast(void *buffer, size_t count, int type, int root, Communicator *, void *stream) {
    return root ? INVALID_ARGUMENT : copy(stream, buffer, buffer, count, type);
}
int ncclAllGather(const void *from, void *to, size_t count, int type, Communicator *,
                  void *stream) {
    return copy(stream, from, to, count, type);
}
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int, Communicator *,
                      void *stream) {
    return copy(stream, from, to, count, type);
}

/* A send to oneself is kept for the receive that follows it in the same group. */
int ncclSend(const void *from, size_t count, int type, int peer, Communicator *communicator,
             void *) {
    if (peer || type < 0 || type >= TYPES) return INVALID_ARGUMENT;
    communicator->sent = from;
    communicator->sent_bytes = count * sizes[type];
    return SUCCESS;
}
int ncclRecv(void *to, size_t count, int type, int peer, Communicator *communicator, void *stream) {
    if (peer || type < 0 || type >= TYPES) return INVALID_ARGUMENT;
    if (!communicator->sent || communicator->sent_bytes != count * sizes[type])
        return INVALID_USAGE;
    const void *from = communicator->sent;
    communicator->sent = nullptr;
    return copy(stream, from, to, count, type);
}
}
