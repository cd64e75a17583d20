# Counters of virtual memory that a program moves itself: what it reads of a file as code, and what goes to disks between
# the moments in which /proc/vmstat is read inside and around the run.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) skip "the scratch folder is on no disk" ;;
esac

n() { # n NAME: the number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}
d -qn 'vminfo:::execpgin, vminfo:::fspgin /pid == $target/ { @[probename] = sum(args[0]); }' -c "$TARGETS/sysnumbers code $TMP/data"
ends 0 "code"
is "code that is read" "$(n execpgin)" "$(n code)"
[ "$(n code)" -gt 0 ] || fail "no code was read: $out"

vmstat() { # vmstat NAME
	awk -v n="$1" '$1 == n { print $2 }' /proc/vmstat
}
# KiB by the kernel's count, of requests that are written by the page
cat >"$TMP/work" <<END
grep -E '^pgpg(in|out) ' /proc/vmstat >$TMP/inner
$TARGETS/sysnumbers direct $TMP/data
$TARGETS/sysnumbers code $TMP/data
grep -E '^pgpg(in|out) ' /proc/vmstat >>$TMP/inner
END
inner() { # inner NAME
	awk -v n="$1" '$1 == n { d = $2 - last; last = $2 } END { print d }' "$TMP/inner"
}
in_kib=$(vmstat pgpgin) out_kib=$(vmstat pgpgout)
d -qn 'vminfo:::pgpgin, vminfo:::pgpgout, vminfo:::pgin, vminfo:::pgout { @[probename] = sum(args[0]); }' -c "sh $TMP/work"
ends 0 "pages"
in_kib=$(($(vmstat pgpgin) - in_kib)) out_kib=$(($(vmstat pgpgout) - out_kib))
[ $((4 * $(n pgpgin))) -ge "$(inner pgpgin)" ] || fail "pages read: $(n pgpgin), the kernel says $(inner pgpgin) KiB"
[ $((4 * $(n pgpgout))) -ge "$(inner pgpgout)" ] || fail "pages written: $(n pgpgout), the kernel says $(inner pgpgout) KiB"
# a request of less than a page is one
[ $((4 * ($(n pgpgin) - $(n pgin)))) -le "$in_kib" ] || fail "pages read: $(n pgpgin), the kernel says at most $in_kib KiB"
[ $((4 * ($(n pgpgout) - $(n pgout)))) -le "$out_kib" ] || fail "pages written: $(n pgpgout), the kernel says at most $out_kib KiB"
[ "$(inner pgpgout)" -ge 960 ] || fail "the kernel says that nothing was written: $(cat "$TMP/inner")"
[ "$(n pgin)" -ge 50 ] || fail "requests to read: $(n pgin)"
[ "$(n pgout)" -ge 40 ] || fail "requests to write: $(n pgout)"
finish
