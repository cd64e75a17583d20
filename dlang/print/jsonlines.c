/*
 * jsonlines.c: -x oformat=jsonl: each record is a line of JSON, whole when it is written, and so is
 * each row of an aggregation (aggjson.h). A run that is killed leaves lines that can be read.
 *
 *   {"type":"probe", "run":R, "id", "provider", "module", "function", "name"}: before its first
 * record
 *   {"type":"record", "run":R, "t", "cpu", "pid", "tid", "execname", "probe":ID, "output":[as of
 * oformat=json]}
 *   {"type":"drop", "run":R, "kind", "count", "text"}
 */
#include "base/json/json.h"
#include "dlang/print/consume_priv.h"
#include "dlang/print/keytext.h"
#include "dlang/print/output.h"
#include "dlang/run/buffer.h"

static void begin(struct consumer *c)
{
	if (c->is_header_done)
		return;
	c->is_header_done = true;
	aggjson_init(&c->lines, c->session, &c->pr, &c->text);
	c->lines.pr.time_ns = TIME_LATEST;
	aggjson_run(&c->lines, 0);
}

static void add_text(struct consumer *c, const char *member, const char *text)
{
	strbuf_addf(&c->text, ",\"%s\":", member);
	json_add_text(&c->text, text, strlen(text));
}

static void tell_probe(struct consumer *c, const struct probe *p)
{
	if (hash_get(&c->told_probes, p->id))
		return;
	hash_put(&c->told_probes, p->id, (void *)(uintptr_t)p);
	aggjson_begin_line(&c->lines, "probe");
	strbuf_addf(&c->text, ",\"id\":%u", p->id);
	add_text(c, "provider", p->prov);
	add_text(c, "module", p->mod);
	add_text(c, "function", p->func);
	add_text(c, "name", p->name);
	strbuf_adds(&c->text, "}\n");
}

/* Its lines are behind that of the record. */
static void add_snapshot(struct consumer *c, struct aggcopy *copy, bool is_final, struct strbuf *to)
{
	const struct aggjson_state state = {
		.seq = ++copy->nsnaps,
		.time_ns = session_now(c->session),
		.normal = copy->normal,
		.is_final = is_final,
		.is_cleared = copy->is_cleared,
		.is_cut = copy->is_cut,
	};

	c->lines.pr.out = to;
	aggjson_add(&c->lines, copy, &state);
	c->lines.pr.out = &c->text;
}

static void show_aggregations(struct consumer *c, const struct stmt *st, struct strbuf *behind)
{
	for (unsigned i = 0; i < st->naggs; i++) {
		struct aggcopy *copy = aggstore_copy(&c->aggs, st->aggs[i]);
		const char *name = keytext_aggname(copy->var);

		consumer_begin_printa(c, copy);
		add_snapshot(c, copy, false, behind);
		so_item(&c->so, "output");
		so_string(&c->so, "aggregation", name, strlen(name), false);
		so_unsigned(&c->so, "seq", copy->nsnaps, false);
		so_close(&c->so, "output");
	}
}

static int jsonl_record(struct consumer *c, const struct rec_head *head, const struct ecb *ecb,
			const char *data)
{
	const struct clause *clause = ecb->clause;
	struct strbuf behind;
	int rc = 0;

	begin(c);
	tell_probe(c, ecb->probe);
	strbuf_init(&behind);
	aggjson_begin_line(&c->lines, "record");
	strbuf_addf(&c->text, ",\"t\":\"%llu\",\"cpu\":%d,\"pid\":%u,\"tid\":%u",
		    (unsigned long long)head->time_ns, head->cpu, head->pid, head->tid);
	if (clause->execname)
		add_text(c, "execname", data + clause->execname->offset);
	strbuf_addf(&c->text, ",\"probe\":%u,\"output\":[", ecb->probe->id);
	so_init(&c->so, &c->text, SO_JSON); /* within the list that is open */
	for (unsigned i = 0; i < clause->nstmts && rc == 0; i++) {
		const struct stmt *st = &clause->stmts[i];
		const struct stmt_output *o = stmt_output(st);

		if (st->kind == STMT_PRINTA)
			show_aggregations(c, st, &behind);
		else if (o)
			rc = (o->structured ? o->structured : o->text)(c, head, st, data);
	}
	strbuf_adds(&c->text, "]}\n");
	strbuf_add(&c->text, behind.s, behind.len);
	strbuf_release(&behind);
	return rc;
}

static void jsonl_drop(struct consumer *c, const char *kind, uint64_t n, const char *text)
{
	begin(c);
	aggjson_begin_line(&c->lines, "drop");
	add_text(c, "kind", kind);
	strbuf_adds(&c->text, ",\"count\":");
	json_add_unsigned(&c->text, n);
	add_text(c, "text", text);
	strbuf_adds(&c->text, "}\n");
}

/* Also what printa() has shown: the last state is the one that is merged. */
static void jsonl_finish(struct consumer *c)
{
	begin(c);
	for (uint32_t i = 0; i < c->aggs.ncopies; i++)
		if (c->aggs.copies[i])
			add_snapshot(c, c->aggs.copies[i], true, &c->text);
	aggjson_end(&c->lines, consumer_records(c));
}

/* It has no end, and so a reader knows that it was cut. */
static void jsonl_give_up(struct consumer *c UNUSED)
{
}

const struct output output_jsonl = {
	.record = jsonl_record,
	.drop = jsonl_drop,
	.finish = jsonl_finish,
	.give_up = jsonl_give_up,
};
