/* Attaching to children of our own: which threads are found, what is refused, what is left behind.
 */
#include "tracer/journal/journal.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/unit/test.h"
#include "tracer/procfs/procfs.h"
#include "tracer/x86/seize.h"

#define MS 1000000ULL

static struct arena arena;
static struct tracer *tracer;
static struct proc *proc;
static struct err err;
static int ended; /* status of the process that was reported */
static volatile long *shared;

static void on_exited(UNUSED void *arg, UNUSED struct proc *p, int status)
{
	ended = status;
}

static const struct tracer_ops ops = {.exited = on_exited};

static void set_up(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGCHLD, &sa, NULL);
	if (!arena.base && arena_init_shared(&arena, 1ULL << 30, &err) < 0)
		TEST_FAIL("%s", err.text);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tracer = tracer_new(&ops, NULL, journal_new(&arena));
	ended = -1;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

/* Handles stops until the word is at least n, for at most 20 s. */
static bool run_until(long n)
{
	uint64_t end = now() + 20000 * MS;
	struct itimerval it = {{0, 5000}, {0, 5000}};
	bool reached;

	setitimer(ITIMER_REAL, &it, NULL);
	while (*shared < n && now() < end)
		tracer_wait(tracer, now() + 5 * MS);
	reached = *shared >= n;
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
	return reached;
}

static void on_alarm(UNUSED int sig)
{
	/* ends a wait */
}

static pid_t spawn(void (*fn)(long), long arg)
{
	struct sigaction sa = {.sa_handler = on_alarm};
	pid_t pid;

	sigaction(SIGALRM, &sa, NULL);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	while (!shared[1])
		sched_yield();
	return pid;
}

static void end(pid_t pid)
{
	if (proc)
		tracer_detach(proc);
	proc = NULL;
	tracer_free(tracer);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int attach(pid_t pid)
{
	int r = tracer_attach(tracer, pid, EVALTIME_POSTINIT, &proc, &err);

	if (r)
		proc = NULL;
	return r;
}

/* ---- what the children do ---- */

static void *sleep_on(void *arg)
{
	pause();
	return arg;
}

static void many_threads(long n)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (long i = 0; i < n; i++)
		pthread_create(&t, &attr, sleep_on, NULL);
	shared[1] = 1;
	pause();
}

/* Between the numbers of its threads are those of children that have ended: of a few threads, more
 * than anybody looks at. */
