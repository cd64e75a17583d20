/*
 * probeline.c: one line of -l: the engine and the front both write them.
 */
#include <ctype.h>

#include "base/strbuf.h"
#include "dlang/session.h"

/* What means itself in a description (lex.c), or is a part of a longer character. */
static bool is_spec_char(unsigned char c)
{
	return isalnum(c) || c >= 0x80 || (c && strchr("-_.!:`<>~", c));
}

/* As it can be written in a description. */
static void add_function(struct strbuf *out, const char *func)
{
	struct strbuf quoted;
	const char *p = func;

	while (is_spec_char((unsigned char)*p))
		p++;
	if (!*p) {
		strbuf_addr(out, func, 33);
		return;
	}
	strbuf_init(&quoted);
	strbuf_addc(&quoted, '"');
	for (p = func; *p; p++)
		strbuf_addf(&quoted, *p == '"' ? "\\%c" : "%c", *p);
	strbuf_addc(&quoted, '"');
	strbuf_addr(out, quoted.s, 33);
	strbuf_release(&quoted);
}

/* By hand, as there may be a hundred thousand of them. */
static void add_line(struct strbuf *out, const char *id, const char *prov, const char *mod,
		     const char *func, const char *name)
{
	strbuf_addr(out, id, 5);
	strbuf_addc(out, ' ');
	strbuf_addr(out, prov, 10);
	strbuf_addc(out, ' ');
	strbuf_addr(out, mod, 17);
	strbuf_addc(out, ' ');
	add_function(out, func);
	strbuf_addc(out, ' ');
	strbuf_adds(out, name);
	strbuf_addc(out, '\n');
}

void list_line(struct strbuf *out, const struct probe *p)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", p->id);
	add_line(out, id, p->prov, p->mod, p->func, p->name);
}

void list_header(struct strbuf *out)
{
	add_line(out, "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}
