# Bytes by file: fds[arg0].fi_pathname kept from entry to return.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script rwbytes -c "$work"
out=$(echo "$out" | awk -v f="$dir/data" '$(NF - 1) == f { print $1 == "calls" ? "calls " $2 : $1, $NF }')
is "written" "$(cell write)" "$(said written)"
is "read" "$(cell read)" "$(said read)"
is "writes" "$(cell calls write)" "$(said writes)"
is "reads" "$(cell calls read)" "$(said reads)"
finish
