# From wakeup to CPU.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script runlatency switches -c "$TARGETS/switches 50"
[ "$(cell waits)" -ge 50 ] || fail "$out"
finish
