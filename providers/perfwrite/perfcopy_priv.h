/*
 * perfcopy_priv.h: what perfcopy.c (events, features, begin and end), copyrecord.c (records) and
 * copymap.c (mappings that are added) share.
 */
#ifndef PROVIDERS_PERFWRITE_PERFCOPY_PRIV_H
#define PROVIDERS_PERFWRITE_PERFCOPY_PRIV_H

#include "providers/perfwrite/perfcopy.h"
#include "providers/perfwrite/perfwrite_priv.h"

/* What becomes of an event in the copy. */
struct copy_event {
	struct perf_layout layout;
	unsigned number; /* in the writer */
	uint64_t id;	 /* one that it has */
	uint32_t config; /* of a tracepoint: the number of its format */
	bool is_tagged;	 /* its records do not say of which event they are, and get its id */
};

/* A piece of code of a mapping that is added. */
struct copy_map {
	struct copy_map *next;
	pid_t pid; /* 0: each */
	const char *path;
	uint64_t addr, len, pgoff, ino;
	unsigned dev_major, dev_minor;
	unsigned char build_id[PERFDATA_BUILD_ID_MAX];
	unsigned build_id_len;
};

struct copy_format {
	const char *system, *text;
};

struct perfcopy {
	struct perfwrite *w;
	struct perfdata *from;
	struct arena arena;
	bool tags; /* events that do not tell their id in each record get one there */
	bool is_made, is_changed;
	struct hash events; /* struct perfdata_event → struct copy_event */
	struct hash *ids;   /* of each file: those that are others in the copy */
	struct hash taken;  /* ids in the copy */
	uint64_t next_id;
	const struct copy_event *carrier; /* of whom records are that are added */
	struct copy_event **added;
	unsigned nadded;
	struct hash formats; /* by number: struct copy_format */
	bool has_formats;
	unsigned nother; /* formats of files behind the first */
	uint32_t next_number;
	struct copy_map *maps, **maps_tail;
	struct hash mapped; /* processes that have them */
	uint64_t ntoo_long;
	/* the record that is put together */
	uint64_t words[PERFCOPY_RECORD_MAX / sizeof(uint64_t)];
};

/* perfcopy.c */
const struct copy_event *copy_event_of(struct perfcopy *, const struct perfdata_record *);
unsigned copy_part_of(struct perfcopy *, const struct perfdata *file);

/* copyrecord.c: what a record of ours ends with, behind n bytes of it; its size is set. */
void copy_finish(struct perfcopy *, struct perf_event_header *, size_t n, pid_t pid, pid_t tid,
		 uint64_t time_ns);

/* copymap.c: before the next record of that process; it has executed another program, or ended. */
void copy_maps_before(struct perfcopy *, pid_t pid, uint64_t time_ns);
void copy_maps_gone(struct perfcopy *, pid_t pid);
void copy_add_builds(const struct perfcopy *, struct strbuf *);

#endif
