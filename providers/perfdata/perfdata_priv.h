/*
 * perfdata_priv.h: what the files of this room share: perfdata.c (the head of the file),
 * perfblock.c (bytes to records), perfzip.c (the same of what is compressed), perforder.c (records
 * in the order of time), perftracing.c (formats),
 * perfmerge.c (several files as one).
 */
#ifndef PROVIDERS_PERFDATA_PERFDATA_PRIV_H
#define PROVIDERS_PERFDATA_PERFDATA_PRIV_H

#include "base/arena.h"
#include "base/hash.h"
#include "providers/perfdata/perfdata.h"

#define PERF_RECORD_MAX 65536

/* Bytes of the file with whole records, as long as somebody holds it: who fills it, and each record
 * that waits to be skipped. */
struct perfblock {
	unsigned nholders;
	bool is_unpacked; /* of a compressed record, whose offset all have */
	size_t len, room;
	uint64_t offset; /* of its first byte in the file */
	_Alignas(8) char bytes[];
};

/* A record that waits for its turn. */
struct perfentry {
	uint64_t time_ns;
	const struct perf_event_header *h;
	struct perfblock *block;
	struct perfdata_event *event;
};

/* perfblock.c: the records in the order in which they were written. */
struct perfstream {
	int fd;
	bool is_pipe;
	uint64_t left; /* bytes that may be read still */
	uint64_t read; /* bytes read so far, and where they began */
	uint64_t start;
	struct perfblock *block; /* that is being filled, and where its next record begins */
	size_t at;
	bool is_ragged; /* records end anywhere */
	bool is_over;
	struct err why; /* code 0: the end is one */
};

void perfstream_init(struct perfstream *, int fd, uint64_t start, uint64_t size, bool is_pipe);
void perfstream_release(struct perfstream *);
/* The next record: NULL: there is none. It belongs to *block, which stays as long as the caller
 * holds it (perfblock_hold, perfblock_drop), or until the next call. */
const struct perf_event_header *perfstream_next(struct perfstream *, struct perfblock **block);
/* The n bytes behind the last record, which do not count to its size, where `to` has room for them;
 * NULL: they are left out. False: the end came first. */
bool perfstream_take(struct perfstream *, uint64_t n, char *to);
void perfstream_fail(struct perfstream *, int code, const char *what, uint64_t offset);
static inline void perfblock_hold(struct perfblock *b)
{
	b->nholders++;
}
void perfblock_drop(struct perfblock *);
/* What is not a whole record yet, from `at` on, goes on in a block of its own, which is returned;
 * old (NULL: there is none) is dropped. */
struct perfblock *perfblock_next(struct perfblock *old, size_t at, uint64_t offset);
uint64_t perfblock_offset(const struct perfblock *, const struct perf_event_header *);

/* perfzip.c: what compressed records hold: one stream through all of them, in which a record may
 * begin in one and end in the next. */
struct perfzip {
	void *decoder;		  /* NULL: there was none so far */
	struct perfblock *source; /* where `left` bytes are still packed; NULL: nowhere */
	const char *next;
	size_t left;
	uint64_t offset; /* of the compressed record */
	bool has_more;	 /* the decoder holds some back, for want of room */
	struct perfblock *block;
	size_t at;
};

void perfzip_release(struct perfzip *);
/* A record PERFDATA_COMPRESSED or COMPRESSED2 of that block; what the last one held has been read.
 * Returns 0, or an error and what it is in *what. */
int perfzip_take(struct perfzip *, const struct perf_event_header *, struct perfblock *,
		 const char **what);
/* As perfstream_next. NULL, and *code 0: the next compressed record is wanted. */
const struct perf_event_header *perfzip_next(struct perfzip *, struct perfblock **, int *code,
					     const char **what);
/* Part of a record is there that has not ended. */
bool perfzip_is_cut(const struct perfzip *);

