# Two network namespaces, a link between them: packets of both ends, what is lost and sent again, connections that nobody
# answers, big segments, processes in groups of their own.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need ip
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
a=dta$$ b=dtb$$
trap 'ip netns del $a 2>/dev/null; ip netns del $b 2>/dev/null' EXIT
ip netns add $a 2>/dev/null && ip netns add $b || skip "no network namespaces here"
ip link add va netns $a type veth peer name vb netns $b 2>/dev/null || skip "no veth here"
ip -n $a addr add 10.77.0.1/24 dev va
ip -n $b addr add 10.77.0.2/24 dev vb
ip -n $a addr add fd77::1/64 dev va nodad
ip -n $b addr add fd77::2/64 dev vb nodad
for side in a b; do
	eval "ip -n \$$side link set lo up; ip -n \$$side link set v$side up"
done
mac=$(ip -n $b link show vb | awk '/link\/ether/ { print $2 }')
export CLIENT_NS=/run/netns/$a SERVER_NS=/run/netns/$b

# cell KEY...: the number behind the words
cell() {
	echo "$out" | awk -v key="$*" 'NF { n = $NF; $1 = $1; sub(/ [^ ]*$/, ""); if ($0 == key) print n }'
}

for family in 4 6; do
	[ $family = 4 ] && export ADDRESS=10.77.0.2 || export ADDRESS=fd77::2
	d -qn 'tcpip:::connect, tcpip:::accept /progenyof($target)/ { @[probename, execname, args[0]->ip_daddr] = count(); }
		tcpip:::send, tcpip:::receive /progenyof($target)/ { @b[probename, execname] = sum(args[0]->ip_plength - args[1]->tcp_offset); }
		tcp:::send /progenyof($target)/ { @a["all", execname] = sum(args[2]->ip_plength - args[4]->tcp_offset);
			@r["again", execname] = sum(args[3]->tcps_retransmit * (args[2]->ip_plength - args[4]->tcp_offset)); }
		ip:::send, ip:::receive /progenyof($target)/
		{ @i[probename, execname, args[3]->if_name, args[3]->if_local] = count(); }
		tcpip:::send /progenyof($target) && args[0]->ip_plength > 1500/ { @big["big", execname] = count(); }' -c "$TARGETS/nettraffic tcp $family 3 300000"
	ends 0 "traffic of $family"
	is "connects, $family" "$(cell connect nettraffic $ADDRESS)" 3
	is "bytes out, $family" "$(cell send nettraffic)" "$(cell server_got)"
	is "bytes out, new and again, $family" $(($(cell send nettraffic) + $(cell again nettraffic))) "$(cell all nettraffic)"
	# a busy machine may be late with an answer: what is sent again comes again
	[ "$(cell receive netserver)" -ge "$(cell server_got)" ] && [ "$(cell receive netserver)" -le "$(cell all nettraffic)" ] ||
		fail "bytes in, $family: $(cell receive netserver), $(cell server_got) read, $(cell all nettraffic) sent with what was sent again"
	[ "$(cell send nettraffic va 0)" -ge 9 ] || fail "packets of the client, $family: $out"
	is "what is sent comes once, $family" "$(cell receive nettraffic va 0)" "$(cell send netserver vb 0)"
	[ "$(cell big nettraffic)" -ge 1 ] || fail "no segment is above the size of the link's, $family"
done

