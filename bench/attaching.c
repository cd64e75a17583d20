/*
 * attaching: coming to a process and leaving it. Prints microseconds.
 *
 *   ./attaching threads N        attach to a child of N sleeping threads, its first breakpoint
 * written; detach
 *   ./attaching bare N           the floor under both: each thread is seized; then stopped and
 * released
 *   ./attaching probes N STEP -- PROGRAM ARG...
 *                                N breakpoints on every STEP-th function of a program that is
 * running; out again
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/modules.h"
#include "tracer/journal/journal.h"
#include "tracer/tracer.h"

static volatile int *ready;

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000U + (uint64_t)ts.tv_nsec / 1000U;
}

__attribute__((noinline, noipa)) static void probed(void)
{
	*ready = 1;
}

static void *sleep_on(void *arg)
{
	pause();
	return arg;
}

static NORETURN void many_threads(long n)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (long i = 1; i < n; i++)
		if (pthread_create(&t, &attr, sleep_on, NULL))
			_exit(1);
	probed();
	for (;;)
		pause();
}

static void ignore_hit(UNUSED struct hit *h, UNUSED void *arg)
{
}

/* A child that goes with us. */
static pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static struct proc *attach(struct tracer *tr, pid_t pid, struct err *err)
{
	struct proc *p;

	if (tracer_attach(tr, pid, EVALTIME_POSTINIT, &p, err))
		die("%s", err->text);
	return p;
}

static void commit(struct proc *p, struct err *err)
{
	if (bkpt_commit(p, err))
		die("%s", err->text);
}

static pid_t start_threads(long n)
{
	pid_t pid = fork_child();

	if (pid == 0)
		many_threads(n);
	while (!*ready)
		usleep(1000);
	usleep(10000);
	return pid;
}

static size_t threads_of(pid_t pid, pid_t *tids, size_t max)
{
	const struct dirent *e;
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && n < max && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			tids[n++] = atoi(e->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static void bench_bare(long n)
{
	pid_t pid = start_threads(n), *tids = xcalloc((size_t)n, sizeof(*tids));
	uint64_t start = now_us(), attached;
	size_t ntids = threads_of(pid, tids, (size_t)n);
	int status;

	for (size_t i = 0; i < ntids; i++)
		ptrace(PTRACE_SEIZE, tids[i], 0, 0);
	attached = now_us();
	for (size_t i = 0; i < ntids; i++)
		ptrace(PTRACE_INTERRUPT, tids[i], 0, 0);
	for (size_t i = 0; i < ntids; i++) {
		waitpid(tids[i], &status, __WALL);
		ptrace(PTRACE_DETACH, tids[i], 0, 0);
	}
	printf("%" PRIu64 " %" PRIu64 "\n", attached - start, now_us() - attached);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(tids);
}

static void bench_threads(struct tracer *tr, long n, struct err *err)
{
	uint64_t start, attached;
	struct bkpt *b;
	struct proc *p;
	pid_t pid = start_threads(n);

	start = now_us();
	p = attach(tr, pid, err);
	if (bkpt_add(p, (taddr_t)(uintptr_t)&probed, BKPT_ALWAYS, ignore_hit, NULL, &b, err))
		die("%s", err->text);
	commit(p, err);
	attached = now_us();
	tracer_detach(p);
	printf("%" PRIu64 " %" PRIu64 "\n", attached - start, now_us() - attached);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A program that has come to its own main loop, as near as can be told from outside. */
static pid_t start_program(char **argv)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	usleep(500000);
	return pid;
}

static unsigned add_probes(struct proc *p, pid_t pid, unsigned max, unsigned step, struct bkpt **b,
			   struct err *err)
{
	struct modules *ms = modules_new(objcache_new());
	const struct objfile *o;
	struct module *m;
	unsigned n = 0;

	if (modules_refresh(ms, pid, err))
		die("%s", err->text);
	m = modules_program(ms);
	o = m ? module_objfile(m, err) : NULL;
	if (!o)
		die("no program: %s", err->text);
	for (unsigned i = 0; i < o->nfuncs && n < max; i += step)
		if (bkpt_add(p, o->funcs[i].addr + m->bias, BKPT_ALWAYS, ignore_hit, NULL, &b[n],
			     err) == 0)
			n++;
	return n;
}

static void bench_probes(struct tracer *tr, unsigned max, unsigned step, char **argv,
			 struct err *err)
{
	struct bkpt **b = xcalloc(max, sizeof(struct bkpt *));
	pid_t pid = start_program(argv);
	struct proc *p = attach(tr, pid, err);
	uint64_t start, in;
	unsigned n;

	commit(p, err);
	n = add_probes(p, pid, max, step, b, err);
	start = now_us();
	commit(p, err);
	in = now_us();
	for (unsigned i = 0; i < n; i++)
		bkpt_del(b[i]);
	commit(p, err);
	printf("%" PRIu64 " %" PRIu64 " %u\n", in - start, now_us() - in, n);
	tracer_detach(p);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct tracer_ops ops;
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	struct err err = {0};
	struct arena arena;
	struct tracer *tr;
	sigset_t set;

	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arena_init_shared(&arena, 1ULL << 30, &err))
		die("%s", err.text);
	tr = tracer_new(&ops, NULL, journal_new(&arena));
	if (argc == 3 && !strcmp(argv[1], "threads"))
		bench_threads(tr, atol(argv[2]), &err);
	else if (argc == 3 && !strcmp(argv[1], "bare"))
		bench_bare(atol(argv[2]));
	else if (argc > 5 && !strcmp(argv[1], "probes"))
		bench_probes(tr, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), argv + 5, &err);
	else
		die("usage: attaching threads N | bare N | probes N STEP -- PROGRAM ARG...");
	tracer_free(tr);
	return 0;
}
