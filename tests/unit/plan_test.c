/* Which bytes of functions may be replaced: of our own, written as assembly. */
#include "inject/x86/plans.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "inject/x86/retplan.h"
#include "tests/unit/test.h"

/* clang-format off */
#define FUNCTION(name, body)                                                                       \
	".type " name ", @function\n" name ":\n" body "\n.size " name ", .-" name "\n"
__asm__(".text\n.p2align 5\n"
	/* 2 + 1 + 1 bytes; everything is one window */
	FUNCTION("plan_small", "mov %edi, %eax\n ret")
	".p2align 5\n"
	/* a return that is jumped to, and the next instruction behind it: no room at all */
	FUNCTION("plan_full", "test %edi, %edi\n je 1f\n inc %eax\n inc %ebx\n inc %ecx\n"
			      "1: ret\n 2: call plan_small\n jmp 2b")
	".p2align 5\n"
	/* the same behind a call, with a jump that is not moved, and whose address is kept */
	FUNCTION("plan_stuck", "test %edi, %edi\n je 1f\n call plan_small\n 1: ret\n"
			       "2: call plan_small\n jmp 2b")
	".p2align 5\n"
	FUNCTION("plan_loops", "mov %edi, %ecx\n jrcxz 1f\n inc %eax\n inc %ebx\n inc %ecx\n"
			       "1: ret\n 2: call plan_small\n jmp 2b")
	".p2align 5\n"
	/* after a trap, which a handler may go on behind */
	FUNCTION("plan_trapped", "test %edi, %edi\n je 1f\n ud2\n 1: ret\n 2: call plan_small\n jmp 2b")
	".p2align 5\n"
	FUNCTION("plan_known", "test %edi, %edi\n je 1f\n inc %eax\n inc %ebx\n inc %ecx\n"
			       "1: ret\n 2: lea 1b(%rip), %rax\n call plan_small\n jmp 2b")
	".p2align 5\n"
	/* padding stands in front of the return; the jump that leads there is far away */
	FUNCTION("plan_apart", "test %edi, %edi\n je 1f\n mov %edi, %eax\n ret\n nopl 0(%rax)\n"
			       "nopl 0(%rax)\n 1: ret\n 2: call plan_small\n jmp 2b")
	/* no padding within reach: the long jump lies behind that of instructions in a row */
	".p2align 5\n"
	FUNCTION("plan_hosted", ".rept 40\n mov %ebx, %ebx\n jmp .+2\n .endr\n test %edi, %edi\n"
				"je 1f\n mov $1, %eax\n mov $2, %ecx\n mov $3, %edx\n inc %eax\n"
				"1: pop %rbx\n ret\n 2: .rept 40\n mov %ebx, %ebx\n jmp .+2\n"
				".endr\n call plan_small\n jmp 2b")
	".p2align 5\n"
	/* the end of a frame: mov and pop are run elsewhere */
	FUNCTION("plan_frame", "push %rbx\n mov %rdi, %rbx\n call plan_small\n xor %edx, %edx\n"
			       "mov %rbx, %rax\n pop %rbx\n ret")
	"ud2\n .p2align 5\n"
	/* something jumps to the pop: a short jump over pop and ret, to padding */
	FUNCTION("plan_joined", "push %rbx\n mov %rdi, %rbx\n test %edi, %edi\n je 1f\n"
				"call plan_small\n 1: pop %rbx\n ret\n ud2\n")
	".p2align 5\n"
	/* leaves by jumps, conditional and not */
	FUNCTION("plan_tails", "sub $1, %edi\n je plan_small\n sub $2, %edi\n jmp plan_frame")
	".p2align 5\n"
	/* a switch whose table is found: the label in front of the ret counts */
	FUNCTION("plan_switch", "lea 5f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n"
				"notrack jmp *%rax\n 1: inc %eax\n 2: inc %eax\n 3: inc %eax\n ret\n"
				"call plan_small\n ud2")
	".section .rodata\n .p2align 2\n 5: .long 1b-5b, 2b-5b, 3b-5b\n .text\n"
	".p2align 5\n"
	/* the same with a table that is not: nothing before the ret is taken */
	FUNCTION("plan_lost", "mov plan_data(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
			      "add %rdx, %rax\n jmp *%rax\n inc %eax\n inc %eax\n inc %eax\n ret\n"
			      "call plan_small\n ud2")
	".p2align 5\n"
	/* a label whose address is kept in data */
	FUNCTION("plan_labels", "mov %rdi, %rax\n jmp *%rsi\n inc %eax\n plan_label: inc %eax\n"
				"inc %eax\n ret\n call plan_small\n ud2")
	".p2align 5\n"
	/* flags that come in, that go out, and neither: the carry alone; those of another call */
	FUNCTION("plan_flags_in", "mov %edi, %eax\n jz 1f\n inc %eax\n 1: ret")
	FUNCTION("plan_flags_out", "cmp %esi, %edi\n ret\n nopl 0(%rax)")
	FUNCTION("plan_carry", "adc %rsi, %rdi\n mov %rdi, %rax\n setc %dl\n ret")
	FUNCTION("plan_no_flags", "mov %edi, %eax\n ret\n nopl 0(%rax)")
	FUNCTION("plan_looks", "call plan_flags_out\n mov %eax, %edx\n pushf\n pop %rcx\n"
			       "call plan_carry\n setc %al\n call plan_no_flags\n test %eax, %eax\n"
			       "jz 1f\n nop\n 1: ret")
	".p2align 5\n"
	/* three ways to come to a function by 32 bits, and two more that are none */
	FUNCTION("plan_called", "mov %edi, %eax\n ret")
	FUNCTION("plan_calls", "call plan_called\n .byte 0x67\n call plan_called\n test %eax, %eax\n"
			       ".byte 0x0f, 0x84\n .long plan_called - . - 4\n"
			       "jmp 1f\n .byte 0xe8\n .long plan_called - . - 4\n"
			       "1: jrcxz plan_called\n ret")
	".p2align 5\n"
	/* behind its first jump is data; only the short jump itself is replaced */
	FUNCTION("plan_data_inside", "jmp 1f\n .long 0xc031c031\n 1: mov plan_data_inside+2(%rip), %eax\n"
				     "ret")
	".p2align 5\n"
	/* three bytes between two places that are jumped to; two more in front of the return */
	FUNCTION("plan_blocks", "1: test %edi, %edi\n je 2f\n add $1, %edi\n 2: mov $1, %eax\n"
				"mov $2, %ecx\n dec %edi\n jne 1b\n mov $3, %edx\n js 3f\n"
				"mov %eax, %ecx\n 3: pop %rbx\n pop %rbp\n ret\n call plan_small\n ud2")
	".p2align 5\n"
	/* distances are loaded, and nothing jumps by them */
	FUNCTION("plan_loads", "test %edi, %edi\n je 1f\n movslq (%rdx,%rdi,4), %rax\n inc %eax\n"
			       "inc %eax\n inc %eax\n 1: ret\n call plan_small\n ud2")
	".p2align 5\n"
	/* two `ret` that are jumped to, side by side; behind the second one, which is fallen into as
	 * well, is no room either */
	FUNCTION("plan_walks", "cmp $1, %rdi\n je 3f\n mov $0, %eax\n jmp 2f\n 1: add $1, %eax\n"
			       "cmp $1, %rdi\n je 4f\n 2: test $1, %dil\n jne 1b\n"
			       "lea 1(%rdi,%rdi,2), %rdi\n js 1b\n jmp 5f\n 3: ret\n"
			       "5: xor %eax, %eax\n 4: ret\n call plan_small\n ud2")
	".p2align 5\n"
	/* such a ret where more jumps go by addresses in registers than there are tables */
	FUNCTION("plan_unsure", "test %edi, %edi\n .byte 0x0f, 0x84\n .long 4f - . - 4\n"
				"test %esi, %esi\n .byte 0x0f, 0x85\n .long 4f - . - 4\n"
				"lea 6f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n"
				"notrack jmp *%rax\n 1: inc %eax\n jmp *%rsi\n 2: mov $1, %eax\n"
				"4: ret\n call plan_small\n ud2")
	".section .rodata\n .p2align 2\n 6: .long 1b-6b, 2b-6b\n .text\n"
	".p2align 5\n"
	".section .data.rel.local, \"aw\"\n .p2align 3\n plan_data: .quad plan_label\n .text\n");
