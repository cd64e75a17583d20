/*
 * prov_net.c: ip, tcp, udp, tcpip and udpip (docs/spec/providers.md §4.8): packets of sockets and
 * what becomes of connections, seen by providers/kernel/bpf/net.bpf.c. One packet may fire probes
 * of three of them.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#include "dlang/offload/capture.h"
#include "providers/kernel/kprog/eventclauses.h"
#include "providers/kernel/cgroup.h"
#include "providers/kernel/features.h"
#include "providers/providers.h"
#include "providers/system/netrecord.h"
#include "providers/system/tracepoints/net_tracepoints.h"
#include "providers/world/kernsyms.h"
#include "symbols/dwarf/btf.h"
#include "symbols/kallsyms.h"

/* What each needs to know whose a socket is. */
#define OWNERS " on_created|on_state on_state on_read each_file"
#define OUT    "on_egress|on_sent|on_sent_call" OWNERS
#define IN     "on_ingress|on_received|on_received_call" OWNERS
#define STATE  "on_state" OWNERS

/* clang-format off */
static const struct bpf_probe_row rows[NET_NROWS] = {
	[NET_IP_RECEIVE] =              {"receive", IN, 6},
	[NET_IP_SEND] =                 {"send", OUT, 6},
	[NET_IP_DROP_IN] =              {"drop-in", "on_drop", 7},
	[NET_IP_DROP_OUT] =             {"drop-out", "on_drop", 7},
	[NET_TCP_SEND] =                {"send", OUT, 5},
	[NET_TCP_RECEIVE] =             {"receive", IN, 5},
	[NET_TCP_CONNECT_REQUEST] =     {"connect-request", "on_egress|on_state" OWNERS, 5},
	[NET_TCP_CONNECT_ESTABLISHED] = {"connect-established", STATE, 5},
	[NET_TCP_CONNECT_REFUSED] =     {"connect-refused", "on_reset" OWNERS, 5},
	[NET_TCP_ACCEPT_ESTABLISHED] =  {"accept-established", STATE, 5},
	[NET_TCP_ACCEPT_REFUSED] =      {"accept-refused", "on_drop", 5},
	[NET_TCP_STATE_CHANGE] =        {"state-change", STATE, 6},
	[NET_UDP_SEND] =                {"send", OUT, 5},
	[NET_UDP_RECEIVE] =             {"receive", IN, 5},
	[NET_TCPIP_SEND] =              {"send", OUT, 2},
	[NET_TCPIP_RECEIVE] =           {"receive", IN, 2},
	[NET_TCPIP_CONNECT] =           {"connect", STATE, 2},
	[NET_TCPIP_ACCEPT] =            {"accept", STATE, 2},
	[NET_TCPIP_DISCONNECT] =        {"disconnect", STATE, 2},
	[NET_TCPIP_RETRANSMIT] =        {"retransmit", "on_again" OWNERS, 2},
	[NET_TCPIP_RECONNECT] =         {"reconnect", "on_again on_synack_again" OWNERS, 2},
	[NET_TCPIP_COPY] =              {"copy", "on_copy", 2},
	[NET_TCPIP_FAIL] =              {"fail", "on_error on_reset on_drop on_connected" OWNERS, 2},
	[NET_UDPIP_SEND] =              {"send", OUT, 1},
	[NET_UDPIP_RECEIVE] =           {"receive", IN, 1},
	[NET_UDPIP_FAIL] =              {"fail", "on_error on_full on_drop" OWNERS, 2},
};
static const struct provider *const owners[NET_NROWS] = {
	[NET_IP_RECEIVE] = &prov_ip,
	[NET_IP_SEND] = &prov_ip,
	[NET_IP_DROP_IN] = &prov_ip,
	[NET_IP_DROP_OUT] = &prov_ip,
	[NET_TCP_SEND] = &prov_tcp,
	[NET_TCP_RECEIVE] = &prov_tcp,
	[NET_TCP_CONNECT_REQUEST] = &prov_tcp,
	[NET_TCP_CONNECT_ESTABLISHED] = &prov_tcp,
	[NET_TCP_CONNECT_REFUSED] = &prov_tcp,
	[NET_TCP_ACCEPT_ESTABLISHED] = &prov_tcp,
	[NET_TCP_ACCEPT_REFUSED] = &prov_tcp,
	[NET_TCP_STATE_CHANGE] = &prov_tcp,
	[NET_UDP_SEND] = &prov_udp,
	[NET_UDP_RECEIVE] = &prov_udp,
	[NET_TCPIP_SEND] = &prov_tcpip,
	[NET_TCPIP_RECEIVE] = &prov_tcpip,
	[NET_TCPIP_CONNECT] = &prov_tcpip,
	[NET_TCPIP_ACCEPT] = &prov_tcpip,
	[NET_TCPIP_DISCONNECT] = &prov_tcpip,
	[NET_TCPIP_RETRANSMIT] = &prov_tcpip,
	[NET_TCPIP_RECONNECT] = &prov_tcpip,
	[NET_TCPIP_COPY] = &prov_tcpip,
	[NET_TCPIP_FAIL] = &prov_tcpip,
	[NET_UDPIP_SEND] = &prov_udpip,
	[NET_UDPIP_RECEIVE] = &prov_udpip,
	[NET_UDPIP_FAIL] = &prov_udpip,
};
/* clang-format on */

