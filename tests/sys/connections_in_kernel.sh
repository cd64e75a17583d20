# Clauses on what becomes of connections run whole in the kernel: how long each of them lives, of whom and with whom, and none is lost.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# own FILE: what is told of the program's connections; others of the machine may have some
own() { grep -E '^ *(nettraffic|netserver) ' "$1"; }

# both WHAT SCRIPT: what the kernel keeps, without records, is what records come to. The program makes 40 connections.
both() {
	d -qo "$TMP/plain" -x claim=off -n "$2" -c "$TARGETS/nettraffic tcp 4 40 10"
	ends 0 "$1, of records"
	d -vo "$TMP/verbose" -n "$2" -c "$TARGETS/nettraffic tcp 4 40 10"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: * clause* of tcp*records read: * of perf events, 0 of BPF programs*"
	d -qo "$TMP/kept" -n "$2" -c "$TARGETS/nettraffic tcp 4 40 10"
	ends 0 "$1"
	is "$1" "$(own "$TMP/kept")" "$(own "$TMP/plain")"
	[ -n "$(own "$TMP/kept")" ] || fail "$1: nothing was counted"
}

both "lives" 'tcp:::connect-established, tcp:::accept-established { start[args[1]->cs_cid] = timestamp; by[args[1]->cs_cid] = args[1]->cs_pid; }
	tcp:::state-change /args[3]->tcps_state == TCP_STATE_CLOSED && start[args[1]->cs_cid]/ {
		@[execname, args[3]->tcps_laddr, args[3]->tcps_raddr, by[args[1]->cs_cid] == args[1]->cs_pid] = count();
		@s[execname, timestamp > start[args[1]->cs_cid] ? "later" : "before"] = count(); start[args[1]->cs_cid] = 0; by[args[1]->cs_cid] = 0; }'
is "each end of each connection" "$(own "$TMP/kept" | awk '$2 == "later" || $2 == "before" { print $1, $2, $3 }' | sort | tr '\n' ' ')" "netserver later 40 nettraffic later 40 "
is "of whom" "$(awk '$2 == "127.0.0.1" && $3 == "127.0.0.1" { print $1, $5 }' "$TMP/kept" | sort | tr '\n' ' ')" "netserver 40 nettraffic 40 "

# how they end depends on who is faster
both "states" 'tcp:::state-change /args[3]->tcps_state == TCP_STATE_CLOSED/ { @c[execname] = count(); }
	tcp:::state-change /args[3]->tcps_state <= TCP_STATE_ESTABLISHED && args[3]->tcps_state > TCP_STATE_CLOSED/ { @[execname, args[5]->tcps_state, args[3]->tcps_state] = count(); last[args[1]->cs_cid] = args[3]->tcps_state; @l[execname, last[args[1]->cs_cid]] = count(); }'
is "who has asked" "$(own "$TMP/kept" | awk '$3 == "-2" && NF == 4 { print $1, $2, $4 }')" "nettraffic -6 40"

# ports of both providers, one record at most for both
d -qo "$TMP/out" -n 'tcp:::accept-established { n++; @[args[3]->tcps_lport] = count(); } int m[int]; tcpip:::accept, tcpip:::connect, tcpip:::disconnect { m[args[1]->tcp_sport]++; all++; @d[args[1]->tcp_sport] = max(m[args[1]->tcp_sport]); @a[args[1]->tcp_sport] = max(all); }' \
	-c "$TARGETS/nettraffic tcp 4 25 10"
ends 0 "tcpip"
port=$(awk '$1 == "port" { print $2 }' "$TMP/out")
is "tcpip" "$(awk -v port="$port" '$1 == port { print $2 }' "$TMP/out" | sort -n | head -2 | tr '\n' ' ')" "25 50 "
finish
