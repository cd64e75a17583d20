/* nettypes.d: packets, addresses and connections, as the arguments of the ip, tcp and udp probes have
 * them. */
#pragma D depends_on library socket.d

typedef struct pktinfo {
	uintptr_t pkt_addr;	/* of the kernel's structure; 0: not known */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;
	uint64_t cs_cid;	/* names the connection */
	pid_t cs_pid;
	zoneid_t cs_zoneid;
} csinfo_t;

typedef struct ifinfo {
	string if_name;
	int if_ifindex;
	int8_t if_local;	/* loopback */
	uintptr_t if_addr;
	zoneid_t if_ipstack;
} ifinfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;
	uint32_t ip_plength;	/* payload */
	string ip_saddr;
	string ip_daddr;
	uint64_t ip_connid;	/* names the connection */
	uint64_t ip_stime;	/* us: of the send, */
	uint64_t ip_etime;	/* of its end */
} ipinfo_t;

/* Headers as they are in packets, numbers in network byte order; members are called as in the kernel's headers. */
typedef struct ipha {
	uint8_t ihl : 4, version : 4;
	uint8_t tos;
	uint16_t tot_len, id, frag_off;
	uint8_t ttl, protocol;
	uint16_t check;
	uint32_t saddr, daddr;
} ipha_t;

typedef struct ip6 {
	uint8_t priority : 4, version : 4;
	uint8_t flow_lbl[3];
	uint16_t payload_len;
	uint8_t nexthdr, hop_limit;
	uint32_t saddr[4], daddr[4];
} ip6_t;

typedef struct tcph {
	uint16_t source, dest;
	uint32_t seq, ack_seq;
	uint16_t res1 : 4, doff : 4, fin : 1, syn : 1, rst : 1, psh : 1, ack : 1, urg : 1, ece : 1, cwr : 1;
	uint16_t window, check, urg_ptr;
} tcph_t;

typedef struct udpha {
	uint16_t source, dest, len, check;
} udpha_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;	/* bytes */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;	/* IPH_DF, IPH_MF */
	uint16_t ipv4_offset;	/* bytes */
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;	/* as in the header */
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	ipha_t *ipv4_hdr;	/* a copy, without options */
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	in6_addr_t *ipv6_src;
	in6_addr_t *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	ip6_t *ipv6_hdr;
} ipv6info_t;

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;	/* bytes */
	uint8_t tcp_flags;	/* TH_SYN ... */
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	tcph_t *tcp_hdr;	/* a copy, without options; NULL: no packet */
	uint32_t tcp_mss;
	int tcp_sackopt;
	int tcp_tsopt;
	int tcp_wsopt;
	uint32_t tcp_rcvws;
	uint32_t tcp_sndws;
} tcpinfo_t;

/* Why a packet was dropped. */
typedef struct dropinfo {
	int drop_reason;	/* the kernel's number, which differs between kernels */
	string drop_name;	/* its name: NO_SOCKET, TCP_INVALID_SEQUENCE ... */
	uintptr_t drop_location;	/* where in the kernel */
} dropinfo_t;

/* tcps_state */
inline int TCP_STATE_CLOSED = -6;
inline int TCP_STATE_IDLE = -5;
inline int TCP_STATE_BOUND = -4;
inline int TCP_STATE_LISTEN = -3;
inline int TCP_STATE_SYN_SENT = -2;
inline int TCP_STATE_SYN_RECEIVED = -1;
inline int TCP_STATE_ESTABLISHED = 0;
inline int TCP_STATE_CLOSE_WAIT = 1;
inline int TCP_STATE_FIN_WAIT_1 = 2;
inline int TCP_STATE_CLOSING = 3;
inline int TCP_STATE_LAST_ACK = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;

inline string tcp_state_string[int32_t state] =
	state == TCP_STATE_CLOSED ? "state-closed" :
	state == TCP_STATE_IDLE ? "state-idle" :
	state == TCP_STATE_BOUND ? "state-bound" :
	state == TCP_STATE_LISTEN ? "state-listen" :
	state == TCP_STATE_SYN_SENT ? "state-syn-sent" :
	state == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
	state == TCP_STATE_ESTABLISHED ? "state-established" :
	state == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
	state == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
	state == TCP_STATE_CLOSING ? "state-closing" :
	state == TCP_STATE_LAST_ACK ? "state-last-ack" :
	state == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
	state == TCP_STATE_TIME_WAIT ? "state-time-wait" :
	"<unknown>";

typedef struct tcpsinfo {
	uintptr_t tcps_addr;
	int tcps_local;		/* both ends are here */
	int tcps_active;	/* this end connected */
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;	/* TCP_STATE_ESTABLISHED ... */
	uint32_t tcps_iss;
	uint32_t tcps_suna;
	uint32_t tcps_snxt;
	uint32_t tcps_rack;
	uint32_t tcps_rnxt;
	uint32_t tcps_swnd;
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;
	uint32_t tcps_mss;
	int tcps_retransmit;	/* of a send: this segment has been sent before */
	uint32_t tcps_rtt;
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;	/* the one before */
} tcplsinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

typedef struct udpinfo {
	uint8_t ip_ver;
	uint32_t ip_plength;
	string ip_saddr;
	string ip_daddr;
	uint64_t ip_connid;
	uint64_t ip_stime;
	uint64_t ip_etime;
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;
	uint16_t udp_checksum;
	udpha_t *udp_hdr;
	uint64_t udp_connid;
} udpinfo_t;
