#include "tracer/x86/seize.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#define TICK_NS 5000000

/*
 * ptrace_attach() returns ERESTARTNOINTR (kernel/ptrace.c): whatever the handler of a signal does,
 * the call is made again, by going back to its instruction. So a handler that finds the thread
 * there moves it behind it, with EINTR as the result. A call that has been made is never mistaken
 * for one that waits: then the thread is behind the instruction.
 */
long seize_call(long nr, long request, long tid, void *addr, unsigned long options);
extern const char seize_instruction[], seize_return[];

__asm__(".pushsection .text\n"
	".type seize_call, @function\n"
	"seize_call:\n"
	"	endbr64\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"seize_instruction:\n"
	"	syscall\n"
	"seize_return:\n"
	"	ret\n"
	".size seize_call, . - seize_call\n"
	".popsection\n");

static timer_t timer;
static bool has_timer;

static void on_tick(int sig, siginfo_t *si, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)si;
	if ((uintptr_t)regs[REG_RIP] != (uintptr_t)seize_instruction)
		return;
	regs[REG_RIP] = (greg_t)(uintptr_t)seize_return;
	regs[REG_RAX] = -EINTR;
}

static void tick_each(long ns)
{
	const struct itimerspec when = {{.tv_nsec = ns}, {.tv_nsec = ns}};

	timer_settime(timer, 0, &when, NULL);
}

void seizes_begin(void)
{
	struct sigaction sa = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent tick = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};

	if (!has_timer && sigaction(SIGRTMIN, &sa, NULL) == 0)
		has_timer = timer_create(CLOCK_MONOTONIC, &tick, &timer) == 0;
	if (has_timer)
		tick_each(TICK_NS);
}

void seizes_end(void)
{
	if (has_timer)
		tick_each(0);
}

int seize_thread(pid_t tid, unsigned long options)
{
	return (int)seize_call(SYS_ptrace, PTRACE_SEIZE, tid, NULL, options);
}
