/*
 * Frames that no table describes. In the order of what can be relied on: what the kernel pushed for
 * a signal, the instruction that a thread stands at, the way to the function's ret, a chain of
 * frame pointers.
 */
#include "symbols/x86/disasm.h"
#include "tracer/unwind/unwind.h"

#include <stddef.h>
#include <ucontext.h>

#include "tracer/unwind/epilogue.h"
#include "tracer/unwind/rowcache.h"

/* The code that the handler of a signal returns to, by which unwinders know it. */
static bool is_sigreturn(struct unwind *u, taddr_t pc)
{
	static const struct {
		uint8_t len, bytes[9];
	} forms[] = {
		{9, {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}}, /* mov $15,%rax; syscall */
		{7, {0xb8, 15, 0, 0, 0, 0x0f, 0x05}},		  /* mov $15,%eax; syscall */
	};
	uint8_t at[9] = {0};

	if (target_read(&u->proc->target, pc, at, sizeof(at)) <= 0)
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(forms); i++)
		if (memcmp(at, forms[i].bytes, forms[i].len) == 0)
			return true;
	return false;
}

/* There, the kernel's ucontext_t is on top of the stack (struct rt_sigframe of arch/x86). */
static bool step_signal(struct unwind *u, struct cfi_regs *r)
{
	static const uint8_t order[CFI_NREGS] = {8, 9, 10, 11, 12, 13, 14, 15,	  5,
						 4, 6, 3,  1,  0,  2,  7,  CFI_RA};
	taddr_t regs = r->r[CFI_RSP] + offsetof(ucontext_t, uc_mcontext);
	struct cfi_regs was = {{0}};

	if (!is_sigreturn(u, r->r[CFI_RA]))
		return false;
	for (unsigned i = 0; i < CFI_NREGS; i++)
		if (!stackcopy_word(&u->stack, regs + 8ULL * i, &was.r[order[i]]))
			return false;
	*r = was;
	return true;
}

/* rbp points to the caller's rbp, above it the return address: believed when that is code. */
static bool step_rbp(struct unwind *u, struct cfi_regs *r)
{
	taddr_t rbp = r->r[CFI_RBP];
	uint64_t next, ra;

	if (rbp < r->r[CFI_RSP] || rbp % 8 || !stackcopy_word(&u->stack, rbp, &next) ||
	    !stackcopy_word(&u->stack, rbp + 8, &ra) || !is_code(u, ra))
		return false;
	r->r[CFI_RSP] = rbp + 16;
	r->r[CFI_RBP] = next;
	r->r[CFI_RA] = ra;
	return true;
}

/*
 * The thread stands where no frame is built yet or any more, as the instruction tells: the return
 * address is at or right above rsp, and rbp, if that was pushed, below it.
 */
static bool step_frameless(struct unwind *u, struct cfi_regs *r)
{
	static const struct {
		uint8_t len, bytes[5];
		bool is_pushed;
	} insns[] = {
		{1, {0x55}, false},			    /* push %rbp */
		{5, {0xf3, 0x0f, 0x1e, 0xfa, 0x55}, false}, /* endbr64; push %rbp */
		{3, {0x48, 0x89, 0xe5}, true},		    /* mov %rsp,%rbp */
		{3, {0x48, 0x8b, 0xec}, true},		    /* the other encoding */
		{1, {0xc3}, false},			    /* ret */
		{1, {0xc2}, false},			    /* ret imm16 */
	};
	taddr_t rsp = r->r[CFI_RSP];
	uint8_t at[5] = {0};
	uint64_t ra;

	if (target_read(&u->proc->target, r->r[CFI_RA], at, sizeof(at)) <= 0)
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(insns); i++) {
		if (memcmp(at, insns[i].bytes, insns[i].len) != 0)
			continue;
		if (insns[i].is_pushed && !stackcopy_word(&u->stack, rsp, &r->r[CFI_RBP]))
			return false;
		rsp += insns[i].is_pushed ? 8 : 0;
		if (!stackcopy_word(&u->stack, rsp, &ra) || !is_code(u, ra))
			return false;
		r->r[CFI_RSP] = rsp + 8;
		r->r[CFI_RA] = ra;
		return true;
	}
	return false;
}

