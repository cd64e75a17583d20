/* The ptrace engine, end to end, on programs that count their own calls (tests/targets). */
#include "tracer/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/disasm.h"
#include "symbols/symbols.h"
#include "tests/unit/test.h"

#define TARGETS "build/targets/"

struct counter {
	char name[64];
	unsigned long hits;
	uint64_t last_arg;
};

/* One traced program: what it was asked, and what came of it. */
struct run {
	struct tracer *tracer;
	struct proc *proc;
	struct err err;
	bool exited;
	int status, out;
	unsigned nready, nexeced, nmapped;
	struct counter counters[4096];
	unsigned ncounters;
	void (*on_ready)(struct run *), (*on_mapped)(struct run *);
};

static struct arena arena;
static struct journal *journal;
static struct run R; /* one at a time */
static char output[8192];
static int out_fd = -1; /* where the next program writes; -1: a file of its own */

static void on_exited(UNUSED void *arg, UNUSED struct proc *p, int status)
{
	R.exited = true;
	R.status = status;
}

static void on_execed(UNUSED void *arg, UNUSED struct proc *p)
{
	R.nexeced++;
}

static void on_ready(UNUSED void *arg, UNUSED struct proc *p)
{
	R.nready++;
	if (R.on_ready)
		R.on_ready(&R);
}

static void on_mapped(UNUSED void *arg, UNUSED struct proc *p)
{
	R.nmapped++;
	if (R.on_mapped)
		R.on_mapped(&R);
}

static const struct tracer_ops ops = {
	.exited = on_exited,
	.execed = on_execed,
	.ready = on_ready,
	.mapped = on_mapped,
};

static void block_sigchld(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGCHLD, &sa, NULL);
}

static int launch_with(const struct launch *l)
{
	int saved, r;

	memset(&R, 0, sizeof(R));
	if (!journal) {
		block_sigchld();
		if (arena_init_shared(&arena, 1ULL << 30, &R.err))
			TEST_FAIL("%s", R.err.text);
		journal = journal_new(&arena);
	}
	R.tracer = tracer_new(&ops, NULL, journal);
	R.out = out_fd >= 0 ? out_fd : memfd_create("out", 0);
	fflush(stdout);
	saved = dup(1);
	dup2(R.out, 1);
	r = tracer_launch(R.tracer, l, &R.proc, &R.err);
	dup2(saved, 1);
	close(saved);
	return r;
}

static int launch(const char *const *argv, enum evaltime when)
{
	struct launch l = {
		.argv = (char *const *)(uintptr_t)argv, .envp = environ, .evaltime = when};
	sigset_t none;

	sigemptyset(&none);
	l.sigmask = &none;
	return launch_with(&l);
}

static void must_launch(const char *const *argv, enum evaltime when)
{
	if (launch(argv, when))
		TEST_FAIL("%s", R.err.text);
}

static void read_output(int fd)
{
	ssize_t n = pread(fd, output, sizeof(output) - 1, 0);

	output[n > 0 ? n : 0] = '\0';
	close(fd);
}

/* Lets it run to its end; the output is in `output`. */
static void finish(void)
{
	tracer_resume(R.proc);
	while (!R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	read_output(R.out);
	CHECK_EQ(tracer_nprocs(R.tracer), 0);
	tracer_free(R.tracer);
}

static unsigned long printed(const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "%s ", name);
	for (at = output; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
		if (!strncmp(at, key, strlen(key)))
			return strtoul(at + strlen(key), NULL, 10);
	TEST_FAIL("the program printed no line '%s'", name);
}

/* Where the file that holds `part` in its path is mapped, and its path. */
static taddr_t mapped_at(const char *part, char *path, size_t size)
{
	char name[64], line[512];
	taddr_t start = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", proc_pid(R.proc));
	f = fopen(name, "re");
	CHECK(f);
	while (!start && fgets(line, sizeof(line), f)) {
		char *slash = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!slash || !strstr(slash, part))
			continue;
		start = strtoull(line, NULL, 16);
		snprintf(path, size, "%s", slash);
	}
	fclose(f);
	return start;
}

static struct objfile *open_object(const char *part, taddr_t *bias)
{
	char path[512];
	struct objfile *o;
	taddr_t start = mapped_at(part, path, sizeof(path));

	CHECK(start);
	if (objfile_open(open(path, O_RDONLY | O_CLOEXEC), path, &o, &R.err))
		TEST_FAIL("%s", R.err.text);
	*bias = o->is_exec ? 0 : start;
	return o;
}

static void count_hit(UNUSED struct hit *h, void *arg)
{
	((struct counter *)arg)->hits++;
}

