/*
 * textout.c: lines for people: a header, a line for each record with what it began with, and at the
 * end the aggregations that were never printed.
 */
#include "base/utf8.h"
#include "dlang/print/consume_priv.h"
#include "dlang/print/incomplete.h"
#include "dlang/print/output.h"
#include "dlang/print/printagg.h"
#include "dlang/run/buffer.h"

static void print_header(struct consumer *c)
{
	bool flow = opt_on(&c->session->options, OPT_FLOWINDENT);

	c->is_header_done = true;
	if (!flow && opt_on(&c->session->options, OPT_QUIET))
		return;
	if (!c->is_testing)
		strbuf_adds(&c->text, flow ? "CPU " : "CPU     ID ");
	if (flow)
		strbuf_addf(&c->text, "%-41s\n", "FUNCTION");
	else
		strbuf_addf(&c->text, "%32s\n", "FUNCTION:NAME");
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

/* Is it an "entry" or a "do-entry"? */
static bool is_named(const struct probe *p, const char *word, const char *suffix)
{
	return !strcmp(p->name, word) || ends_with(p->name, suffix);
}

static struct flow *flow_of(struct consumer *c, const struct rec_head *head)
{
	struct flow *f = hash_get(&c->flows, head->tid);

	if (!f) {
		f = xcalloc(1, sizeof(*f));
		hash_put(&c->flows, head->tid, f);
	}
	return f;
}

static void print_flow_prefix(struct consumer *c, const struct rec_head *head,
			      const struct probe *p)
{
	struct flow *f = flow_of(c, head);
	bool syscall = !strcmp(p->prov, "syscall");
	bool again = f->epid && f->probe == p && f->epid != head->epid;
	bool entry = is_named(p, "entry", "-entry") && !again;
	size_t start, columns;

	if (!c->is_testing)
		strbuf_addf(&c->text, "%3d ", head->cpu);
	start = c->text.len;
	if (is_named(p, "return", "-return")) {
		f->indent -= MIN(f->indent, 2);
		printer_blanks(&c->pr, f->indent);
		strbuf_adds(&c->text, syscall ? " <= " : " <- ");
		strbuf_adds(&c->text, p->func);
	} else if (entry) {
		printer_blanks(&c->pr, f->indent);
		strbuf_adds(&c->text, syscall ? " => " : " -> ");
		strbuf_adds(&c->text, p->func);
		f->indent += 2;
	} else {
		printer_blanks(&c->pr, f->indent);
		strbuf_addf(&c->text, "| %s:%s", p->func, p->name);
	}
	columns = utf8_columns(c->text.s + start, c->text.len - start);
	if (columns < 41)
		printer_blanks(&c->pr, 41 - columns);
	strbuf_addc(&c->text, ' ');
	f->epid = head->epid;
	f->probe = p;
}

static void print_prefix(struct consumer *c, const struct rec_head *head, const struct probe *p)
{
	size_t nfunc = strlen(p->func), nname = strlen(p->name);
	size_t n = utf8_columns(p->func, nfunc) + 1 + utf8_columns(p->name, nname);

	if (!c->is_testing)
		strbuf_addf(&c->text, "%3d %6u ", head->cpu, p->id);
	if (n < 32)
		printer_blanks(&c->pr, 32 - n);
	strbuf_add(&c->text, p->func, nfunc);
	strbuf_addc(&c->text, ':');
	strbuf_add(&c->text, p->name, nname);
	strbuf_addc(&c->text, ' ');
}

static int text_record(struct consumer *c, const struct rec_head *head, const struct ecb *ecb,
		       const char *data)
{
	const struct options *o = &c->session->options;
	const struct clause *clause = ecb->clause;
	int rc = 0;

	if (!c->is_header_done)
		print_header(c);
	if (opt_on(o, OPT_FLOWINDENT))
		print_flow_prefix(c, head, ecb->probe);
	else if (!opt_on(o, OPT_QUIET))
		print_prefix(c, head, ecb->probe);
	for (unsigned i = 0; i < clause->nstmts && rc == 0; i++) {
		const struct stmt *st = &clause->stmts[i];
		const struct stmt_output *how = stmt_output(st);

		if (how)
			rc = how->text(c, head, st, data);
	}
	if (!opt_on(o, OPT_QUIET)) /* as it is now: setopt() may have changed it */
		strbuf_addc(&c->text, '\n');
	incomplete_tell(c);
	return rc;
}

static void text_finish(struct consumer *c)
{
	strbuf_addc(&c->text, '\n');
	c->pr.time_ns = TIME_LATEST;
	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = consumer_left(c, i);

		if (!copy || copy->is_printed)
			continue;
		printer_rows(&c->pr, &copy, 1, NULL);
		incomplete_mark(c, copy);
		incomplete_tell(c);
	}
}

/* The lines of records are one with what is on stderr. */
static void text_drop(struct consumer *c UNUSED, const char *kind UNUSED, uint64_t n UNUSED,
		      const char *text UNUSED)
{
}

static void text_give_up(struct consumer *c)
{
	strbuf_addc(&c->text, '\n');
}

const struct output output_text = {
	.record = text_record,
	.drop = text_drop,
	.finish = text_finish,
	.give_up = text_give_up,
	.is_for_terminals = true,
};
