# Packets and connections of the loopback: what ip, tcp, udp, tcpip and udpip count is what the programs have
# counted themselves, in the name of who has the socket.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# traffic CLAUSES [WHAT FAMILY N BYTES]...: its counts in $out, by "KEY EXECNAME N" and "WHAT-AND-FAMILY NAME N"
traffic() {
	clauses=$1
	shift
	d -qn "$clauses" -c "$TARGETS/nettraffic $*"
	ends 0 "nettraffic $*"
	is "drops of $*" "$(echo "$err" | grep -c drop)" 0
}
# cell KEY...: the number behind the words
cell() {
	echo "$out" | awk -v key="$*" 'NF { n = $NF; $1 = $1; sub(/ [^ ]*$/, ""); if ($0 == key) print n }'
}

resent() { # segments that the machine has sent again
	awk '/^Tcp:/ && ++n == 2 { print $13 }' /proc/net/snmp
}
# connections; segments of 64 KB, which no more than the headers make longer (IPv6 has one of its own above that)
before=$(resent)
traffic 'tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established,
	tcpip:::connect, tcpip:::accept, tcpip:::disconnect /progenyof($target)/ { @[probename, execname] = count(); }
	tcpip:::send, tcpip:::receive /progenyof($target) && args[0]->ip_ver/
	{ @sum[probename, execname] = sum(args[0]->ip_plength - args[1]->tcp_offset); }
	tcpip:::fail /progenyof($target)/ { @fail[probename, execname] = sum(arg1); }
	tcp:::accept-refused /args[4]->tcp_flags & TH_RST/ { @refused[probename, lltostr(args[4]->tcp_sport)] = count(); }
	tcp:::state-change /progenyof($target)/ { @state[strjoin(tcp_state_string[args[5]->tcps_state],
		strjoin(">", tcp_state_string[args[3]->tcps_state])), execname] = count(); }' \
	tcp 4 10 60000 refused 4 7 0 reset 4 5 0 half 4 4 3000 tcp 6 10 60000 refused 6 7 0 reset 6 5 0 half 6 4 3000
after=$(resent)
for family in 4 6; do
	for pair in "connect-request tcp$family" "connect-established tcp$family" "connect tcp$family" \
		"accept-established tcp$family-s" "accept tcp$family-s" "disconnect tcp$family" "disconnect tcp$family-s" \
		"send tcp$family-s" "receive tcp$family"; do
		is "$pair" "$(cell "$pair")" 10
	done
	got=$(cell tcp$family server_got)
	is "bytes that went, $family" "$(cell send tcp$family)" "$got"
	came=$(cell receive tcp$family-s)
	if [ "$after" = "$before" ]; then
		is "bytes that came, $family" "$came" "$got"
	else # what a slow machine sends again comes twice
		[ "$came" -ge "$got" ] || fail "bytes that came, $family: $came of $got"
	fi

	is "refused, $family" "$(cell connect-refused refused$family)" 7
	is "asked for, $family" "$(cell connect-request refused$family)" 7
	is "established, $family" "$(cell connect-established refused$family)" ""
	is "by whom, $family" "$(cell accept-refused "$(cell refused$family port)")" 7
	is "errors, $family" "$(cell fail refused$family)" $((7 * 111))

	is "resets, $family" "$(cell fail reset$family-s)" $(($(cell reset$family resets) * 104))

	is "bytes after the half was closed, $family" "$(cell send half$family-s)" "$(cell half$family client_got)"
	is "who closes first, $family" "$(cell "state-established>state-fin-wait-1" half$family)" 4
	is "who closes second, $family" "$(cell "state-close-wait>state-last-ack" half$family-s)" 4
done

# a child that has got the socket by fork() waits for what comes
traffic 'udp:::receive /progenyof($target)/ { @udp[probename, execname] = count(); }
	udpip:::receive /progenyof($target)/ { @["ip", execname] = count(); }
	ip:::receive /progenyof($target) && (args[4]->ipv4_protocol == IPPROTO_UDP || args[5]->ipv6_nexthdr == IPPROTO_UDP)/
	{ @["packets", execname] = count(); }
	tcpip:::receive /progenyof($target)/ { @[probename, execname] = count(); }
	tcp:::receive /progenyof($target) && args[2]->ip_plength > 100/ { @["tcp", execname] = count(); }' \
	udp 4 6 1200 inherited 4 6 500 udp 6 6 1200 inherited 6 6 500
