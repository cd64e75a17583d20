# What clauses follow curthread to is read when the event happens: threads that are gone by the time the clause
# runs have their own values, never those of another that has their memory or number by then.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# a name that nobody else's program has, 15 characters at most
gone=gone$$
cp /bin/true "$TMP/$gone"
loop="sh -c 'i=0; while [ \$i -lt 40 ]; do $TMP/$gone; i=\$((i+1)); done'"
table() { # table TITLE CLAUSE EXPECTED: what the clause makes of 40 processes that end at once, and no fault
	d -qn "$2 ERROR { @faults = count(); } END { printa(\"%s %d %@d\n\", @); printa(\"faults %@d\n\", @faults); }" -c "$loop"
	ends 0 "$1"
	is "$1" "$out" "$3"
	is "$1: says nothing" "$err" ""
}

table "a system call" 'syscall::exit_group:entry /execname == "'$gone'"/ { @[stringof(curthread->comm), curthread->pid == tid] = count(); }' \
	"$gone 1 40"
table "proc" 'proc:::exit /execname == "'$gone'"/ { @[stringof(curthread->comm), curthread->pid == tid] = count(); }' "$gone 1 40"
table "in the name of a child" 'proc:::start /curthread->real_parent->tgid == $target/ { @["start", curthread->pid == tid && curthread->tgid == pid] = count(); }' "start 1 40"
table "a chain" 'proc:::exit /execname == "'$gone'"/ { @[stringof(curthread->group_leader->comm),
	curthread->real_parent->tgid == ppid && curthread->real_parent->tgid == $target &&
	curthread->cred->uid.val == uid] = count(); }' "$gone 1 40"
table "a pointer that is asked for first" 'proc:::exec-success /execname == "'$gone'"/ { @["mm", curthread->mm ? curthread->mm->arg_start > 0 : 2] = count(); }' \
	"mm 1 40"
table "in a predicate" 'proc:::exit /curthread->comm == "'$gone'" && curthread->pid == tid/ { @["in", 1] = count(); }' "in 1 40"
table "by numbers of bytes" 'proc:::exit /execname == "'$gone'"/ { @["at", *(int *)((char *)curthread + offsetof(struct task_struct, pid)) == tid &&
	((struct task_struct *)curthread + 0)->tgid == pid && (&curthread->comm[1])[0] == curthread->comm[1]] = count(); }' "at 1 40"
# no program of ours sees these: what their clauses read is kept when a thread ends
table "a tracepoint" 'sdt:sched::sched_process_exit /execname == "'$gone'"/ { @[stringof(curthread->comm), curthread->pid == tid] = count(); }' "$gone 1 40"
table "a chain of a tracepoint" 'linux-syscalls:::sys_exit_mmap /execname == "'$gone'"/ { @["all", curthread->real_parent->tgid == $target && curthread->group_leader->pid == pid] = min(1); }' "all 1 1"
table "in a variable of the clause" 'proc:::exit /execname == "'$gone'"/ { this->t = curthread; this->p = this->t->real_parent;
	@[stringof(this->t->comm), this->p->tgid == $target] = count(); }' "$gone 1 40"

table "files" 'fsinfo:::close /execname == "'$gone'"/ { @["close", curthread->comm == execname && curthread->pid == tid] = min(1); }' "close 1 1"

# who comes to a CPU and who leaves it; a busy machine may lose some, and says so
for try in 1 2 3 4 5; do
	d -qn 'sched:::on-cpu, sched:::off-cpu, sched:::sleep /ppid == $target/ { @[probename, curthread->pid == tid &&
		curthread->tgid == pid] = count(); } ERROR { @["faults", arg1] = count(); } END { printa("%s %d\n", @); }' -c "$loop"
	case $err in *drop*) [ $try -lt 5 ] || skip "the machine is too busy: $err" ;; *) break ;; esac
done
is "whoever it is" "$(echo "$out" | sort)" "off-cpu 1
on-cpu 1
sleep 1"

# requests, whose end interrupts others; a file system that is on no disk has none
cp "$(command -v dd)" "$TMP/r$gone"
d -qn 'io:::start, io:::done /execname == "r'$gone'"/ { @[probename, stringof(curthread->comm) == execname &&
	curthread->pid == tid && curthread->real_parent->tgid == $target] = count(); }
	ERROR { @["faults", arg4] = count(); } END { printa("%s %d\n", @); }' \
	-c "sh -c 'i=0; while [ \$i -lt 20 ]; do $TMP/r$gone if=/dev/zero of=$TMP/data bs=4k count=1 oflag=direct 2>/dev/null; i=\$((i+1)); done'"
[ -z "$out" ] || is "requests of threads that are gone" "$(echo "$out" | sort | grep .)" "done 1
start 1"

# whole, and memory of the process behind it
d -x printsize=64k -qn 'proc:::exit /execname == "'$gone'" && !n++/ { print(*curthread); }' -c "$loop"
like "whole" "$out" 'struct task_struct {*char \[16\] comm = \[ "'$gone'" \]*'
d -qn 'proc:::exec-success /execname == "'$gone'"/ { @[copyinstr(curthread->mm->arg_start)] = count(); } END { printa("%s %@d\n", @); }' -c "$loop"
is "its memory" "$out" "$TMP/$gone 40"

# what cannot be told beforehand is a fault, or right; many processes at once take over memory and numbers
d -qn 'int wrong, n, faults, i; syscall::exit_group:entry /execname == "'$gone'"/ { t[i++ % 3] = curthread; this->k = (i * 7) % 3;
	wrong += t[this->k] && t[this->k] == curthread && t[this->k]->pid != tid; this->o = pid - pid;
	wrong += (curthread + this->o)->pid != tid; n++; }
	tick-1ms /t[0]/ { this->c = stringof(t[0]->comm); wrong += this->c != "'$gone'"; }
	ERROR { faults++; } END { printf("%d %d\n", wrong, n + faults >= 200); }' \
	-c "sh -c 'i=0; while [ \$i -lt 100 ]; do $TMP/$gone & $TMP/$gone; wait; i=\$((i+1)); done'"
like "never another's" "$out" "0 1"
# the thread of a CPU that has nothing to do has no number
d -qn 'profile-97 /pid == 0/ { @[substr(stringof(curthread->comm), 0, 8), curthread->pid] = count(); exit(0); } ERROR { @["fault", arg4] = count(); } tick-30s { @["busy", 0] = count(); exit(0); }'
ends 0 "an idle CPU"
case $out in
*busy*) ;;
*) is "an idle CPU" "$(echo $out | cut -d' ' -f1,2)" "swapper/ 0" ;;
esac
finish
