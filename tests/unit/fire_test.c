#include "dlang/run/buffer.h"
#include "dlang/session_priv.h"
#include "dlang/run/vm.h"

#include "tests/unit/test.h"

static int provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err);

static int enable(struct probe *p UNUSED, struct err *err UNUSED)
{
	return 0;
}

static const struct provider fake = {.name = "fake", .provide = provide, .enable = enable};
static const struct provider *const list[] = {&fake};

static int provide(struct session *s, const struct probe_desc *d UNUSED, int *tag UNUSED,
		   struct err *err UNUSED)
{
	s->begin_probe = probe_create(s, &fake, "fake", "", "", "BEGIN", NULL);
	s->end_probe = probe_create(s, &fake, "fake", "", "", "END", NULL);
	s->error_probe = probe_create(s, &fake, "fake", "", "", "ERROR", NULL);
	probe_create(s, &fake, "fake", "m", "f", "entry", NULL);
	return 0;
}

enum { BEGIN = 1, END, ERROR, ENTRY };

static struct arena arena;
static struct session *s;
static struct program program;
static struct clause **tail;

static void begin_session(void)
{
	struct err err;

	arena = (struct arena){0};
	CHECK_EQ(arena_init_shared(&arena, (size_t)1 << 30, &err), 0);
	s = session_new(&arena, "dtrace");
	session_init_engine(s);
	s->providers = list;
	s->nproviders = 1;
	CHECK_EQ(probes_provide(s, &err), 0);
	program = (struct program){0};
	tail = &program.clauses;
}

/* A clause on one probe: an action of each kind in turn; trace(n) is ACT_CONST with n. */
static struct clause *clause(uint32_t probe, unsigned nacts, const struct action *acts)
{
	struct clause *c = ARENA_NEW(&arena, struct clause);
	struct stmt *st = ARENA_NEW(&arena, struct stmt);

	c->probes = ARENA_NEW(&arena, struct probe *);
	c->probes[0] = probe_by_id(s, probe);
	c->nprobes = 1;
	c->has_record = true;
	st->acts = arena_memdup(&arena, acts, nacts * sizeof(*acts));
	st->nacts = nacts;
	for (unsigned i = 0; i < nacts; i++) {
		st->acts[i].num = (uint16_t)(i + 1);
		st->acts[i].rec = (struct rec){.kind = REC_INT, .offset = 8 * i, .size = 8};
	}
	c->payload = 8 * nacts;
	c->counted = 8 + c->payload;
	c->stmts = st;
	c->nstmts = 1;
	*tail = c;
	tail = &c->next;
	return c;
}

static void start(void)
{
	struct err err;

	session_enable(s, &program);
	CHECK_EQ(session_start(s, &err), 0);
}

static void fire(uint32_t probe)
{
	const struct event ev = {
		.probe = probe_by_id(s, probe), .pid = 7, .tid = 8, .cpu = 3, .time_ns = 99};

	event_fire(s, &ev);
}

/* The next record: its EPID, and its first word. */
static uint32_t record(uint64_t *word)
{
	struct buffer *b = s->buffers[3];
	const struct rec_head *rec = b ? buffer_peek(b) : NULL;
	uint32_t epid;

	if (!rec)
		return 0;
	epid = rec->epid;
	if (word)
		memcpy(word, rec + 1, sizeof(*word));
	buffer_release(b);
	return epid;
}

static const struct action one = {.kind = ACT_CONST, .arg = 1};
static const struct action panics[] = {{.kind = ACT_CONST, .arg = 5}, {.kind = ACT_PANIC}};
static const struct action exits = {.kind = ACT_EXIT};

TEST(each_enabling_makes_its_record_in_order)
{
	struct rec_head head;
	uint64_t word;

	begin_session();
	clause(ENTRY, 1, &one);
	clause(ENTRY, 1, &(struct action){.kind = ACT_CONST, .arg = 2});
	start();
	fire(ENTRY);
	head = *buffer_peek(s->buffers[3]);
	CHECK_EQ(head.seq, 1);
	CHECK_EQ(head.pid, 7);
	CHECK_EQ(head.tid, 8);
	CHECK_EQ(head.cpu, 3);
	CHECK_EQ(head.time_ns, 99);
	CHECK_EQ(record(&word), 1);
	CHECK_EQ(word, 1);
	CHECK_EQ(record(&word), 2);
	CHECK_EQ(word, 2);
	CHECK_EQ(record(NULL), 0);
}

TEST(nothing_fires_before_the_start)
{
	begin_session();
	clause(ENTRY, 1, &one);
	fire(ENTRY);
	start();
	CHECK_EQ(record(NULL), 0);
}

