# Waits for a disk, by io.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
disk_work
script iowaits dd -c "$work"
[ "$(cell waits)" -ge 1 ] && [ "$(cell ns)" -gt 0 ] && [ "$(cell asked)" -ge 1 ] || fail "$out"
finish
