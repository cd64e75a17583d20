# Scripts of dscripts/ say of a recording what they said while it was made: of each kind of what a file has to have for that one.
# needs: root
# timeout: 240
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

"$DTRACE" --doctor | grep -q '^cgroup  *works' && net=bin/tcplife
# shellcheck disable=SC2086
DTRACE=$DTRACE TARGETS=$TARGETS tests/tools/replayed.sh bin/sched.d bin/runqlat bin/wakeup.d bin/execsnoop bin/exitsnoop bin/filetop \
	bin/rwsnoop bin/syscount bin/dtruss bin/opensnoop bin/memleak bin/pmc.d demo/proc.d demo/io.d demo/tick.d demo/startend.d \
	demo/pid_args.d demo/pid_ustack.d $net >"$TMP/scripts" 2>&1 || fail "$(grep -v ^same "$TMP/scripts")"
is "scripts" "$(grep -vc ^same "$TMP/scripts")" 0
finish
