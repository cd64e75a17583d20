/*
 * Records of a thread whose signal handlers leave records, too. A breakpoint stands at each
 * instruction of the hook object in turn; its handler records, meets a breakpoint itself, comes
 * back, or never does: wherever that is, what was recorded is in the ring, once and whole.
 */
#include "inject/ring.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "inject/hookobj.h"
#include "inject/x86/native.h"
#include "tests/unit/test.h"

#define WORD	   0x278 /* of glibc's thread control block */
#define LOW	   0x70000000UL
#define RING_SIZE  8192U
#define DROPS_CELL 0
#define TRAP_FLAG  0x100 /* of the flags: SDM 1 §3.4.3 */
#define DEEPEST	   3
#define MANY	   4000 /* hits of a round */

/* WRITTEN: by its own code, as in a trampoline */
enum { FIXED, VARYING, WRITTEN, NSITES };
static const struct hook_site sites[NSITES] = {
	{.flags = HOOK_TIME | HOOK_ARGS, .nargs = 2, .max_words = 4, .drops_cell = DROPS_CELL},
	{.flags = HOOK_TIME | HOOK_ARGS | HOOK_MEM,
	 .nargs = 2,
	 .nmem = 1,
	 .max_words = 4 + 2 + 32,
	 .drops_cell = DROPS_CELL},
	{.flags = HOOK_TIME | HOOK_ARGS, .nargs = 2, .max_words = 4, .drops_cell = DROPS_CELL},
};
static const struct hook_mem mem = {.base = HOOK_MEM_ARG, .index = 1, .is_string = 1, .len = 256};
static const uint32_t nsites = NSITES;

/* A target of our own: the memory of hook_proto.h, and the hook object. */
static struct hook_shared *shared;
static struct hook_block *block;
static uint64_t *cells;
static uint8_t *code;
static struct ring ring;
static struct rings *rings;

#define WRITTEN_AT ROUND_UP(HOOKOBJ_SIZE, 64)
#define CODE_SIZE  (WRITTEN_AT + NATIVE_RECORD)

