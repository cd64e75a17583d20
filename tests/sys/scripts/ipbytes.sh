# Packets by ip, members of ipinfo_t, ipv4info_t, ipv6info_t.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
script ipbytes -c "$TARGETS/nettraffic udp 4 12 100"
is "packets" "$(cell sent UDP 127.0.0.1 packets)" "$(said sent)"
is "bytes, with the headers of UDP" "$(cell sent UDP 127.0.0.1 bytes)" $((12 * (100 + 8)))
script ipbytes -c "$TARGETS/nettraffic udp 6 7 100"
is "packets of IPv6" "$(cell sent UDP ::1 packets)" 7
finish
