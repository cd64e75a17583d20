# Life of processes: an array by the pid that proc:::create tells.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
process_work
script lifetime -c "$work"
is "made" "$(cell made perl)" "$(said forks)"
is "lived" "$(cell lived)" "$(said forks)"
[ "$(cell 20 ms or longer)" -ge "$(said slept)" ] || fail "children that slept 20 ms: $out"
finish