static void *map(void *at, size_t n, int prot)
{
	void *p = mmap(at, n, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* And a return. */
static void write_record(const struct hook_object *o)
{
	const struct native_context context = {.word = WORD};
	const struct native_record record = {
		.site = &sites[WRITTEN],
		.number = WRITTEN,
		.function = (uintptr_t)code + o->functions[HOOK_FN_RECORD],
		.leave = (uintptr_t)code + o->functions[HOOK_FN_LEAVE]};
	uint8_t *to = code + WRITTEN_AT;
	static struct native n;
	int len;

	CHECK(native_can_record(record.site, false));
	CHECK(native_record(&n, &context, &record) < NATIVE_RECORD);
	len = native_copy(&n, (uintptr_t)to, to);
	CHECK(len > 0);
	to[len] = 0xc3;
	CHECK(native_copy_cold(&n, (uintptr_t)to, to, (uintptr_t)to + len + 1, to + len + 1) > 0);
}

static void set_up(void)
{
	struct hook_object *o;
	char *low;

	if (shared)
		return;
	low = map((void *)LOW, 1 << 20, PROT_READ | PROT_WRITE);
	shared = (void *)low;
	memcpy(low + 4096, sites, sizeof(sites));
	memcpy(low + 8192, &mem, sizeof(mem));
	block = (void *)(low + 16384 + 4096);
	cells = (void *)((char *)block + HOOK_BLOCK_HEADER);
	code = map(NULL, ROUND_UP(CODE_SIZE, 4096), PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
	o = (void *)code;
	o->where = (struct hook_where){.blocks = (uintptr_t)low + 16384,
				       .shared = (uintptr_t)low,
				       .sites = (uintptr_t)low + 4096,
				       .mem = (uintptr_t)low + 8192,
				       .word = WORD};
	write_record(o);
	rings = rings_new();
}

static void begin(uint64_t ring_size)
{
	set_up();
	memset(block, 0, HOOK_BLOCK_HEADER + 4096);
	block->ring = (uintptr_t)block + 65536;
	block->ring_size = ring_size;
	*shared = (struct hook_shared){.is_recording = 1, .may_call = 1, .pid = (uint32_t)getpid()};
	rings_remove(rings, &ring);
	ring = (struct ring){.data = (uint8_t *)(uintptr_t)block->ring,
			     .size = ring_size,
			     .block = block,
			     .sites = sites,
			     .nsites = &nsites};
	rings_add(rings, &ring);
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(block), "i"(WORD));
}

/* ---- a hit, and what becomes of it ---- */

static struct {
	volatile unsigned made, seen;
} hits[MANY];
static volatile unsigned nhits;

static const char *text_of(uint64_t id)
{
	return &"a text"[id % 6];
}

/* As a trampoline calls. steps: there is a trap after each instruction. */
static void record(unsigned site, uint64_t id, bool steps)
{
	const struct hook_object *o = (const void *)code;
	const uint64_t fns[NSITES] = {[FIXED] = o->functions[HOOK_FN_RECORD],
				      [VARYING] = o->functions[HOOK_FN_RECORD_FULL],
				      [WRITTEN] = WRITTEN_AT};

	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "push %%rax\n"
			 "mov %[site], %%eax\n"
			 "test %[steps], %[steps]\n"
			 "jz 1f\n"
			 "pushf\n"
			 "orl %[flag], (%%rsp)\n"
			 "popf\n"
			 "1: call *%[fn]\n"
			 "pop %%rax\n"
			 "lea 128(%%rsp), %%rsp"
			 :
			 : [site] "r"(site), [steps] "r"((int)steps), [flag] "i"(TRAP_FLAG),
			   [fn] "r"(code + fns[site]), "D"(id), "S"(text_of(id))
			 : "rax", "memory", "cc");
}

static void hit(unsigned site, bool steps)
{
	unsigned id = nhits++;

	CHECK(id < MANY);
	hits[id].made = hits[id].seen = 0;
	record(site, id, steps);
	hits[id].made = 1;
}

static bool is_whole(const struct ring_record *r)
{
	const char *text = text_of(r->words[1]);
	size_t len = strlen(text) + 1;

	if (r->words[2] != (uintptr_t)text)
		return false;
	return r->site != VARYING ? r->nwords == 3
				  : r->nwords == 3 + 2 + ROUND_UP(len, 8) / 8 &&
					    r->words[4] == len && !memcmp(&r->words[5], text, len);
}

static void read_ring(void)
{
	struct ring_record r;

	rings_look(rings);
	while (rings_oldest(rings) != UINT64_MAX) {
		rings_take(rings, &r);
		CHECK(is_whole(&r));
		CHECK(r.words[1] < nhits);
		hits[r.words[1]].seen++;
	}
	rings_look(rings);
}

/* Nothing is lost but what was counted; where nobody came back it may be there, or not, or have
 * been counted. */
static void check_hits(void)
{
	uint64_t lost = 0, open = 0;

	read_ring();
	for (unsigned i = 0; i < nhits; i++) {
		CHECK(hits[i].seen <= 1);
		lost += hits[i].made && !hits[i].seen;
		open += !hits[i].made && !hits[i].seen;
	}
	CHECK(cells[DROPS_CELL] - lost <= open);
	CHECK_EQ(ring.nbad, 0);
	CHECK_EQ(block->tail, block->head);
	nhits = 0;
	cells[DROPS_CELL] = 0;
}

/* ---- breakpoints ---- */

/* A round: the record at depth 0 is interrupted by one at depth 1, and so on. */
static struct {
	unsigned deepest;
	unsigned sites[DEEPEST + 1];
	unsigned at[DEEPEST]; /* where those of each depth are interrupted */
	int jump_to;	      /* depth that the last handler goes back to; -1: none */
	unsigned many;	      /* more records of the last handler, ... */
	bool reads;	      /* ... which are read at once */
	bool learns;	      /* its record is stepped through */
	/* of the round: */
	volatile unsigned depth;
	volatile bool was_interrupted;
} plan;
static sigjmp_buf places[DEEPEST];
static volatile unsigned planted; /* there stands int3, 0: nowhere ... */
static volatile uint8_t replaced; /* ... instead of this */

static struct { /* instructions that records have run, in some order */
	bool is_known[1 << 16];
	unsigned v[1 << 10], n;
} insns;

static void plant(unsigned at)
{
	planted = at;
	replaced = code[at];
	code[at] = 0xcc;
}

static void take_out(void)
{
	if (planted)
		code[planted] = replaced;
	planted = 0;
}

static void act(void)
{
	unsigned depth = plan.depth;

	if (depth < plan.deepest) {
		if (sigsetjmp(places[depth], 1) == 0) {
			plant(plan.at[depth]);
			hit(plan.sites[depth], false);
		}
		plan.depth = depth;
		take_out();
		return;
	}
	hit(plan.sites[depth], plan.learns);
	for (unsigned i = 0; i < plan.many; i++) {
		hit(plan.sites[depth], false);
		if (plan.reads && i % 16 == 0)
			read_ring();
	}
	if (plan.jump_to >= 0)
		siglongjmp(places[plan.jump_to], 1);
}

/* False: it was the last one. */
static bool learn(uint64_t off)
{
	if (off >= CODE_SIZE)
		return false;
	if (!insns.is_known[off])
		insns.v[insns.n++] = (unsigned)off;
	insns.is_known[off] = true;
	return true;
}

/* The thread sanitizer fills the mask of each handler, whatever SA_NODEFER says. */
static void allow_nested(void)
{
#ifdef __SANITIZE_THREAD__
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
}

static void trap(int sig, siginfo_t *si, void *ctx)
{
	greg_t *regs = ((ucontext_t *)ctx)->uc_mcontext.gregs;
	uint64_t off = (uint64_t)regs[REG_RIP] - (uintptr_t)code;

	(void)sig;
	(void)si;
	allow_nested();
	if (regs[REG_EFL] & TRAP_FLAG) {
		if (!learn(off))
			regs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	take_out();
	regs[REG_RIP]--;
	plan.was_interrupted = true;
	plan.depth++;
	act();
	plan.depth--;
}

/* Then records go on as ever. */
static bool run(void)
{
	plan.depth = 0;
	plan.was_interrupted = false;
	act();
	check_hits();
	for (unsigned i = 0; i < 3; i++)
		hit(i % NSITES, false);
	check_hits();
	return plan.was_interrupted;
}

/* Where records of a handler run differs from where others do. */
static void start(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_NODEFER};

	begin(RING_SIZE);
	CHECK_EQ(sigaction(SIGTRAP, &sa, NULL), 0);
	memset(&plan, 0, sizeof(plan));
	plan.jump_to = -1;
	if (insns.n)
		return;
	for (unsigned i = 0; i < 2 * NSITES; i++) {
		hit(i % NSITES, true);
		check_hits();
	}
	plan.deepest = 1;
	plan.learns = true;
	for (unsigned i = 0; i < insns.n; i += 9) {
		plan.at[0] = insns.v[i];
		run();
	}
	plan.learns = false;
	CHECK(insns.n > 150);
}

/* The records of that depth and those below are interrupted at each step-th instruction. How often
 * one was. */
static unsigned at_each(unsigned depth, unsigned step)
{
	unsigned n = 0;

	for (unsigned i = 0; i < insns.n; i += step) {
		plan.at[depth] = insns.v[i];
		n += depth + 1 < plan.deepest ? at_each(depth + 1, step) : run();
	}
	return n;
}

/* Of the sites at three depths the ith combination. */
#define COMBINATIONS (NSITES * NSITES * NSITES)
static void choose_sites(unsigned i)
{
	for (unsigned k = 0; k < 3; k++, i /= NSITES)
		plan.sites[k] = i % NSITES;
}

TEST(a_handler_records_at_any_instruction)
{
	start();
	plan.deepest = 1;
	for (unsigned i = 0; i < NSITES * NSITES; i++) {
		choose_sites(i);
		CHECK(at_each(0, 1) > 30);
		for (unsigned k = 0; k < HOOK_KEPT; k++)
			CHECK_EQ(block->kept[k], 0);
	}
}

TEST(a_handler_of_a_handler_records_at_any_instruction)
{
	start();
	plan.deepest = 2;
	CHECK(at_each(0, 3) > 100);
	for (unsigned i = 1; i < COMBINATIONS; i++) {
		choose_sites(i);
		CHECK(at_each(0, 5) > 30);
	}
	plan.deepest = 3;
	CHECK(at_each(0, 13) > 100);
	for (unsigned k = 0; k < HOOK_KEPT; k++)
		CHECK_EQ(block->kept[k], 0);
}

TEST(a_handler_never_comes_back)
{
	start();
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		choose_sites(i);
		plan.deepest = 1;
		plan.jump_to = 0;
		CHECK(at_each(0, 1) > 30);
		plan.deepest = 2;
		for (plan.jump_to = 0; plan.jump_to < 2; plan.jump_to++)
			CHECK(at_each(0, 7) > 20);
	}
}

