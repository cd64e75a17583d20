# Where no program may be loaded into the kernel, the scheduler is seen by tracepoints: the same numbers.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need setpriv
without_bpf
keep_cpus_awake

sleeps() {
	rm -f "$TMP/ours"
	d -qo "$TMP/ours" -n 'BEGIN { kid = 0; } sched:::wakeup /!kid && args[1]->pr_ppid == $target/ { kid = args[1]->pr_pid; }
	syscall::read:entry /kid && pid == kid/ { kid = -1; }
	sched:::sleep, sched:::preempt /kid && pid == kid/ { @[probename] = count(); }' -c "$TARGETS/switches 50"
	ends 0 "tracepoints"
	[ "$(counts "$TMP/ours" | grep sleep)" = "$(echo "$out" | grep sleep)" ]
}
until sleeps || ! again; do :; done
is "sleeps" "$(counts "$TMP/ours" | grep sleep)" "$(echo "$out" | grep sleep)"

tries=0
on_and_off() {
	d -qn 'sched:::wakeup /args[1]->pr_ppid == $target/ { kid = args[1]->pr_pid; }
	sched:::on-cpu /kid && pid == kid/ { self->on = 1; @on = count(); }
	sched:::off-cpu /self->on/ { self->on = 0; @both = count(); }
	END { printa("%@d %@d\n", @on, @both); }' -c "$TARGETS/switches 20"
	last=$(printf '%s\n' "$out" | grep '[0-9] [0-9]*$' | tail -1)
	[ "${last#* }" = "${last% *}" ] && [ "${last% *}" -gt 19 ]
}
until on_and_off || ! again; do :; done
is "on and off" "${last#* }" "${last% *}"
[ "${last% *}" -gt 19 ] || fail "on and off: $last"

d -qn 'sched:::wakeup /args[1]->pr_fname == "switches" && args[1]->pr_ppid == $target/
	{ @[args[0]->pr_pri >= 100] = count(); }' -c "$TARGETS/switches 20"
like "who is woken" "$out" "* 1 *[12][0-9]*"
is "no errors" "$(echo "$err" | grep -v 'unrecorded event\|members .* are empty\|is incomplete: ')" ""
# the arguments are known of one that is still there when we look
"$TARGETS/switches" 1000000 >"$TMP/sleeper" &
sleeper=$!
d -qn 'sched:::wakeup /args[1]->pr_ppid == $1/ { printf("%s\n", args[1]->pr_psargs); exit(0); } tick-20s { exit(1); }' "$sleeper"
kill $(cat /proc/$sleeper/task/*/children) $sleeper
wait $sleeper 2>/dev/null
like "its arguments" "$out" "*switches 1000000"
d -qn 'sched:::off-cpu /execname == "switches"/ { @[stack()] = count(); }' -c "$TARGETS/switches 20"
like "where it sleeps" "$out" '*`do_nanosleep+0x*'
d -qn 'sched:::tick /++n > 10/ { printf("ticks"); exit(0); } tick-20s { exit(1); }'
is "tick" "$out" "ticks"
d -qn 'sched:::enqueue /args[1]->pr_fname == "switches"/ { @e = count(); } sched:::dequeue /args[1]->pr_fname == "switches"/ { @d = count(); }
	END { printa("%@d %@d\n", @e, @d); }' -c "$TARGETS/switches 10"
like "enqueue, dequeue" "$out" "*[1-9]* [1-9]*"

# what is missing is said
d -n 'sched:::wakeup { trace(args[1]->pr_addr); exit(0); }'
like "members" "$err" "*probe description sched:::wakeup: needs CAP_BPF and CAP_PERFMON; running without in-kernel programs, so args\[\] members *pr_addr* are empty*"
d -n 'sched:::change-pri { }'
ends 1 "priorities"
like "priorities" "$err" "*probe description sched:::change-pri: needs CAP_BPF*"
finish
