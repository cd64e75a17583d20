#include "dlang/session.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "dlang/session_priv.h"

struct session *session_new(struct arena *a, const char *progname)
{
	struct session *s = ARENA_NEW(a, struct session);

	s->arena = a;
	s->progname = arena_strdup(a, progname);
	s->probe_chunks = arena_alloc(a, SESSION_MAX_CHUNKS * sizeof(*s->probe_chunks));
	s->ecb_chunks = arena_alloc(a, SESSION_MAX_CHUNKS * sizeof(*s->ecb_chunks));
	s->messages_tail = ARENA_NEW(a, struct message);
	s->messages = s->messages_tail;
	s->front_pid = getpid();
	options_init(&s->options);
	return s;
}

void session_init_tables(struct session *s)
{
	s->engine_pid = getpid();
	s->engine = ARENA_NEW(s->arena, struct session_engine);
	s->engine->programs_tail = &s->programs;
	s->engine->aggvars_tail = &s->aggvars;
	intern_init(&s->engine->intern, s->arena);
	types_init(&s->engine->types, s->arena, &s->engine->intern,
		   (uint64_t)opt(&s->options, OPT_STRSIZE));
	if (s->is_ilp32)
		types_set_ilp32(&s->engine->types);
	s->engine->probe_index = probe_index_new();
	s->engine->timers = xcalloc(1, sizeof(*s->engine->timers));
}

void session_free_tables(struct session *s)
{
	types_release(&s->engine->types);
	intern_release(&s->engine->intern);
	probe_index_free(s->engine->probe_index);
	free(s->engine->timers->v);
	free(s->engine->timers);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void session_wake(struct session *s)
{
	atomic_fetch_add(&s->wake, 1);
	futex_wake(&s->wake);
}

void session_set_state(struct session *s, enum session_state state)
{
	atomic_store(&s->state, state);
	for (unsigned i = 0; i < s->nproviders && state == SESSION_DRAINING; i++)
		if (s->providers[i]->drain)
			s->providers[i]->drain(s);
	session_wake(s);
}

static void send_message(struct session *s, const struct message *what)
{
	struct message *m = arena_memdup(s->arena, what, sizeof(*what));

	atomic_store_explicit(&s->messages_tail->next, m, memory_order_release);
	s->messages_tail = m;
	session_wake(s);
}

void session_message(struct session *s, int fd, bool is_notice, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (text.len == 0 || text.s[text.len - 1] != '\n')
		strbuf_addc(&text, '\n');
	session_text(s, fd, is_notice, text.s, text.len);
	strbuf_release(&text);
}

void session_text(struct session *s, int fd, bool is_notice, const char *text, size_t len)
{
	const struct message m = {
		.fd = fd, .is_notice = is_notice, .text = arena_memdup(s->arena, text, len + 1)};

	send_message(s, &m);
}

void session_list(struct session *s, struct probe *const *probes, unsigned n)
{
	const struct message m = {.fd = MSG_OUT, .probes = probes, .nprobes = n};

	send_message(s, &m);
}

struct ecb *session_ecb(struct session *s, uint32_t epid)
{
	if (epid == 0 || epid > atomic_load_explicit(&s->necbs, memory_order_acquire))
		return NULL;
	return &s->ecb_chunks[(epid - 1) / SESSION_CHUNK][(epid - 1) % SESSION_CHUNK];
}

bool session_is_testing(void)
{
	return getenv("_DTRACE_TESTING") != NULL;
}

int session_cpu(const struct session *s)
{
	return opt_on(&s->options, OPT_CPU) ? (int)opt(&s->options, OPT_CPU) : sched_getcpu();
}

uint64_t session_now(const struct session *s)
{
	const uint64_t recorded_ns = atomic_load_explicit(&s->recorded_ns, memory_order_relaxed);

	return recorded_ns ? recorded_ns : now_mono();
}

uint64_t session_drops(const struct session *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SESSION_MAX_CPUS; i++)
		n += s->buffer_drops[i] + s->agg_drops[i];
	for (unsigned i = 0; i < DROP_NKINDS; i++)
		n += s->drops[i];
	return n;
}

bool session_awaits_front(const struct session *s)
{
	return s->state == SESSION_ACTIVE && s->engine->acting_seq > s->nconsumed;
}

void session_set_clock(struct session *s, uint64_t time_ns)
{
	if (time_ns > atomic_load_explicit(&s->recorded_ns, memory_order_relaxed))
		atomic_store_explicit(&s->recorded_ns, time_ns, memory_order_relaxed);
}

/* ---- timers: few, so a plain array ---- */

struct timer {
	uint64_t deadline_ns;
	timer_fn *fn;
	void *arg;
};

void session_add_timer(struct session *s, uint64_t first_ns, timer_fn *fn, void *arg)
{
	struct timers *t = s->engine->timers;

	for (unsigned i = 0; i < t->n; i++)
		if (t->v[i].fn == fn && t->v[i].arg == arg) {
			t->v[i].deadline_ns = first_ns;
			return;
		}
	t->v = xrealloc(t->v, (t->n + 1) * sizeof(*t->v));
	t->v[t->n++] = (struct timer){first_ns, fn, arg};
}

/* The number of the timer whose deadline comes first; ties go to the one that was added first. */
static unsigned first_timer(const struct timers *t)
{
	unsigned first = 0;

	for (unsigned i = 1; i < t->n; i++)
		if (t->v[i].deadline_ns < t->v[first].deadline_ns)
			first = i;
	return first;
}

/* Timers of one round; more wait for the next, so that a fast timer cannot keep the stops out. */
#define TIMERS_PER_ROUND 64

void session_leap_timers(struct session *s, uint64_t to_ns)
{
	struct timers *t = s->engine->timers;

	for (unsigned i = 0; i < t->n; i++)
		t->v[i].deadline_ns = MAX(t->v[i].deadline_ns, to_ns);
}

uint64_t session_run_timers(struct session *s)
{
	struct timers *all = s->engine->timers;
	uint64_t now, next_ns;

	if (all->n == 0)
		return UINT64_MAX;
	now = session_now(s);
	for (unsigned i = 0; i < TIMERS_PER_ROUND; i++) {
		unsigned n = first_timer(all);
		const struct timer t = all->v[n]; /* it may add others, which moves the array */

		if (t.deadline_ns > now)
			break;
		next_ns = t.fn(s, t.arg, t.deadline_ns);
		/* never, where the clock of a recording comes to its end */
		all->v[n].deadline_ns = next_ns < t.deadline_ns ? UINT64_MAX : next_ns;
	}
	return all->v[first_timer(all)].deadline_ns;
}
