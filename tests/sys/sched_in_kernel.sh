# Clauses on switches between threads with variables of their own run whole in the kernel: nothing is lost, and they know whose switch it is.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# a name that nobody else's program has, 15 characters at most
name=sw$$
cp "$TARGETS/switches" "$TMP/$name"

# ran WHAT N: so many clauses of the last run did, without records
ran() {
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of sched*records read: * of perf events, 0 of BPF programs*"
	case $err in *drop*) fail "$1: $err" ;; esac
}

# a child of the target says what the kernel has counted of it; later it sleeps once or twice more
"$DTRACE" -vqo "$TMP/out" -n 'sched:::sleep /execname == "'$name'" && pid != $target/ { self->n++; @ = max(self->n); @k[probename, pid == tid] = count(); }' \
	-c "$TMP/$name 2000" >"$TMP/kernel" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
theirs=$(awk '$1 == "sleep" { print $2 }' "$TMP/kernel")
ours=$(awk 'NF == 1 { print $1 }' "$TMP/out")
[ "$ours" -ge "$theirs" ] && [ "$ours" -le $((theirs + 3)) ] || fail "sleeps: ours $ours, the kernel's $theirs"
is "sleeps: counted as well" "$(awk '$1 == "sleep" && $2 == 1 { print $3 }' "$TMP/out")" "$ours"

# each time on a CPU has two ends, and takes some time; a sleep may be over before it has begun
d -v -o "$TMP/out" -n 'sched:::on-cpu /execname == "'$name'"/ { self->on = timestamp; @["on"] = count(); }
	sched:::off-cpu /self->on/ { this->ns = timestamp - self->on; @["off"] = count(); @m["longest is sane", this->ns > 0 && this->ns < 60000000000] = count(); self->on = 0; }' \
	-c "$TMP/$name 1000"
ran "on and off" 2
is "on and off" "$(awk '$1 == "off" { print $2 }' "$TMP/out")" "$(awk '$1 == "on" { print $2 }' "$TMP/out")"
is "time on a CPU" "$(awk '/longest/ && $4 == 0' "$TMP/out")" ""
[ "$(awk '$1 == "on" { print $2 }' "$TMP/out")" -ge 500 ] || fail "on and off: $(cat "$TMP/out")"

# a switch is a sleep or a preemption, unless the thread has ended
d -v -o "$TMP/out" -n 'sched:::off-cpu /execname == "'$name'"/ { self->a = 1; @["off"] = count(); }
	sched:::sleep /self->a/ { self->a = 0; @["why"] = count(); } sched:::preempt /self->a/ { self->a = 0; @["why"] = count(); }' -c "$TMP/$name 500"
ran "off and why" 3
got=$(awk '$1 == "off" { print $2 }' "$TMP/out") why=$(awk '$1 == "why" { print $2 }' "$TMP/out")
[ $((got - why)) -eq 2 ] || fail "off and why: $got, and $why with a reason; two threads have ended"

# the thread that comes is not the one that leaves
d -v -o "$TMP/out" -n 'sched:::off-cpu { t[tid] = tid; } sched:::on-cpu /t[tid]/ { @[t[tid] == tid ? 1 : 0] = count(); t[tid] = 0; } tick-1s { exit(0); }'
ran "an array by threads" 2
is "an array by threads" "$(awk '/^ *[01] +[0-9]+$/ { print $1 }' "$TMP/out")" 1

# a thread comes to a CPU out of a queue, into which it was put before
d -v -o "$TMP/out" -n 'sched:::enqueue { t[args[0]->pr_lwpid, args[1]->pr_pid] = timestamp; @c[args[2]->cpu_id >= 0 && args[2]->cpu_id < 4096] = count(); }
	sched:::on-cpu /execname == "'$name'"/ { @["on"] = count(); }
	sched:::on-cpu /execname == "'$name'" && t[tid, pid]/ { @["waited"] = count(); @m["in vain", timestamp < t[tid, pid]] = count(); t[tid, pid] = 0; }' \
	-c "$TMP/$name 1000"
ran "queues" 3
on=$(awk '$1 == "on" { print $2 }' "$TMP/out") waited=$(awk '$1 == "waited" { print $2 }' "$TMP/out")
[ "$on" -ge 500 ] && [ $((on - waited)) -ge 0 ] && [ $((on - waited)) -le 1 ] || fail "queues: $on times on a CPU, $waited out of a queue"
is "queues: no time is negative" "$(awk '/in vain/ && $3 == 1' "$TMP/out")" ""
is "queues: CPUs" "$(awk '/^ *[01] +[0-9]+$/ { print $1 }' "$TMP/out")" 1

# who is woken, by whom
d -v -o "$TMP/out" -n 'sched:::wakeup /execname == "'$name'"/ { this->who = args[1]->pr_pid; @[this->who == pid, this->who > 0] = count(); }' -c "$TMP/$name 5"
ran "wakeups" 1

# stacks of the kernel: why a thread left its CPU, and again when it comes, which was another's then; there are kernels that do
# not tell of each switch from the idle thread
d -v -o "$TMP/out" -n 'sched:::sleep /execname == "'$name'"/ { self->t = timestamp; @["slept", stack(40)] = count(); }
	sched:::on-cpu /self->t/ { @["came back", stack(40)] = count(); self->t = 0; }' -c "$TMP/$name 500"
ran "stacks" 2
slept=$(awk '/ slept/ { on = 1 } / came back/ { on = 0 } on && /nanosleep/ { is = 1 } on && NF == 1 && /^ *[0-9]+$/ { n += is * $1; is = 0 } END { print n + 0 }' "$TMP/out")
back=$(awk '/ came back/ { on = 1 } / slept/ { on = 0 } on && /nanosleep/ { is = 1 } on && NF == 1 && /^ *[0-9]+$/ { n += is * $1; is = 0 } END { print n + 0 }' "$TMP/out")
[ "$slept" -ge 400 ] && [ "$back" -ge $((slept * 9 / 10)) ] && [ "$back" -le "$slept" ] || fail "stacks: slept $slept times, came back $back times: $(cat "$TMP/out")"

# what such programs do not know makes records
d -v -n 'sched:::on-cpu { self->x = arg0; } sched:::off-cpu /self->x/ { @ = count(); self->x = 0; } tick-100ms { exit(0); }'
like "an argument" "$err" "*makes records: the clause of sched:::on-cpu at line 1: an argument*"
d -v -n 'sched:::tick { self->x = 1; } sched:::off-cpu /self->x/ { @ = count(); self->x = 0; } tick-100ms { exit(0); }'
like "no switch" "$err" "*makes records: the clause of sched:::tick at line 1: it has probes that are no switch and no wakeup*"
d -v -n 'sched:::wakeup { self->x = args[0]->pr_pri; } sched:::off-cpu /self->x/ { @ = count(); self->x = 0; } tick-100ms { exit(0); }'
like "a member" "$err" "*makes records: the clause of sched:::wakeup at line 1: an operation that may fault*"
finish