TEST(a_handler_fills_the_ring_several_times)
{
	start();
	plan.many = 500;
	for (unsigned i = 0; i < 2 * NSITES; i++) {
		plan.deepest = 1;
		plan.reads = i & 1;
		plan.sites[0] = i / 2;
		CHECK(at_each(0, 1) > 30);
	}
	plan.deepest = 2;
	plan.reads = true;
	plan.sites[0] = VARYING;
	CHECK(at_each(0, 17) > 100);
}

/* ---- a reader meanwhile ---- */

#define LAST 400000

static volatile sig_atomic_t nticks;
static int is_over;

static void tick(int sig)
{
	(void)sig;
	for (unsigned i = 0; i < 5; i++)
		record(i % NSITES, LAST + (uint64_t)nticks++, false);
}

/* Both rows of numbers are there without a hole. */
static void *read_on(void *arg)
{
	uint64_t next = 0, next_tick = LAST, *last_tick = arg;
	bool was_over;
	struct ring_record r;

	do {
		was_over = __atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
		rings_look(rings);
		while (rings_oldest(rings) != UINT64_MAX) {
			uint64_t *due;

			rings_take(rings, &r);
			due = r.words[1] < LAST ? &next : &next_tick;
			if (!is_whole(&r) || r.words[1] != *due)
				return NULL;
			++*due;
		}
	} while (!was_over);
	*last_tick = next_tick;
	return &is_over;
}

