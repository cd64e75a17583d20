/*
 * scriptlist.h: which traces listen to `dtrace --emit`, as the kernel tells (sock_diag(7)): whose a
 * socket is, before anything is said to it. Any user may take any name.
 */
#ifndef PROVIDERS_SCRIPTLIST_H
#define PROVIDERS_SCRIPTLIST_H

#include <sys/socket.h>
#include <sys/un.h>

typedef void script_listener_fn(void *arg, const struct sockaddr_un *, socklen_t);

/*
 * Calls fn with the address of each trace of that user, and of root. Returns 0, or a negative errno
 * if this kernel does not tell.
 */
int script_each_listener(uid_t uid, script_listener_fn *, void *arg);

#endif
