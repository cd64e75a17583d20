# Every member of args[] of packets and sockets, against what a packet socket, TCP_INFO, getsockname() and SO_COOKIE
# say: IPv4, IPv6 and IPv4 of an IPv6 socket.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# what nettruth prints of packets and sockets, of args[]
cat >"$TMP/members.d" <<'END'
ip:::send, ip:::receive /pid == $target/ {
	printf("ip %s %s %d %d %d %d %s %s", probename, args[3]->if_name, args[3]->if_ifindex, args[3]->if_local,
	    args[2]->ip_ver, args[2]->ip_plength, args[2]->ip_saddr, args[2]->ip_daddr);
	printf(" v4 %d %d %d %d %d %d %d %d %d %s %d %x %x %s %s", args[4]->ipv4_ver, args[4]->ipv4_ihl, args[4]->ipv4_tos,
	    args[4]->ipv4_length, args[4]->ipv4_ident, args[4]->ipv4_flags, args[4]->ipv4_offset, args[4]->ipv4_ttl,
	    args[4]->ipv4_protocol, args[4]->ipv4_protostr, args[4]->ipv4_checksum, args[4]->ipv4_src, args[4]->ipv4_dst,
	    args[4]->ipv4_saddr, args[4]->ipv4_daddr);
	printf(" v6 %d %d %d %d %d %s %d %s %s\n", args[5]->ipv6_ver, args[5]->ipv6_tclass, args[5]->ipv6_flow,
	    args[5]->ipv6_plen, args[5]->ipv6_nexthdr, args[5]->ipv6_nextstr, args[5]->ipv6_hlim, args[5]->ipv6_saddr,
	    args[5]->ipv6_daddr);
}
tcp:::send, tcp:::receive /pid == $target/ {
	printf("tcp %s %u %u %u %u %d %u %u %u %u\n", probename, args[4]->tcp_sport, args[4]->tcp_dport, args[4]->tcp_seq,
	    args[4]->tcp_ack, args[4]->tcp_offset, args[4]->tcp_flags, args[4]->tcp_window, args[4]->tcp_checksum,
	    args[4]->tcp_urgent);
}
udp:::send, udp:::receive /pid == $target/ {
	printf("udp %s %u %u %u %u\n", probename, args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_length,
	    args[4]->udp_checksum);
}
tcp:::send, tcp:::receive /pid == $target && args[2]->ip_plength - args[4]->tcp_offset == 1000/ {
	printf("sock %s %d %d %s %d %s %d", probename, args[1]->cs_cid, args[1]->cs_pid, args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport);
	printf(" %d %s %u %u %u %u %u %u %d %u %d %u %u %u %u %d %u", args[3]->tcps_active,
	    tcp_state_string[args[3]->tcps_state], args[3]->tcps_iss, args[3]->tcps_suna, args[3]->tcps_snxt,
	    args[3]->tcps_rack, args[3]->tcps_rnxt, args[3]->tcps_swnd, args[3]->tcps_snd_ws, args[3]->tcps_rwnd,
	    args[3]->tcps_rcv_ws, args[3]->tcps_cwnd, args[3]->tcps_cwnd_ssthresh, args[3]->tcps_rto, args[3]->tcps_mss,
	    args[3]->tcps_retransmit, args[3]->tcps_rtt);
	printf(" %u %d %d %d %u %u\n", args[4]->tcp_mss, args[4]->tcp_sackopt, args[4]->tcp_tsopt, args[4]->tcp_wsopt,
	    args[4]->tcp_rcvws, args[4]->tcp_sndws);
}
udp:::send, udp:::receive /pid == $target/ {
	printf("sock %s %d %d %s %d %s %d\n", probename, args[1]->cs_cid, args[1]->cs_pid, args[3]->udps_laddr,
	    args[3]->udps_lport, args[3]->udps_raddr, args[3]->udps_rport);
}
tcpip:::send, tcpip:::receive /pid == $target/ {
	printf("tcpip %s %d %d %d %s %s %u %u %u %u %d %u %u %u %u\n", probename, args[0]->ip_connid, args[0]->ip_ver,
	    args[0]->ip_plength, args[0]->ip_saddr, args[0]->ip_daddr, args[1]->tcp_sport, args[1]->tcp_dport, args[1]->tcp_seq,
	    args[1]->tcp_ack, args[1]->tcp_offset, args[1]->tcp_flags, args[1]->tcp_window, args[1]->tcp_checksum,
	    args[1]->tcp_urgent);
}
udpip:::send, udpip:::receive /pid == $target/ {
	printf("udpip %s %d %d %d %s %s %u %u %u %u\n", probename, args[0]->udp_connid, args[0]->ip_ver, args[0]->ip_plength,
	    args[0]->ip_saddr, args[0]->ip_daddr, args[0]->udp_sport, args[0]->udp_dport, args[0]->udp_length,
	    args[0]->udp_checksum);
}
/* what is there twice is the same */
ip:::send, ip:::receive /pid == $target && args[2]->ip_ver == 4/ {
	this->h = args[4]->ipv4_hdr;
	@bad["ipv4_hdr"] = sum(this->h->version != 4 || this->h->ihl * 4 != args[4]->ipv4_ihl || this->h->tos != args[4]->ipv4_tos ||
	    ntohs(this->h->tot_len) != args[4]->ipv4_length || ntohs(this->h->id) != args[4]->ipv4_ident ||
	    ntohs(this->h->frag_off) != (args[4]->ipv4_flags << 8 | args[4]->ipv4_offset / 8) ||
	    this->h->ttl != args[4]->ipv4_ttl || this->h->protocol != args[4]->ipv4_protocol ||
	    ntohs(this->h->check) != args[4]->ipv4_checksum || this->h->saddr != args[4]->ipv4_src ||
	    this->h->daddr != args[4]->ipv4_dst || args[5]->ipv6_hdr != NULL);
}
ip:::send, ip:::receive /pid == $target && args[2]->ip_ver == 6/ {
	this->i = args[5]->ipv6_hdr;
	@bad["ipv6_hdr"] = sum(this->i->version != 6 || ntohs(this->i->payload_len) != args[5]->ipv6_plen ||
	    this->i->nexthdr != args[5]->ipv6_nexthdr || this->i->hop_limit != args[5]->ipv6_hlim ||
	    (this->i->priority << 4 | this->i->flow_lbl[0] >> 4) != args[5]->ipv6_tclass ||
	    ((this->i->flow_lbl[0] & 15) << 16 | this->i->flow_lbl[1] << 8 | this->i->flow_lbl[2]) != args[5]->ipv6_flow ||
	    inet_ntop(AF_INET6, args[5]->ipv6_src) != args[5]->ipv6_saddr ||
	    inet_ntop(AF_INET6, args[5]->ipv6_dst) != args[5]->ipv6_daddr || args[4]->ipv4_hdr != NULL);
}
tcp:::send, tcp:::receive /pid == $target/ {
	this->t = args[4]->tcp_hdr;
	@bad["tcp_hdr"] = sum(ntohs(this->t->source) != args[4]->tcp_sport || ntohs(this->t->dest) != args[4]->tcp_dport ||
	    ntohl(this->t->seq) != args[4]->tcp_seq || ntohl(this->t->ack_seq) != args[4]->tcp_ack ||
	    this->t->doff * 4 != args[4]->tcp_offset || this->t->fin != !!(args[4]->tcp_flags & TH_FIN) ||
	    this->t->syn != !!(args[4]->tcp_flags & TH_SYN) || this->t->rst != !!(args[4]->tcp_flags & TH_RST) ||
	    this->t->psh != !!(args[4]->tcp_flags & TH_PUSH) || this->t->ack != !!(args[4]->tcp_flags & TH_ACK) ||
	    this->t->urg != !!(args[4]->tcp_flags & TH_URG) || ntohs(this->t->window) != args[4]->tcp_window ||
	    ntohs(this->t->check) != args[4]->tcp_checksum || ntohs(this->t->urg_ptr) != args[4]->tcp_urgent);
	@bad["TCP's socket"] = sum(args[1]->cs_addr != args[3]->tcps_addr || (int64_t)args[1]->cs_addr >= 0 || args[3]->tcps_local != 1 ||
	    args[1]->cs_zoneid != 0 || args[2]->ip_connid != args[1]->cs_cid);
}
udp:::send, udp:::receive /pid == $target/ {
	this->u = args[4]->udp_hdr;
	@bad["udp_hdr"] = sum(ntohs(this->u->source) != args[4]->udp_sport || ntohs(this->u->dest) != args[4]->udp_dport ||
	    ntohs(this->u->len) != args[4]->udp_length || ntohs(this->u->check) != args[4]->udp_checksum);
	@bad["UDP's socket"] = sum(args[1]->cs_addr != args[3]->udps_addr || (int64_t)args[1]->cs_addr >= 0 ||
	    args[1]->cs_zoneid != 0 || args[2]->ip_connid != args[1]->cs_cid || args[4]->udp_connid != args[1]->cs_cid ||
	    args[4]->ip_ver != args[2]->ip_ver || args[4]->ip_plength != args[2]->ip_plength ||
	    args[4]->ip_saddr != args[2]->ip_saddr || args[4]->ip_daddr != args[2]->ip_daddr);
}
ip:::send, ip:::receive /pid == $target/ {
	@bad["if_addr"] = sum(((struct net_device *)args[3]->if_addr)->ifindex != args[3]->if_ifindex || args[3]->if_ipstack != 0);
}
/* when the call began that sent it */
tcp:::send, udp:::send /pid == $target && args[2]->ip_plength > 1000/ {
	printf("began %d %d\n", args[2]->ip_stime, args[2]->ip_etime);
}
/* one packet passes TCP or UDP, then IP */
tcp:::send, udp:::send /pid == $target/ { p = args[0]->pkt_addr; }
ip:::send /pid == $target/ { @bad["pkt_addr"] = sum(args[0]->pkt_addr != p || (int64_t)p >= 0); }
END { printa("bad %s %@d\n", @bad); }
END

