/*
 * bufdump.c: -B: output is not printed; each piece of it is shown with what belongs to it
 * (docs/spec/dtrace-command.md §2.6).
 */
#include "dlang/print/output.h"

#include <stdlib.h>

#include "dlang/print/consume_priv.h"
#include "dlang/print/printagg.h"
#include "dlang/print/printf.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/buffer.h"

/* Where a piece is from, as the manual names it. */
enum {
	PIECE_AGGKEY = 1 << 0,
	PIECE_AGGVAL = 1 << 1,
	PIECE_AGGFORMAT = 1 << 2,
	PIECE_AGGLAST = 1 << 3,
};

struct piece {
	struct strbuf text;
	unsigned flags;
	const struct probe *probe; /* NULL: of an aggregation at the end */
	const struct rec *rec;	   /* NULL: none */
	unsigned action;	   /* the number of the record's action */
	const struct aggvar *var;  /* NULL: not of an aggregation */
	const char *data;	   /* of the aggregation's record */
};

static void field(struct consumer *c, const char *name, const char *value)
{
	strbuf_addf(&c->text, "%s: %20s => %s\n", c->session->progname, name, value);
}

static void number(struct consumer *c, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	field(c, name, text);
}

static void quoted(struct consumer *c, const char *name, const char *value, size_t n)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addc(&text, '"');
	for (size_t i = 0; i < n; i++)
		if (value[i] == '\n')
			strbuf_adds(&text, "\\n");
		else
			strbuf_addc(&text, value[i]);
	strbuf_addc(&text, '"');
	field(c, name, text.s);
	strbuf_release(&text);
}

static void title(struct consumer *c, const char *text)
{
	strbuf_addf(&c->text, "%s: %s\n", c->session->progname, text);
}

static void show_flags(struct consumer *c, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {{PIECE_AGGVAL, "AGGVAL"},
		     {PIECE_AGGKEY, "AGGKEY"},
		     {PIECE_AGGFORMAT, "AGGFORMAT"},
		     {PIECE_AGGLAST, "AGGLAST"}};
	struct strbuf text;
	bool any = false;

	strbuf_init(&text);
	strbuf_addf(&text, "0x%x ", flags);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag) {
			strbuf_addf(&text, "%s%s", any ? " | " : "(", names[i].name);
			any = true;
		}
	if (any)
		strbuf_addc(&text, ')');
	field(c, "dtbda_flags", text.s);
	strbuf_release(&text);
}

static void show_rec(struct consumer *c, const struct piece *p)
{
	struct strbuf text;

	title(c, "  dtrace_recdesc:");
	number(c, "dtrd_action", p->action);
	number(c, "dtrd_size", p->rec->size);
	strbuf_init(&text);
	strbuf_addf(&text, "%u", p->rec->offset);
	if (p->data) {
		strbuf_adds(&text, " (data: ");
		for (unsigned i = 0; i < MIN(p->rec->size, 8); i++)
			strbuf_addf(&text, "%s%02x", i ? " " : "",
				    (unsigned char)p->data[p->rec->offset + i]);
		strbuf_adds(&text, p->rec->size > 8 ? " ...)" : ")");
	}
	field(c, "dtrd_offset", text.s);
	strbuf_release(&text);
	title(c, "");
}

/* The piece's text is taken. */
static void show(struct consumer *c, struct piece *p)
{
	static const char *const is_there[] = {"<NULL>", "<non-NULL>"};

	if (!p->text.len)
		return;
	title(c, ">>> Called buffer handler:");
	title(c, "");
	title(c, "  dtrace_bufdata:");
	quoted(c, "dtbda_buffered", p->text.s, p->text.len);
	field(c, "dtbda_probe", is_there[p->probe != NULL]);
	field(c, "dtbda_aggdata", is_there[p->var != NULL]);
	field(c, "dtbda_recdesc", is_there[p->rec != NULL]);
	show_flags(c, p->flags);
	title(c, "");
	if (p->probe) {
		title(c, "  dtrace_probedesc:");
		quoted(c, "dtpd_provider", p->probe->prov, strlen(p->probe->prov));
		quoted(c, "dtpd_mod", p->probe->mod, strlen(p->probe->mod));
		quoted(c, "dtpd_func", p->probe->func, strlen(p->probe->func));
		quoted(c, "dtpd_name", p->probe->name, strlen(p->probe->name));
		title(c, "");
	}
	if (p->rec)
		show_rec(c, p);
	if (p->var) {
		title(c, "  dtrace_aggdesc:");
		quoted(c, "dtagd_name", p->var->name, strlen(p->var->name));
		number(c, "dtagd_varid", p->var->id);
		number(c, "dtagd_id", p->var->id);
		number(c, "dtagd_nrecs", p->var->nkeys + 1);
		title(c, "");
	}
	strbuf_clear(&p->text);
}

/* ---- aggregations ---- */

