# A -c process that still runs when tracing ends is killed.
# needs: user
. tests/lib/lib.sh

start=$(date +%s)
d -qn 'tick-50ms { exit(0); }' -c 'sleep 60'
ends 0 "exit()"
[ $(($(date +%s) - start)) -lt 20 ] || fail "waited for the target"
d -qn 'BEGIN { printf("%d\n", $target); exit(0); }' -c 'sleep 60'
pid=$(printf '%s' "$out" | head -1)
i=0
while kill -0 "$pid" 2>/dev/null && [ $i -lt 50 ]; do
	i=$((i + 1))
	sleep 0.1
done
! kill -0 "$pid" 2>/dev/null || fail "the target $pid is still there"
finish
