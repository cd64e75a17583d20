/*
 * ring.h: reads the rings of records (hook_proto.h) of all threads of all hooked processes, oldest
 * record first. The memory belongs to the targets: what is not as the treaty has it is thrown away
 * and counted, and never leads out of the ring.
 */
#ifndef INJECT_RING_H
#define INJECT_RING_H

#include "hook/hook_proto.h"
#include "inject/tscline.h"

/* One thread's, as its reader sees it. The owner keeps it, and the memory, until it is removed. */
struct ring {
	const uint8_t *data;
	uint64_t size;		       /* a power of two */
	struct hook_block *block;      /* whose head and tail these are */
	const struct hook_site *sites; /* our own copy of the table */
	const uint32_t *nsites;
	void *owner;
	pid_t tid;
	uint64_t tcb; /* the thread's %fs base */
	/* the reader's own */
	uint64_t tail, told; /* read so far; as the writer knows */
	uint64_t head;	     /* of what is visible now */
	uint64_t last_ns;    /* time of the last record: the ring's order is the true one */
	/* Of records without a time is known that those from the mark on are not older than
	 * mark_ns, the others not than floor_ns. */
	uint64_t mark, mark_ns, floor_ns;
	bool is_broken; /* what was there has been left out; not told yet */
	uint64_t nbad;	/* times that something impossible stood in it */
	/* gaps before the head, [gap, ngaps) of them still to come */
	struct ring_gap {
		uint64_t from, to;
	} * gaps;
	unsigned gap, ngaps, gaps_room;
	/* the oldest record */
	uint64_t time_ns;
	struct hook_record next;
};

struct ring_record {
	const struct ring *ring;
	uint64_t time_ns;
	uint32_t site;
	int cpu;
	bool is_after_loss;    /* hits of this thread were lost right before it */
	const uint64_t *words; /* behind the header; valid until the next is taken */
	unsigned nwords;
};

struct rings;
struct rings *rings_new(void);
void rings_free(struct rings *);
void rings_add(struct rings *, struct ring *);
void rings_remove(struct rings *, struct ring *);

/*
 * Looks what there is now, and tells the writers how far they have been read. Then: the time of the
 * oldest record (UINT64_MAX: there is none), and that record; what was taken is free for its
 * writer.
 */
void rings_look(struct rings *);
uint64_t rings_oldest(const struct rings *);
void rings_take(struct rings *, struct ring_record *);

#endif
