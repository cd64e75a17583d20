# A fault or an abort of the engine, or a signal that ends it (all but SIGKILL), does no harm to a program
# that hits all the time: the engine takes its breakpoints out first, and the front says what happened.
# needs: user
# timeout: 300
. tests/lib/lib.sh
# sanitizers would report these signals as faults of their own
quiet=handle_segv=0:handle_sigbus=0:handle_abort=0
export ASAN_OPTIONS="$ASAN_OPTIONS:$quiet" TSAN_OPTIONS="$quiet"

# one SIGNAL: a round; on a busy machine the target may have come to its end before: again
one() {
	: >"$TMP/out"
	"$DTRACE" -qn 'pid$target:a.out:beat: { @ = count(); } tick-20ms { printf("now\n"); }' -x switchrate=100hz \
		-c "$TARGETS/steady 20000 1500" >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	tries=0
	until grep -q now "$TMP/out" || [ $tries -gt 500 ]; do
		tries=$((tries + 1))
		sleep 0.01
	done
	engine=$(engine_of $front)
	[ -z "$engine" ] || kill "-$1" "$engine"
	wait $front
	[ -n "$engine" ] || {
		one "$1"
		return
	}
	tries=0
	until grep -q '^beat' "$TMP/out" || grep -q died "$TMP/err" || [ $tries -gt 1000 ]; do
		tries=$((tries + 1))
		sleep 0.01
	done
	grep -q '^ok$' "$TMP/out" || fail "SIG$1: $(grep -v now "$TMP/out") $(cat "$TMP/err")"
	like "the words" "$(cat "$TMP/err")" "*engine was ended by SIG$1*"
}

for sig in SEGV ABRT BUS USR2 ALRM SYS; do
	one $sig
done
finish
