/*
 * Random operations on texts of memory, numbers and texts that are known: what subroutines make of
 * them, and that compared, measured, searched, or as a key: as machine code, with the hook object
 * that it calls, and by the D machine: the same value, or a fault of both. NATIVE_PROGRAMS: how
 * many; NATIVE_SEED: of which.
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
#define SHARED	(BLOCK + 65536)
#define TABLE	(BLOCK + 131072)
#define MAPPED	(1UL << 23)
#define ROOMS	64
#define ENTRIES 65536 /* of the table: behind its rooms */
#define CODE	16384 /* and then the hook object */
#define STRSIZE 32
#define LONGEST 40
#define WORDS	1 /* locals */
#define NWORDS	6

static const struct {
	enum hook_read_op op;
	unsigned subr, ntexts;
} questions[] = {{HOOK_READ_LENGTH, SUBR_STRLEN, 1},
		 {HOOK_READ_INDEX, SUBR_INDEX, 2},
		 {HOOK_READ_RINDEX, SUBR_RINDEX, 2},
		 {HOOK_READ_NUMBER, SUBR_STRTOLL, 1},
		 {HOOK_READ_ORDER, 0, 2},
		 {HOOK_READ_KEY, SUBR_STRJOIN, 1}};

static const struct {
	enum hook_text_op op;
	unsigned subr, ntexts;
} makers[] = {{HOOK_TEXT_SUBSTR, SUBR_SUBSTR, 1},   {HOOK_TEXT_BASENAME, SUBR_BASENAME, 1},
	      {HOOK_TEXT_DIRNAME, SUBR_DIRNAME, 1}, {HOOK_TEXT_CLEANPATH, SUBR_CLEANPATH, 1},
	      {HOOK_TEXT_TOUPPER, SUBR_TOUPPER, 1}, {HOOK_TEXT_TOLOWER, SUBR_TOLOWER, 1},
	      {HOOK_TEXT_STRCHR, SUBR_STRCHR, 1},   {HOOK_TEXT_STRRCHR, SUBR_STRRCHR, 1},
	      {HOOK_TEXT_STRSTR, SUBR_STRSTR, 2},   {HOOK_TEXT_STRTOK, SUBR_STRTOK, 2},
	      {HOOK_TEXT_STRJOIN, SUBR_STRJOIN, 2}};

/* A program: as steps, and as instructions of the rig. */
static struct {
	unsigned question;
	int param;
	struct native_texts texts;
	uint64_t words[NWORDS];
	unsigned nwords;
	char known[HOOK_STEPS][LONGEST + 1];
} p;

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

/* Of few letters: parts of one come in another, and some are paths or numbers. */
static void letters(char *to, unsigned max)
{
	unsigned len = below(max + 1);
	const char *some = below(2) ? "aaB\x80" : below(2) ? "a/./" : "1-0x";

	for (unsigned i = 0; i < len; i++)
		to[i] = some[below(4)];
	to[len] = '\0';
}

/* Some end where memory does, or would behind that. */
static taddr_t place(void)
{
	char text[LONGEST + 1];
	unsigned at;

	letters(text, LONGEST);
	at = below(4) ? 64 * (1 + below(TARGET_SIZE / 64 - 2)) + below(8)
		      : TARGET_SIZE - (unsigned)strlen(text) - below(8) / 7;
	for (unsigned i = 0; i <= strlen(text) && at + i < TARGET_SIZE; i++)
		rig.memory[at + i] = text[i];
	return TARGET_BASE + at;
}

static void push_text(unsigned reg)
{
	rig_setx(STRSIZE, 7);
	rig_emit(DIF_FMT(DIF_OP_PUSHTR, DIF_PUSH_STRING, 7, reg));
}

static void push_number(uint64_t number)
{
	rig_setx(number, 6);
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, 6));
}

static void push_int(int number)
{
	push_number((uint64_t)(int64_t)number);
}

static void call(unsigned subr, unsigned reg)
{
	rig_emit(DIF_INDEX(DIF_OP_CALL, subr, reg));
}

static void flush(void)
{
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
}

static struct hook_text_step *add_step(enum hook_text_op op)
{
	struct hook_text_step *step = &p.texts.steps[p.texts.n++];

	*step = (struct hook_text_step){.op = (uint16_t)op, .count = HOOK_TEXT_ALL};
	return step;
}

static struct hook_text_step *add_word(enum hook_text_op op, uint64_t word, unsigned size)
{
	struct hook_text_step *step = add_step(op);

	step->nth = (uint16_t)p.nwords;
	step->size = size;
	p.words[p.nwords++] = word;
	return step;
}

static void make_known(unsigned reg)
{
	char *text = p.known[p.texts.n];

	p.texts.known[p.texts.n] = text;
	letters(text, below(3) ? 3 : LONGEST);
	add_step(HOOK_TEXT_KNOWN)->size = (uint32_t)strnlen(text, STRSIZE);
	rig_sets(text, reg);
}

