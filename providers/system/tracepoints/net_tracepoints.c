#include "providers/system/tracepoints/net_tracepoints.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/hash.h"

/* include/net/tcp_states.h */
enum { STATE_ESTABLISHED = 1, STATE_SYN_SENT = 2, STATE_CLOSE = 7, STATE_LISTEN = 10, STATES = 13 };

#define SOCKETS_MAX 65536 /* that are known at a time; then all are forgotten */

enum net_event { CHANGED, SENT, RECEIVED, AGAIN, AGAIN_SYNACK, RESET, NSOURCES };

/* Where the members are; NULL: the event has none. */
struct fields {
	const struct tpfield *sk, *oldstate, *newstate, *state, *lport, *rport, *family, *protocol,
		*laddr, *raddr, *laddr6, *raddr6, *bytes, *flags;
};

/* Between the first and the last that is heard of it. */
struct socket {
	struct bpf_net_sock sock;
	pid_t pid, tid; /* that connects or listens; 0: not known */
};

struct listener {
	pid_t pid, tid;
};

struct net_tracepoints {
	struct world *world;
	struct perf *perf;
	net_tracepoints_fn *fn;
	void *arg;
	unsigned rows;
	struct fields of[NSOURCES];
	struct hash sockets;   /* by address */
	struct hash listeners; /* by port */
};

/* ---- what records say ---- */

static uint64_t number(const struct tpfield *f, const struct perf_sample *sm)
{
	return f ? tpfield_int(f, sm->raw, sm->rawlen) : 0;
}

static void address(unsigned char to[16], const struct tpfield *f, const struct perf_sample *sm,
		    size_t n)
{
	size_t len = 0;
	const char *at = f ? tpfield_place(f, sm->raw, sm->rawlen, &len) : NULL;

	memset(to, 0, 16);
	if (at)
		memcpy(to, at, MIN(len, n));
}

static void forget_all(struct hash *h)
{
	void *v;

	for (size_t i = 0; (v = hash_each(h, &i, NULL));)
		free(v);
	hash_release(h);
	hash_init(h);
}

static struct socket *socket_at(struct net_tracepoints *t, uint64_t addr)
{
	struct socket *s = hash_get(&t->sockets, addr);

	if (s)
		return s;
	if (t->sockets.n >= SOCKETS_MAX)
		forget_all(&t->sockets);
	s = xcalloc(1, sizeof(*s));
	s->sock.addr = addr;
	hash_put(&t->sockets, addr, s);
	return s;
}

static unsigned state_of(const struct tpfield *f, const struct perf_sample *sm)
{
	const uint64_t state = number(f, sm);

	return state < STATES ? (unsigned)state : 0;
}

/* The socket, with what this event says of it. */
static struct socket *learn(struct net_tracepoints *t, const struct fields *f,
			    const struct perf_sample *sm)
{
	struct socket *s = socket_at(t, number(f->sk, sm));
	const uint64_t family = number(f->family, sm);

	if (f->family)
		s->sock.family = family == AF_INET || family == AF_INET6 ? (unsigned)family : 0;
	if (f->protocol)
		s->sock.protocol = (unsigned)number(f->protocol, sm);
	if (!f->lport || !f->rport)
		return s;
	s->sock.lport = (unsigned)number(f->lport, sm);
	s->sock.rport = (unsigned)number(f->rport, sm);
	if (family == AF_INET) {
		address(s->sock.laddr, f->laddr, sm, 4);
		address(s->sock.raddr, f->raddr, sm, 4);
	} else {
		address(s->sock.laddr, f->laddr6, sm, 16);
		address(s->sock.raddr, f->raddr6, sm, 16);
	}
	return s;
}

/* ---- telling ---- */

static void tell(struct net_tracepoints *t, const struct perf_sample *sm, const struct socket *s,
		 struct bpf_net *n)
{
	struct perf_sample at = *sm;
	struct event ev;

	n->rows &= t->rows;
	if (!n->rows)
		return;
	if (s->pid && s->tid != at.tid) { /* it happens in whatever thread there is */
		at.pid = s->pid;
		at.tid = s->tid;
		at.user = NULL;
	}
	n->sock = s->sock;
	n->sock.owner = (unsigned)s->pid;
	perf_event_init(t->perf, &ev, &at);
	t->fn(t->arg, n, &ev);
}

/* ---- records ---- */

static unsigned state_rows(unsigned from, unsigned to, bool is_active)
{
	unsigned rows = NET_BIT(NET_TCP_STATE_CHANGE);

	if (to == STATE_ESTABLISHED && (from == STATE_SYN_SENT || is_active))
		return rows | NET_BIT(NET_TCP_CONNECT_ESTABLISHED) | NET_BIT(NET_TCPIP_CONNECT);
	if (to == STATE_ESTABLISHED)
		return rows | NET_BIT(NET_TCP_ACCEPT_ESTABLISHED) | NET_BIT(NET_TCPIP_ACCEPT);
	if (to == STATE_SYN_SENT)
		return rows | NET_BIT(NET_TCP_CONNECT_REQUEST);
	if (from == STATE_ESTABLISHED)
		return rows | NET_BIT(NET_TCPIP_DISCONNECT);
	return rows;
}

