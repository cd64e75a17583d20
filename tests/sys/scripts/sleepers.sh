# Voluntary switches of a thread, compared with what its /proc/PID/status says.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script sleepers -c "$TARGETS/switches 50"
n=$(cell sleeps)
own=$(said sleep)
[ "$n" -ge "$own" ] && [ "$n" -le $((own + 3)) ] || fail "sleeps: $n, its own $own"
finish
