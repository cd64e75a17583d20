/* User stacks: our walker against libunwind, on the same hits of programs of every kind. */
#include "tracer/journal/journal.h"
#include "tracer/unwind/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "symbols/symbols.h"
#include "tests/unit/test.h"
#include "tracer/unwind/ustack.h"

#define TARGETS	 "build/targets/"
#define DEEP	 256
#define MAX_TOLD 5

/* The program of a test, and what became of the stacks that were compared. */
static struct run {
	struct tracer *tracer;
	struct proc *proc;
	struct err err;
	bool exited;
	int status;
	unsigned ncompared, ndiffer, ndeep;
	unsigned nlate, nlate_differ; /* from a copy: as long, not a part of it */
	unsigned deepest;
	taddr_t lost_start, lost_end; /* code that libunwind cannot unwind from */
	taddr_t main_start, main_end;
	unsigned nlost, nwithout_main; /* stacks through that code; of them, without main */
} R;

static void on_exited(UNUSED void *arg, UNUSED struct proc *p, int status)
{
	R.exited = true;
	R.status = status;
}

static const struct tracer_ops ops = {.exited = on_exited};

static void launch(const char *const *argv)
{
	static struct arena arena;
	static struct journal *journal;
	struct launch l = {.argv = (char *const *)(uintptr_t)argv,
			   .envp = environ,
			   .evaltime = EVALTIME_POSTINIT};
	int saved = dup(1), null = open("/dev/null", O_WRONLY | O_CLOEXEC), r;
	sigset_t none, chld;

	memset(&R, 0, sizeof(R));
	sigemptyset(&none);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (!journal) {
		struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};

		sigprocmask(SIG_BLOCK, &chld, NULL);
		sigaction(SIGCHLD, &sa, NULL);
		if (arena_init_shared(&arena, 1ULL << 30, &R.err))
			TEST_FAIL("%s", R.err.text);
		journal = journal_new(&arena);
	}
	l.sigmask = &none;
	R.tracer = tracer_new(&ops, NULL, journal);
	fflush(stdout);
	dup2(null, 1);
	r = tracer_launch(R.tracer, &l, &R.proc, &R.err);
	dup2(saved, 1);
	close(saved);
	close(null);
	if (r)
		TEST_FAIL("%s", R.err.text);
}

static void finish(void)
{
	if (bkpt_commit(R.proc, &R.err))
		TEST_FAIL("%s", R.err.text);
	tracer_resume(R.proc);
	while (!R.exited)
		tracer_wait(R.tracer, UINT64_MAX);
	CHECK_EQ(R.status, 0);
	tracer_free(R.tracer);
}

/* Where a mapping whose name ends in `name` starts. */
static taddr_t mapped_at(const char *name, char *path, size_t size)
{
	struct vmmap m = {0};
	taddr_t start = 0;
	size_t len = strlen(name);

	CHECK_EQ(vmmap_read(&m, proc_pid(R.proc)), 0);
	for (size_t i = 0; i < m.n && !start; i++) {
		size_t n = strlen(m.v[i].path);

		if (n < len || strcmp(m.v[i].path + n - len, name) != 0)
			continue;
		start = m.v[i].start;
		snprintf(path, size, "%s", m.v[i].path);
	}
	vmmap_release(&m);
	return start;
}

static struct objfile *open_object(const char *name, taddr_t *bias)
{
	char path[512];
	struct objfile *o;
	taddr_t start = mapped_at(name, path, sizeof(path));

	CHECK(start);
	if (objfile_open(open(path, O_RDONLY | O_CLOEXEC), path, &o, &R.err))
		TEST_FAIL("%s", R.err.text);
	*bias = o->is_exec ? 0 : start;
	return o;
}

/* ---- comparing ---- */

static void tell(const char *who, const taddr_t *pcs, unsigned n)
{
	printf("# %-10s", who);
	for (unsigned i = 0; i < MIN(n, 24); i++)
		printf(" %lx", pcs[i]);
	printf("%s\n", n > 24 ? " ..." : "");
}

static bool has_between(const taddr_t *pcs, unsigned n, taddr_t start, taddr_t end)
{
	unsigned i = 0;

	while (i < n && (pcs[i] < start || pcs[i] >= end))
		i++;
	return i < n;
}

