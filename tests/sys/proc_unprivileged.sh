# Without privileges processes of the traced program are seen as they begin, execute and end.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -Eq '^perf events  *(works|limited)' || skip "$("$DTRACE" --doctor | grep '^perf events')"

d -qn 'proc:::create { printf("create %d of %d by %d\n", args[0]->pr_pid > 1, args[0]->pr_ppid == $target, pid == $target); }
	proc:::start { printf("start under %d\n", ppid == $target); }
	proc:::exec-success { printf("exec %s\n", execname); } proc:::exit { printf("exit of %s\n", execname); }' -c 'sh -c "/bin/true; (exit 3); :"'
ends 0 "processes"
is "processes" "$out" "create 1 of 1 by 1
start under 1
exec true
exit of true
create 1 of 1 by 1
start under 1
exit of sh
exit of sh"

d -qn 'proc:::lwp-create { @["created"] = count(); } proc:::lwp-exit { @["ended"] = count(); } proc:::exit { @["processes"] = count(); }
	END { printa("%s %@d\n", @); }' -c "$TARGETS/threads 3"
is "threads" "$(printf '%s\n' "$out" | grep ' ' | sort)" "created 3
ended 4
processes 1"

d -qn 'proc:::module-load { @[args[0]] = count(); }' -c 'sh -c "/bin/true; :"'
like "modules" "$out" "*/true *1*"

# what only programs in the kernel can tell is refused in one line
d -n 'proc:::signal-send { }' -c true
ends 1 "signals"
like "signals" "$err" "*probe description proc:vmlinux::signal-send: needs CAP_*"
d -n 'proc:::exit { trace(args[0]); } BEGIN { exit(0); }'
ends 1 "the status of everybody"
like "the status of everybody" "$err" "*probe description proc:vmlinux::exit: needs CAP_*"

# of the traced program and its descendants how they end is known
d -qn 'proc:::exit { printf("%d %d\n", arg1, args[0]); }' -c 'sh -c "(exit 3); /bin/true; (kill -9 \$(exec sh -c \"echo \\\$PPID\")); exit 5"'
ends 0 "statuses"
is "statuses" "$(echo "$out" | sort | tr '\n' ' ' | sed 's/^ *//')" "0 1 0 1 3 1 5 1 9 2 "

# one that outlives the program is let go when that ends
d -qn 'proc:::exit { printf("status %d\n", arg1); }' -c 'sh -c "sleep 1000 >/dev/null & echo daemon \$!; exit 4"'
ends 0 "a daemon"
daemon=$(echo "$out" | awk '$1 == "daemon" { print $2 }')
like "a daemon" "$out" "*status 4*"
grep -q '^TracerPid:	0$' "/proc/$daemon/status" || fail "the daemon is not let go"
kill "$daemon"
finish