struct rows {
	struct consumer *c;
	const struct probe *probe;
	const struct pfmt *fmt; /* NULL: the default form */
};

/* What is printed goes to the piece. */
static struct printer printer_to(const struct consumer *c, struct piece *p)
{
	struct printer pr = c->pr;

	pr.out = &p->text;
	pr.time_ns = TIME_LATEST;
	return pr;
}

static void show_value(const struct rows *r, const struct aggvalue *v, bool is_last)
{
	struct piece p = {.flags = PIECE_AGGVAL, .probe = r->probe, .var = v->var};
	const struct rec words = {.size = v->var->nwords * (uint32_t)sizeof(uint64_t)};
	struct printer pr;

	strbuf_init(&p.text);
	pr = printer_to(r->c, &p);
	if (v->var->func->is_hist)
		printer_histogram(&pr, v);
	else
		strbuf_addf(&p.text, " %16lld", (long long)aggvalue_signed(v));
	if (is_last) {
		strbuf_addc(&p.text, '\n');
		p.flags |= PIECE_AGGLAST;
	}
	p.rec = &words;
	p.data = (const char *)v->data;
	show(r->c, &p);
	strbuf_release(&p.text);
}

static void show_row(void *arg, const struct aggvalue *v, unsigned n, const char *key)
{
	const struct rows *r = arg;
	const struct aggvar *var = v->var;
	struct piece p = {.flags = PIECE_AGGKEY, .probe = r->probe, .var = var, .data = key};
	const struct pargs args = {
		.recs = var->keys, .n = var->nkeys, .data = key, .aggs = v, .naggs = n};
	struct printer pr;

	strbuf_init(&p.text);
	pr = printer_to(r->c, &p);
	if (r->fmt) {
		p.flags = PIECE_AGGFORMAT | PIECE_AGGLAST;
		pfmt_print(&pr, r->fmt, &args);
		show(r->c, &p);
	}
	for (unsigned i = 0; i < var->nkeys && !r->fmt; i++) {
		p.rec = &var->keys[i];
		printer_key(&pr, p.rec, key + p.rec->offset);
		show(r->c, &p);
	}
	strbuf_release(&p.text);
	for (unsigned i = 0; i < n && !r->fmt; i++)
		show_value(r, &v[i], i + 1 == n);
}

static void show_rows(struct consumer *c, const struct probe *probe, struct aggcopy *const *copies,
		      unsigned n, const struct pfmt *fmt)
{
	struct rows r = {c, probe, fmt};
	struct printer pr = c->pr;

	pr.time_ns = TIME_LATEST;
	printer_each_row(&pr, copies, n, show_row, &r);
}

static void show_printa(struct consumer *c, const struct rec_head *head UNUSED,
			const struct ecb *ecb, const struct stmt *st)
{
	struct aggcopy **copies = xcalloc(st->naggs, sizeof(struct aggcopy *));

	for (unsigned i = 0; i < st->naggs; i++) {
		copies[i] = aggstore_copy(&c->aggs, st->aggs[i]);
		consumer_begin_printa(c, copies[i]);
	}
	show_rows(c, ecb->probe, copies, st->naggs, st->fmt);
	free(copies);
}

/* ---- records ---- */

static int bufdump_record(struct consumer *c, const struct rec_head *head, const struct ecb *ecb,
			  const char *data)
{
	const struct clause *clause = ecb->clause;
	struct piece p = {.probe = ecb->probe};
	int rc = 0;

	strbuf_init(&p.text);
	for (unsigned i = 0; i < clause->nstmts && rc == 0; i++) {
		const struct stmt *st = &clause->stmts[i];
		const struct stmt_output *o = stmt_output(st);
		size_t start = c->text.len;

		if (!o)
			continue;
		if (st->kind == STMT_PRINTA) {
			show_printa(c, head, ecb, st);
			continue;
		}
		rc = o->text(c, head, st, data);
		start = MIN(start, c->text.len); /* it may have been written meanwhile */
		strbuf_add(&p.text, c->text.s + start, c->text.len - start);
		strbuf_cut(&c->text, start);
		p.rec = st->nacts ? &st->acts[0].rec : NULL;
		p.action = o->dump;
		show(c, &p);
	}
	strbuf_release(&p.text);
	return rc;
}

static void bufdump_finish(struct consumer *c)
{
	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = c->aggs.copies[i];

		if (copy && !copy->is_printed)
			show_rows(c, NULL, &copy, 1, NULL);
	}
}

static void bufdump_drop(struct consumer *c UNUSED, const char *kind UNUSED, uint64_t n UNUSED,
			 const char *text UNUSED)
{
}

static void bufdump_give_up(struct consumer *c UNUSED)
{
}

const struct output output_bufdump = {
	.record = bufdump_record,
	.drop = bufdump_drop,
	.finish = bufdump_finish,
	.give_up = bufdump_give_up,
};
