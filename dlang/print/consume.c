#include "dlang/print/consume.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/utf8.h"
#include "dlang/print/consume_priv.h"
#include "dlang/print/drops.h"
#include "dlang/print/incomplete.h"
#include "dlang/print/livedraw.h"
#include "dlang/print/output.h"
#include "dlang/print/printagg.h"
#include "dlang/run/aggtable.h"
#include "dlang/run/buffer.h"
#include "dlang/run/vm.h"
#include "symbols/kallsyms.h"

#define WRITE_AT (64 << 10) /* bytes of text that are written at once */

struct consumer *consumer_new(struct session *s, FILE *out, const char *out_name,
			      struct aggtable *(*snap)(void *arg), void *arg)
{
	struct consumer *c = xcalloc(1, sizeof(*c));

	c->session = s;
	c->out = c->first_out = out;
	c->out_name = xstrdup(out_name);
	c->first_name = out_name;
	strbuf_init(&c->text);
	strbuf_init(&c->scratch);
	aggstore_init(&c->aggs);
	c->aggs.keeps_sums = true;
	aggstore_init(&c->account);
	c->account.keeps_sums = true;
	aggstore_init(&c->interval);
	hash_init(&c->flows);
	hash_init(&c->modules);
	hash_init(&c->told_probes);
	arena_init(&c->arena);
	c->pr = (struct printer){.out = &c->text, .options = &s->options};
	c->pr.aspaces = s->aspaces;
	c->pr.ksyms = kallsyms_new(NULL);
	if (s->aspaces)
		c->pr.syms = symres_new(s->aspaces);
	c->snap = snap;
	c->snap_arg = arg;
	c->message = s->messages;
	c->next_seq = 1;
	c->is_testing = session_is_testing();
	return c;
}

static void free_flows(struct consumer *c)
{
	struct flow *f;
	uint64_t tid;

	for (size_t i = 0; (f = hash_each(&c->flows, &i, &tid));)
		free(f);
	hash_release(&c->flows);
}

void consumer_dump(struct consumer *c)
{
	c->is_dumping = true;
}

void consumer_free(struct consumer *c)
{
	free_flows(c);
	aggjson_release(&c->lines);
	hash_release(&c->modules);
	hash_release(&c->told_probes);
	if (c->out != c->first_out)
		fclose(c->out);
	symres_free(c->pr.syms);
	kallsyms_free(c->pr.ksyms);
	aggstore_release(&c->aggs);
	aggstore_release(&c->account);
	aggstore_release(&c->interval);
	arena_release(&c->arena);
	strbuf_release(&c->text);
	strbuf_release(&c->scratch);
	free(c->out_name);
	free(c);
}

void consumer_strict(struct consumer *c)
{
	c->is_strict = true;
}

/* The output is closed: nothing can come of going on. A full device and the like may recover. */
static bool is_gone(const struct consumer *c, int rc)
{
	return rc == -EPIPE || rc == -EBADF || (rc && c->is_strict);
}

static int write_text(struct consumer *c, struct err *err)
{
	size_t n = c->text.len;
	int rc = 0;

	if (fwrite(c->text.s, 1, n, c->out) != n || fflush(c->out))
		rc = err_set(err, -errno, "failed to write to %s: %s", c->out_name,
			     strerror(errno));
	if (rc) {
		__fpurge(c->out);
		clearerr(c->out);
	}
	strbuf_clear(&c->text);
	return rc;
}

/* What stood in the way of names, unless the engine has come upon it, too. */
static void tell_troubles(const struct consumer *c)
{
	const char *text;

	while (c->pr.syms && (text = symres_trouble(c->pr.syms))) {
		const struct message *m = c->session->messages;

		while (m && !(m->text && strstr(m->text, text)))
			m = atomic_load_explicit(&m->next, memory_order_acquire);
		if (!m)
			fprintf(stderr, "%s: %s\n", c->session->progname, text);
	}
}

bool consumer_lost_output(const struct consumer *c)
{
	return c->has_told;
}

