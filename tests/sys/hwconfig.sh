# hwconfig: each probe against the files, and commands, that tell the same; what is not told is named.
# needs: user
. tests/lib/lib.sh

is "list" "$("$DTRACE" -ln 'hwconfig:::' | grep -c ' hwconfig ')" 22

# hw PROBE FORMAT MEMBERS: what it prints
hw() {
	d -qn "hwconfig:::$1 { printf(\"$2\\n\", $3); } tick-1ms { exit(0); }"
	ends 0 "$1"
	out=$(echo "$out" | grep .)
}
hw cpu '%d %d %d' 'args[0]->memory / 1024, args[0]->page_size, args[0]->nonline'
is "cpu" "$out" "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo) $(getconf PAGESIZE) $(getconf _NPROCESSORS_ONLN)"
hw cpu '%s' 'args[0]->model'
is "model" "$out" "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1 | cut -c1-63)"
hw cpu '%s' 'args[0]->host'
is "host" "$out" "$(uname -n)"
hw processor '%d %s' 'args[0]->cpu, args[0]->siblings'
is "processors" "$out" "$(for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
	echo "$cpu $(cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list")"; done)"
hw disk-phy '%s %d' 'args[0]->name, args[0]->bytes / 512'
is "disks" "$(echo "$out" | sort)" "$(for disk in /sys/block/*; do
	case $disk in */sr[0-9]* | */\*) ;; *) echo "${disk##*/} $(cat "$disk/size")" ;; esac; done | sort)"
hw disk-log '%s %d' 'args[0]->mount, args[0]->bytes / 1024'
root=$(df -k / | awk 'NR == 2 && $1 ~ "^/dev/" { print "/", $2 }')
[ -z "$root" ] || is "the root" "$(echo "$out" | grep '^/ ')" "$root"
hw nic '%s %s %d' 'args[0]->name, args[0]->address, args[0]->mtu'
is "interfaces" "$(echo "$out" | sort)" "$(for nic in /sys/class/net/*; do
	echo "${nic##*/} $(cat "$nic/address") $(cat "$nic/mtu")"; done | sort)"
hw nic '%s %s' 'args[0]->name, args[0]->ipv4'
like "the loopback" "$out" "*lo 127.0.0.1*"
hw irq '%d' 'args[0]->number'
is "interrupts" "$out" "$(awk '$1 ~ /^[0-9]+:$/ { print $1 + 0 }' /proc/interrupts)"
hw pnp '%s %x %x' 'args[0]->id, args[0]->vendor, args[0]->device'
is "devices" "$(echo "$out" | grep '^[0-9a-f]*:' | sort)" "$(for pci in /sys/bus/pci/devices/*; do
	[ ! -e "$pci" ] || printf '%s %x %x\n' "${pci##*/}" "$(cat "$pci/vendor")" "$(cat "$pci/device")"; done | sort)"
hw boot '%d' 'args[0]->time'
is "boot time" "$out" "$(awk '/^btime/ { print $2 }' /proc/stat)"
hw boot '%s' 'args[0]->release'
is "release" "$out" "$(uname -r)"
hw network '%s' 'args[0]->host'
is "network" "$out" "$(uname -n)"
hw power '%s' 'args[0]->states'
is "power" "$out" "$(cat /sys/power/state 2>/dev/null)"
hw virtualization '%d' 'args[0]->hypervisor != ""'
is "virtualization" "$(echo "$out" | grep 1)" "$(grep -q '^flags.* hypervisor' /proc/cpuinfo && echo 1)"
hw service '%d' 'args[0]->pid'
for pid in $out; do
	[ ! -e "/proc/$pid" ] || is "the parent of a service" "$(awk '/^PPid/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" 1
done
# commands that tell the same
if command -v lscpu >/dev/null && lscpu -B -C=NAME,ONE-SIZE >/dev/null 2>&1; then
	for cache in L1d L1i L2 L3; do
		hw processor '%d' "args[0]->$(echo $cache | tr L l)"
		is "$cache" "$(echo "$out" | head -1)" "$(lscpu -B -C=NAME,ONE-SIZE | awk -v c=$cache '$1 == c { n = $2 } END { print n + 0 }')"
	done
	hw processor '%d,%d,%d,%d' 'args[0]->cpu, args[0]->core, args[0]->package, args[0]->node'
	is "topology" "$out" "$(lscpu -p=CPU,CORE,SOCKET,NODE | grep -v '^#')"
	hw cpu '%s %d %d' 'args[0]->vendor, args[0]->physical_bits, args[0]->virtual_bits'
	is "vendor and addresses" "$out" "$(LC_ALL=C lscpu | awk -F ': *' '/^Vendor ID/ { v = $2 } /^Address sizes/ { split($2, a, " ") } END { print v, a[1], a[4] }')"