for family in 4 6; do
	is "datagrams of who waits, $family" "$(cell receive udp$family-s) $(cell ip udp$family-s) $(cell packets udp$family-s)" "6 6 6"
	is "answers, $family" "$(cell receive udp$family)" 6
	is "the first data of a connection, $family" "$(cell receive inherited$family-w) $(cell tcp inherited$family-w)" "6 6"
	is "not of who has accepted it, $family" "$(cell receive inherited$family-s)" ""
done

traffic 'udp:::send, udp:::receive /progenyof($target) && args[4]->udp_length > 9/ { @[probename, execname] = count(); }
	udpip:::send /progenyof($target)/ { @sum["bytes", execname] = sum(args[0]->udp_length - 8); }
	udpip:::fail /progenyof($target) && arg0 == IPPROTO_UDP && arg1 == 111/ { @[probename, execname] = count(); }' \
	udp 4 6 1200 udprefused 4 3 10 udp 6 6 1200 udprefused 6 3 10
for family in 4 6; do
	is "datagrams, $family" "$(cell send udp$family)" 6
	is "their bytes, $family" "$(cell bytes udp$family)" "$(cell udp$family server_got)"
	is "bytes of answers, $family" "$(cell bytes udp$family-s)" 6
	is "datagrams refused, $family" "$(cell fail udprefused$family)" "$(cell udprefused$family refused)"
done

# pid and cs_pid are of who has the socket, the ends are as each side sees them, and both know where their numbers began
d -qn 'tcp:::accept-established /progenyof($target) && execname == "netserver"/ { printf("a %d %d %s:%d %s>%s %d\n", pid, args[1]->cs_pid,
	args[3]->tcps_raddr, args[3]->tcps_lport, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_dport); }
	tcp:::connect-established /pid == $target/ { printf("c %d %s:%d\n", args[1]->cs_pid, args[3]->tcps_raddr, args[3]->tcps_rport); }
	tcp:::send /progenyof($target) && execname == "nettraffic" && args[4]->tcp_flags == TH_SYN/ { printf("syn %u %u\n", args[4]->tcp_seq, args[3]->tcps_iss); }
	tcp:::send /progenyof($target) && execname == "netserver" && args[4]->tcp_flags == (TH_SYN | TH_ACK)/ { printf("synack %u\n", args[4]->tcp_seq); }
	tcp:::state-change /progenyof($target) && args[3]->tcps_state == TCP_STATE_FIN_WAIT_1/ { printf("%s %u %s\n", execname, args[3]->tcps_iss, args[3]->tcps_active ? "active" : "passive"); }
	tcp:::state-change /progenyof($target) && args[3]->tcps_state == TCP_STATE_CLOSE_WAIT/ { printf("%s %u %s\n", execname, args[3]->tcps_iss, args[3]->tcps_active ? "active" : "passive"); }' \
	-c "$TARGETS/nettraffic tcp 4 1 1"
server=$(cell server) client=$(cell client) port=$(cell port)
like "who accepts" "$out" "*a $server $server 127.0.0.1:$port 127.0.0.1>127.0.0.1 $port*"
like "who connects" "$out" "*c $client 127.0.0.1:$port*"
syn=$(echo "$out" | awk '$1 == "syn" { print $2 }')
like "the client's first number" "$out" "*nettraffic $syn active*"
like "the server's first number" "$out" "*netserver $(cell synack) passive*"

# nothing is left when the command is killed
"$DTRACE" -qn 'tcp:::send { @ = count(); } BEGIN { printf("up\n"); }' >"$TMP/up" 2>&1 &
front=$!
until grep -q up "$TMP/up"; do kill -0 $front || break; done
engine=$(engine_of $front)
kill -9 $front
while kill -0 "$engine" 2>/dev/null; do :; done
"$TARGETS/nettraffic" tcp 4 1 1 >"$TMP/after"
like "the network goes on" "$(cat "$TMP/after")" "*accepted 1*"
finish
