# kill -9 of the engine, the front, or both, at any moment of a run with hooks in a process under load:
# its code is its own afterwards, its threads run on, and it comes to its end. KILL_ROUNDS says how often.
# needs: user
# timeout: 600
. tests/lib/lib.sh
. tests/lib/attach.sh
rounds=${KILL_ROUNDS-15}

# What there is to see of processes that should have ended.
evidence() {
	for pid; do
		grep -E '^(Name|State|TracerPid|SigBlk|SigPnd|ShdPnd)' "/proc/$pid/status"
		for task in /proc/"$pid"/task/*; do
			echo "$task: $(cat "$task/wchan") $(cat "$task/syscall")"
		done
	done 2>&1
	for comm in /proc/[0-9]*/comm; do
		grep -q dtrace-watchdog "$comm" && echo "$comm: $(cat "${comm%comm}wchan" "${comm%comm}syscall" "${comm%comm}stat")"
	done 2>&1
	"$TARGETS/textcheck" "$target"
}

# within SECONDS WHAT COMMAND...: until it succeeds; a failure shows the target and the command
within() {
	limit=$(($(date +%s) + $1))
	what=$2
	shift 2
	until "$@"; do
		[ "$(date +%s)" -lt "$limit" ] || {
			fail "round $n, $who: $what
$(evidence "$target" "$front" $(cat "/proc/$front/task/$front/children" 2>/dev/null))"
			return 1
		}
		sleep 0.02
	done
}

ended() { # ended PID
	! kill -0 "$1" 2>/dev/null || grep -q '^State:	Z' "/proc/$1/status"
}

untouched() { # the watchdog is done: nobody traces it, bytes as in the file
	grep -q '^TracerPid:	0$' "/proc/$target/status" && ! "$TARGETS/textcheck" "$target" | grep -q 'in memory'
}

said() { # said PATTERN
	grep -q "$1" "$TMP/said"
}

has_engine() {
	[ "$(engine_of $front 2>/dev/null)" ] || ended $front
}

# The watchdog of the last round may hold the target still: then again.
start_front() {
	starts=0
	while :; do
		"$DTRACE" -n 'fpid$target:::entry { @[probefunc] = count(); }' -x fpidfallback=none -p "$target" \
			>"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
		front=$!
		within 20 "the command does not begin" has_engine || return
		ended $front || return 0
		wait $front
		starts=$((starts + 1))
		[ $starts -lt 100 ] && grep -q 'already traced' "$TMP/err" || break
		sleep 0.02
	done
	fail "round $n: $(cat "$TMP/err")"
}

killed() { # kills who at any moment between the start and the steady state
	start_front
	[ $failed = 0 ] || return
	engine=$(engine_of $front)
	[ $((n % 3)) != 0 ] || waits_for "$TMP/err" hooked "hooks"
	sleep 0.0$((n * 7 % 10))
	case $who in
	front) kill -9 $front ;;
	engine) kill -9 "$engine" ;;
	both) kill -9 $front "$engine" ;;
	esac 2>/dev/null
	within 20 "the command does not end" ended $front && wait $front 2>/dev/null
	within 20 "hooks are left, or a tracer: $("$TARGETS/textcheck" "$target" | head -2)" untouched
}

n=0
while [ $n -lt "$rounds" ] && [ $failed = 0 ]; do
	start_waits 3
	tell spin
	for who in engine front both; do
		n=$((n + 1))
		[ $failed != 0 ] || killed
	done
	[ $failed = 0 ] || break
	tell halt
	within 20 "the threads of the target do not end" said 'calls [0-9]' || break
	tell quit
	within 20 "the target does not end" ended "$target" || break
	target_ends "round $n: the target"
done
[ -z "${front-}" ] || ended "$front" || kill -9 "$front"
finish
