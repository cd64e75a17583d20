# kill -9 of the engine, the front, or both, at any moment of a run with hooks in a process under load:
# its code is its own afterwards, its threads run on, and it comes to its end. KILL_ROUNDS says how often.
# needs: user
# timeout: 600
. tests/lib.sh
. tests/attach.sh
[ -n "${KILL_ROUNDS-}" ] || skip "a round may wait for ever on the end of a killed tracer: KILL_ROUNDS=30 runs it"

untouched() { # the watchdog is done: bytes as in the file
	"$TARGETS/textcheck" "$target" | grep -q 'in memory' || return 0
	return 1
}

has_engine() { # false: the front has ended
	until grep -q . "/proc/$front/task/$front/children" && [ "$(engine_of $front)" ]; do
		grep -q '^State:	Z' "/proc/$front/status" && return 1
	done 2>/dev/null
	return 0
}

# The watchdog of the last round may hold the target still: then again.
start_front() {
	starts=0
	while :; do
		"$DTRACE" -n 'fpid$target:::entry { @[probefunc] = count(); }' -x fpidfallback=none -p "$target" \
			>"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
		front=$!
		has_engine && return 0
		wait $front
		starts=$((starts + 1))
		[ $starts -lt 100 ] && grep -q 'already traced' "$TMP/err" || return 1
		sleep 0.02
	done
}

killed() { # killed engine|front|both
	start_front || {
		fail "round $n: $(cat "$TMP/err")"
		return
	}
	# anywhere between the start and the steady state
	[ $((n % 3)) = 0 ] && waits_for "$TMP/err" hooked "hooks"
	sleep 0.0$((n * 7 % 10))
	case $1 in
	front) kill -9 $front ;;
	engine) kill -9 "$(engine_of $front)" ;;
	both) kill -9 $front "$(engine_of $front)" ;;
	esac 2>/dev/null
	wait $front 2>/dev/null
	tries=0
	until grep -q '^TracerPid:	0$' "/proc/$target/status" && untouched; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || {
			fail "round $n, $1: $("$TARGETS/textcheck" "$target" | head -2) $(grep Tracer "/proc/$target/status")"
			return
		}
		sleep 0.02
	done
}

n=0
while [ $n -lt "$KILL_ROUNDS" ] && [ $failed = 0 ]; do
	start_waits 4
	tell spin
	for who in engine front both; do
		n=$((n + 1))
		killed $who
	done
	[ $failed = 0 ] || break
	tell halt
	waits_for "$TMP/said" 'calls [0-9]' "round $n"
	tell quit
	wait "$target" || fail "round $n: the target ended with $?"
	target=
done
finish
