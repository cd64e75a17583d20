# Trees of /sys that are odd: nothing is invented, no reading hangs, and every member that is empty is named.
# needs: root
. tests/lib/lib.sh
unshare -m sh -c 'mount -t tmpfs none /sys/class && mount -t tmpfs none /sys/block' 2>/dev/null || skip "nothing can be mounted on /sys/class"
need mkfifo timeout

cat >"$TMP/tree.sh" <<'END'
mount -t tmpfs none /sys/class && mount -t tmpfs none /sys/block && mount -t tmpfs none /run || exit
cd /sys/class && mkdir -p net/odd net/loop power_supply/BAT0 /sys/block/disk/queue /sys/block/dir/size /run/systemd
echo -1 >net/odd/speed
mkfifo net/odd/mtu
echo 99999999999999999999 >net/odd/ifindex
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "long" }' >net/odd/address
printf '\033[31m\001\n' >net/odd/operstate
ln -s ../odd/driver net/odd/driver
ln -s ../loop net/loop/address
echo Battery >power_supply/BAT0/type
echo 55 >power_supply/BAT0/capacity
echo 8 >/sys/block/disk/size
echo nonsense >/sys/block/disk/dev
: >/sys/block/disk/queue/scheduler
echo lxc >/run/systemd/container
exec timeout 60 "$DTRACE" -qn 'hwconfig:::nic /args[0]->name == "odd"/ { printf("odd %d %d %d %d %d [%s]\n", args[0]->index, args[0]->mtu, args[0]->speed, strlen(args[0]->address),
		strlen(args[0]->state), args[0]->missing); }
	hwconfig:::nic /args[0]->name == "loop"/ { printf("loop %s\n", args[0]->missing); }
	hwconfig:::disk-phy { printf("%s %d %d:%d [%s]\n", args[0]->name, args[0]->bytes, args[0]->major, args[0]->minor, args[0]->missing); }
	hwconfig:::power { printf("power %d %d %s [%s]\n", args[0]->on_line, args[0]->capacity, args[0]->supply, args[0]->missing); }
	hwconfig:::virtualization { printf("in %s\n", args[0]->container); } tick-1ms { exit(0); }'
END
DTRACE=$DTRACE unshare -m sh "$TMP/tree.sh" >"$TMP/out" 2>"$TMP/err" || fail "status $?: $(cat "$TMP/err")"
is "what is told" "$(grep . "$TMP/out" | sort)" "$(cat <<'END' | sort
dir 0 0:0 [bytes major minor sector is_rotational is_removable is_readonly model vendor serial scheduler]
disk 4096 0:0 [major minor sector is_rotational is_removable is_readonly model vendor serial scheduler]
in lxc
loop index mtu speed address state driver ipv4 ipv6
odd 0 0 0 63 6 [index mtu speed driver ipv4 ipv6]
power -1 55 BAT0 [states cpufreq on_line]
END
)"

# a list of processes of its own is a container that nobody names
unshare -pf --mount-proc "$DTRACE" -qn 'hwconfig:::virtualization { printf("in %s\n", args[0]->container); } tick-1ms { exit(0); }' >"$TMP/out" 2>"$TMP/err" ||
	fail "status $?: $(cat "$TMP/err")"
[ -e /run/systemd/container ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ] || is "a PID namespace" "$(grep . "$TMP/out")" "in PID namespace"
finish
