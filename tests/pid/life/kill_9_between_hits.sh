# kill -9 of the engine, or of both halves, while no thread of the target stands at a breakpoint: it goes on
# as if nothing had been, every time, its code its own.
# needs: user
# timeout: 300
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 4
round=0
calls=0
while [ $round -lt 12 ]; do
	round=$((round + 1))
	trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:count_me: { @ = count(); }' -x switchrate=50hz -p "$target"
	traced
	calls=$((calls + 4 * 25))
	tell run 25
	waits_for "$TMP/said" "calls $calls\$" "round $round"
	both=$(cat "/proc/$tracer/task/$tracer/children")
	if [ $((round % 3)) = 0 ]; then
		kill -9 "$tracer" "$(engine_of "$tracer")"
	else
		kill -9 "$(engine_of "$tracer")"
	fi
	wait "$tracer" 2>/dev/null
	tracer=
	for child in $both; do # the watchdog takes out what the engine has left
		until_gone "$child" || fail "round $round: process $child does not end"
	done
	unharmed "$target" "round $round"
	[ $((round % 3)) = 0 ] ||
		like "the words" "$(cat "$TMP/err")" "dtrace: the tracing engine was ended by SIGKILL; the run is incomplete; pid $target *"
	calls=$((calls + 4 * 100))
	tell run 100
	waits_for "$TMP/said" "calls $calls\$" "after round $round"
	[ $failed = 0 ] || break
done
tell quit
target_ends
finish
