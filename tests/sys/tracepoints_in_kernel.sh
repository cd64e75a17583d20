# Clauses on tracepoints that compute and aggregate run whole in the kernel, with fields, texts, arrays and variables: the same results as of records, and nothing is lost.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
keyed=$TARGETS/keyed
case $(uname -r) in
[1-5].* | 6.[0-6].* | 6.[0-6]-*)
	# programs that read records are not counted there; of those that have none it is known
	d -x explain -n 'linux-syscalls:::sys_enter_lseek { @[arg0] = count(); } linux-task:::task_rename { n++; @b[args[0]->newcomm] = count(); } BEGIN { exit(0); }'
	like "a kernel that does not count what it misses" "$err" "*makes records: this kernel does not count the events*makes records: this kernel does not count the events*"
	raw='self int k; int n; linux-raw_syscalls:::sys_enter /pid == $target/ { n++; self->k++; } linux-raw_syscalls:::sys_exit /pid == $target && self->k/ { @["pairs", execname, probename] = count(); self->k = 0; }
		linux-task:::task_rename /pid == $target/ { r[tid]++; @r["renamed", arg0 > 0, arg1] = max(r[tid]); }'
	for claim in on off; do
		d -qo "$TMP/raw.$claim" -x claim=$claim -n "$raw" -c "$keyed 300"
		ends 0 "without records, claim=$claim"
		is "without records, claim=$claim: nothing is said" "$err" ""
	done
	is "without records" "$(cat "$TMP/raw.on")" "$(cat "$TMP/raw.off")"
	d -vo "$TMP/told" -n "$raw" -c "$keyed 300"
	like "without records: in the kernel" "$err" "*run in the kernel: 3 clauses of *"
	finish
	exit
	;;
esac

# both WHAT CLAUSES SCRIPT: so many run in the kernel, without records, and come to what records come to
both() {
	d -q -x claim=off -n "$3" -c "$keyed 300"
	ends 0 "$1, of records"
	plain=$out
	d -v -o "$TMP/kept" -n "$3" -c "$keyed 300"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of *records read: * of perf events, 0 of BPF programs*"
	case $err in *drop*) fail "$1: $err" ;; esac
	d -q -n "$3" -c "$keyed 300"
	ends 0 "$1"
	is "$1" "$out" "$plain"
	[ -n "$plain" ] || fail "$1: nothing was counted"
}

mine='pid == $target'
both "fields as keys, values and predicates" 1 "linux-syscalls:::sys_enter_lseek /$mine && args[0]->whence == 0 && args[0]->offset >= 7/ {
	@[args[0]->offset % 3, args[0]->fd > 2] = count(); @s = sum(args[0]->offset); @q = quantize(args[0]->offset); @l = lquantize(args[0]->offset, 0, 300, 50); @m = max(args[0]->offset); }"
both "fields as args[]" 1 "sdt:syscalls::sys_enter_write /$mine && args[1] > 2/ { @[arg1, args[3] % 7, execname, probename] = count(); @a = avg(args[3]); }"
both "variables of the thread" 2 "linux-syscalls:::sys_enter_write /$mine/ { self->n = args[0]->count + 1; self->t = timestamp; }
	linux-syscalls:::sys_exit_write /self->n/ { @[self->n - 1 == args[0]->ret, timestamp > self->t] = count(); self->n = 0; }"
both "arrays by numbers and names" 2 "int n[string, int]; linux-syscalls:::sys_enter_write /$mine/ { n[execname, args[0]->count] = n[execname, args[0]->count] + 2; }
	linux-syscalls:::sys_exit_write /n[execname, args[0]->ret]/ { @[n[execname, args[0]->ret] % 2, uid, gid] = count(); }"
both "globals, for END" 1 "int far; linux-syscalls:::sys_enter_lseek /$mine/ { n++; far += args[0]->offset; } END { printf(\"%d %d\", n, far); }"
both "an event that happens with a name" 1 'linux-task:::task_rename /pid == $target && args[0]->newcomm == "renamed"/ { @[args[0]->newcomm, stringof(args[0]->oldcomm), args[0]->oom_score_adj >= -1000] = count(); }'
both "a text that is not that" 1 'linux-task:::task_rename /pid == $target && args[0]->newcomm != "keyed" && args[0]->oldcomm != "rename"/ { @[args[0]->newcomm] = count(); }'
both "stacks" 1 "linux-task:::task_rename /$mine/ { @[stack(12), args[0]->newcomm] = count(); }"

# whatever they compute
for seed in 1 2 3 4; do
	both "random clauses $seed" 3 "$(python3 tests/sys/random_clauses.py $seed tracepoints)"
done

# as many as the program has made: 3 million events, none of which is lost
d -q -n 'linux-raw_syscalls:::sys_enter /pid == $target/ { self->t = timestamp; @n[args[0]->id] = count(); } linux-raw_syscalls:::sys_exit /self->t/ { @["pairs", timestamp >= self->t] = count(); self->t = 0; }' \
	-c "$TARGETS/calls 1500000"
ends 0 "many"
[ -z "$err" ] || fail "many: $err"
[ "$(awk '$1 == "pairs" && $2 == 1 { print $3 }' "$TMP/out")" -ge 1500000 ] || fail "many: $out"
is "many: none goes back in time" "$(awk '$1 == "pairs" && $2 == 0' "$TMP/out")" ""

# a thread that waits for a CPU, by whom wakes it and who lets it run; a text of one event is a key of another's
cp "$TARGETS/switches" "$TMP/tp$$"
d -qo "$TMP/out" -n 'linux-sched:::sched_waking /args[0]->comm == "tp'$$'"/ { at[args[0]->comm, args[0]->pid] = timestamp; }
	linux-sched:::sched_switch /at[args[0]->next_comm, args[0]->next_pid]/ { @["waited", timestamp > at[args[0]->next_comm, args[0]->next_pid]] = count(); at[args[0]->next_comm, args[0]->next_pid] = 0; }
	linux-sched:::sched_switch /args[0]->prev_comm == "tp'$$'" && args[0]->prev_state/ { @slept = count(); }' -c "$TMP/tp$$ 1000"
ends 0 "a queue"
waited=$(awk '$1 == "waited" && $2 == 1 { print $3 }' "$TMP/out") slept=$(awk 'NF == 1 { print $1 }' "$TMP/out")
# who is woken before it has left its CPU waits for none
[ "$waited" -ge 900 ] && [ "$waited" -le "$slept" ] && [ "$slept" -ge 1000 ] || fail "a queue: waited $waited times, slept $slept times"

# where it runs
d -q -x explain -n 'linux-sched:::sched_switch { @[args[0]->prev_pid] = count(); } BEGIN { exit(0); }'
like "it is told" "$err" "*linux-sched:::sched_switch at line 1: is kept in the kernel*"
d -lv -n 'linux-sched:::sched_switch { @[args[0]->prev_pid] = count(); }'
like "and listed" "$out" "*line 1: is kept in the kernel*"

# what such programs do not know makes records
d -x explain -n 'linux-sched:::sched_process_exec { @[stringof(args[0]->filename)] = count(); } BEGIN { exit(0); }'
like "a text of any length" "$err" "*makes records: a key that is no number and no name of a program*"
d -v -n 'linux-sched:::events { self->x = 1; } BEGIN { exit(0); }'
like "all of a system" "$err" "*makes records: the clause of linux-sched:::events at line 1: it has probes whose programs keep nothing*"
finish