int consumer_flush(struct consumer *c, struct err *err)
{
	struct err why;
	int rc = write_text(c, &why);

	tell_troubles(c);

	if (!rc || is_gone(c, rc)) {
		if (rc && err)
			*err = why;
		return rc;
	}
	if (!c->has_told)
		fprintf(stderr, "%s: %s\n", c->session->progname, why.text);
	c->has_told = true;
	return 0;
}

/* ---- stderr ---- */

/* Before a line on stderr: what was printed earlier stands before it where both go to one place. */
static void flush_before_stderr(struct consumer *c)
{
	if (c->text.len)
		consumer_flush(c, NULL);
}

static void begin_error(struct consumer *c, const struct ecb *ecb)
{
	const struct probe *p = ecb->probe;

	flush_before_stderr(c);
	fprintf(stderr,
		"%s: error on enabled probe ID %u (ID %u: %s:%s:%s:%s): ", c->session->progname,
		ecb->epid, p->id, p->prov, p->mod, p->func, p->name);
}

void consumer_complain(struct consumer *c, const struct rec_head *head, const char *fmt, ...)
{
	va_list ap;

	begin_error(c, session_ecb(c->session, head->epid));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static const char *fault_text(uint64_t fault)
{
	static const char *const texts[] = {
		[FAULT_NONE] = "unknown fault",
		[FAULT_BADADDR] = "invalid address",
		[FAULT_BADALIGN] = "invalid alignment",
		[FAULT_ILLOP] = "illegal operation",
		[FAULT_DIVZERO] = "divide-by-zero",
		[FAULT_NOSCRATCH] = "out of scratch space",
		[FAULT_KPRIV] = "invalid kernel access",
		[FAULT_UPRIV] = "invalid user access",
		[FAULT_TUPOFLOW] = "tuple stack overflow",
		[FAULT_BADSTACK] = "bad stack",
		[FAULT_BADSIZE] = "invalid size",
		[FAULT_BADINDEX] = "index out of bounds",
	};

	if (fault >= FAULT_LIBRARY)
		return "library-level fault";
	return texts[fault < ARRAY_SIZE(texts) ? fault : FAULT_NONE];
}

static void print_fault_value(const struct fault_rec *f)
{
	switch (f->fault) {
	case FAULT_BADADDR:
		if (f->value == UINT64_MAX)
			return;
		break;
	case FAULT_BADALIGN:
	case FAULT_BADSTACK:
	case FAULT_BADSIZE:
		break;
	case FAULT_BADINDEX:
		fprintf(stderr, " (%lld)", (long long)f->value);
		return;
	default:
		return;
	}
	fprintf(stderr, " (0x%llx)", (unsigned long long)f->value);
}

/* The record of the hidden ERROR clause. */
static void report_fault(struct consumer *c, const char *data)
{
	struct fault_rec f;
	const struct ecb *ecb;

	memcpy(&f, data, sizeof(f));
	ecb = session_ecb(c->session, (uint32_t)f.epid);
	assert(ecb);
	begin_error(c, ecb);
	fputs(fault_text(f.fault), stderr);
	print_fault_value(&f);
	if (f.action)
		fprintf(stderr, " in action #%u", (unsigned)f.action);
	else
		fputs(" in predicate", stderr);
	if (f.off >= 0)
		fprintf(stderr, " at DIF offset %lld", (long long)f.off);
	if (f.is_gone)
		fputs(": the thread had ended, or executed another program, before this was read",
		      stderr);
	fputc('\n', stderr);
}

/* ---- messages of the engine ---- */

static int print_to_output(struct consumer *c, const struct message *m, struct err *err)
{
	int rc = 0;

	if (m->text)
		strbuf_adds(&c->text, m->text);
	for (unsigned i = 0; i < m->nprobes && !rc; i++) {
		list_line(&c->text, m->probes[i]);
		if (c->text.len >= WRITE_AT)
			rc = consumer_flush(c, err);
	}
	return rc;
}

/* Texts that came with a message (a path, an argument) may hold anything. */
static void print_clean(const char *text)
{
	char *clean = text_cleaned(text);

	fputs(clean, stderr);
	free(clean);
}

static int print_messages(struct consumer *c, struct err *err)
{
	const struct message *m;
	int rc = 0;

	while (!rc && (m = atomic_load_explicit(&c->message->next, memory_order_acquire))) {
		c->message = m;
		if (m->is_notice && opt_on(&c->session->options, OPT_QUIET))
			continue;
		if (m->fd == MSG_OUT) {
			rc = print_to_output(c, m, err);
			continue;
		}
		flush_before_stderr(c);
		if (m->fd == MSG_ERR)
			fprintf(stderr, "%s: ", c->session->progname);
		print_clean(m->text);
	}
	atomic_store(&c->session->messages_shown, c->message);
	return rc;
}

/* ---- records ---- */

static const struct output *output_of(const struct consumer *c)
{
	if (c->is_dumping)
		return &output_bufdump;
	if (!opt_on(&c->session->options, OPT_OFORMAT))
		return &output_text;
	return opt(&c->session->options, OPT_OFORMAT) == OFORMAT_JSONL ? &output_jsonl
								       : &output_structured;
}

static struct firing_id firing_of(const struct consumer *c, const struct rec_head *head)
{
	return (struct firing_id){session_ecb(c->session, head->epid)->probe, head->time_ns};
}

static bool same_firing(struct firing_id a, struct firing_id b)
{
	return a.probe == b.probe && a.time_ns == b.time_ns;
}

static int consume_record(struct consumer *c, const struct rec_head *head)
{
	const struct ecb *ecb = session_ecb(c->session, head->epid);
	const char *data = (const char *)(head + 1);

	assert(ecb);
	c->last = firing_of(c, head);
	if (ecb->clause->is_error) {
		report_fault(c, data);
		return 0;
	}
	c->pr.time_ns = head->time_ns;
	c->pr.pid = c->session->target_pid ? c->session->target_pid : (pid_t)head->pid;
	if (c->watch)
		c->watch(c->watch_arg, &c->pr, head, ecb, data);
	return output_of(c)->record(c, head, ecb, data);
}

static const struct rec_head *peek_at(struct consumer *c, unsigned i)
{
	const struct rec_head *head = buffer_peek(c->buffers[i]);

	if (!head || head->seq != c->next_seq)
		return NULL;
	c->current = i;
	return head;
}

/* Takes in the buffers of CPUs that were not seen before. */
static void find_buffers(struct consumer *c)
{
	c->nbuffers = 0;
	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++) {
		struct buffer *b =
			atomic_load_explicit(&c->session->buffers[i], memory_order_acquire);

		if (b)
			c->buffers[c->nbuffers++] = b;
	}
}

