/* User stacks: our walker against libunwind, on the same hits of programs of every kind. */
#include "tracer/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/symbols.h"
#include "tests/unit/test.h"

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

TEST_MAIN();
