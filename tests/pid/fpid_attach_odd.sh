# Hooks in running processes that are odd: the parent of a vfork child, one whose first thread has ended, one
# that is stopped, one that sleeps in a call.
# needs: user
. tests/lib.sh
. tests/attach.sh

told() { # told PROGRAM ARGS...: started, told by a pipe
	rm -f "$TMP/tell" "$TMP/said"
	mkfifo "$TMP/tell"
	"$@" <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
	waits_for "$TMP/said" ready "$1"
}

counted() { # counted CALLS WHAT: the target comes to its end with hooks in it
	trace -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @[probefunc] = count(); }' -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "$2"
	tell go
	wait "$target" || fail "$2: the target ended with $?"
	target=
	wait "$tracer"
	status=$?
	tracer=
	err=$(cat "$TMP/err")
	ends 0 "$2"
	like "$2" "$err" "*1 function: 1 hooked*"
	case "$err" in
	*"no counters"*) fail "$2: $err" ;;
	esac
	is "$2: calls" "$(awk '$1 == "count_me" { print $2 }' "$TMP/out")" "$1"
}

told "$TARGETS/vforks" 10
counted 11 "the parent of a vfork child"

told "$TARGETS/lives" headless 1234
counted 1234 "without a first thread"

# left while the vfork child runs on
told "$TARGETS/vforks" 10
awk '{ print $1, $2, $6 }' "/proc/$target/maps" >"$TMP/before"
d -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @ = count(); } tick-50ms { exit(0); }' -p "$target"
ends 0 "left"
like "left" "$err" "*1 hooked*"
awk '{ print $1, $2, $6 }' "/proc/$target/maps" >"$TMP/after"
is "left: mappings" "$(diff "$TMP/before" "$TMP/after")" ""
tell go
wait "$target" || fail "left: the target ended with $?"
target=

# stopped before, stopped after
start_waits 3
kill -STOP "$target"
d -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @ = count(); } tick-50ms { exit(0); }' -p "$target"
ends 0 "stopped"
like "stopped" "$err" "*1 hooked*"
is "its state" "$(awk '$1 == "State:" { print $2 }' "/proc/$target/status")" T
kill -CONT "$target"
unharmed "$target" "stopped"
tell quit
wait "$target" || fail "stopped: the target ended with $?"
target=

# a call that sleeps goes on
sleep 1 &
target=$!
d -x fpidfallback=none -n 'fpid$target:::entry { @ = count(); } tick-50ms { exit(0); }' -p "$target"
ends 0 "sleeping"
wait "$target" || fail "sleep ended with $?"
target=
finish
