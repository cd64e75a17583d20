# What dtrace says of its probes is read before what the program says, but the program does not wait for a
# reader for ever.
# needs: user
. tests/lib/lib.sh

round=0
while [ $round -lt 20 ]; do
	round=$((round + 1))
	"$DTRACE" -n 'pid$target:a.out:main:entry { }' -x evaltime=main -c "$TARGETS/t 1" >"$TMP/both" 2>&1 </dev/null
	[ "$(head -1 "$TMP/both")" = "dtrace: description 'pid\$target:a.out:main:entry ' matched 1 probe" ] ||
		fail "round $round: $(head -2 "$TMP/both")"
done

mkfifo "$TMP/pipe"
exec 9<>"$TMP/pipe"
head -c 65536 /dev/zero >&9 # as much as it holds
"$DTRACE" -n 'pid$target:a.out:main:entry { }' -o "$TMP/agg" -c "$TARGETS/t 1" >"$TMP/out" 2>&9 9>&- </dev/null &
front=$!
tries=0
until grep -q '^work 1$' "$TMP/out" || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
grep -q '^work 1$' "$TMP/out" || fail "the program waits for the reader of the messages"
head -c 65536 <&9 >"$TMP/zeros"
wait $front || fail "status $?"
exec 9<&-
finish