/* clang-format on */

static struct objfile *self;
static struct codescan *scan;

static unsigned find(const char *name)
{
	const struct func *f[2];
	struct err err;

	if (!self) {
		CHECK_EQ(objfile_open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "self", &self,
				      &err),
			 0);
		scan = codescan_new(self);
	}
	CHECK_EQ(objfile_find(self, name, f, 2), 1);
	return (unsigned)(f[0] - self->funcs);
}

static struct plan plan(const char *name, unsigned kinds)
{
	return plan_function(scan, find(name), kinds);
}

static void check_window(const struct window *w, unsigned off, unsigned size)
{
	CHECK_EQ(w->off, off);
	CHECK_EQ(w->size, size);
}

static void check_stop(const struct window *w, unsigned i, unsigned off, bool is_exit)
{
	CHECK(i < w->nstops);
	CHECK_EQ(w->stops[i].off, off);
	CHECK_EQ(w->stops[i].is_exit, is_exit);
}

TEST(entry_and_return_of_a_small_function_are_one_window)
{
	unsigned i = find("plan_small");
	struct plan p = plan_function(scan, i, PLAN_ENTRY | PLAN_RETURN);

	CHECK_EQ(p.kinds, PLAN_ENTRY | PLAN_RETURN);
	CHECK_EQ(p.nwindows, 1);
	CHECK(p.windows[0].off == 0 && p.windows[0].size >= JUMP_LEN && !p.windows[0].island);
	check_stop(&p.windows[0], 0, 0, false);
	check_stop(&p.windows[0], 1, 2, true);
	CHECK_EQ(p.windows[0].nstops, 2);
	free(p.windows);
}

