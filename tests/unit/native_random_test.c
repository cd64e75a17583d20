/*
 * Random expressions: as machine code, instruction by instruction as fpid_codegen.c writes them,
 * and run by the D machine: the same value. They work with numbers, this-> variables and arrays of
 * the thread by numbers. NATIVE_PROGRAMS: how many; NATIVE_SEED: of which. A
 * difference is printed with its number: NATIVE_SEED and that number show it again.
 */
#include "inject/x86/native.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/strbuf.h"
#include "hook/element.h"
#include "inject/hookobj.h"
#include "providers/fpid/fpid_compute.h"
#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

#define WORD	 0x278 /* of the control block that glibc leaves alone */
#define BLOCK	 0x560000000000UL
#define NVARS	 4
#define NARRAYS	 2
#define ARRAYS	 (DIF_VAR_USER + NVARS) /* their numbers */
#define PUSHED	 (1 + NVARS)		/* locals: the key, and what is assigned */
#define TABLE	 (BLOCK + 65536)
#define ARRAY(i) HOOK_ARRAY(64 + 65536 * (i), HOOK_USED_BITS)
#define CODE	 16384 /* and then the hook object */
#define LENGTH	 40    /* instructions, besides those at both ends */
#define RDX_IS	 77    /* arg2 */
#define FAULTED	 0xfa017edfa017edUL

static const struct type types[NVARS] = {{.kind = TYPE_INT, .size = 8, .is_signed = true},
					 {.kind = TYPE_INT, .size = 4, .is_signed = true},
					 {.kind = TYPE_INT, .size = 2},
					 {.kind = TYPE_INT, .size = 1, .is_signed = true}};
static const unsigned array_types[NARRAYS] = {0, 3};
static struct native n;
static uint8_t *code;
static uint64_t seed;
static struct fpid_constants known;    /* of registers, as the code is written */
static unsigned zeros[LENGTH], nzeros; /* jumps of divisions by 0 */

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static unsigned below(unsigned max)
{
	return (unsigned)(next() >> 20) % max;
}

static uint64_t any(void)
{
	static const uint64_t edges[] = {0,	     1,
					 2,	     UINT64_MAX,
					 INT64_MAX,  (uint64_t)INT64_MIN,
					 INT32_MAX,  (uint64_t)INT32_MIN,
					 UINT32_MAX, 127,
					 128,	     255};

	switch (below(4)) {
	case 0:
		return edges[below(ARRAY_SIZE(edges))];
	case 1:
		return below(256);
	case 2:
		return -(uint64_t)below(256);
	default:
		return next() >> below(64);
	}
}

/* ---- a program ---- */

static uint16_t var(void)
{
	return (uint16_t)(DIF_VAR_USER + below(NVARS));
}

static unsigned reg(void)
{
	return 1 + below(7);
}

static void divide(void)
{
	static const unsigned ops[] = {DIF_OP_SDIV, DIF_OP_UDIV, DIF_OP_SREM, DIF_OP_UREM};
	unsigned by = reg();

	if (below(2))
		rig_setx(any(), by);
	else if (below(4)) /* rarely 0 */
		rig_emit(DIF_FMT(DIF_OP_OR, by, reg(), by));
	rig_emit(DIF_FMT(ops[below(4)], below(8), by, reg()));
}

static void calculate(void)
{
	static const unsigned ops[] = {DIF_OP_OR,  DIF_OP_XOR, DIF_OP_AND, DIF_OP_SLL,
				       DIF_OP_SRL, DIF_OP_SRA, DIF_OP_SUB, DIF_OP_ADD,
				       DIF_OP_MUL, DIF_OP_NOT, DIF_OP_MOV};
	unsigned op = ops[below(ARRAY_SIZE(ops))];
	bool has_one = op == DIF_OP_NOT || op == DIF_OP_MOV;

	rig_emit(DIF_FMT(op, below(8), has_one ? 0 : below(8), reg()));
}

/* One or two branches by the same comparison, forward; where they lead is filled in at the end. */
static void branch(void)
{
	static const unsigned ops[] = {DIF_OP_BE, DIF_OP_BNE,  DIF_OP_BG,  DIF_OP_BGU, DIF_OP_BGE,
				       DIF_OP_BL, DIF_OP_BGEU, DIF_OP_BLU, DIF_OP_BLE, DIF_OP_BLEU};

	if (below(4))
		rig_emit(DIF_FMT(DIF_OP_CMP, below(8), below(8), 0));
	else
		rig_emit(DIF_FMT(DIF_OP_TST, below(8), 0, 0));
	do
		rig_emit(DIF_LABEL(ops[below(ARRAY_SIZE(ops))], 0));
	while (!below(3));
	if (!below(4))
		rig_emit(DIF_LABEL(DIF_OP_BA, 0));
}

