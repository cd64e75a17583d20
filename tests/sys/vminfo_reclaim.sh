# Pages that the kernel looks at and takes away when it is asked to: as many as its memory cgroup misses then.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
of=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$of" ] || skip "there is no memory cgroup of version 1"
CGROUP=$of/dtrace-test-$$
export CGROUP
mkdir "$CGROUP" 2>"$TMP/err" || skip "no memory cgroup can be made: $(cat "$TMP/err")"
trap 'rmdir "$CGROUP"' EXIT
[ -w "$CGROUP/memory.force_empty" ] || skip "this kernel takes no pages away when asked (memory.force_empty)"
d -qn 'vminfo:::scan, vminfo:::dfree /pid == $target/ { @[probename] = sum(args[0]); }' -c "$TARGETS/sysnumbers reclaim $TMP/data"
ends 0 "reclaim"
n() { # n NAME: the number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}
is "pages that are taken" "$(n dfree)" "$(n taken)"
[ "$(n scan)" -ge "$(n taken)" ] || fail "pages that are looked at: $out"
[ "$(n taken)" -gt 1000 ] || fail "nothing was taken: $out"
finish
