/*
 * netrecord.h: what D reads of a packet or socket: the structure that args[] of ip, tcp, udp, tcpip
 * and udpip lead to, whose translators are in dscripts/lib/net.d.
 */
#ifndef PROVIDERS_SYSTEM_NETRECORD_H
#define PROVIDERS_SYSTEM_NETRECORD_H

#include <stdint.h>

#include "providers/kernel/netrec.h"

/* dscripts/lib/net.d has the same structure. */
struct net_record {
	uint64_t skb, dev, sk, cookie, start_us, end_us, location;
	uint32_t iss, suna, snxt, rack, rnxt, swnd, rwnd, cwnd, ssthresh, sack_fack, sack_snxt;
	uint32_t rto, mss, rtt;
	uint32_t seq, ack, bytes, payload, flow;
	int32_t ifindex, owner, error, reason, state, old_state;
	int32_t version, family, sock_family; /* AF_INET, AF_INET6; 0: none */
	int32_t is_active, is_local, is_loopback, is_again;
	int32_t snd_ws, rcv_ws, has_sack, has_times, has_ws;
	int32_t has_ipv4, has_ipv6, has_l4, ip_length, ident, fragment;
	int32_t sport, dport, lport, rport, window, checksum, urgent, l4_length;
	int32_t header, flags, ihl, tos, ttl, protocol, ip_flags, ip_checksum;
	uint8_t src[16], dst[16], laddr[16], raddr[16];
	uint8_t ip[NET_IP_BYTES], l4[NET_L4_BYTES + 4]; /* up to a multiple of 8 */
	char ifname[16], drop[48];
};

struct type;
/* As the probe of that row shows it. Each member is set. reasons: enum skb_drop_reason; NULL: not
 * known. */
void net_record_set(struct net_record *, const struct bpf_net *, enum bpf_net_row,
		    const struct type *reasons);

#endif
