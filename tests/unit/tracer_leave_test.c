/* What a program is left with: after detach, beside other debuggers, on its CPUs, in its memory. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/unit/tracerrig.h"

TEST(detached_programs_go_on)
{
	const char *argv[] = {TARGETS "t", "2000", "4", NULL};
	int status;
	pid_t pid;

	must_launch(argv, EVALTIME_POSTINIT);
	for (unsigned i = 0; i < ARRAY_SIZE(functions_of_t); i++)
		probe_entry("targets/t", functions_of_t[i], count_hit);
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

static int cpus_when_ready;

static void look_at_cpus(struct run *r)
{
	cpus_when_ready = fewest_cpus(proc_pid(r->proc));
}

TEST(a_program_that_stands_still_for_our_calls_is_on_our_cpu_until_it_runs)
{
	const char *argv[] = {"/bin/sh", "-c", "unset OMP_NUM_THREADS OMP_THREAD_LIMIT; exec nproc",
			      NULL};
	cpu_set_t ours;

	sched_getaffinity(0, sizeof(ours), &ours);
	if (CPU_COUNT(&ours) < 2)
		SKIP("one CPU");
	must_launch(argv, EVALTIME_POSTINIT);
	R.on_ready = look_at_cpus;
	finish();
	CHECK_EQ(cpus_when_ready, 1);
	CHECK_EQ(strtoul(output, NULL, 10), CPU_COUNT(&ours));
	CHECK_EQ(fewest_cpus(getpid()), CPU_COUNT(&ours));
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
	for (unsigned i = 0; i < ARRAY_SIZE(functions_of_t); i++)
		probe_instructions("targets/t", functions_of_t[i]);
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
	char want[128], name[16];
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	tracer_explain_eperm(child, &R.err);
	prctl(PR_GET_NAME, name);
	snprintf(want, sizeof(want), "process %d is already traced by %s (process %d)", child, name,
		 getpid());
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

TEST_MAIN();