/* A stack that only we can get: it must lead to main. */
static bool is_lost(const taddr_t *pcs, unsigned n)
{
	if (!has_between(pcs, n, R.lost_start, R.lost_end))
		return false;
	R.nlost++;
	R.nwithout_main += n < DEEP && !has_between(pcs, n, R.main_start, R.main_end);
	return true;
}

/* From a copy, the same stack, as far as the copy goes. */
static void compare_late(struct hit *h, const taddr_t *ours, unsigned n)
{
	static char stack[16384];
	static taddr_t late[DEEP];
	struct regs regs = *hit_regs(h);
	ssize_t len = target_read(&h->proc->target, regs.r.rsp, stack, sizeof(stack));
	unsigned m;

	regs.r.rip = h->pc;
	m = len > 0 ? proc_late_ustack(h->proc, &regs, stack, (size_t)len, late, DEEP) : 0;
	R.nlate += m == n;
	if ((m <= n && !memcmp(ours, late, m * sizeof(*ours))) || R.nlate_differ++ >= MAX_TOLD)
		return;
	tell("ours", ours, n);
	tell("late", late, m);
}

/* Code that was mapped right behind our last look at what is mapped. */
static void compare_after_look(struct hit *h, void *arg UNUSED)
{
	static char stack[16384];
	static taddr_t ours[DEEP], late[DEEP];
	struct proc *p = h->proc;
	struct regs regs = *hit_regs(h);
	ssize_t len = target_read(&p->target, regs.r.rsp, stack, sizeof(stack));
	unsigned n = unwind_hit(h, false, unwind_rows, ours, DEEP), m;

	regs.r.rip = h->pc;
	vmmap_release(&p->maps);
	p->unwinder->mapped(p->unwind);
	p->unwind->looked_ns = now_mono();
	m = proc_late_ustack(p, &regs, stack, len > 0 ? (size_t)len : 0, late, DEEP);
	R.ncompared++;
	if (m > n || memcmp(ours, late, m * sizeof(*ours)) != 0 || m < 4)
		R.ndiffer++; /* the copy ends before the stack does */
}

static void compare(struct hit *h, void *arg)
{
	static taddr_t ours[DEEP], theirs[DEEP];
	const bool *at_entry = arg;
	unsigned n = unwind_hit(h, *at_entry, unwind_rows, ours, DEEP), m;

	/* libunwind takes a rule it has kept for a pc for that of a return address to it. */
	if (!*at_entry)
		libunwind_flush(h->proc->unwind->libunwind);
	m = unwind_hit(h, *at_entry, unwind_libunwind, theirs, DEEP);
	R.ncompared++;
	R.ndeep += n == DEEP;
	R.deepest = MAX(R.deepest, n);
	if (!*at_entry)
		compare_late(h, ours, n);
	if (is_lost(ours, n))
		return;
	if (n == m && !memcmp(ours, theirs, n * sizeof(*ours)))
		return;
	if (R.ndiffer++ < MAX_TOLD) {
		tell("ours", ours, n);
		tell("libunwind", theirs, m);
	}
}

static const bool entry = true, inside = false;

static void probe(taddr_t pc, const bool *where)
{
	struct bkpt *b;

	if (bkpt_add(R.proc, pc, BKPT_ALWAYS, compare, (void *)(uintptr_t)where, &b, &R.err) &&
	    R.err.code != -EINVAL)
		TEST_FAIL("0x%lx: %s", pc, R.err.text);
}

static void probe_entry(const char *object, const char *name)
{
	const struct func *f;
	taddr_t bias;
	struct objfile *o = open_object(object, &bias);

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	probe(f->addr + bias, &entry);
	objfile_close(o);
}

static void probe_instructions(struct objfile *o, const struct func *f, taddr_t bias)
{
	uint32_t *offs;
	bool decoded;
	unsigned n = objfile_insns(o, f, &offs, &decoded);

	for (unsigned i = 0; i < n; i++)
		probe(f->addr + bias + offs[i], &inside);
	free(offs);
}

static void probe_every_instruction(const char *object, const char *name)
{
	const struct func *f[4];
	taddr_t bias;
	struct objfile *o = open_object(object, &bias);
	unsigned n = objfile_find(o, name, f, ARRAY_SIZE(f));

	CHECK(n >= 1);
	for (unsigned i = 0; i < MIN(n, ARRAY_SIZE(f)); i++)
		if (!f[i]->is_ifunc)
			probe_instructions(o, f[i], bias);
	objfile_close(o);
}

