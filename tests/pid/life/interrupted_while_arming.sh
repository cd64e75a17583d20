# ^C while tens of thousands of probes are looked for and armed: when the command has ended, the process
# is nobody's any more. A process that ends meanwhile is not asked for the bytes of each function.
# needs: user
. tests/lib/lib.sh

many='pid$target:::entry,pid$target:::return,fpid$target:::entry { @ = count(); }'

# The process that is traced, once somebody has attached to it.
attach_to() {
	python3 -c 'import time; print(1, flush=True); time.sleep(600)' >"$TMP/ready" &
	target=$!
	until [ -s "$TMP/ready" ]; do sleep 0.01; done
	: >"$TMP/ready"
	"$DTRACE" -qn "$many" -p $target >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	until grep -q '^TracerPid:.[1-9]' /proc/$target/status || ! kill -0 $front 2>/dev/null; do
		sleep 0.005
	done
}

# the command waits a second at most: beside others that may be too short
free=
for _ in 1 2 3 4 5; do
	attach_to
	kill -INT $front
	wait $front 2>/dev/null
	grep -q '^TracerPid:.0' /proc/$target/status && free=1
	kill $target
	wait $target 2>/dev/null
	[ -z "$free" ] || break
done
[ -n "$free" ] || fail "^C: the process is still traced when the command has ended"

# as early as it is found to be traced, or later: there may be nothing to be found any more
for when in 0 0.05 0.2; do
	attach_to
	sleep $when
	kill -KILL $target
	wait $front 2>/dev/null
	case $?,$(cat "$TMP/err") in
	0,*"No such process"*) fail "the process was killed: $(cat "$TMP/err")" ;;
	0,* | 1,*"failed to grab process $target: it has ended") ;;
	1,*"failed to grab pid $target: "*) ;;
	*) fail "the process was killed: $(cat "$TMP/err")" ;;
	esac
	wait $target 2>/dev/null
done
finish
