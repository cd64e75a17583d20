# tcpsnoop.d, udpsnoop.d and tcpio.d tell what the kernel counts in a network namespace of its own; soconnect.d what a
# program's calls of connect() returned.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need python3 unshare ip
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
unshare -n true 2>/dev/null || skip "no network namespace can be made"

# told SCRIPT WHAT FAMILY N BYTES: its lines are in $TMP/told, what the programs and the kernel of that namespace say in $TMP/said
told() {
	script=$1
	shift
	echo "ip link set lo up && $TARGETS/nettraffic $* && cat /proc/net/snmp /proc/net/snmp6" >"$TMP/traffic.sh"
	rm -f "$TMP/told"
	"$DTRACE" -o "$TMP/told" -s "dscripts/bin/$script.d" -c "unshare -n sh $TMP/traffic.sh" >"$TMP/said" 2>"$TMP/err" </dev/null ||
		fail "$script.d: status $?: $(cat "$TMP/err")"
	is "$script.d: faults and drops" "$(cat "$TMP/err")" ""
	port=$(said port)
}
# said NAME: the number behind it
said() {
	awk -v name="$1" '$1 == name { print $2; exit }' "$TMP/said"
}
# kernel PROTOCOL NAME: a counter of /proc/net/snmp
kernel() {
	awk -v name="$2" -v row="$1:" '$1 == row && !head { split($0, names); head = 1; next }
		$1 == row { for (i = 2; i <= NF; i++) if (names[i] == name) print $i }' "$TMP/said"
}
# lines CONDITION: how many lines with the port of the server
lines() {
	awk -v port="$port" -v client="$(said client)" -v server="$(said server)" "(\$6 == port || \$9 == port) && $1" "$TMP/told" | wc -l
}
# bytes CONDITION: the sum of their bytes
bytes() {
	awk -v port="$port" -v client="$(said client)" -v server="$(said server)" "(\$6 == port || \$9 == port) && $1 { n += \$10 }
		END { print n + 0 }" "$TMP/told"
}

for family in 4 6; do
	told tcpsnoop tcp $family 6 3000
	is "segments out, $family" "$(lines '$4 == "out"')" "$(kernel Tcp OutSegs)"
	is "segments in, $family" "$(lines '$4 == "in"')" "$(kernel Tcp InSegs)"
	is "SYN of the client, $family" "$(lines '$3 == client && $4 == "out" && $11 == "S"')" 6
	is "bytes out, $family" "$(bytes '$3 == client && $4 == "out"')" "$(said server_got)"
	is "bytes in, $family" "$(bytes '$3 == server && $4 == "in"')" "$(said server_got)"
	is "answers, $family" "$(bytes '$3 == client && $4 == "in"')" "$(said client_got)"

	told tcpsnoop refused $family 4 0
	is "SYN that are refused, $family" "$(lines '$3 == client && $4 == "out" && $11 == "S"')" 4
	is "RST that come, $family" "$(lines '$3 == client && $4 == "in" && $11 ~ /R/')" "$(kernel Tcp OutRsts)"

	told udpsnoop udp $family 5 700
	case $family in
	4) sent=$(kernel Udp OutDatagrams) received=$(kernel Udp InDatagrams) ;;
	6) sent=$(said Udp6OutDatagrams) received=$(said Udp6InDatagrams) ;;
	esac
	is "datagrams out, $family" "$(lines '$4 == "out"')" "$sent"
	is "datagrams in, $family" "$(lines '$4 == "in"')" "$received"
	is "bytes of datagrams, $family" "$(bytes '$3 == client && $4 == "out"')" "$(said server_got)"
	is "who gets them, $family" "$(bytes '$3 == server && $4 == "in"')" "$(said server_got)"

	told tcpio tcp $family 6 3000
	is "tcpio.d: connections, $family" "$(awk -v pid="$(said client)" '$2 == pid && $6 == "out"' "$TMP/told" | wc -l)" 6
	is "tcpio.d: bytes out, $family" "$(awk -v pid="$(said client)" '$2 == pid && $6 == "out" { n += $8 } END { print n }' "$TMP/told")" \
		"$(said server_got)"
	is "tcpio.d: bytes in, $family" "$(awk -v pid="$(said server)" '$2 == pid && $6 == "in" { n += $8 } END { print n }' "$TMP/told")" \
		"$(said server_got)"
	is "tcpio.d: segments of one byte, $family" "$(awk -v pid="$(said server)" '$2 == pid && $6 == "out" { print $7, $8, $9, $10 }' "$TMP/told" |
		sort -u)" "1 1 1 1"
