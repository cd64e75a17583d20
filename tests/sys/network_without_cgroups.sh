# Without the right to attach programs to cgroups, ip, tcp, udp, tcpip and udpip see what processes send and read, and say so
# once; connections are seen as ever.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
cat >"$TMP/dtrace" <<END
#!/bin/sh
exec setpriv --bounding-set -net_admin,-sys_admin --inh-caps -net_admin,-sys_admin "$DTRACE" "\$@"
END
chmod +x "$TMP/dtrace"
DTRACE=$TMP/dtrace
"$DTRACE" --doctor | grep -q '^cgroup  *missing' || skip "the right to attach to cgroups cannot be given up here"
need_bpf
need_perf_system # some kernels ask for more than CAP_PERFMON
cell() {
	echo "$out" | awk -v key="$*" 'NF { n = $NF; $1 = $1; sub(/ [^ ]*$/, ""); if ($0 == key) print n }'
}

d -qn 'tcp:::accept-established, tcp:::connect-established /progenyof($target)/ { @[probename, execname] = count(); }' -c "$TARGETS/nettraffic tcp 4 6 1000"
is "connections need no packets" "$err" ""
is "accepted" "$(cell accept-established netserver)" 6
is "established" "$(cell connect-established nettraffic)" 6

d -qn 'tcpip:::send, tcpip:::receive /progenyof($target)/ { @[probename, execname] = sum(args[0]->ip_plength); } udp:::send, tcp:::send { @n = count(); }' \
	-c "$TARGETS/nettraffic tcp 6 6 1000"
ends 0 "sockets"
is "said once" "$(echo "$err" | grep -c 'it fires for what processes send and read, not for packets')" 1
is "sent" "$(cell send nettraffic)" 6000
is "received" "$(cell receive netserver)" 6000
# what has no packet is not counted by what packets have
d -qn 'udpip:::send /pid == $target/ { @ = sum(args[0]->udp_length - 8); @n[args[0]->udp_dport] = sum(args[0]->udp_length); }' \
	-c "$TARGETS/nettraffic udp 4 6 1000"
is "by port" "$(cell "$(cell port)")" 6048
d -qn 'udpip:::send, udpip:::receive /progenyof($target)/ { @[probename, execname] = sum(args[0]->udp_length - 8); }' -c "$TARGETS/nettraffic udp 4 6 1000"
is "datagrams sent" "$(cell send nettraffic)" 6000
is "datagrams received" "$(cell receive netserver)" 6000
# when the call began is known here, too, and which socket it is
d -qn 'udp:::send /pid == $target && args[2]->ip_stime < args[2]->ip_etime && args[1]->cs_cid && args[1]->cs_cid == args[4]->udp_connid/
	{ @[probename] = count(); }' -c "$TARGETS/nettraffic udp 6 6 1000"
is "begun before it was sent" "$(cell send)" 6
finish