/* What events can be counted by: of packets what their headers say; of sockets the ports. */
#define TCP_PACKETS                                                                                \
	(NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_TCP_CONNECT_REQUEST))
#define UDP_PACKETS   (NET_BIT(NET_UDP_SEND) | NET_BIT(NET_UDP_RECEIVE))
#define IP_PACKETS    (NET_BIT(NET_IP_SEND) | NET_BIT(NET_IP_RECEIVE))
#define TCPIP_PACKETS (NET_BIT(NET_TCPIP_SEND) | NET_BIT(NET_TCPIP_RECEIVE))
#define UDPIP_PACKETS (NET_BIT(NET_UDPIP_SEND) | NET_BIT(NET_UDPIP_RECEIVE))
#define TCP_COMING    (NET_BIT(NET_TCP_CONNECT_ESTABLISHED) | NET_BIT(NET_TCP_ACCEPT_ESTABLISHED))
#define TCP_SOCKS     (TCP_COMING | NET_BIT(NET_TCP_STATE_CHANGE))
#define TCPIP_SOCKS                                                                                \
	(NET_BIT(NET_TCPIP_CONNECT) | NET_BIT(NET_TCPIP_ACCEPT) | NET_BIT(NET_TCPIP_DISCONNECT))

#define WORD(at, id, n, m)                                                                         \
	{                                                                                          \
		.rows = (at), .word = (id), .arg = (n), .is_member = true,                         \
		.off = offsetof(struct net_record, m), .size = sizeof(((struct net_record *)0)->m) \
	}
#define SENT	 (NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCP_CONNECT_REQUEST) | NET_BIT(NET_UDP_SEND))
#define RECEIVED (NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_UDP_RECEIVE))
/* Of the socket of a packet. */
#define SOCK_WORD(at, id, m)                                                                       \
	{                                                                                          \
		.rows = (at), .word = (id), .arg = 3, .is_member = true,                           \
		.off = offsetof(struct net_record, m),                                             \
		.size = sizeof(((struct net_record *)0)->m), .besides = NET_WORD_SAME_ENDS         \
	}
