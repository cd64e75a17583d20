# Time away from the CPU between off-cpu and on-cpu, of a program that sleeps a known number of times.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script offcpu switches -c "$TARGETS/switches 50"
# one that is taken off the CPU between setting its timer and its sleep is away for less
[ "$(cell times)" -ge 50 ] && [ "$(cell slept a ms)" -ge 25 ] || fail "50 sleeps of a ms: $out"
is "the bars" "$(echo "$out" | awk '/\|/ { n += $NF } END { print n }')" "$(cell times)"
finish
