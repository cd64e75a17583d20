#include "dlang/print/structured.h"

#include "dlang/print/consume_priv.h"
#include "dlang/print/incomplete.h"
#include "dlang/print/output.h"
#include "dlang/print/printagg.h"
#include "dlang/print/printf.h"
#include "dlang/print/printtype.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/buffer.h"
#include "symbols/symbols.h"

/* ---- the frame ---- */

static void open_root(struct consumer *c)
{
	if (c->so.format == SO_JSON)
		strbuf_addc(&c->text, '{');
	so_open(&c->so, "dtrace");
	so_open_list(&c->so, "probes");
}

static void begin(struct consumer *c)
{
	static const enum so_format formats[] = {
		[OFORMAT_JSON] = SO_JSON, [OFORMAT_XML] = SO_XML, [OFORMAT_HTML] = SO_HTML};

	if (c->is_header_done)
		return;
	c->is_header_done = true;
	so_init(&c->so, &c->text, formats[opt(&c->session->options, OPT_OFORMAT)]);
	open_root(c);
}

static void add_text(struct consumer *c, const char *name, const char *text)
{
	so_string(&c->so, name, text, strlen(text), false);
}

static void open_probe(struct consumer *c, uint64_t time_ns, int cpu, const struct probe *p,
		       const char *name)
{
	char time[24];

	begin(c);
	strbuf_addc(&c->text, '\n');
	so_item(&c->so, "probes");
	snprintf(time, sizeof(time), "%llu", (unsigned long long)time_ns);
	add_text(c, "timestamp", time);
	so_number(&c->so, "cpu", cpu, false);
	so_number(&c->so, "id", p->id, false);
	add_text(c, "provider", p->prov);
	add_text(c, "module", p->mod);
	add_text(c, "function", p->func);
	add_text(c, "name", name);
	so_open_list(&c->so, "output");
}

static void close_probe(struct consumer *c)
{
	so_close_list(&c->so, "output");
	so_close(&c->so, "probes");
}

/* ---- values ---- */

/* What a print function adds to the text, as a value of its own. */
static void add_printed(struct consumer *c, const char *name, struct strbuf *text, bool in_list)
{
	so_string(&c->so, name, text->s, text->len, in_list);
	strbuf_clear(text);
}

static void add_bytes(struct consumer *c, const char *name, const char *data, size_t n,
		      bool in_list)
{
	struct strbuf hex;

	strbuf_init(&hex);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&hex, "%02x", (unsigned char)data[i]);
	add_printed(c, name, &hex, in_list);
	strbuf_release(&hex);
}

static void add_frame(struct consumer *c, const char *list, uint64_t pc, const struct symname *sym)
{
	char text[32];

	so_item(&c->so, list);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)pc);
	add_text(c, "symbol", text);
	if (sym->object)
		add_text(c, "module", sym->object);
	if (sym->function) {
		add_text(c, "name", sym->function);
		so_unsigned(&c->so, "offset", sym->offset, false);
	}
	so_close(&c->so, list);
}

static void add_stack(struct consumer *c, const struct rec *rec, const char *data)
{
	bool is_user = rec->kind == REC_USTACK;
	const char *list = is_user ? "ustack-frames" : "stack-frames";
	uint32_t frames = (uint32_t)rec->arg;
	uint64_t words[2] = {0, 0};
	struct symname sym;

	if (is_user) {
		memcpy(&words[0], data, 8);
		data += 8;
	}
	so_open_list(&c->so, list);
	for (uint32_t i = 0; i < frames; i++) {
		memcpy(&words[1], data + 8 * (size_t)i, 8);
		if (!words[1])
			break;
		sym = (struct symname){0};
		if (is_user)
			printer_frame_name(&c->pr, (uint32_t)(words[0] >> 32), words[1], i == 0,
					   &sym);
		add_frame(c, list, words[1], &sym);
	}
	so_close_list(&c->so, list);
}

static void add_symbol(struct consumer *c, const char *name, const struct rec *rec,
		       const char *data, bool in_list)
{
	struct printer pr = c->pr;

	strbuf_clear(&c->scratch);
	pr.out = &c->scratch;
	printer_symbol(&pr, rec, data);
	add_printed(c, name, &c->scratch, in_list);
}

