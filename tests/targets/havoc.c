/*
 * havoc: a program that makes war on whoever traces it. `./havoc WHAT SEED` prints "ready" and runs
 * until it is killed or dies of its own deeds; its threads call hit, text and chain all the time.
 * WHAT is one of
 *
 *	scribble   writes numbers that may be records, gaps, heads or sizes into all memory that
 *		   is shared with the tracer
 *	nonsense   the same with random bits
 *	vanish     takes pages away: MADV_REMOVE, munmap, mremap, other memory in its place
 *	snatch     makes what appears among its descriptors longer, shorter, another file
 *	code       makes executable memory of nobody's own, and writes over its own functions
 *	fork       children that do the same, and end at any moment
 *	exec       begins anew, many times a second
 *	all        everything but exec, each in a thread
 *
 * A fault in the course of a deed is no end; one in a hook is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#define MAX_MAPS 64
#define PAGE	 4096UL

static _Thread_local sigjmp_buf back;
static _Thread_local volatile sig_atomic_t in_deed;
static _Thread_local uint64_t seed;
static char **own_argv;

NOINLINE long hit(long x)
{
	return x + 1;
}

NOINLINE long text(const char *s)
{
	return (long)strlen(s);
}

NOINLINE long chain(long depth)
{
	return depth ? chain(depth - 1) + 1 : hit(0);
}

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void on_fault(int sig)
{
	if (in_deed)
		siglongjmp(back, 1);
	signal(sig, SIG_DFL);
}

/* ---- what is shared ---- */

struct map {
	char *start, *end;
};

static unsigned shared_maps(struct map *v)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	while (f && n < MAX_MAPS && fgets(line, sizeof(line), f)) {
		char *rest;

		if (!strstr(line, "/memfd:"))
			continue;
		v[n].start = (char *)strtoull(line, &rest, 16);
		v[n++].end = (char *)strtoull(rest + 1, NULL, 16);
	}
	if (f)
		fclose(f);
	return n;
}

/* Near the beginnings of things more often than in the middle of them. */
static uint64_t *somewhere(const struct map *m)
{
	size_t size = (size_t)(m->end - m->start), at = rnd() % size;

	switch (rnd() % 4) {
	case 0:
		at = rnd() % (size < 65536 ? size : 65536);
		break;
	case 1:
		at = at / PAGE * PAGE + rnd() % 512;
		break;
	case 2:
		at = at / 65536 * 65536 + rnd() % 512;
		break;
	default:
		break;
	}
	return (uint64_t *)(m->start + at / 8 * 8);
}

static uint64_t likely(void)
{
	switch (rnd() % 6) {
	case 0:
		return 0;
	case 1:
		return rnd() % 64 * 8;
	case 2:
		return (rnd() % 4) | (1 + rnd() % 12) << 32;
	case 3:
		return 1ULL << rnd() % 64;
	case 4:
		return UINT64_MAX - rnd() % 64;
	default:
		return rnd() % (1 << 20) * 8;
	}
}

typedef void deed_fn(void);

static void write_all(bool is_random)
{
	struct map v[MAX_MAPS];
	unsigned n = shared_maps(v);

	for (unsigned i = 0; i < n; i++) {
		in_deed = 1;
		if (!sigsetjmp(back, 1)) {
			mprotect(v[i].start, (size_t)(v[i].end - v[i].start),
				 PROT_READ | PROT_WRITE);
			for (unsigned k = 0; k < 2000; k++)
				*(volatile uint64_t *)somewhere(&v[i]) =
					is_random ? rnd() : likely();
		}
		in_deed = 0;
	}
}

static void scribble(void)
{
	write_all(false);
}

static void nonsense(void)
{
	write_all(true);
}

