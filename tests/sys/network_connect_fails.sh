# tcpip:::fail of connect(): once for each that fails, before a socket sends anything (no way there, no port left) and after
# (refused), in the name of who asks and with the error that the call returns.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need ip
ns=dtf$$
trap 'ip netns del $ns 2>/dev/null' EXIT
ip netns add $ns 2>/dev/null || skip "no network namespaces here"
ip -n $ns link set lo up

# fails NAME ERRNO HOW-OFTEN ARGUMENT...
fails() {
	what=$1 error=$2 n=$3
	shift 3
	d -qn 'tcpip:::fail /execname == "netconnect"/ { @[pid == $target, arg0, arg1] = count(); }' -c "ip netns exec $ns $TARGETS/netconnect $*"
	ends 0 "$what"
	is "$what: the program" "$(echo "$out" | grep -c "^error $error$")" "$n"
	is "$what: the probe" "$(echo "$out" | awk '$2 == 6 { print $1, $3, $4 }')" "1 $error $n"
}
fails "no way there" 101 3 10.1.2.3 7 3
fails "no way there, IPv6" 101 3 fd77::7 7 3
fails "no way there, without waiting" 101 3 10.1.2.3 7 3 wait
fails "refused" 111 3 127.0.0.1 7 3
fails "refused, IPv6" 111 3 ::1 7 3
fails "refused, without waiting" 111 3 127.0.0.1 7 3 wait
ip -n $ns route add prohibit 10.9.0.0/16
fails "forbidden" 13 2 10.9.0.1 7 2
ip -n $ns route add unreachable 10.8.0.0/16
fails "no host" 113 2 10.8.0.1 7 2

# one port for all: the second has none
if ip netns exec $ns sh -c 'echo 40000 40000 >/proc/sys/net/ipv4/ip_local_port_range' 2>/dev/null; then
	fails "no port left" 99 2 127.0.0.1 40000 3
fi
finish
