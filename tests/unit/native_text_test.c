/*
 * Random operations on texts of memory, compared, measured, searched and cut: as machine code, with
 * the hook object that it calls, and by the D machine: the same value, or a fault of both.
 * NATIVE_PROGRAMS: how many; NATIVE_SEED: of which.
 */
#include "inject/x86/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "hook/hook_proto.h"
#include "inject/hookobj.h"
#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

#define WORD	0x278 /* of the control block that glibc leaves alone */
#define BLOCK	0x560000000000UL
#define TABLE	(BLOCK + 65536)
#define SHARED	(BLOCK + 131072)
#define CODE	16384 /* and then the hook object */
#define STRSIZE 32
#define LONGEST 40
#define PAIR	1 /* locals: addresses of both texts */

static const struct {
	enum hook_read_op op;
	unsigned subr;
} ops[] = {{HOOK_READ_LENGTH, SUBR_STRLEN},
	   {HOOK_READ_INDEX, SUBR_INDEX},
	   {HOOK_READ_RINDEX, SUBR_RINDEX},
	   {HOOK_READ_FINDS, SUBR_STRSTR},
	   {HOOK_READ_ORDER, 0}};

/* One text: at an address, or (the second one) known; maybe a part of it. */
struct text {
	taddr_t addr; /* 0: known */
	char known[LONGEST + 1];
	bool is_cut, has_count;
	int start, count;
};

struct question {
	unsigned op;
	struct text texts[2];
};

static struct native n;
static uint8_t *code;
static uint64_t seed;

static unsigned below(unsigned max)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % max;
}

/* ---- a program ---- */

/* Of few letters: parts of one come in another. */
static void letters(char *to, unsigned max)
{
	unsigned len = below(max + 1);

	for (unsigned i = 0; i < len; i++)
		to[i] = "aab\x80"[below(4)];
	to[len] = '\0';
}

/* Some end where memory does, or would behind that. */
static taddr_t place(void)
{
	char text[LONGEST + 1];
	unsigned at;

	letters(text, LONGEST);
	at = below(3) ? 64 * (1 + below(TARGET_SIZE / 64 - 2)) + below(8)
		      : TARGET_SIZE - (unsigned)strlen(text) - below(2);
	for (unsigned i = 0; i <= strlen(text) && at + i < TARGET_SIZE; i++)
		rig.memory[at + i] = text[i];
	return TARGET_BASE + at;
}

static void make_text(struct text *t, bool may_be_known)
{
	*t = (struct text){.is_cut = below(2), .has_count = below(2)};
	t->start = (int)below(2 * STRSIZE) - STRSIZE;
	t->count = (int)below(STRSIZE) - STRSIZE / 4;
	if (!may_be_known || below(2)) {
		t->addr = place();
	} else {
		t->is_cut = false;
		letters(t->known, below(3) ? 3 : LONGEST);
	}
}

static void make(struct question *p)
{
	p->op = below(ARRAY_SIZE(ops));
	make_text(&p->texts[0], false);
	make_text(&p->texts[1], true);
}

/* ---- by the D machine ---- */

static void push_text(unsigned reg)
{
	rig_setx(STRSIZE, 7);
	rig_emit(DIF_FMT(DIF_OP_PUSHTR, DIF_PUSH_STRING, 7, reg));
}

static void push_number(int number)
{
	rig_setx((uint64_t)(int64_t)number, 6);
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, 6));
}

static void call(unsigned subr, unsigned reg)
{
	rig_emit(DIF_INDEX(DIF_OP_CALL, subr, reg));
}

static void flush(void)
{
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
}

static void emit_text(const struct text *t, unsigned reg)
{
	if (!t->addr) {
		rig_sets(t->known, reg);
		return;
	}
	flush();
	rig_setx(t->addr, 6);
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, 6));
	call(SUBR_COPYINSTR, reg);
	if (!t->is_cut)
		return;
	flush();
	push_text(reg);
	push_number(t->start);
	if (t->has_count)
		push_number(t->count);
	call(SUBR_SUBSTR, reg);
}