/* Is what stands in front of a return address a call? */
static bool is_behind_call(struct unwind *u, taddr_t ra)
{
	uint8_t at[CALL_MAX];

	if (!is_code(u, ra) ||
	    target_read(&u->proc->target, ra - sizeof(at), at, sizeof(at)) != sizeof(at))
		return false;
	return code_ends_with_call(at);
}

#define CFA_ALIGN 16 /* of the stack pointer at a call: System V ABI §3.2.2 */

struct guess {
	struct unwind *u;
	const struct cfi_regs *from;
	bool is_aligned; /* only what the ABI says */
};

static bool returns_to_call(void *arg, const struct row *row)
{
	const struct guess *g = arg;
	struct cfi_regs r = *g->from;

	return step_plain(g->u, row, &r) && r.r[CFI_RSP] > g->from->r[CFI_RSP] &&
	       !(g->is_aligned && r.r[CFI_RSP] % CFA_ALIGN) &&
	       (is_behind_call(g->u, r.r[CFI_RA]) || is_sigreturn(g->u, r.r[CFI_RA]));
}

/* Of the mapping, what lies around pc. */
static bool read_code(struct unwind *u, taddr_t pc, uint8_t *buf, struct code_bytes *code)
{
	const struct vma *v = vmmap_at(&u->proc->maps, pc);
	taddr_t start, end;
	ssize_t n;

	if (!v)
		return false;
	start = pc - MIN(pc - v->start, EPILOGUE_BEFORE);
	end = pc + MIN(v->end - pc, EPILOGUE_BEHIND);
	n = target_read(&u->proc->target, start, buf, end - start);
	*code = (struct code_bytes){buf, n > 0 ? (size_t)n : 0, start};
	return n > 0;
}

/*
 * Behind a call that does not return another function may follow, whose ret tells nothing of this
 * one: a way that leaves the stack as a function gets it is looked for first.
 */
static bool find_return(struct guess *g, const struct code_bytes *code, taddr_t pc, struct row *row)
{
	g->is_aligned = true;
	if (epilogue_row(code, pc, returns_to_call, g, row))
		return true;
	g->is_aligned = false;
	return epilogue_row(code, pc, returns_to_call, g, row);
}

/* By what the code does until it returns; pc: what the row is known by. */
static bool step_by_code(struct unwind *u, struct cfi_regs *r, taddr_t pc)
{
	uint8_t buf[EPILOGUE_BEFORE + EPILOGUE_BEHIND];
	const struct cfimod *m = cfimap_at(&u->map, pc);
	struct row row = {.how = ROW_NO_RULE};
	struct guess g = {.u = u, .from = r};
	struct code_bytes code;
	bool is_found;

	is_found = read_code(u, r->r[CFI_RA], buf, &code) &&
		   find_return(&g, &code, r->r[CFI_RA], &row);
	if (!is_found)
		row.how = ROW_NO_RULE;
	row.pc = pc;
	row.may_change = !m || !m->is_file;
	rowcache_learn(u->rows, &row);
	return is_found && step_plain(u, &row, r);
}

bool step_heuristic(struct unwind *u, const struct row *row, struct cfi_regs *r, bool *exact)
{
	taddr_t pc = *exact ? r->r[CFI_RA] : r->r[CFI_RA] - 1;
	bool was_exact = *exact, is_known = !row || row->how == ROW_NO_RULE;

	*exact = !was_exact && !is_known && step_signal(u, r);
	if (*exact || (was_exact && step_frameless(u, r)) ||
	    (!is_known && step_by_code(u, r, pc)) || step_rbp(u, r))
		return true;
	*exact = was_exact;
	return false;
}
