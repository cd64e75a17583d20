# When memory runs out the kernel spares the engine and its watchdog, where they may ask for that; the
# program has what it would have without us.
# needs: root
. tests/lib/lib.sh

own=$(cat /proc/self/oom_score_adj)
d -qn 'pid$target:libc.so.6:exit:entry { @ = count(); }' -c "cat /proc/self/oom_score_adj"
is "the program's" "$(printf '%s\n' "$out" | head -1)" "$own"

(echo "$own" >"/proc/self/oom_score_adj" && echo -1000 >/proc/self/oom_score_adj) 2>/dev/null ||
	skip "oom_score_adj may not be lowered here"
"$DTRACE" -qn 'BEGIN { printf("now\n"); }' -x switchrate=100hz -c "$TARGETS/steady 10 20000" >"$TMP/out" </dev/null &
front=$!
tries=0
until grep -q now "$TMP/out" || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.01
done
for child in $(cat "/proc/$front/task/$front/children"); do
	is "$(cat "/proc/$child/comm")" "$(cat "/proc/$child/oom_score_adj")" -1000
done
is "the front" "$(cat "/proc/$front/oom_score_adj")" "$own"
kill -INT $front 2>/dev/null
kill -TERM $front
wait $front
finish
