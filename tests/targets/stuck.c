/*
 * stuck: blocks in a constructor, before main, for ever. Writes "stuck PID" first.
 */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void block(void)
{
	dprintf(1, "stuck %d\n", getpid());
	for (;;)
		pause();
}

int main(void)
{
	return 0;
}