TEST(the_end_of_a_frame_is_run_elsewhere)
{
	struct plan p = plan("plan_frame", PLAN_ENTRY | PLAN_RETURN);

	CHECK_EQ(p.nwindows, 2);
	check_stop(&p.windows[0], 0, 0, false);
	check_window(&p.windows[1], 11, 5);
	check_stop(&p.windows[1], 0, 4, true);
	free(p.windows);
}

TEST(what_is_jumped_to_begins_a_window)
{
	struct plan p = plan("plan_joined", PLAN_RETURN);

	CHECK_EQ(p.nwindows, 1);
	check_window(&p.windows[0], 13, 2);
	CHECK(p.windows[0].island != 0);
	check_stop(&p.windows[0], 0, 1, true);
	free(p.windows);
}

TEST(a_return_without_room_is_a_breakpoint_and_the_entry_still_a_hook)
{
	static const char *const names[] = {"plan_stuck", "plan_loops", "plan_known",
					    "plan_trapped"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		struct plan p = plan(names[i], PLAN_ENTRY | PLAN_RETURN);

		CHECK_EQ(p.kinds, PLAN_ENTRY);
		CHECK_STR(p.return_why, "a return has no room for a jump");
		CHECK(!p.entry_why);
		CHECK_EQ(p.nwindows, 1);
		free(p.windows);
	}
}

static void check_jump_to_ret(const struct window *w, unsigned i, unsigned off, int ret)
{
	check_stop(w, i, off, true);
	CHECK(w->stops[i].leads_to_ret);
	CHECK_EQ(w->stops[i].ret, ret);
}

