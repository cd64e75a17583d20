/*
 * heldlocks N: locks of the kernel that are waited for as often as told. A thread writes from
 * memory that is not there: the kernel holds the lock of what is written to until the page is given
 * (userfaultfd), and that is when another thread sleeps for the same lock. Prints "mutex N" (of a
 * pipe), "rwsem N" (of a file), and "mutex_ns" and "rwsem_ns", the least that those have slept
 * together. Ends with 77 where that cannot be had.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char *absent, filled[PAGE];
static int target, is_pipe;

struct writer {
	pthread_t thread;
	const char *from;
	atomic_int id; /* of the thread, when it is about to write */
};

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(77);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *write_it(void *arg)
{
	struct writer *w = arg;

	atomic_store(&w->id, (int)syscall(SYS_gettid));
	if (is_pipe)
		check(write(target, w->from, PAGE) == PAGE, "write");
	else
		check(pwrite(target, w->from, PAGE, 0) == PAGE,
		      "pwrite"); /* the position has a lock, too */
	return NULL;
}

static void begin(struct writer *w, const char *from)
{
	w->from = from;
	atomic_store(&w->id, 0);
	check(pthread_create(&w->thread, NULL, write_it, w) == 0, "pthread_create");
}

/* A thread that sleeps in the call of write_it() has that one's number in `syscall`, not "running".
 */
static void until_asleep(struct writer *w)
{
	char path[64], call[8], line[64] = "";

	while (!atomic_load(&w->id))
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", atomic_load(&w->id));
	snprintf(call, sizeof(call), "%d ", is_pipe ? SYS_write : SYS_pwrite64);
	while (strncmp(line, call, strlen(call)) != 0) {
		int f = open(path, O_RDONLY | O_CLOEXEC);

		check(f >= 0, path);
		memset(line, 0, sizeof(line));
		check(read(f, line, sizeof(line) - 1) > 0, path);
		close(f);
	}
}

/* One who holds the lock, one who waits for it. Returns how long that one has slept at least. */
static uint64_t round_of(int faults)
{
	struct writer holder = {0}, waiter = {0};
	struct uffd_msg fault;
	struct uffdio_copy page = {.dst = (uintptr_t)absent, .src = (uintptr_t)filled, .len = PAGE};
	uint64_t asleep;

	begin(&holder, absent);
	check(read(faults, &fault, sizeof(fault)) == sizeof(fault), "read of the fault");
	until_asleep(&holder);
	begin(&waiter, filled);
	until_asleep(&waiter);
	asleep = now();
	poll(NULL, 0, 1); /* that much longer */
	asleep = now() - asleep;
	check(ioctl(faults, UFFDIO_COPY, &page) == 0, "UFFDIO_COPY");
	pthread_join(holder.thread, NULL);
	pthread_join(waiter.thread, NULL);
	check(madvise(absent, PAGE, MADV_DONTNEED) == 0, "madvise");
	return asleep;
}

int main(int argc, char **argv)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING, .range.len = PAGE};
	int rounds = argc > 1 ? atoi(argv[1]) : 0,
	    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC), ends[2],
	    file = memfd_create("held", MFD_CLOEXEC);
	uint64_t mutex_ns = 0, rwsem_ns = 0;
	char drain[2 * PAGE];

	check(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0, "userfaultfd");
	absent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)absent;
	check(absent != MAP_FAILED && ioctl(faults, UFFDIO_REGISTER, &range) == 0,
	      "UFFDIO_REGISTER");
	check(pipe2(ends, O_CLOEXEC) == 0 && file >= 0, "pipe");
	memset(filled, 'x', sizeof(filled));
	for (int i = 0; i < rounds; i++) {
		is_pipe = 1;
		target = ends[1];
		mutex_ns += round_of(faults);
		check(read(ends[0], drain, sizeof(drain)) == sizeof(drain), "read");
		is_pipe = 0;
		target = file;
		rwsem_ns += round_of(faults);
	}
	printf("mutex %d\nmutex_ns %llu\nrwsem %d\nrwsem_ns %llu\n", rounds,
	       (unsigned long long)mutex_ns, rounds, (unsigned long long)rwsem_ns);
	return 0;
}
