# A thread that is stopped while it sleeps goes on by restart_syscall(2). A program whose filter of system
# calls kills it for that sleeps anew instead: it lives, while it is traced and when it has been let go.
# needs: user
. tests/lib/lib.sh

"$TARGETS/confined" >"$TMP/ready" &
target=$!
until [ -s "$TMP/ready" ] || ! kill -0 $target 2>/dev/null; do sleep 0.01; done
kill -0 $target 2>/dev/null || skip "no filters of system calls"
for probe in 'fpid$target:a.out:f:entry' 'pid$target:a.out:f:entry'; do
	d -qn "$probe /++n == 5/ { exit(0); }" -p $target
	ends 0 "$probe"
	kill -0 $target 2>/dev/null || fail "$probe: the program is gone: $err"
done
kill -TERM $target
wait $target
is "how it ended" $? 143
finish
