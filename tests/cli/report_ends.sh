# Reports at every end of a run: exit(), signals, a program that is killed, a command that is killed; links in their place; names
# of functions that are hostile; and that everything else stays what it is.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need python3
script='pid$target:a.out:leaf:entry { @c[ustack(4)] = count(); @n["leaf"] = count(); } END { printf("the end\n"); }'
reports="-x report=$TMP/x.html -x report=$TMP/x.csv -x report=$TMP/x.jsonl -x report=$TMP/x.pftrace -x report=$TMP/x.folded -x report=$TMP/x.json"

# what is printed is the same to the byte
for options in "" -q -F "-q -x oformat=json" "-x aggsortrev"; do
	# shellcheck disable=SC2086
	"$DTRACE" $options -n "$script" -c "$TARGETS/t 20 1 quiet" >"$TMP/out1" 2>"$TMP/err1"
	first=$?
	# shellcheck disable=SC2086
	"$DTRACE" $options $reports -n "$script" -c "$TARGETS/t 20 1 quiet" >"$TMP/out2" 2>"$TMP/err2"
	is "status with reports ($options)" $? $first
	for s in out err; do
		sed 's/[0-9]\{4,\}/N/g; s/^ *[0-9]* *\([-|<]\)/\1/; s/"cpu":[0-9]*/"cpu":N/g' "$TMP/${s}1" >"$TMP/a"
		sed 's/[0-9]\{4,\}/N/g; s/^ *[0-9]* *\([-|<]\)/\1/; s/"cpu":[0-9]*/"cpu":N/g; /^dtrace: report .* left out$/d' "$TMP/${s}2" >"$TMP/b"
		cmp -s "$TMP/a" "$TMP/b" || fail "$s with reports ($options): $(diff "$TMP/a" "$TMP/b" | head -5)"
	done
done

# whole WHAT: all of them are
whole() {
	is "$1: folded" "$(awk '{ n += $NF } END { print n + 0 }' "$TMP/x.folded")" "$(awk -F, '$1 == "n" { print $6 }' "$TMP/x.csv")"
	tail -1 "$TMP/x.html" | grep -q '^</html>$' || fail "$1: html"
	tail -1 "$TMP/x.jsonl" | grep -q '"type":"end"' || fail "$1: jsonl"
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$TMP/x.json" || fail "$1: json"
	[ -z "$(find "$TMP" -name '*.tmp')" ] || fail "$1: something is left"
	rm -f "$TMP"/x.*
}
# shellcheck disable=SC2086
d -q $reports -n "$script pid\$target:a.out:leaf:entry /++n == 5/ { exit(3); }" -c "$TARGETS/t 1000 1 quiet"
ends 3 "exit(3)"
whole "exit(3)"
# shellcheck disable=SC2086
d -qw $reports -n "$script pid\$target:a.out:leaf:entry /++n == 5/ { raise(9); }" -c "$TARGETS/t 1000 1 quiet"
ends 0 "the program is killed"
whole "the program is killed"
for sig in INT TERM HUP; do
	: >"$TMP/lines"
	# shellcheck disable=SC2086
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$DTRACE" -q $reports -x switchrate=10ms -n "$script pid\$target:a.out:leaf:entry /++n == 5/ { printf(\"armed\\n\"); }" \
		-c "$TARGETS/t 1000000000 1 quiet" >"$TMP/lines" 2>"$TMP/err" </dev/null &
	until_said "$TMP/lines" armed $! || fail "SIG$sig: $(cat "$TMP/err")"
	kill -$sig $!
	wait $!
	is "SIG$sig: status" $? 0
	whole "SIG$sig"
done

# killed: what was there is there
echo old >"$TMP/k.html"
"$DTRACE" -q -x report="$TMP/k.html" -x switchrate=10ms -n 'tick-10ms { @ = count(); printf("armed\n"); }' >"$TMP/lines" 2>"$TMP/err" </dev/null &
until_said "$TMP/lines" armed $! || fail "SIGKILL: $(cat "$TMP/err")"
kill -KILL $!
wait $! 2>/dev/null
is "SIGKILL: what was there" "$(cat "$TMP/k.html")" old

# a link where the new file is made leads nowhere
echo mine >"$TMP/victim"
python3 - "$TMP" "$DTRACE" <<'END' || fail "a link in its place"
import os, subprocess, sys
tmp, command = sys.argv[1:]
# the number of the process is known before it executes the command
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.read(read, 1)
    os.dup2(os.open(tmp + "/said", os.O_WRONLY | os.O_CREAT), 2)
    os.execv(command, [command, "-x", "report=" + tmp + "/l.csv", "-qn", "BEGIN { @ = count(); exit(0); }"])
os.symlink(tmp + "/victim", "%s/l.csv.%d.tmp" % (tmp, pid))
os.write(write, b"x")
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
assert open(tmp + "/said").read() == "dtrace: report %s/l.csv: it could not be written: File exists\n" % tmp, open(tmp + "/said").read()
assert open(tmp + "/victim").read() == "mine\n" and not os.path.exists(tmp + "/l.csv")
END

# names of functions that would be more than one frame, or line
if command -v objcopy >/dev/null; then
	objcopy --redefine-sym leaf='a;b
c' "$TARGETS/t" "$TMP/t"
	d -x report="$TMP/e.folded" -x report="$TMP/e.csv" -x report="$TMP/e.svg" -qn 'pid$target:a.out:a?b*:entry { @[ustack(3)] = count(); }' -c "$TMP/t 20 1 quiet"
	ends 0 "a hostile function"
	is "a hostile function" "$(cat "$TMP/e.folded")" 'thread_main;work;a:b\x0ac 22'
	python3 -c 'import csv, sys; assert {len(r) for r in csv.reader(open(sys.argv[1], newline=""), strict=True)} == {8}' "$TMP/e.csv" || fail "a hostile function: csv"
	python3 -c 'import sys, xml.etree.ElementTree as x; t = x.parse(sys.argv[1]); assert any("a:b\\x0ac: 22" in (e.text or "") for e in t.iter()), open(sys.argv[1]).read()' "$TMP/e.svg" || fail "svg"
fi
finish