static void set_owner(struct net_tracepoints *t, struct socket *s, const struct perf_sample *sm,
		      unsigned to)
{
	struct listener *l = hash_get(&t->listeners, s->sock.lport);

	if (to == STATE_SYN_SENT || to == STATE_LISTEN) { /* connect(), listen() */
		s->pid = sm->pid;
		s->tid = sm->tid;
		s->sock.is_active = to == STATE_SYN_SENT;
	} else if (!s->pid && l) { /* of the listener, by its port */
		s->pid = l->pid;
		s->tid = l->tid;
	}
	if (to != STATE_LISTEN)
		return;
	if (!l) {
		l = xcalloc(1, sizeof(*l));
		hash_put(&t->listeners, s->sock.lport, l);
	}
	*l = (struct listener){sm->pid, sm->tid};
}

static void on_changed(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;
	const struct fields *f = &t->of[CHANGED];
	const unsigned from = state_of(f->oldstate, sm), to = state_of(f->newstate, sm);
	struct bpf_net n = {0};
	struct socket *s;

	if (f->protocol && number(f->protocol, sm) != IPPROTO_TCP)
		return;
	s = learn(t, f, sm);
	s->sock.old_state = from;
	s->sock.state = to;
	set_owner(t, s, sm, to);
	n.rows = state_rows(from, to, s->sock.is_active);
	n.is_inbound = to == STATE_ESTABLISHED;
	tell(t, sm, s, &n);
	if (to == STATE_CLOSE)
		free(hash_del(&t->sockets, s->sock.addr));
}

/* It happens in the process that calls. */
static void on_data(struct net_tracepoints *t, const struct fields *f, const struct perf_sample *sm,
		    unsigned tcp, unsigned udp)
{
	const int bytes = (int)number(f->bytes, sm);
	struct bpf_net n = {.payload = (unsigned)bytes};
	struct socket *s = learn(t, f, sm);

	if (bytes <= 0 || !s->sock.family)
		return;
	s->pid = sm->pid;
	s->tid = sm->tid;
	n.rows = s->sock.protocol == IPPROTO_TCP ? tcp : s->sock.protocol == IPPROTO_UDP ? udp : 0;
	n.is_inbound = f == &t->of[RECEIVED];
	tell(t, sm, s, &n);
}

static void on_sent(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;

	on_data(t, &t->of[SENT], sm,
		NET_BIT(NET_TCP_SEND) | NET_BIT(NET_TCPIP_SEND) | NET_BIT(NET_IP_SEND),
		NET_BIT(NET_UDP_SEND) | NET_BIT(NET_UDPIP_SEND) | NET_BIT(NET_IP_SEND));
}

static void on_received(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;

	if (number(t->of[RECEIVED].flags, sm) & MSG_PEEK)
		return;
	on_data(t, &t->of[RECEIVED], sm,
		NET_BIT(NET_TCP_RECEIVE) | NET_BIT(NET_TCPIP_RECEIVE) | NET_BIT(NET_IP_RECEIVE),
		NET_BIT(NET_UDP_RECEIVE) | NET_BIT(NET_UDPIP_RECEIVE) | NET_BIT(NET_IP_RECEIVE));
}

static void on_again(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;
	const struct fields *f = &t->of[AGAIN];
	struct socket *s = learn(t, f, sm);
	struct bpf_net n = {0};

	s->sock.state = state_of(f->state, sm);
	s->sock.protocol = IPPROTO_TCP;
	n.rows = s->sock.state == STATE_SYN_SENT ? NET_BIT(NET_TCPIP_RECONNECT)
						 : NET_BIT(NET_TCPIP_RETRANSMIT);
	tell(t, sm, s, &n);
}

static void on_synack_again(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;
	struct bpf_net n = {.rows = NET_BIT(NET_TCPIP_RECONNECT)};

	tell(t, sm, learn(t, &t->of[AGAIN_SYNACK], sm), &n);
}

/* A reset that answers a SYN: nobody listens there. */
static void on_reset(void *arg, const struct perf_sample *sm)
{
	struct net_tracepoints *t = arg;
	struct socket *s = learn(t, &t->of[RESET], sm);
	const bool is_refused = s->sock.state == STATE_SYN_SENT;
	struct bpf_net n = {.is_inbound = 1, .error = is_refused ? ECONNREFUSED : ECONNRESET};

	n.rows = NET_BIT(NET_TCPIP_FAIL) | (is_refused ? NET_BIT(NET_TCP_CONNECT_REFUSED) : 0);
	tell(t, sm, s, &n);
}

/* ---- listening ---- */

static const struct {
	const char *system, *event;
	perf_fn *fn;
} sources[NSOURCES] = {
	[CHANGED] = {"sock", "inet_sock_set_state", on_changed},
	[SENT] = {"sock", "sock_send_length", on_sent},
	[RECEIVED] = {"sock", "sock_recv_length", on_received},
	[AGAIN] = {"tcp", "tcp_retransmit_skb", on_again},
	[AGAIN_SYNACK] = {"tcp", "tcp_retransmit_synack", on_synack_again},
	[RESET] = {"tcp", "tcp_receive_reset", on_reset},
};

