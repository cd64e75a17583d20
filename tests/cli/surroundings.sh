# What the surroundings lack is named as what it is, not as another fault.
# needs: root
# timeout: 120
. tests/lib/lib.sh
need unshare prlimit setpriv

program='pid$target:a.out:beat:entry { @ = count(); }'
"$TARGETS/steady" 200 100000 >/dev/null &
target=$!

# says WHAT PATTERN COMMAND...: it fails, and its words match
says() {
	what=$1 pattern=$2
	shift 2
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$what: status" $? 1
	like "$what" "$(cat "$TMP/err")" "$pattern"
}

export DTRACE TARGETS program target
unshare -m true 2>/dev/null || skip "no mount namespaces"
[ -z "$SAN" ] || skip "sanitizers themselves want /proc"
says "no /proc, -c" "dtrace: */proc is not mounted here*" \
	unshare -m sh -c 'umount -l /proc; exec "$DTRACE" -qn "$program" -c "$TARGETS/steady 200 100"'
says "no /proc, -p" "dtrace: */proc is not mounted here*" \
	unshare -m sh -c 'umount -l /proc; exec "$DTRACE" -qn "$program" -p $target'
says "another /proc, -c" "dtrace: */proc is of another PID namespace*" \
	unshare -pf sh -c '"$DTRACE" -qn "$program" -c "$TARGETS/steady 200 100"'
says "few files, -p" "dtrace: *too few files may be open*ulimit -n*" \
	sh -c 'ulimit -n 6; exec "$DTRACE" -qn "$program" -p $target'
for n in 8 9 10 11 12 13 14 15 20 31; do
	says "$n files" "dtrace: too few files may be open ($n): raise ulimit -n to 32" \
		sh -c 'ulimit -n '$n'; exec "$DTRACE" -qn "syscall::write:entry { @ = count(); } tick-10ms { exit(0); }"'
done

place=$(mktemp -d /tmp/dtrace-surroundings.XXXXXX)
cp "$DTRACE" "$TARGETS/steady" "$place" && chmod -R a+rX "$place"
says "no processes" "dtrace: cannot start a process (fork: *a limit of the number of processes*" \
	setpriv --reuid 65531 --regid 65531 --clear-groups prlimit --nproc=1 "$place/dtrace" -qn 'BEGIN { exit(0); }'
says "no process for -c" "dtrace: *cannot start a process (fork: *a limit of the number of processes*" \
	setpriv --reuid 65531 --regid 65531 --clear-groups prlimit --nproc=2 "$place/dtrace" -qn "$program" -c "$place/steady 200 100"
says "fbt of a user" "dtrace: *needs CAP_BPF and CAP_PERFMON, or root*" \
	setpriv --reuid 65531 --regid 65531 --clear-groups "$place/dtrace" -qn 'fbt::vfs_read:entry { @ = count(); }'
rm -rf "$place"
says "a filter that kills, -c" "dtrace: a seccomp filter kills whoever calls ptrace here*" \
	"$TARGETS/deny" -kill "$DTRACE" -qn "$program" -c "$TARGETS/steady 200 100"
says "a filter that kills, -p" "dtrace: *a seccomp filter kills whoever calls ptrace here*" \
	"$TARGETS/deny" -kill "$DTRACE" -qn "$program" -p $target
"$TARGETS/deny" -kill "$DTRACE" -qn 'BEGIN { printf("fine"); exit(0); }' >"$TMP/out" 2>&1 </dev/null
is "nothing to trace under such a filter" "$(cat "$TMP/out")" fine
kill $target
finish
