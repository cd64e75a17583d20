# Work that the kernel puts off, and interrupts: as often as a program makes them, with the names of their routines.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

name() { # name FUNCTION: its address in D, or one that nothing has, where the kernel has no such
	if grep -q " $1\$" /proc/kallsyms; then echo "(uint64_t)&\`$1"; else echo 1; fi
}

calls=
if [ -d /sys/kernel/tracing/events/csd ]; then
	calls='sdt:csd::csd_function_entry /args[0] == (void *)'"$(name ipi_mb)"'/ { @p["perf called"] = count(); }'
fi
d -qn 'dpc:::dpc, dpc:::thread /pid == $target && args[2] == 3/ { @n["packets seen", func(args[1])] = count(); }
	dpc:::timer /args[1] == '"$(name hrtimer_wakeup)"'/ { @s["sleeps seen"] = count(); }
	dpc:::, isr::: { @t[probename, arg0 && arg0 <= timestamp ? "in time" : "out of time"] = count(); }
	dpc:::, isr::: /!arg1/ { @u["no routine", probename] = count(); }
	isr:::isr /args[1] == '"$(name ipi_mb)"' && args[2] == 1 && args[3] >= 32/ { @v["called"] = count(); }
	'"$calls" \
	-Z -c "$TARGETS/interrupts"
ends 0 "dpc and isr"
n() { # n WORDS...: the number behind them
	echo "$out" | awk -v w="$*" '{ line = $0; gsub(/^ +/, "", line); gsub(/ +/, " ", line) } index(line, w " ") == 1 { print $NF; exit }'
}
like "packets" "$out" '*packets seen *net_rx_action* *'
[ "$(n packets seen)" -ge "$(n packets)" ] || fail "packets: $(n packets seen) of $(n packets)"
[ "$(n sleeps seen)" -ge "$(n sleeps)" ] || fail "sleeps: $(n sleeps seen) of $(n sleeps)"
like "times" "$out" "*in time*"
is "times that cannot be" "$(echo "$out" | grep -c 'out of time')" 0
is "routines that are not known" "$(echo "$out" | grep -c 'no routine')" 0
if [ "$(n calls)" -gt 0 ] && [ -n "$(n perf called)" ]; then
	is "calls of another CPU" "$(n called)" "$(n perf called)"
	[ "$(n called)" -gt 0 ] || fail "no calls of another CPU"
fi

# All of them, between the kernel's own numbers as the program finds them before and after its work, and those around the
# whole run: of each softirq, of the CPUs' own interrupts, of devices.
numbers() { # numbers FILE
	awk 'NR > 1 { n = 0; for (i = 2; i <= NF; i++) n += $i; print "softirq" NR - 2, n }' /proc/softirqs >"$1"
	awk 'NR == 1 { cpus = NF; next } { n = 0; for (i = 2; i <= cpus + 1; i++) n += $i }
		/^ *[0-9]+:/ { device += n } /^ *(LOC|IWI|RES|CAL):/ { own += n } END { print "own", own; print "device", device }' \
		/proc/interrupts >>"$1"
	awk '$1 == "ctxt" { print }' /proc/stat >>"$1"
}
{
	sed -n '/^numbers() {/,/^}/p' "$0"
	echo "numbers $TMP/in1"
	echo "$TARGETS/interrupts"
	echo "dd if=/dev/zero of=$TMP/data bs=64k count=16 conv=fsync 2>/dev/null"
	echo "numbers $TMP/in2"
} >"$TMP/work"
numbers "$TMP/out1"
d -qn 'dpc:::dpc, dpc:::thread /args[2] >= 0/ { @["softirq", args[2]] = count(); }
	isr:::isr { @i[args[3] >= 128 ? "own" : "device"] = count(); } sysinfo:::intr { @s["intr"] = sum(arg0); }
	sysinfo:::pswitch { @c["ctxt"] = sum(arg0); }' -c "sh $TMP/work"
ends 0 "all"
numbers "$TMP/out2"
grew() { # grew FILE NAME: from FILE1 to FILE2
	cat "${1}1" "${1}2" | awk -v n="$2" '$1 == n { d = $2 - last; last = $2 } END { print d + 0 }'
}
cpus=$(getconf _NPROCESSORS_ONLN)
between() { # between NAME SEEN: what began before all of it may end within it, on each CPU
	least=$(grew "$TMP/in" "$1") most=$(($(grew "$TMP/out" "$1") + cpus))
	[ "$least" -le "${2:-0}" ] && [ "${2:-0}" -le $most ] || fail "$1: ${2:-0}, the kernel says $least to $most"
}
for i in 0 1 2 3 4 5 6 7 8 9; do
	between softirq$i "$(n softirq $i)"
done
between own "$(n own)"
between device "$(n device)"
between ctxt "$(n ctxt)"
least=$(($(grew "$TMP/in" own) + $(grew "$TMP/in" device)))
[ "$(n intr)" -ge $least ] || fail "intr: $(n intr), the kernel says at least $least"
[ "$(grew "$TMP/in" softirq3)" -ge "$(n packets)" ] || fail "the kernel says that no packet came: $(cat "$TMP/in2")"

# what a work queue does for a file that is written
d -qn 'dpc:::thread /args[2] == -1/ { @[func(args[1])] = count(); }' -c "dd if=/dev/zero of=$TMP/data bs=64k count=16 oflag=dsync"
ends 0 "work queues"
like "works" "$out" '*vmlinux`*'
finish
