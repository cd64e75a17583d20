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
cat >"$TMP/preparing.py" <<'EOF'
import os, sys
import terminal

os.chdir(sys.argv[1])
os.mkfifo("gate")
gate = os.open("gate", os.O_RDWR)
terminal.show(sys.argv[2:], b"preparing", lambda: os.write(gate, b"x"))
os.unlink("gate")
EOF
top=$(pwd)
run() { # run OPTIONS...: what the terminal got
	PYTHONPATH=$top/tests/lib python3 "$TMP/preparing.py" "$TMP" "$top/${DTRACE#"$top/"}" "$@" -x evaltime=main -n 'pid$target:a.out:main:entry { exit(0); }' -c ./slow
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
