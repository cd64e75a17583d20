# Every instruction of the wrappers of system calls, the syscall among them: calls are interrupted and
# restarted as ever, children are made, and programs executed.
# needs: user
. tests/lib/lib.sh

probes=
for f in read write nanosleep clock_nanosleep fork _Fork vfork clone __clone3 execve wait4 waitpid _exit posix_spawn timer_settime; do
	probes="$probes${probes:+,}pid\$target:libc.so.6:$f:"
done
d -Zqn "$probes { @[probefunc] = count(); } pid\$target:a.out:touch:entry { @t = count(); }" \
	-o "$TMP/agg" -c "$TARGETS/hostile calls 20"
ends 0 calls
is "its own counts" "$out" "touch 40
bad 0"
is "hits of touch" "$(awk 'NF == 1 { print $1 }' "$TMP/agg")" 40
like "reads" "$(counts "$TMP/agg")" "*read [1-9]*"
finish
