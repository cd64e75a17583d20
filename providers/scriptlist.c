#include "providers/scriptlist.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "base/base.h"
#include "providers/scriptmsg.h"

#define ANSWER_MAX 32768 /* more than the kernel puts into a message */

struct listing {
	uid_t uid;
	script_listener_fn *fn;
	void *arg;
	bool is_partial; /* a kernel older than 5.3: whose they are is not told */
};

static int ask(int fd)
{
	const struct {
		struct nlmsghdr h;
		struct unix_diag_req q;
	} m = {
		.h = {.nlmsg_len = sizeof(m),
		      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.q = {.sdiag_family = AF_UNIX,
		      .udiag_states = 1U << TCP_LISTEN,
		      .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID},
	};

	return send(fd, &m, sizeof(m), 0) < 0 ? -errno : 0;
}

static void take_one(struct listing *l, const struct nlmsghdr *h)
{
	struct unix_diag_msg *m = NLMSG_DATA(h);
	int left = (int)h->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*m));
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	uint32_t uid = 0;
	bool has_uid = false;
	size_t n = 0;

	for (const struct rtattr *a = (const void *)(m + 1); RTA_OK(a, left);
	     a = RTA_NEXT(a, left)) {
		if (a->rta_type == UNIX_DIAG_NAME && RTA_PAYLOAD(a) <= sizeof(sa.sun_path)) {
			n = RTA_PAYLOAD(a);
			memcpy(sa.sun_path, RTA_DATA(a), n);
		} else if (a->rta_type == UNIX_DIAG_UID && RTA_PAYLOAD(a) == sizeof(uid)) {
			memcpy(&uid, RTA_DATA(a), sizeof(uid));
			has_uid = true;
		}
	}
	if (!script_is_address(&sa, n))
		return;
	l->is_partial |= !has_uid;
	if (has_uid && (uid == 0 || uid == l->uid))
		l->fn(l->arg, &sa, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}

/* False: that was the last part. */
static bool take_part(struct listing *l, const char *bytes, size_t n, int *rc)
{
	for (const struct nlmsghdr *h = (const void *)bytes; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		if (h->nlmsg_type == NLMSG_ERROR)
			*rc = -EOPNOTSUPP;
		if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE)
			return false;
		if (h->nlmsg_type == SOCK_DIAG_BY_FAMILY)
			take_one(l, h);
	}
	return true;
}

int script_each_listener(uid_t uid, script_listener_fn *fn, void *arg)
{
	struct listing l = {.uid = uid, .fn = fn, .arg = arg};
	char bytes[ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), rc;
	ssize_t got;

	if (fd < 0)
		return -errno;
	rc = ask(fd);
	do {
		got = rc < 0 ? -1 : recv(fd, bytes, sizeof(bytes), 0);
	} while (got > 0 && take_part(&l, bytes, (size_t)got, &rc));
	if (rc == 0 && got < 0)
		rc = -errno;
	close(fd);
	return l.is_partial ? -EOPNOTSUPP : rc;
}
