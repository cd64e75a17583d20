# What a run asks of /proc is in its file: arguments of programs, whose they are, and the files that descriptors are.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need perf setpriv

# a program is there still when its exec is read: else it is taken for its parent's
cat >"$TMP/load.sh" <<END
cat /proc/sys/kernel/ostype
setpriv --reuid 12345 --regid 54321 --clear-groups env sh -c 'until [ \$((i += 1)) -gt 300000 ]; do :; done'
env true of another
dd if=/dev/zero of=$TMP/written bs=100 count=3 status=none
END
ours='progenyof($target)'
twice() { # twice WHAT PROGRAM EXPECTED: its lines live and from the file, $TMP/new.data
	rm -f "$TMP/new.data"
	d -qgE "$TMP/new.data" -n "$2" -c "sh $TMP/load.sh"
	ends 0 "$1, live"
	live=$(echo "$out" | grep -v '^Linux$' | grep .)
	like "$1, live" "$live" "$3"
	d -qE "$TMP/new.data" -n "$2"
	ends 0 "$1, from the file"
	is "$1, from the file" "$(echo "$out" | grep .)" "$live"
}

twice "arguments" "proc:::exec-success /$ours/ { printf(\"%d %s\n\", pid, curpsinfo->pr_psargs); }" \
	"*cat /proc/sys/kernel/ostype*[0-9] true of another*of=$TMP/written*"
# of a child until it executes another, and of who has been there before
twice "a child's" "proc:::start /$ours/ { printf(\"%d %s\n\", pid, execargs); } syscall::execve:entry /pid == \$target/ { printf(\"%s\n\", execargs); }" \
	"*[0-9] sh $TMP/load.sh*"
twice "users" "proc:::exec-success /$ours && uid == 12345/ { printf(\"%d %d %s\n\", uid, gid, execname); }" \
	"*12345 54321 env
12345 54321 sh"
twice "files" "syscall::write:entry /execname == \"dd\"/ { @[fds[arg0].fi_pathname, fds[arg0].fi_oflags & O_ACCMODE, fds[arg0].fi_offset] = count(); } END { printa(\"%s %d %d %@d\n\", @); }" \
	"$(for at in 0 100 200; do echo "$TMP/written 1 $at 1"; done)"

# threads are of their process
rm -f "$TMP/new.data"
threads='sched:::on-cpu /pid == $target && tid != pid/ { @["runs"] = count(); } sched:::wakeup /args[1]->pr_pid == $target && args[0]->pr_lwpid != $target/ { @["wakes"] = count(); }'
d -qgE "$TMP/new.data" -n "$threads" -c "$TARGETS/threads 100"
ends 0 "threads, live"
[ "$(echo "$out" | awk '$1 == "runs" { print $2 }')" -ge 100 ] && [ "$(echo "$out" | awk '$1 == "wakes" { print $2 }')" -ge 100 ] || fail "threads, live: $out"
live=$out
d -qE "$TMP/new.data" -n "$threads"
is "threads, from the file" "$out" "$live"

# perf takes them for events with a text
rm -f "$TMP/new.data"
d -qgE "$TMP/new.data" -n "proc:::exec-success { @[curpsinfo->pr_psargs, uid] = count(); }" -c "sh $TMP/load.sh"
perf script -i "$TMP/new.data" -F comm,event,trace >"$TMP/lines" 2>"$TMP/why" || fail "perf script: $(cat "$TMP/why")"
like "perf script" "$(grep process_arguments "$TMP/lines")" "*dtrace:dtrace_process_arguments:*cat /proc/sys/kernel/ostype*"
for how in report evlist "inject -o $TMP/other.data"; do
	# shellcheck disable=SC2086
	perf ${how%% *} -i "$TMP/new.data" $(echo "$how" | cut -s -d' ' -f2-) >/dev/null 2>"$TMP/why" </dev/null || fail "perf $how: $(cat "$TMP/why")"
done
is "a copy" "$("$DTRACE" -qE "$TMP/other.data" -n 'proc:::exec-success { @[curpsinfo->pr_psargs, uid] = count(); }' 2>&1 | sort)" \
	"$("$DTRACE" -qE "$TMP/new.data" -n 'proc:::exec-success { @[curpsinfo->pr_psargs, uid] = count(); }' 2>&1 | sort)"

# they stay where events before the last second are given up
rm -f "$TMP/new.data"
ring='syscall::exit_group:entry /pid == $target/ { printf("%s %d\n", execargs, uid); }'
d -qgE "$TMP/new.data" -x logring=1s -n "$ring" -c "sh -c 'until [ \$((i += 1)) -gt 1500000 ]; do :; done'"
live=$(echo "$out" | grep .)
like "a ring, live" "$live" "sh -c until*done 0"
d -qE "$TMP/new.data" -n "$ring"
is "a ring" "$(echo "$out" | grep .)" "$live"

# without -g files are not asked for, which is told
rm -f "$TMP/new.data"
d -qE "$TMP/new.data" -n "syscall::write:entry /execname == \"dd\"/ { @[fds[arg0].fi_pathname] = count(); }" -c "sh $TMP/load.sh"
like "without -g" "$err" "*fds\[] will not be in $TMP/new.data*"
finish
