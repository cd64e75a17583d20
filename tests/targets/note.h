/*
 * note.h: a static probe as assembler text, with operands of one's own choice.
 */
#ifndef TESTS_NOTE_H
#define TESTS_NOTE_H

/* As <sys/sdt.h> does it, with operands of our own. */
#define NOTE(provider, name, semaphore, args)                                                      \
	"990: nop\n"                                                                               \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                                               \
	".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                                              \
	"991: .asciz \"stapsdt\"\n"                                                                \
	"992: .balign 4\n"                                                                         \
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                        \
	".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n"                      \
	"994: .balign 4\n"                                                                         \
	".popsection\n"                                                                            \
	".ifndef _.stapsdt.base\n"                                                                 \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                    \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                                           \
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n"                                      \
	".popsection\n.endif\n"

#endif
