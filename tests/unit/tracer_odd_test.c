/* Programs that do odd things to themselves, or have them done, while they are traced. */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/tracerrig.h"

static struct counter *run_odd(const char *what, const char *rounds)
{
	const char *argv[] = {TARGETS "odd", what, rounds, NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("odd", "touch", count_hit);
	commit();
	finish();
	return c;
}

static void check_odd(const char *what, const char *rounds, int status)
{
	struct counter *c = run_odd(what, rounds);

	CHECK(WIFEXITED(R.status));
	CHECK_EQ(WEXITSTATUS(R.status), status);
	CHECK_EQ(printed("bad"), 0);
	CHECK_EQ(c->hits, printed("touch"));
}

TEST(threads_that_block_sigtrap_keep_it_blocked)
{
	check_odd("blocked", "300", 0);
}

TEST(the_programs_own_breakpoints_are_its_own)
{
	check_odd("int3", "500", 0);
}

TEST(forks_of_a_program_with_running_threads)
{
	check_odd("forks", "3000", 0);
}

TEST(a_first_thread_that_ends_early)
{
	check_odd("zombie", "500", 4);
}

TEST(threads_that_live_for_one_call)
{
	check_odd("churn", "100", 0);
}

TEST(exec_by_another_thread)
{
	struct counter *c = run_odd("execthread", "1");

	CHECK_EQ(R.status, 0);
	CHECK_EQ(c->hits, 1);
	CHECK_EQ(R.nexeced, 1);
	CHECK_EQ(R.nready, 1);
	CHECK_EQ(printed("bad"), 0);
}

TEST(faults_are_handled_by_the_program)
{
	const char *argv[] = {TARGETS "odd", "segv", "200", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	probe_instructions("odd", "poke");
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("bad"), 0);
	for (unsigned i = 0; i < R.ncounters; i++)
		CHECK_EQ(R.counters[i].hits, 200);
}

/* No memory for slots: the ends of text pages serve, and emulation. */
TEST(a_program_that_may_not_map_memory)
{
	const char *argv[] = {TARGETS "odd", "nomap", TARGETS "t", "100", "4", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	R.on_ready = rearm_main;
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(R.nready, 1);
	CHECK_EQ(R.counters[0].hits, printed("leaf"));
}

TEST(functions_that_begin_with_endbr64)
{
	const char *argv[] = {TARGETS "odd", "endbr", "2000", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("odd", "endbr_touch", count_arg);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("touch"), 8000);
	CHECK_EQ(c->hits, 8000);
}

TEST(system_calls_are_restarted_from_slots)
{
	const char *argv[] = {TARGETS "odd", "restart", "100", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	probe_instructions("libc.so.6", "read");
	probe_instructions("libc.so.6", "write");
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(printed("bad"), 0);
	CHECK_EQ(R.counters[0].hits, printed("touch"));
}

static struct bkpt *lazy_bkpt;

/* Armed when the library comes, forgotten when it goes. */
static void follow_library(UNUSED struct run *r)
{
	char path[512];
	const struct func *f;
	struct objfile *o;
	taddr_t bias;

	if (lazy_bkpt)
		bkpt_del(lazy_bkpt);
	lazy_bkpt = NULL;
	if (mapped_at("libresolv", path, sizeof(path))) {
		o = open_object("libresolv", &bias);
		CHECK_EQ(objfile_find(o, "ns_get16", &f, 1), 1);
		CHECK_EQ(bkpt_add(R.proc, f->addr + bias, BKPT_ALWAYS, count_hit, &R.counters[0],
				  &lazy_bkpt, &R.err),
			 0);
		objfile_close(o);
	}
	commit();
}

TEST(libraries_come_and_go)
{
	const char *argv[] = {TARGETS "lazy", "20", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	counter("ns_get16");
	lazy_bkpt = NULL;
	R.on_mapped = follow_library;
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(R.nmapped, 40);
	CHECK_EQ(R.counters[0].hits, printed("ns_get16"));
}

TEST(code_that_goes_before_the_bytes_are_written)
{
	static const uint8_t code[] = {0x90, 0x90, 0xc3}; /* nop; nop; ret */
	const char *argv[] = {TARGETS "t", "1", "1", "quiet", NULL};
	uint64_t args[6] = {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			    UINT64_MAX};
	struct counter *in;
	struct bkpt *b;
	int64_t at, got;

	must_launch(argv, EVALTIME_POSTINIT);
	CHECK_EQ(proc_syscall(R.proc, SYS_mmap, args, &at), 0);
	CHECK_EQ(proc_write_code(R.proc, (taddr_t)at, code, sizeof(code)), 0);
	for (taddr_t pc = (taddr_t)at; pc < (taddr_t)at + sizeof(code); pc++)
		CHECK_EQ(bkpt_add(R.proc, pc, BKPT_ALWAYS, count_hit, NULL, &b, &R.err), 0);
	in = probe_entry("targets/t", "leaf", count_arg);
	args[0] = (uint64_t)at;
	CHECK_EQ(proc_syscall(R.proc, SYS_munmap, args, &got), 0);
	CHECK_EQ(bkpt_commit(R.proc, &R.err), 0);
	finish();
	CHECK_EQ(R.status, 0);
	CHECK(in->hits > 0);
}

static void status_line(const char *key, const struct sigaction *acts, const sigset_t *mask,
			char *value, size_t size)
{
	const char *argv[] = {"/bin/grep", key, "/proc/self/status", NULL};
	struct launch l = {.argv = (char *const *)(uintptr_t)argv,
			   .envp = environ,
			   .sigmask = mask,
			   .sigacts = acts,
			   .evaltime = EVALTIME_POSTINIT};

	launch_with(&l);
	finish();
	CHECK_EQ(R.status, 0);
	CHECK(!strncmp(output, key, strlen(key)));
	snprintf(value, size, "%s", strrchr(output, '\t') + 1);
}

TEST(signals_are_as_the_front_had_them)
{
	static struct sigaction acts[NSIG];
	char value[64];
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	acts[SIGUSR1].sa_handler = SIG_IGN;
	status_line("SigIgn", acts, &mask, value, sizeof(value));
	/* under make, 32 and 33, which the C library keeps to itself, are ignored already */
	CHECK_EQ(strtoull(value, NULL, 16) & 0x7fffffff, 0x200);
	status_line("SigBlk", acts, &mask, value, sizeof(value));
	CHECK_STR(value, "0000000000000800\n");
}

/* SIGSTOP and SIGCONT from another process, again and again. */
static pid_t bother(pid_t pid, unsigned times, unsigned delay_us)
{
	pid_t helper = fork();

	if (helper)
		return helper;
	for (unsigned i = 0; i < times; i++) {
		usleep(delay_us);
		kill(pid, SIGSTOP);
		usleep(delay_us);
		kill(pid, SIGCONT);
	}
	_exit(0);
}

TEST(job_control_loses_no_hit)
{
	const char *argv[] = {TARGETS "t", "3000", "4", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("targets/t", "leaf", count_hit);
	commit();
	bother(proc_pid(R.proc), 600, 60);
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(c->hits, printed("leaf"));
}

static void stop_once(struct hit *h, void *arg)
{
	struct counter *c = arg;

	if (++c->hits == 5) {
		c->last_arg = h->time_ns;
		hit_stop(h);
		if (fork() == 0) {
			usleep(50000);
			kill(proc_pid(h->proc), SIGCONT);
			_exit(0);
		}
	}
	if (c->hits == 6)
		c->last_arg = h->time_ns - c->last_arg;
}

TEST(stop_waits_for_somebody_to_continue)
{
	const char *argv[] = {TARGETS "t", "100", "1", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("targets/t", "leaf", stop_once);
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	CHECK_EQ(c->hits, printed("leaf"));
	CHECK(c->last_arg > 40000000);
}

static void count_sample(UNUSED struct thread *t, const struct regs *r, void *arg)
{
	((struct counter *)arg)->hits += r->r.rip != 0;
}

TEST(samples_do_not_disturb)
{
	const char *argv[] = {TARGETS "t", "300", "4", NULL};
	struct counter *leaf, *samples;

	must_launch(argv, EVALTIME_POSTINIT);
	leaf = probe_entry("targets/t", "leaf", count_hit);
	commit();
	samples = counter("samples");
	tracer_resume(R.proc);
	while (!R.exited) {
		tracer_wait(R.tracer, UINT64_MAX);
		if (!R.exited)
			proc_sample(R.proc, count_sample, samples);
	}
	CHECK_EQ(R.status, 0);
	read_output(R.out);
	CHECK_EQ(leaf->hits, printed("leaf"));
	CHECK(samples->hits > 0);
	tracer_free(R.tracer);
}

/* Taken out and put in while threads hit it; the program's own count stays right. */
static void come_and_go(const char *const *argv, const char *object, const char *function)
{
	struct counter *c;
	struct bkpt *b;
	const struct func *f;
	struct objfile *o;
	taddr_t bias;

	must_launch(argv, EVALTIME_POSTINIT);
	o = open_object(object, &bias);
	CHECK_EQ(objfile_find(o, function, &f, 1), 1);
	c = counter(function);
	tracer_resume(R.proc);
	for (unsigned i = 0; i < 300 && !R.exited; i++) {
		if (bkpt_add(R.proc, f->addr + bias, BKPT_ALWAYS, count_hit, c, &b, &R.err)) {
			/* It has ended, and we are about to be told. */
			tracer_wait(R.tracer, now_ns() + 10000000000);
			if (!R.exited)
				TEST_FAIL("%s", R.err.text);
			break;
		}
		commit();
		tracer_wait(R.tracer, now_ns() + 1000000);
		if (R.exited)
			break;
		bkpt_del(b);
		commit();
	}
	objfile_close(o);
	while (!R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	CHECK_EQ(R.status, 0);
	read_output(R.out);
	CHECK(c->hits > 0);
	tracer_free(R.tracer);
}

TEST(breakpoints_come_and_go_under_load)
{
	const char *t[] = {TARGETS "t", "200000", "3", NULL};
	const char *odd[] = {TARGETS "odd", "endbr", "1000000", NULL};

	come_and_go(t, "targets/t", "leaf");
	CHECK_EQ(printed("leaf"), 3 * 220000);
	come_and_go(odd, "odd", "endbr_touch");
	CHECK_EQ(printed("touch"), 4000000);
}

TEST_MAIN();