TEST(what_leads_to_a_return_without_room_is_moved)
{
	struct plan p = plan("plan_full", PLAN_ENTRY | PLAN_RETURN);

	/* test; je, with what follows it; what falls into the ret: they touch each other */
	CHECK_EQ(p.kinds, PLAN_ENTRY | PLAN_RETURN);
	CHECK_EQ(p.nwindows, 1);
	check_window(&p.windows[0], 0, 11);
	CHECK_EQ(p.windows[0].nstops, 3);
	check_stop(&p.windows[0], 0, 0, false);
	check_jump_to_ret(&p.windows[0], 1, 2, 10);
	check_stop(&p.windows[0], 2, 10, true);
	CHECK(!p.windows[0].stops[2].leads_to_ret);
	free(p.windows);
	p = plan("plan_apart", PLAN_RETURN);
	/* test, je, mov; ret and padding; nothing at the last ret */
	CHECK_EQ(p.kinds, PLAN_RETURN);
	CHECK_EQ(p.nwindows, 2);
	check_window(&p.windows[0], 0, 6);
	check_jump_to_ret(&p.windows[0], 0, 2, 13);
	check_window(&p.windows[1], 6, 7);
	check_stop(&p.windows[1], 0, 0, true);
	free(p.windows);
}

TEST(an_island_lies_among_other_instructions)
{
	struct plan p = plan("plan_hosted", PLAN_RETURN);
	const struct window *host = &p.windows[0], *w = &p.windows[1];
	taddr_t start = self->funcs[find("plan_hosted")].addr;

	CHECK_EQ(p.kinds, PLAN_RETURN);
	CHECK_EQ(p.nwindows, 2);
	CHECK_EQ(host->nstops, 0);
	CHECK_EQ(host->nislands, 1);
	CHECK(host->size >= 2 * JUMP_LEN);
	CHECK(w->is_hosted);
	CHECK_EQ(w->host, host->off);
	CHECK_EQ(w->island, start + (taddr_t)host->off + JUMP_LEN);
	check_stop(w, 0, 1, true);
	free(p.windows);
}

TEST(jumps_that_leave_are_returns)
{
	struct plan p = plan("plan_tails", PLAN_RETURN);

	CHECK_EQ(p.kinds, PLAN_RETURN);
	CHECK_EQ(p.nwindows, 2);
	check_stop(&p.windows[1], 0, 0, true);
	CHECK(p.windows[1].size >= JUMP_LEN); /* two bytes, and padding */
	free(p.windows);
}

TEST(labels_of_tables_are_not_replaced)
{
	struct plan p = plan("plan_switch", PLAN_RETURN);

	/* inc (2 bytes, a label); ret; behind it a call: three bytes, for a short jump */
	CHECK(p.nwindows == 0 || p.windows[0].off == 21);
	CHECK(p.nwindows == 0 || p.windows[0].island);
	free(p.windows);
	p = plan("plan_labels", PLAN_RETURN);
	/* two incs and ret: five bytes from the label on */
	CHECK_EQ(p.nwindows, 1);
	check_window(&p.windows[0], 7, 5);
	free(p.windows);
}

TEST(where_a_table_is_not_found_only_the_return_itself_is_replaced)
{
	struct plan p = plan("plan_lost", PLAN_RETURN);

	CHECK_EQ(p.kinds, 0);
	CHECK_STR(p.return_why, "a return has no room for a jump");
	free(p.windows);
}

/* Of all our own functions: windows lie apart, and no branch we know leads into one. */
TEST(data_behind_a_jump_is_not_replaced)
{
	struct plan p = plan("plan_data_inside", PLAN_ENTRY);

	CHECK_EQ(p.nwindows, 1);
	check_window(&p.windows[0], 0, 2);
	CHECK(p.windows[0].island != 0);
	free(p.windows);
}

