#include "dlang/print/aggjson.h"

#include <stdlib.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/procfile.h"
#include "dlang/dlang.h"
#include "dlang/print/keytext.h"
#include "dlang/print/printagg.h"
#include "dlang/print/units.h"
#include "symbols/symbols.h"

void aggjson_begin_line(const struct aggjson *l, const char *type)
{
	strbuf_addf(l->pr.out, "{\"type\":\"%s\",\"run\":\"%s\"", type, l->run);
}

static void add_string(struct strbuf *out, const char *text)
{
	json_add_text(out, text, strlen(text));
}

static void add_text(const struct aggjson *l, const char *member, const char *text)
{
	strbuf_addf(l->pr.out, ",\"%s\":", member);
	add_string(l->pr.out, text);
}

static void add_member(const struct aggjson *l, const char *member, int64_t v)
{
	strbuf_addf(l->pr.out, ",\"%s\":", member);
	json_add_number(l->pr.out, v);
}

static void add_flag(const struct aggjson *l, const char *member, bool is_true)
{
	strbuf_addf(l->pr.out, ",\"%s\":%s", member, is_true ? "true" : "false");
}

/* ---- keys ---- */

static void add_base64(struct strbuf *out, const char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	strbuf_adds(out, "{\"b64\":\"");
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = 0;

		for (unsigned k = 0; k < 3; k++)
			v = v << 8 | (i + k < n ? (unsigned char)s[i + k] : 0);
		for (unsigned k = 0; k < 4; k++)
			strbuf_addc(out, (char)(i + k <= n ? digits[v >> (18 - 6 * k) & 63] : '='));
	}
	strbuf_adds(out, "\"}");
}

/* Bytes are what they are: where they are no text they are not made one. */
static void add_bytes(struct strbuf *out, const char *s, size_t n)
{
	if (!json_is_utf8(s, n)) {
		add_base64(out, s, n);
		return;
	}
	json_add_text(out, s, n);
}

static void add_frame(struct aggjson *l, const struct symname *name, uint64_t pc)
{
	strbuf_addc(l->pr.out, '[');
	add_string(l->pr.out, name->object ? name->object : "");
	strbuf_addc(l->pr.out, ',');
	add_string(l->pr.out, name->function ? name->function : "");
	strbuf_addc(l->pr.out, ',');
	json_add_unsigned(l->pr.out, name->function ? name->offset : pc);
	strbuf_addc(l->pr.out, ']');
}

