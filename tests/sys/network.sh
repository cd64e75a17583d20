# Packets and connections of the loopback: what ip, tcp, udp, tcpip and udpip count is what the programs have
# counted themselves, in the name of who has the socket.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# traffic CLAUSES WHAT FAMILY N BYTES: its counts in $out, by "KEY EXECNAME N" and "NAME N"
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

connections='tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established,
	tcpip:::connect, tcpip:::accept, tcpip:::disconnect /progenyof($target)/ { @[probename, execname] = count(); }
	tcpip:::send, tcpip:::receive /progenyof($target) && args[0]->ip_ver/
	{ @sum[probename, execname] = sum(args[0]->ip_plength - args[1]->tcp_offset); }'
resent() { # segments that the machine has sent again
	awk '/^Tcp:/ && ++n == 2 { print $13 }' /proc/net/snmp
}
for family in 4 6; do
	# segments of 64 KB, which no more than the headers make longer (IPv6 has one of its own above that)
	before=$(resent)
	traffic "$connections" tcp $family 10 60000
	for pair in "connect-request nettraffic" "connect-established nettraffic" "connect nettraffic" \
		"accept-established netserver" "accept netserver" "disconnect nettraffic" "disconnect netserver" \
		"send netserver" "receive nettraffic"; do
		is "$pair of $family" "$(cell "$pair")" 10
	done
	is "bytes that went, $family" "$(cell send nettraffic)" "$(cell server_got)"
	if [ "$(resent)" = "$before" ]; then
		is "bytes that came, $family" "$(cell receive netserver)" "$(cell server_got)"
	else # what a slow machine sends again comes twice
		[ "$(cell receive netserver)" -ge "$(cell server_got)" ] || fail "bytes that came, $family: $(cell receive netserver) of $(cell server_got)"
	fi

	traffic "$connections"' tcpip:::fail /progenyof($target)/ { @sum[probename, execname] = sum(arg1); }
		tcp:::accept-refused /args[4]->tcp_flags & TH_RST/ { @[probename, lltostr(args[4]->tcp_sport)] = count(); }' refused $family 7 0
	is "refused, $family" "$(cell connect-refused nettraffic)" 7
	is "asked for, $family" "$(cell connect-request nettraffic)" 7
	is "established, $family" "$(cell connect-established nettraffic)" ""
	is "by whom, $family" "$(cell accept-refused "$(cell port)")" 7
	is "errors, $family" "$(cell fail nettraffic)" $((7 * 111))

	traffic "$connections"' tcpip:::fail /progenyof($target)/ { @sum[probename, execname] = sum(arg1); }' reset $family 5 0
	is "resets, $family" "$(cell fail netserver)" $(($(cell resets) * 104))

	traffic "$connections"' tcp:::state-change /progenyof($target)/ { @[strjoin(tcp_state_string[args[5]->tcps_state],
		strjoin(">", tcp_state_string[args[3]->tcps_state])), execname] = count(); }' half $family 4 3000
	is "bytes after the half was closed, $family" "$(cell send netserver)" "$(cell client_got)"
	is "who closes first, $family" "$(cell "state-established>state-fin-wait-1" nettraffic)" 4
	is "who closes second, $family" "$(cell "state-close-wait>state-last-ack" netserver)" 4

	# a child that has got the socket by fork() waits for what comes
	traffic 'udp:::receive /progenyof($target)/ { @[probename, execname] = count(); }
		udpip:::receive /progenyof($target)/ { @["ip", execname] = count(); }
		ip:::receive /progenyof($target) && (args[4]->ipv4_protocol == IPPROTO_UDP || args[5]->ipv6_nexthdr == IPPROTO_UDP)/
		{ @["packets", execname] = count(); }' udp $family 6 1200
	is "datagrams of who waits, $family" "$(cell receive netserver) $(cell ip netserver) $(cell packets netserver)" "6 6 6"
	is "answers, $family" "$(cell receive nettraffic)" 6

	traffic 'tcpip:::receive /progenyof($target)/ { @[probename, execname] = count(); }
		tcp:::receive /progenyof($target) && args[2]->ip_plength > 100/ { @["tcp", execname] = count(); }' inherited $family 6 500
	is "the first data of a connection, $family" "$(cell receive networker) $(cell tcp networker)" "6 6"
	is "not of who has accepted it, $family" "$(cell receive netserver)" ""

	traffic 'udp:::send, udp:::receive /progenyof($target) && args[4]->udp_length > 9/ { @[probename, execname] = count(); }
		udpip:::send /progenyof($target)/ { @sum["bytes", execname] = sum(args[0]->udp_length - 8); }' udp $family 6 1200
	is "datagrams, $family" "$(cell send nettraffic)" 6
	is "their bytes, $family" "$(cell bytes nettraffic)" "$(cell server_got)"
	is "answers, $family" "$(cell bytes netserver)" 6

	traffic 'udpip:::fail /progenyof($target) && arg0 == IPPROTO_UDP && arg1 == 111/ { @[probename, execname] = count(); }' udprefused $family 3 10
	is "datagrams refused, $family" "$(cell fail nettraffic)" "$(cell refused)"
