/* preloadlib.S: see preloadlib.h. */
	.section .rodata
	.balign 16
	.globl preloadlib_bytes, preloadlib_end
preloadlib_bytes:
	.incbin "preloadlib.so"
preloadlib_end:
	.section .note.GNU-stack, "", @progbits
