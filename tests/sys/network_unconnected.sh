# Segments of connections that have no socket of their own: a SYN and its answer are seen with the socket that listens, resets for
# ports that nobody has and answers after the end with one of the kernel's. The two ends are told all the same, so that
# what is kept by address and port from the first segment on is found again.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
cell() {
	echo "$out" | awk -v key="$*" 'NF { n = $NF; $1 = $1; sub(/ [^ ]*$/, ""); if ($0 == key) print n }'
}

for family in 4 6; do
	[ $family = 4 ] && address=127.0.0.1 || address=::1
	d -qn 'tcp:::send, tcp:::receive /progenyof($target) && execname == "netserver" && args[4]->tcp_flags & TH_SYN/
		{ @[probename, args[3]->tcps_laddr, args[3]->tcps_raddr, args[3]->tcps_rport == (probename == "send" ? args[4]->tcp_dport : args[4]->tcp_sport),
			tcp_state_string[args[3]->tcps_state]] = count(); }
		tcp:::send /progenyof($target) && execname == "netserver" && args[4]->tcp_flags & TH_SYN/ { @iss["iss", args[3]->tcps_iss == args[4]->tcp_seq] = count(); }
		tcp:::receive /progenyof($target) && execname == "netserver" && args[4]->tcp_flags & TH_SYN/ { t[args[3]->tcps_raddr, args[3]->tcps_rport] = timestamp; }
		tcp:::accept-established /t[args[3]->tcps_raddr, args[3]->tcps_rport]/ { @l["latencies", args[3]->tcps_raddr] = count(); }' \
		-c "$TARGETS/nettraffic tcp $family 5 10"
	ends 0 "connections of $family"
	is "what asks, $family" "$(cell receive $address $address 1 state-listen)" 5
	case $(uname -r)-$family in 6.1.*-6) continue ;; esac # shows no program of a cgroup what answers over IPv6
	is "what answers, $family" "$(cell send $address $address 1 state-syn-received)" 5
	is "its first number, $family" "$(cell iss 1)" 5
	is "latencies by both ends, $family" "$(cell latencies $address)" 5
done

# (those of IPv6 have no socket at all and are seen as refusals alone)
d -qn 'tcp:::send /!pid && args[4]->tcp_flags & TH_RST/ { @[args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, tcp_state_string[args[3]->tcps_state]] = count(); }' \
	-c "$TARGETS/nettraffic refused 4 3 10"
is "resets for a port that nobody has" "$(cell 127.0.0.1 "$(cell port)" 127.0.0.1 state-closed)" 3
finish
