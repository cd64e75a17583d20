/*
 * ustack: what a user stack costs on top of a hit. `./ustack TARGET DEPTH FRAMES HITS HOW` runs
 * TARGET (stacks) to HITS hits of leaf() at the bottom of a recursion through qsort, all on one
 * CPU, takes a stack of at most FRAMES at each, and prints three numbers: nanoseconds per hit,
 * nanoseconds of the first walk, frames. HOW: none, rows, libunwind.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/symbols.h"
#include "tracer/unwind.h"

struct job {
	unwind_fn *walk; /* NULL: none */
	unsigned max, nframes;
	unsigned long nhits;
	uint64_t first_ns, start_ns, end_ns;
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
	uint64_t start = j->nhits++ ? 0 : now_mono();

	if (j->walk)
		j->nframes = unwind_hit(h, true, j->walk, pcs, MIN(j->max, ARRAY_SIZE(pcs)));
	if (start) {
		j->start_ns = now_mono();
		j->first_ns = j->start_ns - start;
	}
	j->end_ns = h->time_ns;
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

int main(int argc, char **argv)
{
	static const struct tracer_ops ops = {.exited = on_exited};
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	struct launch l = {.envp = environ, .evaltime = EVALTIME_POSTINIT};
	struct err err = {0};
	struct arena arena;
	struct tracer *tracer;
	struct proc *p;
	struct job j = {0};
	sigset_t set;
	cpu_set_t cpu;
	char *path;

	if (argc != 6)
		die("ustack: TARGET DEPTH FRAMES HITS HOW");
	path = realpath(argv[1], NULL);
	l.argv = (char *[]){path, (char[]){"1"}, argv[2], argv[4], NULL};
	j.max = (unsigned)atoi(argv[3]);
	j.walk = !strcmp(argv[5], "rows")	 ? unwind_rows
		 : !strcmp(argv[5], "libunwind") ? unwind_libunwind
						 : NULL;
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	sigemptyset(&set);
	l.sigmask = &set;
	sigaction(SIGCHLD, &sa, NULL);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (arena_init_shared(&arena, 1ULL << 30, &err))
		die("%s", err.text);
	tracer = tracer_new(&ops, NULL, journal_new(&arena));
	if (!path || tracer_launch(tracer, &l, &p, &err))
		die("%s", err.text);
	probe_leaf(p, path, &j, &err);
	tracer_resume(p);
	while (!exited)
		tracer_wait(tracer, UINT64_MAX);
	tracer_free(tracer);
	printf("%.1f %.1f %u\n", (double)(j.end_ns - j.start_ns) / (double)(j.nhits - 1),
	       (double)j.first_ns, j.nframes);
	return 0;
}
