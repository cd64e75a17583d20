/*
 * tracefs.h: the tracepoints of this kernel, by name, and what their records look like. Read from
 * tracefs where it is mounted, else (root) from a mount of our own that nobody else sees, else from
 * the list that an earlier privileged run wrote (tpcache.h). Everything is read at the first
 * question, and lives as long as the struct.
 */
#ifndef PROVIDERS_KERNEL_TRACEFS_H
#define PROVIDERS_KERNEL_TRACEFS_H

#include "base/arena.h"

/* The first fields of every record: common_type, common_flags, common_preempt_count, common_pid. */
#define TP_COMMON_SIZE 8

enum tpplace {
	TP_INLINE,
	TP_DATA_LOC, /* a word {u16 offset in the record, u16 length} says where it is */
	TP_REL_LOC,  /* the same; the offset counts from the end of the word */
};

struct tpfield {
	const char *name;
	const char *type; /* as the kernel writes it, without __data_loc: "const char *", "char" */
	enum tpplace place;
	uint32_t offset, size; /* in the record, of the word for the last two places */
	uint32_t nelems;       /* an array; 0: none */
	bool is_signed;
};

struct tpformat {
	const char *system, *name;
	uint32_t id;		/* attr.config of PERF_TYPE_TRACEPOINT */
	uint32_t size;		/* of the fixed part of a record, common fields included */
	struct tpfield *fields; /* without the common ones */
	unsigned nfields;
};

struct tracefs;

struct tracefs *tracefs_new(void); /* reads nothing yet */
/* Of a list as tpcache.h has it, which is malloc's and becomes theirs; place: where it comes from.
 */
struct tracefs *tracefs_of_list(char *list, const char *place);
void tracefs_free(struct tracefs *);

/* Can names and formats be had? Errors: the sentence of docs/spec/providers.md §1.3 that says why
 * not. */
int tracefs_check(struct tracefs *, struct err *);
/* Where they come from: "/sys/kernel/tracing", "a mount of our own", "the provider list ...". */
const char *tracefs_place(struct tracefs *);

/* Visits every tracepoint, in the order of systems and names. None where none can be had. What
 * tracefs lists as "ftrace" are records of the kernel's tracers, and no tracepoints. */
void tracefs_each(struct tracefs *, void (*fn)(void *arg, const char *system, const char *name),
		  void *arg);
/* A file beside the events, opened for reading; NULL: it cannot be. Caller closes. */
FILE *tracefs_open(struct tracefs *, const char *name);
bool tracefs_has(struct tracefs *, const char *system, const char *name);

/* Keeps all there is for those who may not read it (tpcache.h), if that has not been done. Quiet: a
 * list that cannot be written is none. */
void tracefs_keep(struct tracefs *);

/* NULL: there is no such tracepoint, or its description cannot be read. */
const struct tpformat *tracefs_format(struct tracefs *, const char *system, const char *name);
/* Of those that have been asked for; NULL: none of them has that number. */
const struct tpformat *tracefs_known(const struct tracefs *, uint32_t id);
/* Its description as the kernel has it, the caller's; NULL: as above. */
char *tracefs_text(struct tracefs *, const char *system, const char *name);
const struct tpfield *tpformat_field(const struct tpformat *, const char *name); /* NULL: none */

/* A field of a record; 0 or NULL where the record is too short for it (never trust a length). */
uint64_t tpfield_int(const struct tpfield *, const void *raw, size_t n);
/* All its bytes, wherever they lie; of a text, *len without the NUL. */
const char *tpfield_place(const struct tpfield *, const void *raw, size_t n, size_t *len);
const char *tpfield_bytes(const struct tpfield *, const void *raw, size_t n, size_t *len);

/* The text of a format file, as a struct in the arena. NULL: it is none. */
struct tpformat *tpformat_parse(struct arena *, const char *system, const char *text);

#endif
