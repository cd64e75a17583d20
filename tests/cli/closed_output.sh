# A closed standard output ends the run in order; a slow reader loses nothing uncounted.
# needs: user
. tests/lib/lib.sh

start=$(date +%s)
"$DTRACE" -x switchrate=50hz -qn 'tick-1ms { printf("line\n"); }' 2>"$TMP/err" | head -1 >"$TMP/out"
is "one line" "$(cat "$TMP/out")" line
[ $(($(date +%s) - start)) -lt 15 ] || fail "did not end"
"$DTRACE" -x switchrate=50hz -qn 'tick-1ms { printf("line\n"); }' -c 'sleep 30' 2>"$TMP/err" | head -1 >"$TMP/out"
[ $(($(date +%s) - start)) -lt 25 ] || fail "did not end its target"
# a run that has no more to print
"$DTRACE" -qn 'BEGIN { printf("line\n"); }' 2>"$TMP/err" | head -1 >"$TMP/out"
is "one line, and then none" "$(cat "$TMP/out") $(cat "$TMP/err")" "line "
# aggregations, which are printed at the end
"$DTRACE" -qn 'BEGIN { @[1] = count(); exit(0); }' 2>"$TMP/err" | :
is "nobody reads the aggregations" "$(cat "$TMP/err")" ""
# another file than standard output was meant to be written
mkfifo "$TMP/fifo"
head -1 "$TMP/fifo" >"$TMP/out" &
"$DTRACE" -qn 'tick-1ms { printf("line\n"); }' -o "$TMP/fifo" 2>"$TMP/err"
is "a fifo" "$(cat "$TMP/err")" "dtrace: failed to write to $TMP/fifo: Broken pipe"
# the reader sleeps while records pile up
"$DTRACE" -x switchrate=100hz -qn 'tick-5000hz /n < 2000/ { n++; printf("%d %s\n", n, "padding padding padding"); } tick-5000hz /n == 2000/ { exit(0); }' 2>"$TMP/err" |
	{ sleep 1; cat; } >"$TMP/out"
lines=$(grep -c padding "$TMP/out")
drops=$(sed -n 's/^dtrace: \([0-9]*\) drops* on CPU.*/\1/p' "$TMP/err" | awk '{ s += $1 } END { print s + 0 }')
is "lines and counted drops" $((lines + drops)) 2000
finish
