# kill -9 of the front: a process of -p is let go, unpatched.
# needs: user
. tests/lib.sh
. tests/attach.sh

start_waits 4
tell spin
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:count_me: { @ = count(); }' -x switchrate=50hz -p "$target"
traced
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
tracer=
i=0
until grep -q '^TracerPid:	0$' "/proc/$target/status"; do
	i=$((i + 1))
	[ $i -lt 1000 ] || {
		fail "it is not let go"
		finish
	}
	sleep 0.01
done
unharmed "$target" "afterwards"
tell halt
waits_for "$TMP/said" 'calls [0-9]' "the end of the work"
tell quit
wait "$target" || fail "the target ended with $?"
target=
finish
