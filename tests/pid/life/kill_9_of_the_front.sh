# When the front is killed with -9 the target runs on, unpatched, and gives its own result.
# needs: user
. tests/lib/lib.sh

"$DTRACE" -qn 'pid$target:a.out:leaf:entry { @ = count(); }
    BEGIN { printf("%d\n", $target); }' -x switchrate=10hz -c "$TARGETS/t 200000" >"$TMP/out" 2>"$TMP/err" &
front=$!
i=0
while [ ! -s "$TMP/out" ] && [ $i -lt 100 ]; do
	i=$((i + 1))
	sleep 0.1
done
target=$(head -1 "$TMP/out")
[ -n "$target" ] || fail "no target: $(cat "$TMP/err")"
kill -9 $front
wait $front 2>/dev/null
i=0
while kill -0 "$target" 2>/dev/null && [ $i -lt 300 ]; do
	i=$((i + 1))
	sleep 0.1
done
! kill -0 "$target" 2>/dev/null || {
	fail "the target does not come to its end"
	kill -9 "$target"
}
grep -q '^work 1$' "$TMP/out" || fail "the target did not print its result: $(cat "$TMP/out")"
finish