#define BIT(source) (1U << (source))
/* Which events a row is told by; and CHANGED, by which sockets get their addresses and owners. */
static const unsigned needed[NET_NROWS] = {
	[NET_IP_RECEIVE] = BIT(RECEIVED),
	[NET_IP_SEND] = BIT(SENT),
	[NET_TCP_SEND] = BIT(SENT),
	[NET_TCP_RECEIVE] = BIT(RECEIVED),
	[NET_TCP_CONNECT_REQUEST] = BIT(CHANGED),
	[NET_TCP_CONNECT_ESTABLISHED] = BIT(CHANGED),
	[NET_TCP_CONNECT_REFUSED] = BIT(RESET) | BIT(CHANGED),
	[NET_TCP_ACCEPT_ESTABLISHED] = BIT(CHANGED),
	[NET_TCP_STATE_CHANGE] = BIT(CHANGED),
	[NET_UDP_SEND] = BIT(SENT),
	[NET_UDP_RECEIVE] = BIT(RECEIVED),
	[NET_TCPIP_SEND] = BIT(SENT),
	[NET_TCPIP_RECEIVE] = BIT(RECEIVED),
	[NET_TCPIP_CONNECT] = BIT(CHANGED),
	[NET_TCPIP_ACCEPT] = BIT(CHANGED),
	[NET_TCPIP_DISCONNECT] = BIT(CHANGED),
	[NET_TCPIP_RETRANSMIT] = BIT(AGAIN),
	[NET_TCPIP_RECONNECT] = BIT(AGAIN),
	[NET_TCPIP_FAIL] = BIT(RESET),
	[NET_UDPIP_SEND] = BIT(SENT),
	[NET_UDPIP_RECEIVE] = BIT(RECEIVED),
};

static int listen_to(struct net_tracepoints *t, enum net_event which, unsigned flags,
		     struct err *err)
{
	const struct tpformat *f = tracefs_format(world_tracefs(t->world), sources[which].system,
						  sources[which].event);
	const struct perf_want want = {.type = PERF_TYPE_TRACEPOINT,
				       .config = f ? f->id : 0,
				       .scope = PERF_SYSTEM,
				       .flags = PERF_RAW | flags,
				       .format = f,
				       .fn = sources[which].fn,
				       .arg = t};
	struct fields *of = &t->of[which];

	if (!f)
		return perf_lacks(t->world, sources[which].system, sources[which].event, err);
	*of = (struct fields){
		.sk = tpformat_field(f, "skaddr"),
		.oldstate = tpformat_field(f, "oldstate"),
		.newstate = tpformat_field(f, "newstate"),
		.state = tpformat_field(f, "state"),
		.lport = tpformat_field(f, "sport"),
		.rport = tpformat_field(f, "dport"),
		.family = tpformat_field(f, "family"),
		.protocol = tpformat_field(f, "protocol"),
		.laddr = tpformat_field(f, "saddr"),
		.raddr = tpformat_field(f, "daddr"),
		.laddr6 = tpformat_field(f, "saddr_v6"),
		.raddr6 = tpformat_field(f, "daddr_v6"),
		.bytes = tpformat_field(f, "ret"),
		.flags = tpformat_field(f, "flags"),
	};
	if (!of->sk)
		of->sk = tpformat_field(f, "sk");
	if (!of->sk)
		return perf_lacks(t->world, sources[which].system, sources[which].event, err);
	return perf_add(t->perf, &want, err);
}

int net_tracepoints_add(struct net_tracepoints *t, enum bpf_net_row row, unsigned needs,
			struct err *err)
{
	const unsigned flags = perf_flags(needs);
	struct err none;
	int rc = 0;

	if (!needed[row])
		return perf_lacks_all(t->world, NULL, err);
	for (unsigned i = 0; i < NSOURCES && rc == 0; i++)
		if (needed[row] & BIT(i))
			rc = listen_to(t, i, flags, err);
	if (rc < 0)
		return rc;
	listen_to(t, CHANGED, 0, &none);
	if (row == NET_TCPIP_RECONNECT)
		listen_to(t, AGAIN_SYNACK, flags, &none);
	t->rows |= NET_BIT(row);
	perf_note_needs(t->perf, needs);
	return 0;
}

struct net_tracepoints *net_tracepoints_new(struct world *w, struct perf *p, net_tracepoints_fn *fn,
					    void *arg)
{
	struct net_tracepoints *t = xcalloc(1, sizeof(*t));

	t->world = w;
	t->perf = p;
	t->fn = fn;
	t->arg = arg;
	hash_init(&t->sockets);
	hash_init(&t->listeners);
	return t;
}

void net_tracepoints_free(struct net_tracepoints *t)
{
	if (!t)
		return;
	forget_all(&t->sockets);
	forget_all(&t->listeners);
	hash_release(&t->sockets);
	hash_release(&t->listeners);
	free(t);
}
