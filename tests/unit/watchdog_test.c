/* The watchdog: this process is the front and the target, a child of it the engine. */
#include "tracer/janitor/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pulse.h"
#include "tests/unit/test.h"
#include "tracer/journal/journal.h"
#include "tracer/procfs/procfs.h"
#include "tracer/tracer.h"

/* What engine and front share. */
struct shared {
	struct watchdog w;
	struct arena arena;
	struct journal *j;
	int result;
	int is_begun;
	pid_t caller; /* makes a system call for the engine */
};

static uint8_t code[2];

static struct shared *fresh(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (arena_init_shared(&s->arena, 64U << 20, NULL))
		SKIP("no shared memory");
	s->j = journal_new(&s->arena);
	code[0] = code[1] = 0xcc;
	return s;
}

/* The engine with a breakpoint in its parent, on code[0]. */
static void begin(struct shared *s)
{
	char path[64];
	sigset_t set;
	int mem;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->result = watchdog_start(&s->w, s->j, NULL);
	/* opened afterwards: the descriptors are shared, not copied */
	snprintf(path, sizeof(path), "/proc/%d/mem", getppid());
	mem = open(path, O_RDWR | O_CLOEXEC);
	journal_add(s->j, getppid(), mem, (taddr_t)(uintptr_t)code, (const uint8_t *)"\x55", 1);
}

static void reap(pid_t engine, int *status)
{
	while (waitpid(engine, status, 0) < 0 && errno == EINTR)
		;
}

static bool may_trace(void)
{
	pid_t pid = fork();
	bool may;

	if (pid == 0)
		for (;;)
			pause();
	may = ptrace(PTRACE_SEIZE, pid, 0, 0) == 0;
	kill(pid, SIGKILL);
	reap(pid, NULL);
	return may;
}

TEST(bytes_go_back_when_the_engine_is_killed)
{
	static const int ends[] = {SIGKILL, SIGSEGV, SIGTERM};

	if (!may_trace())
		SKIP("no ptrace");
	for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
		struct shared *s = fresh();
		pid_t engine = fork();
		int status;

		if (engine == 0) {
			signal(ends[i], SIG_DFL);
			begin(s);
			kill(getpid(), ends[i]);
			_exit(0);
		}
		reap(engine, &status);
		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), ends[i]);
		CHECK(watchdog_join(&s->w));
		CHECK_EQ(s->result, 0);
		CHECK_EQ(code[0], 0x55);
		CHECK_EQ(code[1], 0xcc);
		CHECK_EQ(s->w.nprocs, 1);
		CHECK_EQ(s->w.procs[0].pid, getpid());
		CHECK(s->w.procs[0].lives);
		arena_release(&s->arena);
		munmap(s, sizeof(*s));
	}
}

TEST(signals_of_the_engine_arrive)
{
	struct shared *s = fresh();
	pid_t engine;
	int status;

	if (!may_trace())
		SKIP("no ptrace");
	engine = fork();
	if (engine == 0) {
		sigset_t set;
		int sig = 0;

		begin(s);
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		kill(getpid(), SIGSTOP); /* stopped, and continued by the front */
		kill(getpid(), SIGUSR1);
		sigwait(&set, &sig);
		journal_forget(s->j, getppid());
		watchdog_stop(&s->w);
		_exit(sig == SIGUSR1 ? 5 : 6);
	}
	CHECK_EQ(waitpid(engine, &status, WUNTRACED), engine);
	CHECK(WIFSTOPPED(status));
	kill(engine, SIGCONT);
	reap(engine, &status);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 5);
	CHECK(!watchdog_join(&s->w));
	CHECK_EQ(code[0], 0xcc);
	arena_release(&s->arena);
	munmap(s, sizeof(*s));
}

