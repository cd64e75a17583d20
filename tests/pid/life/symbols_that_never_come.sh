# A target has code of a file that nobody delivers (FUSE without an answer): a signal ends the command
# all the same, while it still reads symbols, and the target is let go and runs on.
# needs: root
# timeout: 300
. tests/lib/lib.sh

"$TARGETS/silent" code >"$TMP/said" &
target=$!
until_said "$TMP/said" '^round 2' $target || {
	wait $target
	skip "silent code cannot run: status $?"
}
"$DTRACE" -p $target -n 'pid$target:::entry { @ = count(); }' >"$TMP/out" 2>"$TMP/err" &
front=$!
tries=0
until grep -qE 'TracerPid:[[:space:]]*[1-9]' "/proc/$target/status" || [ $tries -gt 3000 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
engine=$(engine_of $front)
kill $front
wait $front 2>/dev/null
status=$?
[ $status = 143 ] || [ $status = 1 ] || fail "status $status: $(cat "$TMP/err")"
until_gone "$engine" || fail "the engine is there"
tries=0 # the watchdog traces it for a moment
while grep -qE 'TracerPid:[[:space:]]*[1-9]' "/proc/$target/status" && [ $tries -lt 3000 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
[ $tries -lt 3000 ] || fail "it is traced"
before=$(wc -l <"$TMP/said")
tries=0
while [ "$(wc -l <"$TMP/said")" = "$before" ] && [ $tries -lt 3000 ]; do
	sleep 0.02
	tries=$((tries + 1))
done
[ $tries -lt 3000 ] || fail "the target does not run on"
kill $target
finish
