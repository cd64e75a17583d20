# A recording that takes long to read says how far it is, on a terminal and nowhere else; the line is gone at the end.
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe || fail "no recording"
cat >"$TMP/reading.py" <<'END'
import os, sys
import terminal

# the recording comes by a pipe whose end is not told before the line is there
fifo, data = sys.argv[1], open(sys.argv[2], "rb").read()
os.mkfifo(fifo)
def begin():
    global out
    out = open(fifo, "wb")
    out.write(data)
    out.flush()
terminal.show(sys.argv[3:], b"reading", lambda: out.close(), begin)
os.unlink(fifo)
END
run() { # run OPTIONS...: what the terminal got
	PYTHONPATH=tests/lib python3 "$TMP/reading.py" "$TMP/fifo" "$TMP/pipe.data" "$DTRACE" -E "$TMP/fifo" "$@"
}
out=$(run -n 'syscall:::entry { @n = count(); }')
like "on a terminal" "$out" "*dtrace: reading the recording: [0-9]*.[0-9] MB so far ...*"
printf '%s\n' "$out" | grep screen: | grep reading && fail "left on the terminal: $out"
like "the answer" "$out" "*screen: *5*"
out=$(run -qn 'syscall:::entry { @n = count(); }')
case $out in *reading*) fail "-q: $out" ;; esac

# no pipe and no file gets it
{
	cat "$TMP/pipe.data"
	python3 -c 'import time; time.sleep(0.8)'
} | "$DTRACE" -E - -n 'syscall:::entry { @n = count(); }' >"$TMP/out" 2>"$TMP/err"
grep -q reading "$TMP/out" "$TMP/err" && fail "in a file: $(cat "$TMP/err")"
finish
