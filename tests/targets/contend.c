/*
 * contend FILE ROUNDS: threads that want the same things in the kernel: a pipe (a mutex), a file (a
 * lock for readers and writers), their process' memory. Says how often each was asked for.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 6

static int ends[2], file, rounds;

static void *work(void *arg)
{
	char buf[512] = {0};

	for (int i = 0; i < rounds; i++) {
		void *p;

		if (write(ends[1], buf, sizeof(buf)) < 0 || read(ends[0], buf, sizeof(buf)) < 0 ||
		    pwrite(file, buf, sizeof(buf), 0) < 0)
			exit(2);
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(p, 4096);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	file = rounds > 0 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	if (file < 0 || pipe(ends) < 0)
		return 2;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, work, NULL))
			return 2;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("rounds %d\n", THREADS * rounds);
	return 0;
}
