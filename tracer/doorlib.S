/* doorlib.S: see doorlib.h. */
	.section .rodata
	.balign 16
	.globl doorlib_bytes, doorlib_end
doorlib_bytes:
	.incbin "doorlib.so"
doorlib_end:
	.section .note.GNU-stack, "", @progbits
