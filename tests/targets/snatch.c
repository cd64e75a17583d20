/*
 * snatch: a program that puts another file where a descriptor has just been opened, or keeps what
 * has been opened. `./snatch FILE` prints "ready", calls touch until standard input ends, and
 * meanwhile two threads watch the lowest free descriptors: what appears there is replaced by an
 * O_PATH descriptor of FILE, which the program may name and not open. `./snatch -keep` makes such
 * files shorter, and takes their pages away, instead, and prints "shorter" where it could. With
 * `threads` behind that it makes threads all the time, two at once. Prints "touch N", its calls,
 * "snatched N" and "shortened N"; ends with 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NWATCHED 4

static atomic_bool over;
static atomic_ulong snatched, shortened;
static unsigned long touched;
static int named = -1, first;

__attribute__((noinline, noclone, noipa)) long touch(long x)
{
	touched++;
	return x + 1;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Of the memory that is shared, and is mapped by others meanwhile. An empty file, which it is for a
 * moment, cannot be made shorter. */
static void shorten(int fd)
{
	int kept = fcntl(fd, F_DUPFD, 200);

	snatched += kept >= 0;
	while (kept >= 0 && !over) {
		if (lseek(kept, 0, SEEK_END) > 0 && ftruncate(kept, 0) == 0 &&
		    lseek(kept, 0, SEEK_END) == 0) {
			shortened++;
			printf("shorter\n");
			fflush(stdout);
		}
		usleep(100);
	}
}

static void *snatch(void *arg)
{
	while (!over)
		for (int fd = first; fd < first + NWATCHED; fd++) {
			if (!is_open(fd))
				continue;
			if (named < 0) {
				shorten(fd);
				continue;
			}
			if (dup3(named, fd, 0) == fd)
				snatched++;
			/* as long as anybody may need who has just looked at the number */
			for (int i = 0; i < 2000 && !over; i++)
				is_open(fd);
			close(fd);
		}
	return arg;
}

static void *short_lived(void *arg)
{
	touch(1);
	return arg;
}

static void *bear(void *arg)
{
	pthread_t t;

	while (!over)
		if (pthread_create(&t, NULL, short_lived, NULL) == 0)
			pthread_join(t, NULL);
	return arg;
}

int main(int argc, char **argv)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int nthreads = argc == 3 && !strcmp(argv[2], "threads") ? 4 : 2;
	pthread_t t[4];

	if (argc != 2 && nthreads == 2)
		return 2;
	if (strcmp(argv[1], "-keep")) {
		named = open(argv[1], O_PATH);
		named = named < 0 ? -1 : fcntl(named, F_DUPFD, 200);
		if (named < 0)
			return 3;
	}
	for (int fd = 3; fd < 200; fd++)
		close(fd);
	first = 3;
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&t[i], NULL, i < 2 ? snatch : bear, NULL))
			return 4;
	printf("ready\n");
	fflush(stdout);
	while (poll(&in, 1, 0) == 0)
		for (long i = 0; i < 1000; i++)
			touch(i);
	over = true;
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	printf("touch %lu\nsnatched %lu\nshortened %lu\n", touched, (unsigned long)snatched,
	       (unsigned long)shortened);
	return 0;
}
