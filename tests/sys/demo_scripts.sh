# The scripts of dscripts/demo about the system: each tells of a program what the program knows.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# demo SCRIPT COMMAND: $out is what the script prints, $said what the command does
demo() {
	rm -f "$TMP/told"
	"$DTRACE" -o "$TMP/told" -s "dscripts/demo/$1.d" -c "$2" >"$TMP/said" 2>"$TMP/err" </dev/null ||
		fail "$1.d: status $?: $(cat "$TMP/err")"
	out=$(cat "$TMP/told") said=$(cat "$TMP/said")
}

# row KEYS...: the last field of the line that begins so
row() {
	echo "$out" | awk -v key="$*" '{ line = $0; sub(/ *[^ ]* *$/, "", line); gsub(/  */, " ", line); sub(/^ /, "", line) } line == key { print $NF; exit }'
}

file=$(realpath "$TMP")/data
demo fileio "dd if=/dev/zero of=$file bs=1000 count=37 status=none conv=fsync"
is "fileio.d: writes" "$(echo "$out" | grep -c "^dd  *write  *0 .*$file")" 37
is "fileio.d: in all" "$(row write) $(row flush)" "37 1"

if [ -w /proc/sys/vm/swappiness ]; then
	value=$(cat /proc/sys/vm/swappiness)
	demo reg "sh -c 'cat /proc/sys/kernel/ostype; echo $value >/proc/sys/vm/swappiness'"
	like "reg.d" "$out" "*cat *reads */proc/sys/kernel/ostype: $(uname -s)*sh *writes */proc/sys/vm/swappiness: $value* > $value* (0)*"
	is "reg.d: in all" "$(row setvalue) $(row queryvalue)" "1 1"
fi

if "$DTRACE" --doctor | grep -q '^cgroup  *works'; then
	demo tcpip "$TARGETS/nettraffic tcp 4 3 5000"
	is "tcpip.d: connections" "$(echo "$out" | awk '$1 == "nettraffic" && $3 == "connect"' | wc -l)" 3
	is "tcpip.d: accepted" "$(echo "$out" | awk '$1 == "netserver" && $3 == "accept"' | wc -l)" 3
	is "tcpip.d: bytes" "$(row tcp nettraffic send) $(row tcp netserver receive)" "15000 15000"
	demo tcpip "$TARGETS/nettraffic udp 4 4 50"
	# the server got the socket from the other, and is known when it has used it
	is "tcpip.d: of UDP" "$(row udp nettraffic send) $(($(row udp netserver receive) + $(row udp nettraffic receive)))" "200 204"
	if command -v getent >/dev/null; then
		demo dns "getent ahosts localhost"
		is "dns.d" "$(echo "$out" | awk '$1 == "getent" && $2 == "localhost" && NF == 3 { print $3 }' | sort -u)" \
			"$(echo "$said" | awk 'NF { print $1 }' | sort -u)"
	fi
fi

# frames of a pair of devices, as the devices count them
cat >"$TMP/frames.sh" <<'END'
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add dtpk0 type veth peer name dtpk1 && ip addr add 10.9.9.1/24 dev dtpk0 && ip link set dtpk0 up && ip link set dtpk1 up || exit 77
ip neigh replace 10.9.9.2 dev dtpk0 lladdr "$(ip link show dtpk1 | awk '/link.ether/ { print $2 }')" || exit 77
"$DTRACE" -o "$1/told" -s dscripts/demo/packets.d -c "python3 $1/frames.py" || exit 1
awk '$1 == "dtpk0:" { print "sent dtpk0", $11, $10 } $1 == "dtpk1:" { print "received dtpk1", $3, $2 - 14 * $3 }' /proc/net/dev | sort -r
END
cat >"$TMP/frames.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(300):
    s.sendto(b"x" * i, ("10.9.9.2", 9))
END
if command -v python3 unshare ip >/dev/null && unshare -n true 2>/dev/null; then
	rm -f "$TMP/told"
	DTRACE=$DTRACE unshare -n sh "$TMP/frames.sh" "$TMP" >"$TMP/said" 2>"$TMP/err"
	case $? in
	0) is "packets.d" "$(awk '$2 ~ /^dtpk/ && NF == 4 { print $1, $2, $3, $4 }' "$TMP/told" | sort -r)" "$(cat "$TMP/said")"
		[ "$(awk '$2 == "dtpk0" { print ($3 >= 300) }' "$TMP/told")" = 1 ] || fail "packets.d: $(cat "$TMP/told")" ;;
	77) ;;
	*) fail "packets.d: $(cat "$TMP/err")" ;;
	esac
fi

"$DTRACE" -s dscripts/demo/hwconfig.d >"$TMP/told" 2>"$TMP/err" </dev/null || fail "hwconfig.d: $(cat "$TMP/err")"
is "hwconfig.d: processors" "$(grep -c '^processor ' "$TMP/told")" "$(getconf _NPROCESSORS_CONF)"
like "hwconfig.d" "$(grep '^boot ' "$TMP/told")" "*$(uname -r) since*: $(cut -c1-40 /proc/cmdline)*"
is "hwconfig.d: interfaces" "$(awk '$1 == "nic" { sub(":", "", $2); print $2 }' "$TMP/told" | sort)" "$(cd /sys/class/net && ls -d -- */ | tr -d / | sort)"

demo profile_syms "$TARGETS/burn 1"
[ "$(row 'burn`burn')" -ge 100 ] || fail "profile_syms.d: $out"
like "profile_syms.d" "$out" "at*burn\`burn*functions*burn\`burn*modules*burn *"

if [ -e "/sys/dev/block/$(stat -c '%Hd:%Ld' "$TMP")" ]; then
	demo disk "dd if=/dev/zero of=$file bs=64k count=16 conv=fsync status=none"
	is "disk.d" "$(echo "$out" | awk -v file="$file" '$1 == "dd" && $4 == "write" && $NF == file { n += $6 } END { print n }')" 1048576
fi
finish
