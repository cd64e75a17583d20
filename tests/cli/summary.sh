# A run ends with one line on the terminal: records, losses, what tracing cost, what becomes of the
# programs. Not with -q, and never in a file.
# needs: user
. tests/lib/lib.sh
need script env

cat >"$TMP/run.sh" <<'END'
# run.sh ERR ARGS...: interrupts a run when it has printed something; standard error goes to ERR
to=$1
shift
: >"$TMP/out"
env --default-signal=INT "$DTRACE" "$@" >"$TMP/out" 2>"$to" </dev/null &
pid=$!
tries=0
while [ ! -s "$TMP/out" ] && [ $tries -lt 400 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
kill -INT $pid
wait $pid
END
export TMP DTRACE
sleep 60 &
sleeper=$!
on_terminal() { # on_terminal ARGS...: what it says on the terminal (a slow start has lines of its own)
	printf '%s' "sh $TMP/run.sh /dev/tty" >"$TMP/line"
	for word; do
		printf " '%s'" "$word" >>"$TMP/line"
	done
	script -qec "$(cat "$TMP/line")" "$TMP/typescript" </dev/null >/dev/null 2>&1
	tr '\r' '\n' <"$TMP/typescript" | grep -a 'interrupted'
}
program='BEGIN { trace("ready"); }'
like "-c" "$(on_terminal -x switchrate=50hz -n "$program" -c 'sleep 61')" "*dtrace: interrupted: 1 record, 0 drops, *.* s of CPU for tracing; sleep 61 is ended"
like "-p" "$(on_terminal -x switchrate=50hz -n "$program" -p $sleeper)" "*; pid $sleeper runs on"
is "-q" "$(on_terminal -x switchrate=50hz -qn "$program")" ""
sh "$TMP/run.sh" "$TMP/err" -x switchrate=50hz -n "$program"
is "in a file" "$(cat "$TMP/err")" "dtrace: description 'BEGIN ' matched 1 probe"

# last_line ARGS...: that line of a run that ends by itself
last_line() {
	printf '%s' "$DTRACE" >"$TMP/line"
	for word; do
		printf " '%s'" "$word" >>"$TMP/line"
	done
	script -qec "$(cat "$TMP/line")" "$TMP/typescript" </dev/null >/dev/null 2>&1
	tr '\r' '\n' <"$TMP/typescript" | grep -a ' of CPU for tracing'
}
like "exit()" "$(last_line -n 'BEGIN { trace(1); exit(0); }' -p $sleeper)" \
	"dtrace: 1 record, 0 drops, *.* s of CPU for tracing; pid $sleeper runs on"
like "exit() and -c" "$(last_line -n 'BEGIN { exit(0); }' -c 'sleep 62')" "*; sleep 62 is ended"
like "the program ends" "$(last_line -n 'BEGIN { trace(1); }' -c true)" "dtrace: 1 record, 0 drops, *; true has ended"
like "it fails" "$(last_line -n 'BEGIN { trace(1); } END { trace(2); }' -c true -o /dev/full)" "dtrace: *record*"
is "it never began" "$(last_line -n 'nonsense')" ""
is "-q" "$(last_line -qn 'BEGIN { exit(0); }')" ""
# the engine is killed
cat >"$TMP/killed.sh" <<'END'
. tests/lib/lib.sh
"$DTRACE" -n 'BEGIN { trace("ready"); }' -x switchrate=50hz -p "$1" >"$TMP/out" </dev/null &
until_said "$TMP/out" ready $!
kill -9 "$(engine_of $!)"
wait $!
END
script -qec "sh $TMP/killed.sh $sleeper" "$TMP/typescript" </dev/null >/dev/null 2>&1
like "the engine is killed" "$(tr '\r' '\n' <"$TMP/typescript" | grep -a ' of CPU for tracing')" \
	"dtrace: failed: *; pid $sleeper runs on"
kill $sleeper
finish
