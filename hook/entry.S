/*
 * entry.S: where stubs call in, and the head of the hook object. A stub has pushed rax and put the
 * number into eax; everything else is the program's, and is given back. Vector registers are not
 * touched by anything here. The stack need not be aligned: nothing in the object wants it.
 */
#include "hook/hook_proto.h"

	.section .head, "a"
hook_object:
	.long HOOK_VERSION
	.long record_entry - hook_object
	.long record_full_entry - hook_object
	.long aggregate_entry - hook_object
	.balign 8
	.globl hook_where
	.hidden hook_where
hook_where:
	.quad 0, 0, 0, 0, 0, 0, 0, 0

	.text

/* Leaves the flags of struct hook_regs open; until they are stored nothing here changes them. */
	.macro save
	lea -8(%rsp), %rsp
	push %r9
	push %r8
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %r10
	push %r11
	.endm

	.macro restore
	pop %r11
	pop %r10
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %r8
	pop %r9
	lea 8(%rsp), %rsp
	.endm

/* fn(block, number, registers). The stack pointer is at r11 of struct hook_regs. */
	.macro run fn, regs, flags
	mov %eax, %esi
	lahf
	seto %al
	movzwl %ax, %eax
	mov %rax, \flags(%rsp)
	lea \regs(%rsp), %rdx
	mov 24+hook_where(%rip), %rdi
	mov %fs:(%rdi), %rdi
	add hook_where(%rip), %rdi
	call \fn
	mov \flags(%rsp), %rax
	add $127, %al			/* OF again */
	sahf
	.endm

record_entry:
	save
	run hook_record, -48, 64
	restore
	ret

record_full_entry:
	save
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	run hook_record_full, 0, 112
	lea 48(%rsp), %rsp
	restore
	ret

/*
 * hook_aggregate(block, rax: agg, rdx: keys, rcx: value) of a piece, which has saved rax, rcx, rdx
 * and the flags.
 */
aggregate_entry:
	push %r11
	push %r10
	push %r9
	push %r8
	push %rsi
	push %rdi
	mov %rax, %rsi
	mov 24+hook_where(%rip), %rdi
	mov %fs:(%rdi), %rdi
	add hook_where(%rip), %rdi
	call hook_aggregate
	pop %rdi
	pop %rsi
	pop %r8
	pop %r9
	pop %r10
	pop %r11
	ret

	.section .note.GNU-stack, "", @progbits
