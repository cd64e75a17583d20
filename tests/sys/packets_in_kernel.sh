# Clauses on packets run whole in the kernel, as far as they compute and aggregate: the same results as of records, and what the program itself has counted.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# numbers FILE: what is printed of clauses, without what the program says
numbers() {
	awk '/^ *[a-z]+ / && $1 ~ /^k/ { $1 = $1; print }' "$1"
}
said() { # said KIND: what the program says
	awk -v k="$1" '$1 == k { print $2 }' "$TMP/out"
}
told() { # told WORDS...: the number behind them
	awk -v w="$*" 'index($0, w " ") == 1 { print $NF; exit }' "$TMP/numbers"
}

# both WHAT CLAUSES SCRIPT ARGS...: so many run in the kernel, without records, and come to what records come to. Each of their lines begins
# with a word that begins with k, which nettraffic's do not.
both() {
	what=$1 clauses=$2 script=$3
	shift 3
	d -q -x claim=off -n "$script" -c "$TARGETS/nettraffic $*"
	ends 0 "$what, of records"
	numbers "$TMP/out" >"$TMP/plain"
	d -vo "$TMP/told" -n "$script" -c "$TARGETS/nettraffic $*"
	ends 0 "$what"
	like "$what: in the kernel" "$err" "*run in the kernel: $clauses clause* of *records read: * of perf events, 0 of BPF programs*"
	d -q -n "$script" -c "$TARGETS/nettraffic $*"
	ends 0 "$what"
	is "$what: nothing is said" "$err" ""
	numbers "$TMP/out" >"$TMP/numbers"
	is "$what" "$(cat "$TMP/numbers")" "$(cat "$TMP/plain")"
	[ -s "$TMP/numbers" ] || fail "$what: nothing was counted"
}

for family in 4 6 mapped; do
	both "datagrams of $family" 4 'int at[string]; int n, bytes, m; udp:::send /pid == $target/ {
			n++; bytes += args[4]->udp_length; last[args[1]->cs_cid] = timestamp;
			@["ksent", execname, probename == "send" ? "out" : "in", args[2]->ip_saddr, args[3]->udps_raddr] = count(); }
		udp:::send, udp:::receive /last[args[1]->cs_cid] != 0 && timestamp >= last[args[1]->cs_cid]/ { @k[probename == "send" ? "ksend" : "kreceive"] = count(); }
		udpip:::receive /args[0]->udp_dport == args[0]->udp_dport/ { at[probename] += args[0]->udp_length; m++; @m["kmost", args[0]->ip_daddr] = max(at[probename] > 0); }
		END { printf("kall %d\nkbytes %d\n", n, bytes); }' udp $family 50 100
	is "datagrams of $family" "$(told kall)" "$(said sent)"
	is "bytes of $family" "$(told kbytes)" "$(($(said sent) * 108))"
done

# how long it is from a SYN to its answer, and what is sent before that is answered
both "connecting" 2 'tcp:::connect-request /pid == $target/ { start[args[1]->cs_cid] = timestamp; @a["kasked", args[3]->tcps_state, args[4]->tcp_flags & 18] = count(); }
	tcp:::receive /start[args[1]->cs_cid] && (args[4]->tcp_flags & 18) == 18/ {
		@["kanswered", args[3]->tcps_laddr, args[3]->tcps_rport == args[4]->tcp_sport, timestamp > start[args[1]->cs_cid]] = count();
		start[args[1]->cs_cid] = 0; }' tcp 4 20 10
is "answers" "$(told kanswered 127.0.0.1 1 1)" "$(said connected)"

both "of connections" 2 'int segments, of[uint64_t]; tcpip:::send /pid == $target/ { of[args[0]->ip_connid] += args[0]->ip_plength - 32; @["kmost"] = max(of[args[0]->ip_connid] & 0xffffff); }
	tcpip:::send /pid == $target/ { segments++; @s["ksegments", args[1]->tcp_window > 0, args[1]->tcp_seq != args[1]->tcp_ack] = count(); }
	END { printf("kall %d\n", segments); }' tcp 4 20 1000
is "segments" "$(told kall)" "$(said connected)"

# what is sent passes TCP before IP; of others of the machine nothing is told
both "the order" 2 'int k[uint64_t], n[uint64_t]; tcp:::send /pid == $target && args[2]->ip_plength > 40/ { k[args[1]->cs_cid]++; }
	ip:::send /pid == $target && args[4]->ipv4_protocol == 6 && args[2]->ip_plength > 40/ { n[args[1]->cs_cid]++;
		@["korder", k[args[1]->cs_cid] == n[args[1]->cs_cid], args[4]->ipv4_ttl, args[4]->ipv4_length - args[2]->ip_plength] = count(); }' tcp 4 20 1000
is "each" "$(told korder 1 64 20)" "$(said connected)"

# the end of a connection of one's own, which packets do not have
both "those not connected" 1 'udp:::send { @["kto", args[3]->udps_raddr, args[2]->ip_daddr, args[3]->udps_lport == args[4]->udp_sport] = count(); }' udp 4 30 10

# a process that has another name in the end: whose packets they were when they came, and were sent; counted, computed, and of records
for script in 'tcpip:::send, tcpip:::receive, tcp:::state-change /pid == $target/ { n++; @["k", probename, execname] = count(); }' \
	'udpip:::send, udpip:::receive { n++; @["k", probename, execname] = count(); }' \
	'tcpip:::send, tcpip:::receive /pid == $target/ { @["k", probename, execname] = count(); }'; do
	case $script in udp*) kind=udp ;; *) kind=tcp ;; esac
	for claim in on off; do
		rm -f "$TMP/numbers"
		d -qo "$TMP/numbers" -x claim=$claim -n "$script" -c "env AFTERWARDS=another $TARGETS/nettraffic $kind 4 20 1000"
		ends 0 "names at the event: $script"
		awk '$1 == "k" && $3 !~ /^net/ { print "other", $3 } $1 == "k" && $2 != "state-change" && $3 == "nettraffic" { print $2, $4 }' "$TMP/numbers" | sort >"$TMP/named.$claim"
	done
	is "names at the event: $script" "$(cat "$TMP/named.on")" "$(cat "$TMP/named.off")"
	grep -q '^send 20$' "$TMP/named.on" || fail "names at the event: $script: $(cat "$TMP/named.on")"
done

# as many as there can be: none is lost
many='int n, m; long last[int]; udp:::send /pid == $target/ { n++; last[args[4]->udp_dport] = timestamp; }
	udp:::receive /last[args[4]->udp_dport] != 0/ { m++; } END { printf("kall %d\nkgot %d\n", n, m); }'
d -q -n "$many" -c "$TARGETS/nettraffic udp 4 200000 10"
ends 0 "many"
is "many: nothing is said" "$err" ""
numbers "$TMP/out" >"$TMP/numbers"
is "many" "$(told kall) $(told kgot)" "$(said sent) $(said sent)"

# who says it
d -x explain -n 'tcp:::send { n++; } tcp:::connect-refused { m++; } BEGIN { exit(0); }'
like "what is refused" "$out$err" "*tcp:::send at line 1: is kept in the kernel*tcp:::connect-refused at line 1: makes records: it has probes whose programs keep nothing*"
finish
