/*
 * structout.h: nested data as JSON, XML or HTML, as a stream of calls: containers, lists of
 * containers, values. The caller opens and closes in pairs.
 */
#ifndef BASE_STRUCTOUT_H
#define BASE_STRUCTOUT_H

#include "base/strbuf.h"

enum so_format { SO_JSON, SO_XML, SO_HTML };

#define SO_MAX_DEPTH 16

struct structout {
	struct strbuf *out;
	enum so_format format;
	unsigned depth;
	bool has_members[SO_MAX_DEPTH]; /* a comma stands before the next one */
};

/* A text as it stands within a value: what is no UTF-8 becomes the replacement character. */
void so_text(struct strbuf *out, enum so_format, const char *text, size_t n);

void so_init(struct structout *, struct strbuf *out, enum so_format);

/* A container, member `name` of what is open; "" within a list of JSON, where members have none:
 * so_item() is that. */
void so_open(struct structout *, const char *name);
void so_close(struct structout *, const char *name);
/* A list, of which each member is opened by so_item() or written by the functions below. In XML and
 * HTML a list is only the sequence of its members, which have its name. */
void so_open_list(struct structout *, const char *name);
void so_close_list(struct structout *, const char *name);
void so_item(struct structout *, const char *list);

/* Values. In a list, name is the list's. */
void so_string(struct structout *, const char *name, const char *text, size_t n, bool in_list);
void so_number(struct structout *, const char *name, int64_t v, bool in_list);
void so_unsigned(struct structout *, const char *name, uint64_t v, bool in_list);

#endif
