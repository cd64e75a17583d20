# kill -9 of the engine while a program of -c waits at its rendezvous for its hooks: it runs on as if nothing had
# been there, and comes to its end.
# needs: user
# timeout: 240
. tests/lib/lib.sh
trap '[ -z "$front" ] || kill -9 $front 2>/dev/null' EXIT
front=

# within WHAT COMMAND...: until it succeeds, at most 60 s
within() {
	limit=$(($(date +%s) + 60))
	what=$1
	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$limit" ] || {
			fail "$when: $what: $(tail -3 "$TMP/err")"
			finish
		}
	done
}

gone() {
	! kill -0 "$1" 2>/dev/null || grep -qs '^State:	Z' "/proc/$1/status"
}

matched() { # what follows is the writing of hooks, and the program with nothing but hooks
	grep -q matched "$TMP/err"
}

for when in main preinit postinit; do
	for _ in 1 2; do
		rm -f "$TMP/out" "$TMP/err" # of the last round, until the next begins to write
		"$DTRACE" -x evaltime=$when -x fpidfallback=none -n 'fpid$target:::entry { @ = count(); }' \
			-c "$TARGETS/t 20 1" >"$TMP/out" 2>"$TMP/err" </dev/null &
		front=$!
		within "the program does not begin" matched
		engine=$(engine_of $front 2>/dev/null)
		kill -9 "$engine" 2>/dev/null
		within "the command does not end" gone $front
		wait $front 2>/dev/null
		front=
		within "the program did not come to its end" grep -q '^work 1$' "$TMP/out"
	done
done
finish
