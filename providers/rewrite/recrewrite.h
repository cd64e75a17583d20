/*
 * recrewrite.h: a recording that is read is written anew (-E IN -o OUT.data): what clauses do to
 * the record at hand (dlang/rewrite.h) is kept until all who listen to it have been called, and the
 * record is written then, as it was or as they have made it; behind it what they have emitted.
 */
#ifndef PROVIDERS_REWRITE_RECREWRITE_H
#define PROVIDERS_REWRITE_RECREWRITE_H

#include "dlang/rewrite.h"
#include "providers/perfdata/perfdata.h"

struct perfcopy;
struct proctab;
struct world;
struct recrewrite;

/* How events that clauses emit are tracepoints of a file. */
struct emit_form {
	const char *system;
	void (*name)(const struct probe *, char *name, size_t size);
	void (*format)(const struct probe *, const char *name, unsigned number, struct strbuf *);
	/* What its record says, in the number of bytes that is returned; 0: there is no room. */
	size_t (*raw)(const struct emitted *, unsigned number, char *out, size_t room);
};

struct recrewrite *recrewrite_new(struct world *, const struct emit_form *);
void recrewrite_free(struct recrewrite *); /* NULL: nothing */
/* For session_engine.rewriter. */
const struct rewriter *recrewrite_ops(const struct recrewrite *);
/* Where it is written to, and who knows how threads are called; borrowed. Before the first record.
 */
void recrewrite_to(struct recrewrite *, struct perfcopy *, struct proctab *);

/* What a sample says of a tracepoint. */
struct recrewrite_raw {
	const void **bytes;
	uint32_t *len;
};

/* A record is handled, of which this is the RAW (if it is a sample), and has been. */
void recrewrite_begin(struct recrewrite *, const struct perfdata_record *);
void recrewrite_sample(struct recrewrite *, struct recrewrite_raw);
void recrewrite_end(struct recrewrite *, const struct perfdata_record *);

/*
 * Of the sample at hand: n bytes of its RAW from `at` on are these. A text to which the word at
 * `word` leads ({u16 offset from `base`, u16 length}), and which has room for so many bytes at
 * `at`, is that one, which may be longer. The sample is the changed one from then on.
 */
struct recrewrite_text {
	uint32_t word, base, at, room;
};
void recrewrite_bytes(struct recrewrite *, uint32_t at, const void *bytes, uint32_t n);
void recrewrite_text(struct recrewrite *, struct recrewrite_text, const char *text);

/* Records that clauses have left out, and changes for which a record had no room. */
uint64_t recrewrite_ndropped(const struct recrewrite *);
uint64_t recrewrite_nunchanged(const struct recrewrite *);

#endif