/* Each build of a file once. */
static void tell_module(struct aggjson *l, uint32_t aspace, uint64_t pc, const char *name)
{
	struct strbuf key;
	unsigned n = 0;
	const unsigned char *id =
		l->pr.syms ? symres_buildid(l->pr.syms, aspace, pc, l->pr.time_ns, &n) : NULL;
	char hex[2 * 20 + 1] = "";

	for (unsigned i = 0; id && i < MIN(n, 20); i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	if (!*hex)
		return;
	strbuf_init(&key);
	strbuf_addf(&key, "%s %s", hex, name);
	if (!strmap_get(&l->modules, key.s)) {
		strbuf_addf(&l->told, "{\"type\":\"module\",\"run\":\"%s\",\"name\":", l->run);
		add_string(&l->told, name);
		strbuf_addf(&l->told, ",\"id\":\"%s\"}\n", hex);
		strmap_put(&l->modules, xstrdup(key.s), l);
	}
	strbuf_release(&key);
}

/* Innermost first. */
static void add_stack(struct aggjson *l, const struct rec *rec, const char *data)
{
	unsigned n = stack_depth(rec, data);
	uint64_t word = 0; /* in front of a user stack: its process, and its address space */

	if (rec->kind == REC_USTACK)
		memcpy(&word, data, sizeof(word));
	strbuf_adds(l->pr.out, "{\"s\":[");
	for (unsigned i = 0; i < n; i++) {
		struct symname name;

		stack_name(&l->pr, rec, data, i, &name);
		if (i)
			strbuf_addc(l->pr.out, ',');
		add_frame(l, &name, stack_pc(rec, data, i));
		if (rec->kind == REC_USTACK && name.object)
			tell_module(l, (uint32_t)(word >> 32), stack_pc(rec, data, i), name.object);
	}
	strbuf_addf(l->pr.out, "],\"p\":%u}", (uint32_t)word);
}

static void add_key(struct aggjson *l, const struct rec *rec, const char *data)
{
	struct strbuf text;
	bool is_signed;
	uint64_t v;

	if (rec_is_stack(rec)) {
		add_stack(l, rec, data);
	} else if (rec->kind == REC_INT) {
		v = rec_int(rec, data, &is_signed);
		if (is_signed || v <= INT64_MAX)
			json_add_number(l->pr.out, (int64_t)v);
		else
			json_add_unsigned(l->pr.out, v);
	} else if (rec->kind == REC_STRING) {
		add_bytes(l->pr.out, data, strnlen(data, rec->size));
	} else {
		strbuf_init(&text);
		keytext_add(&l->pr, &text, rec, data);
		json_add_text(l->pr.out, text.s, text.len);
		strbuf_release(&text);
	}
}

static const char *kind_of(const struct rec *rec)
{
	switch (rec->kind) {
	case REC_INT:
		return "int";
	case REC_STRING:
		return "string";
	case REC_STACK:
		return "stack";
	case REC_USTACK:
		return "ustack";
	case REC_BYTES:
		return "bytes";
	default:
		return "symbol";
	}
}

/* ---- rows ---- */

/* By lower bounds; "under" and "over" where there is none, or no upper one. */
static void add_buckets(struct aggjson *l, const struct aggvalue *v)
{
	const struct aggvar *var = v->var;
	int64_t under = 0, over = 0;
	bool is_first = true;

	strbuf_adds(l->pr.out, ",\"b\":{");
	for (unsigned i = 0; i < var->nwords; i++) {
		struct bucket_bounds b;

		if (!v->data[i])
			continue;
		bucket_bounds(var, i, &b);
		if (!*b.from || !*b.to) {
			*(*b.from ? &over : &under) += (int64_t)v->data[i];
			continue;
		}
		strbuf_addf(l->pr.out, is_first ? "\"%s\":" : ",\"%s\":", b.from);
		json_add_number(l->pr.out, (int64_t)v->data[i]);
		is_first = false;
	}
	strbuf_addc(l->pr.out, '}');
	add_member(l, "under", under);
	add_member(l, "over", over);
}

struct snapshot {
	struct aggjson *to;
	const struct aggjson_state *state;
	const struct aggcopy *copy;
	uint64_t nrows;
};

static void add_row(void *arg, const struct aggvalue *v, unsigned n UNUSED, const char *key)
{
	struct snapshot *snap = arg;
	struct aggjson *l = snap->to;
	const struct aggvar *var = v->var;
	const uint64_t *sum = aggcopy_sum(snap->copy, key);

	aggjson_begin_line(l, "row");
	add_text(l, "agg", keytext_aggname(var));
	add_member(l, "seq", (int64_t)snap->state->seq);
	strbuf_adds(l->pr.out, ",\"k\":[");
	for (unsigned i = 0; i < var->nkeys; i++) {
		if (i)
			strbuf_addc(l->pr.out, ',');
		add_key(l, &var->keys[i], key + var->keys[i].offset);
	}
	strbuf_addc(l->pr.out, ']');
	if (var->func->is_hist) {
		add_buckets(l, v);
		if (sum)
			add_member(l, "sum", (int64_t)*sum);
	} else if (var->func->id == AGG_AVG || var->func->id == AGG_STDDEV) {
		add_member(l, "n", (int64_t)v->data[0]);
		add_member(l, "raw", (int64_t)v->data[1]);
	} else {
		add_member(l, "raw", (int64_t)v->data[0]);
	}
	if (var->func->id == AGG_STDDEV)
		strbuf_addf(l->pr.out, ",\"sq\":\"%016llx%016llx\"", (unsigned long long)v->data[3],
			    (unsigned long long)v->data[2]);
	strbuf_adds(l->pr.out, "}\n");
	snap->nrows++;
}

/* ---- aggregations ---- */

/* What a reader needs to make the same key again. */
static void add_key_kind(struct aggjson *l, const struct rec *rec, const char *name)
{
	static const char zeros[8];
	bool is_signed;

	strbuf_adds(l->pr.out, "{\"name\":");
	add_string(l->pr.out, name);
	add_text(l, "kind", kind_of(rec));
	if (rec->kind == REC_INT) {
		rec_int(rec, zeros, &is_signed);
		add_member(l, "size", rec->size);
		add_flag(l, "signed", is_signed);
	}
	if (rec->kind == REC_BYTES)
		add_member(l, "size", rec->size);
	strbuf_addc(l->pr.out, '}');
}

/* Its rows are counted before: who reads knows whether all are there. */
void aggjson_add(struct aggjson *l, struct aggcopy *copy, const struct aggjson_state *state)
{
	const struct aggvar *var = copy->var;
	struct snapshot snap = {.to = l, .state = state, .copy = copy};
	struct strbuf *out = l->pr.out, rows;
	const char *names[AGG_MAX_KEYS];
	struct unit unit;
	unsigned nparams = var->func->id == AGG_LQUANTIZE    ? 3
			   : var->func->id == AGG_LLQUANTIZE ? 4
							     : 0;

	strbuf_init(&rows);
	l->pr.out = &rows;
	printer_each_row(&l->pr, &copy, 1, add_row, &snap);
	l->pr.out = out;
	strbuf_add(out, l->told.s, l->told.len);
	strbuf_clear(&l->told);
	aggjson_begin_line(l, "agg");
	add_text(l, "name", keytext_aggname(var));
	add_text(l, "func", var->func->name);
	strbuf_adds(out, ",\"params\":[");
	for (unsigned i = 0; i < nparams; i++) {
		if (i)
			strbuf_addc(out, ',');
		json_add_number(out, var->params[i]);
	}
	strbuf_adds(out, "],\"keys\":[");
	keytext_names(l->session, var, names);
	for (unsigned i = 0; i < var->nkeys; i++) {
		if (i)
			strbuf_addc(out, ',');
		add_key_kind(l, &var->keys[i], names[i]);
	}
	strbuf_addc(out, ']');
	add_text(l, "unit", unit_word(&l->session->options, var, &unit));
	add_member(l, "id", var->id);
	add_member(l, "normal", (int64_t)state->normal);
	add_member(l, "t", (int64_t)state->time_ns);
	add_member(l, "seq", (int64_t)state->seq);
	add_flag(l, "final", state->is_final);
	add_flag(l, "cleared", state->is_cleared);
	add_flag(l, "truncated", state->is_cut);
	add_member(l, "rows", (int64_t)snap.nrows);
	strbuf_adds(out, "}\n");
	strbuf_add(out, rows.s, rows.len);
	strbuf_release(&rows);
	l->nrows += snap.nrows;
}

/* ---- the run ---- */

static void add_arguments(const struct aggjson *l)
{
	char buf[8192];
	ssize_t n = slurp_start("/proc/self/cmdline", buf, sizeof(buf));

	strbuf_adds(l->pr.out, ",\"argv\":[");
	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(buf + i) + 1) {
		if (i)
			strbuf_addc(l->pr.out, ',');
		add_string(l->pr.out, buf + i);
	}
	strbuf_addc(l->pr.out, ']');
}