static void make_copy(unsigned reg)
{
	taddr_t at = below(50) ? place() : 0;
	unsigned size = below(4) ? STRSIZE : 1 + below(STRSIZE);

	add_word(HOOK_TEXT_AT, at, size - 1);
	flush();
	push_number(at);
	if (size < STRSIZE)
		push_int((int)size);
	call(SUBR_COPYINSTR, reg);
}

static void make_plain(unsigned reg)
{
	taddr_t at = below(30) ? place() : 0;

	add_word(HOOK_TEXT_PLAIN, at, STRSIZE);
	rig_setx(at, reg);
}

static uint64_t some_number(void)
{
	uint64_t v = (uint64_t)below(1U << 16) << 32 ^ below(1U << 31);

	return below(3) ? v >> below(48) : -(v >> below(48));
}

static void make_number(unsigned reg)
{
	static const int bases[] = {2, 7, 8, 10, 16, 36};
	int base = bases[below(ARRAY_SIZE(bases))];
	struct hook_text_step *step = add_word(HOOK_TEXT_NUMBER, some_number(), STRSIZE);

	step->start = base;
	flush();
	push_number(p.words[step->nth]);
	if (base != 10 || below(2))
		push_int(base);
	call(SUBR_LLTOSTR, reg);
}

static void make_source(unsigned reg)
{
	unsigned kind = p.nwords < NWORDS ? below(8) : 7;

	if (kind < 4)
		make_copy(reg);
	else if (kind < 6)
		make_plain(reg);
	else if (kind == 6)
		make_number(reg);
	else
		make_known(reg);
}

/* What is pushed behind the texts. */
static void push_params(struct hook_text_step *step)
{
	if (step->op == HOOK_TEXT_SUBSTR) {
		step->start = (int)below(2 * STRSIZE) - STRSIZE;
		push_int(step->start);
		if (below(2))
			return;
		step->count = (int)below(STRSIZE) - STRSIZE / 4;
		push_int(step->count);
	} else if (step->op == HOOK_TEXT_STRCHR || step->op == HOOK_TEXT_STRRCHR) {
		step->start = "a/B\x80"[below(4)];
		push_int(step->start);
	} else if (step->op == HOOK_TEXT_STRJOIN) {
		step->size = STRSIZE;
	}
}

