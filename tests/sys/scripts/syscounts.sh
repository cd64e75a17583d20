# Statistics of the system, of what a program reads and writes; defaultargs.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script syscounts -c "$work"
# beside its files: a socket, its own text and what it says
[ "$(cell writech)" -ge "$(($(said written) + $(said sent)))" ] && [ "$(cell writech)" -le $(($(said written) + $(said sent) + 500)) ] || fail "written: $out"
[ "$(cell readch)" -ge "$(said read)" ] || fail "read: $out"
[ "$(cell syswrite)" -ge "$(($(said writes) + $(said sends)))" ] && [ "$(cell syswrite)" -le $(($(said writes) + $(said sends) + 10)) ] || fail "writes: $out"
script syscounts nobody -c "$work"
is "of another" "$(cell writech)" 0
finish
