# What predicates ask for is asked where events happen: the same results, and nothing else comes.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

one=$TMP/one$$ two=$TMP/two$$ work=$TMP/work$$ # names that nobody else has
cp /bin/cat "$one" && cp /bin/cat "$two"
one_name=$(basename "$one") work_name=$(basename "$work")
cat >"$work" <<END
#!/bin/sh
for n in 1 2 3 4 5; do "$one" /etc/hostname; "$two" /etc/hostname /nonexistent$$; done >/dev/null 2>&1
END
chmod +x "$work"

# is_filtered WHAT ASKED DESCRIPTION PREDICATE ACTION: the kernel asks for ASKED, and the result is that of a predicate
# of which nobody can tell anything; it is left in $plain
is_filtered() {
	d -qn "int zero; $3 /($4) + zero/ { n++; $5 } END { printf(\"%d\n\", n); }" -c "$work"
	ends 0 "$1, decided by clauses"
	plain=$out
	d -qn "int zero; $3 /$4/ { n++; $5 } END { printf(\"%d\n\", n); }" -c "$work"
	ends 0 "$1"
	is "$1" "$out" "$plain"
	# what is left to the kernel as a whole needs no filter
	d -v -x claim=off -n "int zero; $3 /$4/ { n++; $5 }" -c "$work"
	like "$1: is filtered in the kernel" "$err" "*filtered in the kernel: * of *: $2
*"
}

# nothing_else_comes SOURCE: after is_filtered: as many records as the clause has fired
nothing_else_comes() {
	is "records of $1" "$(sed -n "s/.*records read: .*\<\([0-9]*\) of $1.*/\1/p" "$TMP/err")" "$(echo "$plain" | head -1)"
}

# ---- tracepoints: fields of their records
is_filtered "a dynamic text" "filename == \"$one\"" linux-sched:::sched_process_exec \
	"args[0]->filename == \"$one\"" '@[execname] = count();'
nothing_else_comes "perf events"
is "the program is executed as often" "$(echo "$plain" | head -1)" 5
is_filtered "a text of fixed length, with what only the clause knows" "comm == \"$one_name\"" \
	linux-sched:::sched_process_exit "zero == 0 && args[0]->comm == \"$one_name\"" '@[args[0]->comm] = count();'
nothing_else_comes "perf events"
is_filtered "a text, and bits" "comm == \"$work_name\" && !(clone_flags & 65536)" linux-task:::task_newtask \
	"args[0]->comm == \"$work_name\" && !(args[0]->clone_flags & 0x10000)" '@[execname] = count();'
nothing_else_comes "perf events"
is_filtered "signed numbers" "ret < 0 && id == 257" linux-raw_syscalls:::sys_exit \
	"args[0]->ret < 0 && args[0]->id == 257 && execname == \"$(basename "$two")\"" '@[args[0]->ret] = count();'
is_filtered "one of several" "dfd == 4294967196 && (flags & 577 || mode > 5)" linux-syscalls:::sys_enter_openat \
	"args[0]->dfd == 4294967196 && (args[0]->flags & 0x241 || args[0]->mode > 5) && execname == \"$work_name\"" ''

# what the kernel would compare otherwise is asked by the clauses alone
d -v -n 'linux-sched:::sched_switch /args[0]->prev_pid == 0x100000003/ { } BEGIN { exit(0); }'
like "a number that the field cannot have" "$err" "*matched*"
case $err in *"filtered in the kernel"*) fail "a number that the field cannot have: $err" ;; esac

# counted by a counter of the kernel
d -v -n "linux-sched:::sched_process_exit /args[0]->comm == \"$one_name\"/ { @ = count(); }" -c "$work"
is "counted: $err" "$(awk 'NF == 1 { print $1 }' "$TMP/out" | tail -1)" 5
like "counted" "$err" "*records read: 0 of perf events*"

# ---- what BPF programs know
"$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *works' || finish
is_filtered "the name of the process" "execname == \"$one_name\"" syscall:::entry "execname == \"$one_name\"" \
	'@[probefunc] = count(); trace(0);'
is_filtered "two names" "execname == \"$one_name\" || execname == \"$work_name\"" proc:::exec-success \
	"execname == \"$one_name\" || execname == \"$work_name\"" ''
nothing_else_comes "BPF programs"
is_filtered "an argument and the user" "uid == $(id -u) && (arg0 == 3 && execname == \"$one_name\")" syscall::read:entry \
	"uid == $(id -u) && arg0 == 3 && execname == \"$one_name\" && zero == 0" '@[arg2] = count();'
is_filtered "what fails" "errno == 2 && execname == \"$(basename "$two")\"" syscall::openat:return \
	"errno == 2 && execname == \"$(basename "$two")\" && zero == 0" '@[arg0] = count();'

# a process is its user's of the moment
if [ -x /usr/bin/python3 ]; then
	for claim in on off; do
		d -x claim=$claim -qn 'syscall::getppid:entry /uid == 65534/ { @["after"] = count(); } syscall::getppid:entry /uid != 65534/ { @["before"] = count(); }' \
			-c "/usr/bin/python3 -c 'import os; [os.getppid() for i in range(3)]; os.setuid(65534); [os.getppid() for i in range(7)]'"
		is "uid before and after setuid()" "$(counts "$TMP/out" | tr '\n' ' ')" "after 7 before 3 "
	done
fi

# counted where it happens, with a predicate, too
for predicate in "execname == \"$one_name\"" "execname != \"$one_name\"" 'probefunc != "read"' 'arg2 == 131072 || arg0 < 2'; do
	d -qn "syscall:::entry /$predicate/ { @[probefunc] = count(); }" -c "$work"
	counted=$(counts "$TMP/out")
	d -x claim=off -qn "syscall:::entry /$predicate/ { @[probefunc] = count(); }" -c "$work"
	is "counted and recorded: $predicate" "$counted" "$(counts "$TMP/out")"
	d -v -n "syscall:::entry /$predicate/ { @[probefunc] = count(); }" -c "$work"
	like "no records: $predicate" "$err" "*records read: 0 of perf events, 0 of BPF programs*"
done

nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
d -qn 'proc:::exit /ppid == $target/ { @[uid, gid] = count(); }
	END { printa("exit %d %d %@d\n", @); }' -c "sh -c '$nobody true; /bin/true; $nobody true; /bin/true; exec 9>&-; exit 0'"
is "users and groups after setuid()" "$(echo "$out" | sort | grep .)" "exit 0 0 2
exit 65534 65534 2"

# threads of the kernel are called here as /proc calls them, which is longer than what the kernel calls them
d -qn 'sched:::on-cpu /execname != "rcu_preempt"/ { @[execname == "rcu_preempt"] = count(); } tick-200ms { exit(0); }'
is "never the name that is left out" "$(awk '$1 == 1' "$TMP/out")" ""

# the program that is made for a raw tracepoint
d -qn 'rawtp:raw_syscalls::sys_enter /tid == $target && arg1 == 39/ { @["pids"] = count(); } BEGIN { exit(0); }'
ends 0 "the kernel accepts what asks for a tid and an argument"
finish
