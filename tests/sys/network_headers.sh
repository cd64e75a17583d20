# Flags of an IPv4 header and where its fragment begins, in bytes, of packets that a program has written itself; an IPv6
# packet with a header more: what follows both is its length.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need python3
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
cat >"$TMP/fragments.py" <<'PY'
import socket, struct
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
for flags, at in (0x4000, 0), (0x2000, 0), (0x2000, 1480), (0, 65528), (0, 0):
    raw.sendto(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 7, flags | at // 8, 64, 253, 0,
                           socket.inet_aton("127.0.0.1"), socket.inet_aton("127.0.0.1")) + bytes(8), ("127.0.0.1", 0))
PY
d -qn 'ip:::send /pid == $target && args[4]->ipv4_protocol == 253/ { printf("%s %d %d\n", args[4]->ipv4_flags & IPH_DF ? "whole" :
	args[4]->ipv4_flags & IPH_MF ? "more" : "last", args[4]->ipv4_offset, args[4]->ipv4_ident); }' -c "python3 $TMP/fragments.py"
ends 0 "fragments"
is "fragments" "$out" "whole 0 7
more 0 7
more 1480 7
last 65528 7
last 0 7"

cat >"$TMP/extended.py" <<'PY'
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::1", 0))
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_HOPOPTS, bytes([0, 0, 1, 4, 0, 0, 0, 0]))
s.sendto(bytes(100), s.getsockname())
PY
clauses='ip:::send /pid == $target && args[2]->ip_ver == 6/ { @ = sum(args[2]->ip_plength); %s }
	udp:::send /pid == $target/ { @u = sum(args[2]->ip_plength - args[4]->udp_length); }'
d -qn "$(printf "$clauses" 'printf("%d %d\n", args[5]->ipv6_plen, args[5]->ipv6_nexthdr);')" -c "python3 $TMP/extended.py"
ends 0 "an extension"
is "an extension" "$(echo "$out" | tr -s ' \n' ' ')" "116 0 108 0 "
d -qn "$(printf "$clauses" '')" -c "python3 $TMP/extended.py" # in the kernel
is "an extension, counted" "$(echo "$out" | tr -s ' \n' ' ')" " 108 0 "
finish
