# Hooks in running processes that are odd: the parent of a vfork child, one whose first thread has ended, one
# that is stopped, one that sleeps in a call.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

counted() { # counted CALLS WHAT: the target comes to its end with hooks in it
	trace -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @[probefunc] = count(); }' -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "$2"
	tell go
	target_ends "$2: the target"
	trace_ends
	ends 0 "$2"
	like "$2" "$err" "*1 function: 1 hooked*"
	case "$err" in
	*"no counters"*) fail "$2: $err" ;;
	esac
	is "$2: calls" "$(awk '$1 == "count_me" { print $2 }' "$TMP/out")" "$1"
}

start_ready "$TARGETS/vforks" 10
counted 11 "the parent of a vfork child"

start_ready "$TARGETS/lives" headless 1234
counted 1234 "without a first thread"

# left while the vfork child runs on
start_ready "$TARGETS/vforks" 10
awk '{ print $1, $2, $6 }' "/proc/$target/maps" >"$TMP/before"
d -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @ = count(); } tick-50ms { exit(0); }' -p "$target"
ends 0 "left"
like "left" "$err" "*1 hooked*"
awk '{ print $1, $2, $6 }' "/proc/$target/maps" >"$TMP/after"
is "left: mappings" "$(diff "$TMP/before" "$TMP/after")" ""
tell go
target_ends "left: the target"

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
target_ends "stopped: the target"

# a call that sleeps goes on
sleep 1 &
target=$!
d -x fpidfallback=none -n 'fpid$target:::entry { @ = count(); } tick-50ms { exit(0); }' -p "$target"
ends 0 "sleeping"
target_ends sleep
finish
