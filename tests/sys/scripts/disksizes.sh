# Sizes and distances of requests: a declared array of numbers.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
disk_work
script disksizes "$name" -c "$work"
is "sectors" "$(cell sectors)" 8192
# one of sizes, one of distances
is "bars" "$(echo "$out" | awk '/\|/ { n += $NF } END { print n }')" $(($(cell requests) * 2))
finish
