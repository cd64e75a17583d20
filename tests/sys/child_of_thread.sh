# The child of a thread has that thread's name, also of one that was called so before anybody looked.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"

cat >"$TMP/named.py" <<'END'
import ctypes, os, sys, threading

def work():
    ctypes.CDLL(None).prctl(15, b"worker", 0, 0, 0)
    print("ready", flush=True)
    sys.stdin.readline()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

thread = threading.Thread(target=work)
thread.start()
thread.join()
END
mkfifo "$TMP/in"
/usr/bin/python3 "$TMP/named.py" <"$TMP/in" >"$TMP/said" 2>&1 &
pid=$!
exec 5>"$TMP/in"
until_said "$TMP/said" ready $pid || skip "$(cat "$TMP/said")"
d -qwn 'BEGIN { system("echo >%s", $$1); } proc:::start /ppid == $2/ { printf("%s\n", execname); exit(0); }' "$TMP/in" "$pid"
ends 0 "a child is made"
is "its name" "$(echo "$out" | head -1)" "worker"
exec 5>&-
wait $pid
finish
