# The thread that looks for pages to take away is woken no more often than it has run by /proc/vmstat. Only a machine that is
# short of memory wakes it, which a test does not make of one that others use.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
runs() {
	awk '$1 == "pageoutrun" { print $2 }' /proc/vmstat
}
idle=
before=$(runs)
d -qn 'vminfo:::pgrrun, vminfo:::rev { @[probename] = sum(arg0); } tick-1s { exit(0); }'
ends 0 "kswapd"
after=$(runs)
for name in pgrrun rev; do
	n=$(awk -v w=$name '$1 == w { n = $2 } END { print n + 0 }' "$TMP/out")
	[ "$n" -le $((after - before)) ] || fail "$name: $n, the kernel says $((after - before))"
	[ "$n" -gt 0 ] || idle=1
done
[ $failed = 1 ] || [ -z "$idle" ] || skip "pgrrun, rev: kswapd has not been woken in a second: there is memory enough"
finish
