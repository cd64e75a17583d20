/*
 * maketext.h: texts that are made of the program's memory, of numbers and of texts that are known,
 * step by step (agg_proto.h, struct hook_text_step).
 */
#ifndef HOOK_MAKETEXT_H
#define HOOK_MAKETEXT_H

#include "hook/hook.h"
#include "hook/agg_proto.h"

/* Not necessarily followed by a NUL. */
struct text {
	const char *s; /* NULL: it is NULL, or (plain) not read yet */
	uint64_t len;
	const struct hook_text_step *plain;
};
_Static_assert(HOOK_TEXTS * sizeof(struct text) == HOOK_TEXTS_CHARS, "the stack of texts");

struct making {
	struct hook_block *b;
	const uint64_t *sp;
	const uint64_t *words; /* that steps speak of */
	const char *known;     /* the next text that is known */
	uint64_t *room;	       /* that has not been taken yet */
	struct text *texts;    /* the stack; of words of the room, too */
	unsigned n;
};
#define TEXTS_WORDS (HOOK_TEXTS_CHARS / sizeof(uint64_t))

/* In a room, of which the first word is in use. known: behind all steps. */
static inline struct making hook_making(struct hook_block *b, const uint64_t *sp, uint64_t *room)
{
	return (struct making){.b = b,
			       .sp = sp,
			       .room = room + 1 + TEXTS_WORDS,
			       .texts = (struct text *)(void *)(room + 1)};
}

/* False: something is not there, or NULL. */
bool hook_make_texts(struct making *, const struct hook_text_step *, unsigned n);
/* A text that is needed now. */
bool hook_read_plain(struct making *, struct text *);
bool hook_is_null(const struct making *, const struct text *);
/* Where a part of it begins, from that character on; more than its length: nowhere. */
uint64_t hook_find_text(const struct text *, const struct text *part, uint64_t from);
/*
 * Its length and its characters; what is left of the last word is 0. Returns how many words. They
 * may take the place of what the text was made of.
 */
uint32_t hook_text_words(const struct text *, uint64_t *to);

#endif
