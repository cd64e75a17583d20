#!/usr/bin/env python3
"""Makes a C program whose functions leave a hook no register to spare: pressure.py SEED >program.c

Hand-written leaves are called with something in every register, vector register and flag, and all that
they leave goes into a sum. Static C functions call each other with many values alive, so that a compiler
that knows which registers a callee keeps (-fipa-ra) keeps things in them. The program calls everything
N times (its argument), prints "FUNCTION CALLS" for the leaves, then the sums: the same for the same
seed and N, hooked or not.
"""

import random
import sys

GENERAL = "rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15".split()
FLAGS = 0x8C5  # carry, parity, zero, sign, overflow
NLEAVES = 24
NFUNCTIONS = 16

# What a leaf may do: only rax and the flags change. L is a label of its own, N a small number.
STEPS = [
    "lea N(%rdi),%rax",
    "lea N(%rax,%rsi,2),%rax",
    "lea cell(%rip),%rax\n mov N(%rax),%rax",
    "mov %rsi,%rax",
    "mov %r10d,%eax",
    "mov cell+N(%rip),%rax",
    "add cell+N(%rip),%rax",
    "cmpl $N,cell+N(%rip)",
    "addq $1,count(%rip)",
    "xor %r11,%rax",
    "sub $N,%rax",
    "adc $N,%eax",
    "sbb %rax,%rax",
    "setc %al",
    "cmc",
    "bt $N,%rdi",
    "cmovc %r9,%rax",
    "test %rdx,%rdx\n jz Lf\n inc %rax\nL:",
    "test %cl,%cl\n js Lf\n not %rax\nL:",
    "jc Lf\n neg %rax\nL:",
    "push %rax\n .cfi_adjust_cfa_offset 8\n pop %rax\n .cfi_adjust_cfa_offset -8",
    "mov %rdi,-16(%rsp)\n add -16(%rsp),%rax",
    "mov %r8,-120(%rsp)\n mov -120(%rsp),%rax",
    "mov $3,%eax\nL: dec %eax\n jnz Lb",
    "call keeps\n test %rax,%rax",
    "nopw 0(%rax,%rax,1)",
    "nop",
    "movabs $0x123456789abcdef,%rax",
    "xchg %ax,%ax",
    "bswap %rax",
    "movq %xmm3,%rax",
]


def leaf(rng, number):
    lines = ["endbr64"] if rng.random() < 0.2 else []
    for i in range(rng.randint(0, 6)):
        step = rng.choice(STEPS).replace("N", str(rng.randrange(0, 24)))
        # a label of the assembler's: a digit, and b or f behind it where it is jumped to
        lines.append(step.replace("Lf", f"{i + 1}f").replace("Lb", f"{i + 1}b").replace("L:", f"{i + 1}:"))
    body = "\n".join(lines)
    text = f"""leaf_{number}:
 .cfi_startproc
{body}
 ret
 .cfi_endproc
.size leaf_{number},.-leaf_{number}
"""
    head = f".p2align {rng.choice([0, 0, 4])}\n.globl leaf_{number}\n.type leaf_{number},@function\n"
    return head + text


def harness(number):
    """Calls a leaf with everything set, by its name: whoever hooks it sees that the flags are looked at."""
    load = "\n".join(f" mov regs_in+{8 * i}(%rip),%{r}" for i, r in enumerate(GENERAL))
    store = "\n".join(f" mov %{r},regs_out+{8 * i}(%rip)" for i, r in enumerate(GENERAL))
    vload = "\n".join(f" movups vectors_in+{16 * i}(%rip),%xmm{i}" for i in range(16))
    vstore = "\n".join(f" movups %xmm{i},vectors_out+{16 * i}(%rip)" for i in range(16))
    kept = "rbx rbp r12 r13 r14 r15".split()
    push = "\n".join(f" push %{r}\n .cfi_adjust_cfa_offset 8" for r in kept)
    pop = "\n".join(f" pop %{r}\n .cfi_adjust_cfa_offset -8" for r in reversed(kept))
    return f""".globl call_full_{number}
.type call_full_{number},@function
call_full_{number}:
 .cfi_startproc
{push}
{vload}
 pushq flags_in(%rip)
 popfq
{load}
 call leaf_{number}
 pushfq
 popq flags_out(%rip)
{store}
{vstore}
{pop}
 ret
 .cfi_endproc
.size call_full_{number},.-call_full_{number}
"""