static void vanish(void)
{
	struct map v[MAX_MAPS];
	unsigned n = shared_maps(v);

	for (unsigned i = 0; i < n; i++) {
		char *at = v[i].start + rnd() % (size_t)(v[i].end - v[i].start) / PAGE * PAGE;
		size_t size = (1 + rnd() % 16) * PAGE;

		size = size < (size_t)(v[i].end - at) ? size : (size_t)(v[i].end - at);
		switch (rnd() % 5) {
		case 0:
			madvise(at, size, MADV_REMOVE);
			break;
		case 1:
			munmap(at, size);
			break;
		case 2:
			mremap(at, size, 2 * size, MREMAP_MAYMOVE);
			break;
		case 3:
			mmap(at, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			break;
		default:
			madvise(v[i].start, (size_t)(v[i].end - v[i].start), MADV_REMOVE);
			break;
		}
	}
	usleep(1000);
}

static void snatch(void)
{
	for (int fd = 3; fd < 12; fd++) {
		int kept = fcntl(fd, F_DUPFD, 100);

		if (kept < 0)
			continue;
		switch (rnd() % 4) {
		case 0:
			ftruncate(kept, 0);
			break;
		case 1:
			ftruncate(kept, (off_t)(rnd() % (1ULL << 34)));
			break;
		case 2:
			fcntl(kept, F_ADD_SEALS, 1 << rnd() % 5);
			break;
		default:
			dup2(1, fd);
			break;
		}
		if (kept < 200) { /* some are kept */
			if (rnd() % 4)
				close(kept);
		} else {
			for (int k = 100; k <= kept; k++)
				close(k);
		}
		close(fd);
	}
}

static void code(void)
{
	static unsigned char ret[] = {0xb8, 7, 0, 0, 0, 0xc3}; /* mov $7, %eax; ret */
	char *page = (char *)((uintptr_t)&hit / PAGE * PAGE);
	unsigned char *jit = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (jit != MAP_FAILED) {
		memcpy(jit, ret, sizeof(ret));
		((long (*)(void))(uintptr_t)jit)();
		munmap(jit, PAGE);
	}
	if (rnd() % 64 == 0 && mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
		memcpy((void *)(uintptr_t)&hit, ret, sizeof(ret));
	usleep(100);
}

static void calls(void)
{
	char s[16] = "0123456789";

	for (long i = 0; i < 100; i++)
		hit(i);
	s[rnd() % 10] = '\0';
	text(s);
	chain((long)(rnd() % 8));
}

static void a_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		alarm(2);
		for (uint64_t n = rnd() % 200; n; n--) {
			calls();
			if (rnd() % 8 == 0)
				scribble();
		}
		if (rnd() % 4 == 0)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void begin_anew(void)
{
	usleep((useconds_t)(rnd() % 50000));
	execv("/proc/self/exe", own_argv);
	_exit(3);
}

/* ---- threads ---- */

static const struct {
	const char *name;
	deed_fn *fn;
} deeds[] = {{"scribble", scribble}, {"nonsense", nonsense}, {"vanish", vanish},
	     {"snatch", snatch},     {"code", code},	     {"fork", a_child},
	     {"exec", begin_anew}};
#define NDEEDS (sizeof(deeds) / sizeof(deeds[0]))

static void *caller(void *arg)
{
	seed = (uint64_t)(uintptr_t)arg | 1;
	for (;;)
		calls();
	return NULL;
}

static void *doer(void *arg)
{
	deed_fn *fn = *(deed_fn *const *)arg;

	seed = (uint64_t)getpid() * 2654435761U | 1;
	for (;;)
		fn();
	return NULL;
}

static void *short_lived(void *arg)
{
	calls();
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
	bool is_all = argc == 3 && !strcmp(argv[1], "all");
	pthread_t t;

	if (argc != 3)
		return 2;
	own_argv = argv;
	seed = strtoull(argv[2], NULL, 10) * 2 + 1;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	if (!getenv("HAVOC_AGAIN"))
		dprintf(1, "ready\n");
	setenv("HAVOC_AGAIN", "1", 1);
	for (uintptr_t i = 1; i <= 2; i++)
		pthread_create(&t, NULL, caller, (void *)(i * 77));
	for (unsigned i = 0; i < NDEEDS; i++)
		if (!strcmp(argv[1], deeds[i].name) || (is_all && deeds[i].fn != begin_anew))
			pthread_create(&t, NULL, doer, (void *)(uintptr_t)&deeds[i].fn);
	for (;;) {
		calls();
		if (pthread_create(&t, NULL, short_lived, NULL) == 0)
			pthread_join(t, NULL);
	}
}
