/*
 * json.h: JSON (RFC 8259): values as text, and one text read as a tree. What is read is hostile:
 * depth and size are bounded, nothing is believed, no byte behind its end is looked at.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/strbuf.h"

/* A string; what is no UTF-8 is U+FFFD. */
void json_add_text(struct strbuf *, const char *text, size_t n);
/* A number that all readers take as it is: from 2^53 on it is a string. */
void json_add_number(struct strbuf *, int64_t);
void json_add_unsigned(struct strbuf *, uint64_t);
bool json_is_utf8(const char *, size_t n);

#define JSON_MAX_DEPTH 32

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER, /* text: as it was written */
	JSON_STRING, /* text: UTF-8, of len bytes, among which may be NULs; a NUL follows */
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_kind kind;
	const char *name; /* of a member of an object */
	const char *text;
	size_t len;
	unsigned n;			 /* members */
	const struct json *first, *next; /* members; the next one beside this */
};

/*
 * One value, with blanks around it. The tree is in the arena, and text is copied there. NULL: it is
 * none; err says what is wrong, at which byte (-EINVAL). Half a surrogate is U+FFFD.
 */
const struct json *json_parse(struct arena *, const char *text, size_t n, struct err *);

/* The first member of that name; NULL: there is none, or it is no object (which may be NULL). */
const struct json *json_member(const struct json *, const char *name);
/* An integer, or a string of decimal digits that is one. False: it is none, or does not fit; *v
 * stays. */
bool json_int(const struct json *, int64_t *v);
bool json_unsigned(const struct json *, uint64_t *v);
/* A string without a NUL, or NULL. */
const char *json_text(const struct json *);

#endif