/* r1 = 1, 2, 3 where it is less, equal, greater */
static void emit_order(void)
{
	rig_emit(DIF_FMT(DIF_OP_SCMP, 1, 2, 0));
	rig_emit(DIF_LABEL(DIF_OP_BL, rig.difo.ninsns + 4));
	rig_emit(DIF_LABEL(DIF_OP_BE, rig.difo.ninsns + 5));
	rig_setx(3, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	rig_setx(1, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	rig_setx(2, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
}

static void emit_search(const struct question *p)
{
	flush();
	push_text(1);
	if (ops[p->op].op != HOOK_READ_LENGTH)
		push_text(2);
	call(ops[p->op].subr, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
}

/* False: it faults. */
static bool by_machine(const struct question *p, uint64_t *value)
{
	struct err err = {0};

	rig_begin();
	emit_text(&p->texts[0], 1);
	if (ops[p->op].op != HOOK_READ_LENGTH)
		emit_text(&p->texts[1], 2);
	if (ops[p->op].op == HOOK_READ_ORDER)
		emit_order();
	else
		emit_search(p);
	rig.difo.type = ops[p->op].op == HOOK_READ_FINDS ? &rig_string : &rig_int64;
	rig.difo.text = rig.text;
	rig.difo.ints = rig.ints;
	rig.difo.strs = rig.strs;
	rig.difo.vars = rig.vars;
	if (verify_difo(&rig.difo, &err))
		CHECK_STR(err.text, "");
	vm_begin_clause(rig.vm, &rig.ecb);
	if (!vm_run(rig.vm, &rig.difo, value))
		return false;
	if (ops[p->op].op == HOOK_READ_FINDS)
		*value = *value != 0;
	else if (ops[p->op].op != HOOK_READ_ORDER)
		*value = (uint64_t)(int64_t)(int32_t)*value;
	return true;
}

/* ---- as machine code ---- */

static struct hook_text how(const struct text *t)
{
	struct hook_text h = {.size = STRSIZE - 1, .count = HOOK_TEXT_ALL};

	if (t->is_cut) {
		h.start = t->start;
		h.count = t->has_count ? t->count : HOOK_TEXT_ALL;
	}
	return h;
}

static void write_code(const struct question *p, struct native_frame frame)
{
	const struct hook_object *o = (const void *)(code + CODE);
	const struct native_context context = {.word = WORD, .frame = frame};
	const struct native_type word = {8, false};
	const struct text *second = &p->texts[1];
	struct native_read r = {.function = (taddr_t)(uintptr_t)o + o->functions[HOOK_FN_READ],
				.what = {.op = ops[p->op].op, .texts = {how(&p->texts[0])}},
				.pair = PAIR};
	unsigned without;

	r.what.rooms = HOOK_ROOMS_AT(64, HOOK_TEXT_ROOM(HOOK_TEXTS_CHARS(STRSIZE, STRSIZE)));
	if (ops[p->op].op != HOOK_READ_LENGTH && second->addr) {
		r.what.len = HOOK_READ_BOTH;
		r.what.texts[1] = how(second);
	} else if (ops[p->op].op != HOOK_READ_LENGTH) {
		r.text = second->known;
		r.what.len = (uint32_t)strnlen(second->known, STRSIZE);
	}
	native_begin(&n, &context);
	native_expr(&n);
	native_constant(&n, 1, p->texts[0].addr);
	native_constant(&n, 2, second->addr);
	native_store_local(&n, PAIR, 1, word);
	native_store_local(&n, PAIR + 1, 2, word);
	without = native_read(&n, &r, 1, 1);
	native_store_block(&n, 0, 1, word);
	native_constant(&n, 2, 1);
	native_store_block(&n, 8, 2, word);
	native_here(&n, without);
	CHECK(native_end(&n) > 0);
}

static bool by_code(const struct question *p, uint64_t *value)
{
	volatile uint64_t *out = (volatile uint64_t *)BLOCK;
	int len;

	write_code(p, NATIVE_ANY_FRAME);
	code[0] = 0x50; /* push %rax */
	len = native_copy(&n, (taddr_t)(uintptr_t)code + 1, code + 1);
	CHECK(len > 0);
	memcpy(code + 1 + len, (const uint8_t[]){0x58, 0xc3}, 2); /* pop %rax; ret */
	memcpy((void *)TARGET_BASE, rig.memory, TARGET_SIZE);
	out[0] = out[1] = 0;
	__asm__ volatile("lea -256(%%rsp), %%rsp\n\tcall *%0\n\tlea 256(%%rsp), %%rsp"
			 :
			 : "r"(code)
			 : "memory", "cc");
	*value = out[0];
	return out[1];
}

static void map(uint64_t at, size_t size)
{
	CHECK(mmap((void *)at, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)at);
}

static void set_up(void)
{
	struct hook_shared *shared = (void *)SHARED;
	struct hook_object *o;

	code = mmap(NULL, CODE + ROUND_UP(HOOKOBJ_SIZE, 4096), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	memcpy(code + CODE, hookobj_bytes, HOOKOBJ_SIZE);
	map(BLOCK, 65536 * 3);
	map(TARGET_BASE, TARGET_SIZE);
	shared->pid = (uint32_t)getpid();
	shared->may_call = 1;
	o = (void *)(code + CODE);
	o->where.shared = SHARED;
	((struct hook_block *)BLOCK)->table = TABLE;
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCK), "i"(WORD));
	rig_new(STRSIZE, 1 << 16);
	rig_start();
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *v = getenv(name);

	return v ? strtoul(v, NULL, 0) : otherwise;
}

static void show(unsigned long i, const struct question *p)
{
	struct strbuf text = {0};

	difo_print(&rig.difo, &text);
	printf("program %lu, op %u, at 0x%llx and 0x%llx, known \"%s\":\n%s\n", i, p->op,
	       (unsigned long long)p->texts[0].addr, (unsigned long long)p->texts[1].addr,
	       p->texts[1].known, text.s);
	strbuf_release(&text);
}

TEST(machine_code_finds_in_texts_what_the_machine_does)
{
	unsigned long first = number("NATIVE_SEED", 1);
	unsigned long programs = number("NATIVE_PROGRAMS", 20000);
	unsigned nfaults = 0;

	set_up();
	for (unsigned long i = 0; i < programs; i++) {
		uint64_t code_says = 0, machine_says = 0;
		bool is_there, can_run;
		struct question p;

		seed = (first + i) * 0x9e3779b97f4a7c15ULL;
		make(&p);
		can_run = by_machine(&p, &machine_says);
		is_there = by_code(&p, &code_says);
		nfaults += !can_run;
		if (is_there != can_run || (can_run && code_says != machine_says)) {
			printf("%d %llx in machine code, %d %llx by the D machine\n", is_there,
			       (unsigned long long)code_says, can_run,
			       (unsigned long long)machine_says);
			show(first + i, &p);
			CHECK(false);
		}
	}
	CHECK(nfaults && nfaults < programs / 2);
}

TEST_MAIN();
