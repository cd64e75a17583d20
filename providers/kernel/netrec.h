/*
 * netrec.h: the record of the ip, tcp, udp, tcpip and udpip probes
 * (providers/kernel/bpf/net.bpf.c), as bpfrec.h: a packet, a socket, or both. Included by programs
 * and engine; fixed widths only.
 */
#ifndef PROVIDERS_KERNEL_NETREC_H
#define PROVIDERS_KERNEL_NETREC_H

#include "providers/kernel/bpfrec.h"

/* The rows of the five providers' table. */
enum bpf_net_row {
	NET_IP_RECEIVE,
	NET_IP_SEND,
	NET_IP_DROP_IN,
	NET_IP_DROP_OUT,
	NET_TCP_SEND,
	NET_TCP_RECEIVE,
	NET_TCP_CONNECT_REQUEST,
	NET_TCP_CONNECT_ESTABLISHED,
	NET_TCP_CONNECT_REFUSED,
	NET_TCP_ACCEPT_ESTABLISHED,
	NET_TCP_ACCEPT_REFUSED,
	NET_TCP_STATE_CHANGE,
	NET_UDP_SEND,
	NET_UDP_RECEIVE,
	NET_TCPIP_SEND,
	NET_TCPIP_RECEIVE,
	NET_TCPIP_CONNECT,
	NET_TCPIP_ACCEPT,
	NET_TCPIP_DISCONNECT,
	NET_TCPIP_RETRANSMIT,
	NET_TCPIP_RECONNECT,
	NET_TCPIP_COPY,
	NET_TCPIP_FAIL,
	NET_UDPIP_SEND,
	NET_UDPIP_RECEIVE,
	NET_UDPIP_FAIL,
	NET_NROWS
};
#define NET_BIT(row) (1U << (row))

/* What can be counted by, as struct bpf_count_words has it. */
enum bpf_net_word {
	NET_WORD_SPORT,
	NET_WORD_DPORT,
	NET_WORD_BYTES,
	NET_WORD_LENGTH,
	NET_WORD_VERSION,
	/* addresses are two words each; of a socket where there is no packet */
	NET_WORD_FAMILY,
	NET_WORD_SRC,
	NET_WORD_DST = NET_WORD_SRC + 2,
	NET_NWORDS = NET_WORD_DST + 2,
	NET_WORD_SOCK_FAMILY = NET_WORD_FAMILY,
	NET_WORD_LADDR = NET_WORD_SRC,
	NET_WORD_RADDR = NET_WORD_DST,
	NET_WORD_LPORT = NET_WORD_SPORT,
	NET_WORD_RPORT = NET_WORD_DPORT,
	/* of clauses on what becomes of sockets */
	NET_WORD_STATE = NET_NWORDS,
	NET_WORD_OLD_STATE,
	NET_WORD_COOKIE,
	NET_WORD_OWNER,
	NET_WORD_ADDR,
	/* of those on packets: the ends of their socket, and more of their headers */
	NET_WORD_OWN_LPORT,
	NET_WORD_OWN_RPORT,
	NET_WORD_OWN_FAMILY,
	NET_WORD_OWN_LADDR,
	NET_WORD_OWN_RADDR = NET_WORD_OWN_LADDR + 2,
	NET_WORD_FLAGS = NET_WORD_OWN_RADDR + 2,
	NET_WORD_SEQ,
	NET_WORD_ACK,
	NET_WORD_WINDOW,
	NET_WORD_IS_IPV4,
	NET_WORD_IS_IPV6,
	NET_WORD_PROTOCOL,
	NET_WORD_TTL,
	NET_WORD_IP_LENGTH,
	NET_CLAUSE_WORDS,
	/* asked for besides: the packet's ends are those of its socket */
	NET_WORD_SAME_ENDS = 16,
};

/* How the programs see packets; a constant of the object, behind struct bpf_wants. */
struct bpf_net_how {
	unsigned int has_packets;	/* they are attached to cgroups */
	unsigned int retransmit_errors; /* tcp_retransmit_skb tells of those that failed, too */
	unsigned int has_starts;	/* when calls began is known */
	unsigned int padding;
	/* functions of the kernel that wake who waits for datagrams, for bytes; 0: not known */
	unsigned long long wakes_reader[2];
};
struct bpf_net_wants {
	struct bpf_wants wants;
	struct bpf_net_how how;
};

#define NET_IP_BYTES 40 /* of the header of IPv6, or of IPv4 without most options */
#define NET_L4_BYTES 20 /* of TCP without options, of UDP, of ICMP */

/* What is known of the socket; of TCP the kernel's struct tcp_sock. */
struct bpf_net_sock {
	unsigned long long addr, cookie;
	unsigned int family; /* AF_INET, AF_INET6; 0: there is none */
	unsigned int protocol;
	unsigned int state, old_state; /* the kernel's TCP_ESTABLISHED ... */
	unsigned int lport, rport;
	unsigned char laddr[16], raddr[16]; /* the first 4 of IPv4 */
	unsigned int is_active, is_local;
	unsigned int owner; /* process; 0: not known */
	unsigned int iss, suna, snxt, rack, rnxt, swnd, rwnd, cwnd, ssthresh, sack_fack, sack_snxt;
	unsigned int rto_ticks, mss, rtt_us;
	unsigned int snd_ws, rcv_ws, has_sack, has_times, has_ws;
};

struct bpf_net_packet {
	unsigned long long skb, dev;
	unsigned long long location; /* where it was dropped */
	unsigned int bytes;	     /* from the IP header on; 0: there is no packet */
	unsigned int l4_at;	     /* 0: not seen */
	unsigned int protocol;
	unsigned int ifindex, is_loopback;
	char ifname[16];
	unsigned char ip[NET_IP_BYTES], l4[NET_L4_BYTES];
};

struct bpf_net {
	struct bpf_head head; /* of the process that owns the socket */
	unsigned int rows;    /* which probes fire: NET_BIT() */
	int error;	      /* errno; of a drop the kernel's reason */
	unsigned int payload; /* bytes, without headers */
	unsigned int is_inbound;
	/* with details only */
	unsigned int seq, ack;	     /* where there is no packet */
	unsigned long long start_ns; /* of the send; 0: not known */
	struct bpf_net_sock sock;
	struct bpf_net_packet packet;
};
#define BPF_NET_SHORT 48

#endif
