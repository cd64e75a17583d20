/*
 * crowded THREADS PAGES: each thread touches so many fresh pages, some at a time, while it maps and
 * unmaps memory, for which the others have to wait. Says how many pages there were.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096UL
#define AT   0x610000000000UL

static size_t npages;

static void *work(void *arg)
{
	char *at = (char *)AT + ((size_t)arg << 32);

	for (size_t i = 0; i < npages; i += 8) {
		char *p = mmap(at + i * PAGE, 8 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p == MAP_FAILED)
			exit(2);
		madvise(p, 8 * PAGE, MADV_NOHUGEPAGE);
		for (size_t k = 0; k < 8; k++)
			p[k * PAGE] = 1;
		munmap(p, 8 * PAGE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t threads[64];

	if (!n || n > 64)
		return 2;
	npages = strtoul(argv[2], NULL, 10) / 8 * 8;
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 2;
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("pages %zu\n", n * npages);
	return 0;
}
