# Addresses are keys in the kernel: no records, and the same counts as of records and as the program itself has.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/counted.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# rows FILE: the aggregation, without what the program says
rows() {
	awk 'NF && $NF ~ /^[0-9]+$/ && $1 !~ /^[a-z_]+$/ { $1 = $1; print }' "$1"
}
# of NAME: the lines whose first key is the process that the program calls that
of() {
	awk -v pid="$(awk -v name="$1" '$1 == name { print $2 }' "$TMP/out")" '$1 == pid { $1 = ""; print substr($0, 2) }'
}

for family in 4 6 mapped; do
	address=127.0.0.1
	[ $family = 6 ] && address=::1
	# (others of the machine accept connections, too)
	d -v -o "$TMP/counted" -n 'tcp:::accept-established { @[pid, args[3]->tcps_raddr] = count(); }' \
		-c "$TARGETS/nettraffic tcp $family 20 10"
	like "accepted of $family" "$err" "*records read: * of perf events, 0 of BPF programs*"
	is "accepted of $family" "$(of server <"$TMP/counted")" "$address 20"
	rm -f "$TMP/counted"
	both 'tcp:::connect-established /pid == $target/ { @[args[2]->ip_saddr, args[3]->tcps_laddr] = count(); }' \
		tcp $family 20 10
	is "connected of $family" "$(cat "$TMP/numbers")" "$address $address 20"
	both 'udp:::send /pid == $target/ { @[args[2]->ip_saddr, args[2]->ip_daddr] = sum(args[4]->udp_length); }' \
		udp $family 50 100
	is "bytes of $family" "$(cat "$TMP/numbers")" "$address $address $((50 * 108))"
	both 'udpip:::receive /pid == $target/ { @[args[0]->ip_daddr, args[0]->ip_ver] = count(); }' udp $family 50 100
	both 'tcpip:::connect /pid == $target/ { @[args[0]->ip_saddr, probename] = count(); }' \
		tcp $family 20 10
	is "asked for of $family" "$(cat "$TMP/numbers")" "$address connect 20"
done

# what goes from one address to another, by port, too; the socket's own ends
both 'tcpip:::send /pid == $target/ { @[args[0]->ip_daddr] = sum(args[0]->ip_plength); }' tcp 4 20 10
d -q -n 'tcp:::connect-request /pid == $target/ { @[args[2]->ip_daddr, args[4]->tcp_dport] = count(); }' \
	-c "$TARGETS/nettraffic tcp 4 12 1"
port=$(awk '$1 == "port" { print $2 }' "$TMP/out")
is "by address and port" "$(awk '$1 == "127.0.0.1" { print $2, $3 }' "$TMP/out")" "$port 12"
both 'tcp:::state-change /pid == $target/ { @[args[3]->tcps_laddr, args[3]->tcps_raddr] = count(); }' tcp 6 10 10
both 'tcp:::connect-request /pid == $target/ { @[args[3]->tcps_laddr, args[3]->tcps_raddr, args[2]->ip_daddr] = count(); }' \
	tcp mapped 10 10
is "ends of the socket" "$(cat "$TMP/numbers")" "127.0.0.1 127.0.0.1 127.0.0.1 10"

# of a socket that is not connected, whose ends are not those of its packets, there are records
d -q -n 'udp:::send { @[pid, args[3]->udps_raddr, args[2]->ip_daddr] = count(); }' -c "$TARGETS/nettraffic udp 4 30 10"
is "who is connected" "$(of client <"$TMP/out" | tr -s ' ')" "127.0.0.1 127.0.0.1 30"
is "who is not" "$(of server <"$TMP/out" | tr -s ' ')" "0.0.0.0 127.0.0.1 30"
finish
