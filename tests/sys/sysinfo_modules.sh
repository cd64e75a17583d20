# A module that comes and goes is told of once each.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
if [ ! -e /proc/modules ]; then
	d -qn 'sysinfo:::modload, sysinfo:::modunload { n++; } BEGIN { exit(0); }'
	ends 0 "without modules"
	for probe in modload modunload; do
		like "without modules" "$err" "*probe description sysinfo:::$probe: this kernel has no such event; it never fires*"
	done
	[ $failed = 1 ] || skip "modload, modunload: this kernel has no modules (which is said)"
	finish
fi
need modprobe
grep -q '^dummy ' /proc/modules && skip "modload, modunload: the module dummy is in use"
modprobe -n dummy 2>/dev/null || skip "modload, modunload: there is no module dummy"
d -qn 'sysinfo:::modload, sysinfo:::modunload { @[probename] = sum(arg0); }' -c "sh -c 'modprobe dummy && modprobe -r dummy'"
ends 0 "a module"
is "a module" "$(counts "$TMP/out")" "modload 1
modunload 1"
finish
