# Without -p and -c dnet means every process that has the runtime, as often as it says itself; here, those of a PID namespace.
# needs: root
# timeout: 200
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
unshare --pid --fork --mount-proc true 2>/dev/null || skip "no PID namespace"

has_notes() {
	[ -e "$1" ] && readelf -SW "$1" 2>/dev/null | grep -q '\.note\.stapsdt' && tried=1
}
tried=
python=$(readlink -f /usr/bin/python3 2>/dev/null)
# those that there are
if has_notes "$python"; then
	mkfifo "$TMP/go"
	cat >"$TMP/all.sh" <<'END'
"$1" -c 'import gc, os; print(os.getpid(), flush=True); open(os.environ["TMP"] + "/go").read(); [gc.collect() for i in range(9)]' >"$TMP/who" &
until [ -s "$TMP/who" ]; do :; done
"$DTRACE" -qn 'BEGIN { system("echo > '"$TMP"'/go"); } dnet:python:gc:gc-end { @[pid] = count(); }
	dnet:python:gc:gc-end /++n == 9/ { exit(0); }' -w >"$TMP/out" 2>"$TMP/err" </dev/null
echo "$?" >"$TMP/status"
wait
END
	sed -i 's/-qn .BEGIN/-x defaultargs -qn '"'"'BEGIN/' "$TMP/all.sh"
	TMP=$TMP DTRACE=$DTRACE timeout 60 unshare --pid --fork --mount-proc sh "$TMP/all.sh" "$python"
	is "all processes" "$(awk 'NF == 2 { print $1, $2 }' "$TMP/out")" "$(cat "$TMP/who") 9"
fi

# those that start later: a program that is executed, and one that is forked by one of them
if has_notes "$python"; then
	cat >"$TMP/later.py" <<'END'
import gc, os, sys
def collect(who, n):
	"""the tracer stops a process when it has seen it: until then nothing is counted"""
	print(who, os.getpid(), n, flush=True)
	while not os.path.exists(sys.argv[1] + "/seen." + str(os.getpid())):
		gc.collect(0)
	for i in range(n):
		gc.collect()
	os._exit(0)
child = os.fork()
if child == 0:
	collect("forked", 7)
os.waitpid(child, 0)
collect("executed", 5)
END
	cat >"$TMP/later.sh" <<'END'
"$DTRACE" -wqn 'BEGIN { system("echo > $TMP/begun"); }
	dnet:python:gc:gc-start /!seen[pid]/ { seen[pid] = 1; system("echo > $TMP/seen.%d", pid); }
	dnet:python:gc:gc-start /arg0 == 2/ { @[pid] = count(); } END { printa("%d %@d\n", @); }' >"$TMP/out" 2>"$TMP/err" </dev/null &
tracer=$!
until [ -e "$TMP/begun" ]; do kill -0 $tracer || exit; done
"$1" "$TMP/later.py" "$TMP" >"$TMP/who"
kill -TERM $tracer
wait $tracer
END
	TMP=$TMP DTRACE=$DTRACE timeout 60 unshare --pid --fork --mount-proc sh "$TMP/later.sh" "$python"
	is "later processes" "$(grep -E '^[0-9]+ [0-9]+$' "$TMP/out" | sort -n)" "$(awk '{ print $2, $3 }' "$TMP/who" | sort -n)"
	is "errors" "$(cat "$TMP/err")" ""
fi

# Go programs, whatever their files are called: one that starts later
if command -v go >/dev/null; then
	cat >"$TMP/t.go" <<'END'
package main

import (
	"os"
	"runtime"
	"time"
)

func fails() {
	defer func() { recover() }()
	panic("not seen yet")
}

func main() {
	for {
		if _, err := os.Stat(os.Args[1]); err == nil {
			break
		}
		fails()
		time.Sleep(time.Millisecond)
	}
	for i := 0; i < 7; i++ {
		runtime.GC()
	}
}
END
	HOME=$TMP GOCACHE=$TMP/cache GOFLAGS='' go build -ldflags '-s -w' -o "$TMP/gone" "$TMP/t.go" 2>"$TMP/why" ||
		skip "no Go program: $(cat "$TMP/why")"
	tried=1
	cat >"$TMP/go.sh" <<'END'
"$DTRACE" -wqn 'BEGIN { system("echo > $TMP/begins"); } dnet:go:event:excp /!seen[pid]/ { seen[pid] = 1; system("echo > $TMP/is_seen"); }
	dnet:go:gc:gc-end { @[execname] = count(); } END { printa("%s %@d\n", @); }' >"$TMP/out" 2>"$TMP/err" </dev/null &
tracer=$!
until [ -e "$TMP/begins" ]; do kill -0 $tracer || exit; done
"$TMP/gone" "$TMP/is_seen"
kill -TERM $tracer
wait $tracer
END
	TMP=$TMP DTRACE=$DTRACE timeout 60 unshare --pid --fork --mount-proc sh "$TMP/go.sh"
	is "a Go program" "$(awk '$1 == "gone" { print $2 }' "$TMP/out")" 7
	is "errors" "$(cat "$TMP/err")" ""
fi
[ -n "$tried" ] || skip "no runtime that can be told"
finish
