# Packets that are not what they should be: headers that are cut off, lengths that are none, chains of extension headers,
# fragments. Members are what the packet says and nothing from behind its end; ports are only those of a header that is whole.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
"$TARGETS/netraw" >"$TMP/raw" 2>&1 || skip "$(cat "$TMP/raw")"

# raw NAME CLAUSES: what one packet makes them print
raw() {
	d -qn "$2" -c "$TARGETS/netraw $1"
	ends 0 "$1"
	out=$(echo "$out" | grep -v "^$1 [01]$" | tr '\n' ' ' | sed 's/  */ /g; s/ $//')
}
sent='udp:::send, udp:::receive /args[4]->udp_dport == 9/ { printf("udp %d>%d %d\n", args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_length); }
	tcp:::send /pid == $target/ { printf("tcp %s:%d>%s:%d offset %d flags %x\n", args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
		args[3]->tcps_rport, args[4]->tcp_offset, args[4]->tcp_flags); }
	ip:::send /pid == $target/ { printf("ip%d %d\n", args[2]->ip_ver, args[2]->ip_plength); }'
raw udp4 "$sent"
is "a whole one" "$out" "udp 7>9 12 ip4 12"
raw udp4_long "$sent"
is "a length above the packet's" "$out" "udp 7>9 65535 ip4 12"
for name in udp4_cut:5 tcp4_cut:12 udp4_later:16; do
	raw ${name%:*} "$sent"
	is "${name%:*}" "$out" "ip4 ${name#*:}"
done
raw tcp4_offset_15 "$sent"
is "options that are not there" "$out" "tcp 127.0.0.1:7>127.0.0.1:9 offset 60 flags 2 ip4 20"
raw tcp4_offset_0 "$sent"
is "a header of no length" "$out" "tcp 127.0.0.1:7>127.0.0.1:9 offset 0 flags 2 ip4 20"
for name in udp6:12 udp6_extensions:12 udp6_first:12; do
	raw ${name%:*} "$sent"
	is "${name%:*}" "$out" "udp 7>9 12 ip6 ${name#*:}"
done
for name in udp6_later:24 udp6_extension_cut:4 udp6_extension_long:16 tcp6_cut:2 udp6_six_extensions:24; do
	raw ${name%:*} "$sent"
	is "${name%:*}" "$out" "ip6 ${name#*:}"
done

# counted in the kernel as it is told of
d -qn 'udp:::send /pid == $target/ { @[args[4]->udp_dport] = count(); @s = sum(args[4]->udp_length); } ip:::send /pid == $target/ { @i = sum(args[2]->ip_plength); }' \
	-c "$TARGETS/netraw"
is "counted" "$(echo "$out" | awk 'NF == 2 && $1 == 9 || NF == 1 { print $NF }' | tr '\n' ' ')" "5 65583 $((12 + 5 + 12 + 16 + 12 + 20 + 20 + 12 + 12 + 12 + 24 + 4 + 16 + 2 + 24)) "

# what the kernel drops of them is told with what it is; a later fragment is refused by no port
d -qn 'ip:::drop-in /args[3]->if_name == "lo"/ { @n[args[2]->ip_ver, args[4]->ipv4_protostr, args[2]->ip_plength] = count(); }
	tcp:::accept-refused { printf("refused %d\n", args[4]->tcp_dport); }' -c "$TARGETS/netraw"
ends 0 "drops"
is "cut headers that are dropped" "$(echo "$out" | awk '$1 == 4 && $2 == "TCP" && $3 == 12 || $1 == 4 && $2 == "UDP" && $3 == 5 { n += $4 } END { print n }')" 2
is "nobody is refused" "$(echo "$out" | grep -c refused)" 0
finish