TEST(a_reader_sees_all_of_it_meanwhile)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = tick};
	uint64_t last_tick;
	pthread_t reader;
	void *result;
	sigset_t ours;

	begin(4 * RING_SIZE);
	sigemptyset(&ours);
	sigaddset(&ours, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &ours, NULL); /* it has no ring */
	shared->wait_ticks = 20000000000;
	CHECK_EQ(pthread_create(&reader, NULL, read_on, &last_tick), 0);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint64_t i = 0; i < LAST; i++)
		record(i % 3, i, false);
	setitimer(ITIMER_REAL, &never, NULL);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	pthread_join(reader, &result);
	CHECK(result == &is_over);
	CHECK_EQ(last_tick, LAST + (uint64_t)nticks);
	CHECK_EQ(ring.nbad, 0);
	CHECK_EQ(cells[DROPS_CELL], 0);
}

/* Of each kind of record, the one behind a loss. */
TEST(the_first_record_behind_a_loss_tells)
{
	for (unsigned site = 0; site < NSITES; site++) {
		struct ring_record r;
		uint64_t id = 0;
		bool told = false;

		begin(RING_SIZE);
		cells[DROPS_CELL] = 0;
		while (!cells[DROPS_CELL])
			record(VARYING, id++, false);
		record(WRITTEN, id++, false); /* smaller: it would have found room */
		rings_look(rings);
		while (rings_oldest(rings) != UINT64_MAX) {
			rings_take(rings, &r);
			CHECK(!r.is_after_loss || r.words[1] == id - 1);
			told |= r.is_after_loss;
		}
		rings_look(rings);
		record(site, 1000, false);
		record(site, 1001, false);
		rings_look(rings);
		rings_take(rings, &r);
		CHECK_EQ(r.words[1], 1000);
		CHECK_EQ(r.is_after_loss, !told);
		rings_take(rings, &r);
		CHECK_EQ(r.words[1], 1001);
		CHECK(!r.is_after_loss);
	}
	cells[DROPS_CELL] = 0;
}

TEST_MAIN();
