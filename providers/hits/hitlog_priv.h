/*
 * hitlog_priv.h: what the files of hitlog.h share.
 */
#ifndef PROVIDERS_HITS_HITLOG_PRIV_H
#define PROVIDERS_HITS_HITLOG_PRIV_H

#include "base/hash.h"
#include "dlang/offload/capture.h"
#include "providers/hits/hitformat.h"
#include "providers/hits/hitlog.h"

#define HITS_MAX     32768
#define RECORD_WORDS 8184 /* 64 KB: what the size of a record can say */
#define MEMORY_ROOM  49152
#define PIECES_MAX   256

/* A probe that has been hit. */
struct hit_kind {
	struct probe *probe;
	struct hit_format format;
	unsigned number;
	uint64_t id, type; /* sample_type */
	char name[160];
	unsigned nwords; /* of arguments, behind the common fields */
	const struct hit_field *memory;
	struct capture capture; /* of which: what is read of memory */
	struct {
		const struct hit_field *field;
		unsigned piece; /* of the capture */
	} texts[HIT_TEXTS_MAX];
	unsigned ntexts;
};

struct piece {
	taddr_t addr;
	uint32_t size, at; /* of its bytes, in hitlog.memory */
};

struct hitlog {
	struct world *world;
	struct event_log door;
	struct hit_kind **hits; /* by the number of the probe */
	uint32_t room;
	unsigned nhits;
	struct {
		struct probe probe; /* nobody's: what it is called */
		struct hit_kind *kind;
	} facts[HIT_NFACTS];
	struct strmap names;
	struct arena arena;
	/* of the hit at hand */
	struct event seen;
	struct target tap, *behind;
	struct piece pieces[PIECES_MAX];
	unsigned npieces;
	int captured[CAPTURE_MEM_MAX]; /* pieces by rows of the capture; -1: not read */
	uint32_t used;
	bool is_cut; /* the record has found no room */
	_Alignas(8) char memory[MEMORY_ROOM];
	uint64_t record[RECORD_WORDS];
};

/* hitkind.c: the probe as an event of the file, which is told of it. The arena's. */
struct hit_kind *hit_kind_new(struct hitlog *, struct probe *);

#endif
