# What the scheduler does to a process, as the kernel itself has counted it.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# a child of the target: it is none of ours, so no stop of ours is among its switches; until it reads the kernel's numbers
"$DTRACE" -qo "$TMP/out" -n 'BEGIN { kid = 0; } sched:::wakeup /!kid && args[1]->pr_ppid == $target/ { kid = args[1]->pr_pid; }
	syscall::read:entry /kid && pid == kid/ { kid = -1; }
	sched:::sleep, sched:::preempt /kid && pid == kid/ { @[probename] = count(); }' -c "$TARGETS/switches 50" >"$TMP/kernel" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
is "sleeps" "$(counts "$TMP/out" | grep sleep)" "$(grep sleep "$TMP/kernel")"
ours=$(awk '$1 == "preempt" { print $2 }' "$TMP/out")
theirs=$(awk '$1 == "preempt" { print $2 }' "$TMP/kernel")
# it may be preempted between the call and the number
[ "${ours:-0}" -ge $((theirs - 1)) ] && [ "${ours:-0}" -le $((theirs + 3)) ] || fail "preempt: ours ${ours:-0}, the kernel's $theirs"

# each time on a CPU has two ends, in this order
d -qn 'sched:::wakeup /args[1]->pr_ppid == $target/ { kid = args[1]->pr_pid; }
	sched:::on-cpu /kid && pid == kid/ { self->on = 1; @on = count(); }
	sched:::off-cpu /self->on/ { self->on = 0; @both = count(); }
	END { printa("%@d %@d\n", @on, @both); }' -c "$TARGETS/switches 20"
ends 0 "on and off"
last=$(printf '%s\n' "$out" | grep '[0-9] [0-9]*$' | tail -1)
is "on and off" "${last#* }" "${last% *}"
[ "${last% *}" -gt 19 ] || fail "on and off: $last"

# of one process alone, which the kernel sees to
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -c 'import time
while True: time.sleep(.001)' &
sleeper=$!
d -qn 'BEGIN { on = 0; off = 0; } sched:::on-cpu /pid == $1/ { on++; @[execname] = count(); } sched:::off-cpu /pid == $1/ { off++; @[execname] = count(); }
	sched:::off-cpu /pid == $1 && off > 20/ { exit(0); } END { printf("%d\n", on - off < 2 && off - on < 2); printa("%s\n", @); }' $sleeper
kill $sleeper
wait $sleeper 2>/dev/null
like "one process" "$out" "1
python*"

# who is woken, out of which call
d -qn 'sched:::wakeup /args[1]->pr_fname == "switches" && args[1]->pr_ppid == $target/
	{ @[args[0]->pr_syscall, args[0]->pr_sname, args[1]->pr_psargs] = count(); }' -c "$TARGETS/switches 20"
like "wakeup" "$out" "*230  *82  *switches 20 *[12][0-9]*"

# a thread with a name of its own
cat >"$TMP/named.py" <<'END'
import ctypes, threading, time
def named():
    ctypes.CDLL(None).prctl(15, b"worker", 0, 0, 0)
    for i in range(20):
        time.sleep(0.002)
thread = threading.Thread(target=named)
thread.start()
thread.join()
END
d -qn 'sched:::wakeup /args[1]->pr_pid == $target/ { @[args[0]->pr_tname] = count(); }' -c "$python $TMP/named.py"
like "names of threads" "$out" "*worker *"

d -qn 'sched:::change-pri /args[1]->pr_ppid == $target || pid == $target/ { printf("pri %d nice %d\n", args[2], args[0]->pr_nice); }' \
	-c "nice -n 5 true"
nice=$(nice -n 5 nice) # on top of what the tests run with
like "change-pri" "$out" "*pri $((120 + nice)) nice $nice*"
# of a whole process group: each of its threads
setsid sh -c 'sleep 60 & sleep 60 & echo $$ >"$0"; wait' "$TMP/group" &
until [ -s "$TMP/group" ]; do :; done
read -r group <"$TMP/group"
d -qn 'sched:::change-pri /args[1]->pr_pgid == $1/ { printf("pri %d nice %d by %s\n", args[2], args[0]->pr_nice, execname); }' \
	-c "renice -n $((nice + 3)) -g $group" "$group"
kill -- "-$group"
wait
is "change-pri of a group" "$(echo "$out" | grep -c "pri $((123 + nice)) nice $((nice + 3)) by renice")" 3
d -qn 'sched:::tick /++n > 10/ { printf("ticks"); exit(0); } tick-20s { exit(1); }'
is "tick" "$out" "ticks"
d -n 'sched:::remain-cpu, BEGIN { exit(0); }'
like "remain-cpu" "$err" "*sched:::remain-cpu: this kernel has no such event; it never fires*"
d -qn 'sched:::enqueue /args[1]->pr_fname == "switches"/ { @e = count(); } sched:::dequeue /args[1]->pr_fname == "switches"/ { @d = count(); }
	END { printa("%@d %@d\n", @e, @d); }' -c "$TARGETS/switches 10"
like "enqueue, dequeue" "$out" "*[1-9]* [1-9]*"
# of a process that ends right behind it, too
n=0
while [ $n -lt 5 ]; do
	d -qn 'sched:::change-pri /args[1]->pr_pid == $target/ { printf("%s %d\n", args[1]->pr_psargs, args[2]); }' \
		-c "sh -c 'renice -n $((nice + 2)) -p \$\$ >/dev/null; :'"
	like "change-pri of one that ends" "$out" "sh* $((122 + nice))"
	n=$((n + 1))
done
finish