/* A jump of function i that leads there, and is not moved as one that returns. */
static bool is_jump_left(const struct plan *p, unsigned i, taddr_t to)
{
	taddr_t start = self->funcs[i].addr;
	struct funcode f;
	bool found = !codescan_is_inner(scan, to);

	funcode_init(&f, scan, i);
	for (unsigned n = 0; return_next_jump(&f, (uint32_t)(to - start), &n); n++) {
		bool moved = false;

		for (unsigned k = 0; k < p->nwindows; k++)
			for (unsigned s = 0; s < p->windows[k].nstops; s++) {
				const struct reloc_stop *stop = &p->windows[k].stops[s];

				moved |= stop->leads_to_ret &&
					 p->windows[k].off + stop->off == f.offs[n] &&
					 start + (taddr_t)(p->windows[k].off + stop->ret) == to;
			}
		found |= !moved;
	}
	funcode_release(&f);
	return found;
}

static bool is_in_window(const struct plan *p, uint32_t off)
{
	for (unsigned k = 0; k < p->nwindows; k++)
		if (off >= p->windows[k].off && off < p->windows[k].off + p->windows[k].size)
			return true;
	return false;
}

/* What leads to that `ret` is moved. */
static bool is_led_to(const struct plan *p, uint32_t off)
{
	for (unsigned i = 0; i < p->nwindows; i++)
		for (unsigned k = 0; k < p->windows[i].nstops; k++) {
			const struct reloc_stop *stop = &p->windows[i].stops[k];

			if (stop->is_offset && stop->leads_to_ret &&
			    p->windows[i].off + stop->ret == off)
				return true;
		}
	return false;
}

/* Who returns where a jump stands goes past the `ret`, which has a probe. */
static bool are_counted(const struct window *w)
{
	bool are = true;

	for (unsigned k = 0; k < w->nstops; k++) {
		bool has = w->stops[k].is_offset || !w->stops[k].leads_to_ret;

		for (unsigned i = 0; i < w->nstops && !has; i++)
			has = w->stops[i].is_offset && w->stops[i].leads_to_ret &&
			      w->stops[i].off == w->stops[k].off;
		are &= has;
	}
	return are;
}

/* Those with probes are in windows where they are hooked, and in none where they are not. */
static unsigned check_insns(const struct plan *p, unsigned i, const struct plan_offset *v,
			    unsigned n)
{
	unsigned nhooked = 0;

	for (unsigned k = 0; k < n; k++) {
		nhooked += !v[k].why;
		CHECK_EQ(is_in_window(p, v[k].off) || is_led_to(p, v[k].off), !v[k].why);
	}
	for (unsigned k = 0; k < p->nwindows; k++) {
		const struct window *w = &p->windows[k];

		CHECK(are_counted(w));
		CHECK(k == 0 || p->windows[k - 1].off + p->windows[k - 1].size <= w->off);
		for (unsigned b = 1; b < w->size; b++)
			CHECK(!codescan_is_target(scan, self->funcs[i].addr + w->off + b) ||
			      w->is_short || b >= JUMP_LEN ||
			      !is_jump_left(p, i, self->funcs[i].addr + w->off + b));
	}
	return nhooked;
}

/* Each instruction of a function has a probe. The caller frees *v, and drops the plan. */
static struct plan plan_all(const char *name, struct plan_offset **v, unsigned *n)
{
	unsigned i = find(name);
	struct funcode f;
	struct plan p;

	funcode_init(&f, scan, i);
	*n = f.ninsns;
	*v = calloc(f.ninsns + 1, sizeof(**v));
	for (unsigned k = 0; k < f.ninsns; k++)
		(*v)[k] = (struct plan_offset){f.offs[k], NULL};
	p = plan_offsets(scan, i, PLAN_ENTRY | PLAN_RETURN, 0, *v, f.ninsns);
	funcode_release(&f);
	return p;
}

