/* hookobj.S: see hookobj.h. */
	.section .rodata
	.balign 16
	.globl hookobj_bytes, hookobj_end
hookobj_bytes:
	.incbin "hook.bin"
hookobj_end:
	.section .note.GNU-stack, "", @progbits
