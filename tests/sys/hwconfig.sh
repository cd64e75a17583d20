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
