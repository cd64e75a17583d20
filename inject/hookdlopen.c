/* hookdlopen.c: libraries that come while nobody can stop the process (struct hook_mailbox). */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/endreq.h"

#define ANSWER_NS      5000000000ULL
#define SLICE_NS       20000000
#define LAST_ANSWER_NS 1000000000ULL /* when the run is to end */

static struct hook_mailbox *mailbox_of(const struct hooks *h)
{
	return (void *)((char *)hooks_block(h, 0) + HOOK_MAILBOX);
}

static bool pass(struct hook_mailbox *m, uint32_t from, uint32_t to)
{
	if (!__atomic_compare_exchange_n(&m->state, &from, to, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return false;
	syscall(SYS_futex, &m->state, FUTEX_WAKE, 1, NULL, NULL, 0);
	return true;
}

/* The thread that waits for us makes it. */
static int call(void *arg, long nr, const uint64_t args[6], int64_t *result)
{
	const struct timespec slice = {.tv_nsec = SLICE_NS};
	struct hook_mailbox *m = mailbox_of(arg);

	m->nr = (uint64_t)nr;
	memcpy(m->args, args, sizeof(m->args));
	if (!pass(m, HOOK_MAILBOX_TAKEN, HOOK_MAILBOX_CALL) &&
	    !pass(m, HOOK_MAILBOX_WRITE, HOOK_MAILBOX_CALL))
		return -ESRCH;
	for (uint64_t ns = 0; ns < (endreq_asked() ? LAST_ANSWER_NS : ANSWER_NS) &&
			      __atomic_load_n(&m->state, __ATOMIC_ACQUIRE) == HOOK_MAILBOX_CALL;
	     ns += SLICE_NS)
		syscall(SYS_futex, &m->state, FUTEX_WAIT, HOOK_MAILBOX_CALL, &slice, NULL, 0);
	if (!pass(m, HOOK_MAILBOX_RESULT, HOOK_MAILBOX_TAKEN))
		return -ESRCH;
	*result = m->result;
	return 0;
}

/* It waits from here on at least as long as anything takes that asks. */
static bool is_held(void *arg)
{
	struct hook_mailbox *m = mailbox_of(arg);

	return pass(m, HOOK_MAILBOX_TAKEN, HOOK_MAILBOX_WRITE) ||
	       __atomic_load_n(&m->state, __ATOMIC_ACQUIRE) == HOOK_MAILBOX_WRITE;
}

int hooks_listen_at(struct hooks *h, struct hook_point *point, taddr_t debug, struct err *err)
{
	int r = hooks_call_at(h, point, HOOK_FN_DLOPEN, 0, err);

	if (r)
		return r;
	hooks_shared(h)->debug = debug;
	__atomic_store_n(&mailbox_of(h)->state, HOOK_MAILBOX_OPEN, __ATOMIC_RELEASE);
	return 0;
}

bool hooks_poll_dlopen(struct hooks *h)
{
	static const struct proc_caller caller = {call, is_held};

	if (!pass(mailbox_of(h), HOOK_MAILBOX_POSTED, HOOK_MAILBOX_TAKEN))
		return false;
	proc_set_caller(h->proc, &caller, h);
	return true;
}

void hooks_let_go(struct hooks *h)
{
	proc_set_caller(h->proc, NULL, NULL);
	if (!pass(mailbox_of(h), HOOK_MAILBOX_TAKEN, HOOK_MAILBOX_GO))
		pass(mailbox_of(h), HOOK_MAILBOX_WRITE, HOOK_MAILBOX_GO);
}

void hooks_listen_no_more(struct hooks *h)
{
	__atomic_store_n(&mailbox_of(h)->state, HOOK_MAILBOX_CLOSED, __ATOMIC_RELEASE);
	syscall(SYS_futex, &mailbox_of(h)->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

unsigned hooks_dlopen_timeouts(struct hooks *h)
{
	pass(mailbox_of(h), HOOK_MAILBOX_CLOSED, HOOK_MAILBOX_OPEN);
	return __atomic_exchange_n(&mailbox_of(h)->nlate, 0, __ATOMIC_RELAXED);
}