TEST(a_block_shorter_than_a_jump_gets_an_island_or_begins_the_window_behind_it)
{
	struct plan_offset *v;
	unsigned n, nislands = 0;
	struct plan p = plan_all("plan_blocks", &v, &n);

	for (unsigned k = 0; k + 1 < n; k++) /* the last one is a trap */
		CHECK(!v[k].why);
	for (unsigned k = 0; k < p.nwindows; k++)
		nislands += p.windows[k].island != 0;
	CHECK_EQ(nislands, 1U);
	plan_drop(&p, scan, find("plan_blocks"));
	free(v);
}

TEST(a_ret_of_one_byte_that_is_jumped_to_counts_where_the_jumps_are)
{
	unsigned i = find("plan_walks"), n, nrets = 0;
	struct plan_offset *v;
	struct plan p = plan_all("plan_walks", &v, &n);

	for (unsigned k = 0; k + 1 < n; k++) {
		uint8_t byte = 0;

		CHECK(!v[k].why);
		objfile_bytes(self, self->funcs[i].addr + v[k].off, &byte, 1);
		nrets += byte == 0xc3;
		CHECK(byte != 0xc3 || is_led_to(&p, v[k].off));
	}
	CHECK_EQ(nrets, 2U);
	CHECK_EQ(p.kinds, PLAN_ENTRY | PLAN_RETURN);
	plan_drop(&p, scan, i);
	free(v);
}

TEST(a_ret_that_more_may_jump_to_than_is_known_is_a_breakpoint_and_so_is_its_return)
{
	struct plan_offset *v;
	unsigned n;
	struct plan p = plan_all("plan_unsure", &v, &n);

	CHECK(p.return_why);
	for (unsigned k = 0; k < p.nwindows; k++)
		CHECK(are_counted(&p.windows[k]));
	plan_drop(&p, scan, find("plan_unsure"));
	free(v);
}

TEST(a_ret_that_a_breakpoint_jumps_to_is_one)
{
	unsigned i = find("plan_walks");
	struct plan_offset v[3] = {{0, NULL}, {0, "a breakpoint"}, {0, NULL}};
	struct funcode f;
	struct plan p;

	funcode_init(&f, scan, i);
	v[1].off = f.offs[1]; /* je 3f */
	for (unsigned k = 0; k < f.ninsns && !v[2].off; k++)
		if (f.insns[k].kind == INSN_RET)
			v[2].off = f.offs[k];
	p = plan_offsets(scan, i, PLAN_RETURN, 0, v, 3);
	CHECK(v[2].why);
	CHECK(!is_led_to(&p, v[2].off));
	CHECK(p.return_why);
	CHECK(!is_in_window(&p, v[1].off));
	plan_drop(&p, scan, i);
	funcode_release(&f);
}

TEST(a_function_that_jumps_by_no_table_is_known_to_the_end)
{
	CHECK(!scan->funcs[find("plan_loads")].is_unsure);
	CHECK(scan->funcs[find("plan_lost")].is_unsure);
}

TEST(each_instruction_is_hooked_or_touched_by_no_window)
{
	unsigned nhooked = 0, all = 0;

	find("plan_small");
	codescan_free(scan);
	scan = codescan_new(self);
	for (unsigned i = 0; i < self->nfuncs; i++) {
		struct plan_offset *v;
		struct funcode f;
		struct plan p;

		funcode_init(&f, scan, i);
		v = calloc(f.ninsns + 1, sizeof(*v));
		for (unsigned k = 0; k < f.ninsns; k++)
			v[k] = (struct plan_offset){f.offs[k], k % 7 == 3 ? "a breakpoint" : NULL};
		p = plan_offsets(scan, i, PLAN_ENTRY | PLAN_RETURN, 0, v, f.ninsns);
		nhooked += check_insns(&p, i, v, f.ninsns);
		all += f.ninsns;
		plan_drop(&p, scan, i);
		free(v);
		funcode_release(&f);
	}
	CHECK(nhooked > all / 2);
}