/* clang-format off */
static const struct bpf_word words[] = {
	WORD(TCP_PACKETS | UDP_PACKETS, NET_WORD_SPORT, 4, sport),
	WORD(TCP_PACKETS | UDP_PACKETS, NET_WORD_DPORT, 4, dport),
	WORD(TCP_PACKETS | UDP_PACKETS | IP_PACKETS, NET_WORD_BYTES, 2, bytes),
	WORD(TCP_PACKETS | UDP_PACKETS | IP_PACKETS, NET_WORD_VERSION, 2, version),
	WORD(TCP_PACKETS | UDP_PACKETS | IP_PACKETS, NET_WORD_FAMILY, 2, family),
	WORD(TCP_PACKETS | UDP_PACKETS | IP_PACKETS, NET_WORD_SRC, 2, src),
	WORD(TCP_PACKETS | UDP_PACKETS | IP_PACKETS, NET_WORD_DST, 2, dst),
	WORD(UDP_PACKETS, NET_WORD_LENGTH, 4, l4_length),
	WORD(TCPIP_PACKETS, NET_WORD_SPORT, 1, sport),
	WORD(TCPIP_PACKETS, NET_WORD_DPORT, 1, dport),
	WORD(TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_BYTES, 0, bytes),
	WORD(TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_VERSION, 0, version),
	WORD(TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_FAMILY, 0, family),
	WORD(TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_SRC, 0, src),
	WORD(TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_DST, 0, dst),
	WORD(UDPIP_PACKETS, NET_WORD_SPORT, 0, sport),
	WORD(UDPIP_PACKETS, NET_WORD_DPORT, 0, dport),
	WORD(UDPIP_PACKETS, NET_WORD_LENGTH, 0, l4_length),
	WORD(TCP_SOCKS, NET_WORD_LPORT, 3, lport),
	WORD(TCP_SOCKS, NET_WORD_RPORT, 3, rport),
	WORD(TCP_SOCKS, NET_WORD_SOCK_FAMILY, 3, sock_family),
	WORD(TCP_SOCKS, NET_WORD_LADDR, 3, laddr),
	WORD(TCP_SOCKS, NET_WORD_RADDR, 3, raddr),
	SOCK_WORD(SENT | RECEIVED, NET_WORD_FAMILY, sock_family),
	SOCK_WORD(SENT, NET_WORD_SRC, laddr),
	SOCK_WORD(SENT, NET_WORD_DST, raddr),
	SOCK_WORD(RECEIVED, NET_WORD_DST, laddr),
	SOCK_WORD(RECEIVED, NET_WORD_SRC, raddr),
	/* a connection that is there is told of as what has come last, but by tcpip */
	WORD(TCP_COMING, NET_WORD_RPORT, 4, sport),
	WORD(TCP_COMING, NET_WORD_LPORT, 4, dport),
	WORD(TCP_COMING, NET_WORD_SOCK_FAMILY, 2, family),
	WORD(TCP_COMING, NET_WORD_RADDR, 2, src),
	WORD(TCP_COMING, NET_WORD_LADDR, 2, dst),
	WORD(TCPIP_SOCKS, NET_WORD_LPORT, 1, sport),
	WORD(TCPIP_SOCKS, NET_WORD_RPORT, 1, dport),
	WORD(TCPIP_SOCKS, NET_WORD_SOCK_FAMILY, 0, family),
	WORD(TCPIP_SOCKS, NET_WORD_LADDR, 0, src),
	WORD(TCPIP_SOCKS, NET_WORD_RADDR, 0, dst),
};
/* clang-format on */

/* Of packets, where cgroups have them, and of what becomes of connections clauses may run in the
 * kernel. Of packets they have the ends of the socket, whatever these are. */
