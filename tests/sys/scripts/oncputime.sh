# CPU time of a program by sched:::on-cpu and off-cpu; it says itself what it has had.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script oncputime -c "$TARGETS/burn 0.3"
us=$(cell microseconds)
own=$(echo "$said" | tr -dc '0-9\n' | head -1)
# the first time slice began before we did; nothing is longer on a CPU than time has passed
[ "$us" -ge $((own * 1000 / 2)) ] && [ "$us" -le "$(cell passed)" ] || fail "$us us, of its own $own ms: $out"
finish
