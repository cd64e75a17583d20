# A translator of a script's own, by -> and by a member of the whole.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script mytranslator -c "$TARGETS/switches 30"
is "pauses of a millisecond" "$(cell short 1000 us)" 30
is "others" "$(echo "$out" | grep -c .)" 1
finish