/* The oldest record of all buffers at rest. Those that a ring has lost leave gaps in the order. */
static const struct rec_head *oldest_record(struct consumer *c)
{
	const struct rec_head *head, *oldest = NULL;

	find_buffers(c);
	for (unsigned i = 0; i < c->nbuffers; i++) {
		head = buffer_peek(c->buffers[i]);
		if (!head || (oldest && head->seq > oldest->seq))
			continue;
		oldest = head;
		c->current = i;
	}
	return oldest;
}

static bool is_of(const struct consumer *c, const struct rec_head *head, const struct probe *p)
{
	return session_ecb(c->session, head->epid)->probe == p;
}

/* -x temporal=no: CPU after CPU, but what BEGIN recorded comes first and what END did last. */
static const struct rec_head *next_by_cpu(struct consumer *c)
{
	const struct session *s = c->session;
	const struct rec_head *oldest = oldest_record(c), *head;

	if (!oldest || is_of(c, oldest, s->begin_probe))
		return oldest;
	for (unsigned i = 0; i < c->nbuffers; i++) {
		head = buffer_peek(c->buffers[i]);
		if (!head || is_of(c, head, s->end_probe))
			continue;
		c->current = i;
		return head;
	}
	return oldest;
}

/* The next record in order of firing; NULL: it is not there yet. */
static const struct rec_head *next_record(struct consumer *c)
{
	const struct session *s = c->session;
	const struct rec_head *head = NULL;
	bool in_order = opt_on(&s->options, OPT_TEMPORAL);

	if (opt(&s->options, OPT_BUFPOLICY) != BUFPOLICY_SWITCH && s->state != SESSION_DONE)
		return NULL; /* nothing before the end */
	if (!in_order)
		return next_by_cpu(c);
	if (opt(&s->options, OPT_BUFPOLICY) != BUFPOLICY_SWITCH)
		return oldest_record(c);
	if (c->current < c->nbuffers)
		head = peek_at(c, c->current);
	for (unsigned i = 0; !head && i < c->nbuffers; i++)
		head = peek_at(c, i);
	if (head)
		return head;
	find_buffers(c);
	for (unsigned i = 0; !head && i < c->nbuffers; i++)
		head = peek_at(c, i);
	return head;
}

