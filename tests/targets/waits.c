/*
 * waits: a program that is already running when a tracer comes. `./waits NTHREADS [sealed]` starts
 * its threads, has mmap, munmap and mprotect kill it from now on when it is sealed, prints
 * "ready PID" and does what each line of its standard input says:
 *
 *   run N   each thread calls count_me N times; prints "calls TOTAL", of all since the start
 *   spin    the threads call count_me until told otherwise
 *   halt    ends that; prints "calls TOTAL"
 *   load F  dlopens the library F and prints "loaded"
 *   quit    or the end of the input: ends with 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static unsigned long round_no;
static long todo, working, waiting, nthreads;
static atomic_bool spinning;
static atomic_ulong calls;
static volatile long sink;

NOINLINE long count_me(long x)
{
	return x * 5 + 3;
}

/* A conditional jump that leads to a function, over four bytes: its distance is one that hooks
 * change. */
__asm__("	.text\n	.globl led_to, jumps_on\n"
	"	.type led_to, @function\n"
	"led_to: lea 1(%rdi), %rax\n	imul $3, %rax, %rax\n	ret\n	.size led_to, . - led_to\n"
	"	.type jumps_on, @function\n"
	"jumps_on: xor %eax, %eax\n	test %rdi, %rdi\n"
	"	.byte 0x0f, 0x85\n	.long led_to - . - 4\n"
	"	ret\n	.size jumps_on, . - jumps_on\n");

static void work(long n)
{
	unsigned long own = 0;
	long x = 1;

	for (long i = 0; i < n; i++, own++)
		x = count_me(x);
	for (; spinning; own++)
		x = count_me(x);
	calls += own;
	sink = x;
}

static void *thread_main(void *arg)
{
	unsigned long seen = 0;
	long n;

	(void)arg;
	pthread_mutex_lock(&lock);
	if (++waiting == nthreads)
		pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	for (;;) {
		pthread_mutex_lock(&lock);
		while (seen == round_no)
			pthread_cond_wait(&go, &lock);
		seen = round_no;
		n = todo;
		pthread_mutex_unlock(&lock);
		work(n);
		pthread_mutex_lock(&lock);
		if (--working == 0)
			pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void begin(long n)
{
	pthread_mutex_lock(&lock);
	todo = n;
	working = nthreads;
	round_no++;
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
}

static void finish(void)
{
	pthread_mutex_lock(&lock);
	while (working)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	printf("calls %lu\n", (unsigned long)calls);
}

/* A thread that has not come to its main() yet has all signals blocked. */
static void await_threads(void)
{
	pthread_mutex_lock(&lock);
	while (waiting < nthreads)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}

static void load(const char *file)
{
	printf("%s\n", dlopen(file, RTLD_NOW) ? "loaded" : dlerror());
}

static int seal(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog);
}

static int obey(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "run ", 4)) {
		begin(atol(line + 4));
		finish();
	} else if (!strcmp(line, "spin")) {
		spinning = 1;
		begin(0);
	} else if (!strcmp(line, "halt")) {
		spinning = 0;
		finish();
	} else if (!strncmp(line, "load ", 5)) {
		load(line + 5);
	} else {
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	char line[512];
	pthread_t t;

	nthreads = argc > 1 ? atol(argv[1]) : 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (long i = 0; i < nthreads; i++)
		if (pthread_create(&t, &attr, thread_main, NULL))
			return 2;
	await_threads();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && seal())
		return 3;
	printf("ready %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin) && obey(line))
		;
	return 0;
}