TEST(a_fault_throws_the_record_away_and_fires_error)
{
	struct fault_rec rec;

	begin_session();
	clause(ENTRY, 2, panics);
	clause(ENTRY, 1, &one);
	start();
	fire(ENTRY);
	/* EPIDs 1 and 2, and 3 for the hidden clause, whose record comes first */
	memcpy(&rec, buffer_peek(s->buffers[3]) + 1, sizeof(rec));
	CHECK_EQ(record(NULL), 3);
	CHECK_EQ(rec.epid, 1);
	CHECK_EQ(rec.action, 2);
	CHECK_EQ(rec.off, -1);
	CHECK_EQ(rec.fault, FAULT_ILLOP);
	CHECK_EQ(record(NULL), 2);
	CHECK_EQ(record(NULL), 0);
}

TEST(a_fault_skips_the_later_pieces_of_its_clause)
{
	begin_session();
	clause(ENTRY, 2, panics)->split = 1;
	clause(ENTRY, 1, &one)->split = 1;
	clause(ENTRY, 1, &one)->split = 2;
	start();
	fire(ENTRY);
	CHECK_EQ(record(NULL), 4);
	CHECK_EQ(record(NULL), 3);
	CHECK_EQ(record(NULL), 0);
}

TEST(a_fault_in_an_error_clause_is_counted_only)
{
	begin_session();
	clause(ERROR, 2, panics);
	clause(ENTRY, 2, panics);
	start();
	fire(ENTRY);
	CHECK_EQ(s->drops[DROP_DBLERROR], 1);
	CHECK_EQ(record(NULL), 3);
	CHECK_EQ(record(NULL), 0);
}

TEST(exit_skips_all_that_follows_but_end)
{
	begin_session();
	clause(ENTRY, 1, &exits);
	clause(ENTRY, 1, &one);
	clause(END, 1, &one);
	start();
	fire(ENTRY);
	CHECK_EQ(s->state, SESSION_DRAINING);
	CHECK_EQ(s->exit_called, 1);
	fire(ENTRY);
	fire(END);
	CHECK_EQ(record(NULL), 1);
	CHECK_EQ(record(NULL), 3);
	CHECK_EQ(record(NULL), 0);
}

TEST(what_finds_no_room_is_counted)
{
	unsigned n = 0;

	begin_session();
	s->options.num[OPT_BUFSIZE] = 1024;
	clause(ENTRY, 1, &one);
	start();
	for (unsigned i = 0; i < 100; i++)
		fire(ENTRY);
	while (record(NULL))
		n++;
	CHECK(n > 10);
	CHECK_EQ(n + s->buffer_drops[3], 100);
}

TEST(a_record_larger_than_the_buffer_is_refused_at_the_start)
{
	struct err err;

	begin_session();
	s->options.num[OPT_BUFSIZE] = 20;
	clause(ENTRY, 2, panics);
	session_enable(s, &program);
	CHECK(session_start(s, &err) < 0);
	CHECK_STR(err.text, "Enabling exceeds size of buffer");
}

TEST(destructive_clauses_need_the_option)
{
	struct err err;

	begin_session();
	clause(ENTRY, 1, &one)->is_destructive = true;
	session_enable(s, &program);
	CHECK(session_start(s, &err) < 0);
	CHECK_STR(err.text, "Destructive actions not allowed");
}

static uint64_t count_to_three(struct session *sess UNUSED, void *arg, uint64_t deadline_ns)
{
	return ++*(unsigned *)arg == 3 ? UINT64_MAX : deadline_ns + 10;
}

TEST(timers_run_until_they_say_no)
{
	unsigned n = 0;

	begin_session();
	CHECK(session_run_timers(s) == UINT64_MAX);
	session_add_timer(s, session_now(s) - 1000, count_to_three, &n);
	CHECK(session_run_timers(s) == UINT64_MAX);
	CHECK_EQ(n, 3);
}

static uint64_t add_others(struct session *sess, void *arg, uint64_t deadline_ns UNUSED)
{
	unsigned *n = arg;

	for (unsigned i = 0; i < 32; i++)
		session_add_timer(sess, UINT64_MAX, add_others, n + 1 + i);
	return ++*n < 3 ? session_now(sess) : UINT64_MAX;
}

TEST(a_timer_may_add_others_and_be_set_again)
{
	unsigned n[64] = {0};

	begin_session();
	session_add_timer(s, session_now(s) - 1000, add_others, n);
	while (session_run_timers(s) != UINT64_MAX)
		;
	CHECK_EQ(n[0], 3);
	session_add_timer(s, session_now(s), add_others, n); /* the same one, not another */
	CHECK(session_run_timers(s) == UINT64_MAX);
	CHECK_EQ(n[0], 4);
}

TEST_MAIN();
