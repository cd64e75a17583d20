/* Emulated instructions against the CPU. */
#include "tracer/x86/emul.h"

#include <errno.h>

#include "tests/unit/cpu.h"
#include "tests/unit/test.h"

/* clang-format off */
#define EMUL_INSNS(X)                                                                    \
	X(jmp, "jmp 9f") X(jo, "jo 9f") X(jno, "jno 9f") X(jb, "jb 9f") X(jae, "jae 9f") \
	X(je, "je 9f") X(jne, "jne 9f") X(jbe, "jbe 9f") X(ja, "ja 9f") X(js, "js 9f")   \
	X(jns, "jns 9f") X(jp, "jp 9f") X(jnp, "jnp 9f") X(jl, "jl 9f") X(jge, "jge 9f") \
	X(jle, "jle 9f") X(jg, "jg 9f") X(loop, "loop 9f") X(loope, "loope 9f")          \
	X(loopne, "loopne 9f") X(jrcxz, "jrcxz 9f") X(jecxz, "jecxz 9f")                 \
	X(loopl, "addr32 loop 9f") X(call, "call 9f") X(call_reg, "call *%r11")          \
	X(call_mem, "call *8(%rbx)") X(call_rsp, "call *8(%rsp)")                        \
	X(call_rip, "call *cpu_words+8(%rip)") X(call_zero, "call *(%rsp,%r13,8)")       \
	X(ret, "ret") X(ret_imm, "ret $24") X(push, "push %rdx") X(push_r15, "push %r15")\
	X(push_rsp, "push %rsp") X(mov, "mov %rsp, %rbp") X(mov_high, "mov %r15, %rax")  \
	X(mov_back, ".byte 0x49, 0x8b, 0xc5") X(nop, "nop") X(nopw, "nopw 0(%rax,%rax)")
/* clang-format on */

CPU_CASES(emul_cases, EMUL_INSNS)

static ssize_t self_read(UNUSED struct target *t, taddr_t a, void *buf, size_t n)
{
	if (a < 4096)
		return -EFAULT;
	memcpy(buf, (const void *)(uintptr_t)a, n);
	return (ssize_t)n;
}

static ssize_t self_write(UNUSED struct target *t, taddr_t a, const void *buf, size_t n)
{
	if (a < 4096)
		return -EFAULT;
	memcpy((void *)(uintptr_t)a, buf, n);
	return (ssize_t)n;
}

static struct target self = {.read = self_read, .write = self_write};

static void to_regs(const struct cpu *c, taddr_t rip, struct user_regs_struct *r)
{
	*r = (struct user_regs_struct){
		.rax = c->r[0],
		.rcx = c->r[1],
		.rdx = c->r[2],
		.rbx = c->r[3],
		.rsp = c->r[4],
		.rbp = c->r[5],
		.rsi = c->r[6],
		.rdi = c->r[7],
		.r8 = c->r[8],
		.r9 = c->r[9],
		.r10 = c->r[10],
		.r11 = c->r[11],
		.r12 = c->r[12],
		.r13 = c->r[13],
		.r14 = c->r[14],
		.r15 = c->r[15],
		.eflags = c->flags,
		.rip = rip,
	};
}

static bool same_regs(const struct cpu *want, const struct user_regs_struct *r)
{
	struct user_regs_struct w;

	to_regs(want, r->rip, &w);
	w.eflags = r->eflags & CPU_ARITH;
	return !memcmp(&w.r15, &r->r15, offsetof(struct user_regs_struct, orig_rax)) &&
	       w.rsp == r->rsp && w.eflags == (want->flags & CPU_ARITH);
}

/* Where the CPU went: behind the instruction, or to label 9 or what holds cpu_back1's address. */
static bool same_way(const struct cpu_case *c, const struct cpu *want, taddr_t rip)
{
	bool through = rip == (taddr_t)(uintptr_t)c->end;

	return want->branched ? !through : through;
}

TEST(emulation_does_what_the_cpu_does)
{
	static uint64_t memory[CPU_WORDS];

	for (unsigned i = 0; i < ARRAY_SIZE(emul_cases); i++) {
		const struct cpu_case *c = &emul_cases[i];
		taddr_t pc = (taddr_t)(uintptr_t)c->code, fault;
		struct insn_plan pl;
		struct err err;

		if (insn_plan(c->code, 16, pc, &pl, &err))
			TEST_FAIL("%s: %s", c->text, err.text);
		CHECK_EQ(pl.len, c->end - c->code);
		for (unsigned round = 0; round < 300; round++) {
			struct user_regs_struct r;
			bool branch = pl.op >= EMUL_JMP && pl.op <= EMUL_JRCXZ, taken = false;

			cpu_randomise();
			cpu_in.r[13] = 0;
			to_regs(&cpu_in, pc, &r);
			memcpy(memory, cpu_memory, sizeof(memory));
			cpu_run(c->code);
			for (unsigned k = 0; k < CPU_WORDS; k++) {
				uint64_t swap = memory[k];

				memory[k] = cpu_memory[k];
				cpu_memory[k] = swap;
			}
			if (branch)
				taken = emul_taken(&pl, &r);
			CHECK_EQ(emul_insn(&pl, &r, &self, &fault), 0);
			if (!same_regs(&cpu_out, &r) || !same_way(c, &cpu_out, r.rip) ||
			    memcmp(memory, cpu_memory, sizeof(memory)) != 0)
				TEST_FAIL("%s: differs from the CPU", c->text);
			if (branch && taken != (cpu_out.branched != 0))
				TEST_FAIL("%s: taken is wrong", c->text);
		}
	}
}

TEST(a_fault_leaves_registers_alone)
{
	struct user_regs_struct r = {.rsp = 16, .rip = 0x1000}, was = r;
	struct insn_plan pl;
	taddr_t fault = 0;

	CHECK_EQ(insn_plan((const uint8_t *)"\x55", 1, 0x1000, &pl, NULL), 0);
	CHECK_EQ(emul_insn(&pl, &r, &self, &fault), -EFAULT);
	CHECK_EQ(fault, 8);
	CHECK_EQ(memcmp(&r, &was, sizeof(r)), 0);
}

TEST_MAIN();
