# How far what takes long is: a line on a terminal that is gone at the end, nothing in a pipe, lines there with -x progress; SIGUSR1
# asks for one at any time, and the run goes on; the answers are the same.
# needs: user
# timeout: 120
. tests/lib/lib.sh
need python3 as gcc

# So many functions take half a second to be armed, or more: a line is shown then.
awk 'BEGIN {
	print ".globl main\n.type main,@function\nmain:\n\tcall f7\n\txor %eax,%eax\n\tret\n.size main,.-main"
	for (i = 0; i < 100000; i++)
		printf ".type f%d,@function\nf%d:\n\tpush %%rbp\n\tmov %%rsp,%%rbp\n\tpop %%rbp\n\tret\n.size f%d,.-f%d\n", i, i, i, i
	print ".section .note.GNU-stack"
}' >"$TMP/many.s"
gcc -o "$TMP/many" "$TMP/many.s" || fail "no program"
many='pid$target:a.out:f*:entry { @[probefunc] = count(); }'

cat >"$TMP/shown.py" <<'END'
import sys, terminal
terminal.show(sys.argv[1:], b"", lambda: None)
END
PYTHONPATH=tests/lib python3 "$TMP/shown.py" "$DTRACE" -o "$TMP/on_terminal" -n "$many" -c "$TMP/many" >"$TMP/out" || fail "on a terminal: $(cat "$TMP/out")"
took=$(sed -n 's/^screen: dtrace: 100000 probes on 100000 functions in \([0-9.]*\) s$/\1/p' "$TMP/out")
if awk "BEGIN { exit !(${took:-0} > 0.7) }"; then
	grep -q 'dtrace: arming probes: [0-9]* of 10[0-9]*, [0-9]* %' "$TMP/out" || fail "on a terminal: $(cat "$TMP/out")"
else
	echo "all were armed in $took s: no line is asked for"
fi
is "what is left on the terminal" "$(sed -n 's/^screen: //p' "$TMP/out" | grep -c '%')" 0
grep -q '^screen: dtrace: 100000 probes on 100000 functions in ' "$TMP/out" || fail "on a terminal: $(cat "$TMP/out")"
d -o "$TMP/in_pipe" -n "$many" -c "$TMP/many"
ends 0 "in a pipe"
is "in a pipe" "$err" "dtrace: description 'pid\$target:a.out:f*:entry ' matched 100000 probes"
d -o "$TMP/asked" -qx progress -n "$many" -c "$TMP/many"
ends 0 "-x progress"
is "-x progress: other lines" "$(grep -v '^dtrace: progress stage=[a-z]* done=[0-9]* total=[0-9]*\( left=[0-9]*s\)\{0,1\}$' "$TMP/err")" ""
for stage in symbols probes arming; do
	line=$(grep "stage=$stage " "$TMP/err" | tail -1)
	total=${line#* total=}
	is "the end of $stage" "$line" "dtrace: progress stage=$stage done=$total total=$total"
done
like "the answer" "$(cat "$TMP/on_terminal")" "*f7 * 1*"
is "in a pipe" "$(cat "$TMP/in_pipe")" "$(cat "$TMP/on_terminal")"
is "asked for" "$(cat "$TMP/asked")" "$(cat "$TMP/in_pipe")"

# Reports: their rows, each once a report.
d -qx progress -n 'BEGIN { @[1] = count(); @[2] = count(); @n = count(); exit(0); }' -x report="$TMP/a.csv" -x report="$TMP/b.tsv" -o "$TMP/text"
is "reports" "$(grep stage=writing "$TMP/err")" "dtrace: progress stage=writing done=6 total=6"

# Whoever asks gets one line: of a run, of a recording that is read, with a program and without one.
"$DTRACE" -qn 'BEGIN { printf("begun\n"); } tick-1ms { @ = count(); }' -x switchrate=1ms >"$TMP/out" 2>"$TMP/err" </dev/null &
pid=$!
until_said "$TMP/out" begun $pid
kill -USR1 $pid
until_said "$TMP/err" '^dtrace: progress stage=tracing seconds=[0-9]* records=1 drops=0$' $pid || fail "a run: $(cat "$TMP/err")"
kill -INT $pid
wait $pid
is "a run goes on" "$(grep -c . "$TMP/err") $(sed -n 's/^ *[1-9][0-9]*$/counted/p' "$TMP/out")" "1 counted"
python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe
for program in '@n = count();' ''; do
	# what comes by the pipe ends when its line has been said
	rm -f "$TMP/fifo"
	mkfifo "$TMP/fifo"
	set --
	[ -z "$program" ] || set -- -n "syscall:::entry { $program }"
	"$DTRACE" -qE - "$@" <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	exec 9>"$TMP/fifo"
	cat "$TMP/pipe.data" >&9
	# a signal before anybody is there to take it has its usual effect
	tries=0
	until [ "$(($(sed -n 's/^SigCgt:\t0*/0x0/p' /proc/$pid/status) & 0x200))" != 0 ]; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || break
		sleep 0.02
	done
	tries=0
	until grep -q 'dtrace: progress stage=reading done=[1-9][0-9]*$' "$TMP/err"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] && kill -USR1 $pid 2>/dev/null || break
		sleep 0.1
	done
	grep -q 'dtrace: progress stage=reading done=[1-9][0-9]*$' "$TMP/err" || fail "a recording, '$program': $(cat "$TMP/err")"
	exec 9>&-
	wait $pid || fail "a recording, '$program': status $?: $(cat "$TMP/err")"
	"$DTRACE" -qE "$TMP/pipe.data" "$@" >"$TMP/expected" 2>/dev/null
	is "a recording, '$program'" "$(cat "$TMP/out")" "$(cat "$TMP/expected")"
	is "other lines" "$(grep -v 'progress stage=' "$TMP/err" | grep -v 'events were lost\|drops on CPU\|is incomplete')" ""
done
finish
