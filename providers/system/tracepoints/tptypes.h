/*
 * tptypes.h: the fields of tracepoints as D types.
 */
#ifndef PROVIDERS_SYSTEM_TRACEPOINTS_TPTYPES_H
#define PROVIDERS_SYSTEM_TRACEPOINTS_TPTYPES_H

#include "dlang/session.h"
#include "providers/kernel/tracefs/tracefs.h"

/*
 * The type of an argument of a system call: each is a word of 8 bytes, whatever its type is. A name
 * that nobody knows becomes a typedef of its size; never NULL.
 */
const struct type *tpfield_word_type(struct session *, const struct tpfield *);

/* As it lies in the record, or of what it leads to (an element of a dynamic array). */
const struct type *tpfield_type(struct session *, const struct tpfield *);

/*
 * A record as a structure, "struct trace_event_raw_NAME", in which fields lie at their offset less
 * TP_COMMON_SIZE. Dynamic ones follow the fixed part, in the order of the fields: text as an array
 * of characters, everything else as a pointer into the record.
 */
const struct type *tpformat_type(struct session *, const struct tpformat *);

/* A format with dynamic fields makes its structure from the record; others lie as they are. */
bool tpformat_is_dynamic(const struct tpformat *);
uint32_t tpformat_view_size(const struct session *, const struct tpformat *);
void tpformat_view(const struct session *, const struct tpformat *, char *view, const char *raw,
		   uint32_t n);

/* A text that has a place in the record: what is behind its end is what was there before. */
bool tpfield_is_placed_text(const struct tpfield *);
/* Zeros behind the ends of such texts, in a copy of a record. */
void tpformat_end_texts(const struct tpformat *, char *record, uint32_t n);

/* Where what stands for dynamic fields begins in it; how many bytes it has of a field there (0: it
 * lies where it was); whether that is a text with an end. */
uint32_t tpformat_fixed_size(const struct tpformat *);
uint32_t tpfield_room(const struct session *, const struct tpfield *);
bool tpfield_is_text(const struct tpfield *);

/*
 * The field that the structure has at this offset, as D loads it: a number of that size and sign,
 * or (size 0) a text. NULL: none, or the kernel's filters know it otherwise.
 */
const struct tpfield *tpformat_filtered(const struct session *, const struct tpformat *,
					uint64_t offset, unsigned size, bool is_signed);

#endif