done

# pid and cs_pid are of who has the socket, and the ends are as each side sees them
d -qn 'tcp:::accept-established /progenyof($target) && execname == "netserver"/ { printf("a %d %d %s:%d %s>%s %d\n", pid, args[1]->cs_pid,
	args[3]->tcps_raddr, args[3]->tcps_lport, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_dport); }
	tcp:::connect-established /pid == $target/ { printf("c %d %s:%d\n", args[1]->cs_pid, args[3]->tcps_raddr, args[3]->tcps_rport); }' \
	-c "$TARGETS/nettraffic tcp 4 1 1"
server=$(cell server) client=$(cell client) port=$(cell port)
like "who accepts" "$out" "*a $server $server 127.0.0.1:$port 127.0.0.1>127.0.0.1 $port*"
like "who connects" "$out" "*c $client 127.0.0.1:$port*"

# sequence numbers: both sides know where they began
d -qn 'tcp:::send /progenyof($target) && execname == "nettraffic" && args[4]->tcp_flags == TH_SYN/ { printf("syn %u %u\n", args[4]->tcp_seq, args[3]->tcps_iss); }
	tcp:::send /progenyof($target) && execname == "netserver" && args[4]->tcp_flags == (TH_SYN | TH_ACK)/ { printf("synack %u\n", args[4]->tcp_seq); }
	tcp:::state-change /progenyof($target) && args[3]->tcps_state == TCP_STATE_FIN_WAIT_1/ { printf("%s %u %s\n", execname, args[3]->tcps_iss, args[3]->tcps_active ? "active" : "passive"); }
	tcp:::state-change /progenyof($target) && args[3]->tcps_state == TCP_STATE_CLOSE_WAIT/ { printf("%s %u %s\n", execname, args[3]->tcps_iss, args[3]->tcps_active ? "active" : "passive"); }' \
	-c "$TARGETS/nettraffic tcp 4 1 1"
syn=$(echo "$out" | awk '$1 == "syn" { print $2 }')
like "the client's first number" "$out" "*nettraffic $syn active*"
like "the server's first number" "$out" "*netserver $(cell synack) passive*"

# a thousand requests of a web server are a thousand connections
if command -v python3 >/dev/null && command -v curl >/dev/null; then
	mkdir "$TMP/www"
	echo hello >"$TMP/www/index.html"
	cat >"$TMP/serve.py" <<'END'
import http.server, os, sys
os.chdir(sys.argv[1])
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
with open(sys.argv[1] + "/port", "w") as f: f.write("%d\n" % server.server_address[1])
server.serve_forever()
END
	python3 "$TMP/serve.py" "$TMP/www" &
	web=$!
	trap 'kill $web 2>/dev/null' EXIT
	until [ -s "$TMP/www/port" ]; do kill -0 $web || break; done
	port=$(cat "$TMP/www/port")
	echo "for i in \$(seq 1000); do echo 'url = http://127.0.0.1:$port/'; echo 'output = /dev/null'; done |
		curl -s --no-keepalive -H 'Connection: close' -K -" >"$TMP/requests.sh"
	d -qn 'tcp:::accept-established /args[3]->tcps_lport == '"$port"'/ { @[args[3]->tcps_raddr] = count(); }' -c "sh $TMP/requests.sh"
	is "a thousand requests" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }')" "127.0.0.1 1000"
fi

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