TEST(no_two_windows_share_a_byte)
{
	uint8_t *owned;
	unsigned nhooked = 0;

	find("plan_small");
	owned = calloc(1, scan->hi - scan->lo);
	CHECK(owned);
	codescan_free(scan);
	scan = codescan_new(self);
	for (unsigned i = 0; i < self->nfuncs && owned; i++) {
		const struct func *f = &self->funcs[i];
		struct plan p = plan_function(scan, i, PLAN_ENTRY | PLAN_RETURN);

		if (i && f->addr == f[-1].addr)
			p.nwindows = 0; /* two sizes of one function */
		nhooked += p.kinds == (PLAN_ENTRY | PLAN_RETURN);
		for (unsigned k = 0; k < p.nwindows; k++) {
			const struct window *w = &p.windows[k];
			taddr_t at = f->addr + w->off;
			unsigned len = w->island ? SHORT_JUMP_LEN : JUMP_LEN;

			for (unsigned b = 0; b < len; b++) {
				CHECK_EQ(owned[at + b - scan->lo]++, 0);
				CHECK(b == 0 || !codescan_is_target(scan, at + b) ||
				      !is_jump_left(&p, i, at + b));
			}
			for (unsigned b = 0; w->island && b < JUMP_LEN; b++) {
				CHECK_EQ(owned[w->island + b - scan->lo]++, 0);
				CHECK(!codescan_is_target(scan, w->island + b));
			}
		}
		free(p.windows);
	}
	CHECK(nhooked * 10 > self->nfuncs * 9);
	free(owned);
}

TEST(flags_are_kept_where_somebody_looks_at_them)
{
	struct plan p;

	CHECK(codescan_keeps_flags(scan, find("plan_flags_in")));
	CHECK(codescan_keeps_flags(scan, find("plan_flags_out")));
	CHECK(!codescan_keeps_flags(scan, find("plan_carry")));
	CHECK(!codescan_keeps_flags(scan, find("plan_no_flags")));
	CHECK(!codescan_keeps_flags(scan, find("plan_looks")));
	p = plan("plan_flags_in", PLAN_ENTRY);
	CHECK(p.keeps_flags_and_redzone);
	free(p.windows);
	p = plan("plan_carry", PLAN_ENTRY);
	CHECK(!p.keeps_flags_and_redzone);
	free(p.windows);
}

static bool is_same_plan(const struct plan *a, const struct plan *b)
{
	return a->kinds == b->kinds && a->nwindows == b->nwindows &&
	       !memcmp(a->windows, b->windows, a->nwindows * sizeof(*a->windows));
}

TEST(a_plan_is_that_of_other_processes_unless_its_padding_is_taken)
{
	unsigned i = find("plan_data_inside");
	struct plans *all = plans_new(self, -1);
	struct codescan *first = plans_scan(all), *second = plans_scan(all),
			*third = plans_scan(all);
	struct plan p = plans_function(all, first, i, PLAN_ENTRY);
	struct plan q = plans_function(all, second, i, PLAN_ENTRY);
	struct plan r;

	CHECK_EQ(p.nwindows, 1);
	CHECK(is_same_plan(&p, &q));
	CHECK(codescan_is_taken(second, p.windows[0].island));
	CHECK(codescan_is_taken(second, self->funcs[i].addr));
	CHECK(!codescan_is_taken(third, p.windows[0].island));
	codescan_take(third, p.windows[0].island, 1, true);
	r = plans_function(all, third, i, PLAN_ENTRY);
	CHECK(!r.kinds || r.windows[0].island != p.windows[0].island);
	free(p.windows);
	free(q.windows);
	free(r.windows);
	codescan_free(first);
	codescan_free(second);
	codescan_free(third);
	plans_free(all);
}