# what is lost is sent again as often as the socket says
export ADDRESS=10.77.0.2
export LOSE="ip -n $a neigh replace 10.77.0.2 lladdr 02:00:00:00:00:99 dev va"
export FIND="ip -n $a neigh replace 10.77.0.2 lladdr $mac dev va"
d -qn 'tcpip:::retransmit /pid == $target/ { @[probename, args[0]->ip_daddr] = count(); }
	tcpip:::send /pid == $target/ { @s["data"] = sum(args[0]->ip_plength - args[1]->tcp_offset); }
	tcp:::send /pid == $target/ { @s["segments"] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
	tcp:::send /args[2]->ip_plength - args[4]->tcp_offset > 0 && args[3]->tcps_retransmit == 1/
	{ @r["resent", args[2]->ip_daddr] = sum(args[2]->ip_plength - args[4]->tcp_offset); }' \
	-c "$TARGETS/nettraffic lost 4 1 1000"
ends 0 "what is lost"
is "sent again" "$(cell retransmit 10.77.0.2)" "$(cell again)"
is "data for the first time" "$(cell data)" 1000
is "data in all" "$(cell segments)" $((1000 + 999 * $(cell again)))
is "what is told as sent again" "$(cell resent 10.77.0.2)" $((999 * $(cell again)))
d --tool tcpretrans -- "$TARGETS/nettraffic" lost 4 1 1000
is "tcpretrans" "$(echo "$out" | awk '/ 10.77.0.1 .* 10.77.0.2 .* data$/ { n++ } END { print n + 0 }')" "$(cell again)"
d --tool tcpretrans -C -- "$TARGETS/nettraffic" lost 4 1 1000
is "tcpretrans -C" "$(echo "$out" | awk '$1 == "10.77.0.1" && $3 == "10.77.0.2" { n += $NF } END { print n + 0 }')" "$(cell again)"

# a hole: what has come behind it is known from the other side, and it is sent again from its start
ip -n $a neigh replace 10.77.0.66 lladdr 02:00:00:00:00:99 dev va
if ip -n $a rule add fwmark 7 table 77 2>/dev/null && ip -n $a route add 10.77.0.2 via 10.77.0.66 dev va table 77; then
	d -qn 'tcp:::send /pid == $target && args[4]->tcp_seq == args[3]->tcps_suna && args[3]->tcps_sack_fack != args[3]->tcps_suna/
		{ @h["hole", args[3]->tcps_sack_fack - args[3]->tcps_suna, args[3]->tcps_snxt - args[3]->tcps_suna,
			args[3]->tcps_sack_snxt - args[3]->tcps_suna] = count(); }
		tcp:::send /pid == $target && args[3]->tcps_retransmit/ { @r["resent"] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
		tcp:::send /pid == $target && args[3]->tcps_sack_fack == args[3]->tcps_suna/ { @n["none", args[3]->tcps_sack_snxt - args[3]->tcps_suna] = count(); }' \
		-c "$TARGETS/nettraffic sacked 4 1 700"
	ends 0 "a hole"
	[ "$(cell hole 1400 1400 0)" -ge 1 ] || fail "a hole: $out"
	is "what filled it is told as sent again" "$(cell resent)" $((700 * $(cell again)))
	[ "$(cell none 0)" -ge 4 ] || fail "before and after it: $out"
fi

# a connection that nobody answers is asked for again until it fails
ip -n $a neigh replace 10.77.0.9 lladdr 02:00:00:00:00:99 dev va
ip netns exec $a sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_syn_retries' || skip "tcp_syn_retries cannot be set"
before=$(ip netns exec $a awk '$1 == "TcpExt:" { line++; for (i = 2; i <= NF; i++) if (line == 1) name[i] = $i
	else if (name[i] == "TCPSynRetrans") print $i }' /proc/net/netstat)
cat >"$TMP/ask.sh" <<END
ip netns exec $a bash -c 'exec 3<>/dev/tcp/10.77.0.9/7' 2>/dev/null
exit 0
END
if command -v bash >/dev/null; then
	d -qn 'tcpip:::reconnect /args[0]->ip_daddr == "10.77.0.9"/ { @[probename] = count(); }
		tcpip:::fail /arg1 == 110/ { @t["timeout", execname] = count(); }
		tcp:::connect-request /args[2]->ip_daddr == "10.77.0.9"/ { @r[probename, lltostr(args[4]->tcp_dport)] = count(); }' -c "sh $TMP/ask.sh"
	ends 0 "nobody answers"
	after=$(ip netns exec $a awk '$1 == "TcpExt:" { line++; for (i = 2; i <= NF; i++) if (line == 1) name[i] = $i
		else if (name[i] == "TCPSynRetrans") print $i }' /proc/net/netstat)
	is "asked for again" "$(cell reconnect)" $((after - before))
	is "asked for" "$(cell connect-request 7)" 1
	is "the end of it" "$(cell timeout bash)" 1
fi

# a packet for a link address of somebody else is dropped, and why is told
d -qn 'ip:::drop-in /args[3]->if_name == "vb"/ { @[args[6]->drop_name] = count(); }' -c "sh $TMP/ask.sh"
ends 0 "drops"
[ "$(cell OTHERHOST)" -ge 1 ] || fail "drops: $out"

# a process in a group of its own, as a container's
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/dtrace-test-$$
if mkdir "$group" 2>/dev/null; then
	unset CLIENT_NS SERVER_NS ADDRESS
	d -qn 'tcp:::accept-established /progenyof($target) && execname == "netserver"/ { @[probename] = count(); }
		udpip:::send /progenyof($target) && execname == "nettraffic"/ { @[probename] = count(); }' \
		-c "sh -c 'echo \$\$ >$group/cgroup.procs; $TARGETS/nettraffic tcp 4 4 1; $TARGETS/nettraffic udp 4 5 1'"
	is "connections of a group" "$(cell accept-established)" 4
	is "datagrams of a group" "$(cell send)" 5
	# where a container's root is all that can be seen, that is said
	if command -v unshare >/dev/null; then
		d -qn 'udp:::send { @ = count(); } BEGIN { exit(0); }'
		is "all is seen" "$err" ""
		mkdir "$TMP/cg"
		sh -c "echo \$\$ >$group/cgroup.procs; exec unshare -Cm sh -c 'umount ${group%/*} && mount -t cgroup2 group $TMP/cg && exec $DTRACE -qn \"udp:::send { @ = count(); } BEGIN { exit(0); }\"'" \
			>"$TMP/out" 2>"$TMP/err"
		like "a container" "$(cat "$TMP/err")" "*packets are seen of this container's sockets only*"
	fi
	rmdir "$group"
fi
finish
