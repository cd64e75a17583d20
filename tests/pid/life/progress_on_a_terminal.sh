# What takes long to begin says so on a terminal; the line is gone when tracing begins, and is not there for
# a file, a pipe or with -q.
# needs: user
. tests/lib/lib.sh

need python3 cc
cat >"$TMP/slow.c" <<'EOF'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void wait_for_word(void)
{
	char c;
	int fd = open("gate", O_RDONLY);

	if (read(fd, &c, 1) < 0)
		_exit(1);
}
int main(void)
{
	return 0;
}
EOF
cc -o "$TMP/slow" "$TMP/slow.c" || fail "no program"
cat >"$TMP/terminal.py" <<'EOF'
import os, pty, sys, time

os.chdir(sys.argv[1])
os.mkfifo("gate")
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""
quiet = "-q" in sys.argv
gate = os.open("gate", os.O_RDWR)
end = time.monotonic() + (1 if quiet else 30)
os.set_blocking(terminal, False)
while b"preparing" not in seen and time.monotonic() < end:
    try:
        seen += os.read(terminal, 4096)
    except BlockingIOError:
        time.sleep(0.01)
os.write(gate, b"x")
os.set_blocking(terminal, True)
try:
    while chunk := os.read(terminal, 4096):
        seen += chunk
except OSError:
    pass
os.unlink("gate")
print(repr(seen.decode()))
for line in seen.decode().split("\n"):  # what is left on the screen
    screen = ""
    for part in line.split("\r"):
        screen = part + screen[len(part):]
    print("screen:", screen.rstrip())
EOF
top=$(pwd)
run() { # run OPTIONS...: what the terminal got
	python3 "$TMP/terminal.py" "$TMP" "$top/${DTRACE#"$top/"}" "$@" -x evaltime=main -n 'pid$target:a.out:main:entry { exit(0); }' -c ./slow
}
line='dtrace: preparing, [0-9]* probes so far ...'
out=$(run)
printf '%s\n' "$out" | grep -v screen: | grep -q "$line" || fail "no line: $out"
printf '%s\n' "$out" | grep screen: | grep preparing && fail "left on the terminal: $out"
like "what follows" "$out" "*screen: dtrace: description *matched 1 probe*"
case $(run -q) in *prep*) fail "with -q" ;; esac
mkfifo "$TMP/gate"
(cd "$TMP" && "$top/${DTRACE#"$top/"}" -x evaltime=main -n 'pid$target:a.out:main:entry { exit(0); }' -c ./slow >"$TMP/out" 2>"$TMP/err") &
# the line would be there by then: it waits at the gate, and is older than a terminal's reader has to wait
until [ "$(ps -o etimes= -p $! | tr -d ' ')" -ge 2 ] 2>/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
echo >"$TMP/gate"
wait
grep -q preparing "$TMP/err" && fail "in a file"
grep -q "matched 1 probe" "$TMP/err" || fail "no run: $(cat "$TMP/err")"
finish