static void far_threads(long n)
{
	pthread_t t;

	for (long i = 0; i < n; i++) {
		for (int k = 0; k < (i < 3 ? 100 : 2); k++) {
			pid_t pid = fork();

			if (pid == 0)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
		pthread_create(&t, NULL, sleep_on, NULL);
	}
	shared[1] = 1;
	pause();
}

__attribute__((noinline, noipa)) static long probed(long x)
{
	return x + 1;
}

static void *call_once(void *arg)
{
	probed((long)(intptr_t)arg);
	__atomic_fetch_add(&shared[0], 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads are born and end all the time. */
static void churn(long n)
{
	pthread_t t[8];

	shared[1] = 1;
	for (long i = 0; i < n; i += 8) {
		for (int k = 0; k < 8; k++)
			pthread_create(&t[k], NULL, call_once, NULL);
		for (int k = 0; k < 8; k++)
			pthread_join(t[k], NULL);
	}
	_exit(7);
}

static void *outlive(UNUSED void *arg)
{
	while (!shared[2])
		sched_yield();
	probed(1);
	shared[0] = 1;
	while (!shared[3])
		sched_yield();
	_exit(5);
}

static void leader_ends(UNUSED long arg)
{
	pthread_t t;

	pthread_create(&t, NULL, outlive, NULL);
	shared[1] = 1;
	pthread_exit(NULL);
}

/* ---- */

static void on_poke(UNUSED int sig)
{
	shared[0]++;
}

/* Takes a signal at a time, makes a thread, a child and a vfork child after each. */
static void poked(UNUSED long arg)
{
	struct sigaction sa = {.sa_handler = on_poke};
	sigset_t set, before;
	pthread_t t;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigaction(SIGUSR1, &sa, NULL);
	shared[1] = 1;
	for (;;) {
		while (shared[2] == shared[0])
			sigsuspend(&before);
		pthread_create(&t, NULL, call_once, NULL);
		pthread_join(t, NULL);
		pid = fork();
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		shared[3]++;
		shared[2] = shared[0];
	}
}

/* Its parent does not run before it ends, which is when shared[2] says so. */
static void in_vfork(UNUSED long arg)
{
	if (vfork() == 0) {
		__sync_fetch_and_add(&shared[1], 1);
		while (!shared[2])
			sched_yield();
		_exit(0);
	}
}

static void busy(UNUSED long arg)
{
	__sync_fetch_and_add(&shared[1], 1);
	while (!shared[2])
		;
}

static unsigned long nhits;

static void count(UNUSED struct hit *h, UNUSED void *arg)
{
	nhits++;
}

static void probe(void)
{
	struct bkpt *b;

	nhits = 0;
	if (bkpt_add(proc, (taddr_t)(uintptr_t)probed, BKPT_ALWAYS, count, NULL, &b, &err) < 0 ||
	    bkpt_commit(proc, &err) < 0)
		TEST_FAIL("%s", err.text);
}

static unsigned nseen;

static void count_thread(struct thread *t, void *arg)
{
	uint64_t tracer_pid = 0;

	procfs_status(thread_tid(t), "TracerPid", 10, &tracer_pid);
	nseen += (pid_t)tracer_pid == getpid();
	(void)arg;
}

static unsigned count_tasks(pid_t pid)
{
	uint64_t n = 0;

	procfs_status(pid, "Threads", 10, &n);
	return (unsigned)n;
}

/* What a process does between attaching and the first wait does not have to wait for it. */
TEST(stops_are_served_before_the_first_wait)
{
	uint64_t end_ns;
	pid_t pid;

	set_up();
	pid = spawn(poked, 0);
	CHECK_EQ(attach(pid), 0);
	for (long round = 1; round <= 3; round++) {
		end_ns = now() + 10000 * MS;
		kill(pid, SIGUSR1);
		while (shared[3] < round && now() < end_ns)
			tracer_serve(tracer);
		CHECK_EQ(shared[3], round);
	}
	end(pid);
}

TEST(a_thousand_threads)
{
	uint64_t start;
	pid_t pid;

	set_up();
	pid = spawn(many_threads, 999);
	start = now();
	CHECK_EQ(attach(pid), 0);
	CHECK((now() - start) < 1000 * MS); /* 5 ms on an idle machine */
	nseen = 0;
	proc_each_thread(proc, count_thread, NULL);
	CHECK(count_tasks(pid) >= 1000); /* sanitizers have threads of their own */
	CHECK_EQ(nseen, count_tasks(pid));
	end(pid);
}

TEST(threads_whose_numbers_are_far_from_each_other)
{
	pid_t pid;

	set_up();
	pid = spawn(far_threads, 20);
	CHECK_EQ(attach(pid), 0);
	nseen = 0;
	proc_each_thread(proc, count_thread, NULL);
	CHECK(count_tasks(pid) >= 21);
	CHECK_EQ(nseen, count_tasks(pid));
	end(pid);
}

TEST(threads_that_come_and_go)
{
	pid_t pid;

	set_up();
	pid = spawn(churn, 2000);
	CHECK_EQ(attach(pid), 0);
	probe();
	CHECK(run_until(2000));
	/* those that had called before we came were not counted, and none after was missed or died
	 */
	CHECK(nhits > 0 && nhits <= 2000);
	while (ended < 0)
		tracer_wait(tracer, now() + 1000 * MS);
	CHECK(WIFEXITED(ended));
	CHECK_EQ(WEXITSTATUS(ended), 7);
	proc = NULL;
	end(pid);
}

TEST(leader_that_has_ended)
{
	uint64_t end_ns = now() + 10000 * MS;
	pid_t pid;

	set_up();
	pid = spawn(leader_ends, 0);
	while (procfs_state(pid, NULL) != 'Z' && now() < end_ns)
		sched_yield();
	CHECK_EQ(attach(pid), 0);
	probe();
	shared[2] = 1;
	CHECK(run_until(1));
	CHECK_EQ(nhits, 1);
	shared[3] = 1;
	while (ended < 0 && now() < end_ns)
		tracer_wait(tracer, now() + 1000 * MS);
	CHECK_EQ(tracer_nprocs(tracer), 0);
	proc = NULL;
	end(pid);
}

TEST(refusals)
{
	char text[128];
	pid_t pid;

	set_up();
	CHECK_EQ(attach(0), -ESRCH);
	CHECK_STR(err.text, "No such process");
	CHECK_EQ(attach(-1), -ESRCH);
	CHECK_EQ(attach(0x7fffffff), -ESRCH);
	CHECK_EQ(attach(getpid()), -EPERM);
	snprintf(text, sizeof(text), "process %d is dtrace itself", getpid());
	CHECK_STR(err.text, text);
	pid = spawn(many_threads, 0);
	CHECK_EQ(attach(pid), 0);
	CHECK_EQ(tracer_attach(tracer, pid, EVALTIME_POSTINIT, &proc, &err), -EEXIST);
	CHECK_EQ(tracer_nprocs(tracer), 1);
	end(pid);
}

TEST(zombie)
{
	siginfo_t si;
	pid_t pid;

	set_up();
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT);
	CHECK_EQ(attach(pid), -ESRCH);
	CHECK(strstr(err.text, "it is a zombie"));
	CHECK_EQ(tracer_nprocs(tracer), 0);
	end(pid);
}

TEST(who_needs_only_a_cpu_to_stop)
{
	uint64_t end_ns = now() + 10000 * MS;
	pid_t pid;

	set_up();
	pid = spawn(in_vfork, 0);
	while (!procfs_is_uninterruptible(pid) && now() < end_ns)
		sched_yield(); /* its child has begun, but does it wait already? */
	CHECK(procfs_is_uninterruptible(pid));
	shared[2] = 1;
	end(pid);
	CHECK(procfs_is_uninterruptible(pid)); /* gone */
	set_up();
	pid = spawn(busy, 0);
	CHECK(!procfs_is_uninterruptible(pid));
	end(pid);
}

/* ---- within execve ---- */

static void *waits(UNUSED void *arg)
{
	shared[0] = syscall(SYS_gettid);
	pause();
	return NULL;
}

static void *executes(UNUSED void *arg)
{
	shared[1] = syscall(SYS_gettid);
	while (!shared[2])
		usleep(100);
	execl("/bin/sleep", "sleep", "100", NULL);
	_exit(1);
}

/* Its second thread waits, its third one executes another program when it is told so. */
static pid_t make_executing(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, waits, NULL);
		pthread_create(&thread, NULL, executes, NULL);
		for (;;)
			pause();
	}
	while (!shared[0] || !shared[1])
		usleep(100);
	return pid;
}

/*
 * execve() waits for its tracer to reap what it ended, and the tracer's PTRACE_SEIZE waits for
 * execve(): without an end to that, both wait for ever.
 */
TEST(a_thread_within_execve_is_not_waited_for)
{
	uint64_t start;
	int status, r;
	pid_t pid;

	set_up();
	pid = make_executing();
	CHECK_EQ(seize_thread((pid_t)shared[0], 0), 0);
	shared[2] = 1;
	for (start = now();
	     procfs_state((pid_t)shared[0], NULL) != 'Z' && now() - start < 10000 * MS;)
		usleep(100);
	seizes_begin();
	CHECK_EQ(seize_thread((pid_t)shared[1], 0), -EINTR);
	CHECK_EQ(seize_thread((pid_t)shared[1], 0), -EINTR);
	CHECK_EQ(waitpid((pid_t)shared[0], &status, __WALL), (pid_t)shared[0]);
	while ((r = seize_thread(pid, 0)) == -EINTR ||
	       r == -EPERM) /* by its number, the dead one */
		;
	seizes_end();
	CHECK_EQ(r, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, __WALL);
}

TEST_MAIN();
