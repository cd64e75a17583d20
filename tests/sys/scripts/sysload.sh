# sysinfo of the machine under -Z, beside patterns that match several calls.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
process_work
script sysload -c "$work"
is "processes" "$(cell processes)" "$(said forks)"
[ "$(cell sysfork)" -ge "$(said forks)" ] && [ "$(cell pswitch)" -gt 0 ] || fail "$out"
finish
