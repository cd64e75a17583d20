/*
 * jit: code that is in no file. `./jit N` calls leaf() N times through two frames in memory that is
 * mapped, written and unmapped each time, with frame pointers and nothing else to unwind by.
 * `./jit N fill` fills 16 MB by one instruction instead, N times. Prints "leaf COUNT".
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#define SIZE	 (16UL << 20)

typedef void code_fn(void (*)(void));

static unsigned long nleaf;
void fill(char *at, unsigned long n);
__asm__("	.text\n"
	"	.type fill, @function\n"
	"fill:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov %rsi, %rcx\n"
	"	mov $1, %al\n"
	"	rep stosb\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size fill, .-fill\n");

NOINLINE void leaf(void)
{
	nleaf++;
}

/* push %rbp; mov %rsp,%rbp; sub $16,%rsp; call *%rdi; leave; ret */
static const unsigned char frame[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
				      0xec, 0x10, 0xff, 0xd7, 0xc9, 0xc3};
static char *page;

static NOINLINE void inner(void)
{
	((code_fn *)(page + 64))(leaf);
	__asm__ volatile("");
}

static NOINLINE void outer(void)
{
	page = mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (page == MAP_FAILED)
		exit(1);
	memcpy(page, frame, sizeof(frame));
	memcpy(page + 64, frame, sizeof(frame));
	((code_fn *)page)(inner);
	munmap(page, 4096);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	char *all = argc > 2 ? malloc(SIZE) : NULL;

	while (n-- > 0)
		if (all)
			fill(all, SIZE);
		else
			outer();
	printf("leaf %lu\n", nleaf);
	return 0;
}