done
rm "$TMP/told"
"$DTRACE" -o "$TMP/told" -s dscripts/bin/tcpsnoop.d -c "$TARGETS/nettraffic tcp 4 2 10" netserver >"$TMP/said" 2>"$TMP/err" </dev/null ||
	fail "tcpsnoop.d netserver: $(cat "$TMP/err")"
is "one program" "$(awk 'NR > 1 && NF { print $2 }' "$TMP/told" | sort -u)" netserver

# a call of connect() lasts no longer than the program finds it does
cat >"$TMP/connect.py" <<'EOP'
import ctypes, os, socket, sys, time
def ask(family, address, shown, port=0, kind=socket.SOCK_STREAM, waits=True):
    s = socket.socket(family, kind)
    s.setblocking(waits)
    began = time.monotonic_ns()
    error = s.connect_ex(address)
    print(os.getpid(), family.name[3:].lower(), shown, port, error, (time.monotonic_ns() - began) // 1000)
    s.close()
path = sys.argv[1] + "/socket"
tcp = socket.create_server(("127.0.0.1", 0))
port = tcp.getsockname()[1]
unix = socket.socket(socket.AF_UNIX); unix.bind(path); unix.listen(3)
hidden = socket.socket(socket.AF_UNIX); hidden.bind("\0hidden.%d" % os.getpid()); hidden.listen(3)
closed = socket.socket(); closed.bind(("127.0.0.1", 0))
closed6 = socket.socket(socket.AF_INET6); closed6.bind(("::1", 0))
ask(socket.AF_INET, ("127.0.0.1", port), "127.0.0.1", port)
ask(socket.AF_INET, ("127.0.0.1", port), "127.0.0.1", port, waits=False)
ask(socket.AF_INET, closed.getsockname(), "127.0.0.1", closed.getsockname()[1])
ask(socket.AF_INET6, closed6.getsockname(), "::1", closed6.getsockname()[1])
ask(socket.AF_INET, ("127.0.0.1", 9), "127.0.0.1", 9, socket.SOCK_DGRAM)
ask(socket.AF_UNIX, path, path)
ask(socket.AF_UNIX, "/nonexistent", "/nonexistent")
ask(socket.AF_UNIX, "\0hidden.%d" % os.getpid(), "@hidden.%d" % os.getpid())
# calls without an address are left out
libc = ctypes.CDLL(None, use_errno=True)
s = socket.socket()
libc.connect(s.fileno(), None, 16)
libc.connect(s.fileno(), b"\2\0", 0)
EOP
"$DTRACE" -o "$TMP/told.connect" -s dscripts/bin/soconnect.d -c "python3 $TMP/connect.py $TMP" python3 >"$TMP/said" 2>"$TMP/err" </dev/null ||
	fail "soconnect.d: $(cat "$TMP/err")"
is "soconnect.d: faults and drops" "$(cat "$TMP/err")" ""
pid=$(awk '{ print $1; exit }' "$TMP/said")
is "connect() and what it returned" "$(awk -v pid="$pid" '$2 == pid { print $2, $3, $4, $5, $6 }' "$TMP/told.connect")" \
	"$(awk '{ print $1, $2, $3, $4, $5 }' "$TMP/said")"
is "how long it took" "$(awk -v pid="$pid" '$2 == pid { print $7 }' "$TMP/told.connect" | paste -d' ' - "$TMP/said" |
	awk '$1 !~ /^[0-9]+$/ || $1 > $NF')" ""
finish
