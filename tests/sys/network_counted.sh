# What is counted of packets and connections by process, port, version and size is counted in the kernel: as much as
# records come to, and without records.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/counted.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

# rows FILE: the last field of each line of an aggregation, but for the histograms' rulers
rows() {
	awk 'NF && $NF ~ /^[0-9]+$/ { print $1, $NF }' "$1" | grep -v '^\(port\|client\|server\|server_got\|client_got\|again\|resets\|refused\|accepted\|connected\|sent\) '
}

both 'udp:::send /pid == $target/ { @[args[2]->ip_ver] = sum(args[4]->udp_length); }' udp 6 50 100
is "the bytes" "$(awk '$1 == 6 { print $2 }' "$TMP/numbers")" $((50 * 108))
both 'tcp:::connect-request /pid == $target/ { @["asked"] = count(); } tcp:::connect-established /pid == $target/ { @["there"] = count(); }' \
	tcp 4 20 10
is "connections" "$(awk '{ print $2 }' "$TMP/numbers" | sort -u)" 20
both 'tcpip:::send /pid == $target/ { @ = quantize(args[0]->ip_plength); }' tcp 4 20 10
both 'ip:::send /pid == $target/ { @n["packets"] = count(); } udp:::send /pid == $target/ { @n["datagrams"] = count(); }' udp 4 30 10

# keys that the record has: the port of the server
d -q -n 'tcp:::accept-established { @[args[3]->tcps_lport] = count(); }' -c "$TARGETS/nettraffic tcp 4 12 1"
port=$(awk '$1 == "port" { print $2 }' "$TMP/out")
is "by port" "$(awk -v port="$port" '$1 == port { print $2 }' "$TMP/out")" 12
finish