#define OF_PROTOCOLS (TCP_PACKETS | UDP_PACKETS)
/* clang-format off */
static const struct bpf_word clause_words[] = {
	WORD(NET_BIT(NET_TCP_STATE_CHANGE) | TCP_PACKETS, NET_WORD_STATE, 3, state),
	WORD(NET_BIT(NET_TCP_STATE_CHANGE), NET_WORD_OLD_STATE, 5, old_state),
	WORD(TCP_SOCKS | OF_PROTOCOLS | IP_PACKETS, NET_WORD_COOKIE, 1, cookie),
	WORD(TCP_SOCKS | OF_PROTOCOLS | IP_PACKETS, NET_WORD_OWNER, 1, owner),
	WORD(TCP_SOCKS | OF_PROTOCOLS | IP_PACKETS, NET_WORD_ADDR, 1, sk),
	WORD(TCP_SOCKS | OF_PROTOCOLS | IP_PACKETS, NET_WORD_COOKIE, 2, cookie),
	WORD(UDP_PACKETS, NET_WORD_COOKIE, 4, cookie),
	WORD(TCPIP_SOCKS | TCPIP_PACKETS | UDPIP_PACKETS, NET_WORD_COOKIE, 0, cookie),
	WORD(OF_PROTOCOLS, NET_WORD_ADDR, 3, sk),
	WORD(OF_PROTOCOLS, NET_WORD_OWN_LPORT, 3, lport),
	WORD(OF_PROTOCOLS, NET_WORD_OWN_RPORT, 3, rport),
	WORD(OF_PROTOCOLS, NET_WORD_OWN_FAMILY, 3, sock_family),
	WORD(OF_PROTOCOLS, NET_WORD_OWN_LADDR, 3, laddr),
	WORD(OF_PROTOCOLS, NET_WORD_OWN_RADDR, 3, raddr),
	WORD(TCP_PACKETS, NET_WORD_FLAGS, 4, flags),
	WORD(TCP_PACKETS, NET_WORD_SEQ, 4, seq),
	WORD(TCP_PACKETS, NET_WORD_ACK, 4, ack),
	WORD(TCP_PACKETS, NET_WORD_WINDOW, 4, window),
	WORD(TCPIP_PACKETS, NET_WORD_FLAGS, 1, flags),
	WORD(TCPIP_PACKETS, NET_WORD_SEQ, 1, seq),
	WORD(TCPIP_PACKETS, NET_WORD_ACK, 1, ack),
	WORD(TCPIP_PACKETS, NET_WORD_WINDOW, 1, window),
	WORD(IP_PACKETS, NET_WORD_IS_IPV4, 4, has_ipv4),
	WORD(IP_PACKETS, NET_WORD_PROTOCOL, 4, protocol),
	WORD(IP_PACKETS, NET_WORD_TTL, 4, ttl),
	WORD(IP_PACKETS, NET_WORD_IP_LENGTH, 4, ip_length),
	WORD(IP_PACKETS, NET_WORD_IS_IPV6, 5, has_ipv6),
	WORD(IP_PACKETS, NET_WORD_PROTOCOL, 5, protocol),
	WORD(IP_PACKETS, NET_WORD_TTL, 5, ttl),
	WORD(IP_PACKETS, NET_WORD_IP_LENGTH, 5, ip_length),
};
static const struct event_row clause_rows[] = {
	{TCP_SOCKS | TCPIP_SOCKS, "inet_sock_set_state", "state_clauses", false},
	{NET_BIT(NET_IP_SEND) | NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCP_CONNECT_REQUEST) |
	 NET_BIT(NET_UDP_SEND) | NET_BIT(NET_TCPIP_SEND) | NET_BIT(NET_UDPIP_SEND),
	 "cgroup_skb/egress", "egress_clauses", false},
	{NET_BIT(NET_IP_RECEIVE) | NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_UDP_RECEIVE) |
	 NET_BIT(NET_TCPIP_RECEIVE) | NET_BIT(NET_UDPIP_RECEIVE),
	 "cgroup_skb/ingress", "ingress_clauses", false},
};
/* clang-format on */

struct net_world {
	struct bpf_probes probes;
	const struct type *reasons;
	bool has_asked, has_told; /* how packets can be seen; that they cannot */
	struct net_record copy;
	struct net_tracepoints *tracepoints; /* of a recording; NULL: programs tell */
};

static struct net_world *net_of(const struct session *s)
{
	return world_of(s)->net;
}

/* ---- records ---- */

static void fire(struct net_world *w, const struct bpf_net *n, enum bpf_net_row row,
		 const struct event *template)
{
	struct probe *p = w->probes.probes[row];
	struct event ev = *template;

	if (!p)
		return;
	if (row == NET_TCPIP_FAIL || row == NET_UDPIP_FAIL) {
		ev.args[0] = row == NET_TCPIP_FAIL ? IPPROTO_TCP : IPPROTO_UDP;
		ev.args[1] = (uint64_t)n->error;
	} else if (p->needs & (NEED_ARGS | NEED_MEM)) {
		net_record_set(&w->copy, n, row, w->reasons);
		ev.raw = &w->copy;
		ev.rawlen = sizeof(w->copy);
		for (unsigned i = 0; i < rows[row].nargs; i++)
			ev.args[i] = (uintptr_t)&w->copy;
	}
	bpf_probes_fire(&w->probes, row, &ev);
}

