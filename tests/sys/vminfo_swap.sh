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
# /proc/vmstat counts for all: what is of others while it is read is between
d -qn 'vminfo:::swapin, vminfo:::pgswapin, vminfo:::swapout, vminfo:::pgswapout, vminfo:::anonpgin, vminfo:::execpgin, vminfo:::fspgin
	{ @[pid == $target ? "own" : "other", probename] = sum(args[0]); }
	END { printa("%s-%s %@d\n", @); }' -c "$TARGETS/sysnumbers swap $TMP/swap"
case $err in *swapon:*) skip "no swap file can be used here: $err" ;; esac
ends 0 "swap"
n() { # n NAME: the number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}
between() { # between WHAT NUMBER PROBE...: the process's own are not more, and with those of others not fewer
	what=$1
	number=$2
	shift 2
	for probe; do
		own=$(n "own-$probe")
		[ "$own" -le "$number" ] && [ $((own + $(n "other-$probe"))) -ge "$number" ] ||
			fail "$what: $number, but $probe has $own and of others $(n "other-$probe")"
	done
}
between "pages that go" "$(n out)" swapout pgswapout
# it may have to read its own program, too: the kernel's number has both
files=$(($(n own-execpgin) + $(n own-fspgin)))
is "pages that come back" "$(n own-swapin) $(n own-pgswapin) $(n own-anonpgin)" "$(($(n in) - files)) $(($(n in) - files)) $(($(n in) - files))"
[ "$(n out)" -gt 0 ] || fail "nothing was written to the swap file: $out"
[ "$(n in)" -gt 0 ] || fail "nothing had to be read from the swap file: $out"

# what comes back is no new page, whether faults are told by their beginning, alone, or by their end, with others
for others in "" ", pf:::gp_flt"; do
	d -qn "pf:::dzero_flt$others"' /pid == $target && probename == "dzero_flt"/ { @[args[0] >> 12] = count(); }
		END { printa("page %@d\n", @); }' -c "$TARGETS/sysnumbers swap $TMP/swap"
	ends 0 "new pages$others"
	[ "$(echo "$out" | grep -c '^page 1$')" -ge 200 ] || fail "new pages$others: $(echo "$out" | sort | uniq -c)"
	is "pages that are new again" "$(echo "$out" | grep '^page' | grep -cv '^page 1$')" 0
done
finish
