/*
 * tracerrig.h: one program at a time under the ptrace engine; programs of tests/targets count their
 * own calls, and print "NAME COUNT" at their end.
 */
#ifndef TESTS_TRACERRIG_H
#define TESTS_TRACERRIG_H

#include "tracer/journal/journal.h"
#include "tracer/tracer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "symbols/x86/disasm.h"
#include "symbols/symbols.h"
#include "tests/unit/test.h"

#define TARGETS "build/targets/"

/* The functions of t. */
static const char *const functions_of_t[] = {"branchy", "hidden", "leaf", "main",
					     "recurse", "six",	  "tail", "work"};

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

static inline void on_exited(UNUSED void *arg, UNUSED struct proc *p, int status)
{
	R.exited = true;
	R.status = status;
}

static inline void on_execed(UNUSED void *arg, UNUSED struct proc *p)
{
	R.nexeced++;
}

static inline void on_ready(UNUSED void *arg, UNUSED struct proc *p)
{
	R.nready++;
	if (R.on_ready)
		R.on_ready(&R);
}

static inline void on_mapped(UNUSED void *arg, UNUSED struct proc *p)
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

static inline void block_sigchld(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGCHLD, &sa, NULL);
}

static inline int launch_with(const struct launch *l)
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

static inline int launch(const char *const *argv, enum evaltime when)
{
	struct launch l = {
		.argv = (char *const *)(uintptr_t)argv, .envp = environ, .evaltime = when};
	sigset_t none;

	sigemptyset(&none);
	l.sigmask = &none;
	return launch_with(&l);
}

static inline void must_launch(const char *const *argv, enum evaltime when)
{
	if (launch(argv, when))
		TEST_FAIL("%s", R.err.text);
}

static inline void read_output(int fd)
{
	ssize_t n = pread(fd, output, sizeof(output) - 1, 0);

	output[n > 0 ? n : 0] = '\0';
	close(fd);
}

/* Lets it run to its end; the output is in `output`. */
static inline void finish(void)
{
	tracer_resume(R.proc);
	while (!R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	read_output(R.out);
	CHECK_EQ(tracer_nprocs(R.tracer), 0);
	tracer_free(R.tracer);
}

static inline unsigned long printed(const char *name)
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
static inline taddr_t mapped_at(const char *part, char *path, size_t size)
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

static inline struct objfile *open_object(const char *part, taddr_t *bias)
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

static inline void count_hit(UNUSED struct hit *h, void *arg)
{
	((struct counter *)arg)->hits++;
}

static inline void count_arg(struct hit *h, void *arg)
{
	struct counter *c = arg;

	c->hits++;
	c->last_arg = hit_regs(h)->r.rdi;
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static inline struct counter *counter(const char *name)
{
	struct counter *c = &R.counters[R.ncounters++];

	snprintf(c->name, sizeof(c->name), "%s", name);
	return c;
}

static inline struct counter *probe_at(taddr_t pc, const char *name, enum bkpt_when when,
				       bkpt_fn *fn)
{
	struct counter *c = counter(name);
	struct bkpt *b;

	if (bkpt_add(R.proc, pc, when, fn, c, &b, &R.err))
		TEST_FAIL("%s: %s", name, R.err.text);
	return c;
}

static inline struct counter *probe_entry(const char *object, const char *name, bkpt_fn *fn)
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

static inline struct counter *probe_returns(const char *object, const char *name)
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

static inline void commit(void)
{
	if (bkpt_commit(R.proc, &R.err))
		TEST_FAIL("%s", R.err.text);
}

/* Every instruction of the program's functions, with all threads running. */
static inline void probe_instructions(const char *program, const char *name)
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

static inline const struct func *main_of(const char *object, taddr_t *bias)
{
	static struct func f;
	const struct func *found;
	struct objfile *o = open_object(object, bias);

	CHECK_EQ(objfile_find(o, "main", &found, 1), 1);
	f = *found;
	objfile_close(o);
	return &f;
}

static inline void rearm_main(UNUSED struct run *r)
{
	probe_entry("targets/t", "leaf", count_hit);
	commit();
}

#endif