/* What is sent passes TCP or UDP first, then IP; what comes the other way round. */
static void fire_all(void *arg, const struct bpf_net *n, struct event *ev)
{
	struct net_world *w = arg;

	for (unsigned row = 0; row < NET_NROWS; row++)
		if (n->rows & ~w->probes.last & NET_BIT(row))
			fire(w, n, row, ev);
	if (n->rows & w->probes.last)
		fire(w, n, NET_IP_SEND, ev);
}

static void on_record(void *arg, const struct bpf_head *h, size_t len)
{
	struct net_world *w = arg;
	const struct bpf_net *n = (const void *)h;
	struct event ev;

	if (len < (w->probes.wants->details ? sizeof(*n) : BPF_NET_SHORT))
		return;
	bpf_event_init(w->probes.bpf, &ev, h);
	fire_all(w, n, &ev);
}

/* ---- enabling ---- */

static void say_without(struct net_world *w, const struct probe *p)
{
	struct features *f = world_features(world_of(p->session));
	struct bpf_net_wants *wants = (void *)w->probes.wants;

	if (wants->how.has_packets || w->has_told ||
	    !strstr(rows[bpf_probes_row(p)].programs, "gress"))
		return;
	w->has_told = true;
	session_message(p->session, MSG_ERR, false,
			"probe description %s:::%s: %s; it fires for what processes send and read, "
			"not for packets, whose members of args[] are empty",
			p->prov, p->name, feature_why(f, FEATURE_CGROUP));
}

static bool has_packets(const struct net_world *w)
{
	return ((const struct bpf_net_wants *)(const void *)w->probes.wants)->how.has_packets;
}

/* In a namespace of cgroups the root is that of a container. */
static void say_container(struct net_world *w)
{
	bool is_all = true;
	struct err err;
	int root = cgroup_open_root(&is_all, &err);

	if (root >= 0)
		close(root);
	if (!is_all)
		session_message(w->probes.session, MSG_ERR, false,
				"packets are seen of this container's sockets only: its root of "
				"cgroup v2 is not the machine's (docker --cgroupns=host has it)");
}

/* Once, when the object is open. */
static void ask_kernel(struct net_world *w)
{
	struct world *world = world_of(w->probes.session);
	struct bpf_net_wants *wants = (void *)w->probes.wants;
	struct kernel_btf *btf = world_btf(world);
	struct kernel_func event;

	w->has_asked = true;
	wants->how.has_packets = feature_works(world_features(world), FEATURE_CGROUP);
	if (wants->how.has_packets)
		say_container(w);
	if (!btf)
		return;
	wants->how.retransmit_errors =
		kernel_btf_tracepoint(btf, "tcp_retransmit_skb", &event) && event.nparams > 2;
	w->reasons = kernel_btf_type(btf, "enum skb_drop_reason");
}

/* Clauses may read when a send began. */
static bool reads_start(const struct probe *p)
{
	enum { AT = offsetof(struct net_record, start_us) };
	struct capture reads;

	if (!(p->needs & NEED_ARGS))
		return false;
	probe_capture_kernel(p, &reads);
	for (unsigned i = 0; i < reads.nmem; i++)
		if (reads.mem[i].base == MEM_ARG && reads.mem[i].off <= AT &&
		    reads.mem[i].off + reads.mem[i].len > AT)
			return true;
	return reads.nmem == CAPTURE_KERNEL_MAX; /* that is not all of it */
}

/* Each send of the machine is looked at for that. */
static int add_starts(struct net_world *w, const struct probe *p, struct err *err)
{
	struct bpf_net_wants *wants = (void *)w->probes.wants;

	if (!strstr(rows[bpf_probes_row(p)].programs, "on_egress|on_sent") || !reads_start(p))
		return 0;
	wants->how.has_starts = true;
	return bpf_probes_add_programs(
		p, wants->how.has_packets ? "on_send_call on_send_ends on_given|" : "on_send_call",
		err);
}

/* Who waits for what comes, by the kernel's own queue, and who has read; else by all calls that
 * read. */
