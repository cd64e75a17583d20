/* The ptrace engine, end to end, on programs that count their own calls (tests/targets). */
#include <errno.h>
#include <sys/wait.h>

#include "tests/unit/tracerrig.h"
#include "tracer/unwind/ustack.h"

/* Entry and return of every function of t equal what it counts itself. */
static void check_t(const char *program, const char *rounds, const char *threads)
{
	char path[256];
	const char *argv[] = {path, rounds, threads, NULL};
	struct counter *in[ARRAY_SIZE(functions_of_t)], *out[ARRAY_SIZE(functions_of_t)];

	snprintf(path, sizeof(path), TARGETS "%s", program);
	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(functions_of_t); i++) {
		in[i] = probe_entry(program, functions_of_t[i], count_arg);
		out[i] = probe_returns(program, functions_of_t[i]);
	}
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(functions_of_t); i++) {
		CHECK_EQ(in[i]->hits, printed(functions_of_t[i]));
		CHECK_EQ(out[i]->hits, printed(functions_of_t[i]));
	}
}

TEST(counts_of_one_thread)
{
	check_t("t", "3000", "1");
}

TEST(counts_of_eight_threads)
{
	check_t("t", "1000", "8");
}

TEST(counts_without_pie)
{
	check_t("t-nopie", "300", "2");
}

TEST(counts_of_a_static_program)
{
	check_t("t-static", "300", "2");
}

TEST(counts_of_a_static_pie)
{
	check_t("t-static-pie", "300", "2");
}

TEST(every_instruction_of_eight_threads)
{
	const char *argv[] = {TARGETS "t", "200", "8", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(functions_of_t); i++)
		probe_instructions("targets/t", functions_of_t[i]);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	for (unsigned i = 0; i < R.ncounters; i++) {
		char *plus = strchr(R.counters[i].name, '+');

		if (strcmp(plus, "+0") != 0)
			continue;
		*plus = '\0';
		CHECK_EQ(R.counters[i].hits, printed(R.counters[i].name));
	}
	CHECK_EQ(printed("leaf"), 8 * 220);
}

TEST(children_run_unpatched)
{
	const char *argv[] = {TARGETS "kids", "20", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("kids", "touch", count_hit);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("bad"), 0);
	CHECK_EQ(c->hits, printed("touch"));
}

TEST(signal_handlers_never_see_a_slot)
{
	const char *argv[] = {TARGETS "storm", "8000", NULL};
	struct counter *step, *handler;

	must_launch(argv, EVALTIME_POSTINIT);
	step = probe_entry("storm", "step", count_arg);
	handler = probe_entry("storm", "handler", count_hit);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("bad"), 0);
	CHECK_EQ(step->hits, printed("step"));
	CHECK_EQ(handler->hits, printed("handler"));
	CHECK(handler->hits > 500);
}

TEST(a_signal_storm_fires_nothing_twice)
{
	const char *argv[] = {TARGETS "storm", "5000", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	probe_instructions("storm", "step");
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("bad"), 0);
	for (unsigned i = 0; i < R.ncounters; i++)
		if (!strncmp(R.counters[i].name, "step", 4))
			CHECK_EQ(R.counters[i].hits, printed("step"));
}

TEST(longjmp_and_recursion)
{
	const char *argv[] = {TARGETS "jumps", "2000", NULL};
	struct counter *nest, *dive, *dived;

	must_launch(argv, EVALTIME_POSTINIT);
	nest = probe_entry("jumps", "nest", count_hit);
	dive = probe_entry("jumps", "dive", count_hit);
	dived = probe_returns("jumps", "dive");
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(nest->hits, printed("nest"));
	CHECK_EQ(dive->hits, printed("dive"));
	CHECK_EQ(dived->hits, printed("dive"));
}

