/* threads N [touch]: N threads, one after the other; each has ended before the next begins, and has
 * perhaps touched a fresh page. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *nothing(void *arg)
{
	return arg;
}

static void *touch(void *arg)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED) {
		*(volatile char *)page = 1;
		munmap(page, 4096);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t;

	while (n-- > 0) {
		if (pthread_create(&t, NULL, argc > 2 ? touch : nothing, NULL))
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}