TEST(an_engine_that_is_traced_goes_without)
{
	struct shared *s = fresh();
	pid_t engine;
	int status;

	if (!may_trace())
		SKIP("no ptrace");
	engine = fork();
	if (engine == 0) {
		while (!__atomic_load_n(&s->j->call.pid, __ATOMIC_ACQUIRE)) /* until it is traced */
			usleep(1000);
		s->result = watchdog_start(&s->w, s->j, NULL);
		_exit(0);
	}
	CHECK_EQ(ptrace(PTRACE_SEIZE, engine, 0, 0), 0);
	__atomic_store_n(&s->j->call.pid, 1, __ATOMIC_RELEASE);
	do
		reap(engine, &status);
	while (WIFSTOPPED(status) && ptrace(PTRACE_CONT, engine, 0, WSTOPSIG(status)) == 0);
	CHECK(WIFEXITED(status));
	CHECK_EQ(s->result, -EPERM);
	CHECK(!watchdog_join(&s->w));
	arena_release(&s->arena);
	munmap(s, sizeof(*s));
}

/* What an engine does once it has its breakpoint. */
static void sleeps(struct shared *s UNUSED)
{
	for (;;)
		pause();
}

static void turns_round(struct shared *s UNUSED)
{
	for (volatile bool on = true; on;)
		;
}

/* Its call ends as soon as its process is kept from running. */
static void hangs_with_a_call(struct shared *s)
{
	struct journal_call call = {.tid = s->caller, .pid = s->caller};

	ptrace(PTRACE_SEIZE, s->caller, 0, 0);
	ptrace(PTRACE_INTERRUPT, s->caller, 0, 0);
	waitpid(s->caller, NULL, __WALL);
	ptrace(PTRACE_GETREGS, s->caller, 0, &call.regs);
	ptrace(PTRACE_DETACH, s->caller, 0, 0);
	journal_begin_call(s->j, &call);
	while (procfs_state(s->caller, NULL) != 'T')
		;
	journal_end_call(s->j);
	turns_round(s);
}

static void works_long(struct shared *s)
{
	for (unsigned i = 0; i < 300; i++) {
		pulse();
		usleep(10000);
	}
	journal_forget(s->j, getppid());
	watchdog_stop(&s->w);
	_exit(7);
}

static int end_of(struct shared *s, void (*what)(struct shared *), enum watchdog_request request)
{
	pid_t engine = fork();
	int status;

	if (engine == 0) {
		begin(s);
		__atomic_store_n(&s->is_begun, 1, __ATOMIC_RELEASE);
		what(s);
	}
	while (!__atomic_load_n(&s->is_begun, __ATOMIC_ACQUIRE))
		usleep(1000);
	watchdog_urge(&s->w, request);
	reap(engine, &status);
	watchdog_join(&s->w);
	return status;
}

TEST(an_engine_that_hangs_is_ended)
{
	static void (*const ways[])(struct shared *) = {sleeps, turns_round};

	for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
		struct shared *s = fresh();
		int status = end_of(s, ways[i], WATCHDOG_END);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		CHECK(s->w.is_hung);
		CHECK_EQ(s->w.state, WATCHDOG_ACTED);
		CHECK_EQ(code[0], 0x55);
		CHECK_EQ(s->w.nprocs, 1);
		munmap(s, sizeof(*s));
	}
}

TEST(nobody_stays_stopped_for_an_engine_that_hangs)
{
	struct shared *s = fresh();
	pid_t caller;

	if (!may_trace())
		SKIP("no ptrace");
	caller = fork();
	if (caller == 0)
		for (;;)
			pause();
	s->caller = caller;
	end_of(s, hangs_with_a_call, WATCHDOG_END);
	CHECK(s->w.is_hung);
	CHECK_EQ(s->w.stopped, caller);
	CHECK(procfs_state(caller, NULL) != 'T');
	kill(caller, SIGKILL);
	reap(caller, NULL);
	munmap(s, sizeof(*s));
}

TEST(an_engine_that_works_is_let_work)
{
	struct shared *s = fresh();
	int status = end_of(s, works_long, WATCHDOG_AT_ONCE);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CHECK(!s->w.is_hung);
	CHECK_EQ(code[0], 0xcc);
	munmap(s, sizeof(*s));
}

TEST_MAIN();
