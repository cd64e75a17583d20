# Samples of the whole machine: the processes that come and go cost little memory, and those that a predicate leaves
# out none.
# needs: root
# timeout: 180
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

shared_kb() {
	awk '/^RssShmem:/ { print $2 }' "/proc/$1/status"
}
crowd() { # processes that are each sampled
	i=0
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done'
	done
}

# grows WHAT MAX CLAUSE: by how many KB while the crowd runs
grows() {
	rm -f "$TMP/out" # of the last time, until the next begins to write
	"$DTRACE" -qn 'BEGIN { printf("begun\n"); }' -n "$3" -n 'tick-1s { printf("second\n"); }' >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	if until_said "$TMP/out" '^begun' $front; then
		engine=$(engine_of $front)
		crowd
		before=$(shared_kb "$engine")
		crowd
		said=$(grep -c second "$TMP/out")
		until [ "$(grep -c second "$TMP/out")" -gt $((said + 1)) ] || ! kill -0 $front 2>/dev/null; do sleep 0.05; done
		after=$(shared_kb "$engine")
		[ $((after - before)) -lt "$2" ] || fail "$1: $((after - before)) KB for 300 processes"
	else
		fail "$1: $(cat "$TMP/err")"
	fi
	kill -INT $front 2>/dev/null
	wait $front
}

grows "processes that a predicate leaves out" 1500 'profile-997 /pid == 1/ { @[ustack()] = count(); }'
grows "processes that are sampled" 6000 'profile-997 { @[ustack()] = count(); }'
finish
