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

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;	/* bytes */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;
	uint16_t ipv4_offset;
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	uint32_t ipv4_src;
	uint32_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	uintptr_t ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	uintptr_t ipv6_src;
	uintptr_t ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	uintptr_t ipv6_hdr;
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
	uintptr_t tcp_hdr;
	uint32_t tcp_mss;
	int tcp_sackopt;
	int tcp_tsopt;
	int tcp_wsopt;
	uint32_t tcp_rcvws;
	uint32_t tcp_sndws;
} tcpinfo_t;

/* tcps_state, tcp_state */
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
	int tcps_retransmit;
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
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;
	uint16_t udp_checksum;
	uintptr_t udp_hdr;
	uint64_t udp_connid;
} udpinfo_t;
