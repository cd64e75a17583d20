# Every tracepoint of the kernel is a probe: linux-SYSTEM:::EVENT, with its fields by name.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -l -n 'linux-sched:::sched_switch'
ends 0 "one is listed"
like "the list" "$out" "*linux-sched *sched_switch"

d -lv -n 'linux-sched:::sched_process_exec'
like "its type is told" "$out" "*args\[0\]: struct trace_event_raw_sched_process_exec \**"

# the program executes three others: as many events, with the names of their files
d -qn 'linux-sched:::sched_process_exec /ppid == $target/ { printf("%s %s\n", execname, args[0]->filename); }' \
	-c 'sh -c "/bin/true; /bin/echo >/dev/null; /bin/true; :"'
ends 0 "with -c"
is "each exec, in order" "$out" "true /bin/true
echo /bin/echo
true /bin/true"

# the name of a system that ends with a digit is not that of a process
system=$(cd /sys/kernel/tracing/events 2>/dev/null && printf '%s\n' *[0-9] | head -1)
if [ -d "/sys/kernel/tracing/events/$system" ]; then
	event=$(cd "/sys/kernel/tracing/events/$system" && printf '%s\n' */ | head -1)
	d -ln "linux-$system:::${event%/}"
	ends 0 "linux-$system"
	like "linux-$system" "$out" "*linux-$system *${event%/}"
	d -qn "linux-$system:::events { n++; } BEGIN { exit(0); }"
	ends 0 "linux-$system:::events"
fi

# the other spellings
d -qn 'sdt:sched::sched_process_exec /ppid == $target/ { printf("%s %d %d\n", stringof(args[0]), args[1] == pid, args[1] == args[2]); }' \
	-c 'sh -c "/bin/true; :"'
is "sdt:sched::EVENT" "$out" "/bin/true 1 1"
d -qn 'etw:sched:sched_process_exec:generic_event /ppid == $target/ { printf("%d\n", *(uint16_t *)(arg0 + 4) == args[0]->pid ? 1 : 0); x = 1; } END { printf("%d\n", x); }' \
	-c 'sh -c "/bin/true; :"'
is "etw:sched:EVENT:generic_event" "$(echo "$out" | tail -1)" 1

# events: all of a system
d -qn 'linux-task:::events /pid == $target/ { @[arg1 >= 0 ? "n" : ""] = count(); }' -c 'sh -c "/bin/true; :"'
ends 0 "events"
like "some have happened" "$out" "*n *[1-9]*"

d -n 'linux-sched:::no_such_event { }'
ends 1 "one that is not there"
is "is told" "$err" "dtrace: invalid probe specifier linux-sched:::no_such_event { }: probe description linux-sched:::no_such_event does not match any probes: tracepoint sched:no_such_event does not exist on kernel $(uname -r)"

# plain counts are counters of the kernel, with the same numbers as records
for claim in on off; do
	d -x claim=$claim -qn 'linux-syscalls:::sys_enter_getppid { @["calls"] = count(); }' -c "$TARGETS/calls 5000"
	[ "$(awk '$1 == "calls" { print $2 }' "$TMP/out")" -ge 5000 ] || fail "-x claim=$claim: $out $err"
done
d -qn 'linux-syscalls:::sys_enter_getppid { @["calls"] = count(); } tick-10ms { printa("%s %@d\n", @); }' -c "$TARGETS/calls 5000"
ends 0 "a count that is printed while it grows"

# an event with a weight (here nanoseconds) is one event all the same
d -qn 'linux-sched:::sched_stat_runtime { @["weighted"] = count(); } tick-100ms { exit(0); }'
n=$(awk '$1 == "weighted" { print $2 }' "$TMP/out")
[ "${n:-0}" -lt 1000000 ] || fail "$n events in 100 ms"
d -qn 'BEGIN { same = 0; last[0] = timestamp; } linux-sched:::sched_stat_runtime { same += timestamp == last[cpu]; last[cpu] = timestamp; }
	tick-100ms { printf("%d\n", same); exit(0); }'
is "one record each" "$out" 0

# systems that flood
d -n 'linux-kmem:::events { }'
ends 1 "a flood"
is "is refused" "$(echo "$err" | tail -1)" "dtrace: could not enable tracing: probe description linux-kmem:::events: these are more than 100,000 events a second: name the events, give every clause a predicate, or use -x force"
d -qn 'linux-kmem:::events /pid == $target/ { @ = count(); }' -c /bin/true
ends 0 "with a predicate"
d -qn 'linux-rcu:::events { n++; } tick-100ms { exit(0); }' -x force
ends 0 "-x force"

# the state at the start
sleep 30 &
sleeper=$!
d -qn 'linux-task:::capturestate /pid == $1/ { printf("%s %d %d\n", execname, arg0, *(int *)arg2 == pid); } tick-200ms { exit(0); }' $sleeper
kill $sleeper
wait $sleeper 2>/dev/null
is "capturestate" "$out" "sleep 0 1"

# -v tells what there is
d -vn 'linux-sched:::sched_switch { exit(0); }'
like "-v" "$err" "*dtrace: perf_system works*"
d -vn 'BEGIN { exit(0); }'
case $err in *perf_system*) fail "-v without system probes: $err" ;; esac
finish
