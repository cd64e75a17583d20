# sdt:SYSTEM::EVENT: every tracepoint is listed, and its fields are typed arguments; one event of each of ten systems, as
# often and with the values that the program that makes it says.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
keep_cpus_awake
tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || tracefs=/sys/kernel/debug/tracing
"$DTRACE" -ln sdt::: 2>/dev/null | awk 'NR > 1 { print $3 "/" $4 }' | sort >"$TMP/ours"
(cd $tracefs/events && ls -d */*/ | sed 's,/$,,' | grep -v ^ftrace/ | sort) >"$TMP/theirs"
is "the list" "$(diff "$TMP/ours" "$TMP/theirs" | head -5)" ""

n() { # n WORDS...: the number behind them; 0: there are none
	echo "$out" | awk -v w="$*" '{ line = $0; gsub(/^ +/, "", line); gsub(/ +/, " ", line) }
		index(line, w " ") == 1 { n = $NF } END { print n + 0 }'
}
# run D COMMAND: again, if the kernel has hidden events
run() {
	tries=0
	d -qn "$1" -c "$2"
	while again; do d -qn "$1" -c "$2"; done
	ends 0 "$2"
}

# exceptions: unsigned long; syscalls: an int; raw_syscalls: an element of an array; task: a short, a long of flags
run 'sdt:exceptions::page_fault_user /pid == $target && args[0] >= 0x610000000000 && args[0] < 0x610000040000/ { @["pages"] = count(); }' \
	"$TARGETS/faults $TMP/data"
is "exceptions" "$(n pages)" 64
run 'sdt:syscalls::sys_enter_getppid /pid == $target && args[0] == 110/ { @["by name"] = count(); }
	sdt:raw_syscalls::sys_enter /pid == $target && args[0] == 110/ { @["by number"] = count(); }' "$TARGETS/calls 3000"
[ "$(n by name)" -ge 3000 ] || fail "syscalls: $out $err"
is "raw_syscalls" "$(n by number)" "$(n by name)"
run 'sdt:raw_syscalls::sys_enter /pid == $target && args[0] == 1 && args[1][0] == 1/ { @["bytes"] = sum(args[1][2]); }' "sh -c 'echo 1234567'"
is "an element of an array" "$(n bytes)" 8

# task: text, flags; signal: several ints, a text that a predicate compares; sched (by its other spelling): text of any length
run 'sdt:task::task_newtask /pid == $target && stringof(args[1]) == "sh" && !(args[2] & 0x10000)/ { @["made"] = count(); }
	sdt::sched:sched_process_exec /ppid == $target/ { @r["run", stringof(args[0])] = count(); }
	sdt:signal::signal_generate /pid == $target && args[0] == 10/ { @s["sent", stringof(args[3]), args[1], args[2], args[4] == pid] = count(); }' \
	"sh -c 'trap : USR1; kill -USR1 \$\$; kill -USR1 \$\$; /bin/true; /bin/true; /bin/echo >/dev/null; :'"
is "task" "$(n made)" 3
is "sched" "$(n run /bin/true) $(n run /bin/echo)" "2 1"
is "signal" "$(n sent sh 0 0 1)" 2

# net, irq, timer: what a program does by itself; args[0] of a softirq is its number, that of a timer an address
run 'sdt:net::netif_rx /pid == $target && stringof(args[2]) == "lo"/ { @["received"] = count(); }
	sdt:irq::softirq_entry /pid == $target && args[0] == 3/ { @["softirqs"] = count(); }
	sdt:timer::hrtimer_start /pid == $target && args[1] == (void *)'"$(sed -n 's/^\([0-9a-f]*\) . hrtimer_wakeup$/0x\1/p' /proc/kallsyms)"'/
	{ @["timers"] = count(); }' "$TARGETS/interrupts"
is "net" "$(n received)" "$(n packets)"
[ "$(n softirqs)" -ge "$(n packets)" ] || fail "irq: $(n softirqs) of $(n packets)"
[ "$(n timers)" -ge "$(n sleeps)" ] || fail "timer: $(n timers) of $(n sleeps)"

# kmem: size_t; block: a text of flags, unsigned int; workqueue: a function by its name
case $(df --output=source "$TMP" | tail -1) in
/dev/*)
	run 'sdt:block::block_rq_issue /pid == $target && strchr(stringof(args[5]), 82) != NULL && args[2] == 8/ { @["requests"] = count(); }
	sdt:kmem::kmalloc /pid == $target && args[3] < args[2]/ { @["too small"] = count(); }
	sdt:kmem::kmalloc /pid == $target/ { @["kmalloc"] = count(); }
	sdt:workqueue::workqueue_execute_start { @w["work", func((uintptr_t)args[1])] = count(); }' "$TARGETS/sysnumbers direct $TMP/data"
	[ "$(n requests)" -ge "$(n read)" ] || fail "block: $(n requests) of $(n read): $out $err"
	is "kmem" "$(n too small) $([ "$(n kmalloc)" -gt 0 ] && echo some)" "0 some"
	like "workqueue" "$out" '*work *vmlinux`*'
	;;
esac

# what is not there, and what cannot be
d -n 'sdt:sched::no_such_event { }'
ends 1 "no event"
like "no event" "$err" "*probe description sdt:sched::no_such_event does not match any probes*"
d -n 'sdt:no_such_system::sched_switch { }'
ends 1 "no system"
like "no system" "$err" "*probe description sdt:no_such_system::sched_switch does not match any probes*"
d -n 'sdt:sched::sched_switch { trace(args[40]); }'
ends 1 "an argument too many"
like "an argument too many" "$err" "*index 40 is out of range for sdt:sched::sched_switch args*"
# an event that a record itself passes makes none, for nobody; the others of its system do
if [ -e /sys/kernel/tracing/events/irq_vectors/irq_work_exit ]; then
	d -qn 'sdt:irq_vectors::irq_work_exit { printf("fired\n"); } sdt:irq_vectors::local_timer_entry { printf("others\n"); exit(0); }'
	ends 0 "an event without records"
	like "an event without records" "$err" "*the kernel makes no records of irq_vectors:irq_work_exit: *; its probes never fire*"
	is "the others" "$(grep . "$TMP/out" | sort -u)" others
fi
finish