static void count_arg(struct hit *h, void *arg)
{
	struct counter *c = arg;

	c->hits++;
	c->last_arg = hit_regs(h)->r.rdi;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static struct counter *counter(const char *name)
{
	struct counter *c = &R.counters[R.ncounters++];

	snprintf(c->name, sizeof(c->name), "%s", name);
	return c;
}

static struct counter *probe_at(taddr_t pc, const char *name, enum bkpt_when when, bkpt_fn *fn)
{
	struct counter *c = counter(name);
	struct bkpt *b;

	if (bkpt_add(R.proc, pc, when, fn, c, &b, &R.err))
		TEST_FAIL("%s: %s", name, R.err.text);
	return c;
}

static struct counter *probe_entry(const char *object, const char *name, bkpt_fn *fn)
{
	const struct func *f;
	struct counter *c;
	taddr_t bias;
	struct objfile *o = open_object(object, &bias);

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	c = probe_at(f->addr + bias, name, BKPT_ALWAYS, fn);
	objfile_close(o);
	return c;
}

static struct counter *probe_returns(const char *object, const char *name)
{
	const struct retsite *rs;
	const struct func *f;
	struct counter *c = counter(name);
	taddr_t bias;
	bool decoded;
	struct objfile *o = open_object(object, &bias);
	unsigned n;

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	n = objfile_retsites(o, f, &rs, &decoded);
	CHECK(n > 0);
	for (unsigned i = 0; i < n; i++) {
		struct bkpt *b;

		if (bkpt_add(R.proc, f->addr + bias + rs[i].off,
			     rs[i].is_jump ? BKPT_TAKEN : BKPT_ALWAYS, count_hit, c, &b, &R.err))
			TEST_FAIL("%s: %s", name, R.err.text);
	}
	objfile_close(o);
	return c;
}

static void commit(void)
{
	if (bkpt_commit(R.proc, &R.err))
		TEST_FAIL("%s", R.err.text);
}

static const char *const all[] = {"branchy", "hidden", "leaf", "main",
				  "recurse", "six",    "tail", "work"};

/* Entry and return of every function of t equal what it counts itself. */
static void check_t(const char *program, const char *rounds, const char *threads)
{
	char path[256];
	const char *argv[] = {path, rounds, threads, NULL};
	struct counter *in[ARRAY_SIZE(all)], *out[ARRAY_SIZE(all)];

	snprintf(path, sizeof(path), TARGETS "%s", program);
	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		in[i] = probe_entry(program, all[i], count_arg);
		out[i] = probe_returns(program, all[i]);
	}
	commit();
	finish();
	CHECK_EQ(R.status, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		CHECK_EQ(in[i]->hits, printed(all[i]));
		CHECK_EQ(out[i]->hits, printed(all[i]));
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

/* Every instruction of the program's functions, with all threads running. */
static void probe_instructions(const char *program, const char *name)
{
	taddr_t bias;
	struct objfile *o = open_object(program, &bias);
	const struct func *f;

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	for (taddr_t off = 0; off < f->size;) {
		taddr_t pc = f->addr + bias + off;
		uint8_t code[16];
		struct insn insn;
		char label[64];

		snprintf(label, sizeof(label), "%s+%lx", name, off);
		CHECK_EQ(target_read(proc_target(R.proc), pc, code, sizeof(code)), sizeof(code));
		CHECK(insn_decode(code, sizeof(code), pc, &insn));
		probe_at(pc, label, BKPT_ALWAYS, count_hit);
		off += insn.len;
	}
	objfile_close(o);
}

TEST(every_instruction_of_eight_threads)
{
	const char *argv[] = {TARGETS "t", "200", "8", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		probe_instructions("targets/t", all[i]);
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

static void rearm_main(UNUSED struct run *r)
{
	probe_entry("targets/t", "leaf", count_hit);
	commit();
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

static const struct func *main_of(const char *object, taddr_t *bias)
{
	static struct func f;
	const struct func *found;
	struct objfile *o = open_object(object, bias);

	CHECK_EQ(objfile_find(o, "main", &found, 1), 1);
	f = *found;
	objfile_close(o);
	return &f;
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

TEST(detached_programs_go_on)
{
	const char *argv[] = {TARGETS "t", "2000", "4", NULL};
	int status;
	pid_t pid;

	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		probe_entry("targets/t", all[i], count_hit);
	commit();
	pid = proc_pid(R.proc);
	tracer_resume(R.proc);
	while (tracer_stats(R.tracer)->hits < 2000 && !R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	CHECK(!R.exited);
	tracer_detach(R.proc);
	CHECK_EQ(tracer_nprocs(R.tracer), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	tracer_free(R.tracer);
	read_output(R.out);
	CHECK_EQ(printed("leaf"), 4 * 2200);
}

static void detach_in_a_hit(struct hit *h, void *arg)
{
	struct counter *c = arg;

	if (++c->hits == 100)
		tracer_detach(h->proc); /* as the clean-up of die() does */
	if (c->hits == 100)
		_exit(0);
}

/* In a process of its own, which ends in the middle of a hit. */
TEST(an_engine_that_dies_in_a_hit_lets_go)
{
	const char *argv[] = {TARGETS "t", "2000", "3", NULL};
	int status, fd = memfd_create("out", 0);
	pid_t engine;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	engine = fork();
	if (engine == 0) {
		out_fd = fd;
		must_launch(argv, EVALTIME_POSTINIT);
		probe_entry("targets/t", "leaf", detach_in_a_hit);
		commit();
		tracer_resume(R.proc);
		for (;;)
			tracer_wait(R.tracer, UINT64_MAX);
	}
	CHECK_EQ(waitpid(engine, &status, 0), engine);
	CHECK_EQ(status, 0);
	CHECK(waitpid(-1, &status, 0) > 0); /* the program, ours by inheritance */
	CHECK_EQ(status, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	read_output(fd);
	CHECK_EQ(printed("leaf"), 3 * 2200);
}

/* How many CPUs each thread of the process may use, the smallest number. */
static int fewest_cpus(pid_t pid)
{
	char dir[64];
	struct dirent *e;
	int fewest = INT_MAX;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	d = opendir(dir);
	CHECK(d);
	while ((e = readdir(d))) {
		cpu_set_t set;

		if (e->d_name[0] != '.' &&
		    sched_getaffinity((pid_t)strtol(e->d_name, NULL, 10), sizeof(set), &set) == 0)
			fewest = MIN(fewest, CPU_COUNT(&set));
	}
	closedir(d);
	return fewest;
}

/* Runs t hot for at most so many hits: the fewest CPUs a thread of it had. Stops at one. */
static int cpus_while_hot(bool colocate, uint64_t nhits)
{
	const char *argv[] = {TARGETS "t", "1000000000", "2", NULL};
	int cpus = INT_MAX;

	must_launch(argv, EVALTIME_POSTINIT);
	tracer_set_colocate(R.tracer, colocate);
	probe_entry("targets/t", "leaf", count_hit);
	commit();
	tracer_resume(R.proc);
	while (tracer_stats(R.tracer)->hits < nhits && cpus > 1) {
		tracer_wait(R.tracer, UINT64_MAX);
		CHECK(!R.exited);
		cpus = MIN(cpus, fewest_cpus(proc_pid(R.proc)));
	}
	return cpus;
}

TEST(hot_threads_come_to_the_engine_and_get_their_cpus_back)
{
	cpu_set_t ours;
	int status;
	pid_t pid;

	sched_getaffinity(0, sizeof(ours), &ours);
	if (CPU_COUNT(&ours) < 2)
		SKIP("one CPU");
	CHECK_EQ(cpus_while_hot(true, 200000), 1);
	pid = proc_pid(R.proc);
	tracer_detach(R.proc);
	CHECK_EQ(fewest_cpus(pid), CPU_COUNT(&ours));
	CHECK_EQ(fewest_cpus(getpid()), CPU_COUNT(&ours));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tracer_free(R.tracer);
	close(R.out);
}

TEST(placement_can_be_switched_off)
{
	cpu_set_t ours;

	sched_getaffinity(0, sizeof(ours), &ours);
	CHECK_EQ(cpus_while_hot(false, 3000), CPU_COUNT(&ours));
	tracer_kill(R.proc);
	tracer_free(R.tracer);
	close(R.out);
}

/* The text of an executable mapping of the program, as the kernel has it now. */
static size_t raw_text(pid_t pid, taddr_t at, uint8_t *buf, size_t n)
{
	char path[64];
	ssize_t r;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	r = pread(fd, buf, n, (off_t)at);
	close(fd);
	return r < 0 ? 0 : (size_t)r;
}

TEST(after_detach_text_is_as_before_and_slots_are_gone)
{
	const char *argv[] = {TARGETS "t", "1000000000", "2", NULL};
	static uint8_t before[4096], after[4096];
	char maps[64], line[512];
	unsigned anonymous_code = 0;
	taddr_t text;
	struct objfile *o;
	int status;
	pid_t pid;
	FILE *f;

	must_launch(argv, EVALTIME_POSTINIT);
	pid = proc_pid(R.proc);
	o = open_object("targets/t", &text);
	text += o->entry & ~0xfffULL;
	objfile_close(o);
	CHECK_EQ(raw_text(pid, text, before, sizeof(before)), sizeof(before));
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		probe_instructions("targets/t", all[i]);
	commit();
	CHECK_EQ(raw_text(pid, text, after, sizeof(after)), sizeof(after));
	CHECK(memcmp(before, after, sizeof(after)) != 0);
	tracer_resume(R.proc);
	while (tracer_stats(R.tracer)->hits < 5000 && !R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	tracer_detach(R.proc);
	CHECK_EQ(raw_text(pid, text, after, sizeof(after)), sizeof(after));
	CHECK_EQ(memcmp(before, after, sizeof(after)), 0);
	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	f = fopen(maps, "re");
	CHECK(f);
	while (fgets(line, sizeof(line), f))
		anonymous_code += strstr(line, "r-xp 00000000 00:00 0") && !strchr(line, '[');
	fclose(f);
	CHECK_EQ(anonymous_code, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tracer_free(R.tracer);
	close(R.out);
}

TEST(a_breakpoint_of_somebody_else_is_refused)
{
	const char *argv[] = {TARGETS "t", "1", NULL};
	const struct func *f;
	struct bkpt *b;
	char path[64];
	taddr_t bias;
	int fd;

	must_launch(argv, EVALTIME_POSTINIT);
	f = main_of("targets/t", &bias);
	snprintf(path, sizeof(path), "/proc/%d/mem", proc_pid(R.proc));
	fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK_EQ(pwrite(fd, "\xcc", 1, (off_t)(f->addr + bias)), 1);
	close(fd);
	CHECK_EQ(bkpt_add(R.proc, f->addr + bias, BKPT_ALWAYS, count_hit, NULL, &b, &R.err),
		 -EBUSY);
	CHECK(!strncmp(R.err.text, "another tracer or debugger has a breakpoint at 0x", 49));
	CHECK_EQ(bkpt_add(R.proc, 16, BKPT_ALWAYS, count_hit, NULL, &b, &R.err), -EFAULT);
	tracer_kill(R.proc);
	tracer_free(R.tracer);
	close(R.out);
}

TEST(a_traced_process_names_its_tracer)
{
	pid_t child = fork();
	char want[128];
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	tracer_explain_eperm(child, &R.err);
	snprintf(want, sizeof(want), "process %d is already traced by tracer_test (process %d)",
		 child, getpid());
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	CHECK_STR(R.err.text, want);
}

TEST(a_killed_program_is_reported)
{
	const char *argv[] = {"/bin/sleep", "100", NULL};

	must_launch(argv, EVALTIME_POSTINIT);
	tracer_resume(R.proc);
	tracer_kill(R.proc);
	CHECK(R.exited);
	CHECK_EQ(WTERMSIG(R.status), SIGKILL);
	tracer_free(R.tracer);
}

static void stop_and_raise(struct hit *h, void *arg)
{
	struct counter *c = arg;

	c->hits++;
	if (c->hits == 5)
		hit_raise(h, SIGTERM);
}

TEST(raise_comes_after_the_instruction)
{
	const char *argv[] = {TARGETS "t", "100", "1", NULL};
	struct counter *c;

	must_launch(argv, EVALTIME_POSTINIT);
	c = probe_entry("targets/t", "leaf", stop_and_raise);
	commit();
	finish();
	CHECK(WIFSIGNALED(R.status));
	CHECK_EQ(WTERMSIG(R.status), SIGTERM);
	CHECK_EQ(c->hits, 5);
}

TEST(memory_reads_hide_breakpoints)
{
	const char *argv[] = {TARGETS "t", "1", NULL};
	uint8_t before[64], after[64];
	const struct func *f;
	struct objfile *o;
	taddr_t bias, pc;
	struct bkpt *b;

	must_launch(argv, EVALTIME_POSTINIT);
	o = open_object("targets/t", &bias);
	CHECK_EQ(objfile_find(o, "work", &f, 1), 1);
	pc = f->addr + bias;
	CHECK_EQ(target_read(proc_target(R.proc), pc - 8, before, 64), 64);
	CHECK_EQ(bkpt_add(R.proc, pc, BKPT_ALWAYS, count_hit, counter("work"), &b, &R.err), 0);
	commit();
	CHECK_EQ(target_read(proc_target(R.proc), pc - 8, after, 64), 64);
	CHECK_EQ(memcmp(before, after, 64), 0);
	CHECK_EQ(target_write(proc_target(R.proc), pc, before, 1), -EFAULT);
	bkpt_del(b);
	commit();
	objfile_close(o);
	finish();
	CHECK_EQ(R.counters[0].hits, 0);
}

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
