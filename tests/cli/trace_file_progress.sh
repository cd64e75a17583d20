# A recording that takes long to read says how far it is, on a terminal and nowhere else; the line is gone at the end.
. tests/lib/lib.sh
need python3

python3 tests/tools/perfdata.py "$TMP/pipe.data" pipe || fail "no recording"
cat >"$TMP/terminal.py" <<'END'
import os, pty, sys, time

# the recording comes by a pipe whose end is not told before the line is there
fifo, data = sys.argv[1], open(sys.argv[2], "rb").read()
os.mkfifo(fifo)
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[3], sys.argv[3:])
end = time.monotonic() + (1 if "-q" in sys.argv else 60)
with open(fifo, "wb") as out:
    out.write(data)
    out.flush()
    seen = b""
    os.set_blocking(terminal, False)
    while b"reading" not in seen and time.monotonic() < end:
        try:
            seen += os.read(terminal, 4096)
        except BlockingIOError:
            time.sleep(0.01)
os.set_blocking(terminal, True)
try:
    while chunk := os.read(terminal, 4096):
        seen += chunk
except OSError:
    pass
os.unlink(fifo)
print(repr(seen.decode()))
for line in seen.decode().split("\n"):  # what is left on the screen
    screen = ""
    for part in line.split("\r"):
        screen = part + screen[len(part):]
    print("screen:", screen.rstrip())
END
run() { # run OPTIONS...: what the terminal got
	python3 "$TMP/terminal.py" "$TMP/fifo" "$TMP/pipe.data" "$DTRACE" -E "$TMP/fifo" "$@"
}
out=$(run -n 'syscall:::entry { @n = count(); }')
like "on a terminal" "$out" "*dtrace: reading the recording, [0-9]*.[0-9] MB so far ...*"
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
