# The counts of `./t 100000` are exact with one thread and with eight.
# needs: user
# timeout: 300
. tests/lib/lib.sh

[ -z "$SAN" ] || skip "too slow with sanitizers"
for threads in 1 8; do
	rounds=$((100000 / threads))
	d -qn 'pid$target:a.out:leaf:entry, pid$target:a.out:branchy:entry,
	    pid$target:a.out:six:entry { @[probefunc] = count(); }' -o "$TMP/agg" \
		-c "$TARGETS/t $rounds $threads"
	ends 0 "$threads threads"
	counts "$TMP/out" | grep -E '^(leaf|branchy|six) ' >"$TMP/own"
	counts "$TMP/agg" >"$TMP/traced"
	diff "$TMP/own" "$TMP/traced" >"$TMP/diff" || fail "$threads threads: $(cat "$TMP/diff")"
	rm -f "$TMP/agg"
done
finish