KEEPS = """.type keeps,@function
keeps:
 .cfi_startproc
 lea 5(%rax),%rax
 ret
 .cfi_endproc
.size keeps,.-keeps
"""


def function(rng, number):
    """A static function of whole numbers, reals and a structure, that calls earlier ones."""
    args = rng.randint(1, 9)
    names = [f"a{i}" for i in range(args)]
    kinds = [rng.choice(["long", "long", "unsigned", "double"]) for _ in names]
    out = [f"static NOINLINE long f{number}({', '.join(f'{k} {n}' for k, n in zip(kinds, names))})", "{"]
    live = []
    for i in range(rng.randint(2, 10)):
        a, b = rng.choice(names), rng.choice(names + live)
        out.append(f"\tlong v{i} = (long)({a} {rng.choice('+-')} {b}) * {rng.randint(1, 99)} + {rng.randint(0, 9)};")
        live.append(f"v{i}")
    if number:
        for i in range(rng.randint(1, 2)):
            callee = rng.randrange(max(0, number - 3), number)
            given = ", ".join(f"({k}){rng.choice(live)}" if k != "double" else f"(double)({rng.choice(live)} % 1000)"
                              for k in FUNCTION_KINDS[callee])
            out.append(f"\tlong c{i} = f{callee}({given});")
            live.append(f"c{i}")
    FUNCTION_KINDS.append(kinds)
    out.append(f"\treturn ({' ^ '.join(live)}) % 1000003;")
    return "\n".join(out + ["}", ""])


FUNCTION_KINDS = []


def main():
    rng = random.Random(int(sys.argv[1]))
    print("#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>")
    print("#define NOINLINE __attribute__((noinline))")
    print("uint64_t regs_in[15], regs_out[15], vectors_in[32], vectors_out[32], flags_in, flags_out, count;")
    print("uint64_t cell[8] = {0x1122334455667788, 2, 3, 0x8000000000000000, 5, 6, 7, 8};")
    asm = KEEPS + "".join(leaf(rng, i) + harness(i) for i in range(NLEAVES))
    print("__asm__(\".text\\n\"")
    for line in asm.splitlines():
        print(f'\t"{line}\\n"')
    print("\t);")
    for i in range(NLEAVES):
        print(f"void call_full_{i}(void);")
    print("static void (*const calls[])(void) = {" + ", ".join(f"call_full_{i}" for i in range(NLEAVES)) + "};")
    for i in range(NFUNCTIONS):
        print(function(rng, i))
    given = ["(double)i" if k == "double" else f"({k})(i * {j + 3})" for j, k in enumerate(FUNCTION_KINDS[-1])]
    print(f"""
static uint64_t state = {rng.getrandbits(60)};
static uint64_t next_number(void)
{{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state ^ state >> 29;
}}
static uint64_t mix(uint64_t sum, uint64_t x)
{{
	return (sum ^ x) * 1099511628211ULL;
}}
int main(int argc, char **argv)
{{
	long n = argc > 1 ? atol(argv[1]) : 10, whole = 0;
	uint64_t sum = 14695981039346656037ULL;

	for (long i = 0; i < n; i++) {{
		for (int k = 0; k < {NLEAVES}; k++) {{
			for (int r = 0; r < 15; r++)
				regs_in[r] = next_number();
			for (int r = 0; r < 32; r++)
				vectors_in[r] = next_number();
			flags_in = 0x202 | (next_number() & {FLAGS});
			calls[k]();
			for (int r = 0; r < 15; r++)
				sum = mix(sum, regs_out[r]);
			for (int r = 0; r < 32; r++)
				sum = mix(sum, vectors_out[r]);
			sum = mix(sum, flags_out & {FLAGS});
		}}
		whole += f{NFUNCTIONS - 1}({", ".join(given)});
	}}
	for (int k = 0; k < {NLEAVES}; k++)
		printf("leaf_%d %ld\\n", k, n);
	printf("sums %lx %lx %lx\\n", (unsigned long)sum, (unsigned long)whole, (unsigned long)count);
	return 0;
}}""")


if __name__ == "__main__":
    main()