static int add_readers(const struct net_world *w, const struct probe *p, struct err *err)
{
	struct bpf_net_wants *wants = (void *)w->probes.wants;
	struct world *world = world_of(p->session);
	struct kernel_btf *btf = world_btf(world);
	struct kernel_func event;

	if (!wants->how.has_packets || !strstr(rows[bpf_probes_row(p)].programs, "on_ingress"))
		return 0;
	if (!wants->how.wakes_reader[0] && wants->wants.can_cast &&
	    kernel_btf_tracepoint(btf, "sock_recv_length", &event)) {
		wants->how.wakes_reader[0] =
			kallsyms_address(world_ksyms(world), "receiver_wake_function");
		wants->how.wakes_reader[1] =
			kallsyms_address(world_ksyms(world), "woken_wake_function");
	}
	return bpf_probes_add_programs(
		p, wants->how.wakes_reader[0] ? "on_read_ends" : "on_read_call", err);
}

/* What no tracepoint tells. */
#define NOT_RECORDED                                                                               \
	"of packets (ipinfo_t, tcpinfo_t, tcps_snxt, tcps_rtt and other numbers of tcpsinfo_t)"

static int use_recording(struct net_world *w, struct probe *p, struct err *err)
{
	struct world *world = world_of(p->session);
	struct perf *perf;
	int rc = world_perf(world, &perf, err);

	if (rc < 0)
		return rc;
	if (!w->tracepoints)
		w->tracepoints = net_tracepoints_new(world, perf, fire_all, w);
	rc = net_tracepoints_add(w->tracepoints, bpf_probes_row(p), p->needs, err);
	if (rc == 0)
		bpf_probes_do_without(p, NOT_RECORDED);
	return rc;
}

static int net_enable(struct probe *p, struct err *err)
{
	struct net_world *w = net_of(p->session);
	int rc;

	if (bpf_probes_are_recorded(p))
		return use_recording(w, p, err);
	rc = bpf_probes_enable(p, err);
	if (rc < 0)
		return rc;
	if (!w->has_asked)
		ask_kernel(w);
	say_without(w, p);
	event_clauses_use(&w->probes, clause_rows, has_packets(w) ? ARRAY_SIZE(clause_rows) : 1);
	bpf_on(w->probes.bpf, BPF_KIND_NET, on_record, w);
	rc = add_readers(w, p, err);
	if (rc == 0)
		rc = add_starts(w, p, err);
	if (rc == 0 && p->needs & NEED_TASK)
		rc = bpf_probes_add_programs(p, "on_named on_named_first", err);
	return rc;
}

/* The first of the five makes the probes of all. */
static int net_provide(struct session *s, const struct probe_desc *d, int *tag UNUSED,
		       struct err *err UNUSED)
{
	struct net_world *w;

	if (d || world_of(s)->net)
		return 0;
	w = world_of(s)->net = xcalloc(1, sizeof(*w));
	w->probes = (struct bpf_probes){.provider = &prov_ip,
					.object = "net",
					.rows = rows,
					.providers = owners,
					.nrows = NET_NROWS,
					.last = NET_BIT(NET_IP_SEND),
					.knows = BPF_KNOWS_IDS,
					.here = TCP_SOCKS | TCPIP_SOCKS,
					.words = words,
					.nwords = ARRAY_SIZE(words),
					.clause_words = clause_words,
					.nclause_words = ARRAY_SIZE(clause_words),
					.session = s};
	bpf_probes_create(&w->probes);
	return 0;
}

static void net_free(struct session *s)
{
	if (net_of(s))
		net_tracepoints_free(net_of(s)->tracepoints);
	free(net_of(s));
	world_of(s)->net = NULL;
}

#define NET_PROVIDER(id, title)                                                                    \
	const struct provider id = {                                                               \
		.name = (title),                                                                   \
		.is_of_kernel = true,                                                              \
		.provide = net_provide,                                                            \
		.enable = net_enable,                                                              \
		.argtypes = bpf_probes_argtypes,                                                   \
		.free = net_free,                                                                  \
		.attrs = &translated_attrs,                                                        \
		.loss = LOSS_KERNEL,                                                               \
		.reads_files = true,                                                               \
	}

NET_PROVIDER(prov_ip, "ip");
NET_PROVIDER(prov_tcp, "tcp");
NET_PROVIDER(prov_udp, "udp");
NET_PROVIDER(prov_tcpip, "tcpip");
NET_PROVIDER(prov_udpip, "udpip");
