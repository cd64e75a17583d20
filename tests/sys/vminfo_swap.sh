# Pages that go to a swap file of the test's own, and come back: as many as /proc/vmstat and getrusage() say.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need mkswap swapoff
case $(stat -f -c %T "$TMP") in
ext2/ext3 | xfs) ;;
*) skip "no swap file can be on $(stat -f -c %T "$TMP")" ;;
esac
(umask 077 && dd if=/dev/zero of="$TMP/swap" bs=64k count=128 2>/dev/null) && mkswap -q "$TMP/swap" >"$TMP/err" 2>&1 ||
	skip "no swap file: $(cat "$TMP/err")"
trap 'swapoff "$TMP/swap" 2>/dev/null' EXIT
d -qn 'vminfo:::swapin, vminfo:::pgswapin, vminfo:::swapout, vminfo:::pgswapout, vminfo:::anonpgin /pid == $target/
	{ @[probename] = sum(args[0]); }' -c "$TARGETS/sysnumbers swap $TMP/swap"
case $err in *swapon:*) skip "no swap file can be used here: $err" ;; esac
ends 0 "swap"
n() { # n NAME: the number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}
is "pages that go" "$(n swapout) $(n pgswapout)" "$(n out) $(n out)"
is "pages that come back" "$(n swapin) $(n pgswapin) $(n anonpgin)" "$(n in) $(n in) $(n in)"
[ "$(n out)" -ge 200 ] || fail "nothing was written to the swap file: $out"
[ "$(n in)" -gt 0 ] || fail "nothing had to be read from the swap file: $out"
finish