TEST(a_missing_program)
{
	const char *argv[] = {"/nonexistent/program", NULL};

	CHECK_EQ(launch(argv, EVALTIME_POSTINIT), -ENOENT);
	CHECK_STR(R.err.text, "failed to execute /nonexistent/program: No such file or directory");
	CHECK_EQ(tracer_nprocs(R.tracer), 0);
	tracer_free(R.tracer);
}

TEST(exit_status_is_the_programs)
{
	const char *argv[] = {"/bin/sh", "-c", "exit 3", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	finish();
	CHECK_EQ(WEXITSTATUS(R.status), 3);
}

TEST(death_by_signal_is_the_programs)
{
	const char *argv[] = {"/bin/sh", "-c", "kill -TERM $$", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	finish();
	CHECK(WIFSIGNALED(R.status));
	CHECK_EQ(WTERMSIG(R.status), SIGTERM);
}

TEST(exec_reaches_the_rendezvous_again)
{
	const char *argv[] = {"/bin/sh", "-c", "exec " TARGETS "t 100 1", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	R.on_ready = rearm_main;
	finish();
	CHECK_EQ(R.nexeced, 1);
	CHECK_EQ(R.nready, 1);
	CHECK_EQ(R.counters[0].hits, printed("leaf"));
}

static void check_evaltime(const char *program, enum evaltime when)
{
	char path[256];
	const char *argv[] = {path, "10", NULL};
	struct counter *c, *start;

	snprintf(path, sizeof(path), TARGETS "%s", program);
	must_launch(argv, when);
	c = probe_entry(program, "main", count_hit);
	start = probe_entry(program, "_start", count_hit);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(c->hits, 1);
	CHECK_EQ(start->hits, when != EVALTIME_MAIN);
}

TEST(every_evaltime)
{
	static const enum evaltime when[] = {EVALTIME_EXEC, EVALTIME_PREINIT, EVALTIME_POSTINIT,
					     EVALTIME_MAIN};

	for (unsigned i = 0; i < ARRAY_SIZE(when); i++) {
		check_evaltime("t", when[i]);
		check_evaltime("t-nopie", when[i]);
		check_evaltime("t-static", when[i]);
		check_evaltime("t-static-pie", when[i]);
	}
}

static void take_stack(struct hit *h, void *arg)
{
	static taddr_t pcs[64];
	struct counter *c = arg;

	c->hits++;
	c->last_arg = MAX(c->last_arg, hit_ustack(h, true, pcs, ARRAY_SIZE(pcs)));
}

TEST(stacks_without_frame_pointers)
{
	const char *argv[] = {TARGETS "jumps", "40", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("jumps", "dive", take_stack);
	commit();
	finish();
	/* 41 dives, main, two frames of the C library's start, _start */
	CHECK_EQ(c->last_arg, 45);
}

struct range {
	taddr_t start, end;
	unsigned seen, calls;
};

static void look_for_range(struct hit *h, void *arg)
{
	struct range *r = arg;
	taddr_t pcs[32];
	unsigned n = hit_ustack(h, true, pcs, ARRAY_SIZE(pcs)), i = 0;

	while (i < n && (pcs[i] < r->start || pcs[i] >= r->end))
		i++;
	r->calls++;
	r->seen += i < n;
}

TEST(stacks_through_a_signal_handler)
{
	const char *argv[] = {TARGETS "storm", "300", NULL};
	const struct func *f, *handler;
	struct range r = {0};
	struct objfile *o;
	struct bkpt *b;
	taddr_t bias;

	must_launch(argv, EVALTIME_POSTINIT);
	f = main_of("storm", &bias);
	r.start = f->addr + bias;
	r.end = r.start + f->size;
	o = open_object("storm", &bias);
	CHECK_EQ(objfile_find(o, "handler", &handler, 1), 1);
	CHECK_EQ(
		bkpt_add(R.proc, handler->addr + bias, BKPT_ALWAYS, look_for_range, &r, &b, &R.err),
		0);
	commit();
	objfile_close(o);
	finish();
	CHECK(r.calls > 10);
	CHECK_EQ(r.seen, r.calls);
}

TEST_MAIN();