TEST(plans_of_a_second_process_are_those_it_would_have_alone)
{
	struct plans *all = plans_new(self, -1);
	struct codescan *first = plans_scan(all), *second = plans_scan(all);
	struct codescan *alone = plans_scan(all);

	for (unsigned i = 0; i < self->nfuncs; i++)
		free(plans_function(all, first, i, PLAN_ENTRY | PLAN_RETURN).windows);
	for (unsigned i = 0; i < self->nfuncs; i++) {
		struct plan p = plans_function(all, second, i, PLAN_ENTRY | PLAN_RETURN);
		struct plan q = plan_function(alone, i, PLAN_ENTRY | PLAN_RETURN);

		CHECK(is_same_plan(&p, &q));
		free(p.windows);
		free(q.windows);
	}
	CHECK(!memcmp(second->taken, alone->taken, (second->hi - second->lo) / 8 + 1));
	codescan_free(first);
	codescan_free(second);
	codescan_free(alone);
	plans_free(all);
}

/* The instructions that one process asks for, and what it gets for them. */
static struct plan plan_with(struct plans *all, struct codescan *of, unsigned i, unsigned every,
			     struct plan_offset **v, unsigned *n)
{
	struct funcode f;

	funcode_init(&f, of, i);
	*v = calloc(f.ninsns + 1, sizeof(**v));
	*n = 0;
	for (unsigned k = 0; k < f.ninsns; k += every)
		(*v)[(*n)++] = (struct plan_offset){f.offs[k], k % 7 == 3 ? "a breakpoint" : NULL};
	funcode_release(&f);
	return all ? plans_offsets(all, of, i, PLAN_ENTRY | PLAN_RETURN, 0, *v, *n)
		   : plan_offsets(of, i, PLAN_ENTRY | PLAN_RETURN, 0, *v, *n);
}

TEST(plans_with_instructions_of_a_second_process_are_those_it_would_have_alone)
{
	struct plans *all = plans_new(self, -1);
	struct codescan *scans[] = {plans_scan(all), plans_scan(all), plans_scan(all),
				    plans_scan(all)};
	static const unsigned every[] = {1, 1, 2}; /* the third one asks for others */

	for (unsigned k = 0; k < ARRAY_SIZE(every); k++) {
		codescan_free(scans[3]);
		scans[3] = plans_scan(all);
		for (unsigned i = 0; i < self->nfuncs; i++) {
			struct plan_offset *v, *w;
			unsigned nv, nw;
			struct plan p = plan_with(all, scans[k], i, every[k], &v, &nv);
			struct plan q = plan_with(NULL, scans[3], i, every[k], &w, &nw);

			CHECK(is_same_plan(&p, &q));
			CHECK_EQ(nv, nw);
			for (unsigned o = 0; o < nv && o < nw; o++)
				CHECK(v[o].off == w[o].off && v[o].why == w[o].why);
			free(p.windows);
			free(q.windows);
			free(v);
			free(w);
		}
		CHECK(!memcmp(scans[k]->taken, scans[3]->taken,
			      (scans[3]->hi - scans[3]->lo) / 8 + 1));
	}
	for (unsigned k = 0; k < ARRAY_SIZE(scans); k++)
		codescan_free(scans[k]);
	plans_free(all);
}

TEST(calls_of_a_function_are_found_and_data_is_none)
{
	const struct func *f = &self->funcs[find("plan_called")];
	const struct func *from = &self->funcs[find("plan_calls")];
	static const unsigned ends[] = {5, 11, 19, 26};
	unsigned n;
	const struct codecall *calls = codescan_calls(scan, f->addr, &n);

	CHECK_EQ(n, ARRAY_SIZE(ends));
	for (unsigned i = 0; i < n; i++) {
		CHECK_EQ(calls[i].end + scan->lo, from->addr + ends[i]);
		CHECK_EQ(codescan_is_call(scan, &calls[i]), i < 3);
	}
	codescan_calls(scan, f->addr + 1, &n);
	CHECK_EQ(n, 0);
	codescan_calls(scan, scan->lo - 1, &n);
	CHECK_EQ(n, 0);
}

TEST_MAIN();