static void find(const char *object, const char *name, taddr_t *start, taddr_t *end)
{
	const struct func *f;
	taddr_t bias;
	struct objfile *o = open_object(object, &bias);

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	*start = f->addr + bias;
	*end = *start + f->size;
	objfile_close(o);
}

static void launch_stacks(const char *program, const char *rounds, const char *depth)
{
	char path[256];
	const char *argv[] = {path, rounds, depth, NULL};

	snprintf(path, sizeof(path), TARGETS "%s", program);
	launch(argv);
	find(program, "framed_without_cfi", &R.lost_start, &R.lost_end);
	find(program, "main", &R.main_start, &R.main_end);
}

static void check_equal(unsigned least)
{
	if (R.ndiffer)
		TEST_FAIL("%u of %u stacks differ", R.ndiffer, R.ncompared);
	CHECK_EQ(R.nwithout_main, 0);
	if (R.nlate_differ)
		TEST_FAIL("%u stacks from copies differ", R.nlate_differ);
	if (R.ncompared < least)
		TEST_FAIL("only %u stacks were compared", R.ncompared);
}

/* ---- tests ---- */

TEST(stacks_of_every_shape)
{
	launch_stacks("stacks", "20", "8");
	probe_entry("stacks", "leaf");
	finish();
	check_equal(20 * 9);
	CHECK_EQ(R.nlost, 20 * 2);
}

TEST(code_that_was_mapped_a_moment_ago)
{
	struct objfile *o;
	const struct func *f;
	struct bkpt *b;
	taddr_t bias;

	launch_stacks("stacks", "2", "8");
	o = open_object("stacks", &bias);
	CHECK_EQ(objfile_find(o, "leaf", &f, 1), 1);
	CHECK_EQ(
		bkpt_add(R.proc, f->addr + bias, BKPT_ALWAYS, compare_after_look, NULL, &b, &R.err),
		0);
	objfile_close(o);
	finish();
	CHECK(R.ncompared > 0);
	CHECK_EQ(R.ndiffer, 0);
}

TEST(stacks_of_a_static_program)
{
	launch_stacks("stacks-hdr", "20", "8");
	probe_entry("stacks-hdr", "leaf");
	finish();
	check_equal(20 * 9);
}

/* gcc -static links no table to search in, and then libunwind finds nothing. */
TEST(stacks_of_a_static_program_without_an_index)
{
	launch_stacks("stacks-static", "20", "8");
	probe_entry("stacks-static", "compare");
	find("stacks-static", "compare", &R.lost_start, &R.lost_end);
	finish();
	check_equal(20 * 8);
	CHECK_EQ(R.nlost, R.ncompared);
}

TEST(every_instruction_of_a_program)
{
	static const char *const names[] = {
		"leaf",		 "compare",	 "dive",      "realigned",
		"never_returns", "calls_last",	 "on_signal", "framed_without_cfi",
		"thread",	 "round_of_all", "main",      "faults_at_once"};

	launch_stacks("stacks", "3", "8");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		probe_every_instruction("stacks", names[i]);
	finish();
	check_equal(1000);
}

TEST(every_instruction_in_libc)
{
	static const char *const names[] = {"qsort",   "qsort_r", "raise", "_setjmp",
					    "longjmp", "malloc",  "free",  "memset"};

	launch_stacks("stacks", "2", "8");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		probe_every_instruction("libc.so.6", names[i]);
	finish();
	check_equal(1000);
}

/* Where .plt is in a file. */
static void find_plt(const char *path, taddr_t *addr, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	CHECK(elf && !elf_getshdrstrndx(elf, &names));
	*addr = *size = 0;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr sh;

		CHECK(gelf_getshdr(s, &sh));
		if (!strcmp(elf_strptr(elf, names, sh.sh_name), ".plt")) {
			*addr = sh.sh_addr;
			*size = sh.sh_size;
		}
	}
	elf_end(elf);
	close(fd);
}

/* The first entry is push, jmp; the others are jmp, push, jmp: the CFA is an expression of rip. */
TEST(every_instruction_of_the_plt)
{
	static const unsigned offs[] = {0, 6, 11};
	taddr_t bias, plt;
	uint64_t size;

	find_plt(TARGETS "stacks", &plt, &size);
	if (!size)
		SKIP("the linker made no .plt");
	launch_stacks("stacks", "2", "8");
	objfile_close(open_object("stacks", &bias));
	for (uint64_t at = 0; at < size; at += 16)
		for (unsigned i = 0; i < (at ? 3 : 2); i++)
			probe(bias + plt + at + offs[i], &inside);
	finish();
	check_equal(40);
}

