# A buffer that is filled keeps the first records.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script firstcalls -c "$work"
echo "$out" | awk 'NF == 2 { print $1 }' | sort -n >"$TMP/n"
is "the first" "$(head -1 "$TMP/n")" 1
lines=$(wc -l <"$TMP/n")
[ "$lines" -gt 10 ] && [ "$lines" -lt 300 ] || fail "1k has $lines records"
finish
