# Requests of a disk from start to done, by b_edev and b_blkno.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
disk_work
script disktime "$name" -c "$work"
is "begun" "$(cell begun)" 4194304
is "done" "$(cell "done")" 4194304
is "in no time" "$(cell in no time)" 0
disk=$(basename "$(df --output=source "$TMP" | tail -1)")
like "the disk" "$out" "disk $disk W*"
finish
