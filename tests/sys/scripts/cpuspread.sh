# Samples by CPU, of a program that is bound to one; curcpu->cpu_id, aggpack.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
need taskset
script cpuspread -c "taskset -c 0 $TARGETS/burn 0.2"
[ "$(cell samples)" -ge 20 ] || fail "samples: $out"
is "odd" "$(cell odd)" 0
like "the bar" "$out" "*|*"
finish
