/*
 * entry.S: where trampolines call in, and the head of the hook object. A trampoline has pushed rax
 * and put the number into eax; everything else is the program's, and is given back. Vector registers
 * are not touched by anything here. The stack need not be aligned: nothing in the object wants it.
 */
#include "hook/hook_proto.h"

	.section .head, "a"
hook_object:
	.long HOOK_VERSION
	.long record_entry - hook_object
	.long record_full_entry - hook_object
	.long aggregate_entry - hook_object
	.long take_block_entry - hook_object
	.long dlopen_entry - hook_object
	.long leave_entry - hook_object
	.long stack_key_entry - hook_object
	.long read_entry - hook_object
	.long load_element_entry - hook_object
	.long store_element_entry - hook_object
	.long tuple_entry - hook_object
	.long vtime_entry - hook_object
	.long selfclaim_record_entry - hook_object
	.long selfclaim_record_full_entry - hook_object
	.long selfclaim_aggregate_entry - hook_object
	.long hook_load - hook_object
	.long load_failed - hook_object
	.balign 8
	.globl hook_where
	.hidden hook_where
hook_where:
	.quad 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

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

/* rdi: the thread's block; 0: it has none. One of these two. */
	.macro given_block
	mov 24+hook_where(%rip), %rdi
	mov %fs:(%rdi), %rdi
	.endm

/* The thread may have none yet: then it takes one. Keeps rsi, rdx and rcx. */
	.macro taken_block
	mov 24+hook_where(%rip), %rdi
	mov %fs:(%rdi), %rdi
	mov (%rdi), %rdi
	test %rdi, %rdi
	jnz 1f
	push %rsi
	push %rdx
	push %rcx
	call hook_take_block
	pop %rcx
	pop %rdx
	pop %rsi
	mov %rax, %rdi
1:
	.endm

/* fn(block, number, registers). The stack pointer is at r11 of struct hook_regs. */
	.macro run fn, regs, flags, block
	mov %eax, %esi
	lahf
	seto %al
	movzwl %ax, %eax
	mov %rax, \flags(%rsp)
	lea \regs(%rsp), %rdx
	\block
	test %rdi, %rdi
	jz 2f
	call \fn
2:	mov \flags(%rsp), %rax
	add $127, %al			/* OF again */
	sahf
	.endm

	.macro record block
	save
	run hook_record, -48, 64, \block
	restore
	ret
	.endm

	.macro record_full block
	save
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	run hook_record_full, 0, 112, \block
	lea 48(%rsp), %rsp
	restore
	ret
	.endm

/* What a native clause may hold in registers besides those that it says, and a function changes. */
	.macro save_others
	push %r11
	push %r10
	push %r9
	push %r8
	push %rsi
	push %rdi
	.endm

	.macro restore_others
	pop %rdi
	pop %rsi
	pop %r8
	pop %r9
	pop %r10
	pop %r11
	.endm

/*
 * hook_aggregate(block, rax: agg, rdx: keys, rcx: value) of a native clause, which has saved rax, rcx, rdx
 * and the flags.
 */
	.macro aggregate block
	save_others
	mov %rax, %rsi
	\block
	call hook_aggregate
	restore_others
	ret
	.endm

record_entry:
	record given_block
record_full_entry:
	record_full given_block
aggregate_entry:
	aggregate given_block
selfclaim_record_entry:
	record taken_block
selfclaim_record_full_entry:
	record_full taken_block
selfclaim_aggregate_entry:
	aggregate taken_block

/* Of a trampoline that counts, or a native clause: they find out by themselves that the thread has
 * no block. */
take_block_entry:
	push %rax
	lahf
	seto %al
	push %rax
	push %rdi
	push %rsi
	push %rdx
	push %r8
	push %r9
	push %r10
	push %r11
	call hook_take_block
	mov %rax, %rcx
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rdx
	pop %rsi
	pop %rdi
	pop %rax
	add $127, %al
	sahf
	pop %rax
	ret

dlopen_entry:
	save
	lahf
	seto %al
	movzwl %ax, %eax
	mov %rax, 64(%rsp)
	call hook_dlopen
	mov 64(%rsp), %rax
	add $127, %al
	sahf
	restore
	ret

/* hook_leave(r11: block, rax: start, r10: end) of a native clause that has saved these. */
leave_entry:
	push %r9
	push %r8
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	mov %r11, %rdi
	mov %rax, %rsi
	mov %r10, %rdx
	call hook_leave
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %r8
	pop %r9
	ret

/*
 * rax = hook_stack_key(r11: block, rdx: stack pointer, rbp, rcx: what) of a native clause that has
 * saved rcx and rdx.
 */
stack_key_entry:
	save_others
	mov %r11, %rdi
	mov %rdx, %rsi
	mov %rbp, %rdx
	call hook_stack_key
	restore_others
	ret

/* rcx, rdx = fn(r11: block, stack pointer, rdx, rcx) of a native clause that has saved these. */
	.macro there fn
	save_others
	push %rax
	mov %r11, %rdi
	mov %rsp, %rsi
	call \fn
	mov %rax, %rcx
	pop %rax
	restore_others
	ret
	.endm

/* rdx: address, rcx: what */
read_entry:
	there hook_read

/* rdx: keys, rcx: what */
tuple_entry:
	there hook_tuple

vtime_entry:
	there hook_vtime_or_drop

/*
 * rax = hook_load(rdi: to, rsi: from, rdx: bytes, ecx: it is a text). A thread that faults between here
 * and load_failed is led there by who traces it, with the registers as they are.
 */
	.globl hook_load
	.hidden hook_load
hook_load:
	movabs $0x0101010101010101, %r10
	xor %eax, %eax
	test %ecx, %ecx
	jnz 2f
1:	lea 8(%rax), %r8		/* words of bytes */
	cmp %rdx, %r8
	ja 3f
	mov (%rsi,%rax), %r9
	mov %r9, (%rdi,%rax)
	mov %r8, %rax
	jmp 1b
2:	lea 8(%rax), %r8		/* words of a text */
	cmp %rdx, %r8
	ja 3f
	mov (%rsi,%rax), %r9
	mov %r9, (%rdi,%rax)
	mov %r9, %r11			/* has the highest bit of each byte that is 0, and of none before it */
	not %r11
	sub %r10, %r9
	and %r11, %r9
	mov %r10, %r11
	shl $7, %r11
	and %r11, %r9
	jnz 5f
	mov %r8, %rax
	jmp 2b
3:	cmp %rdx, %rax			/* the last bytes of either */
	jae 4f
	movzbl (%rsi,%rax), %r9d
	mov %r9b, (%rdi,%rax)
	inc %rax
	test %ecx, %ecx
	jz 3b
	test %r9b, %r9b
	jnz 3b
4:	ret
5:	bsf %r9, %r9			/* the NUL's bits */
	shr $3, %r9
	lea 1(%rax,%r9), %rax
	ret
load_failed:
	ret

/* Of a native clause, which has saved rcx and rdx. */
	.macro element fn
	save_others
	push %rax
	mov %r11, %rdi
	mov %rdx, %rsi
	mov %rcx, %rdx
	call \fn
	mov %rax, %rcx
	pop %rax
	restore_others
	ret
	.endm

/* rcx = hook_load_element(r11: block, rdx: key, rcx: array) */
load_element_entry:
	element hook_load_element

/* hook_store_element(r11: block, rdx: key_and_value, rcx: array) */
store_element_entry:
	element hook_store_element

	.section .note.GNU-stack, "", @progbits
