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

# what a work queue does for a file that is written
d -qn 'dpc:::thread /args[2] == -1/ { @[func(args[1])] = count(); }' -c "dd if=/dev/zero of=$TMP/data bs=64k count=16 oflag=dsync"
ends 0 "work queues"
like "works" "$out" '*vmlinux`*'
finish