struct perforder {
	struct perfentry *v, *other; /* those that wait, and room to merge them */
	size_t n, room;
	size_t next, nready;  /* the first of them, and how many may be given out */
	size_t waiting_bytes; /* of those that are not ready, */
	size_t passed_bytes;  /* and of what was passed between them */
	uint64_t round_ns;    /* the youngest of the last round, and of those before */
	uint64_t limit_ns;
	uint64_t given_ns; /* the youngest that was given out: what is older, and comes, is late */
	struct perfentry passed; /* the youngest of this round that nobody asks for; h NULL: none */
	uint64_t passed_ns;	 /* when the last such one happened */
};

/* Takes one more; those that are ready keep their places. */
void perforder_add(struct perforder *, const struct perfentry *);
/* The same of one that nobody asks for: of those, a round has its youngest, and what lies at the
 * ends of long times in which nothing happened. */
void perforder_pass(struct perforder *, const struct perfentry *);
/* A round has ended: nothing older than the youngest of the round before can come. Or (all) the
 * file has. */
void perforder_round(struct perforder *, bool all);

struct perffeature {
	char *bytes; /* NULL: none */
	size_t size;
};

/* How many, and where the first of them is. */
struct perfcount {
	uint64_t n, offset;
};
static inline void perfcount_add(struct perfcount *c, uint64_t offset)
{
	if (!c->n++)
		c->offset = offset;
}

struct perfdata {
	const char *path;
	int fd;
	uint64_t size, mtime_ns;
	bool is_pipe;
	struct arena arena;
	struct perfdata_event **events;
	unsigned nevents;
	struct hash by_id;
	/* The ids that were looked up last, by their low bits: one for each CPU and event. */
	struct {
		uint64_t id;
		struct perfdata_event *event;
	} seen[256];
	struct perffeature features[PERFDATA_FEATURES];
	struct strmap files; /* what perfdata_file() has answered */
	struct err damage;   /* of the features; code 0: none */
	struct perfstream stream;
	struct perfzip zip;
	struct perforder order;
	/* those that have no time, and are given out before all others; the first of them */
	struct perfentry *untimed;
	size_t nuntimed, untimed_room, next_untimed;
	bool is_read;	   /* all that there is waits */
	uint64_t first_ns; /* perfdata_first_ns(), when it has been asked */
	pid_t target;	   /* 0: none is told */
	/* samples of no event, of AUX data, and what is out of order */
	struct perfcount strange, aux, late;
	/* several files in one (perfmerge.c): it has no stream of its own */
	struct perfdata **parts;
	unsigned nparts;
	struct perfdata *current; /* that has the oldest record; NULL: look */
	int64_t shift_ns;	  /* from its clock to that of all */
	uint64_t begin_ns;	  /* on the clock of all */
	char **notes;
	unsigned nnotes;
	struct strmap formats; /* "system:name" → struct perfformat */
	struct perfformat *first_format, **formats_tail;
	struct hash numbers; /* of tracepoints that are in use */
};

/* A tracepoint as all of several files have it. */
struct perfformat {
	struct perfformat *next;
	const struct perfdata *part; /* whose it is, and the number it has there */
	uint32_t its_number;
	const char *system;
	char *text;
	uint32_t number;
	bool is_odd; /* another file's tracepoint of that name has other fields, and is in use */
};

/* perfmerge.c: names: with commas between them. */
int perfdata_open_several(const char *names, struct perfdata **, struct err *);
void perfdata_free_parts(struct perfdata *);
/* The file whose record is the next; NULL: there is none. */
struct perfdata *perfdata_oldest(struct perfdata *, struct perfdata_record *);
/* As perfdata_each_format, each once. */
int perfdata_each_of_all(const struct perfdata *,
			 void (*fn)(void *arg, const char *system, const char *text), void *arg,
			 struct err *err);

/* perfrecords.c */
/* Reads records of a pipe that stand before all others, which say what these are. */
int perfdata_read_head(struct perfdata *, struct err *);

/* perfdata.c */
#define PERFDATA_MAX_EVENTS 65536
#define PERFDATA_MAX_IDS    (1U << 22)
/* bytes: an attribute of that size; ids: may lie anywhere. */
int perfdata_add_event(struct perfdata *, const char *bytes, size_t size, const char *ids,
		       uint64_t nids, struct err *);
/* Keeps the bytes, which are malloc's. */
void perfdata_keep_feature(struct perfdata *, uint64_t bit, char *bytes, size_t size);

#endif
