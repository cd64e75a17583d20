# Addresses that clauses compute from curthread and from arguments: arithmetic on structures that nothing in the
# program has looked into, casts, members by their offsets, elements of arrays; wherever a clause may stand.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# our own thread: no cast needs another expression that has looked into the structure before
begin() { # begin TITLE EXPRESSIONS EXPECTED
	d -qn "BEGIN { $2; exit(0); }"
	ends 0 "$1"
	is "$1" "$out" "$3"
}
begin "a sum" 'printf("%d", ((struct task_struct *)curthread + 0)->pid == tid)' 1
begin "a difference" 'printf("%d", ((struct cred *)10000 + 1) - (struct cred *)10000)' 1
begin "an element" 'printf("%d", ((struct task_struct *)curthread)[0].pid == tid)' 1
begin "a step" 'this->t = (struct task_struct *)curthread; this->t++; this->t -= 1; printf("%d", this->t->pid == tid)' 1
begin "a text from within" 'printf("%s %s", stringof(&curthread->comm[2]), stringof(curthread->comm + 2))' "race race"
begin "a member by its offset" 'printf("%d", *(int *)((char *)curthread + offsetof(struct task_struct, pid)) == tid)' 1
begin "the structure around a member" 'this->p = (struct task_struct *)((char *)&curthread->tasks -
	offsetof(struct task_struct, tasks)); printf("%d", this->p == curthread && this->p->pid == tid)' 1
begin "a pointer to a member" 'this->p = &curthread->pid; printf("%d %d", *this->p == tid, *(this->p + 1) == pid)' "1 1"
begin "an array of pointers" 'printf("%s", stringof(((struct file **)curthread->files->fdt->fd)[0]->f_path.dentry->d_name.name))' null
d -qn 'tick-10ms { printf("%d %s %d", *(int *)((char *)curthread + offsetof(struct task_struct, tgid)) == pid,
	stringof(&curthread->comm[2]), ((struct task_struct *)curthread + 1 - 1)->tgid == pid); exit(0); }'
is "tick" "$out" "1 race 1"

# of threads that are gone when the clause runs
gone=away$$
cp /bin/true "$TMP/$gone"
loop="sh -c 'i=0; while [ \$i -lt 20 ]; do $TMP/$gone; i=\$((i+1)); done'"
table() { # table TITLE CLAUSE EXPECTED
	d -qn "$2 ERROR { @faults = count(); } END { printa(\"%s %d %@d\n\", @); printa(\"faults %@d\n\", @faults); }" -c "$loop"
	ends 0 "$1"
	is "$1" "$out" "$3"
	is "$1: says nothing" "$err" ""
}
text=${gone#??}
at='*(int *)((char *)curthread + offsetof(struct task_struct, pid)) == tid'
table "a call: by offset alone" 'syscall::exit_group:entry /execname == "'$gone'"/ { @["", '"$at"'] = count(); }' " 1 20"
table "a call" 'syscall::exit_group:entry /execname == "'$gone'"/ { @[stringof(&curthread->comm[2]),
	((struct task_struct *)curthread + 0)->pid == tid && '"$at"'] = count(); }' "$text 1 20"
table "a call: the end of a predicate" 'syscall::exit_group:entry /execname == "'$gone'" && '"$at"' &&
	((struct task_struct *)curthread + 0)->cred->uid.val == uid/ { @["in", 1] = count(); }' "in 1 20"
table "proc" 'proc:::exit /execname == "'$gone'"/ { @[stringof(&curthread->comm[2]),
	((struct task_struct *)curthread + 0)->pid == tid && '"$at"'] = count(); }' "$text 1 20"
table "the first task" 'rawtp:sched::sched_process_exit /((struct task_struct *)arg0)->pid == tid && execname == "'$gone'"/ {
	@[stringof(((struct task_struct *)arg0)->comm + 2), ((struct task_struct *)arg0 + 0)->tgid == pid] = count(); }' "$text 1 20"
d -qn 'sched:::off-cpu /execname == "'$gone'"/ { @[curthread->comm[0], stringof(curthread->comm + 2),
	*(int *)((char *)curthread + offsetof(struct task_struct, pid)) == tid] = min(1); }
	ERROR { @faults = count(); } END { printa("%c %s %d\n", @); printa("faults %@d\n", @faults); }' -c "$loop"
is "sched" "$out" "a $text 1"

# an argument that is no pointer by its type
if command -v perl >/dev/null; then
d -qn 'rawtp:sock::inet_sock_set_state /pid == $target/ { this->s = (struct sock *)arg0; @[this->s->__sk_common.skc_family,
	((struct sock *)arg0)->sk_protocol, ((struct inet_sock *)arg0)->sk.sk_type, ((struct sock *)arg0 + 0)->sk_protocol] = min(1); }
	END { printa("%d %d %d %d\n", @); }' -c "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(q(127.0.0.1:1))'"
is "a socket" "$out" "2 6 1 6"
fi

# files by their number, of the process that writes
d -qn 'syscall::write:entry /pid == $target && arg0 == 1/ { printf("%s %s\n",
	stringof(((struct file **)curthread->files->fdt->fd)[1]->f_path.dentry->d_name.name),
	stringof(((struct file **)curthread->files->fdt->fd + 1)[0]->f_path.dentry->d_name.name)); }' \
	-c "dd if=/dev/zero of=$TMP/data bs=64 count=1 status=none"
is "a file" "$out" "data data"

# what cannot be told beforehand is read later, when the thread may be gone: then the message says so
d -qn 'syscall::exit_group:entry /execname == "'$gone'"/ { this->o = pid - pid; trace((curthread + this->o)->pid); }' -c "$loop"
like "a reason" "$err" "*invalid address (0x*) in action #2 at DIF offset *: the thread had ended, or executed another program, before this was read*"
finish
