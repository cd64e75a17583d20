/*
 * connect.h: connect() that fails before the socket has sent anything: the network tells of nothing
 * then, the call alone does.
 */
#ifndef BPF_CONNECT_H
#define BPF_CONNECT_H

#include "providers/kernel/bpf/net.h"

enum { NR_connect = 42, NR_connect_32 = 362 };

/* Sockets whose error has been told of, which the call says again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64); /* cookie */
	__type(value, __u32);
} told SEC(".maps");

static __always_inline void remember_error(__u64 cookie, __u32 error)
{
	bpf_map_update_elem(&told, &cookie, &error, 0);
}

static __always_inline int is_told(__u64 cookie, __u32 error)
{
	__u32 *known = cookie ? bpf_map_lookup_elem(&told, &cookie) : 0;
	int is_same = known && *known == error;

	if (known)
		bpf_map_delete_elem(&told, &cookie);
	return is_same;
}

/* Not: it goes on, it is there already, or the call asks for nothing that could be tried. */
static __always_inline int is_failed_connect(__u32 error)
{
	enum { EINTR = 4, EBADF = 9, EFAULT = 14, EINVAL = 22, ENOTSOCK = 88 };
	enum { EAFNOSUPPORT = 97, EISCONN = 106, EALREADY = 114, EINPROGRESS = 115, OWN = 512 };

	return error != EINTR && error != EBADF && error != EFAULT && error != EINVAL &&
	       error != ENOTSOCK && error != EAFNOSUPPORT && error != EISCONN &&
	       error != EALREADY && error != EINPROGRESS &&
	       error < OWN; /* the kernel's own: the call is made again */
}

#endif