static int consume_next(struct consumer *c, const struct rec_head *head)
{
	int rc = consume_record(c, head);

	buffer_release(c->buffers[c->current]);
	atomic_store_explicit(&c->session->nconsumed, c->next_seq++, memory_order_release);
	return rc;
}

int consumer_messages(struct consumer *c, struct err *err)
{
	int rc = print_messages(c, err);

	return rc ? rc : consumer_flush(c, err);
}

/* -x aggpercpu: before there is a copy of an aggregation. */
static void tell_cpus(struct consumer *c)
{
	if (opt_on(&c->session->options, OPT_AGGPERCPU) && !c->aggs.ncpus)
		c->aggs.ncpus = (unsigned)MIN(sysconf(_SC_NPROCESSORS_CONF), SESSION_MAX_CPUS);
}

/* Of a cycle: as many as there may be while others come. */
#define MAX_RECORDS (1U << 20)

int consumer_work(struct consumer *c, struct err *err)
{
	/* what fires from now on is for the next cycle: hits that never stop must not hold us here
	 */
	uint64_t until_ns = session_now(c->session);
	unsigned left = MAX_RECORDS;
	const struct rec_head *head;
	int rc = print_messages(c, err);

	tell_cpus(c);
	if (atomic_load(&c->session->recorded_ns))
		kallsyms_use(c->pr.ksyms, atomic_load(&c->session->kernel_names),
			     atomic_load(&c->session->kernel_slide));
	if (rc == 0 && c->failed)
		rc = err_set(err, c->failed, "processing aborted: %s", strerror(-c->failed));
	if (atomic_load(&c->session->recorded_ns)) /* its clock stands between events */
		until_ns = UINT64_MAX;
	while (rc == 0 && left-- && (head = next_record(c)) && head->time_ns <= until_ns) {
		rc = consume_next(c, head);
		if (rc)
			err_set(err, rc, "processing aborted: %s", strerror(-rc));
		else if (c->text.len >= WRITE_AT)
			rc = write_text(c, err);
	}
	return rc ? rc : consumer_flush(c, err);
}

/* ---- aggregations ---- */

/* Samples in one function, or one module, are one row. */
static void same_symbols(void *arg, const struct aggvar *var, char *key)
{
	struct consumer *c = arg;

	for (unsigned i = 0; i < var->nkeys; i++)
		printer_same_symbol(&c->pr, &c->modules, &var->keys[i], key + var->keys[i].offset);
}

static void merge_unread(struct consumer *c)
{
	struct aggtable *table = c->unread;
	const struct options *o = &c->session->options;

	c->unread = NULL;
	if (c->pr.syms)
		symres_renew(c->pr.syms);
	c->nsnaps++;
	tell_cpus(c);
	aggstore_merge(&c->aggs, table, c->session->aggvars, same_symbols, c);
	if (o->text[OPT_REPORT] || o->text[OPT_METRICS] || o->text[OPT_OTLP])
		aggstore_merge(&c->account, table, c->session->aggvars, same_symbols, c);
	if (c->keeps_interval)
		aggstore_merge(&c->interval, table, c->session->aggvars, same_symbols, c);
	aggtable_clear(table);
}