fi
if command -v lsblk >/dev/null && lsblk -bdnro NAME >/dev/null 2>&1; then
	hw disk-phy '%s %d:%d %d %d %d %d %d' 'args[0]->name, args[0]->major, args[0]->minor, args[0]->bytes, args[0]->sector, args[0]->is_rotational,
		args[0]->is_removable, args[0]->is_readonly'
	is "lsblk" "$(echo "$out" | sort)" "$( (lsblk -abdnro NAME,MAJ:MIN,SIZE,LOG-SEC,ROTA,RM,RO) | grep -v '^sr' | awk 'NF == 6 { $0 = $1 " " $2 " 0 " $3 " " $4 " " $5 " " $6 } { print }' | sort)"
fi
if command -v ip >/dev/null; then
	hw nic '%s %d %d %s %s' 'args[0]->name, args[0]->index, args[0]->mtu, args[0]->ipv4, args[0]->ipv6'
	is "ip addr" "$(echo "$out" | sort)" "$(for nic in /sys/class/net/*; do
		[ ! -d "$nic" ] || ip -o addr show dev "${nic##*/}" | awk -v n="${nic##*/}" -v i="$(cat "$nic/ifindex")" -v m="$(cat "$nic/mtu")" '
			{ sub("/.*", "", $4) } $3 == "inet" && !v4 { v4 = $4 } $3 == "inet6" && !v6 { v6 = $4 } END { print n, i, m, v4, v6 }'; done | sort)"
	hw network '%s' 'args[0]->gateway'
	is "ip route" "$out" "$(ip -4 route show default | awk '/via/ { print $3; exit }')"
fi
hw irq '%d %s' 'args[0]->number, args[0]->affinity'
is "affinity" "$out" "$(for irq in $(awk '$1 ~ /^[0-9]+:$/ { print $1 + 0 }' /proc/interrupts); do echo "$irq $(cat "/proc/irq/$irq/smp_affinity_list" 2>/dev/null)"; done)"
hw disk-log '%s %s %s' 'args[0]->device, args[0]->mount, args[0]->fs'
! command -v findmnt >/dev/null || is "findmnt" "$(echo "$out" | sort)" "$(findmnt -nlo SOURCE,TARGET,FSTYPE | sed 's/\[[^]]*\]//' | awk '$1 ~ "^/dev/" { print $1, $2, $3 }' | sort)"
! command -v systemd-detect-virt >/dev/null || is "a virtual machine" "$(hw virtualization '%d' 1; echo "$out" | head -1)" "$(systemd-detect-virt -q && echo 1)"

for probe in platform code-integrity disk-optical; do
	hw $probe '%d %d' 'arg2, arg3'
	case $out in '' | *'1 0'*) ;; *) fail "$probe: $out" ;; esac
done

# the records are those that the library has, and their texts are strings
for row in cpu:cpu processor:processor disk-phy:disk disk-log:volume disk-optical:disk nic:nic network:network service:service power:power \
	irq:irq pnp:device video:video dpi:screen platform:platform virtualization:virtualization boot:boot code-integrity:integrity; do
	hw "${row%:*}" '%d' "arg1 == sizeof (hw_${row#*:}_record_t) && ((hw_${row#*:}_record_t *)arg0)->missing[127] == 0"
	is "size of $row" "$(echo "$out" | grep -v '^1$')" ""
done
d -qn 'hwconfig:::nic { x = args[0]->name; @[x] = count(); y = strjoin(args[0]->name, args[0]->state); } tick-10ms { exit(0); }'
ends 0 "strings"
is "strings" "$(echo "$out" | awk 'NF { print $1, $2 }' | sort)" "$(for nic in /sys/class/net/*; do echo "${nic##*/} 1"; done | sort)"

# what is not enabled is not read
if command -v strace >/dev/null && strace -f -qq -e trace=open,openat -o "$TMP/opened" "$DTRACE" -qn 'hwconfig:::boot { exit(0); }' >"$TMP/out" 2>&1; then
	like "boot is read" "$(cat "$TMP/opened")" "*/proc/stat*"
	is "nothing else is" "$(grep -oE '"(/sys/(block|class|bus|power|kernel/security)|/proc/(interrupts|cpuinfo|meminfo))[^"]*' "$TMP/opened")" ""
fi

# what is not told
hw platform '%s' 'args[0]->missing'
[ -e /sys/class/dmi/id/sys_vendor ] || like "missing" "$out" "vendor product*"
d -qn 'hwconfig:::telemetry { exit(7); } tick-100ms { exit(0); }'
ends 0 "never"
like "never" "$err" "*hwconfig:::telemetry: nothing tells of it here; it never fires*"
finish
