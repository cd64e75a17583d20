# What root has listed once, a user who may not read tracefs can list as well, with types.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need setpriv

mkdir "$TMP/for_all" "$TMP/empty" && chmod 755 "$TMP" "$TMP/for_all" "$TMP/empty"
cp "$DTRACE" "$TMP/for_all/dtrace" && chmod 755 "$TMP/for_all/dtrace"
nobody() { # nobody CACHE ARGS...
	cache=$1
	shift
	DTRACE_CACHE=$cache setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/for_all/dtrace" "$@" \
		>"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}
nobody "$TMP/empty" -n 'linux-sched:::sched_switch { }'
case $err in *"does not exist"* | *"needs CAP_PERFMON"*) skip "tracefs is readable for all" ;; esac
is "without a list" "$err" "dtrace: invalid probe specifier linux-sched:::sched_switch { }: probe description linux-sched:::sched_switch does not match any probes: tracefs is not readable: run as root once with -l to write the provider list, or remount it readable"

DTRACE_CACHE=$TMP/for_all "$DTRACE" -l | grep -c ' linux-' >"$TMP/listed"
nobody "$TMP/for_all" -l
is "as many" "$(grep -c ' linux-' "$TMP/out")" "$(cat "$TMP/listed")"
nobody "$TMP/for_all" -lvn 'linux-sched:::sched_switch,syscall::openat:entry'
like "types" "$out" "*struct trace_event_raw_sched_switch*umode_t*"
nobody "$TMP/for_all" -n 'linux-sched:::sched_switch { }'
ends 1 "to trace is another matter"
is "why" "$(echo "$err" | tail -1)" "dtrace: could not enable tracing: probe description linux-sched:::sched_switch: needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)"

# but for the system calls of the user's own programs: records, with fields, of children too, and counts
cat >"$TMP/for_all/kids" <<'END'
#!/bin/sh
/bin/echo one
/bin/echo two
END
chmod 755 "$TMP/for_all/kids"
nobody "$TMP/for_all" -qn 'linux-syscalls:::sys_enter_write /execname == "echo"/ { printf("write %d %d\n", args[0]->fd, args[0]->count); }
	linux-syscalls:::sys_exit_write /execname == "echo"/ { printf("done %d\n", args[0]->ret); }' -c "$TMP/for_all/kids"
ends 0 "linux-syscalls"
is "writes of its children" "$(echo "$out" | grep -E '^(write|done)' | tr '\n' ' ')" "write 1 4 done 4 write 1 4 done 4 "
nobody "$TMP/for_all" -qn 'linux-syscalls:::sys_enter_execve { @["execs"] = count(); }' -c "$TMP/for_all/kids"
is "counts" "$(awk '$1 == "execs" { print $2 }' "$TMP/out")" 2
nobody "$TMP/for_all" -n 'linux-syscalls:::sys_enter_write { }'
ends 1 "without a program"
like "why" "$err" "*probe description linux-syscalls:::sys_enter_write: needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)*"
finish