static void add_scripts(const struct aggjson *l)
{
	const struct source *last = NULL;
	struct strbuf text;

	strbuf_init(&text);
	for (const struct program *p = l->session->programs; p; p = p->next) {
		if (!p->src || p->src == last || !p->nclauses)
			continue;
		if (text.len)
			strbuf_addc(&text, '\n');
		strbuf_add(&text, p->src->text, p->src->length);
		last = p->src;
	}
	strbuf_adds(l->pr.out, ",\"script\":");
	json_add_text(l->pr.out, text.s, text.len);
	strbuf_release(&text);
}

/* $target, and what it is called, or its program's file where it is gone. */
static void add_target(const struct aggjson *l, pid_t pid)
{
	char comm[64] = "";

	if (procfile_start(pid, "comm", comm, sizeof(comm)) > 0)
		comm[strcspn(comm, "\n")] = '\0';
	add_member(l, "pid", pid);
	strbuf_addf(l->pr.out, ",\"targets\":[{\"pid\":%d", (int)pid);
	add_text(l, "execname", *comm ? comm : aspace_program(l->session->aspaces, pid));
	strbuf_adds(l->pr.out, "}]");
}

void aggjson_run(const struct aggjson *l, uint64_t began_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	uint64_t ago_ns = began_ns && began_ns < now_ns ? now_ns - began_ns : 0;
	char boot[64];
	struct utsname u;

	aggjson_begin_line(l, "run");
	add_member(l, "v", AGGJSON_VERSION);
	add_text(l, "version", DTRACE_VERSION);
	if (uname(&u) == 0) {
		add_text(l, "host", u.nodename);
		add_text(l, "kernel", u.release);
	}
	slurp_start("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	boot[strcspn(boot, "\n")] = '\0';
	add_text(l, "boot_id", boot);
	add_member(l, "mono_ns", (int64_t)(now_mono() - ago_ns));
	add_member(l, "wall_ns", (int64_t)(now_ns - ago_ns));
	add_arguments(l);
	add_scripts(l);
	if (l->session->target_pid)
		add_target(l, l->session->target_pid);
	strbuf_adds(l->pr.out, "}\n");
}

void aggjson_end(const struct aggjson *l, uint64_t nrecords)
{
	const struct session *s = l->session;

	aggjson_begin_line(l, "end");
	add_member(l, "exit", s->exit_called ? (int64_t)(s->exit_status & 0xff) : 0);
	add_member(l, "records", (int64_t)nrecords);
	add_member(l, "rows", (int64_t)l->nrows);
	add_member(l, "drops", (int64_t)session_drops(l->session));
	add_member(l, "mono_ns", (int64_t)now_mono());
	strbuf_adds(l->pr.out, "}\n");
}

void aggjson_init(struct aggjson *l, const struct session *s, const struct printer *pr,
		  struct strbuf *out)
{
	uint64_t number = 0;

	*l = (struct aggjson){.session = s, .pr = *pr};
	l->pr.out = out;
	strmap_init(&l->modules);
	strbuf_init(&l->told);
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = clock_ns(CLOCK_REALTIME);
	snprintf(l->run, sizeof(l->run), "%016llx", (unsigned long long)number);
}

void aggjson_release(struct aggjson *l)
{
	for (size_t i = 0; i < l->modules.nslots; i++)
		free((char *)(uintptr_t)l->modules.slots[i].key);
	strmap_release(&l->modules);
	strbuf_release(&l->told);
}
