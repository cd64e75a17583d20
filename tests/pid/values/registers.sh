# uregs[]: every general register by its name; at a return what is behind the instruction.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/p.c" <<'END'
__attribute__((noipa)) int callee(int n) { return n + 1; }
int leaves(int n);
void fill(void);
__asm__(".text; .globl leaves, fill, hit, cleans; .type leaves,@function; .type fill,@function; .type hit,@function;"
	".type cleans,@function;"
	"leaves: .cfi_startproc; inc %edi; jmp callee; .cfi_endproc; .size leaves, . - leaves;"
	"cleans: .cfi_startproc; mov $7, %eax; ret $16; .cfi_endproc; .size cleans, . - cleans;"
	"hit: .cfi_startproc; ret; .cfi_endproc; .size hit, . - hit;"
	"fill: .cfi_startproc; push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15;"
	"mov $1, %rax; mov $2, %rbx; mov $3, %rcx; mov $4, %rdx; mov $5, %rsi; mov $6, %rdi; mov $7, %rbp;"
	"mov $8, %r8; mov $9, %r9; mov $10, %r10; mov $11, %r11; mov $12, %r12; mov $13, %r13; mov $14, %r14;"
	"mov $15, %r15; stc; call hit;"
	"sub $16, %rsp; call cleans;"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret; .cfi_endproc; .size fill, . - fill;");
int main(void)
{
	fill();
	return leaves(1) != 3;
}
END
gcc -g -O1 -o "$TMP/p" "$TMP/p.c" || fail "cannot build"
d -qn 'pid$target:a.out:hit:entry
{
	printf("%d %d %d %d %d %d %d ", uregs[R_RAX], uregs[R_RBX], uregs[R_RCX], uregs[R_RDX],
	    uregs[R_RSI], uregs[R_RDI], uregs[R_RBP]);
	printf("%d %d %d %d %d %d %d %d ", uregs[R_R8], uregs[R_R9], uregs[R_R10], uregs[R_R11],
	    uregs[R_R12], uregs[R_R13], uregs[R_R14], uregs[R_R15]);
	printf("%d %d %d %d %d %x %x;", uregs[R_RIP] == (uint64_t)&`hit, uregs[R_PC] == uregs[R_RIP],
	    uregs[R_SP] == uregs[R_RSP], uregs[R_R0] == uregs[R_RAX], uregs[R_RFL] & 1, uregs[R_CS], uregs[R_SS]);
}' -c "$TMP/p"
ends 0 "by name"
is "by name" "$out" "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1 1 1 1 1 33 2b;"
for provider in pid fpid; do
	d -qn "$provider"'$target:a.out:hit:entry, '"$provider"'$target:a.out:leaves:entry, '"$provider"'$target:a.out:cleans:entry
		{ self->sp = uregs[R_SP]; self->to = ucaller; }
		'"$provider"'$target:a.out:hit:return, '"$provider"'$target:a.out:leaves:return, '"$provider"'$target:a.out:cleans:return
		{ printf("%s %d %d %d %d;", probefunc, uregs[R_SP] - self->sp, uregs[R_PC] == self->to,
		    uregs[R_PC] == (uint64_t)&`callee, ucaller == self->to); }' -c "$TMP/p"
	ends 0 "$provider: behind a return"
	is "$provider: behind a return" "$out" "hit 8 1 0 1;cleans 24 1 0 1;leaves 0 0 1 1;"
done
finish
