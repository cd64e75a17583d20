#include "command/report/lastrecords.h"

#include <ctype.h>
#include <stdlib.h>

#include "command/report/recordvalues.h"
#include "dlang/print/keytext.h"

struct last_records *last_records_new(uint64_t size_max)
{
	struct last_records *l = xcalloc(1, sizeof(*l));

	l->size_max = size_max;
	return l;
}

static void forget(struct last_records *l, struct last_record *r)
{
	if (!r->data)
		return;
	free(r->data);
	r->data = NULL;
	l->size -= r->head.size;
}

void last_records_free(struct last_records *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < LAST_RECORDS; i++)
		forget(l, &l->v[i]);
	free(l);
}

void last_records_add(struct last_records *l, const struct printer *pr, const struct rec_head *head,
		      const struct ecb *ecb, const char *data)
{
	struct last_record *r = &l->v[l->n++ % LAST_RECORDS];

	forget(l, r);
	for (uint64_t i = l->n; l->size + head->size > l->size_max && i < l->n + LAST_RECORDS; i++)
		forget(l, &l->v[i % LAST_RECORDS]);
	if (head->size > l->size_max)
		return;
	*r = (struct last_record){.head = *head, .ecb = ecb, .pid = pr->pid};
	r->data = xmalloc(head->size);
	memcpy(r->data, data, head->size - sizeof(*head));
	l->size += head->size;
}

void last_records_each(const struct last_records *l, last_record_fn *fn, void *arg)
{
	for (uint64_t i = l->n; i < l->n + LAST_RECORDS; i++)
		if (l->v[i % LAST_RECORDS].data)
			fn(arg, &l->v[i % LAST_RECORDS]);
}

/* ---- text ---- */

struct text {
	struct printer pr;
	struct strbuf *out;
};

static void add_blank(struct strbuf *out)
{
	if (out->len && !isspace((unsigned char)out->s[out->len - 1]))
		strbuf_addc(out, ' ');
}

static void add_printed(void *arg, const struct stmt *st, const char *data)
{
	struct text *t = arg;

	add_blank(t->out);
	record_add_printed(&t->pr, t->out, st, data);
}

/* Arguments of a printf() have been printed. */
static void add_value(void *arg, const struct stmt *st, const struct action *act, const char *data)
{
	struct text *t = arg;

	if (st->kind == STMT_PRINTF)
		return;
	add_blank(t->out);
	keytext_add(&t->pr, t->out, &act->rec, data + act->rec.offset);
}

void last_record_add_text(const struct printer *pr, struct strbuf *out, const struct last_record *r)
{
	static const struct record_reader reader = {add_printed, add_value};
	struct text t = {.pr = *pr, .out = out};

	t.pr.time_ns = r->head.time_ns;
	t.pr.pid = r->pid;
	record_read(r->ecb->clause, r->data, &reader, &t);
	while (out->len && isspace((unsigned char)out->s[out->len - 1]))
		strbuf_cut(out, out->len - 1);
}