/* Frames of code that was mapped after the last look at the maps lead to main by rbp. */
TEST(code_that_is_in_no_file)
{
	const char *argv[] = {TARGETS "jit", "300", NULL};

	launch(argv);
	probe_entry("jit", "leaf");
	find("jit", "leaf", &R.lost_start, &R.lost_end);
	find("jit", "main", &R.main_start, &R.main_end);
	finish();
	CHECK_EQ(R.nlost, 300);
	CHECK_EQ(R.nwithout_main, 0);
	/* leaf, code, inner, code, outer, main, two frames of the C library's start, _start */
	CHECK_EQ(R.deepest, 9);
}

static void nothing(UNUSED struct hit *h, UNUSED void *arg)
{
}

struct samples {
	unsigned n, in_slot, without_main, in_reserve;
};

static void take_sample(struct thread *t, const struct regs *r, void *arg)
{
	struct samples *s = arg;
	struct hit h = {.proc = R.proc,
			.thread = t,
			.tid = thread_tid(t),
			.pc = r->r.rip,
			.time_ns = now_mono()};
	taddr_t pcs[DEEP];
	unsigned n;

	if (r->r.rip < R.lost_start || r->r.rip >= R.lost_end)
		return;
	n = unwind_hit(&h, false, unwind_rows, pcs, DEEP);
	s->n++;
	s->in_slot += hit_regs(&h)->r.rip != r->r.rip;
	s->in_reserve += has_between(pcs, n, R.proc->slots.lo, R.proc->slots.hi);
	s->without_main += !has_between(pcs, n, R.main_start, R.main_end);
}

TEST(a_thread_sampled_in_a_slot)
{
	const char *argv[] = {TARGETS "jit", "20000", "fill", NULL}; /* is ended before */
	const struct func *f;
	enum { ENOUGH = 100 };
	struct samples s = {0};
	uint32_t *offs;
	taddr_t bias;
	bool decoded;
	struct objfile *o;
	struct bkpt *b;

	launch(argv);
	o = open_object("jit", &bias);
	CHECK_EQ(objfile_find(o, "fill", &f, 1), 1);
	for (unsigned i = objfile_insns(o, f, &offs, &decoded); i-- > 0;)
		CHECK_EQ(bkpt_add(R.proc, f->addr + bias + offs[i], BKPT_ALWAYS, nothing, NULL, &b,
				  &R.err),
			 0);
	free(offs);
	objfile_close(o);
	find("jit", "fill", &R.lost_start, &R.lost_end);
	find("jit", "main", &R.main_start, &R.main_end);
	CHECK_EQ(bkpt_commit(R.proc, &R.err), 0);
	tracer_resume(R.proc);
	while (!R.exited) {
		tracer_wait(R.tracer, now_mono() + 300000);
		if (R.exited)
			break;
		proc_sample(R.proc, take_sample, &s);
		if (s.n > ENOUGH)
			kill(proc_target(R.proc)->pid, SIGKILL);
	}
	tracer_free(R.tracer);
	CHECK(s.n > ENOUGH);
	CHECK(s.in_slot > 0);
	CHECK_EQ(s.in_reserve, 0);
	CHECK_EQ(s.without_main, 0);
}

/* The kernel's own object is in memory only; a copy of ours tells where its functions are. */
TEST(every_instruction_of_the_vdso)
{
	const struct func *f;
	taddr_t bias = 0, end = 0;
	struct objfile *o;
	uint8_t buf[16384];
	int fd = memfd_create("vdso", 0);
	ssize_t n;

	launch_stacks("stacks", "20", "8");
	vmmap_read(&R.proc->maps, proc_pid(R.proc));
	for (size_t i = 0; i < R.proc->maps.n; i++)
		if (R.proc->maps.v[i].vdso)
			bias = R.proc->maps.v[i].start, end = R.proc->maps.v[i].end;
	n = target_read(proc_target(R.proc), bias, buf, MIN(sizeof(buf), end - bias));
	CHECK(n > 0 && write(fd, buf, (size_t)n) == n);
	if (objfile_open(fd, "vdso", &o, &R.err))
		TEST_FAIL("%s", R.err.text);
	CHECK_EQ(objfile_find(o, "__vdso_clock_gettime", &f, 1), 1);
	probe_instructions(o, f, bias);
	objfile_close(o);
	finish();
	if (!R.ncompared)
		SKIP("the C library does not use the vdso here");
	check_equal(100);
}