/* Few keys come again and again. */
static void element(void)
{
	unsigned key = reg(), id = ARRAYS + below(NARRAYS);

	if (below(4))
		rig_setx(below(3), key);
	rig_emit(DIF_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	rig_emit(DIF_FMT(DIF_OP_PUSHTV, DIF_PUSH_INT, 0, key));
	rig_emit(DIF_INDEX(below(2) ? DIF_OP_LDTAA : DIF_OP_STTAA, id, reg()));
}

static void one(void)
{
	switch (below(10)) {
	case 0:
		rig_setx(any(), reg());
		break;
	case 1:
		divide();
		break;
	case 2:
		branch();
		break;
	case 3:
		rig_emit(DIF_INDEX(DIF_OP_STLS, var(), reg()));
		break;
	case 4:
		rig_emit(DIF_INDEX(DIF_OP_LDLS, var(), reg()));
		break;
	case 5:
		rig_emit(DIF_INDEX(DIF_OP_LDGS, BUILTIN_ARG0 + 2, reg()));
		break;
	case 6:
	case 7:
		element();
		break;
	default:
		calculate();
	}
}

static bool is_branch(uint32_t insn)
{
	return insn_class[DIF_OP(insn)] & INSN_BRANCH;
}

static bool is_comparison(uint32_t insn)
{
	return DIF_OP(insn) == DIF_OP_CMP || DIF_OP(insn) == DIF_OP_TST;
}

static bool is_element(uint32_t insn)
{
	unsigned op = DIF_OP(insn);

	return op == DIF_OP_PUSHTV || op == DIF_OP_LDTAA || op == DIF_OP_STTAA;
}

/* Not between a comparison and its branches, nor behind the key of an element. */
static bool may_be_led_to(unsigned at)
{
	uint32_t insn = rig.text[at];

	return !is_branch(insn) && !is_element(insn) &&
	       !(is_comparison(rig.text[at - 1]) && is_branch(insn));
}

static void lead_on(unsigned from, unsigned end)
{
	unsigned to = from + 1 + below(9);

	while (to < end && !may_be_led_to(to))
		to++;
	rig.text[from] = DIF_LABEL(DIF_OP(rig.text[from]), MIN(to, end));
}

/* All registers hold something from the start, and the value depends on all of them. */
static void make(void)
{
	unsigned end;

	rig_begin();
	for (unsigned i = 0; i < NVARS; i++) {
		rig_var(DIF_SCOPE_THIS, (uint16_t)(DIF_VAR_USER + i), false);
		rig.vars[i].is_read = rig.vars[i].is_written = true;
		rig.vars[i].type = &types[i];
	}
	for (unsigned i = 0; i < NARRAYS; i++) {
		rig_var(DIF_SCOPE_SELF, (uint16_t)(ARRAYS + i), true);
		rig.vars[NVARS + i].is_read = rig.vars[NVARS + i].is_written = true;
		rig.vars[NVARS + i].type = &types[array_types[i]];
	}
	rig.vars[rig.difo.nvars++] = (struct dif_var){.name = "arg2",
						      .id = BUILTIN_ARG0 + 2,
						      .scope = DIF_SCOPE_GLOBAL,
						      .is_read = true,
						      .type = &rig_int64};
	rig.difo.type = &rig_int64;
	rig_setx(0, 1);
	for (unsigned i = 0; i < NVARS; i++)
		rig_emit(DIF_INDEX(DIF_OP_STLS, DIF_VAR_USER + i, 1));
	for (unsigned r = 1; r < NATIVE_NREGS; r++)
		rig_setx(any(), r);
	for (unsigned i = below(LENGTH); i > 0 && rig.difo.nints < 60; i--)
		one();
	end = rig.difo.ninsns;
	for (unsigned r = 2; r < NATIVE_NREGS; r++)
		rig_emit(DIF_FMT(r & 1 ? DIF_OP_ADD : DIF_OP_XOR, 1, r, 1));
	for (unsigned i = 0; i < NVARS; i++) {
		rig_emit(DIF_INDEX(DIF_OP_LDLS, DIF_VAR_USER + i, 2));
		rig_emit(DIF_FMT(DIF_OP_ADD, 1, 2, 1));
	}
	rig_emit(DIF_FMT(DIF_OP_RET, 0, 0, 1));
	for (unsigned i = 0; i < end; i++)
		if (is_branch(rig.text[i]))
			lead_on(i, end);
	rig.difo.text = rig.text;
	rig.difo.ints = rig.ints;
	rig.difo.strs = rig.strs;
	rig.difo.vars = rig.vars;
}

/* ---- as the D machine runs it, and as machine code ---- */

static uint64_t by_machine(void)
{
	struct err err = {0};
	uint64_t v = 0;

	if (verify_difo(&rig.difo, &err))
		CHECK_STR(err.text, "");
	vm_begin_clause(rig.vm, &rig.ecb);
	if (vm_run(rig.vm, &rig.difo, &v))
		return v;
	CHECK_EQ(rig.vm->fault, FAULT_DIVZERO);
	return FAULTED;
}

static void write_branch(unsigned i, unsigned a, unsigned b)
{
	struct native_jump jump = {.cond = fpid_insns[DIF_OP(rig.text[i])].cond,
				   .a = a,
				   .b = b,
				   .to = DIF_GETLABEL(rig.text[i])};

	if (is_branch(rig.text[i + 1]))
		jump.live = 1U << a | 1U << b;
	for (unsigned k = i + 1; k < rig.difo.ninsns; k++)
		jump.live |= fpid_reads(rig.text[k]);
	native_branch(&n, &jump);
}

static struct native_type type_of(unsigned type)
{
	return (struct native_type){(unsigned)types[type].size, types[type].is_signed};
}

static void write_element(uint32_t insn)
{
	const struct hook_object *o = (const void *)(code + CODE);
	bool loads = DIF_OP(insn) == DIF_OP_LDTAA;
	unsigned i = DIF_GETINDEX(insn) - ARRAYS;
	struct native_element e = {.array = ARRAY(i), .key = PUSHED};

	e.function = (taddr_t)(uintptr_t)o +
		     o->functions[loads ? HOOK_FN_LOAD_ELEMENT : HOOK_FN_STORE_ELEMENT];
	if (loads)
		native_load_element(&n, &e, DIF_RD(insn));
	else
		native_store_element(&n, &e, DIF_RD(insn), type_of(array_types[i]));
}

/* Constants are known as to fpid_codegen.c. */
static void write_division(uint32_t insn)
{
	unsigned b = DIF_R2(insn), zero;
	const struct native_division how = {.op = fpid_insns[DIF_OP(insn)].divop,
					    .may_be_0 = fpid_may_be_0(&known, b),
					    .may_be_minus_1 = !(known.numbers >> b & 1) ||
							      known.number[b] == UINT64_MAX};

	zero = native_divide(&n, &how, DIF_RD(insn), DIF_R1(insn), b);
	if (zero)
		zeros[nzeros++] = zero;
}

static void write_insn(unsigned i, unsigned *a, unsigned *b)
{
	uint32_t insn = rig.text[i];
	unsigned op = DIF_OP(insn), rd = DIF_RD(insn), v = DIF_GETINDEX(insn) - DIF_VAR_USER;

	if (fpid_insns[op].divides)
		write_division(insn);
	else if (fpid_insns[op].is_op)
		native_op(&n, fpid_insns[op].op, rd, DIF_R1(insn), DIF_R2(insn));
	else if (is_branch(insn))
		write_branch(i, *a, *b);
	else if (is_comparison(insn)) {
		*a = DIF_R1(insn);
		*b = op == DIF_OP_CMP ? DIF_R2(insn) : 0;
	} else if (op == DIF_OP_SETX)
		native_constant(&n, rd, rig.ints[DIF_GETINDEX(insn)]);
	else if (op == DIF_OP_LDGS)
		native_load_saved(&n, rd, offsetof(struct hook_regs, rdx));
	else if (op == DIF_OP_LDLS)
		native_load_local(&n, rd, 1 + v);
	else if (op == DIF_OP_STLS)
		native_store_local(&n, 1 + v, rd, type_of(v));
	else if (op == DIF_OP_PUSHTV)
		native_store_local(&n, PUSHED, rd, (struct native_type){8, false});
	else if (op == DIF_OP_LDTAA || op == DIF_OP_STTAA)
		write_element(insn);
	else if (op == DIF_OP_RET)
		native_return(&n, rd, true);
}

static void write_code(struct native_frame frame)
{
	const struct native_context context = {
		.word = WORD, .frame = frame, .keeps_flags_and_redzone = below(2)};
	unsigned a = 0, b = 0, over;

	native_begin(&n, &context);
	native_expr(&n);
	nzeros = 0;
	fpid_constants_begin(&known, NULL, &rig.difo, NULL, NULL);
	for (unsigned i = 0; i < rig.difo.ninsns; i++) {
		native_label(&n, i);
		fpid_constants_label(&known, i);
		write_insn(i, &a, &b);
		fpid_constants_insn(&known, rig.text[i]);
	}
	native_keep(&n, 0);
	over = native_go(&n);
	while (nzeros)
		native_here(&n, zeros[--nzeros]);
	native_expr(&n);
	native_constant(&n, 1, FAULTED);
	native_store_local(&n, 0, 1, (struct native_type){8, false});
	native_here(&n, over);
	native_expr(&n);
	native_load_local(&n, 1, 0);
	native_store_block(&n, 0, 1, (struct native_type){8, false});
	CHECK(native_end(&n) > 0);
}

static uint64_t by_code(void)
{
	uint64_t rax = 55, rdx = RDX_IS;
	int len;

	write_code(NATIVE_ANY_FRAME);
	if (below(2))
		write_code(n.needs);
	code[0] = 0x50; /* push %rax */
	len = native_copy(&n, (taddr_t)(uintptr_t)code + 1, code + 1);
	CHECK(len > 0);
	memcpy(code + 1 + len, (const uint8_t[]){0x58, 0xc3}, 2); /* pop %rax; ret */
	__asm__ volatile("lea -256(%%rsp), %%rsp\n\tcall *%2\n\tlea 256(%%rsp), %%rsp"
			 : "+a"(rax), "+d"(rdx)
			 : "r"(code)
			 : "memory", "cc");
	CHECK_EQ(rax, 55);
	CHECK_EQ(rdx, RDX_IS);
	return *(volatile uint64_t *)BLOCK;
}

static void set_up(void)
{
	static const struct type *const keys[] = {&rig_int64};

	code = mmap(NULL, CODE + ROUND_UP(HOOKOBJ_SIZE, 4096), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	memcpy(code + CODE, hookobj_bytes, HOOKOBJ_SIZE);
	CHECK(mmap((void *)BLOCK, 65536 * (1 + NARRAYS), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)BLOCK);
	((struct hook_block *)BLOCK)->table = TABLE;
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCK), "i"(WORD));
	rig_new(256, 1 << 16);
	for (unsigned i = 0; i < NVARS; i++)
		vars_define(rig.session->engine->vars, DIF_SCOPE_THIS, (uint16_t)(DIF_VAR_USER + i),
			    "v", &types[i], false);
	for (unsigned i = 0; i < NARRAYS; i++) {
		vars_define(rig.session->engine->vars, DIF_SCOPE_SELF, (uint16_t)(ARRAYS + i), "a",
			    &types[array_types[i]], true);
		vars_set_keys(rig.session->engine->vars, DIF_SCOPE_SELF, (uint16_t)(ARRAYS + i),
			      keys, 1);
	}
	rig.ev.args[2] = RDX_IS;
	rig_start();
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *v = getenv(name);

	return v ? strtoul(v, NULL, 0) : otherwise;
}

static void show(unsigned long program, uint64_t code_says, uint64_t machine_says)
{
	struct strbuf text = {0};

	difo_print(&rig.difo, &text);
	printf("program %lu: %llx in machine code, %llx by the D machine:\n%s\n", program,
	       (unsigned long long)code_says, (unsigned long long)machine_says, text.s);
	strbuf_release(&text);
}

static void clear_elements(void)
{
	for (unsigned i = 0; i < NARRAYS; i++) {
		const struct elements a = elements_of((char *)TABLE, ARRAY(i));

		element_clear(&a);
		vars_forget(rig.session->engine->vars, (uint16_t)(ARRAYS + i), 0);
	}
}

TEST(machine_code_computes_what_the_machine_does)
{
	unsigned long first = number("NATIVE_SEED", 1), programs = number("NATIVE_PROGRAMS", 20000);

	set_up();
	for (unsigned long i = 0; i < programs; i++) {
		uint64_t want, got;

		clear_elements();
		seed = (first + i) * 0x9e3779b97f4a7c15ULL | 1;
		make();
		want = by_machine();
		got = by_code();
		if (got != want) {
			show(first + i, got, want);
			CHECK_EQ(got, want);
			return;
		}
	}
}

TEST_MAIN();