void consumer_watch(struct consumer *c, record_fn *fn, void *arg)
{
	c->watch = fn;
	c->watch_arg = arg;
}

void consumer_keep_interval(struct consumer *c)
{
	c->keeps_interval = true;
}

void consumer_take_interval(struct consumer *c, struct aggstore *out)
{
	*out = c->interval;
	aggstore_init(&c->interval);
}

struct aggstore *consumer_account(struct consumer *c, struct printer *pr)
{
	*pr = c->pr;
	pr->time_ns = TIME_LATEST;
	return &c->account;
}

const struct aggstore *consumer_lines(const struct consumer *c)
{
	return &c->aggs;
}

/* Takes one, unless one is at hand. */
static bool take_snapshot(struct consumer *c)
{
	if (c->session->aggvars && !c->unread)
		c->unread = c->snap(c->snap_arg);
	return c->unread != NULL;
}

/*
 * A firing whose first clause has been printed and whose next ones had not run yet: between them
 * nothing is read, or a clear() would forget what the printa() before it has not shown. The engine
 * takes snapshots between firings: by now they have run.
 */
static void end_firing(struct consumer *c)
{
	const struct rec_head *head;

	while (!c->failed && (head = next_record(c)) && same_firing(c->last, firing_of(c, head)))
		c->failed = consume_next(c, head);
}

void consumer_snapshot(struct consumer *c)
{
	if (!take_snapshot(c))
		return;
	end_firing(c);
	if (c->unread) /* no statement has asked for it */
		merge_unread(c);
}

static void begin_statement(struct consumer *c, bool is_asked)
{
	if (same_firing(c->settled, c->last))
		return;
	c->settled = c->last;
	if (is_asked && take_snapshot(c))
		merge_unread(c);
}

void consumer_begin_printa(struct consumer *c, struct aggcopy *copy)
{
	begin_statement(c, c->session->state >= SESSION_DRAINING ||
				   atomic_load(&c->session->recorded_ns));
	copy->is_printed = true;
	copy->shown_snap = c->nsnaps;
}

void consumer_begin_change(struct consumer *c, const struct aggcopy *copy)
{
	begin_statement(c, !copy->is_printed || copy->shown_snap != c->nsnaps);
}

void consumer_tell_drop(struct consumer *c, const char *kind, uint64_t n, const char *text)
{
	output_of(c)->drop(c, kind, n, text);
}

uint64_t consumer_records(const struct consumer *c)
{
	return c->next_seq - 1;
}

uint64_t consumer_live_ns(const struct consumer *c)
{
	bool can_draw = output_of(c)->is_for_terminals;

	return can_draw && opt(&c->session->options, OPT_LIVE) == LIVE_ON ? LIVE_EVERY_NS : 0;
}

int consumer_live(struct consumer *c, struct err *err)
{
	return live_draw(c, err);
}

/* ---- the end ---- */

void consumer_interrupted(struct consumer *c)
{
	if (!c->is_testing && output_of(c)->is_for_terminals)
		strbuf_addc(&c->text, '\n');
}

void consumer_give_up(struct consumer *c)
{
	output_of(c)->give_up(c);
	consumer_flush(c, NULL);
}

/* An answer that could be better; also with -q. */
static void print_hints(struct consumer *c)
{
	char text[512];

	while (c->pr.syms && symres_hint(c->pr.syms, text, sizeof(text)))
		fprintf(stderr, "%s: %s\n", c->session->progname, text);
}

int consumer_finish(struct consumer *c, struct err *err)
{
	int rc;

	if (c->pr.syms) /* names that programs write at their end */
		symres_renew(c->pr.syms);
	output_of(c)->finish(c);
	rc = consumer_flush(c, err);
	print_hints(c);
	return rc;
}
