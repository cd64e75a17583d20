# Scripts give the same answers while they log (-g -E, a new file) and on the file.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need gcc awk

# names that nobody else's programs have, 15 characters at most
sh=sh$$ true=tr$$
cp /bin/sh "$TMP/$sh"
cp /bin/true "$TMP/$true"
cat >"$TMP/load.sh" <<END_SH
i=0
while [ \$i -lt 40 ]; do
	$TMP/$true
	i=\$((i + 1))
done
kill -USR1 \$\$
END_SH
command="$TMP/$sh -c 'trap : USR1; . $TMP/load.sh'"
ours="execname == \"$sh\" || execname == \"$true\""
twice() { # twice WHAT PROGRAM...: what is printed, in any order
	what=$1
	shift
	for try in 1 2 3; do # what is lost beside a loaded machine is lost to the clauses and to the file, at other places
		rm -f "$TMP/new.data"
		d -qgE "$TMP/new.data" "$@" -c "$command"
		case $err in *drop*) ;; *) break ;; esac
	done
	ends 0 "$what, live"
	case $err in *drop*) fail "$what: each of $try times: $err" ;; esac
	sort "$TMP/out" >"$TMP/live"
	[ -s "$TMP/live" ] || fail "$what: nothing is printed"
	d -qE "$TMP/new.data" "$@"
	ends 0 "$what, from the file"
	sort "$TMP/out" | diff "$TMP/live" - >"$TMP/differs" || fail "$what differs: $(head -20 "$TMP/differs")"
}

twice "scheduling" -n "sched:::on-cpu /$ours/ { @on[execname, cpu] = count(); } sched:::off-cpu /$ours/ { @off[execname, args[0]->pr_lwpid != 0, args[1]->pr_fname] = count(); }
	sched:::wakeup /args[1]->pr_fname == \"$true\"/ { @wakeup[args[1]->pr_fname] = count(); } sched:::sleep, sched:::preempt /$ours/ { @[probename, cpu] = count(); }"
twice "how long threads wait" -n "sched:::off-cpu /$ours/ { self->t = timestamp; } sched:::on-cpu /self->t/ { @[execname, tid] = sum(timestamp - self->t); self->t = 0; }"
twice "system calls" -n "syscall:::entry /$ours/ { self->t = timestamp; @[execname, probefunc] = count(); } syscall:::return /self->t/ { @t[execname, probefunc, errno] = sum(timestamp - self->t); self->t = 0; }
	syscall::execve:entry /pid == \$target/ { @n = count(); }"
twice "processes" -n "proc:::create /$ours/ { @[probename, execname, args[0]->pr_fname] = count(); } proc:::start, proc:::exit, proc:::exec-success, proc:::lwp-start, proc:::lwp-exit /$ours/ { @[probename, execname, ppid == \$target ? \"child\" : \"\"] = count(); }
	proc:::signal-send /args[2] == SIGUSR1 && pid == \$target/ { @s[execname, args[1]->pr_pid == \$target] = count(); } proc:::module-load /pid == \$target/ { @m[basename(copyinstr(arg0))] = count(); }" \
	-n "proc:::signal-handle /args[0] == SIGUSR1 && pid == \$target/ { @h[execname] = count(); }"
twice "samples" -n "profile-997 /$ours/ { @[execname, stack()] = count(); @c[cpu] = count(); } profile-997 /pid == \$target/ { @n = count(); } END { @z = count(); }"
twice "clocks of two rates" -n "profile-499 /$ours/ { @[\"499\", execname] = count(); } profile-97 /$ours/ { @[\"97\", execname] = count(); } END { @z = count(); }"
twice "tracepoints" -n "linux-sched:::sched_process_exec /$ours/ { @[stringof(args[0]->filename)] = count(); } linux-sched:::sched_process_fork /args[0]->parent_pid == \$target/ { @f = count(); }
	linux-kmem:::mm_page_alloc /execname == \"$true\"/ { @a[args[0]->order] = count(); }"
twice "by stack" -n "linux-sched:::sched_process_fork /execname == \"$sh\"/ { @[stack(), ustack()] = count(); }"
twice "predicates" -n "syscall::read:entry, syscall::write:entry /execname == \"$sh\" && arg0 < 10/ { @[probefunc, arg0, arg2] = count(); }"

# scripts of the whole machine: what they say of our programs
for script in bin/sched.d bin/wakeup.d bin/whererun.d demo/profile_syms.d demo/systemcall.d demo/proc.d; do
	rm -f "$TMP/new.data"
	for how in -qgE -qE; do
		if [ $how = -qgE ]; then
			d $how "$TMP/new.data" -s "dscripts/$script" -c "$command"
		else
			d $how "$TMP/new.data" -s "dscripts/$script"
		fi
		ends 0 "$script, $how"
		[ -s "$TMP/out" ] || fail "$script, $how: nothing is printed"
		grep -e "$sh " -e "$true " "$TMP/out" | sort >"$TMP/ours$how"
	done
	diff "$TMP/ours-qgE" "$TMP/ours-qE" >"$TMP/differs" || fail "$script differs: $(head -20 "$TMP/differs")"
done

# ---- without -g only what is rare runs; the file has it all ----
rm -f "$TMP/new.data"
program='BEGIN { @["begin"] = count(); } syscall:::entry, sched:::on-cpu, profile-997 { @["frequent"] = count(); } proc:::exec-success /execname == "'$true'"/ { @["exec"] = count(); } END { @["end"] = count(); }'
d -qE "$TMP/new.data" -n "$program" -c "$command"
ends 0 "without -g"
is "without -g" "$(echo "$out" | awk 'NF { print $1, $2 }' | sort)" "begin 1
end 1
exec 40"
d -qE "$TMP/new.data" -n "$program"
like "the file has it all" "$(echo "$out" | awk 'NF { print $1, $2 }' | sort)" "begin 1
end 1
exec 40
frequent [1-9]*"

# ---- what cannot be written is said, and runs ----
rm -f "$TMP/new.data"
d -qgE "$TMP/new.data" -n 'rawtp:::sys_enter { @m = count(); } syscall::execve:entry { @ = count(); }' -c /bin/true
like "a raw tracepoint" "$err" "*what rawtp traces runs its clauses, and is not in $TMP/new.data*"
finish
