# In a program that is not relocated a constant may be an address that is jumped to: a function with one into its first
# bytes stays a breakpoint. A distance that looks like one is none, nor is a word of data that means a byte within an
# instruction: such words are texts and numbers, or what follows a table of labels. Where jumps show that instructions begin elsewhere it may be an address.
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'C'
asm(".text; .globl f, g, distance, constant, main\n"
    ".macro begin name\n\t.p2align 4\n\t.type \\name, @function\n\\name:\n.endm\n"
    ".macro end name\n\t.size \\name, . - \\name\n.endm\n"
    "begin f; lea 1(%rdi), %rax; lea 2(%rax), %rax; ret; end f\n"
    "begin g; lea 1(%rdi), %rax; lea 2(%rax), %rax; ret; end g\n"
    /* mov f+1(%rip), %rax: nobody comes there */
    "begin distance; test %edi, %edi; jz 1f; .byte 0x48, 0x8b, 0x05; .long f + 1; 1: ret; end distance\n"
    "begin constant; mov $g + 1, %eax; ret; end constant\n"
    "begin within; lea 1(%rdi), %rax; lea 2(%rax), %rax; ret; end within\n"
    "begin behind; push %rdi; pop %rax; lea 2(%rax), %rax; ret; end behind\n"
    "begin astray; test %edi, %edi; jz 1f + 1; 1: .byte 0xb9; xor %eax, %eax; nop; nop; lea 2(%rax), %rax; ret; end astray\n"
    "begin locked; test %edi, %edi; jz 1f + 1; 1: lock; incl counter; lea 2(%rax), %rax; ret; end locked\n"
    "begin short; jmp 1f; adcw $0x43, (%rax); 1: ret; end short\n"
    "begin table; cmp $4, %edi; jae 1f; lea 2f(%rip), %rax; movslq (%rax, %rdi, 4), %rcx; add %rax, %rcx; jmp *%rcx\n"
    "1: mov $1, %eax; ret; 3: mov $2, %eax; ret; end table\n"
    ".section .rodata; .balign 4; 2: .long 1b - 2b, 3b - 2b, 1b - 2b, 3b - 2b, table + 1 - 2b, 0; .text\n"
    ".section .fixed, \"ax\"; begin fixed; lea 1(%rdi), %rax; lea 2(%rax), %rax; ret; end fixed; .text\n"
    "begin main; xor %edi, %edi; call distance; call constant; call f; call g; call within; call behind; call astray\n"
    "call locked; call short; call table; call fixed; xor %eax, %eax; ret; end main\n"
    ".data; .balign 8; .quad within + 1, behind + 1, astray + 1, locked + 14; counter: .long 0\n"
    ".section .note.GNU-stack, \"\", @progbits\n");
C
gcc -no-pie -fno-pic -Wl,--section-start=.fixed=0x431080 -o "$TMP/p" "$TMP/p.c" || skip "no compiler"
# kept FUNCTION: its verdict
kept() {
	d -n "fpid\$target:p:$1:entry { @[probefunc] = count(); }" -c "$TMP/p"
	ends 0 "$1"
	is "$1: calls" "$(echo $out)" "$1 1"
	echo "$err" | grep -q "1 hooked" && echo hook || echo breakpoint
}

d -n 'fpid$target:p:f:entry,fpid$target:p:g:entry { @[probefunc] = count(); }' -c "$TMP/p"
ends 0 calls
like "hooks" "$err" "*2 functions: 1 hooked, 1 by breakpoint; the first: g: something jumps into its first bytes*"
is "calls" "$(echo $out)" "f 1 g 1"
is "a word within an instruction" "$(kept within)" hook
is "a word where an instruction begins" "$(kept behind)" breakpoint
is "a word where a jump leads into what looks like an instruction" "$(kept astray)" breakpoint
is "what follows a table of labels" "$(kept table)" hook
# 81 10 43 00 of adcw
is "a constant of two bytes, with those in front of it" "$(kept fixed)" hook
is "a jump past a lock prefix" "$(kept locked)" hook

# a function that lies further away from the others than anybody would look
cat >"$TMP/far.c" <<'C'
__attribute__((section(".far"), used)) static int far_away(int x)
{
	return x + 1;
}

__attribute__((noipa)) static int near_by(int x)
{
	return x + 2;
}

int main(void)
{
	return near_by(-2);
}
C
gcc -O0 -fno-asynchronous-unwind-tables -no-pie -fno-pic -Wl,--section-start=.far=0x700000000000 -o "$TMP/far" "$TMP/far.c" || fail "gcc"
d -n 'fpid$target:a.out:near_by:entry { @[probefunc] = count(); }' -c "$TMP/far"
ends 0 "far away"
is "far away" "$(echo $out)" "near_by 1"
finish