static void make(unsigned reg, unsigned depth)
{
	unsigned maker = below(ARRAY_SIZE(makers));

	if (!depth || !below(3)) {
		make_source(reg);
		return;
	}
	make(reg, depth - 1);
	if (makers[maker].ntexts > 1)
		make(reg + 1, depth - 1);
	flush();
	push_text(reg);
	if (makers[maker].ntexts > 1)
		push_text(reg + 1);
	push_params(add_step(makers[maker].op));
	call(makers[maker].subr, reg);
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

/* A key is joined with nothing: that is a copy in the machine's memory. */
static void emit_question(void)
{
	enum hook_read_op op = questions[p.question].op;

	if (op == HOOK_READ_KEY)
		rig_sets("", 2);
	flush();
	push_text(1);
	if (questions[p.question].ntexts > 1 || op == HOOK_READ_KEY)
		push_text(2);
	p.param = op == HOOK_READ_RINDEX ? INT32_MAX : op == HOOK_READ_NUMBER ? 10 : 0;
	if (op == HOOK_READ_NUMBER && below(2))
		push_int(p.param = (int)(below(2) ? 16 : 2 + below(35)));
	else if ((op == HOOK_READ_INDEX || op == HOOK_READ_RINDEX) && below(2))
		push_int(p.param = (int)below(STRSIZE + 8) - 4);
	call(questions[p.question].subr, 1);
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
}

static void make_program(void)
{
	p.question = below(ARRAY_SIZE(questions));
	p.nwords = p.texts.n = 0;
	rig_begin();
	make(1, questions[p.question].ntexts > 1 ? 2 : 3);
	if (questions[p.question].ntexts > 1)
		make(2, 2);
	if (questions[p.question].op == HOOK_READ_ORDER)
		emit_order();
	else
		emit_question();
}

/* ---- by the D machine ---- */

static bool is_int(void)
{
	return questions[p.question].op == HOOK_READ_INDEX ||
	       questions[p.question].op == HOOK_READ_RINDEX;
}

/* False: it faults. */
static bool by_machine(uint64_t *value)
{
	struct err err = {0};

	rig.difo.type = questions[p.question].op == HOOK_READ_KEY ? &rig_string : &rig_int64;
	rig.difo.text = rig.text;
	rig.difo.ints = rig.ints;
	rig.difo.strs = rig.strs;
	rig.difo.vars = rig.vars;
	if (verify_difo(&rig.difo, &err))
		CHECK_STR(err.text, "");
	vm_begin_clause(rig.vm, &rig.ecb);
	if (!vm_run(rig.vm, &rig.difo, value))
		return false;
	if (is_int())
		*value = (uint64_t)(int64_t)(int32_t)*value;
	return true;
}

/* ---- as machine code ---- */

static void write_code(void)
{
	const struct hook_object *o = (const void *)(code + CODE);
	const struct native_context context = {.word = WORD, .frame = NATIVE_ANY_FRAME};
	const struct native_type word = {8, false};
	const struct native_read r = {
		.function = (taddr_t)(uintptr_t)o + o->functions[HOOK_FN_READ],
		.what = {.op = (uint16_t)questions[p.question].op,
			 .param = p.param,
			 .rooms = HOOK_ROOMS_AT(ROOMS, (ENTRIES - ROOMS) / 8 / HOOK_ROOMS)},
		.texts = &p.texts,
		.words = WORDS,
		.nwords = p.nwords};
	unsigned without;

	native_begin(&n, &context);
	native_expr(&n);
	for (unsigned i = 0; i < p.nwords; i++) {
		native_constant(&n, 1, p.words[i]);
		native_store_local(&n, WORDS + i, 1, word);
	}
	without = native_read(&n, &r, 1, 1);
	native_store_block(&n, 0, 1, word);
	native_constant(&n, 2, 1);
	native_store_block(&n, 8, 2, word);
	native_here(&n, without);
	CHECK(native_end(&n) > 0);
}

static bool by_code(uint64_t *value)
{
	volatile uint64_t *out = (volatile uint64_t *)BLOCK;
	int len;

	write_code();
	code[0] = 0x50; /* push %rax */
	len = native_copy(&n, (taddr_t)(uintptr_t)code + 1, code + 1);
	CHECK(len > 0);
	memcpy(code + 1 + len, (const uint8_t[]){0x58, 0xc3}, 2); /* pop %rax; ret */
	memcpy((void *)TARGET_BASE, rig.memory, TARGET_SIZE);
	out[0] = out[1] = 0;
	__asm__ volatile("lea -512(%%rsp), %%rsp\n\tcall *%0\n\tlea 512(%%rsp), %%rsp"
			 :
			 : "r"(code)
			 : "memory", "cc");
	*value = out[0];
	return out[1];
}

static const uint64_t *entry_words(uint32_t number)
{
	const char *entries = (const char *)TABLE + ENTRIES + HOOK_ENTRIES;

	return (const void *)(entries - HOOK_ENTRY_ALIGN + number + sizeof(struct hook_entry));
}

/* The number of a key is that of an entry with the text's length and characters. */
static bool is_same(uint64_t by_code, uint64_t by_machine)
{
	const uint64_t *words;
	const char *text = (const char *)(uintptr_t)by_machine;

	if (questions[p.question].op != HOOK_READ_KEY)
		return by_code == by_machine;
	words = entry_words((uint32_t)by_code);
	return (by_code & HOOK_TEXT_KEY) && words[0] == strlen(text) &&
	       !memcmp(words + 1, text, words[0]);
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
	map(BLOCK, MAPPED);
	map(TARGET_BASE, TARGET_SIZE);
	shared->pid = (uint32_t)getpid();
	shared->may_call = 1;
	o = (void *)(code + CODE);
	o->where.shared = SHARED;
	o->where.table_words = ENTRIES;
	((struct hook_block *)BLOCK)->table = TABLE;
	((struct hook_table *)TABLE)->room = BLOCK + MAPPED - TABLE - ENTRIES - HOOK_ENTRIES;
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCK), "i"(WORD));
	rig_new(STRSIZE, 1 << 16);
	rig_start();
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *v = getenv(name);

	return v ? strtoul(v, NULL, 0) : otherwise;
}

static void show(unsigned long i)
{
	struct strbuf text = {0};

	difo_print(&rig.difo, &text);
	printf("program %lu, question %u:", i, p.question);
	for (unsigned k = 0; k < p.texts.n; k++)
		printf(" %u(%u %d %d)", p.texts.steps[k].op, p.texts.steps[k].size,
		       p.texts.steps[k].start, p.texts.steps[k].count);
	printf("\n%s\n", text.s);
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

		seed = (first + i) * 0x9e3779b97f4a7c15ULL;
		make_program();
		can_run = by_machine(&machine_says);
		is_there = by_code(&code_says);
		nfaults += !can_run;
		if (is_there != can_run || (can_run && !is_same(code_says, machine_says))) {
			printf("%d %llx in machine code, %d %llx by the D machine\n", is_there,
			       (unsigned long long)code_says, can_run,
			       (unsigned long long)machine_says);
			show(first + i);
			CHECK(false);
		}
	}
	CHECK(nfaults && nfaults < programs / 2);
}

TEST_MAIN();
