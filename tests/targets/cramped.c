/*
 * cramped: `./cramped N [NTHREADS]` calls a function whose return has no room for a hook, as many
 * times in each thread: behind an instruction that is not moved, in front of a jump, and jumped to
 * itself.
 */
#include <pthread.h>
#include <stdlib.h>

long cramped(long x);

__asm__(".text\n.globl cramped\n.type cramped, @function\ncramped:\n"
	"	.cfi_startproc\n"
	"	mov %rdi, %rax\n"
	"	test $1, %dil\n"
	"	je 1f\n"
	"	add $100, %rax\n"
	"	xor %ecx, %ecx\n"
	"	rep stosb\n"
	"1:	ret\n"
	"	jmp 1b\n"
	"	.cfi_endproc\n"
	".size cramped, .-cramped\n");

static void *work(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		cramped(i % 10);
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	int nthreads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[16];

	for (int i = 0; i < nthreads && i < 16; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)n))
			return 1;
	for (int i = 0; i < nthreads && i < 16; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
