# Who asks for the end does not wait until all is taken in that a program has written into its rings: what was left there
# is dropped, and told, so that hits and drops are what the program has done.
# timeout: 300
. tests/lib/lib.sh

n=30000000
many=
for i in $(seq 60); do
	many="$many @a$i[probefunc, arg0 % 7] = sum(arg1);"
done
"$DTRACE" -x claim=off -x fpidbuf=256m -x switchrate=100hz -x aggrate=1h -n "fpid\$target:a.out:step:entry { @n = count(); $many }
	BEGIN { printf(\"begun %d\\n\", \$target); }
	END { printa(\"sum %@u\\n\", @n); }" -c "$TARGETS/ends kill $n" >"$TMP/out" 2>"$TMP/err" </dev/null &
front=$!
until_said "$TMP/out" 'begun' $front || fail "it did not begin: $(cat "$TMP/err")"
engine=$(engine_of $front)
target=$(sed -n 's/.*begun //p' "$TMP/out")
until [ "$(cut -d' ' -f14 "/proc/$target/stat")" -ge 10 ]; do # that is no start any more
	sleep 0.01
done
kill -STOP "$engine" # the rings fill up meanwhile
until_gone "$target" || fail "the program goes on"
kill -INT $front
kill -CONT "$engine"
wait $front
got=$(sed -n 's/.*sum \([0-9]*\)$/\1/p' "$TMP/out")
lost=$(awk '/drops on CPU/ { n += $2 } END { print n + 0 }' "$TMP/err")
unread=$(sed -n 's/.*fpid: \([0-9]*\) hits stood in rings when the run was to end, more than could be taken in: they are dropped$/\1/p' "$TMP/err")
is "hits and drops" "$((${got:-0} + lost))" $n
[ "${unread:-0}" -gt 0 ] && [ "${unread:-0}" -le "$lost" ] || fail "of $lost drops ${unread:-none} are told to have stood in the rings
$(head -20 "$TMP/err")"
grep -q '@n is incomplete' "$TMP/err" || fail "the aggregation is not marked"
finish
