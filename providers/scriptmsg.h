/*
 * scriptmsg.h: how `dtrace --emit` tells running traces of an event: each listens at an abstract
 * socket (unix(7), SOCK_SEQPACKET) with a name of its own; one message a connection. Both sides ask
 * the kernel who the other one is: any user may take any name.
 */
#ifndef PROVIDERS_SCRIPTMSG_H
#define PROVIDERS_SCRIPTMSG_H

#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/base.h"

#define SCRIPT_SOCKET "dtrace-script-" /* behind the NUL; then the effective user, and a number */
#define SCRIPT_TRACES 16	       /* the numbers that are tried first, from 0 */
#define SCRIPT_MAGIC  0x31747063U
#define SCRIPT_NAME   64
#define SCRIPT_TEXT   4096 /* with the NUL, as is that of the name */

struct script_msg {
	uint32_t magic;
	int32_t pid, ppid; /* whose event it is, and its parent */
	char comm[16];	   /* its name, which may be gone when this is read */
	uint64_t time_ns;  /* CLOCK_MONOTONIC */
	char name[SCRIPT_NAME];
	char text[SCRIPT_TEXT]; /* sent as far as its NUL */
};

/* Returns the address's length. */
static inline socklen_t script_address(struct sockaddr_un *sa, uid_t uid, unsigned nth)
{
	int n;

	memset(sa, 0, sizeof(*sa));
	sa->sun_family = AF_UNIX;
	n = snprintf(sa->sun_path + 1, sizeof(sa->sun_path) - 1, SCRIPT_SOCKET "%u-%u",
		     (unsigned)uid, nth);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Of n bytes of a name: may a trace be behind it? */
static inline bool script_is_address(const struct sockaddr_un *sa, size_t n)
{
	static const char start[] = "\0" SCRIPT_SOCKET;

	return n >= sizeof(start) && memcmp(sa->sun_path, start, sizeof(start) - 1) == 0;
}

/* Letters, digits, '_', '-' and '.', and no number: that is a process. */
static inline bool script_is_name(const char *s)
{
	static const char set[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t n = strlen(s);

	return n > 0 && n < SCRIPT_NAME && strspn(s, set) == n && strspn(s, "0123456789") != n;
}

#endif
