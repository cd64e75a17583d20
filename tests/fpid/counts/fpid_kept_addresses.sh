# In a program that is not relocated a constant may be an address that is jumped to: a function with one into its first
# bytes stays a breakpoint. A distance that looks like one is none.
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
    "begin main; xor %edi, %edi; call distance; call constant; call f; call g; xor %eax, %eax; ret; end main\n"
    ".section .note.GNU-stack, \"\", @progbits\n");
C
gcc -no-pie -fno-pic -o "$TMP/p" "$TMP/p.c" || skip "no compiler"
d -n 'fpid$target:p:f:entry,fpid$target:p:g:entry { @[probefunc] = count(); }' -c "$TMP/p"
ends 0 calls
like "hooks" "$err" "*2 functions: 1 hooked, 1 by breakpoint; the first: g: something jumps into its first bytes*"
is "calls" "$(echo $out)" "f 1 g 1"
finish
