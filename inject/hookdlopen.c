/* hookdlopen.c: libraries that come while nobody can stop the process (struct hook_mail). */
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

static struct hook_mail *mail_of(const struct hooks *h)
{
	return (void *)((char *)hooks_block(h, 0) + HOOK_MAIL);
}

static bool turn(struct hook_mail *m, uint32_t from, uint32_t to)
{
	if (!__atomic_compare_exchange_n(&m->turn, &from, to, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return false;
	syscall(SYS_futex, &m->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	return true;
}

/* The thread that waits for us makes it. */
static int call(void *arg, long nr, const uint64_t args[6], int64_t *result)
{
	const struct timespec slice = {.tv_nsec = SLICE_NS};
	struct hook_mail *m = mail_of(arg);

	m->nr = (uint64_t)nr;
	memcpy(m->args, args, sizeof(m->args));
	if (!turn(m, HOOK_MAIL_HEARD, HOOK_MAIL_CALL) && !turn(m, HOOK_MAIL_WRITE, HOOK_MAIL_CALL))
		return -ESRCH;
	for (uint64_t ns = 0; ns < (endreq_asked() ? LAST_ANSWER_NS : ANSWER_NS) &&
			      __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) == HOOK_MAIL_CALL;
	     ns += SLICE_NS)
		syscall(SYS_futex, &m->turn, FUTEX_WAIT, HOOK_MAIL_CALL, &slice, NULL, 0);
	if (!turn(m, HOOK_MAIL_RESULT, HOOK_MAIL_HEARD))
		return -ESRCH;
	*result = m->result;
	return 0;
}

/* It waits from here on at least as long as anything takes that asks. */
static bool is_held(void *arg)
{
	struct hook_mail *m = mail_of(arg);

	return turn(m, HOOK_MAIL_HEARD, HOOK_MAIL_WRITE) ||
	       __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) == HOOK_MAIL_WRITE;
}

int hooks_listen_at(struct hooks *h, struct hook_place *place, taddr_t debug, struct err *err)
{
	int r = hooks_call_at(h, place, HOOK_FN_KNOCK, 0, err);

	if (r)
		return r;
	hooks_shared(h)->debug = debug;
	__atomic_store_n(&mail_of(h)->turn, HOOK_MAIL_OPEN, __ATOMIC_RELEASE);
	return 0;
}

bool hooks_hear(struct hooks *h)
{
	static const struct proc_caller caller = {call, is_held};

	if (!turn(mail_of(h), HOOK_MAIL_KNOCK, HOOK_MAIL_HEARD))
		return false;
	proc_set_caller(h->proc, &caller, h);
	return true;
}

void hooks_let_go(struct hooks *h)
{
	proc_set_caller(h->proc, NULL, NULL);
	if (!turn(mail_of(h), HOOK_MAIL_HEARD, HOOK_MAIL_GO))
		turn(mail_of(h), HOOK_MAIL_WRITE, HOOK_MAIL_GO);
}

void hooks_listen_no_more(struct hooks *h)
{
	__atomic_store_n(&mail_of(h)->turn, HOOK_MAIL_CLOSED, __ATOMIC_RELEASE);
	syscall(SYS_futex, &mail_of(h)->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

unsigned hooks_unheard(struct hooks *h)
{
	turn(mail_of(h), HOOK_MAIL_CLOSED, HOOK_MAIL_OPEN);
	return __atomic_exchange_n(&mail_of(h)->nlate, 0, __ATOMIC_RELAXED);
}