/* A stack as one text: a key is a value, not a list. */
static void add_stack_text(struct consumer *c, const char *name, const struct rec *rec,
			   const char *data, bool in_list)
{
	struct printer pr = c->pr;

	strbuf_clear(&c->scratch);
	pr.out = &c->scratch;
	printer_stack(&pr, rec, data, 0);
	add_printed(c, name, &c->scratch, in_list);
}

static void add_value(struct consumer *c, const char *name, const struct rec *rec, const char *data,
		      bool in_list)
{
	bool is_signed;
	uint64_t v;

	switch (rec->kind) {
	case REC_INT:
		v = rec_int(rec, data, &is_signed);
		if (is_signed)
			so_number(&c->so, name, (int64_t)v, in_list);
		else
			so_unsigned(&c->so, name, v, in_list);
		break;
	case REC_STRING:
		so_string(&c->so, name, data, strnlen(data, rec->size), in_list);
		break;
	case REC_BYTES:
		add_bytes(c, name, data, rec->size, in_list);
		break;
	case REC_STACK:
	case REC_USTACK:
		add_stack_text(c, name, rec, data, in_list);
		break;
	case REC_SYM:
	case REC_MOD:
	case REC_USYM:
	case REC_UMOD:
	case REC_UADDR:
		add_symbol(c, name, rec, data, in_list);
		break;
	case REC_POINTEE:
	case REC_NONE:
	case REC_NKINDS:
		break;
	}
}

/* ---- aggregations ---- */

static void add_bucket(void *arg, const char *label, bool is_number, int64_t value, int64_t count)
{
	struct consumer *c = arg;

	so_item(&c->so, "buckets");
	if (is_number)
		so_number(&c->so, "value", value, false);
	else
		add_text(c, "value", label);
	so_number(&c->so, "count", count, false);
	so_close(&c->so, "buckets");
}

static void add_aggvalue(struct consumer *c, const struct aggvalue *v)
{
	if (!v->var->func->is_hist) {
		so_number(&c->so, v->var->func->name, aggvalue_signed(v), false);
		return;
	}
	so_open_list(&c->so, "buckets");
	histogram_each(v, add_bucket, c);
	so_close_list(&c->so, "buckets");
}

/* -x aggpercpu */
static void add_cpus(struct consumer *c, const struct aggvalue *v)
{
	uint64_t start[AGGVALUE_START];

	if (!v->ncpus)
		return;
	so_open_list(&c->so, "cpus");
	for (unsigned cpu = 0; cpu < v->ncpus; cpu++) {
		const struct aggvalue part = aggvalue_of_cpu(v, cpu, start);

		so_item(&c->so, "cpus");
		so_number(&c->so, "cpu", cpu, false);
		add_aggvalue(c, &part);
		so_close(&c->so, "cpus");
	}
	so_close_list(&c->so, "cpus");
}

static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct consumer *c = arg;
	const struct aggvar *var = v->var;

	so_item(&c->so, "aggregation-data");
	so_open_list(&c->so, "keys");
	for (unsigned i = 0; i < var->nkeys; i++)
		add_value(c, "keys", &var->keys[i], key + var->keys[i].offset, true);
	so_close_list(&c->so, "keys");
	add_aggvalue(c, v);
	add_cpus(c, v);
	so_close(&c->so, "aggregation-data");
}

static void add_aggregation(struct consumer *c, struct aggcopy *copy)
{
	uint64_t missing = incomplete_count(c, copy);
	struct printer pr = c->pr;

	pr.time_ns = TIME_LATEST;
	so_item(&c->so, "output");
	so_open_list(&c->so, "aggregation-data");
	printer_each_row(&pr, &copy, 1, add_row, c);
	so_close_list(&c->so, "aggregation-data");
	add_text(c, "aggregation-name", copy->var->name);
	if (missing)
		so_unsigned(&c->so, "incomplete", missing, false);
	so_close(&c->so, "output");
}

/* ---- statements: one function for each way to be printed ---- */

int structured_printf(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		      const char *data)
{
	const struct pargs args = {.acts = st->acts, .n = st->nacts, .data = data};
	struct printer pr = c->pr;

	strbuf_clear(&c->scratch);
	pr.out = &c->scratch;
	pfmt_print(&pr, st->fmt, &args);
	so_item(&c->so, "output");
	add_printed(c, "message", &c->scratch, false);
	so_open_list(&c->so, "values");
	for (unsigned i = 0; i < st->nacts; i++)
		if (st->acts[i].kind == ACT_RECORD)
			add_value(c, "values", &st->acts[i].rec, data + st->acts[i].rec.offset,
				  true);
	so_close_list(&c->so, "values");
	so_close(&c->so, "output");
	return 0;
}