TEST(deep_recursion)
{
	launch_stacks("stacks", "2", "400");
	probe_entry("stacks", "compare");
	finish();
	check_equal(800);
	CHECK(R.ndeep > 400);
}

TEST(python_in_malloc)
{
	const char *argv[] = {"/usr/bin/python3", "-S", "-c", "import json; json.dumps([1, 'a'])",
			      NULL};

	setenv("PYTHONMALLOC", "malloc", 1);
	launch(argv);
	unsetenv("PYTHONMALLOC");
	probe_entry("libc.so.6", "malloc");
	finish();
	check_equal(5000);
}

/* ---- programs that people use ---- */

#define MAX_SPOTS 20000
#define A_FEW	  3

struct spot {
	bool at_entry;
	uint8_t left; /* so often its stack is still compared */
};

static struct spot spots[MAX_SPOTS];
static unsigned nspots;

static void compare_a_few(struct hit *h, void *arg)
{
	struct spot *s = arg;

	if (!s->left)
		return;
	s->left--;
	compare(h, &s->at_entry);
}

static void spot_at(taddr_t pc, bool at_entry)
{
	struct spot *s = &spots[nspots];
	struct bkpt *b;

	if (nspots == MAX_SPOTS)
		return;
	*s = (struct spot){.at_entry = at_entry, .left = A_FEW};
	if (bkpt_add(R.proc, pc, BKPT_ALWAYS, compare_a_few, s, &b, &R.err) == 0)
		nspots++;
}

/* One in `every` of its functions; of each some instructions too, unless it is code of no tables,
 * of which libunwind skips a frame until rbp is set. */
static void spots_in(const char *object, unsigned every, bool has_tables)
{
	taddr_t bias;
	struct objfile *o = open_object(object, &bias);

	for (unsigned i = 0; i < o->nfuncs; i += every) {
		const struct func *f = &o->funcs[i];
		uint32_t *offs;
		bool decoded;
		unsigned n;

		if (f->is_ifunc)
			continue;
		spot_at(f->addr + bias, true);
		if (!has_tables)
			continue;
		n = objfile_insns(o, f, &offs, &decoded);
		for (unsigned j = 1; j < n; j += 1 + n / 5)
			spot_at(f->addr + bias + offs[j], false);
		free(offs);
	}
	objfile_close(o);
}

static void launch_installed(const char *const *argv)
{
	if (access(argv[0], X_OK) < 0)
		SKIP("no %s", argv[0]);
	nspots = 0;
	launch(argv);
}

TEST(openssl_at_work)
{
	const char *argv[] = {"/usr/bin/openssl", "dgst", "-sha256", "/usr/bin/openssl", NULL};

	launch_installed(argv);
	spots_in("/openssl", 5, true);
	spots_in("libc.so.6", 11, true);
	finish();
	check_equal(50);
}

TEST(perl_at_work)
{
	const char *argv[] = {"/usr/bin/perl", "-e",
			      "for (1..5) { @a = sort {$a <=> $b} 3, 1, 2; $s = sprintf('%f', $_); "
			      "$s =~ s/0/x/g; }",
			      NULL};

	launch_installed(argv);
	spots_in("/perl", 7, true);
	spots_in("libc.so.6", 11, true);
	finish();
	check_equal(50);
}

TEST(python_at_work)
{
	const char *argv[] = {"/usr/bin/python3", "-S", "-c",
			      "import json, re\njson.loads(json.dumps([1, {'a': 2.5}]))\n"
			      "re.sub('a+', 'b', 'caat')\ntry: int('x')\nexcept ValueError: pass",
			      NULL};
	char path[64];
	ssize_t n = readlink(argv[0], path, sizeof(path) - 1);

	if (n <= 0)
		SKIP("/usr/bin/python3 is no link to the program");
	path[n] = '\0';
	launch_installed(argv);
	spots_in(path, 37, true);
	finish();
	check_equal(50);
}

TEST(node_at_work)
{
	const char *argv[] = {
		"/usr/bin/node", "-e",
		"let s = 0; for (let i = 0; i < 300; i++) s += JSON.stringify({i}).length; "
		"try { null.x } catch (e) {} setTimeout(() => s, 1)",
		NULL};

	launch_installed(argv);
	spots_in("/node", 211, false);
	finish();
	check_equal(50);
}

TEST_MAIN();
