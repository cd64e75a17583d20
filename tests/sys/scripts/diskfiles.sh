# Bytes by disk, program and path: %@d in the middle of a line.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
disk_work
script diskfiles -c "$work"
is "bytes written" "$(echo "$out" | awk -v f="$file" '$5 == f && $3 == "W" { n += $4 } END { print n }')" 4194304
finish
