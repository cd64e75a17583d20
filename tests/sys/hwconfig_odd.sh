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

# trees as real machines have them: bonds, several paths to one NVMe disk, SCSI's filled up names, batteries of a mouse and of a laptop
cat >"$TMP/real.sh" <<'END'
mount -t tmpfs none /sys/class && mount -t tmpfs none /sys/block && mount --bind "$1/resolv.conf" /etc/resolv.conf &&
	mount --bind "$1/interrupts" /proc/interrupts || exit
cd /sys/class && mkdir -p net/bond0 power_supply/AC power_supply/BAT0 power_supply/BAT1 power_supply/hidpp_battery_0 power_supply/ucsi-1
echo bond0 >net/bonding_masters
echo 3 >net/bond0/ifindex
cd power_supply
echo Mains | tee AC/type >/dev/null; echo 0 >AC/online
echo USB >ucsi-1/type; echo 1 >ucsi-1/online
for battery in BAT0 BAT1 hidpp_battery_0; do echo Battery >$battery/type; done
echo 80 >BAT0/capacity; echo 20 >BAT1/capacity; echo 5 >hidpp_battery_0/capacity; echo Device >hidpp_battery_0/scope
cd /sys/block && mkdir -p nvme0n1/device nvme0c0n1 sda/device mmcblk0/device
echo 1 >nvme0c0n1/hidden
echo 0 | tee nvme0n1/hidden >nvme0n1/size
echo 'S5GX            ' >nvme0n1/device/serial
echo 'ATA     ' >sda/device/vendor
echo 'Samsung SSD 860 ' >sda/device/model
echo SD16G >mmcblk0/device/name; echo 0x1234 >mmcblk0/device/serial
exec timeout 60 "$DTRACE" -qn 'hwconfig:::nic { printf("nic %s %d\n", args[0]->name, args[0]->index); }
	hwconfig:::disk-phy { printf("disk %s [%s] [%s] [%s]\n", args[0]->name, args[0]->model, args[0]->vendor, args[0]->serial); }
	hwconfig:::power { printf("power %s %d %d [%s]\n", args[0]->supply, args[0]->on_line, args[0]->capacity, args[0]->missing); }
	hwconfig:::network { printf("network [%s] %s %s\n", args[0]->search, args[0]->dns, args[0]->dns2); }
	hwconfig:::irq { printf("irq %d %d [%s]\n", args[0]->number, args[0]->count, args[0]->name); } tick-1ms { exit(0); }'
END
printf 'search a.example\n# nameserver 1.1.1.1\nnameserver\t10.0.0.1 \ndomain \tb.example c.example\nnameserver  fe80::1%%eth0\n' >"$TMP/resolv.conf"
printf '           CPU0       CPU2       \n  1:         11          4   9-edge      i8042\nNMI:          7          7   Non-maskable interrupts\n' >"$TMP/interrupts"
DTRACE=$DTRACE unshare -m sh "$TMP/real.sh" "$TMP" >"$TMP/out" 2>"$TMP/err" || fail "status $?: $(cat "$TMP/err")"
is "real machines" "$(grep . "$TMP/out" | sort)" "$(cat <<'END' | sort
nic bond0 3
disk mmcblk0 [SD16G] [] [0x1234]
disk nvme0n1 [] [] [S5GX]
disk sda [Samsung SSD 860] [ATA] []
power AC BAT0 BAT1 ucsi-1 1 80 [states cpufreq]
network [b.example c.example] 10.0.0.1 fe80::1%eth0
irq 1 15 [9-edge      i8042]
END
)"

# of the routes to everywhere that with the smallest metric; half of everywhere is not everywhere
if unshare -n ip link add d0 type dummy 2>/dev/null; then
	unshare -n sh -c 'ip link add d0 type dummy && ip addr add 192.0.2.2/24 dev d0 && ip link set d0 up && ip route add default via 192.0.2.1 metric 10 &&
		ip route add default via 192.0.2.9 metric 100 && ip route add 0.0.0.0/1 via 192.0.2.8 && ip -6 addr add fd00::7/64 dev d0 nodad &&
		"$1" -qn "hwconfig:::network { printf(\"by %s\n\", args[0]->gateway); } hwconfig:::nic { printf(\"%s %s %s\n\", args[0]->name, args[0]->ipv4, args[0]->ipv6); }
		tick-1ms { exit(0); }" && ip route get 198.51.100.1 oif d0' - "$DTRACE" >"$TMP/out" 2>"$TMP/err" || fail "routes: $(cat "$TMP/err")"
	is "routes" "$(grep -E '^by|^d0' "$TMP/out" | sort)" "by 192.0.2.1
d0 192.0.2.2 fd00::7"
fi

# a file system of FUSE whose server never answers is not asked for its size
cat >"$TMP/hung.py" <<'END'
import ctypes, os, subprocess, sys
fuse = os.open("/dev/fuse", os.O_RDWR)
os.makedirs(sys.argv[2], exist_ok=True)
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"/dev/sdz1", sys.argv[2].encode(), b"fuse.hung", 0, f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()):
    sys.exit(77)
sys.exit(subprocess.call(["timeout", "-s", "KILL", "20", sys.argv[1], "-qn",
    r'hwconfig:::disk-log /args[0]->fs == "fuse.hung"/ { printf("%s %d [%s]\n", args[0]->device, args[0]->bytes, args[0]->missing); exit(0); }']))
END
if command -v python3 >/dev/null && [ -e /dev/fuse ]; then
	unshare -m python3 "$TMP/hung.py" "$DTRACE" "$TMP/hung" >"$TMP/out" 2>"$TMP/err"
	status=$?
	[ $status = 77 ] || is "no answer" "$status $(grep . "$TMP/out" "$TMP/err" | cut -d: -f2-)" "0 /dev/sdz1 0 [bytes free avail]"
fi

# a list of processes of its own is a container that nobody names
unshare -pf --mount-proc "$DTRACE" -qn 'hwconfig:::virtualization { printf("in %s\n", args[0]->container); } tick-1ms { exit(0); }' >"$TMP/out" 2>"$TMP/err" ||
	fail "status $?: $(cat "$TMP/err")"
[ -e /run/systemd/container ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ] || is "a PID namespace" "$(grep . "$TMP/out")" "in PID namespace"
finish
