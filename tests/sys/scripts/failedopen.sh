# Speculation: records of a call are kept if it fails in one way.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script failedopen -c "$work"
is "opens told" "$(echo "$out" | grep -c "^open ")" "$(said isdir)"
is "paths" "$(echo "$out" | grep -c "^open $dir\$")" "$(said isdir)"
is "their errors" "$(echo "$out" | grep -c '^errno 21$')" "$(said isdir)"
is "committed" "$(cell committed)" "$(said isdir)"
like "discarded" "$out" "*discarded more than 7"
finish
