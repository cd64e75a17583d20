# A python3 whose threads work while its first one runs other programs, which it does by vfork: it is
# hooked all the same, and the memory of the hooks goes, though numbers on its stacks look like
# addresses of it, which lies low beside a program that is not position-independent.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

cat >"$TMP/work.py" <<'END'
import json, subprocess, sys, threading

end = False

def work():
    while not end:
        assert json.loads(json.dumps({"a": list(range(50))}))["a"][49] == 49

threads = [threading.Thread(target=work) for i in range(4)]
for t in threads:
    t.start()
print("ready", flush=True)
runs = 0
while runs < 20 or sys.argv[1] not in open(sys.argv[2]).read():
    assert subprocess.run(["/bin/echo", "x"], capture_output=True).stdout == b"x\n"
    runs += 1
end = True
for t in threads:
    t.join()
print("done")
END
: >"$TMP/word"
/usr/bin/python3 "$TMP/work.py" end "$TMP/word" >"$TMP/said" 2>&1 &
target=$!
waits_for "$TMP/said" ready "the target"
for round in 1 2 3; do
	d -n 'fpid$target:python3*::entry { @[probemod] = count(); } tick-50ms { exit(0); }' -p "$target"
	ends 0 "round $round"
	case $err in
	*" 0 hooked"* | *stays*) fail "round $round: $err" ;;
	esac
	"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "round $round: $(head -5 "$TMP/text")"
done
echo end >"$TMP/word"
target_ends
is "its end" "$(tail -1 "$TMP/said")" "done"
finish
