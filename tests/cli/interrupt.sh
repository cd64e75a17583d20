# SIGINT ends tracing in order: a newline, END's output, a newline, aggregations; status 0.
. tests/lib/lib.sh

start() { # start ARGS...: runs until its first line stands in $TMP/out, then $pid is there
	: >"$TMP/out"
	# a shell starts background commands with SIGINT ignored
	env --default-signal=INT "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	pid=$!
	i=0
	while [ ! -s "$TMP/out" ] && [ $i -lt 200 ]; do
		i=$((i + 1))
		sleep 0.05
	done
}
program='BEGIN { @ = count(); trace(3) } END { trace("end") }'
for sig in INT TERM; do
	start -x switchrate=20hz -qn "$program"
	kill -$sig $pid
	wait $pid
	status=$? err=$(cat "$TMP/err")
	ends 0 "SIG$sig, testing"
	is "SIG$sig, testing" "$(cat "$TMP/out")" "3end
$(printf ' %16d' 1)"
done
unset _DTRACE_TESTING
start -x switchrate=20hz -qn "$program"
kill -INT $pid
wait $pid
status=$? err=$(cat "$TMP/err")
ends 0 "SIGINT"
is "SIGINT" "$(cat "$TMP/out")" "3
end
$(printf ' %16d' 1)"
start -x switchrate=20hz -n 'BEGIN { exit_status = 0; trace(1); } END { exit(4); }'
kill -INT $pid
wait $pid
status=$?
ends 4 "exit in END"
finish