lines() { # lines FILE: what both print, sorted
	grep -E '^(ip|tcp|udp|tcpip|udpip|sock) ' "$1" | sort
}
# without_answers FILE: without what answers a SYN
without_answers() {
	grep -v -e '^tcp send [0-9]* [0-9]* [0-9]* [0-9]* 40 18 ' -e '^ip send lo 1 1 6 40 ' "$1" >"$1.less"
	mv "$1.less" "$1"
}
for protocol in tcp udp; do
	for family in 4 6 mapped; do
		rm -f "$TMP/args"
		"$DTRACE" -qs "$TMP/members.d" -o "$TMP/args" -c "$TARGETS/nettruth $protocol $family" >"$TMP/out" 2>"$TMP/err" ||
			fail "$protocol $family: $(cat "$TMP/err")"
		is "$protocol $family: says nothing" "$(cat "$TMP/err")" ""
		is "$protocol $family: the same twice" "$(awk '/^bad/ && $NF > 0' "$TMP/args")" ""
		[ "$(grep -c '^bad' "$TMP/args")" -ge 5 ] || fail "$protocol $family: $(cat "$TMP/args")"
		lines "$TMP/out" >"$TMP/truth"
		lines "$TMP/args" >"$TMP/told"
		case $(uname -r)-$protocol-$family in
		6.1.*-tcp-6) # shows no program of a cgroup what answers a SYN over IPv6
			without_answers "$TMP/truth"
			without_answers "$TMP/told"
			;;
		esac
		diff "$TMP/truth" "$TMP/told" >"$TMP/diff" || fail "$protocol $family (< truth, > args[]):
$(cat "$TMP/diff")"
		awk '$1 == "began" { start = $2; end = $3; n++ } $1 == "call" { before = $2; after = $3 }
			END { exit !(n == 1 && before <= start && start <= end && end <= after) }' "$TMP/out" "$TMP/args" ||
			fail "$protocol $family: $(grep -E '^(call|began)' "$TMP/out" "$TMP/args")"
		[ "$(grep -c '^ip' "$TMP/truth")" -ge 4 ] || fail "$protocol $family: no packets: $(cat "$TMP/out")"
	done
done
# what goes out long after the call has gone out in it
d -qn 'tcp:::send /pid == $target && args[2]->ip_plength > args[4]->tcp_offset/ { @[args[2]->ip_stime] = sum(args[2]->ip_plength - args[4]->tcp_offset);
	@n["segments"] = count(); }' -c "$TARGETS/nettraffic tcp 4 1 500000"
ends 0 "a big send"
is "calls and bytes" "$(echo "$out" | awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $2 }')" 500000
[ "$(echo "$out" | awk '$1 == "segments" { print $2 }')" -ge 3 ] || fail "it was sent at once: $out"
finish