int structured_trace(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		     const char *data)
{
	const struct rec *rec = &st->acts[0].rec;
	struct rec bytes;

	if (st->kind == STMT_PRINTM) {
		bytes = printm_bytes(rec, data);
		rec = &bytes;
	}
	data += rec->offset;
	so_item(&c->so, "output");
	if (rec->kind == REC_STACK || rec->kind == REC_USTACK)
		add_stack(c, rec, data);
	else
		add_value(c, rec->kind >= REC_SYM && rec->kind <= REC_UADDR ? "sym" : "value", rec,
			  data, false);
	so_close(&c->so, "output");
	return 0;
}

/* print() is text for people. */
int structured_print(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		     const char *data)
{
	const struct rec *rec = &st->acts[0].rec;
	struct printer pr = c->pr;

	data += rec->offset;
	strbuf_clear(&c->scratch);
	pr.out = &c->scratch;
	printer_print(&pr, rec, data);
	so_item(&c->so, "output");
	add_printed(c, "value", &c->scratch, false);
	so_close(&c->so, "output");
	return 0;
}

int structured_printa(struct consumer *c, const struct rec_head *head UNUSED, const struct stmt *st,
		      const char *data UNUSED)
{
	for (unsigned i = 0; i < st->naggs; i++) {
		struct aggcopy *copy = aggstore_copy(&c->aggs, st->aggs[i]);

		consumer_begin_printa(c, copy);
		add_aggregation(c, copy);
	}
	return 0;
}

static int structured_record(struct consumer *c, const struct rec_head *head, const struct ecb *ecb,
			     const char *data)
{
	const struct clause *clause = ecb->clause;
	int rc = 0;

	open_probe(c, head->time_ns, head->cpu, ecb->probe, ecb->probe->name);
	for (unsigned i = 0; i < clause->nstmts && rc == 0; i++) {
		const struct stmt *st = &clause->stmts[i];
		const struct stmt_output *o = stmt_output(st);

		if (o)
			rc = (o->structured ? o->structured : o->text)(c, head, st, data);
	}
	close_probe(c);
	return rc;
}

static void structured_drop(struct consumer *c, const char *kind UNUSED, uint64_t n UNUSED,
			    const char *text)
{
	open_probe(c, session_now(c->session), session_cpu(c->session), c->session->error_probe,
		   "drop");
	so_item(&c->so, "output");
	add_text(c, "message", text);
	so_close(&c->so, "output");
	close_probe(c);
}

static void structured_close(struct consumer *c)
{
	begin(c);
	strbuf_addc(&c->text, '\n');
	so_close_list(&c->so, "probes");
	so_close(&c->so, "dtrace");
	strbuf_adds(&c->text, c->so.format == SO_JSON ? "}\n" : "\n");
}

/* What was read of other runs (--merge) has no probes. */
static void open_end(struct consumer *c)
{
	static const struct probe none = {.prov = "dtrace", .mod = "", .func = "", .name = "END"};
	const struct session *s = c->session;

	open_probe(c, session_now(s), session_cpu(s), s->end_probe ? s->end_probe : &none, "END");
}

static void structured_finish(struct consumer *c)
{
	bool any = false;

	for (uint32_t i = 0; i < c->aggs.ncopies; i++) {
		struct aggcopy *copy = consumer_left(c, i);

		if (!copy || copy->is_printed)
			continue;
		if (!any)
			open_end(c);
		any = true;
		add_aggregation(c, copy);
	}
	if (any)
		close_probe(c);
	structured_close(c);
}

/* As a run that prints nothing itself ends. */
void structured_report(struct session *s, const struct aggstore *aggs, const struct printer *pr,
		       struct strbuf *out)
{
	struct consumer c = {.session = s, .aggs = *aggs, .pr = *pr};

	c.is_header_done = true;
	strbuf_init(&c.text);
	strbuf_init(&c.scratch);
	so_init(&c.so, &c.text, SO_JSON);
	open_root(&c);
	structured_finish(&c);
	strbuf_add(out, c.text.s, c.text.len);
	strbuf_release(&c.text);
	strbuf_release(&c.scratch);
}

const struct output output_structured = {
	.record = structured_record,
	.drop = structured_drop,
	.finish = structured_finish,
	.give_up = structured_close,
};
