/*
 * buffer.h: principal buffers, one per CPU number seen: a single-producer single-consumer ring in
 * the shared arena. The engine appends whole records, the front takes them in the order of `seq`
 * over all buffers, which is the order of firing. Room for a record is found before the clause
 * runs; if there is none the enabling is dropped and counted. The policies `fill` and `ring`
 * (docs/spec/dtrace-command.md §7.1) leave the buffer to the engine until tracing is over: a full
 * buffer of `fill` ends tracing (fire.c), one of `ring` loses its oldest records.
 *
 * What the option bufsize bounds is counted beside what is stored: 4 bytes a record and its data,
 * as D programs know them, without our heads and paddings.
 */
#ifndef DLANG_RUN_BUFFER_H
#define DLANG_RUN_BUFFER_H

#include "dlang/program.h"

struct rec_head {
	uint32_t size; /* of the whole record, multiple of 8 */
	uint32_t epid; /* 0: padding to the end of the ring */
	uint64_t seq;  /* order of firing over all CPUs: 1, 2, 3 ... without gaps, so that a front
			* that  sees n + 1 before n knows that n is in another buffer by now */
	uint64_t time_ns;
	int32_t cpu;
	uint32_t pid, tid;
	uint32_t counted; /* bytes of bufsize that it takes; filled in */
};

struct buffer; /* opaque, in the arena */

struct buffer *buffer_new(struct arena *, uint64_t size, struct err *);
/* Engine, before the first record: what all records together may count. */
void buffer_limit(struct buffer *, uint64_t counted);
/* Engine, before the first record: from now on old records make room for new ones. */
void buffer_set_ring(struct buffer *);
/* Engine. From now on this much of the limit stays free for END. */
void buffer_keep(struct buffer *, uint64_t counted);
uint64_t buffer_record_size(uint32_t payload); /* bytes that such a record takes */
/* Engine. Room for a record with this payload, or NULL (the caller counts the drop). The record is
 * invisible until buffer_commit. At most one reservation at a time. */
char *buffer_reserve(struct buffer *, uint32_t payload, uint32_t counted);
struct rec_head *buffer_head(struct buffer *); /* of the reservation, in front of its payload */
void buffer_commit(struct buffer *);	       /* its head is there but for size and counted */
/* The same for whole records, heads and all, that the caller writes one after the other; counted:
 * the sum of theirs. */
char *buffer_reserve_block(struct buffer *, uint64_t bytes, uint64_t counted);
void buffer_commit_block(struct buffer *);
void buffer_cancel(struct buffer *);
/* Engine. Is more than one of so many parts of it taken? */
bool buffer_is_fuller(struct buffer *, unsigned parts);
/* The same as far as is known: where it was fuller, how far the front is by now is not looked at
 * again before there is more in it, as the front's line of the cache comes from another CPU. */
bool buffer_seems_fuller(struct buffer *, unsigned parts);
/* Front. The oldest record, or NULL; the payload follows the head. It stays until buffer_release.
 */
const struct rec_head *buffer_peek(struct buffer *);
void buffer_release(struct buffer *);

#endif
