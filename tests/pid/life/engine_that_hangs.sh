# An engine that does not come back is ended once the run is to end (a signal, a second one, the death of
# the front): what it had put into programs is taken out, and the front says what happened. It is
# stopped here, in place of a call that never returns.
# needs: user
# timeout: 300
. tests/lib/lib.sh

# hangs WHAT SIGNAL...: sent to the front one after the other, once it is known that the last was seen
hangs() {
	what=$1
	shift
	rm -f "$TMP/out" "$TMP/err" # of the last time, until the next begins to write
	"$TARGETS/steady" 200 100000 >"$TMP/said" &
	target=$!
	"$DTRACE" -p $target -n 'fpid$target:a.out:beat:entry { printf("beat\n"); }' >"$TMP/out" 2>"$TMP/err" &
	front=$!
	until_said "$TMP/out" beat $front || fail "$what: no hits: $(cat "$TMP/err")"
	engine=$(engine_of $front)
	kill -STOP "$engine"
	until grep -q '^State:.*[tT] (' "/proc/$engine/status"; do sleep 0.02; done
	for sig; do
		kill -"$sig" $front
	done
	wait $front 2>/dev/null
	status=$?
	until_gone "$engine" || fail "$what: the engine is there"
	tries=0
	while grep -qE 'TracerPid:[[:space:]]*[1-9]' "/proc/$target/status" && [ $tries -lt 3000 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	[ $tries -lt 3000 ] || fail "$what: the target is traced"
	kill -0 $target || fail "$what: the target has ended"
	text $target "$TARGETS/steady" >"$TMP/text"
	is "$what: text" "$(cat "$TMP/text")" same
	kill $target
	wait $target 2>/dev/null
}

hangs "one signal" TERM
is "one signal: status" $status 1
like "one signal: words" "$(grep 'come back' "$TMP/err")" "dtrace: the tracing engine did not come back*and was ended; the run is incomplete; pid $target runs on without breakpoints"
hangs "two signals" TERM INT
is "two signals: status" $status 1
like "two signals: words" "$(grep 'come back' "$TMP/err")" "dtrace: the tracing engine did not come back*and was ended; the run is incomplete; pid $target runs on without breakpoints"
hangs "the front is gone" KILL
is "the front is gone: status" $status 137
finish
