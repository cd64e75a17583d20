# Scripts of the network as they are written for other systems compile and print sense, and tcpconn.d.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# says WHAT TRAFFIC PATTERN CLAUSES: what is printed for that traffic
says() {
	d -qn "$4" -c "$TARGETS/nettraffic $2"
	ends 0 "$1"
	# shellcheck disable=SC2254
	case $out in
	$3) ;;
	*) fail "$1: $out" ;;
	esac
}

says "connections by port" "tcp 4 5 10" "*127.0.0.1*5*" 'tcp:::connect-established /progenyof($target)/
	{ @[args[2]->ip_saddr, args[4]->tcp_sport, args[3]->tcps_raddr] = count(); }'
says "time to connect" "tcp 6 5 10" "*::1*value*Distribution*count*" 'tcp:::connect-request /pid == $target/ { start[args[1]->cs_cid] = timestamp; }
	tcp:::connect-established /start[args[1]->cs_cid]/ { @latency["Connect (ns)", args[3]->tcps_raddr] =
	quantize(timestamp - start[args[1]->cs_cid]); start[args[1]->cs_cid] = 0; }'
says "states" "half 4 1 10" "*state-established*state-fin-wait-1*state-close-wait*" 'tcp:::state-change /progenyof($target)/
	{ printf("%d %s -> %s\n", args[1]->cs_pid, tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]); }'
says "flags" "tcp 4 1 10" "*2 SYN*18 SYN ACK*" 'tcp:::send /progenyof($target) && args[4]->tcp_flags & TH_SYN/ { printf("%d%s%s%s\n", args[4]->tcp_flags,
	args[4]->tcp_flags & TH_FIN ? " FIN" : "", args[4]->tcp_flags & TH_SYN ? " SYN" : "", args[4]->tcp_flags & TH_ACK ? " ACK" : ""); }'
says "headers" "udp 4 1 100" "*lo 1 UDP 128 64 4 20 ttl 64*" 'ip:::send /pid == $target/ { printf("%s %d %s %d %d %d %d ttl %d\n", args[3]->if_name,
	args[3]->if_local, args[4]->ipv4_protostr, args[4]->ipv4_length, args[4]->ipv4_ttl, args[4]->ipv4_ver, args[4]->ipv4_ihl,
	args[4]->ipv4_hdr->ttl); }'
says "headers of IPv6" "udp 6 1 100" "*6 108 UDP 64 ::1>::1 ::1 <null> 108*" 'ip:::send /pid == $target/ { printf("%d %d %s %d %s>%s %s %s %d\n", args[5]->ipv6_ver,
	args[5]->ipv6_plen, args[5]->ipv6_nextstr, args[5]->ipv6_hlim, args[5]->ipv6_saddr, args[5]->ipv6_daddr, inet_ntoa6(args[5]->ipv6_src),
	args[4]->ipv4_protostr, ntohs(args[5]->ipv6_hdr->payload_len)); }'
says "headers of TCP" "tcp 4 1 10" "*same*" 'tcp:::send /pid == $target && args[4]->tcp_hdr != NULL/ { printf("%s\n",
	ntohs(args[4]->tcp_hdr->dest) == args[4]->tcp_dport && ntohl(args[4]->tcp_hdr->seq) == args[4]->tcp_seq ? "same" : "other"); }'
case $out in *other*) fail "headers of TCP: $out" ;; esac
says "datagrams by port" "udp 4 3 50" "*127.0.0.1*150*" 'udp:::send /pid == $target/ { @[args[2]->ip_daddr, args[4]->udp_dport] =
	sum(args[4]->udp_length - 8); }'
says "throughput" "tcp 4 1 5000" "*nettraffic*127.0.0.1*5000*" 'tcp:::send /progenyof($target)/ { @[execname, args[2]->ip_daddr] =
	sum(args[2]->ip_plength - args[4]->tcp_offset); }'
says "the window and the estimates" "tcp 4 1 50000" "*1 1 1*" 'tcp:::receive /pid == $target && args[3]->tcps_state == TCP_STATE_ESTABLISHED/
	{ printf("%d %d %d\n", args[3]->tcps_cwnd > 0, args[3]->tcps_mss > 500, args[3]->tcps_rto >= 200); }'
says "udpip" "udp 4 2 50" "*127.0.0.1 > 127.0.0.1*58*" 'udpip:::send /pid == $target/ { printf("%s > %s %d\n", args[0]->ip_saddr, args[0]->ip_daddr,
	args[0]->udp_length); }'

"$DTRACE" -o "$TMP/told" -s dscripts/bin/tcpconn.d -c "$TARGETS/nettraffic tcp 4 3 5000" >"$TMP/said" 2>"$TMP/err" || fail "tcpconn.d: $(cat "$TMP/err")"
server=$(awk '$1 == "server" { print $2 }' "$TMP/said") client=$(awk '$1 == "client" { print $2 }' "$TMP/said")
is "tcpconn.d: connections" "$(awk -v pid="$client" '$2 == pid && $3 == "connect"' "$TMP/told" | wc -l)" 3
is "tcpconn.d: accepted" "$(awk -v pid="$server" '$2 == pid && $3 == "accept"' "$TMP/told" | wc -l)" 3
is "tcpconn.d: bytes" "$(awk -v pid="$server" '$2 == pid && $3 == "closed" { n += $(NF - 1) } END { print n }' "$TMP/told")" 15000
"$DTRACE" -o "$TMP/refused" -s dscripts/bin/tcpconn.d -c "$TARGETS/nettraffic refused 6 2 1" >"$TMP/said" 2>"$TMP/err" || fail "tcpconn.d: $(cat "$TMP/err")"
is "tcpconn.d: refused" "$(awk -v pid="$(awk '$1 == "client" { print $2 }' "$TMP/said")" '$2 == pid && $3 == "refused"' "$TMP/refused" | wc -l)" 2
finish
