/*
 * perfwrite_priv.h: what the files of this room share: perfwrite.c (events and records),
 * writehead.c (what stands before and behind the records), writestate.c (the processes that are
 * there when it begins), writering.c (samples of which only the last are written),
 * writezip.c (the same, packed).
 */
#ifndef PROVIDERS_PERFWRITE_PERFWRITE_PRIV_H
#define PROVIDERS_PERFWRITE_PERFWRITE_PRIV_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "providers/perfwrite/perfwrite.h"

/* The attributes of an event as all of perf's versions know them that read such files; and what
 * those of others may have. */
#define WRITE_ATTR_SIZE PERF_ATTR_SIZE_VER7
#define WRITE_ATTR_MAX	4096

struct write_event {
	char *attr; /* perfwrite.attr_size bytes */
	char *name;
	uint64_t *ids;
	unsigned nids, room;
};

struct write_format {
	struct write_format *next;
	char *system, *text;
};

/* A file that processes have mapped: whose build is told. */
struct write_image {
	struct write_image *next;
	const char *path;
	uint64_t ino;
};

/* The last field of all records but samples (sample_id_all). */
struct write_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct perfwrite {
	const char *path;
	int fd; /* -1: it has not begun, or has ended */
	size_t attr_size;
	struct write_event *events;
	unsigned nevents;
	/* What the file tells of itself behind the records, by the number of that feature; nothing:
	 * it does not have it. */
	void (*add_feature)(struct perfwrite *, unsigned bit, struct strbuf *);
	void *arg; /* of whom add_feature is */
	struct write_format *formats, **formats_tail;
	struct strmap texts; /* perfwrite_text() */
	struct arena arena;
	struct strmap known; /* images by path */
	struct write_image *images, **images_tail;
	unsigned nimages;
	pid_t self;
	char *buf;
	size_t len;
	uint64_t data;		    /* where records begin */
	uint64_t size;		    /* of the file, when it has ended */
	uint64_t at, nwritten;	    /* where buf goes in the file, and samples before that */
	uint64_t safe, nsafe;	    /* the same of the time before: what follows may be given up */
	uint64_t flush_ns;	    /* when it is to be written at the latest */
	uint64_t round_at;	    /* where the last round has ended */
	uint64_t nsamples;	    /* added */
	uint64_t first_ns, last_ns; /* of samples; first_ns 0: there were none */
	bool has_begun;		    /* its head is written */
	struct err why;		    /* it is full; code 0: it is not */
	uint64_t begin_ns;
	uint64_t max, ring_ns, nleft_out; /* perfwrite_limit() */
	struct {
		struct write_piece *oldest, *newest;
		size_t size;
	} ring;
	struct write_zip *zip; /* NULL: nothing is packed */
	int zip_level;
	bool is_copy; /* of another: what is added is not packed */
	/* of records in buf that hold others: what of them counts as samples, in order */
	struct write_held {
		size_t end; /* in buf */
		uint32_t nsamples;
	} * held;
	size_t nheld, held_room;
	uint64_t nbuffered; /* samples in buf */
	struct {
		uint64_t wall_ns, clock_ns; /* at the same moment */
	} pair;
};

/* perfwrite.c: an event with all its attributes, attr_size of them. */
unsigned write_add_event(struct perfwrite *, const void *attr, const char *name);
/* The file is made: its head is written. */
void write_begin(struct perfwrite *);
/* A record that holds others, so many samples among them. */
void write_packed(struct perfwrite *, const void *, size_t, uint32_t nsamples);
/* Bytes of a whole record. */
void write_bytes(struct perfwrite *, const void *, size_t);
/* A round ends, if much has been written since the last one. */
void write_round(struct perfwrite *);
/* A sample has been written, which happened then. */
void write_count(struct perfwrite *, uint64_t time_ns);
/* All records have been given: what follows them is written. Errors: as perfwrite_end(). */
int write_finish(struct perfwrite *, struct err *);
/* Of a record of ours; 0: it is what there was before. */
struct write_trailer write_trailer_at(const struct perfwrite *, uint64_t time_ns);
/* At that place, now. Errors: -errno. */
int write_at(const struct perfwrite *, const void *, size_t, uint64_t at);
/* What has mapped it is read: a record of type MMAP2. */
void write_note_image(struct perfwrite *, const char *path, uint64_t ino);

/* It is in the file. */
void write_sample(struct perfwrite *, const struct perf_event_header *);
uint64_t write_time_of(const struct perf_event_header *);

/* writering.c: as perfwrite_add() of a sample; what is written of them at the end. */
void write_ring_add(struct perfwrite *, const struct perf_event_header *, uint64_t id,
		    uint64_t time_ns);
void write_ring_write(struct perfwrite *, uint64_t now_ns);
void write_ring_free(struct perfwrite *);

/* Of what one record unpacks to. */
#define WRITE_ZIP_SIZE ((size_t)128 << 10)

/* writezip.c: a record as it is; those that wait become one that holds them. */
void write_zip_add(struct perfwrite *, const struct perf_event_header *);
void write_zip_flush(struct perfwrite *); /* where nothing is packed: nothing */
void write_zip_free(struct perfwrite *);
uint32_t write_zip_ratio(const struct perfwrite *); /* by how much they have shrunk */
size_t write_zip_waiting(const struct perfwrite *);

/* writehead.c */
/* What this machine tells of itself and of a live run. */
void write_live_feature(struct perfwrite *, unsigned bit, struct strbuf *);
/* Single ones: the events; when the first and the last sample happened; formats of tracepoints as
 * TRACING_DATA, or those of their systems alone, and how many systems these are; a build-id. */
void write_add_events(struct perfwrite *, struct strbuf *);
void write_add_times(struct perfwrite *, struct strbuf *);
void write_add_formats(struct perfwrite *, struct strbuf *);
uint32_t write_add_systems(const struct perfwrite *, struct strbuf *);
void write_add_build_id(struct strbuf *, uint16_t mode, const char *name, const unsigned char *id,
			size_t n);
/* The head, the ids and the attributes; sets where records begin. Errors: -errno. */
int write_head(struct perfwrite *);
/* All that follows the records, and the head as it is then. Errors: -errno. */
int write_tail(struct perfwrite *, bool has_features);

/* writestate.c */
void write_state(struct perfwrite *, const struct perfwrite_start *);
/* A name of our own process, at that time. */
void write_mark(struct perfwrite *, uint64_t time_ns);

#endif
