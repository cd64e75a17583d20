# Packets by ip, under -Z; constants of sockets.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
perl_program udp <<'P'
use Socket;
socket(L, PF_INET, SOCK_DGRAM, 0) or die;
bind(L, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die;
socket(C, PF_INET, SOCK_DGRAM, 0) or die;
send(C, "x" x 30, 0, getsockname(L)) or die for 1 .. 12;
P
script packets -c "perl $TMP/udp.pl"
is "sent" "$(cell sent)" 360
is "calls" "$(cell calls)" 12
if "$DTRACE" --doctor | grep -q '^cgroup  *works'; then
	[ "$(cell send)" -ge 12 ] && [ "$(cell receive)" -ge 12 ] || fail "by ip: $out"
fi
is "sockets" "$(cell datagram sockets)" 2
finish
