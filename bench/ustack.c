/*
 * ustack: what a user stack costs at a hit, the fetch of the registers included. `./ustack TARGET
 * DEPTH FRAMES HOW` runs TARGET (stacks) to HITS hits of leaf() at the bottom of a recursion
 * through qsort, all on one CPU, and takes a stack of at most FRAMES at each. Prints nanoseconds of
 * a walk (the median), of the first walk, and the frames it had. HOW: rows, libunwind.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/symbols.h"
#include "tracer/journal/journal.h"
#include "tracer/unwind/unwind.h"

#define HITS 5000

struct job {
	unwind_fn *walk;
	unsigned max, nframes;
	unsigned long n;
	double ns[HITS];
};

static bool exited;

static void on_exited(UNUSED void *arg, UNUSED struct proc *p, UNUSED int status)
{
	exited = true;
}

static void on_leaf(struct hit *h, void *arg)
{
	static taddr_t pcs[1024];
	struct job *j = arg;
	uint64_t start = now_mono();
	unsigned n = unwind_hit(h, true, j->walk, pcs, MIN(j->max, ARRAY_SIZE(pcs)));

	if (j->n < HITS)
		j->ns[j->n++] = (double)(now_mono() - start);
	j->nframes = MAX(j->nframes, n);
	h->proc->tracer->want_regs = false; /* or they would be fetched before we look */
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void probe_leaf(struct proc *p, const char *path, struct job *j, struct err *err)
{
	const struct func *f;
	struct objfile *o;
	struct bkpt *b;
	taddr_t bias = 0;

	if (objfile_open(open(path, O_RDONLY | O_CLOEXEC), path, &o, err))
		die("%s", err->text);
	if (!objfile_find(o, "leaf", &f, 1))
		die("%s has no function leaf", path);
	vmmap_read(&p->maps, proc_pid(p));
	for (size_t i = 0; i < p->maps.n && !bias; i++)
		if (!strcmp(p->maps.v[i].path, path))
			bias = p->maps.v[i].start;
	if (bkpt_add(p, f->addr + bias, BKPT_ALWAYS, on_leaf, j, &b, err) || bkpt_commit(p, err))
		die("%s", err->text);
	objfile_close(o);
}

static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void block_sigchld(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	static const struct tracer_ops ops = {.exited = on_exited};
	static struct job j;
	struct launch l = {.envp = environ, .evaltime = EVALTIME_POSTINIT};
	char hits[16], once[] = "1", *args[] = {NULL, once, NULL, hits, NULL};
	struct err err = {0};
	struct arena arena;
	struct tracer *tracer;
	struct proc *p;
	sigset_t none;
	double first;

	if (argc != 5)
		die("usage: ustack TARGET DEPTH FRAMES HOW");
	stay_on_one_cpu();
	block_sigchld();
	snprintf(hits, sizeof(hits), "%d", HITS);
	args[0] = realpath(argv[1], NULL);
	args[2] = argv[2];
	l.argv = args;
	sigemptyset(&none);
	l.sigmask = &none;
	j.max = (unsigned)atoi(argv[3]);
	j.walk = strcmp(argv[4], "rows") == 0 ? unwind_rows : unwind_libunwind;
	if (arena_init_shared(&arena, 1ULL << 30, &err))
		die("%s", err.text);
	tracer = tracer_new(&ops, NULL, journal_new(&arena));
	if (!args[0] || tracer_launch(tracer, &l, &p, &err))
		die("%s", err.text);
	probe_leaf(p, args[0], &j, &err);
	tracer_resume(p);
	while (!exited)
		tracer_wait(tracer, UINT64_MAX);
	tracer_free(tracer);
	first = j.ns[0];
	qsort(j.ns, j.n, sizeof(*j.ns), by_size);
	printf("%.0f %.0f %u\n", j.ns[j.n / 2], first, j.nframes);
	return 0;
}
